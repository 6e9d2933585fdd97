//! The stage table of the report: each row from what its stage is, and equal parts' rows as one.

use crate::report::{Members, StageFigures};
use petrio_kernel::{Marking, PlaceId, Probe};
use petrio_models::{Stage, Work};
use petrio_units::numbers::as_number;

/// Sums over a part of a run.
#[derive(Clone, Copy, Default)]
struct Sums {
    arrivals: u64,
    completions: u64,
    /// Over which these are, seconds.
    span: f64,
    /// Mean number waiting, and the same as an integral over time, token-seconds.
    waiting: (f64, f64),
    /// Mean number of servers at work, and the same as an integral over time.
    working: (f64, f64),
    /// What it does of its own accord, as a mean number of servers.
    own: f64,
    servers: Option<u32>,
}

/// One row a stage.
pub(crate) fn stage_rows(stages: &[Stage], marking: &Marking) -> Vec<StageFigures> {
    stages.iter().map(|stage| row(stage, &sums(stage, marking))).collect()
}

/// One row a class, in the order of their first members; a stage that has no equal has a class of its own.
pub(crate) fn class_rows(stages: &[Stage], rows: &[StageFigures]) -> Vec<StageFigures> {
    let mut classes: indexmap::IndexMap<&str, Vec<&StageFigures>> = indexmap::IndexMap::new();
    for (stage, row) in stages.iter().zip(rows) {
        classes.entry(&stage.class).or_default().push(row);
    }
    classes.into_iter().map(|(class, rows)| together(class, &rows)).collect()
}

/// The stages at which something waits now, by name.
pub(super) fn waited_for(stages: &[Stage], marking: &Marking) -> Vec<String> {
    let waits = |stage: &Stage| {
        let tokens = stage.waiting.iter().map(|place| marking.statistics_at(place.index()).tokens);
        tokens.sum::<u32>() > 0
    };
    stages.iter().filter(|stage| waits(stage)).map(|stage| stage.name.clone()).collect()
}

/// The sum of what a probe has recorded.
pub(super) fn recorded(probe: Probe, marking: &Marking) -> f64 {
    let tally = marking.probe(probe).tally();
    tally.mean() * tally.count() as f64
}

/// Bytes that a stage has moved.
pub(super) fn bytes_moved(stage: &Stage, marking: &Marking) -> f64 {
    stage.moved.map_or(0.0, |probe| recorded(probe, marking))
}

/// What a stage has dropped: how often, and how many bytes.
pub(super) fn dropped(stage: &Stage, marking: &Marking) -> (u64, f64) {
    stage.dropped.map_or((0, 0.0), |probe| (marking.probe(probe).tally().count(), recorded(probe, marking)))
}

/// Whether a stage serves what comes to it, one or so many at a time.
pub(super) const fn serves(stage: &Stage) -> bool {
    matches!(stage.work, Work::Server(..) | Work::Recorded(..) | Work::Had(..) | Work::Station(_))
}

/// Seconds for which a stage has been busy, on average over its servers; none where any number is served at once.
pub(super) fn busy_seconds(stage: &Stage, marking: &Marking) -> f64 {
    let own = stage.own_work.map_or(0.0, |probe| recorded(probe, marking));
    let Sums { working: (_, busy), servers, .. } = sums(stage, marking);
    servers.map_or(0.0, |servers| (busy + own) / f64::from(servers.max(1)))
}

fn sums(stage: &Stage, marking: &Marking) -> Sums {
    let statistics = |place: &PlaceId| marking.statistics_at(place.index());
    let of = |places: &[PlaceId]| {
        let places = places.iter().map(statistics);
        places.fold((0.0, 0.0), |(mean, area), place| (mean + place.mean, area + place.area_token_seconds))
    };
    let any = stage.entrances.iter().chain(&stage.waiting).chain(stage.work.places()).next();
    let span = any.map_or(0.0, |place| statistics(place).span.as_seconds());
    // Seconds of work as a mean number at work.
    let per_second = |seconds: f64| if span > 0.0 { seconds / span } else { 0.0 };
    let arrivals: u64 = stage.entrances.iter().map(|place| statistics(place).arrivals).sum();
    // What came, but for those by whom there are more now than at the beginning.
    let more = |places: &mut dyn Iterator<Item = &PlaceId>| -> i64 {
        places.map(statistics).map(|place| place.arrivals.wrapping_sub(place.departures).cast_signed()).sum()
    };
    let completions = if stage.exits.is_empty() {
        let serving = stage.work.places();
        let waiting: &[PlaceId] = if stage.comes_to_servers() { &[] } else { &stage.waiting };
        arrivals.saturating_add_signed(-more(&mut waiting.iter().chain(serving)))
    } else {
        stage.exits.iter().map(|place| statistics(place).departures).sum()
    };
    let sums = Sums { arrivals, completions, span, waiting: of(&stage.waiting), ..Sums::default() };
    match &stage.work {
        Work::Queue => sums,
        Work::Delay(places) => Sums { working: of(places), ..sums },
        Work::Server(places, servers) => {
            let own = per_second(stage.own_work.map_or(0.0, |probe| recorded(probe, marking)));
            Sums { working: of(places), servers: Some(*servers), own, ..sums }
        }
        Work::Had(probe, places) => {
            let (busy, had) = (recorded(*probe, marking), marking.probe(*probe).tally().count());
            let servers = Some(as_number(places.len()));
            Sums { completions: had, working: (per_second(busy), busy), servers, ..sums }
        }
        Work::Recorded(probe, _) => {
            let (busy, served) = (recorded(*probe, marking), marking.probe(*probe).tally().count());
            let arrivals = if stage.entrances.is_empty() {
                served + stage.waiting.iter().map(|place| u64::from(statistics(place).tokens)).sum::<u64>()
            } else {
                arrivals
            };
            let working = (per_second(busy), busy);
            Sums { arrivals, completions: served, working, servers: Some(1), ..sums }
        }
        Work::Station(place) => {
            let Some(station) = marking.station_at(place.index()) else { return sums };
            let span = station.span.as_seconds();
            // Those that share a server wait for the part of the time in which others have it.
            let in_line = station.mean_waiting + station.mean_serving - station.mean_busy;
            Sums {
                completions: station.completions,
                span,
                waiting: (in_line, in_line * span),
                working: (station.mean_busy, station.mean_busy * span),
                servers: station.servers,
                ..sums
            }
        }
    }
}

fn row(stage: &Stage, sums: &Sums) -> StageFigures {
    let per = |area: f64| (sums.completions > 0).then(|| area * 1e3 / sums.completions as f64);
    let is_station = matches!(stage.work, Work::Station(_));
    let waits = is_station || !stage.waiting.is_empty();
    let serves = stage.work != Work::Queue;
    let share = |working: f64| sums.servers.map(|servers| working / f64::from(servers));
    StageFigures {
        name: stage.name.clone(),
        arrivals: sums.arrivals,
        completions_per_s: (sums.span > 0.0).then(|| sums.completions as f64 / sums.span),
        servers: sums.servers,
        utilisation: share(sums.working.0 + sums.own),
        own_utilisation: stage.own_work.and_then(|_| share(sums.own)),
        mean_queue: waits.then_some(sums.waiting.0),
        mean_wait_ms: if waits { per(sums.waiting.1) } else { None },
        mean_service_ms: if serves { per(sums.working.1) } else { None },
        members: None,
    }
}

/// The rows of equal stages as one: means over them, and over their requests where these wait or are served.
fn together(class: &str, rows: &[&StageFigures]) -> StageFigures {
    let [first, _, ..] = rows else {
        return rows.first().map_or_else(StageFigures::default, |&only| only.clone());
    };
    let arrivals: u64 = rows.iter().map(|row| row.arrivals).sum();
    let mean = StageFigures::mean_of(rows);
    let all = |rate: f64| rate * rows.len() as f64;
    // Of stages that serve nothing the one at which most wait.
    let load = |row: &StageFigures| row.utilisation.or(row.mean_queue).unwrap_or_default();
    let busiest = rows.iter().rev().max_by(|a, b| load(a).total_cmp(&load(b))).unwrap_or(first);
    let least = rows.iter().map(|row| load(row)).fold(f64::INFINITY, f64::min);
    StageFigures {
        name: class.to_owned(),
        arrivals,
        completions_per_s: mean.completions_per_s.map(all),
        members: Some(Members {
            count: rows.len() as u64,
            busiest: busiest.name.clone(),
            least,
            most: load(busiest),
        }),
        ..mean
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn row(name: &str, arrivals: u64, utilisation: f64, service: f64) -> StageFigures {
        let (utilisation, mean_service_ms) = (Some(utilisation), Some(service));
        let completions_per_s = Some(utilisation.unwrap() * 1e3 / service);
        let servers = Some(1);
        let name = name.to_owned();
        StageFigures {
            name,
            arrivals,
            completions_per_s,
            servers,
            utilisation,
            mean_service_ms,
            ..StageFigures::default()
        }
    }

    #[test]
    fn a_class_has_the_means_of_its_members_and_names_the_busiest() {
        // In the same time 50 of 4 ms and 75 of 8 ms.
        let rows = [row("d0/arm", 50, 0.2, 4.0), row("d1/arm", 75, 0.6, 8.0)];
        let both = together("d*/arm", &rows.iter().collect::<Vec<_>>());
        assert_eq!((both.name.as_str(), both.arrivals), ("d*/arm", 125));
        assert!((both.utilisation.unwrap() - 0.4).abs() < 1e-12);
        assert!((both.mean_service_ms.unwrap() - 6.4).abs() < 1e-12, "of an average request");
        let (served, work) = (both.completions_per_s.unwrap(), 2.0 * both.utilisation.unwrap());
        assert!((served - 125.0).abs() < 1e-9 && (work - served * 6.4e-3).abs() < 1e-12);
        let members = both.members.unwrap();
        assert_eq!((members.count, members.busiest.as_str()), (2, "d1/arm"));
        assert_eq!((members.least, members.most), (0.2, 0.6));
    }
}
