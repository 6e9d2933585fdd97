//! What a volume of a size, with what is provisioned of it, may pass: the provider's rules, and what is against them. No net.

use super::parameters::{ByIops, Limit, Tier, VolumeParameters};
use crate::throttle::{Allowance, Among, Of};
use petrio_units::{Bytes, Rate};
use std::fmt::Display;

/// Bytes of a GiB.
const GIB: f64 = (1u64 << 30) as f64;

/// What passes at once, seconds of it: providers hold volumes to their limits in spans below a second, and say no more than that.
const AT_ONCE: f64 = 0.01;

/// A figure a second, or an amount, as a number.
pub(super) trait Figure: Copy + Display {
    fn number(self) -> f64;
}

impl Figure for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Figure for Rate {
    fn number(self) -> f64 {
        self.bytes_per_second()
    }
}

impl Figure for Bytes {
    fn number(self) -> f64 {
        self.get() as f64
    }
}

fn number(figure: Option<impl Figure>) -> f64 {
    figure.map_or(0.0, Figure::number)
}

/// For good, and in a burst: as fast, with so many units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Allowed {
    pub(super) rate: f64,
    pub(super) burst: Option<(f64, f64)>,
}

impl Allowed {
    /// With what passes at once.
    fn allowance(self) -> Allowance {
        match self.burst {
            Some((rate, room)) => Allowance { rate: self.rate, room, burst: Some((rate, rate * AT_ONCE)) },
            None => Allowance { rate: self.rate, room: self.rate * AT_ONCE, burst: None },
        }
    }

    /// So many times as much; a burst lasts as long.
    fn times(self, times: f64) -> Self {
        let burst = self.burst.map(|(rate, room)| (rate * times, room * times));
        Self { rate: self.rate * times, burst }
    }

    /// A burst that is no faster than what lasts is none.
    fn of(rate: f64, burst: Option<(f64, f64)>) -> Self {
        Self { rate, burst: burst.filter(|&(burst, room)| burst > rate && room > 0.0) }
    }
}

/// What a volume of so many GiB is limited to, before anything is provisioned.
fn by_size<Q: Figure, A: Figure>(limit: &Limit<Q, A>, gib: f64) -> Allowed {
    let most = |most: Option<Q>| most.map_or(f64::INFINITY, Figure::number);
    let rate = (number(limit.fixed) + number(limit.per_gib) * gib).max(number(limit.least));
    let burst = limit.burst.map(|burst| {
        let rate = (number(burst.fixed) + number(burst.per_gib) * gib).min(most(burst.most));
        (rate, number(burst.bucket) + number(burst.bucket_per_gib) * gib)
    });
    Allowed::of(rate.min(most(limit.most)), burst)
}

/// A limit as somebody provisions it, of a volume of so many GiB with so many I/Os a second.
fn provisioned<Q: Figure, A: Figure>(
    (what, limit): (&str, &Limit<Q, A>),
    given: Option<f64>,
    (gib, iops): (f64, Option<f64>),
    shown: impl Fn(f64) -> String,
) -> Result<Allowed, String> {
    let Some(rules) = limit.provisioned else {
        return match given {
            Some(_) => Err(format!("its {what} follows from its size and can't be provisioned")),
            None => Ok(by_size(limit, gib)),
        };
    };
    let least = rules.least.number();
    // What comes with a volume follows what else is provisioned, where it has to.
    let needed = rules.least_per_iops.zip(iops).map_or(0.0, |(each, iops)| each.number() * iops);
    let rate = given.unwrap_or(least.max(needed));
    let given = shown(rate);
    if rate < least || rate > rules.most.number() {
        let (least, most) = (shown(least), shown(rules.most.number()));
        return Err(format!("{given} are not within {least} to {most}"));
    }
    if let Some(each) = rules.per_gib
        && rate > (each.number() * gib).max(least)
    {
        let most = shown((each.number() * gib).max(least));
        let each = shown(each.number());
        return Err(format!("{given} are more than {each} for each GiB, which are {most}"));
    }
    if let Some((each, iops)) = rules.per_iops.zip(iops)
        && rate > (each.number() * iops).max(least)
    {
        let most = shown((each.number() * iops).max(least));
        let each = shown(each.number());
        return Err(format!(
            "{given} are more than {each} for each provisioned I/O a second, which are {most}"
        ));
    }
    if let Some((each, iops)) = rules.least_per_iops.zip(iops)
        && rate < each.number() * iops
    {
        let (each, least) = (shown(each.number()), shown(each.number() * iops));
        return Err(format!(
            "{given} are less than {each} for each provisioned I/O a second, which are {least}"
        ));
    }
    Ok(Allowed::of(rate, None))
}

/// Bytes a second with so many I/Os a second: on lines between points, the first of which is at nothing.
fn at_iops(points: &[ByIops], iops: f64) -> Option<f64> {
    let mut before = (0.0, 0.0);
    for point in points {
        let (at, rate) = (f64::from(point.iops.get()), point.throughput.bytes_per_second());
        if iops <= at {
            let share = if at > before.0 { (iops - before.0) / (at - before.0) } else { 1.0 };
            return Some(before.1 + (rate - before.1) * share);
        }
        before = (at, rate);
    }
    points.last().map(|_| before.1)
}

/// A limit of those that a volume has.
type Found = (Of, Among, Allowed);

impl VolumeParameters {
    /// Its size in GiB.
    fn gib(&self) -> f64 {
        self.size.get() as f64 / GIB
    }

    /// The tier that it is of.
    pub(super) fn tier(&self) -> Option<&Tier> {
        self.tiers.iter().find(|tier| self.size <= tier.size)
    }

    /// What it may pass.
    ///
    /// # Errors
    /// The rule of the provider that its size, or what is provisioned, is against.
    pub(super) fn allowed(&self) -> Result<Vec<Found>, String> {
        let (size, sizes) = (self.size, self.sizes);
        if size < sizes.least || size > sizes.most {
            return Err(format!("{size} are not within {} to {}", sizes.least, sizes.most));
        }
        if self.counted.piece.get() == 0 {
            return Err("counted.piece is at least a byte".to_owned());
        }
        let gib = self.gib();
        let mut all = Vec::new();
        let as_iops = |number: f64| format!("{number} IOPS");
        let as_rate =
            |number: f64| Rate::new(number).map_or_else(|| "0 B/s".to_owned(), |rate| rate.to_string());
        let given = self.iops.map(|iops| f64::from(iops.get()));
        let mut iops = None;
        match &self.limits.iops {
            Some(limit) => {
                let allowed = provisioned(("number of IOPS", limit), given, (gib, None), as_iops)?;
                iops = limit.provisioned.map(|_| allowed.rate);
                all.push((Of::Requests, Among::All, allowed));
            }
            None if given.is_some() => {
                return Err("its IOPS follow from its size and can't be provisioned".to_owned());
            }
            None => {}
        }
        let given = self.throughput.map(Rate::bytes_per_second);
        match &self.limits.throughput {
            Some(limit) => {
                let allowed = provisioned(("throughput", limit), given, (gib, iops), as_rate)?;
                all.push((Of::Bytes, Among::All, allowed));
            }
            None if given.is_some() => {
                let why = if self.limits.throughput_by_iops.is_empty() { "size" } else { "IOPS" };
                return Err(format!("its throughput follows from its {why} and can't be provisioned"));
            }
            None => {}
        }
        if let Some(rate) = iops.and_then(|iops| at_iops(&self.limits.throughput_by_iops, iops)) {
            all.push((Of::Bytes, Among::All, Allowed::of(rate, None)));
        }
        let apart = |limit: &Option<Limit<f64, f64>>, among| {
            limit.as_ref().map(|limit| (Of::Requests, among, by_size(limit, gib)))
        };
        all.extend(apart(&self.limits.read_iops, Among::Reads));
        all.extend(apart(&self.limits.write_iops, Among::Writes));
        let apart = |limit: &Option<Limit<Rate, Bytes>>, among| {
            limit.as_ref().map(|limit| (Of::Bytes, among, by_size(limit, gib)))
        };
        all.extend(apart(&self.limits.read_throughput, Among::Reads));
        all.extend(apart(&self.limits.write_throughput, Among::Writes));
        if let Some(tier) = self.tier() {
            all.extend(of_tier(tier));
        }
        match all.iter().all(|(_, _, allowed)| allowed.rate.is_finite() && allowed.rate > 0.0) {
            true => Ok(all),
            false => Err("one of its limits lets nothing pass".to_owned()),
        }
    }

    /// The same, as accounts have it.
    pub(super) fn allowances(&self) -> Result<Vec<(Of, Among, Allowance)>, String> {
        if !(1e-3..=1e6).contains(&self.limits_times) {
            return Err(format!("limits_times is from 0.001 to 1000000, not {}", self.limits_times));
        }
        let allowed = self.allowed()?.into_iter();
        let times = |allowed: Allowed| allowed.times(self.limits_times).allowance();
        Ok(allowed.map(|(of, among, allowed)| (of, among, times(allowed))).collect())
    }
}

/// The limits of a tier. A full bucket bears the burst for so long: as much as passes then beyond what lasts.
fn of_tier(tier: &Tier) -> impl Iterator<Item = Found> {
    let seconds = tier.burst.map_or(0.0, |span| span.time().as_seconds());
    let allowed = |rate: Option<f64>, burst: Option<f64>| {
        rate.map(|rate| Allowed::of(rate, burst.map(|burst| (burst, (burst - rate) * seconds))))
    };
    let bytes = |rate: Option<Rate>| rate.map(Rate::bytes_per_second);
    let iops = allowed(tier.iops, tier.burst_iops);
    let throughput = allowed(bytes(tier.throughput), bytes(tier.burst_throughput));
    let requests = iops.map(|allowed| (Of::Requests, Among::All, allowed));
    requests.into_iter().chain(throughput.map(|allowed| (Of::Bytes, Among::All, allowed)))
}
