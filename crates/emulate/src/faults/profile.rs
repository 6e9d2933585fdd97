//! A profile of faults, as it is written.

use petrio_distribution::Draw;
use petrio_units::{Bytes, Duration, Fraction};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How devices misbehave on purpose (petrio emulate --faults): each part is left out where nothing of it is to happen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FaultProfile {
    /// Words for people.
    pub title: String,
    /// Where random numbers begin: the same seed, the same decisions.
    pub seed: u64,
    /// Requests that come back later than they would.
    pub delay: Vec<Delay>,
    /// Times at which nothing comes back.
    pub stall: Vec<Stall>,
    /// Regions that are slow.
    pub slow: Vec<SlowRegion>,
    /// Requests that fail.
    pub error: Vec<ErrorRule>,
    /// A rate that becomes less in the course of time.
    pub decay: Option<SlowDown>,
    /// Flushes that are answered without being done.
    pub flush: Option<LostFlushes>,
    /// Writes leave a volatile cache that is full in any order, instead of that of their completion; only a flush puts an end to
    /// that.
    pub reordered: bool,
    /// The power is cut, and what was reported is lost as far as no flush came after it.
    pub cut: Option<PowerCut>,
}

/// Of which requests something is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Of {
    /// Whatever is asked.
    #[default]
    All,
    /// Reads.
    Reads,
    /// Writes, zeros and discards too.
    Writes,
    /// Flushes.
    Flushes,
}

/// Requests that come back later than they would, as when a device tries again and again: one that turns does nothing else meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Delay {
    /// Which share of them.
    pub share: Fraction,
    /// By how much.
    pub by: Draw<Duration>,
    /// Of which requests.
    #[serde(default)]
    pub of: Of,
    /// Of which device alone, by its name; of all where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// A time at which nothing comes back: what would have comes at its end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stall {
    /// When it begins, from the beginning of the emulation: the first of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Duration>,
    /// How long from the end of one to the beginning of the next. There is one alone where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub every: Option<Draw<Duration>>,
    /// How long it lasts.
    pub lasts: Draw<Duration>,
    /// Which device alone, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// A region in which a request takes several times as long as the device's own time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowRegion {
    /// Its first byte.
    #[serde(default)]
    pub from: Bytes,
    /// The byte behind its last; the end of the device where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Bytes>,
    /// How many times as long. A device that turns does nothing else meanwhile; flash goes on with others. Of a write that a
    /// cache takes it is the time until that has it.
    pub times: f64,
    /// Which device alone, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Requests that fail with EIO, after the time that they would have taken.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ErrorRule {
    /// Which.
    #[serde(default)]
    pub of: Of,
    /// Those that touch a byte from here on.
    #[serde(default)]
    pub from: Bytes,
    /// And before this one; the end of the device where it is left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Bytes>,
    /// Which share of them.
    #[serde(default = "all")]
    pub share: Fraction,
    /// So many at most: 1 for once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub times: Option<u64>,
    /// From when on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Duration>,
    /// Of which device alone, by its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// A rate that becomes less: all that takes the devices time takes ever more of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlowDown {
    /// In which time the rate becomes half of what it was.
    pub halves: Duration,
    /// What is left of it at last.
    #[serde(default = "tenth")]
    pub least: Fraction,
}

/// Flushes that are answered without being done.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LostFlushes {
    /// Which share of them.
    #[serde(default = "all")]
    pub lost: Fraction,
    /// How long such a one takes.
    #[serde(default = "at_once")]
    pub takes: Duration,
}

/// The power is cut: what is under way and all that comes later fails, and what is left is what was durable, and what is said here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PowerCut {
    /// When, from the beginning of the emulation. By a signal (SIGUSR1) it is cut at any time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<Duration>,
    /// Or when so many requests were answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_requests: Option<u64>,
    /// Which share of the writes that were reported, and that no flush followed, is there all the same: the first of them, in
    /// the order of their completion.
    pub kept: Fraction,
    /// Not the first of them, but any.
    pub reordered: bool,
    /// Of which share of those, and of the writes under way, a part is there: the first of their sectors.
    pub torn: Fraction,
    /// Of which share of such parts a half of the next sector is there as well.
    pub torn_sectors: Fraction,
    /// After which time the power comes back; it doesn't where this is left out (SIGUSR2 brings it back).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub back_after: Option<Duration>,
}

impl Default for PowerCut {
    fn default() -> Self {
        let none = Fraction::part(0, 1);
        Self {
            at: None,
            after_requests: None,
            kept: none,
            reordered: false,
            torn: none,
            torn_sectors: none,
            back_after: None,
        }
    }
}

const fn all() -> Fraction {
    Fraction::part(1, 1)
}

const fn tenth() -> Fraction {
    Fraction::part(1, 10)
}

const fn at_once() -> Duration {
    Duration::new(petrio_time::Time::from_micros(100))
}

/// What makes no sense of a profile, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{at}: {problem}")]
pub struct ProfileError {
    /// The key, with dots and numbers: `delay.0.by`.
    pub at: String,
    /// What is wrong with it.
    pub problem: String,
}

impl FaultProfile {
    /// What makes no sense, of devices with these names and sizes.
    ///
    /// # Errors
    /// The first mistake.
    pub fn check(&self, devices: &[(String, Bytes)]) -> Result<(), ProfileError> {
        let wrong = |at: String, problem: &str| ProfileError { at, problem: problem.to_owned() };
        let drawn = |at: String, draw: &Draw<Duration>| match draw.distribution() {
            Ok(_) => Ok(()),
            Err(error) => Err(wrong(at, &error.to_string())),
        };
        for (number, rule) in self.delay.iter().enumerate() {
            named(&format!("delay.{number}"), rule.device.as_ref(), devices)?;
            drawn(format!("delay.{number}.by"), &rule.by)?;
        }
        for (number, rule) in self.stall.iter().enumerate() {
            named(&format!("stall.{number}"), rule.device.as_ref(), devices)?;
            drawn(format!("stall.{number}.lasts"), &rule.lasts)?;
            match &rule.every {
                Some(every) => {
                    let at = format!("stall.{number}.every");
                    drawn(at.clone(), every)?;
                    let rarely = every
                        .distribution()
                        .is_ok_and(|every| petrio_distribution::Family::mean(&every) >= 0.001);
                    if !rarely {
                        return Err(wrong(at, "stalls begin at least 1 ms after each other at the mean"));
                    }
                }
                None if rule.at.is_none() => {
                    return Err(wrong(format!("stall.{number}"), "it says neither at nor every: when?"));
                }
                None => {}
            }
        }
        for (number, rule) in self.slow.iter().enumerate() {
            let at = format!("slow.{number}");
            named(&at, rule.device.as_ref(), devices)?;
            between(&at, (rule.from, rule.to), rule.device.as_ref(), devices)?;
            if !(rule.times.is_finite() && rule.times >= 1.0) {
                return Err(wrong(format!("{at}.times"), "times is a number from 1 on"));
            }
        }
        for (number, rule) in self.error.iter().enumerate() {
            let at = format!("error.{number}");
            named(&at, rule.device.as_ref(), devices)?;
            between(&at, (rule.from, rule.to), rule.device.as_ref(), devices)?;
            if rule.of == Of::Flushes && (rule.to.is_some() || rule.from.get() > 0) {
                return Err(wrong(at, "a flush is of the whole device, not of a region"));
            }
        }
        if let Some(decay) = &self.decay {
            if decay.halves == Duration::ZERO {
                return Err(wrong("decay.halves".to_owned(), "it is longer than 0"));
            }
            if decay.least.get() < 0.001 {
                return Err(wrong("decay.least".to_owned(), "at least 0.1 % of the rate is left"));
            }
        }
        Ok(())
    }
}

/// A rule's device is there.
fn named(at: &str, device: Option<&String>, devices: &[(String, Bytes)]) -> Result<(), ProfileError> {
    match device {
        Some(device) if devices.iter().all(|(name, _)| name != device) => {
            let names: Vec<&str> = devices.iter().map(|(name, _)| name.as_str()).collect();
            let problem = format!("there is no device \"{device}\"; there are {}", names.join(", "));
            Err(ProfileError { at: format!("{at}.device"), problem })
        }
        _ => Ok(()),
    }
}

/// A region has bytes, and some of them are on a device: what is beside all of them would fail nothing, and who waits for it would never know.
fn between(
    at: &str,
    (from, to): (Bytes, Option<Bytes>),
    device: Option<&String>,
    devices: &[(String, Bytes)],
) -> Result<(), ProfileError> {
    if to.is_some_and(|to| to <= from) {
        let problem = format!("the region ends before it begins, at {from}");
        return Err(ProfileError { at: format!("{at}.to"), problem });
    }
    let of = devices.iter().filter(|(name, _)| device.is_none_or(|device| device == name));
    match of.max_by_key(|(_, size)| *size) {
        Some((name, size)) if from >= *size => {
            let problem = format!("the region begins at {from}, and {name} ends at {size}");
            Err(ProfileError { at: format!("{at}.from"), problem })
        }
        _ => Ok(()),
    }
}
