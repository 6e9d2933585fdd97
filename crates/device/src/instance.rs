//! What an instance of a cloud may ask of all its volumes together.
//!
//! It stands with the adapter on which they hang. Amazon says of most small instances two figures: what they keep up, and what "for 30
//! minutes at least once every 24 hours" passes; Azure says the same of its virtual machines, with credits that are earned as
//! those of disks are. Google's limits are by processors, and have no bursts.

use crate::throttle::{Allowance, Among, Counting, Credits, Leaky, Of};
use petrio_kernel::{PageBuilder, Place};
use petrio_units::{Bytes, Duration, Fraction, Rate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What passes at once, seconds of it.
const AT_ONCE: f64 = 0.01;

/// What an instance may ask of its volumes, reads and writes together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceLimits {
    /// I/Os a second, for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iops: Option<f64>,
    /// Bytes a second, for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throughput: Option<Rate>,
    /// I/Os a second in a burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_iops: Option<f64>,
    /// Bytes a second in a burst.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst_throughput: Option<Rate>,
    /// How long full buckets bear these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub burst: Option<Duration>,
    /// Bytes of an access that count as one I/O; a longer one counts as many as it has pieces of that. Left out, any access is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub piece: Option<Bytes>,
    /// How full its buckets are when a run begins.
    #[serde(default = "full")]
    pub credits: Fraction,
}

const fn full() -> Fraction {
    Fraction::ONE
}

impl InstanceLimits {
    /// What makes no sense of them.
    pub fn objection(&self) -> Option<String> {
        let given = [self.iops, self.burst_iops].into_iter().flatten();
        if given.clone().any(|iops| !(iops.is_finite() && iops > 0.0)) {
            return Some("I/Os a second are a number above 0".to_owned());
        }
        if self.iops.is_none() && self.throughput.is_none() {
            return Some("they limit nothing: give iops, throughput or both".to_owned());
        }
        let bursts = [
            (self.burst_iops.is_some(), self.iops.is_some()),
            (self.burst_throughput.is_some(), self.throughput.is_some()),
        ];
        if bursts.iter().any(|&(burst, lasting)| burst && !lasting) {
            return Some("there is a burst without what passes for good behind it".to_owned());
        }
        let has_burst = self.burst_iops.is_some() || self.burst_throughput.is_some();
        if has_burst != self.burst.is_some() {
            return Some("a burst has a length: burst = \"30 min\", and what passes meanwhile".to_owned());
        }
        self.piece.filter(|piece| piece.get() == 0).map(|_| "piece is at least a byte".to_owned())
    }

    /// Twice as much.
    #[must_use]
    pub fn doubled(&self) -> Self {
        let twice = |rate: Option<Rate>| rate.and_then(petrio_stage::lever::doubled);
        let iops = |iops: Option<f64>| iops.map(|iops| iops * petrio_stage::lever::TWICE);
        Self {
            iops: iops(self.iops),
            burst_iops: iops(self.burst_iops),
            throughput: twice(self.throughput),
            burst_throughput: twice(self.burst_throughput),
            ..*self
        }
    }

    fn accounts(&self) -> Leaky {
        let seconds = self.burst.map_or(0.0, |span| span.time().as_seconds());
        let allowance = |of: Of, rate: Option<f64>, burst: Option<f64>| {
            let rate = rate?;
            let allowance = match burst.filter(|&burst| burst > rate && seconds > 0.0) {
                Some(burst) => {
                    Allowance { rate, room: (burst - rate) * seconds, burst: Some((burst, burst * AT_ONCE)) }
                }
                None => Allowance { rate, room: rate * AT_ONCE, burst: None },
            };
            Some((of, Among::All, allowance))
        };
        let bytes = |rate: Option<Rate>| rate.map(Rate::bytes_per_second);
        let limits = [
            allowance(Of::Requests, self.iops, self.burst_iops),
            allowance(Of::Bytes, bytes(self.throughput), bytes(self.burst_throughput)),
        ];
        let limits: Vec<_> = limits.into_iter().flatten().collect();
        let counting = match self.piece {
            Some(piece) => Counting::Pieces { bytes: piece.get().max(1), merged: false, whole: false },
            None => Counting::Parts(None),
        };
        Leaky::new(&limits, counting, 1.0 - self.credits.get())
    }

    /// Puts its accounts into a net, on the page `page`.
    pub fn place(&self, page: &mut PageBuilder<'_>, name: &str) -> Instance {
        let accounts = self.accounts();
        let place = page.state(name, accounts.clone());
        Instance { credits: Credits::of(&accounts, place), accounts: InstanceAccounts(place) }
    }
}

/// Where the accounts of an instance are.
#[derive(Clone, Copy, Debug)]
pub struct InstanceAccounts(pub(super) Place<Leaky>);

/// An instance's limits in a net.
#[derive(Clone, Debug)]
pub struct Instance {
    /// Where its accounts are.
    pub accounts: InstanceAccounts,
    /// What may pass for a while only.
    pub credits: Vec<Credits>,
}
