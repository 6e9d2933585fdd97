//! What a throttle limits, and who keeps its accounts.

use super::accounts::{Accounts, Limits};
use super::bucket::Allowance;
use super::leaky::{Among, Counting, Leaky, Of};
use petrio_kernel::Time;
use petrio_stage::Lever;
use petrio_stage::lever::doubled;
use petrio_units::numbers::whole_part;
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use std::num::NonZeroU32;

/// Who keeps the accounts, each by rules of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum KeptBy {
    /// The kernel, for a control group (`io.max`, `blkio.throttle`): slices of a tenth of a second.
    #[default]
    Linux,
    /// QEMU, for a guest's drive (`throttling.*`, libvirt's `<iotune>`): leaky buckets, with bursts.
    Qemu,
}

/// A throttle. A limit that is left out is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ThrottleParameters {
    /// Who keeps the accounts: the kernel of a control group, or QEMU. Bursts and limits on reads and writes together are QEMU's alone.
    #[serde(skip_serializing_if = "is_linux")]
    pub kept_by: KeptBy,
    /// Reads a second (`blkio.throttle.read_iops_device`, `riops` of `io.max`; QEMU's `iops-read`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_iops: Option<NonZeroU32>,
    /// Writes and flushes a second (`blkio.throttle.write_iops_device`, `wiops`); of QEMU writes alone (`iops-write`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_iops: Option<NonZeroU32>,
    /// Bytes read a second (`blkio.throttle.read_bps_device`, `rbps`; `bps-read`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate: Option<Rate>,
    /// Bytes written a second (`blkio.throttle.write_bps_device`, `wbps`; `bps-write`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_rate: Option<Rate>,
    /// Reads and writes a second together (QEMU's `iops-total`, libvirt's `total_iops_sec`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops: Option<NonZeroU32>,
    /// Bytes read and written a second together (`bps-total`, `total_bytes_sec`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// Reads a second in a burst (`iops-read-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_iops_max: Option<NonZeroU32>,
    /// Writes a second in a burst (`iops-write-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_iops_max: Option<NonZeroU32>,
    /// Reads and writes a second in a burst (`iops-total-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops_max: Option<NonZeroU32>,
    /// Bytes read a second in a burst (`bps-read-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_rate_max: Option<Rate>,
    /// Bytes written a second in a burst (`bps-write-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_rate_max: Option<Rate>,
    /// Bytes read and written a second in a burst (`bps-total-max`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_max: Option<Rate>,
    /// How long bursts of requests last at least (`iops-*-max-length`): the bucket holds as many as pass in it. Whole seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops_max_length: Option<Duration>,
    /// The same of bursts of bytes (`bps-*-max-length`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_max_length: Option<Duration>,
    /// Bytes of a request that count as one; a longer one counts as many as it has of them (`iops-size`, `size_iops_sec`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub iops_size: Option<Bytes>,
    /// How full the buckets of bursts are when a run begins; left out, full.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub credits: Option<Fraction>,
    /// Timer ticks a second of the kernel that keeps the accounts, from 10 to 10,000 (`CONFIG_HZ`; 250 in most
    /// distributions' kernels). QEMU counts nanoseconds.
    #[serde(deserialize_with = "ticks")]
    #[schemars(range(min = 10, max = 10_000))]
    pub ticks_per_second: u32,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde's skip_serializing_if gives a reference")]
fn is_linux(kept_by: &KeptBy) -> bool {
    *kept_by == KeptBy::Linux
}

/// How far from its limit a throttle may be before somebody is told: less than what two runs of a real one differ by.
const TOLERATED: f64 = 0.2;
/// How long its accounts are looked at for that.
const OBSERVED: Time = Time::from_whole_seconds(60);

/// Ticks a second that make sense: a slice is a tenth of a second.
const TICKS: std::ops::RangeInclusive<u32> = 10..=10_000;

/// Of what passes for good so much may pass at once where no burst is named, seconds of it: throttle_compute_wait.
const USUAL_BURST: f64 = 0.1;

fn ticks<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let ticks = u32::deserialize(deserializer)?;
    if TICKS.contains(&ticks) {
        return Ok(ticks);
    }
    let (least, most) = (TICKS.start(), TICKS.end());
    let message =
        format!("{ticks} timer ticks a second make no throttle; give {least} to {most}, such as 250");
    Err(serde::de::Error::custom(message))
}

impl Default for ThrottleParameters {
    fn default() -> Self {
        Self {
            kept_by: KeptBy::Linux,
            read_iops: None,
            write_iops: None,
            read_rate: None,
            write_rate: None,
            iops: None,
            rate: None,
            read_iops_max: None,
            write_iops_max: None,
            iops_max: None,
            read_rate_max: None,
            write_rate_max: None,
            rate_max: None,
            iops_max_length: None,
            rate_max_length: None,
            iops_size: None,
            credits: None,
            ticks_per_second: 250,
        }
    }
}

/// A limit of one that QEMU keeps: its key, what it counts, of whom, what passes for good and in a burst, units a second.
struct Kept {
    key: &'static str,
    of: Of,
    among: Among,
    rate: Option<f64>,
    max: Option<f64>,
}

impl ThrottleParameters {
    /// What could be changed about it; its parameters stand at `path`.
    pub fn levers(&self, path: &str) -> Vec<Lever> {
        let twice = |limit: Option<NonZeroU32>| limit.map(|limit| limit.saturating_add(limit.get()));
        let lever = Lever::twice("throttle", "limits", "its limits twice as high")
            .set_some(path, "read_iops", twice(self.read_iops))
            .set_some(path, "write_iops", twice(self.write_iops))
            .set_some(path, "iops", twice(self.iops))
            .set_some(path, "read_iops_max", twice(self.read_iops_max))
            .set_some(path, "write_iops_max", twice(self.write_iops_max))
            .set_some(path, "iops_max", twice(self.iops_max))
            .set_some(path, "read_rate", self.read_rate.and_then(doubled))
            .set_some(path, "write_rate", self.write_rate.and_then(doubled))
            .set_some(path, "rate", self.rate.and_then(doubled))
            .set_some(path, "read_rate_max", self.read_rate_max.and_then(doubled))
            .set_some(path, "write_rate_max", self.write_rate_max.and_then(doubled))
            .set_some(path, "rate_max", self.rate_max.and_then(doubled));
        lever.if_any().into_iter().collect()
    }

    /// What makes no sense of it: a key, what is wrong, and what to do.
    pub fn objections(&self) -> Vec<(&'static str, String, &'static str)> {
        match self.kept_by {
            KeptBy::Linux => self.not_of_linux(),
            KeptBy::Qemu => self.not_of_qemu(),
        }
    }

    fn not_of_linux(&self) -> Vec<(&'static str, String, &'static str)> {
        let given = [
            ("iops", self.iops.is_some()),
            ("rate", self.rate.is_some()),
            ("read_iops_max", self.read_iops_max.is_some()),
            ("write_iops_max", self.write_iops_max.is_some()),
            ("iops_max", self.iops_max.is_some()),
            ("read_rate_max", self.read_rate_max.is_some()),
            ("write_rate_max", self.write_rate_max.is_some()),
            ("rate_max", self.rate_max.is_some()),
            ("iops_max_length", self.iops_max_length.is_some()),
            ("rate_max_length", self.rate_max_length.is_some()),
            ("iops_size", self.iops_size.is_some()),
            ("credits", self.credits.is_some()),
        ];
        let wrong = |(key, _): (&'static str, bool)| {
            let message = format!("a control group's throttle knows no {key}");
            (key, message, "write kept_by = \"qemu\", or leave it out")
        };
        given.into_iter().filter(|&(_, given)| given).map(wrong).collect()
    }

    /// As throttle_is_valid has it.
    fn not_of_qemu(&self) -> Vec<(&'static str, String, &'static str)> {
        let mut wrong = Vec::new();
        let kept = self.kept();
        for (of, words) in [(Of::Requests, "iops"), (Of::Bytes, "rate")] {
            let has = |all: bool| {
                let mut kept = kept.iter().filter(|kept| kept.of == of && (kept.among == Among::All) == all);
                kept.any(|kept| kept.rate.is_some() || kept.max.is_some())
            };
            if has(true) && has(false) {
                let message =
                    format!("{words} limits reads and writes together, and others limit them apart");
                wrong.push((words, message, "QEMU takes one or the other"));
            }
        }
        for kept in &kept {
            match (kept.rate, kept.max) {
                (None, Some(_)) => {
                    let message = format!("there is a burst of {} without the limit itself", kept.key);
                    wrong.push(("", message, "give the limit that holds behind it"));
                }
                (Some(rate), Some(max)) if max < rate => {
                    let message = format!("the burst of {} is below the limit itself", kept.key);
                    wrong.push((kept.key, message, "a burst is at least as fast"));
                }
                _ => {}
            }
        }
        let lengths = [
            ("iops_max_length", self.iops_max_length, Of::Requests),
            ("rate_max_length", self.rate_max_length, Of::Bytes),
        ];
        for (key, length, of) in lengths {
            let Some(length) = length else { continue };
            let picos = length.time().as_picos();
            if picos == 0 || picos % Time::from_whole_seconds(1).as_picos() != 0 {
                let message = format!("{key} is {length}, and QEMU takes whole seconds, at least one");
                wrong.push((key, message, "such as \"60 s\""));
            }
            if !kept.iter().any(|kept| kept.of == of && kept.max.is_some()) {
                wrong.push((
                    key,
                    format!("{key} belongs to a burst, and there is none"),
                    "give one, or leave it out",
                ));
            }
        }
        if self.iops_size.is_some() && !kept.iter().any(|kept| kept.of == Of::Requests && kept.rate.is_some())
        {
            let message = "iops_size says how requests are counted, and no limit counts them".to_owned();
            wrong.push(("iops_size", message, "give iops, read_iops or write_iops"));
        }
        wrong
    }

    /// The limits as QEMU keeps them.
    fn kept(&self) -> [Kept; 6] {
        let count = |number: Option<NonZeroU32>| number.map(|number| f64::from(number.get()));
        let bytes = |rate: Option<Rate>| rate.map(Rate::bytes_per_second);
        let kept = |key, of, among, rate, max| Kept { key, of, among, rate, max };
        let (requests, data) = (Of::Requests, Of::Bytes);
        [
            kept("iops", requests, Among::All, count(self.iops), count(self.iops_max)),
            kept("read_iops", requests, Among::Reads, count(self.read_iops), count(self.read_iops_max)),
            kept("write_iops", requests, Among::Writes, count(self.write_iops), count(self.write_iops_max)),
            kept("rate", data, Among::All, bytes(self.rate), bytes(self.rate_max)),
            kept("read_rate", data, Among::Reads, bytes(self.read_rate), bytes(self.read_rate_max)),
            kept("write_rate", data, Among::Writes, bytes(self.write_rate), bytes(self.write_rate_max)),
        ]
    }

    /// The accounts that QEMU keeps: throttle_compute_wait and throttle_leak_bucket.
    pub(super) fn leaky(&self) -> Leaky {
        let mut limits = Vec::new();
        for Kept { of, among, rate, max, .. } in self.kept() {
            let Some(rate) = rate else { continue };
            let length = if of == Of::Requests { self.iops_max_length } else { self.rate_max_length };
            let length = length.map_or(1.0, |length| length.time().as_seconds());
            let room = max.map_or(rate * USUAL_BURST, |max| max * length);
            let burst = max.filter(|_| length > 1.0).map(|max| (max, max * USUAL_BURST));
            limits.push((of, among, Allowance { rate, room, burst }));
        }
        let used = self.credits.map_or(0.0, |credits| 1.0 - credits.get());
        Leaky::new(&limits, Counting::Parts(self.iops_size.map(Bytes::get)), used)
    }

    /// The limits of requests that the accounts keep so badly that somebody should know: the key, the limit, and how
    /// many a second pass when always one waits.
    pub fn kept_otherwise(&self) -> Vec<(&'static str, u32, f64)> {
        if self.kept_by == KeptBy::Qemu {
            return Vec::new();
        }
        let limits = [("read_iops", self.read_iops), ("write_iops", self.write_iops)];
        let kept = |(key, limit): (&'static str, Option<NonZeroU32>)| {
            // Of more, the ten a second at most that are lost are little.
            let limit = limit.map(NonZeroU32::get).filter(|&limit| f64::from(limit) * TOLERATED < 10.0)?;
            let ticks_per_second = u64::from(self.ticks_per_second);
            let mut accounts = Accounts::new(Limits { bytes: None, requests: Some(limit), ticks_per_second });
            let rate = accounts.lasting_rate(OBSERVED);
            let off = rate / f64::from(limit) - 1.0;
            (off.abs() > TOLERATED).then_some((key, limit, rate))
        };
        limits.into_iter().filter_map(kept).collect()
    }

    /// The accounts that the kernel keeps, of reads and writes.
    pub(super) fn slices(&self) -> [Accounts; 2] {
        [(self.read_rate, self.read_iops), (self.write_rate, self.write_iops)].map(|(rate, requests)| {
            Accounts::new(Limits {
                // The kernel keeps whole bytes a second.
                bytes: rate.map(|rate| whole_part(rate.bytes_per_second()).max(1)),
                requests: requests.map(NonZeroU32::get),
                ticks_per_second: u64::from(self.ticks_per_second.clamp(*TICKS.start(), *TICKS.end())),
            })
        })
    }
}
