//! Where prediction and measurement part: at which loads, of which requests, and whether these are of another size.

use super::bins::{Of, Point, PointOf, sorts};
use petrio_page::figure::Quantity;
use petrio_page::numbers::{bytes, significant};
use petrio_units::numbers::nearest_whole;
use serde::Serialize;

/// Which part of the loads it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// They part nowhere.
    Nowhere,
    /// From a load on.
    Above,
    /// Up to a load.
    Below,
    /// At all loads.
    Everywhere,
    /// At some of them.
    Some,
}

/// Where they part, of one sort of requests.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Parting {
    /// `reads`, `writes` or `requests`, which are both.
    pub of: &'static str,
    /// At which loads.
    pub part: Part,
    /// The load, requests a second, beyond which they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_s: Option<f64>,
    /// The geometric mean of the ratios where they do; absent where the scenario's disk is overloaded in all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// In words.
    pub text: String,
}

/// What a bin says of one sort of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Says {
    /// It is near enough, or what is known of it doesn't exclude that.
    Near,
    Off,
}

/// Where reads and writes part; both together where nobody told them apart.
pub(super) fn partings(points: &[Point], within: f64) -> Vec<Parting> {
    sorts(points).into_iter().filter_map(|(name, of)| parting(name, points, of, within)).collect()
}

fn parting(name: &'static str, points: &[Point], of: Of, within: f64) -> Option<Parting> {
    let mut known: Vec<(&Point, Says)> = points
        .iter()
        .filter(|point| of(point).measured.is_some())
        .map(|point| (point, says(point, of(point), within)))
        .collect();
    known.sort_by(|(one, _), (other, _)| one.both.per_s.total_cmp(&other.both.per_s));
    let off: Vec<&Point> =
        known.iter().filter(|(_, says)| *says == Says::Off).map(|(point, _)| *point).collect();
    let near: Vec<&Point> =
        known.iter().filter(|(_, says)| *says == Says::Near).map(|(point, _)| *point).collect();
    let (first, last) = (known.first()?.0, known.last()?.0);
    let percent = format!("±{}", Quantity::Share.words(within));
    let range = format!("from {} to {} requests/s", rate(first.from_per_s), rate(last.to_per_s));
    let begins = known.iter().take_while(|(_, says)| *says == Says::Off).count();
    let ends = known.iter().rev().take_while(|(_, says)| *says == Says::Off).count();
    let (part, per_s) = match (off.len(), begins, ends) {
        (0, ..) => (Part::Nowhere, None),
        (all, ..) if all == known.len() => (Part::Everywhere, None),
        (all, _, ends) if all == ends => (Part::Above, near.last().map(|point| point.to_per_s)),
        (all, begins, _) if all == begins => (Part::Below, near.first().map(|point| point.from_per_s)),
        _ => (Part::Some, None),
    };
    let ratios: Vec<f64> = off.iter().filter_map(|point| Some(of(point).ratio?.value)).collect();
    let ratio = (!ratios.is_empty())
        .then(|| libm::exp(ratios.iter().map(|ratio| libm::log(*ratio)).sum::<f64>() / ratios.len() as f64));
    let how = match (ratio, off.iter().filter(|point| point.overloaded).count()) {
        (None, _) => "more comes there than the scenario's disk serves".to_owned(),
        (Some(ratio), 0) => format!("predicted is {} times measured there", significant(ratio)),
        (Some(ratio), _) => format!(
            "predicted is {} times measured there, and at the highest loads more comes than the scenario's disk serves",
            significant(ratio)
        ),
    };
    let text = match (part, per_s) {
        (Part::Nowhere, _) => format!("{name}: the prediction stays within {percent} at every load, {range}"),
        (Part::Above, Some(per_s)) => format!("{name} part above {} requests/s: {how}", rate(per_s)),
        (Part::Below, Some(per_s)) => format!("{name} part below {} requests/s: {how}", rate(per_s)),
        (Part::Everywhere, _) => format!("{name} part at every load, {range}: {how}"),
        _ => {
            let loads: Vec<String> = off
                .iter()
                .map(|point| format!("{} – {}", rate(point.from_per_s), rate(point.to_per_s)))
                .collect();
            format!(
                "{name} part at {} of {} loads ({} requests/s): {how}",
                off.len(),
                known.len(),
                loads.join(", ")
            )
        }
    };
    let sizes = sizes(&off, &near, of).unwrap_or_default();
    Some(Parting { of: name, part, per_s, ratio, text: format!("{text}{sizes}") })
}

/// A bin is off where its whole interval is beyond the bound, or more comes than is served.
fn says(point: &Point, of: &PointOf, within: f64) -> Says {
    let Some(ratio) = of.ratio else { return if point.overloaded { Says::Off } else { Says::Near } };
    let width = ratio.half_width.unwrap_or(0.0);
    let beyond = ratio.value - width > 1.0 + within || ratio.value + width < 1.0 / (1.0 + within);
    if beyond { Says::Off } else { Says::Near }
}

/// Whether requests are of another size where they part.
fn sizes(off: &[&Point], near: &[&Point], of: Of) -> Option<String> {
    let range = |points: &[&Point]| {
        let all = || points.iter().map(|point| of(point).size_bytes).filter(|size| *size > 0.0);
        let (least, most) = (all().fold(f64::INFINITY, f64::min), all().fold(0.0, f64::max));
        (least <= most).then_some((least, most))
    };
    let ((off_least, off_most), (near_least, near_most)) = (range(off)?, range(near)?);
    let say = |word: &str, off: f64, near: f64| {
        Some(format!(
            "; they are {word} there, {} against {}",
            bytes(nearest_whole(off)),
            bytes(nearest_whole(near))
        ))
    };
    const MUCH: f64 = 1.5;
    if off_least > near_most * MUCH {
        say("larger", off_least, near_most)
    } else if off_most * MUCH < near_least {
        say("smaller", off_most, near_least)
    } else {
        None
    }
}

/// Requests a second, as a person reads them.
pub(super) fn rate(per_s: f64) -> String {
    if per_s >= 1000.0 { petrio_page::numbers::grouped(nearest_whole(per_s)) } else { significant(per_s) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_scenario::report::Estimate;

    fn point(per_s: f64, ratio: f64, width: f64, size_bytes: f64) -> Point {
        let of = PointOf {
            per_s,
            size_bytes,
            measured: Some(1.0.into()),
            predicted: Some(ratio.into()),
            ratio: Some(Estimate { value: ratio, half_width: Some(width) }),
        };
        Point {
            from_per_s: per_s * 0.9,
            to_per_s: per_s * 1.1,
            intervals: 5,
            closed: false,
            together: false,
            reads: of,
            writes: PointOf::default(),
            both: of,
            measured_busy: None,
            predicted_busy: 0.5,
            measured_in_flight: 1.0,
            predicted_in_flight: 1.0,
            predicted_per_s: per_s,
            overloaded: false,
        }
    }

    fn said(ratios: [f64; 4]) -> Parting {
        let points: Vec<Point> = (1..)
            .zip(ratios)
            .map(|(number, ratio)| point(f64::from(number) * 100.0, ratio, 0.01, 4096.0))
            .collect();
        partings(&points, 0.1).remove(0)
    }

    #[test]
    fn the_load_from_which_they_part_is_named() {
        let above = said([1.0, 1.05, 1.5, 2.0]);
        assert_eq!((above.part, above.per_s), (Part::Above, Some(220.00000000000003)));
        assert_eq!(above.text, "reads part above 220 requests/s: predicted is 1.73 times measured there");
        let below = said([0.5, 1.0, 1.0, 1.0]);
        assert_eq!(
            (below.part, below.text.as_str()),
            (Part::Below, "reads part below 180 requests/s: predicted is 0.500 times measured there")
        );
        assert_eq!(
            said([1.0; 4]).text,
            "reads: the prediction stays within ±10 % at every load, from 90.0 to 440 requests/s"
        );
        assert_eq!(said([2.0; 4]).part, Part::Everywhere);
        assert_eq!(said([1.0, 2.0, 1.0, 1.0]).part, Part::Some);
    }

    #[test]
    fn what_may_be_noise_is_no_parting() {
        let points = [point(100.0, 1.2, 0.15, 4096.0), point(200.0, 1.0, 0.01, 4096.0)];
        assert_eq!(partings(&points, 0.1)[0].part, Part::Nowhere);
    }

    #[test]
    fn another_size_where_they_part_is_told() {
        let points = [point(100.0, 1.0, 0.01, 4096.0), point(200.0, 2.0, 0.01, 65_536.0)];
        let text = &partings(&points, 0.1)[0].text;
        assert!(text.ends_with("; they are larger there, 64.0 KiB against 4.00 KiB"), "{text}");
    }

    #[test]
    fn more_than_is_served_parts_whatever_the_ratio() {
        let mut points = vec![point(100.0, 1.0, 0.01, 4096.0), point(200.0, 9.0, 0.01, 4096.0)];
        points[1].overloaded = true;
        points[1].reads.ratio = None;
        let parting = &partings(&points, 0.1)[0];
        assert_eq!(
            parting.text,
            "reads part above 110 requests/s: more comes there than the scenario's disk serves"
        );
        assert_eq!(parting.ratio, None);
    }
}
