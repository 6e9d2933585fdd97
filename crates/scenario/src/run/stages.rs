//! The stage table of the report, from the counters of the places that a stage names.

use crate::report::Stage as Row;
use petrio_kernel::Marking;
use petrio_models::Stage;

/// One row a stage.
pub(crate) fn stage_rows(stages: &[Stage], marking: &Marking) -> Vec<Row> {
    stages.iter().map(|stage| row(stage, marking)).collect()
}

fn row(stage: &Stage, marking: &Marking) -> Row {
    let statistics = |place: &petrio_kernel::PlaceId| marking.statistics_at(place.index());
    let arrivals: u64 = stage.entrances.iter().map(|place| statistics(place).arrivals).sum();
    let sum = |places: &[petrio_kernel::PlaceId]| {
        places
            .iter()
            .map(statistics)
            .fold((0.0, 0.0), |(mean, area), place| (mean + place.mean, area + place.area_token_seconds))
    };
    let (mean_queue, waiting_area) = sum(&stage.waiting);
    let (mean_serving, serving_area) = sum(&stage.serving);
    let per = |area: f64, count: u64| (count > 0).then(|| area * 1e3 / count as f64);
    let waits = !stage.waiting.is_empty();
    let serves = !stage.serving.is_empty();
    Row {
        name: stage.name.clone(),
        arrivals,
        utilisation: (serves && stage.servers > 0)
            .then(|| (mean_serving / f64::from(stage.servers)).min(1.0)),
        mean_queue: waits.then_some(mean_queue),
        mean_wait_ms: if waits { per(waiting_area, arrivals) } else { None },
        mean_service_ms: if serves { per(serving_area, arrivals) } else { None },
    }
}
