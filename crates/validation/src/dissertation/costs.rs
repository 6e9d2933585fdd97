//! What calls and pages cost, fitted: to tables 5 and 6 alone, or to these and the first captured trace.
//!
//! Processor time is linear in what a call and a page cost, so that a few runs say what both must be:
//!
//! ```text
//!   8 KiB at random:    call + pages · P(8 KiB)  =  8 KiB / measured
//!   a trace's request:  call + pages · P(trace)  =  its mean / measured
//! ```
//!
//! With one equation the catalogue's call is scaled as its pages are. With both, call and pages are solved for.

use super::DissertationError;
use super::machine::{CATALOGUED, Costs, DEFAULT, Journal, Machine, Work, WriteEnd};
use super::random::{ORDERED, READ};
use super::site::Site;
use serde::Serialize;

/// Costs that give tables 5 and 6, with the rates that they give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Fitted {
    /// The costs.
    pub costs: Costs,
    /// Cached random reads of 8 KiB, KB (1,024 bytes) a second.
    pub read: f64,
    /// Asynchronous random writes of 8 KiB in ordered mode.
    pub ordered: f64,
}

/// KiB of tables 5 and 6.
const RANDOM_KIB: f64 = 8.0;
/// Solutions are taken again from where they lead to, as what a run costs besides isn't quite linear.
const TURNS: usize = 2;

fn random(reads: bool) -> Work {
    match reads {
        true => Work::random_reads(DEFAULT.requests),
        false => Work::random_writes(Journal::Ordered, DEFAULT.requests, WriteEnd::InMemory),
    }
}

/// Fits one factor on what a read costs to table 5, and one on what a write costs to table 6.
pub(super) fn fit(site: &Site<'_>) -> Result<Fitted, DissertationError> {
    let (mut costs, mut read, mut ordered) = (CATALOGUED, 0.0, 0.0);
    for turn in 0..=TURNS {
        let machine = Machine::of(DEFAULT, costs);
        read = site.kb_per_s(&machine, &random(true))?;
        ordered = site.kb_per_s(&machine, &random(false))?;
        if turn < TURNS {
            let (reads, writes) = (read / READ, ordered / ORDERED);
            costs = Costs {
                read_call_ns: costs.read_call_ns * reads,
                read_pages: costs.read_pages * reads,
                write_call_ns: costs.write_call_ns * writes,
                write_pages: costs.write_pages * writes,
            };
        }
    }
    Ok(Fitted { costs, read, ordered })
}

/// A trace to which the split into call and pages is fitted.
pub(super) struct Known<'w> {
    pub(super) reads: bool,
    pub(super) work: &'w Work,
    /// Its mean request, KiB.
    pub(super) mean_kib: f64,
    /// Its measured rate, KB/s.
    pub(super) kb_per_s: f64,
}

/// Solves for a call and the factor on pages, from other costs; none where no costs above zero give both rates.
pub(super) fn split(
    site: &Site<'_>,
    from: Costs,
    known: &Known<'_>,
) -> Result<Option<Costs>, DissertationError> {
    let micros = |kib: f64, rate: f64| kib / rate * 1e9;
    let wanted = [
        micros(RANDOM_KIB, if known.reads { READ } else { ORDERED }),
        micros(known.mean_kib, known.kb_per_s),
    ];
    let (mut call, mut pages) = match known.reads {
        true => (from.read_call_ns, from.read_pages),
        false => (from.write_call_ns, from.write_pages),
    };
    let with = |call: f64, pages: f64| match known.reads {
        true => Costs { read_call_ns: call, read_pages: pages, ..from },
        false => Costs { write_call_ns: call, write_pages: pages, ..from },
    };
    for _ in 0..TURNS {
        let machine = Machine::of(DEFAULT, with(call, pages));
        let found = [
            micros(RANDOM_KIB, site.kb_per_s(&machine, &random(known.reads))?),
            micros(known.mean_kib, site.kb_per_s(&machine, known.work)?),
        ];
        // What a factor of one on pages costs in each.
        let each = found.map(|found| (found - call) / pages);
        let off = [wanted[0] - found[0], wanted[1] - found[1]];
        let more = (off[1] - off[0]) / (each[1] - each[0]);
        (call, pages) = (call + off[0] - more * each[0], pages + more);
        if !(call > 0.0 && pages > 0.0) {
            return Ok(None);
        }
    }
    Ok(Some(with(call, pages)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::asked::Asked;

    #[test]
    fn the_fit_meets_both_tables() {
        let asked = Asked::default();
        let Fitted { read, ordered, .. } = fit(&Site::of(&asked)).unwrap();
        for (found, measured) in [(read, READ), (ordered, ORDERED)] {
            assert!((found / measured - 1.0).abs() < 0.01, "{found} for {measured}");
        }
    }

    #[test]
    fn a_split_meets_its_trace_and_the_table_and_none_does_where_calls_would_cost_less_than_nothing() {
        let asked = Asked::default();
        let site = Site::of(&asked);
        let from = fit(&site).unwrap().costs;
        let work = Work::reads(64, 8_192);
        let of = |kb_per_s| Known { reads: true, work: &work, mean_kib: 64.0, kb_per_s };
        let costs = split(&site, from, &of(1_000_000.0)).unwrap().unwrap();
        for (work, measured) in [(&work, 1_000_000.0), (&random(true), READ)] {
            let found = site.kb_per_s(&Machine::of(DEFAULT, costs), work).unwrap();
            assert!((found / measured - 1.0).abs() < 0.01, "{found} for {measured}");
        }
        assert_eq!(split(&site, from, &of(500_000.0)).unwrap(), None);
    }
}
