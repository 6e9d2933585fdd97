//! What sysstat writes as JSON: `{"sysstat": {"hosts": [{"statistics": [{"timestamp": …, "disk": [{…}]}]}]}}`.

use crate::measurement::MeasurementError;
use crate::observed::{Column, Row};
use serde_json::{Deserializer, Value};

/// Whether it begins like it.
pub(super) fn is_sysstat(text: &str) -> bool {
    text.trim_start().starts_with('{') && text.contains("\"sysstat\"")
}

/// All values of a text: several outputs may stand one behind the other.
pub(super) fn values(text: &str) -> Result<Vec<Value>, MeasurementError> {
    let read: Result<Vec<Value>, serde_json::Error> = Deserializer::from_str(text).into_iter().collect();
    read.map_err(|error| {
        MeasurementError::at(error.line().max(1), format!("it is no whole JSON: {error}"))
            .with_help("give the whole output; one that was cut off lacks its end")
    })
}

/// The statistics of each host of each output.
pub(super) fn statistics(text: &str) -> Result<Vec<Vec<Value>>, MeasurementError> {
    let mut found = Vec::new();
    for value in values(text)? {
        let hosts = value.pointer("/sysstat/hosts").and_then(Value::as_array).cloned().unwrap_or_default();
        for mut host in hosts {
            if let Some(Value::Array(reports)) = host.get_mut("statistics").map(Value::take) {
                found.push(reports);
            }
        }
    }
    Ok(found)
}

/// A disk's row, whose keys are columns by other names.
pub(super) fn row(disk: &Value, name: &str, column: impl Fn(&str) -> Column) -> Result<Row, String> {
    let Some(keys) = disk.as_object() else { return Err("a disk in it is no table".to_owned()) };
    let Some(called) = keys.get(name).and_then(Value::as_str) else {
        return Err(format!("a disk in it has no \"{name}\""));
    };
    let known = keys.iter().filter(|(key, _)| key.as_str() != name);
    let values = known.filter_map(|(key, value)| match column(key) {
        Column::Other | Column::Name => None,
        column => Some((column, key, value)),
    });
    let values = values.map(|(column, key, value)| {
        let number =
            value.as_f64().ok_or_else(|| format!("\"{key}\" of {called} is {value}, which is no number"))?;
        Row::checked(number, &value.to_string()).map(|number| (column, number))
    });
    Ok(Row::new(called, values.collect::<Result<_, String>>()?))
}
