//! How evenly equal parts share the load: what each client got, and what each server moved.

use crate::estimate::Estimate;
use crate::figure::{Tables, each, figures};
use crate::section::{Entry, paragraph};
use crate::text::labelled;
use petrio_page::figure::{Axis, Figure as Picture, Marks, Quantity, Series, Tone};
use petrio_page::numbers::{grouped, per_cent, rate_unit, significant};
use petrio_page::page::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The rates of the parts of one sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// What they are: clients, servers.
    pub of: String,
    /// Each of them.
    pub members: Vec<MemberRate>,
}

/// What one of them moved.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MemberRate {
    /// Its name.
    pub name: String,
    /// Bytes in the measured part of the run.
    pub bytes: u64,
    /// Bytes per second: of a client from its first request until its last one completed, of a server over the measured
    /// part of the run.
    pub bytes_per_s: Estimate,
}

impl Rates {
    /// The mean of them, bytes per second.
    pub fn mean(&self) -> f64 {
        self.values().sum::<f64>() / self.members.len().max(1) as f64
    }

    /// Standard deviation over mean.
    pub fn spread(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.values().map(|value| (value - mean) * (value - mean)).sum();
        let deviation = (squares / self.members.len().saturating_sub(1).max(1) as f64).sqrt();
        if mean > 0.0 { deviation / mean } else { 0.0 }
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.members.iter().map(|member| member.bytes_per_s.value)
    }

    /// The slowest and the fastest.
    pub fn ends(&self) -> Option<(&MemberRate, &MemberRate)> {
        let by_rate = |a: &&MemberRate, b: &&MemberRate| a.bytes_per_s.value.total_cmp(&b.bytes_per_s.value);
        // Of equals the first.
        Some((self.members.iter().min_by(by_rate)?, self.members.iter().rev().max_by(by_rate)?))
    }
}

/// Parts of a picture.
const MEMBERS_MAX: usize = 32;

/// What each client got, or each server moved, with its confidence interval where there is one.
fn picture(rates: &Rates) -> Option<Picture> {
    let every = rates.members.len().div_ceil(MEMBERS_MAX).max(1);
    let shown: Vec<_> = rates.members.iter().step_by(every).collect();
    let (least, most) = rates.ends()?;
    let (unit, size) = rate_unit(rates.mean());
    let mut figure = Picture::new(
        format!("Rates of {}", rates.of),
        format!(
            "The rate of each of {} {}: {} to {} {unit}",
            rates.members.len(),
            rates.of,
            significant(least.bytes_per_s.value / size),
            significant(most.bytes_per_s.value / size)
        ),
        Axis::new("rate", Quantity::Rate).from(0.0),
        Axis::names("", shown.iter().map(|member| member.name.clone()).collect()),
    );
    let band = |sign: f64| {
        let end = move |member: &&MemberRate| {
            member.bytes_per_s.value + sign * member.bytes_per_s.half_width.unwrap_or(0.0)
        };
        shown.iter().map(end).collect::<Vec<f64>>()
    };
    let tones = vec![Tone::Same; shown.len()];
    figure.push(Series::new(
        "rate",
        Marks::Rows { low: band(-1.0), values: band(0.0), high: band(1.0), tones },
    ));
    Some(figure)
}

figures! { MemberRate:
    bytes => "bytes" Bytes Neither;
    bytes_per_s => "throughput" BytesPerSecond Up;
}

figures! { Rates: }

impl Entry for Rates {
    const PART: &'static str = "rates";

    fn name(&self) -> &str {
        &self.of
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |rates: &'e Self| {
            each(&rates.members, |member| (&member.name, rates.of.clone(), Some(member)))
        });
    }

    /// In a line: "8, 25.1 MB/s each: 24.8 (client3) to 25.6 (client7), spread 1.2 %".
    fn sentence(&self) -> String {
        let Some((least, most)) = self.ends() else { return String::new() };
        let (unit, size) = rate_unit(self.mean());
        if let [only] = self.members.as_slice() {
            return format!("1, {} {unit} ({})", only.bytes_per_s.scaled(size), only.name);
        }
        format!(
            "{}, {} {unit} each: {} ({}) to {} ({}), spread {}",
            grouped(self.members.len() as u64),
            significant(self.mean() / size),
            least.bytes_per_s.scaled(size),
            least.name,
            most.bytes_per_s.scaled(size),
            most.name,
            per_cent(self.spread())
        )
    }

    fn terminal(all: &[Self], out: &mut String, width: usize) {
        out.push('\n');
        all.iter().for_each(|rates| labelled(out, &rates.of, &rates.sentence(), width));
    }

    fn page(all: &[Self], page: &mut Page) {
        page.heading("Clients and servers");
        all.iter().for_each(|rates| paragraph(page, &rates.of, &rates.sentence()));
        page.figures(all.iter().filter_map(picture));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MIB: f64 = (1 << 20) as f64;

    #[test]
    fn the_slowest_and_the_fastest_are_named() {
        let member = |name: &str, rate: f64| MemberRate {
            name: name.to_owned(),
            bytes: 1,
            bytes_per_s: Estimate { value: rate, half_width: None },
        };
        let rates = Rates {
            of: "clients".to_owned(),
            members: vec![member("a", 20.0 * MIB), member("b", 10.0 * MIB), member("c", 30.0 * MIB)],
        };
        assert_eq!((rates.mean(), rates.spread()), (20.0 * MIB, 0.5));
        assert_eq!(rates.sentence(), "3, 20.0 MiB/s each: 10.0 (b) to 30.0 (c), spread 50 %");
        let alone = Rates { members: rates.members[..1].to_vec(), ..rates };
        assert_eq!(alone.sentence(), "1, 20.0 MiB/s (a)");
        assert_eq!(Rates::default().sentence(), "");
    }
}
