//! Several runs of one scenario, each with its own random numbers, as one report with confidence intervals.

use crate::claim::Sentence;
use crate::depths::DepthFigures;
use crate::estimate::Estimate;
use crate::latency::Latency;
use crate::mean::{mean_count, mean_of, mean_of_each};
use crate::served::{DeadlineFigures, OperationFailures, OperationFigures, Served, Share, WorkloadFigures};
use crate::summary::{Report, StageFigures};
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
    let mean = Report {
        replications: u32::try_from(reports.len()).unwrap_or(u32::MAX),
        confidence: Some(level),
        simulated_s: plain(|report| report.simulated_s),
        firings: reports.iter().map(|report| report.firings).sum(),
        warm_up_s: plain(|report| report.warm_up_s),
        served: mean_served(&served, level).unwrap_or_default(),
        beside: mean_served(&beside, level).map(Box::new),
        stages: mean_stages(reports, level),
        warnings,
        ..first.clone()
    };
    Some(mean.with_mean_sections(reports, level))
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

/// What the programs of one sort got on average.
fn mean_served(all: &[&Served], level: f64) -> Option<Served> {
    let first = *all.first()?;
    let mean = |figure: fn(&Served) -> Option<f64>| {
        Estimate::of(all.iter().filter_map(|&served| figure(served)), level)
    };
    let latency = |part: fn(&Served) -> Option<&Latency>| {
        mean_of(&all.iter().filter_map(|&served| part(served)).collect::<Vec<_>>(), level)
    };
    let each = || all.iter().copied();
    Some(Served {
        requests: mean_of(&all.iter().map(|served| &served.requests).collect::<Vec<_>>(), level)?,
        bytes: mean_count(all.iter().map(|served| served.bytes)),
        failures: all_failures(all),
        deadlines: all_late(all),
        transactions: mean_of_each(
            each().flat_map(|served| &served.transactions),
            |one, other| one.workload == other.workload,
            |same| mean_of(same, level),
        ),
        depths: mean_of_each(
            each().flat_map(|served| &served.depths),
            |one, other| one.workload == other.workload,
            DepthFigures::together,
        ),
        // No more than one replication tells of: those that the first tells of come first.
        processes: mean_of_each(
            each().flat_map(|served| &served.processes),
            |one, other| (&one.workload, one.process) == (&other.workload, other.process),
            |same| mean_of(same, level),
        )
        .into_iter()
        .take(first.processes.len())
        .collect(),
        processes_left_out: each().map(|served| served.processes_left_out).max().unwrap_or_default(),
        closing_s: first.closing_s.map(|_| mean(|served| served.closing_s).value),
        throughput_bytes_per_s: mean(|served| Some(served.throughput_bytes_per_s.value)),
        requests_per_s: mean(|served| Some(served.requests_per_s.value)),
        latency: latency(|served| served.latency.as_ref()),
        waiting: longest(each().map(|served| served.waiting)),
        read_latency: latency(|served| served.read_latency.as_ref()),
        write_latency: latency(|served| served.write_latency.as_ref()),
        flush_latency: latency(|served| served.flush_latency.as_ref()),
        operations: mean_operations(each().map(|served| &served.operations), level),
        workloads: mean_of_each(
            each().flat_map(|served| &served.workloads),
            |one, other| one.workload == other.workload,
            |same| mean_workload(same, level),
        ),
        breakdown: mean_breakdown(&each().map(|served| &*served.breakdown).collect::<Vec<_>>()),
        ..first.clone()
    })
}

/// Of all kinds that there were.
fn mean_operations<'r>(
    all: impl Iterator<Item = &'r Vec<OperationFigures>>,
    level: f64,
) -> Vec<OperationFigures> {
    let is_same = |one: &OperationFigures, other: &OperationFigures| one.operation == other.operation;
    mean_of_each(all.flatten(), is_same, |same| {
        Some(OperationFigures {
            waiting: longest(same.iter().map(|figures| figures.waiting)),
            breakdown: mean_breakdown(&same.iter().map(|figures| &*figures.breakdown).collect::<Vec<_>>()),
            ..mean_of(same, level)?
        })
    })
}

/// Of a workload.
fn mean_workload(same: &[&WorkloadFigures], level: f64) -> Option<WorkloadFigures> {
    let of = |figure: fn(&WorkloadFigures) -> f64| Estimate::of(same.iter().map(|row| figure(row)), level);
    Some(WorkloadFigures {
        from_s: of(|row| row.from_s).value,
        until_s: of(|row| row.until_s).value,
        waiting: longest(same.iter().map(|row| row.waiting)),
        breakdown: mean_breakdown(&same.iter().map(|row| &*row.breakdown).collect::<Vec<_>>()),
        operations: mean_operations(same.iter().map(|row| &row.operations), level),
        ..mean_of(same, level)?
    })
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

fn mean_stages(reports: &[Report], level: f64) -> Vec<StageFigures> {
    let named = |name: &str| -> Vec<&StageFigures> {
        reports.iter().filter_map(|report| report.stages.iter().find(|stage| stage.name == name)).collect()
    };
    let mean_stage = |stage: &StageFigures| {
        let same = named(&stage.name);
        let arrivals: u128 = same.iter().map(|stage| u128::from(stage.arrivals)).sum();
        StageFigures {
            name: stage.name.clone(),
            arrivals: u64::try_from(arrivals / same.len() as u128).unwrap_or(u64::MAX),
            // How equal stages differ, and the one that is the busiest in the first replication.
            members: mean_of(
                &same.iter().filter_map(|stage| stage.members.as_ref()).collect::<Vec<_>>(),
                level,
            ),
            ..StageFigures::mean_of(&same)
        }
    };
    reports.first().map(|first| first.stages.iter().map(mean_stage).collect()).unwrap_or_default()
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
