//! Several runs of one scenario, each with its own random numbers, as one report with confidence intervals.

use crate::arrays::ArrayFigures;
use crate::claim::Sentence;
use crate::depths::DepthFigures;
use crate::estimate::Estimate;
use crate::latency::Latency;
use crate::mean::{mean_count, mean_of};
use crate::memory::MemoryFigures;
use crate::processes::ProcessFigures;
use crate::profile::ProfileFigures;
use crate::rates::{MemberRate, Rates};
use crate::served::{DeadlineFigures, OperationFailures, OperationFigures, Served, Share, WorkloadFigures};
use crate::summary::{Members, Report, Stage};
use crate::traffic::{PurposeFigures, TrafficFigures};
use crate::transactions::TransactionFigures;
use crate::waiting::Waiting;

/// The mean of replications: each figure with the half-width of its Student-t interval at `level` (0.95). Counts are means,
/// too; of what is an event (a member's failure, something late) it is told how often it was in all, and in which replication.
/// What can't be averaged (histogram, series) is that of the first. `None` when there are no reports.
pub fn mean_report(reports: &[Report], level: f64) -> Option<Report> {
    let first = reports.first()?;
    if reports.len() == 1 {
        return Some(first.clone());
    }
    let plain = |figure: fn(&Report) -> f64| Estimate::of(reports.iter().map(figure), level).value;
    let mut warnings: Vec<Sentence> = Vec::new();
    for report in reports {
        // What another replication has said with other figures is told once; of one run, parts differ by figures, too.
        let before = warnings.len();
        for warning in &report.warnings {
            let (others, own) = warnings.split_at(before);
            let same = |told: &Sentence| {
                told.claim == warning.claim && without_figures(&told.text).eq(without_figures(&warning.text))
            };
            if !others.iter().any(same) && !own.contains(warning) {
                warnings.push(warning.clone());
            }
        }
    }
    let served: Vec<&Served> = reports.iter().map(|report| &report.served).collect();
    let beside: Vec<&Served> = reports.iter().filter_map(|report| report.beside.as_deref()).collect();
    Some(Report {
        replications: u32::try_from(reports.len()).unwrap_or(u32::MAX),
        confidence: Some(level),
        simulated_s: plain(|report| report.simulated_s),
        firings: reports.iter().map(|report| report.firings).sum(),
        warm_up_s: plain(|report| report.warm_up_s),
        served: mean_served(&served, level).unwrap_or_default(),
        beside: mean_served(&beside, level).map(Box::new),
        stages: mean_stages(reports),
        rates: mean_rates(reports, level),
        copies: of_each(reports, |report| &report.copies, |one, other| one.name == other.name, mean_of),
        arrays: of_each(
            reports,
            |report| &report.arrays,
            |one, other| one.name == other.name,
            ArrayFigures::mean_of_replications,
        ),
        paths: of_each(reports, |report| &report.paths, |one, other| one.name == other.name, mean_of),
        profiles: of_each(
            reports,
            |report| &report.profiles,
            |one, other| one.name == other.name,
            ProfileFigures::mean_of_replications,
        ),
        traffic: of_each(
            reports,
            |report| &report.traffic,
            |one, other| one.name == other.name,
            mean_traffic,
        ),
        memory: of_each(reports, |report| &report.memory, |one, other| one.name == other.name, mean_memory),
        jobs: of_each(reports, |report| &report.jobs, |one, other| one.workload == other.workload, mean_of),
        warnings,
        ..first.clone()
    })
}

/// Figures of parts over all replications: of each part that is in one, those of the replications that have it.
fn of_each<T>(
    reports: &[Report],
    of: fn(&Report) -> &Vec<T>,
    is_same: fn(&T, &T) -> bool,
    mean: fn(&[&T]) -> Option<T>,
) -> Vec<T> {
    let mut parts: Vec<Vec<&T>> = Vec::new();
    for figures in reports.iter().flat_map(of) {
        match parts.iter_mut().find(|part| is_same(part[0], figures)) {
            Some(part) => part.push(figures),
            None => parts.push(vec![figures]),
        }
    }
    parts.iter().filter_map(|part| mean(part)).collect()
}

/// What reached a device, by all purposes that there were in any replication.
fn mean_traffic(all: &[&TrafficFigures]) -> Option<TrafficFigures> {
    let first = *all.first()?;
    let mut purposes: Vec<&str> = Vec::new();
    for row in all.iter().flat_map(|figures| &figures.purposes) {
        if !purposes.contains(&row.purpose.as_str()) {
            purposes.push(&row.purpose);
        }
    }
    let mean = |purpose: &str| {
        let none = PurposeFigures { purpose: purpose.to_owned(), ..PurposeFigures::default() };
        // Where there was nothing for it there was none.
        let of = |figures: &&TrafficFigures| {
            figures.purposes.iter().find(|row| row.purpose == purpose).unwrap_or(&none).clone()
        };
        let rows: Vec<PurposeFigures> = all.iter().map(of).collect();
        mean_of(&rows.iter().collect::<Vec<_>>())
    };
    Some(TrafficFigures { purposes: purposes.into_iter().filter_map(mean).collect(), ..first.clone() })
}

/// The most that was used in any replication, and what was in use at the end on average.
fn mean_memory(all: &[&MemoryFigures]) -> Option<MemoryFigures> {
    // Of equals the first.
    let most = all.iter().rev().max_by_key(|memory| memory.most_bytes)?;
    let unwritten = all.iter().map(|memory| memory.most_unwritten_bytes).max()?;
    Some(MemoryFigures {
        in_use_bytes: mean_count(all.iter().map(|memory| memory.in_use_bytes)),
        unwritten_bytes: mean_count(all.iter().map(|memory| memory.unwritten_bytes)),
        most_unwritten_bytes: unwritten,
        swapped_out_bytes: mean_count(all.iter().map(|memory| memory.swapped_out_bytes)),
        swapped_in_bytes: mean_count(all.iter().map(|memory| memory.swapped_in_bytes)),
        waited_for_swap_ms: mean_count(all.iter().map(|memory| memory.waited_for_swap_ms)),
        ..(*most).clone()
    })
}

/// What is late in all replications.
fn all_late(all: &[&Served]) -> Vec<DeadlineFigures> {
    let Some(first) = all.first() else { return Vec::new() };
    let sum = |(number, figures): (usize, &DeadlineFigures)| {
        let same = || all.iter().filter_map(move |served| served.deadlines.get(number));
        DeadlineFigures {
            moved: same().map(|figures| figures.moved).sum(),
            late: same().map(|figures| figures.late).sum(),
            late_under_way: same().map(|figures| figures.late_under_way).sum(),
            ..figures.clone()
        }
    };
    first.deadlines.iter().enumerate().map(sum).collect()
}

/// What could not be done in all replications.
fn all_failures(all: &[&Served]) -> Vec<OperationFailures> {
    let mut sums: Vec<OperationFailures> = Vec::new();
    for failures in all.iter().flat_map(|served| &served.failures) {
        let same = |known: &&mut OperationFailures| {
            known.operation == failures.operation && known.failure == failures.failure
        };
        match sums.iter_mut().find(same) {
            Some(known) => known.failed += failures.failed,
            None => sums.push(failures.clone()),
        }
    }
    sums
}

/// Of the parts that the first replication has.
fn mean_rates(reports: &[Report], level: f64) -> Vec<Rates> {
    let Some(first) = reports.first() else { return Vec::new() };
    let mean = |(group, rates): (usize, &Rates)| {
        let of = |(number, member): (usize, &MemberRate)| {
            let same = reports.iter().filter_map(|report| report.rates.get(group)?.members.get(number));
            MemberRate {
                bytes_per_s: Estimate::of(same.clone().map(|member| member.bytes_per_s.value), level),
                bytes: mean_count(same.map(|member| member.bytes)),
                ..member.clone()
            }
        };
        Rates { of: rates.of.clone(), members: rates.members.iter().enumerate().map(of).collect() }
    };
    first.rates.iter().enumerate().map(mean).collect()
}

/// What the programs of one sort got on average.
fn mean_served(all: &[&Served], level: f64) -> Option<Served> {
    let first = *all.first()?;
    let mean = |figure: fn(&Served) -> Option<f64>| {
        Estimate::of(all.iter().filter_map(|&served| figure(served)), level)
    };
    let latency = |part: fn(&Served) -> Option<&Latency>| {
        mean_latency(&all.iter().filter_map(|&served| part(served)).collect::<Vec<_>>(), level)
    };
    Some(Served {
        requests: mean_of(&all.iter().map(|served| &served.requests).collect::<Vec<_>>())?,
        bytes: mean_count(all.iter().map(|served| served.bytes)),
        failures: all_failures(all),
        deadlines: all_late(all),
        transactions: mean_transactions(all, level),
        depths: all_depths(all),
        processes: mean_processes(all, level),
        processes_left_out: all.iter().map(|served| served.processes_left_out).max().unwrap_or_default(),
        closing_s: first.closing_s.map(|_| mean(|served| served.closing_s).value),
        throughput_bytes_per_s: mean(|served| Some(served.throughput_bytes_per_s.value)),
        requests_per_s: mean(|served| Some(served.requests_per_s.value)),
        latency: latency(|served| served.latency.as_ref()),
        waiting: longest(all.iter().map(|served| served.waiting)),
        read_latency: latency(|served| served.read_latency.as_ref()),
        write_latency: latency(|served| served.write_latency.as_ref()),
        flush_latency: latency(|served| served.flush_latency.as_ref()),
        operations: mean_operations(&all.iter().map(|served| &*served.operations).collect::<Vec<_>>(), level),
        workloads: mean_workloads(all, level),
        breakdown: mean_breakdown(&all.iter().map(|served| &*served.breakdown).collect::<Vec<_>>()),
        ..first.clone()
    })
}

/// Of each workload that has transactions.
fn mean_transactions(all: &[&Served], level: f64) -> Vec<TransactionFigures> {
    let first = all.first().map(|served| served.transactions.as_slice()).unwrap_or_default();
    let mean = |first: &TransactionFigures| {
        let same: Vec<&TransactionFigures> = (all.iter())
            .flat_map(|served| &served.transactions)
            .filter(|figures| figures.workload == first.workload)
            .collect();
        TransactionFigures {
            completed: mean_count(same.iter().map(|figures| figures.completed)),
            per_s: Estimate::of(same.iter().map(|figures| figures.per_s.value), level),
            latency: mean_latency(
                &same.iter().filter_map(|figures| figures.latency.as_ref()).collect::<Vec<_>>(),
                level,
            ),
            ..first.clone()
        }
    };
    first.iter().map(mean).collect()
}

/// Of each workload whose processes had several accesses in flight.
fn all_depths(all: &[&Served]) -> Vec<DepthFigures> {
    let first = all.first().map(|served| served.depths.as_slice()).unwrap_or_default();
    let same = |first: &DepthFigures| {
        let rows = all.iter().flat_map(|served| &served.depths).filter(|row| row.workload == first.workload);
        DepthFigures::together(&rows.collect::<Vec<_>>())
    };
    first.iter().filter_map(same).collect()
}

/// Of each process of replayed traces.
fn mean_processes(all: &[&Served], level: f64) -> Vec<ProcessFigures> {
    let first = all.first().map(|served| served.processes.as_slice()).unwrap_or_default();
    let mean = |first: &ProcessFigures| {
        let same: Vec<&ProcessFigures> = (all.iter())
            .flat_map(|served| &served.processes)
            .filter(|figures| (&figures.workload, figures.process) == (&first.workload, first.process))
            .collect();
        ProcessFigures {
            completed: mean_count(same.iter().map(|figures| figures.completed)),
            bytes: mean_count(same.iter().map(|figures| figures.bytes)),
            per_s: Estimate::of(same.iter().map(|figures| figures.per_s.value), level),
            latency: mean_latency(
                &same.iter().filter_map(|figures| figures.latency.as_ref()).collect::<Vec<_>>(),
                level,
            ),
            ..first.clone()
        }
    };
    first.iter().map(mean).collect()
}

fn mean_latency(all: &[&Latency], level: f64) -> Option<Latency> {
    all.first()?;
    let mean = |figure: fn(&Latency) -> Estimate| {
        Estimate::of(all.iter().map(|&latency| figure(latency).value), level)
    };
    Some(Latency {
        mean_ms: mean(|latency| latency.mean_ms),
        p50_ms: mean(|latency| latency.p50_ms),
        p90_ms: mean(|latency| latency.p90_ms),
        p99_ms: mean(|latency| latency.p99_ms),
        p99_9_ms: mean(|latency| latency.p99_9_ms),
        max_ms: mean(|latency| latency.max_ms),
        deviation_ms: mean(|latency| latency.deviation_ms),
    })
}

/// Of all kinds that there were.
fn mean_operations(all: &[&[OperationFigures]], level: f64) -> Vec<OperationFigures> {
    let mut kinds: Vec<&OperationFigures> = Vec::new();
    for figures in all.iter().copied().flatten() {
        if !kinds.iter().any(|known| known.operation == figures.operation) {
            kinds.push(figures);
        }
    }
    let mean = |first: &OperationFigures| {
        let same: Vec<&OperationFigures> = (all.iter())
            .filter_map(|kinds| kinds.iter().find(|figures| figures.operation == first.operation))
            .collect();
        OperationFigures {
            completed: mean_count(same.iter().map(|figures| figures.completed)),
            bytes: mean_count(same.iter().map(|figures| figures.bytes)),
            from_cache: mean_count(same.iter().map(|figures| figures.from_cache)),
            per_s: Estimate::of(same.iter().map(|figures| figures.per_s.value), level),
            latency: mean_latency(
                &same.iter().filter_map(|figures| figures.latency.as_ref()).collect::<Vec<_>>(),
                level,
            ),
            waiting: longest(same.iter().map(|figures| figures.waiting)),
            breakdown: mean_breakdown(&same.iter().map(|figures| &*figures.breakdown).collect::<Vec<_>>()),
            ..first.clone()
        }
    };
    kinds.into_iter().map(mean).collect()
}

/// Of all workloads that asked for something.
fn mean_workloads(all: &[&Served], level: f64) -> Vec<WorkloadFigures> {
    let mut rows: Vec<&WorkloadFigures> = Vec::new();
    for row in all.iter().flat_map(|served| &served.workloads) {
        if !rows.iter().any(|known| known.workload == row.workload) {
            rows.push(row);
        }
    }
    let mean = |first: &WorkloadFigures| {
        let same: Vec<&WorkloadFigures> = (all.iter())
            .filter_map(|served| served.workloads.iter().find(|row| row.workload == first.workload))
            .collect();
        let of =
            |figure: fn(&WorkloadFigures) -> f64| Estimate::of(same.iter().map(|row| figure(row)), level);
        WorkloadFigures {
            completed: mean_count(same.iter().map(|row| row.completed)),
            bytes: mean_count(same.iter().map(|row| row.bytes)),
            from_s: of(|row| row.from_s).value,
            until_s: of(|row| row.until_s).value,
            throughput_bytes_per_s: of(|row| row.throughput_bytes_per_s.value),
            per_s: of(|row| row.per_s.value),
            latency: mean_latency(
                &same.iter().filter_map(|row| row.latency.as_ref()).collect::<Vec<_>>(),
                level,
            ),
            waiting: longest(same.iter().map(|row| row.waiting)),
            breakdown: mean_breakdown(&same.iter().map(|row| &*row.breakdown).collect::<Vec<_>>()),
            operations: mean_operations(&same.iter().map(|row| &*row.operations).collect::<Vec<_>>(), level),
            ..first.clone()
        }
    };
    rows.into_iter().map(mean).collect()
}

/// What was under way at the end of the first that left something, and the longest age in any.
fn longest(all: impl Iterator<Item = Option<Waiting>>) -> Option<Waiting> {
    all.flatten().reduce(|first, other| Waiting { oldest_s: first.oldest_s.max(other.oldest_s), ..first })
}

/// Means of the shares; their fractions are of the mean latency, so they add up to one again.
fn mean_breakdown(all: &[&[Share]]) -> Vec<Share> {
    let mut shares: Vec<Share> = Vec::new();
    for share in all.iter().copied().flatten() {
        match shares.iter_mut().find(|known| known.cause == share.cause) {
            Some(known) => known.mean_ms += share.mean_ms,
            None => shares.push(share.clone()),
        }
    }
    let total: f64 = shares.iter().map(|share| share.mean_ms).sum();
    for share in &mut shares {
        share.fraction = if total > 0.0 { share.mean_ms / total } else { 0.0 };
        share.mean_ms /= all.len() as f64;
    }
    shares
}

fn mean_stages(reports: &[Report]) -> Vec<Stage> {
    let named = |name: &str| -> Vec<&Stage> {
        reports.iter().filter_map(|report| report.stages.iter().find(|stage| stage.name == name)).collect()
    };
    let mean_stage = |stage: &Stage| {
        let same = named(&stage.name);
        Stage {
            name: stage.name.clone(),
            arrivals: (same.iter().map(|stage| u128::from(stage.arrivals)).sum::<u128>() / same.len() as u128)
                as u64,
            members: mean_members(&same),
            ..Stage::mean_of(&same)
        }
    };
    reports.first().map(|first| first.stages.iter().map(mean_stage).collect()).unwrap_or_default()
}

/// How equal stages differ, and the one that is the busiest in the first replication.
fn mean_members(same: &[&Stage]) -> Option<Members> {
    mean_of(&same.iter().filter_map(|stage| stage.members.as_ref()).collect::<Vec<_>>())
}

/// A text without its figures.
fn without_figures(text: &str) -> impl Iterator<Item = char> + '_ {
    text.chars().filter(|character| !character.is_ascii_digit() && !matches!(character, '.' | ','))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::claim::Claim;
    use crate::example::example;

    #[test]
    fn two_replications_give_the_mean_with_students_half_width() {
        let (mut a, mut b) = (example(), example());
        a.served.requests_per_s = 600.0.into();
        b.served.requests_per_s = 700.0.into();
        let mean = mean_report(&[a, b], 0.95).unwrap();
        assert_eq!(mean.served.requests_per_s.value, 650.0);
        // t(0.975, 1) = 12.7062; standard error of 600 and 700 is 50.
        assert!((mean.served.requests_per_s.half_width.unwrap() - 12.7062 * 50.0).abs() < 0.01);
        assert_eq!(mean.replications, 2);
        assert!((mean.served.breakdown.iter().map(|share| share.fraction).sum::<f64>() - 1.0).abs() < 1e-12);
        assert_eq!(mean.served.latency.unwrap().mean_ms.half_width, Some(0.0));
    }

    #[test]
    fn a_warning_with_other_figures_is_told_once_and_of_each_part() {
        let of = |rate: u32| {
            let words = |disk: u32| format!("\"d{disk}\" got {rate} operations a second");
            let warnings = [0, 1].map(|disk| Claim::ColdCaches.says(words(disk)));
            Report { warnings: warnings.to_vec(), ..example() }
        };
        let mean = mean_report(&[of(320), of(334), of(1_500)], 0.95).unwrap();
        assert_eq!(mean.warnings, of(320).warnings);
    }
}
