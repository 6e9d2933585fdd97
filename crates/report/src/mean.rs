//! The mean of figures of any shape: of numbers their mean, of whole ones rounded, of all else what the first has. So whatever a
//! report has of figures is over all replications, whichever are added to it.

use crate::estimate::Estimate;
use crate::figure::{own_reference, property};
use schemars::{JsonSchema, schema_for};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// The mean of several figures, of each number that may be absent over those that have it; nothing of none.
/// Estimates get the half-width of their interval at a level.
pub(super) fn mean_of<T>(all: &[&T], level: f64) -> Option<T>
where
    T: Serialize + DeserializeOwned + JsonSchema + Clone,
{
    let first = *all.first()?;
    if all.len() == 1 {
        return Some(first.clone());
    }
    let values: Option<Vec<Value>> = all.iter().map(|figures| serde_json::to_value(figures).ok()).collect();
    let schema = schema_for!(T).to_value();
    let mean = Schema { root: &schema, at: &schema, level }.mean(&values?.iter().collect::<Vec<&Value>>());
    // What was written so can be read again; if it couldn't, the first is the best that there is.
    Some(serde_json::from_value(mean).unwrap_or_else(|_| first.clone()))
}

/// The means of rows that are the same in several replications, of each that is in one, over those that have it.
pub(super) fn mean_of_each<'r, T: 'r>(
    all: impl Iterator<Item = &'r T>,
    is_same: impl Fn(&T, &T) -> bool,
    mean: impl Fn(&[&T]) -> Option<T>,
) -> Vec<T> {
    let mut same: Vec<Vec<&T>> = Vec::new();
    for row in all {
        match same.iter_mut().find(|known| is_same(known[0], row)) {
            Some(known) => known.push(row),
            None => same.push(vec![row]),
        }
    }
    same.iter().filter_map(|same| mean(same)).collect()
}

/// The mean of whole numbers, rounded.
pub(super) fn mean_count(all: impl IntoIterator<Item = u64>) -> u64 {
    let (count, sum) =
        all.into_iter().fold((0u128, 0u128), |(count, sum), one| (count + 1, sum + u128::from(one)));
    u64::try_from((2 * sum + count) / (2 * count).max(1)).unwrap_or(u64::MAX)
}

/// What a place in figures is by their schema.
#[derive(Clone, Copy)]
struct Schema<'s> {
    root: &'s Value,
    at: &'s Value,
    level: f64,
}

impl Schema<'_> {
    fn is_estimate(self) -> bool {
        let reference = own_reference(self.at);
        reference.is_some_and(|reference| reference.ends_with("/Estimate"))
    }

    fn mean(self, all: &[&Value]) -> Value {
        match all.first() {
            Some(Value::Number(_)) => number(all),
            Some(Value::Array(first)) => {
                // Lists of other lengths are of other things.
                let same: Vec<&Vec<Value>> = (all.iter().filter_map(|value| value.as_array()))
                    .filter(|list| list.len() == first.len())
                    .collect();
                let items = Self { at: property(self.root, self.at, "items"), ..self };
                let at = |number: usize| {
                    items.mean(&same.iter().map(|list| &list[number]).collect::<Vec<&Value>>())
                };
                Value::Array((0..first.len()).map(at).collect())
            }
            Some(Value::Object(_)) if self.is_estimate() => {
                let values = all.iter().filter_map(|estimate| estimate["value"].as_f64());
                json!(Estimate::of(values, self.level))
            }
            Some(Value::Object(_)) => {
                let mut keys: Vec<&String> = Vec::new();
                for key in all.iter().filter_map(|value| value.as_object()).flat_map(Map::keys) {
                    if !keys.contains(&key) {
                        keys.push(key);
                    }
                }
                let of = |key: &String| {
                    let at = property(self.root, self.at, key);
                    // A count that is always there is only left out where it is zero; what may be absent says so.
                    let zero = matches!(at["type"].as_str(), Some("integer" | "number")).then(|| json!(0));
                    let there = all.iter().filter_map(|of| of.get(key).or(zero.as_ref()));
                    (key.clone(), Self { at, ..self }.mean(&there.collect::<Vec<_>>()))
                };
                Value::Object(keys.into_iter().map(of).collect())
            }
            Some(other) => (*other).clone(),
            None => Value::Null,
        }
    }
}

fn number(all: &[&Value]) -> Value {
    let whole: Option<Vec<u64>> = all.iter().map(|value| value.as_u64()).collect();
    match whole {
        Some(whole) => mean_count(whole).into(),
        None => {
            let numbers: Vec<f64> = all.iter().filter_map(|value| value.as_f64()).collect();
            (numbers.iter().sum::<f64>() / numbers.len().max(1) as f64).into()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::served::is_zero;
    use serde::Deserialize;

    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
    struct Figures {
        name: String,
        count: u64,
        part: f64,
        #[serde(skip_serializing_if = "Option::is_none", default)]
        some: Option<f64>,
        #[serde(skip_serializing_if = "is_zero", default)]
        seldom: u64,
        each: Vec<u64>,
    }

    #[test]
    fn each_number_is_the_mean_of_those_that_have_it() {
        let of = |count: u64, part: f64, some: Option<f64>| {
            let (name, each) = (format!("of {count}"), vec![count, 2 * count]);
            let seldom = if count == 4 { 9 } else { 0 };
            Figures { name, count, part, some, seldom, each }
        };
        let all = [of(1, 0.5, None), of(4, 1.0, Some(3.0)), of(1 << 60, 0.0, Some(5.0))];
        let mean = mean_of(&all.iter().collect::<Vec<_>>(), 0.95).unwrap();
        let third = ((1u64 << 60) + 5 + 1) / 3;
        assert_eq!((mean.name.as_str(), mean.count, mean.some), ("of 1", third, Some(4.0)));
        assert!((mean.part - 0.5).abs() < 1e-12 && mean.each[0] == third);
        assert_eq!(mean.seldom, 3, "what is left out where it is zero is zero there");
        assert_eq!(mean_of::<Figures>(&[], 0.95), None);
    }
}
