//! Which parameters of a kind of device a measurement of load and times can tell.

use petrio_units::Measured;
use petrio_units::numbers::nearest_whole;
use toml::{Table, Value};

/// The keys of a kind that are fitted, by how much a measurement usually tells of them; why there are none, of others.
pub(super) fn of_kind(kind: &str) -> Result<&'static [&'static str], &'static str> {
    match kind {
        "constant-rate" => Ok(&["latency", "rate"]),
        "simple-ssd" => Ok(&["read", "program", "command", "link"]),
        "ssd" => Ok(&[
            "latency.read",
            "latency.write",
            "random_read.iops",
            "random_write.iops",
            "sequential_read.rate",
            "sequential_write.rate",
        ]),
        "volume" => Ok(&["latency.read", "latency.write"]),
        "analytic-disk" => Ok(&["controller", "rate"]),
        "disk" => Err(
            "mean times don't tell which part of a disk's is its arm, its turning and its electronics: petrio calibrate --device times each of them",
        ),
        _ => Err("nobody has said which of its parameters load and times tell"),
    }
}

/// A number of the drive at a path.
pub(super) fn value<'t>(drive: &'t Table, path: &str) -> Option<&'t Value> {
    let mut keys = path.split('.');
    let mut value = drive.get(keys.next()?)?;
    for key in keys {
        value = value.as_table()?.get(key)?;
    }
    scaled(value, 1.0).map(|_| value)
}

/// So many times a value, with four digits; nothing of what is no number above nothing.
pub(super) fn scaled(value: &Value, factor: f64) -> Option<Value> {
    match value {
        Value::String(text) => {
            let measured = Measured::read(text).filter(|measured| measured.base() > 0.0)?;
            Some(Value::String(in_words(measured, four_digits(measured.base() * factor))))
        }
        Value::Float(number) if *number > 0.0 => Some(Value::Float(four_digits(number * factor))),
        Value::Integer(number) if *number > 0 => {
            Some(Value::Integer(i64::try_from(nearest_whole(*number as f64 * factor)).ok()?.max(1)))
        }
        _ => None,
    }
}

/// A value as a person writes it, without quotes.
pub(super) fn written(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// So many of a quantity's base unit in the unit in which a person writes it.
fn in_words(like: Measured, base: f64) -> String {
    const SPANS: [(&str, f64); 3] = [("ms", 1e9), ("us", 1e6), ("ns", 1e3)];
    const RATES: [(&str, f64); 3] = [("GB/s", 1e9), ("MB/s", 1e6), ("kB/s", 1e3)];
    let units = match like.base_unit() {
        "ps" => &SPANS,
        "B/s" => &RATES,
        _ => return like.of_the_same(base).to_string(),
    };
    let suits = units.iter().find(|(_, size)| base >= *size);
    let text = suits.map(|(unit, size)| format!("{} {unit}", four_digits(base / size)));
    text.unwrap_or_else(|| like.of_the_same(base).to_string())
}

/// More digits would say more than any measurement.
fn four_digits(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_value_keeps_its_unit_and_its_sort() {
        let of = |value: Value, factor: f64| written(&scaled(&value, factor).unwrap());
        assert_eq!(of("5 ms".into(), 1.1), "5.5 ms");
        assert_eq!(of("100 MiB/s".into(), 2.0), "209.7 MB/s");
        assert_eq!(of("40 us".into(), 1.229_25), "49.17 us");
        assert_eq!(of(Value::Integer(100_000), 0.5), "50000");
        assert_eq!(of(Value::Float(3.0), 1.0 / 9.0), "0.3333");
        assert_eq!(scaled(&"ordered".into(), 2.0), None);
        assert_eq!(scaled(&Value::Integer(0), 2.0), None);
    }

    #[test]
    fn every_kind_of_device_has_keys_or_a_reason() {
        for kind in petrio_models::device::Device::KINDS {
            match of_kind(kind) {
                Ok(keys) => assert!(!keys.is_empty()),
                Err(why) => assert!(!why.starts_with("nobody"), "{kind}"),
            }
        }
    }
}
