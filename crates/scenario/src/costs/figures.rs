//! Sums over a System's parts: for the report of a run, and between two scenarios.

use super::Costs;
use super::lines::{Line, Paid, Sort};
use crate::report::{ALL_COSTS, CostFigures, Estimate, StageFigures};
use petrio_units::{Currency, Money};
use serde::Serialize;
use std::collections::BTreeMap;

/// What a changed scenario costs more than the one that it was made of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CostDifference {
    /// How much more to buy, in the currency's units; negative where it is less.
    pub price: f64,
    /// How much more a month.
    pub month: f64,
    /// How much more over the scenario's months.
    pub over_months: f64,
    /// The months.
    pub months: u32,
    /// In which currency; nothing where it costs nothing either way.
    #[serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")]
    pub currency: Option<Currency>,
}

fn as_text<S: serde::Serializer>(currency: &Option<Currency>, serializer: S) -> Result<S::Ok, S::Error> {
    match currency {
        Some(currency) => serializer.collect_str(currency),
        None => serializer.serialize_none(),
    }
}

/// A sum of what is known.
#[derive(Default)]
struct Sum {
    currencies: Vec<Currency>,
    price: f64,
    month: f64,
    is_rented: bool,
    unknown: BTreeMap<String, u64>,
}

impl Sum {
    fn of<'l>(lines: impl Iterator<Item = &'l Line>) -> Self {
        let mut sum = Self::default();
        for line in lines {
            let count = line.count as f64;
            match &line.paid {
                Paid::Bought(price) => {
                    sum.price += price.amount() * count;
                    sum.note(*price);
                }
                Paid::Rented(month) => {
                    sum.month += month.amount() * count;
                    sum.is_rented = true;
                    sum.note(*month);
                }
                Paid::Included => {}
                Paid::Unknown(why) => {
                    *sum.unknown.entry(line.called(why.as_deref())).or_default() += line.count;
                }
            }
        }
        sum
    }

    fn note(&mut self, money: Money) {
        if !self.currencies.contains(&money.currency()) {
            self.currencies.push(money.currency());
        }
    }

    /// What keeps it from being a sum: parts without a price, or several currencies.
    fn without(&self) -> Vec<String> {
        let mut all = counted(&self.unknown);
        if let [first, second, ..] = self.currencies.as_slice() {
            all.push(format!("prices in {first} and {second} as one sum"));
        }
        all
    }
}

/// Parts, each with how many there are of it.
fn counted(parts: &BTreeMap<String, u64>) -> Vec<String> {
    parts.iter().map(|(part, count)| format!("{count} × {part}")).collect()
}

/// How busy the busiest of the stages below each path was, and each stage itself, 0 to 1.
struct Busy<'s>(BTreeMap<&'s str, f64>);

impl<'s> Busy<'s> {
    fn of(stages: &'s [StageFigures]) -> Self {
        let mut all: BTreeMap<&str, f64> = BTreeMap::new();
        for (name, busy) in stages.iter().filter_map(|stage| Some((stage.name.as_str(), stage.utilisation?)))
        {
            let above = name.match_indices('/').map(|(at, _)| &name[..=at]);
            for path in above.chain([name]) {
                let most = all.entry(path).or_default();
                *most = most.max(busy.clamp(0.0, 1.0));
            }
        }
        Self(all)
    }

    /// What a part drew, watts; one that has no stage always works.
    fn drawn(&self, line: &Line) -> f64 {
        let busy = line.stages.as_ref().map_or(1.0, |path| self.0.get(path.as_str()).copied().unwrap_or(0.0));
        line.power.as_ref().map_or(0.0, |power| power.at(busy))
    }
}

impl Costs {
    /// Whether a price, a rent or a power of any part is known.
    fn is_known(&self) -> bool {
        self.lines
            .iter()
            .any(|line| line.power.is_some() || matches!(line.paid, Paid::Bought(_) | Paid::Rented(_)))
    }

    /// What all of it costs over the scenario's months, or what keeps that from being known.
    ///
    /// # Errors
    /// The parts without a price, or the currencies.
    pub fn total(&self) -> Result<f64, String> {
        let sum = Sum::of(self.lines.iter());
        match sum.without().as_slice() {
            [] if sum.currencies.is_empty() => Err("nothing in it has a price".to_owned()),
            [] => Ok(sum.price + sum.month * f64::from(self.months)),
            without => Err(format!("no price is known of {}", without.join(", "))),
        }
    }

    /// The figures of a run: bytes and requests or operations a second, and its stages, each by itself.
    pub(crate) fn figures(
        &self,
        (bytes_per_s, per_s): (f64, f64),
        stages: &[StageFigures],
    ) -> Vec<CostFigures> {
        if !self.is_known() {
            return Vec::new();
        }
        let (raw, usable) = self.capacity;
        let busy = Busy::of(stages);
        let mut all = self.sum(ALL_COSTS, &self.lines.iter().collect::<Vec<_>>(), &busy);
        (all.raw_bytes, all.usable_bytes) = (Some(raw), Some(usable));
        let each =
            |per_s: f64| all.over_months.filter(|_| per_s > 0.0).map(|cost| Estimate::from(cost / per_s));
        (all.per_mb_per_s, all.per_operation_per_s) = (each(bytes_per_s / 1e6), each(per_s));
        let sorts = Sort::ALL
            .map(|sort| (sort, self.lines.iter().filter(|line| line.sort == sort).collect::<Vec<_>>()));
        let sorts = sorts.iter().filter(|(_, lines)| !lines.is_empty());
        let sorts: Vec<CostFigures> =
            sorts.map(|(sort, lines)| self.sum(sort.name(), lines, &busy)).collect();
        let several = sorts.len() > 1;
        std::iter::once(all).chain(sorts.into_iter().filter(|_| several)).collect()
    }

    fn sum(&self, name: &str, lines: &[&Line], busy: &Busy<'_>) -> CostFigures {
        let sum = Sum::of(lines.iter().copied());
        let without_price = sum.without();
        let known = without_price.is_empty() && !sum.currencies.is_empty();
        let own: Vec<&&Line> =
            lines.iter().filter(|line| !matches!(line.paid, Paid::Rented(_) | Paid::Included)).collect();
        let mut dark: BTreeMap<String, u64> = BTreeMap::new();
        for line in own.iter().filter(|line| line.power.is_none()) {
            *dark.entry(line.called(None)).or_default() += line.count;
        }
        let lit = dark.is_empty() && !own.is_empty();
        let watts = |of: &dyn Fn(&Line) -> f64| {
            lit.then(|| own.iter().map(|line| of(line) * line.count as f64).sum())
        };
        let at = |line: &Line, busy: f64| line.power.as_ref().map_or(0.0, |power| power.at(busy));
        let drawn_w: Option<f64> = watts(&|line| busy.drawn(line));
        let mut prices: Vec<String> = lines.iter().filter_map(|line| line.said.clone()).collect();
        prices.sort();
        prices.dedup();
        CostFigures {
            name: name.to_owned(),
            parts: lines.iter().map(|line| line.count).sum(),
            currency: sum.currencies.first().filter(|_| known).map(ToString::to_string),
            price: known.then_some(sum.price),
            month: (known && sum.is_rented).then_some(sum.month),
            months: self.months.into(),
            over_months: known.then(|| sum.price + sum.month * f64::from(self.months)),
            without_price,
            idle_w: watts(&|line| at(line, 0.0)),
            active_w: watts(&|line| at(line, 1.0)),
            drawn_w: drawn_w.map(Estimate::from),
            without_power: counted(&dark),
            prices,
            ..CostFigures::default()
        }
    }

    /// What a scenario that was made of this one costs more; nothing where that isn't known: a part was changed that has no price, or
    /// whose price is said to be the same though it isn't the same part.
    pub fn difference(&self, changed: &Self) -> Option<CostDifference> {
        let unknown = |costs: &Self| {
            let mut all: Vec<(String, u64)> = (costs.lines.iter())
                .filter(|line| matches!(line.paid, Paid::Unknown(_)))
                .map(|line| (format!("{} {}", line.name, line.figures), line.count))
                .collect();
            all.sort();
            all
        };
        if unknown(self) != unknown(changed) || !self.prices_follow(changed) {
            return None;
        }
        let (before, after) = (Sum::of(self.lines.iter()), Sum::of(changed.lines.iter()));
        let mut currencies = before.currencies;
        currencies.extend(after.currencies);
        currencies.dedup();
        if currencies.windows(2).any(|pair| pair[0] != pair[1]) {
            return None;
        }
        let (price, month) = (after.price - before.price, after.month - before.month);
        let over_months = price + month * f64::from(changed.months);
        Some(CostDifference {
            price,
            month,
            over_months,
            months: changed.months,
            currency: currencies.first().copied(),
        })
    }

    /// Whether no bought part has other figures than before at the price that it had. What is rented has a price of its figures.
    fn prices_follow(&self, changed: &Self) -> bool {
        let bought = |costs: &Self| {
            let all = costs.lines.iter().filter(|line| !matches!(line.paid, Paid::Unknown(_)));
            all.filter(|line| line.sort != Sort::Drives || matches!(line.paid, Paid::Bought(_)))
                .map(|line| ((line.name.clone(), format!("{:?}", line.paid)), line.figures.clone()))
                .collect::<BTreeMap<_, _>>()
        };
        let (before, after) = (bought(self), bought(changed));
        before.iter().all(|(line, figures)| after.get(line).is_none_or(|now| now == figures))
    }
}
