//! A job's options as they are taken, and what is left of them.

use super::arithmetic::evaluated;
use super::ini::{Entry, Section};
use super::known::{WITHOUT_EFFECT, is_name, is_of_engine};
use super::values::{size, time};
use super::{FioError, FioRemark};
use petrio_time::Time;
use petrio_units::numbers::whole_part;

/// A zone where none is named: what most drives with zones have.
pub(super) const ZONE_BYTES: u64 = 256 << 20;

/// The options of a job; what is taken is gone from them.
pub(super) struct Options {
    entries: Vec<Entry>,
    kb_base: u64,
    zone_bytes: u64,
}

impl Options {
    pub(super) fn of(section: Section) -> Result<Self, FioError> {
        let counts = |entry: &&Entry| entry.unset.is_some() && !is_name(&entry.key);
        if let Some(entry) = section.entries.iter().find(counts) {
            let name = entry.unset.as_deref().unwrap_or_default();
            return Err(unset(name, entry.line));
        }
        let kb_base = section.entries.iter().find(|entry| entry.key == "kb_base");
        let kb_base = kb_base.and_then(|entry| entry.value.parse().ok()).unwrap_or(1024);
        let zone = section.entries.iter().find(|entry| entry.key == "zonesize");
        let zone_bytes = zone.and_then(|entry| size_of(&entry.value, kb_base)).unwrap_or(ZONE_BYTES);
        Ok(Self { entries: section.entries, kb_base, zone_bytes })
    }

    /// An option by any of its names.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Entry> {
        let mut found = None;
        self.entries.retain(|entry| {
            let is_it = names.contains(&entry.key.as_str());
            if is_it {
                found = Some(entry.clone());
            }
            !is_it
        });
        found
    }

    /// The places of `random_distribution=sequence:…`, with the line; any other distribution is left.
    pub(super) fn places(&mut self) -> Option<(String, u32)> {
        let is_it =
            |entry: &Entry| entry.key == "random_distribution" && entry.value.starts_with("sequence:");
        let entry = self.entries.iter().find(|entry| is_it(entry)).cloned()?;
        self.entries.retain(|other| !is_it(other));
        Some((entry.value.split_once(':')?.1.to_owned(), entry.line))
    }

    /// Whether a switch is on, which is left.
    pub(super) fn peek(&self, name: &str) -> bool {
        self.entries.iter().any(|entry| entry.key == name && entry.value != "0")
    }

    /// Whether any of these is said.
    pub(super) fn has(&self, names: &[&str]) -> bool {
        self.entries.iter().any(|entry| names.contains(&entry.key.as_str()) && entry.value != "100%")
    }

    /// A switch: it stands alone, or with 0 or 1.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<(bool, u32)>, FioError> {
        let Some(entry) = self.take(&[name]) else { return Ok(None) };
        match entry.value.as_str() {
            "" | "1" | "true" | "yes" => Ok(Some((true, entry.line))),
            "0" | "false" | "no" => Ok(Some((false, entry.line))),
            other => match other.parse::<i64>() {
                Ok(number) => Ok(Some((number != 0, entry.line))),
                Err(_) => {
                    let problem = format!("\"{other}\" is neither 0 nor 1, which {name} takes");
                    Err(FioError::at(entry.line, problem))
                }
            },
        }
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&mut self, name: &str) -> Result<bool, FioError> {
        Ok(self.switch(name)?.is_some_and(|(on, _)| on))
    }

    pub(super) fn number(&mut self, names: &[&str]) -> Result<Option<(u64, u32)>, FioError> {
        self.read(names, "a whole number", |text| {
            let plain = |text: &str| size(text, 1000).map(|number| number as f64);
            text.parse().ok().or_else(|| whole(evaluated(text, &plain)?))
        })
    }

    pub(super) fn size(&mut self, names: &[&str]) -> Result<Option<(u64, u32)>, FioError> {
        let base = self.kb_base;
        self.read(names, "a size such as 64k or 1g", |text| size_of(text, base))
    }

    pub(super) fn time(&mut self, names: &[&str], bare: u64) -> Result<Option<(Time, u32)>, FioError> {
        self.read(names, "a time such as 30s", |text| {
            let seconds = || evaluated(text, &|text| text.parse().ok());
            time(text, bare).or_else(|| Some(Time::from_picos(whole(seconds()?)?.checked_mul(bare)?)))
        })
    }

    /// Whether blocks have protection information behind them, with the line that says so.
    pub(super) fn metadata(&self) -> Option<u32> {
        let says = |entry: &&Entry| entry.key.starts_with("pi_") || entry.key.starts_with("md_per_io");
        self.entries.iter().find(says).map(|entry| entry.line)
    }

    /// How large a zone is: as it is named, or what most drives with zones have.
    pub(super) const fn zone_bytes(&self) -> u64 {
        self.zone_bytes
    }

    pub(super) const fn kb_base(&self) -> u64 {
        self.kb_base
    }

    fn read<T>(
        &mut self,
        names: &[&str],
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<(T, u32)>, FioError> {
        let Some(Entry { key, value, line, .. }) = self.take(names) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some((read, line))),
            None => Err(FioError::at(line, format!("{key}={value}: {what} is needed here"))),
        }
    }

    /// What nobody has taken, as remarks.
    pub(super) fn finish(self, remarks: &mut Vec<FioRemark>) {
        for Entry { key, value, line, .. } in self.entries {
            let is_plain = WITHOUT_EFFECT.contains(&key.as_str())
                || is_of_engine(&key)
                || (key == "invalidate" && value != "0");
            if !is_plain {
                let text = format!("{key} is not taken");
                remarks.push(FioRemark { line, text });
            }
        }
    }
}

/// What isn't known of a script's variables.
fn unset(name: &str, line: u32) -> FioError {
    if let Some(command) = name.strip_prefix("output-of-") {
        let help = "write in its place what it prints";
        return FioError::at(line, format!("what {command} prints isn't known here")).with_help(help);
    }
    if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
        let help = format!("set it: env {name}=… petrio …");
        return FioError::at(line, format!("the script's argument {name} isn't known")).with_help(help);
    }
    FioError::at(line, format!("the variable {name} is set nowhere"))
        .with_help(format!("set it: {name}=… petrio …"))
}

/// A size, or a sum of sizes.
pub(super) fn size_of(text: &str, base: u64) -> Option<u64> {
    size(text, base).or_else(|| whole(evaluated(text, &|text| size(text, base).map(|bytes| bytes as f64))?))
}

/// A number without what is behind its point.
fn whole(number: f64) -> Option<u64> {
    (0.0..9e18).contains(&number).then_some(whole_part(number))
}
