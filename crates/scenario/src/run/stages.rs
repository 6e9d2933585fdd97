//! The stage table of the report, from the counters of the places that a stage names.

use crate::report::Stage as Row;
use petrio_kernel::Marking;
use petrio_models::Stage;

/// One row a stage.
pub(crate) fn stage_rows(stages: &[Stage], marking: &Marking) -> Vec<Row> {
    stages.iter().map(|stage| row(stage, marking)).collect()
}

fn row(stage: &Stage, marking: &Marking) -> Row {
    let sum = |places: &[petrio_kernel::PlaceId]| {
        let mut total = (0u64, 0.0f64, 0.0f64);
        for (position, place) in places.iter().enumerate() {
            let statistics = marking.statistics_at(place.index());
            // Requests pass through the places of a stage one after the other: the first sees all arrivals.
            if position == 0 {
                total.0 = statistics.arrivals;
            }
            total.1 += statistics.mean;
            total.2 += statistics.area_token_seconds;
        }
        total
    };
    let (waiting_arrivals, mean_queue, waiting_area) = sum(&stage.waiting);
    let (serving_arrivals, mean_serving, serving_area) = sum(&stage.serving);
    let per = |area: f64, count: u64| (count > 0).then(|| area * 1e3 / count as f64);
    let waits = !stage.waiting.is_empty();
    let serves = !stage.serving.is_empty();
    Row {
        name: stage.name.clone(),
        arrivals: if waits { waiting_arrivals } else { serving_arrivals },
        utilisation: (serves && stage.servers > 0)
            .then(|| (mean_serving / f64::from(stage.servers)).min(1.0)),
        mean_queue: waits.then_some(mean_queue),
        mean_wait_ms: if waits { per(waiting_area, waiting_arrivals) } else { None },
        mean_service_ms: if serves { per(serving_area, serving_arrivals) } else { None },
    }
}
