//! What a System costs to buy and to rent, what it draws at this load, and what of its disks' capacity can be used.
//!
//! A sum is told where all that is in it is known, and otherwise which parts have no price: a sum that leaves something out would be taken
//! for the whole. What is bought and what is rented are one sum over a number of months that stands beside it.

use crate::estimate::Estimate;
use crate::figure::{Tables, figures};
use crate::section::{Entry, paragraph};
use crate::text::labelled;
use petrio_page::numbers::{bytes, significant};
use petrio_page::page::Page;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What all parts of a System cost, draw and hold, or those of one sort.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostFigures {
    /// Of which parts: `all`, `drives`, `servers`, `adapters`, `networks`, `others`.
    pub name: String,
    /// How many parts.
    pub parts: u64,
    /// In which currency, by its code of three letters; absent where no price is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub currency: Option<String>,
    /// What they cost to buy; absent where the price of one isn't known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub price: Option<f64>,
    /// What they cost a month, where some are rented; absent where that of one isn't known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub month: Option<f64>,
    /// Over how many months what is bought and what is rented are added (`measure.months`).
    pub months: u64,
    /// What they cost over these months: to buy, and so many times what they cost a month.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_months: Option<f64>,
    /// The parts whose price isn't known, each with how many there are of it.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub without_price: Vec<String>,
    /// What they draw while they have nothing to do, watts; what is rented draws nothing here.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub idle_w: Option<f64>,
    /// What they draw while they work without a pause, watts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub active_w: Option<f64>,
    /// What they drew in this run, by how busy each was, watts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub drawn_w: Option<Estimate>,
    /// The parts of which it isn't known what they draw.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub without_power: Vec<String>,
    /// What the disks hold, bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub raw_bytes: Option<u64>,
    /// What of that can be used: without redundancy, copies and spares, and before any file system, bytes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub usable_bytes: Option<u64>,
    /// What each MB/s of the run's throughput costs over these months.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub per_mb_per_s: Option<Estimate>,
    /// What each request or operation a second of the run costs over these months.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub per_operation_per_s: Option<Estimate>,
    /// What prices were taken from: each with its part, its date and its source.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub prices: Vec<String>,
}

figures! { CostFigures:
    parts => "parts" One Neither;
    price => "price" Money Down;
    month => "rent of a month" Money Down;
    over_months => "cost" Money Down;
    idle_w => "idle power" Watts Down;
    active_w => "power at work" Watts Down;
    drawn_w => "power" Watts Down;
    raw_bytes => "raw capacity" Bytes Neither;
    usable_bytes => "usable capacity" Bytes Up;
    per_mb_per_s => "cost of a MB/s" Money Down;
    per_operation_per_s => "cost of an operation a second" Money Down;
}

/// The entry of all parts together.
pub const ALL: &str = "all";

impl CostFigures {
    /// An amount in its currency: "1,220 USD".
    fn money(&self, amount: f64) -> String {
        format!("{} {}", significant(amount), self.currency.as_deref().unwrap_or_default())
    }

    /// What they cost: to buy, a month, and both over the months.
    fn cost(&self) -> Option<String> {
        let over = self.over_months?;
        Some(match (self.price.filter(|&price| price > 0.0), self.month) {
            (Some(price), Some(month)) => format!(
                "{} to buy and {} a month, {} over {} months",
                self.money(price),
                self.money(month),
                self.money(over),
                self.months
            ),
            (None, Some(month)) => {
                format!("{} a month, {} over {} months", self.money(month), self.money(over), self.months)
            }
            (_, None) => format!("{} to buy", self.money(over)),
        })
    }

    fn draws(&self) -> Option<String> {
        let drawn = self.drawn_w?;
        let ends = self.idle_w.zip(self.active_w).map_or(String::new(), |(idle, active)| {
            format!(" ({} W idle, {} W at work)", significant(idle), significant(active))
        });
        Some(format!("{} W{ends}", drawn.scaled(1.0)))
    }
}

impl Entry for CostFigures {
    const PART: &'static str = "cost";
    const IS_APART: bool = false;

    fn name(&self) -> &str {
        &self.name
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |entry: &'e Self| {
            vec![(entry.name(), entry.currency.clone().unwrap_or_default(), entry)]
        });
    }

    fn sentence(&self) -> String {
        let mut words: Vec<String> = self.cost().into_iter().collect();
        if let (Some(each), Some(per)) = (self.per_mb_per_s, self.per_operation_per_s) {
            let currency = self.currency.as_deref().unwrap_or_default();
            words.push(format!(
                "{} {currency} for each MB/s and {} {currency} for each operation a second of this run",
                each.scaled(1.0),
                per.scaled(1.0)
            ));
        }
        words.extend(self.draws());
        if let (Some(raw), Some(usable)) = (self.raw_bytes, self.usable_bytes) {
            words.push(match raw == usable {
                true => format!("{} usable", bytes(usable)),
                false => format!("{} usable of {}", bytes(usable), bytes(raw)),
            });
        }
        if !self.without_price.is_empty() {
            words.push(format!("no sum, because no price is known of {}", self.without_price.join(", ")));
        }
        if !self.without_power.is_empty() && self.active_w.is_none() {
            words.push(format!("what these draw isn't known: {}", self.without_power.join(", ")));
        }
        words.join("; ")
    }

    /// Of all together, and of each sort by itself where there are several and something is known of it.
    fn is_shown(&self, _: &[Self]) -> bool {
        self.name == ALL || self.over_months.is_some()
    }

    fn terminal(all: &[Self], out: &mut String, width: usize) {
        for entry in all.iter().filter(|entry| entry.is_shown(all)) {
            labelled(out, label(entry), &entry.told(), width);
        }
    }

    fn page(all: &[Self], page: &mut Page) {
        for entry in all.iter().filter(|entry| entry.is_shown(all)) {
            paragraph(page, label(entry), &entry.told());
        }
        for price in all.iter().filter(|entry| entry.name == ALL).flat_map(|entry| &entry.prices) {
            paragraph(page, "price", price);
        }
    }
}

impl CostFigures {
    /// Of all together everything, of one sort what it costs and draws.
    fn told(&self) -> String {
        if self.name == ALL {
            return self.sentence();
        }
        self.cost().into_iter().chain(self.draws()).collect::<Vec<_>>().join("; ")
    }
}

fn label(entry: &CostFigures) -> &str {
    if entry.name == ALL { "cost" } else { &entry.name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bought() -> CostFigures {
        CostFigures {
            name: ALL.to_owned(),
            parts: 4,
            currency: Some("USD".to_owned()),
            price: Some(2440.0),
            months: 36,
            over_months: Some(2440.0),
            idle_w: Some(20.0),
            active_w: Some(40.0),
            drawn_w: Some(Estimate::from(25.0)),
            raw_bytes: Some(64 << 40),
            usable_bytes: Some(48 << 40),
            per_mb_per_s: Some(Estimate::from(12.2)),
            per_operation_per_s: Some(Estimate::from(3.1)),
            ..CostFigures::default()
        }
    }

    #[test]
    fn what_is_bought_and_what_is_rented_are_added_over_months_that_are_told() {
        let words = bought().sentence();
        assert!(words.starts_with("2,440 USD to buy; 12.2 USD for each MB/s and 3.10 USD"), "{words}");
        assert!(words.contains("25.0 W (20.0 W idle, 40.0 W at work)"), "{words}");
        let both = CostFigures { month: Some(10.0), over_months: Some(2800.0), ..bought() };
        assert!(
            both.sentence().starts_with("2,440 USD to buy and 10.0 USD a month, 2,800 USD over 36 months")
        );
        let rented = CostFigures { price: None, month: Some(10.0), over_months: Some(360.0), ..bought() };
        assert!(rented.sentence().starts_with("10.0 USD a month, 360 USD over 36 months"));
    }

    #[test]
    fn without_a_price_of_a_part_there_is_no_sum_but_the_part() {
        let unknown = CostFigures {
            price: None,
            over_months: None,
            per_mb_per_s: None,
            without_price: vec!["2 × a machine".to_owned()],
            ..bought()
        };
        let words = unknown.sentence();
        assert!(words.ends_with("no sum, because no price is known of 2 × a machine"), "{words}");
        assert!(!words.contains("USD"), "{words}");
    }
}
