//! Prometheus' answers of `/api/v1/query_range`, one behind the other: the counters themselves (`query={__name__=~"node_disk_.*"}`), not their
//! rates, of which nobody knows over what they were taken. Source: Prometheus' HTTP API, range queries.

use super::counters::{Counters, NAMES, Seen, intervals, number};
use super::{Gathered, json};
use crate::measurement::MeasurementError;
use indexmap::IndexMap;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) fn is_it(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"resultType\"")
}

pub(super) fn read(text: &str, _: Option<f64>) -> Result<Gathered, MeasurementError> {
    // By whole milliseconds, which is what Prometheus has.
    let mut disks: IndexMap<String, BTreeMap<i64, Counters>> = IndexMap::new();
    let mut unread: Vec<String> = Vec::new();
    for answer in json::values(text)? {
        if let Some(error) = answer.get("error").and_then(Value::as_str) {
            return Err(MeasurementError::of(format!("Prometheus answered with an error: {error}")));
        }
        let Some(results) = answer.pointer("/data/result").and_then(Value::as_array) else {
            return Err(MeasurementError::of("an answer in it has no data.result")
                .with_help("ask /api/v1/query_range, and give its whole answer"));
        };
        for result in results {
            let label = |key: &str| result.pointer(&format!("/metric/{key}")).and_then(Value::as_str);
            let (Some(name), Some(device)) = (label("__name__"), label("device")) else {
                return Err(MeasurementError::of(
                    "a series in it has no __name__ or no device, as rates have none",
                )
                .with_help("ask for the counters themselves: query={__name__=~\"node_disk_.*\"}"));
            };
            let Some(place) = number(name) else {
                unread.push(name.to_owned());
                continue;
            };
            // Of several machines the same disk is one each.
            let device = match label("instance") {
                Some(instance) if several(results) => format!("{instance}:{device}"),
                _ => device.to_owned(),
            };
            let values = result.get("values").and_then(Value::as_array);
            let moments = disks.entry(device).or_default();
            for value in values.into_iter().flatten() {
                let (at, count) =
                    sample(value).map_err(|problem| MeasurementError::of(format!("{name}: {problem}")))?;
                moments.entry(at).or_insert([None; NAMES.len()])[place] = Some(count);
            }
        }
    }
    let mut found = Gathered::default();
    for (name, moments) in disks {
        let seen: Vec<Seen> = moments
            .into_iter()
            .map(|(at, counters)| Seen { at: at as f64 / 1e3, counters, line: 1 })
            .collect();
        intervals(&mut found, &name, &seen)?;
    }
    Ok(found)
}

/// Whether they are of several machines.
fn several(results: &[Value]) -> bool {
    let of = |result: &Value| result.pointer("/metric/instance").cloned();
    results.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]))
}

/// `[1796086254.5, "123"]`
fn sample(value: &Value) -> Result<(i64, f64), String> {
    let wrong = || format!("{value} is no pair of a time and a counter");
    let at = value.get(0).and_then(Value::as_f64).filter(|at| at.abs() < 1e12).ok_or_else(wrong)?;
    let count: f64 =
        value.get(1).and_then(Value::as_str).and_then(|text| text.parse().ok()).ok_or_else(wrong)?;
    if !(0.0..1e18).contains(&count) {
        return Err(wrong());
    }
    #[expect(clippy::cast_possible_truncation, reason = "below 10^15 by the line above")]
    let at = (at * 1e3).round() as i64;
    Ok((at, count))
}
