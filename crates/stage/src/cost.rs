//! What a part costs to buy or to rent, and what it draws: what catalogue and scenario say of it, with date and source.
//!
//! A price is what a maker, a shop or a provider asked on a day, and is given with that day and where it stands. What isn't known is absent,
//! and whoever adds up says of which parts. Left out: discounts, taxes, what electricity, racks and people cost, and what a provider
//! charges for each access (Azure's standard disks), for data that leave it, and for copies (snapshots).

use petrio_units::{Bytes, Money, Power, Rate};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// Hours of a month, a twelfth of a year of 365 days, by which providers turn prices of an hour into such of a month.
pub const HOURS_A_MONTH: f64 = 730.0;

/// What a part costs, and what it draws.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Cost {
    /// What one costs to buy: "329 USD", or a table with that as `amount`, its date and its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<Price>,
    /// What one costs a month, where it is rented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rent: Option<Rent>,
    /// What one draws.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerDraw>,
}

/// What one costs to buy.
#[derive(Clone, Debug, PartialEq)]
pub struct Price {
    /// How much.
    pub amount: Money,
    /// When it was asked: a year, a month or a day ("2019-06").
    pub date: Option<String>,
    /// By whom, and where that stands.
    pub source: Option<String>,
}

/// A price as a table.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DatedPrice {
    /// How much.
    amount: Money,
    /// When it was asked: a year, a month or a day ("2019-06").
    #[serde(default, skip_serializing_if = "Option::is_none")]
    date: Option<String>,
    /// By whom, and where that stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    source: Option<String>,
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextOrTable;

        impl<'de> Visitor<'de> for TextOrTable {
            type Value = Price;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a price such as \"329 USD\", or a table with amount, date and source")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Price, E> {
                let amount = text.parse().map_err(E::custom)?;
                Ok(Price { amount, date: None, source: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Price, A::Error> {
                let DatedPrice { amount, date, source } =
                    DatedPrice::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Price { amount, date, source })
            }
        }

        deserializer.deserialize_any(TextOrTable)
    }
}

impl Serialize for Price {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self { amount, date: None, source: None } => amount.serialize(serializer),
            Self { amount, date, source } => {
                DatedPrice { amount: *amount, date: date.clone(), source: source.clone() }
                    .serialize(serializer)
            }
        }
    }
}

impl JsonSchema for Price {
    fn schema_name() -> Cow<'static, str> {
        "Price".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let (text, table) = (generator.subschema_for::<Money>(), generator.subschema_for::<DatedPrice>());
        json_schema!({ "anyOf": [text, table] })
    }
}

/// What one costs a month: the sum of what is given here.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Rent {
    /// When this was asked: a year, a month or a day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// By whom, in which region, and where that stands.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// A month, whatever it is like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<Money>,
    /// An hour, of which a month has 730.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hour: Option<Money>,
    /// A month for each GiB of its size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_gib: Option<Money>,
    /// A month for each I/O a second that is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_iops: Option<Money>,
    /// I/Os a second that cost nothing beside the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included_iops: Option<f64>,
    /// I/Os a second up to which the price is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub most_iops: Option<f64>,
    /// A month for each MiB/s that is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_mib_per_s: Option<Money>,
    /// A month for each MB/s that is provisioned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub per_mb_per_s: Option<Money>,
    /// What passes in a second and costs nothing beside the size.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub included_throughput: Option<Rate>,
    /// A month by the size that is sold, where each has a price of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<SizeRent>,
}

/// What a size costs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SizeRent {
    /// The size that is sold.
    pub size: Bytes,
    /// A month.
    pub month: Money,
}

/// What one draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PowerDraw {
    /// While it has nothing to do, ready at once.
    pub idle: Power,
    /// While it works without a pause; left out, as while it has nothing to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub active: Option<Power>,
    /// Where these stand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What somebody has of what is rented.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Asked {
    /// Bytes that are paid for.
    pub bytes: u64,
    /// I/Os a second that are provisioned.
    pub iops: f64,
    /// Bytes a second that are provisioned.
    pub bytes_per_s: f64,
}

impl Cost {
    /// Whether it says nothing.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// What makes no sense of it, in words.
    pub fn objection(&self) -> Option<String> {
        if let Some(PowerDraw { idle, active: Some(active), .. }) = &self.power
            && active < idle
        {
            return Some(format!("at work it draws {active}, less than the {idle} that it draws idle"));
        }
        let rent = self.rent.as_ref()?;
        let all = rent.amounts();
        let Some(first) = all.first() else {
            return Some("its rent has no price; write month, hour, per_gib or sizes".to_owned());
        };
        let other = all.iter().find(|money| money.currency() != first.currency())?;
        Some(format!("its rent is in {} and in {}; write one currency", first.currency(), other.currency()))
    }
}

impl Rent {
    /// Every price in it.
    fn amounts(&self) -> Vec<Money> {
        let own = [self.month, self.hour, self.per_gib, self.per_iops, self.per_mib_per_s, self.per_mb_per_s];
        own.into_iter().flatten().chain(self.sizes.iter().map(|size| size.month)).collect()
    }

    /// What a month costs of what somebody has of it.
    ///
    /// # Errors
    /// Why that isn't known, in words.
    pub fn a_month(&self, asked: &Asked) -> Result<Money, String> {
        let size = Bytes(asked.bytes);
        let by_size = match self.sizes.as_slice() {
            [] => None,
            sizes => {
                let sold = sizes.iter().find(|sold| sold.size == size);
                Some(sold.ok_or_else(|| format!("no price is known of its size of {size}"))?.month)
            }
        };
        if let Some(most) = self.most_iops.filter(|most| asked.iops > *most) {
            return Err(format!("no price is known of more than {most} IOPS"));
        }
        let beyond = |asked: f64, included: f64| (asked - included).max(0.0);
        let iops = beyond(asked.iops, self.included_iops.unwrap_or(0.0));
        let included = self.included_throughput.map_or(0.0, Rate::bytes_per_second);
        let bytes_per_s = beyond(asked.bytes_per_s, included);
        let parts = [
            (self.month, 1.0),
            (by_size, 1.0),
            (self.hour, HOURS_A_MONTH),
            (self.per_gib, asked.bytes as f64 / f64::from(1 << 30)),
            (self.per_iops, iops),
            (self.per_mib_per_s, bytes_per_s / f64::from(1 << 20)),
            (self.per_mb_per_s, bytes_per_s / 1e6),
        ];
        let priced: Vec<(Money, f64)> =
            parts.into_iter().filter_map(|(money, times)| Some((money?, times))).collect();
        let (first, _) = priced.first().ok_or("its rent has no price")?;
        let sum = priced.iter().map(|(money, times)| money.amount() * times).sum();
        Money::new(sum, first.currency()).ok_or_else(|| "its rent has no bound".to_owned())
    }
}

impl PowerDraw {
    /// What it draws while it works for so large a part of the time, 0 to 1, watts: on a line between idle and active, as
    /// of servers (Fan, Weber, Barroso, "Power provisioning for a warehouse-sized computer", ISCA 2007).
    pub fn at(&self, utilisation: f64) -> f64 {
        let (idle, active) = (self.idle.watts(), self.active.unwrap_or(self.idle).watts());
        idle + (active - idle) * utilisation.clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn gp3() -> Rent {
        Rent {
            per_gib: Some("0.08 USD".parse().unwrap()),
            per_iops: Some("0.005 USD".parse().unwrap()),
            included_iops: Some(3000.0),
            per_mib_per_s: Some("0.04 USD".parse().unwrap()),
            included_throughput: Some("125 MiB/s".parse().unwrap()),
            ..Rent::default()
        }
    }

    fn asked(gib: u64, iops: f64, mib_per_s: f64) -> Asked {
        Asked { bytes: gib << 30, iops, bytes_per_s: mib_per_s * f64::from(1 << 20) }
    }

    #[test]
    fn a_volume_costs_its_size_and_what_is_provisioned_beyond_what_comes_with_it() {
        let month = |asked| gp3().a_month(&asked).unwrap().amount();
        assert!((month(asked(40, 3000.0, 125.0)) - 3.20).abs() < 1e-9);
        assert!((month(asked(40, 4000.0, 130.0)) - (3.20 + 5.00 + 0.20)).abs() < 1e-9, "as Amazon bills");
        assert!(
            (month(asked(40, 100.0, 0.0)) - 3.20).abs() < 1e-9,
            "less than what comes with it saves nothing"
        );
    }

    #[test]
    fn a_size_without_a_price_has_none() {
        let month = "19.71 USD".parse().unwrap();
        let rent = Rent { sizes: vec![SizeRent { size: Bytes(128 << 30), month }], ..Rent::default() };
        assert_eq!(rent.a_month(&asked(128, 0.0, 0.0)), Ok(month));
        assert!(rent.a_month(&asked(64, 0.0, 0.0)).unwrap_err().contains("64 GiB"));
        let bounded = Rent { most_iops: Some(32_000.0), ..gp3() };
        assert!(bounded.a_month(&asked(64, 32_001.0, 0.0)).is_err());
        let hourly = Rent { hour: Some("0.1 USD".parse().unwrap()), ..Rent::default() };
        assert!((hourly.a_month(&Asked::default()).unwrap().amount() - 73.0).abs() < 1e-9);
    }

    #[test]
    fn what_makes_no_sense_is_said() {
        let draw = |idle: &str, active: &str| Cost {
            power: Some(PowerDraw {
                idle: idle.parse().unwrap(),
                active: Some(active.parse().unwrap()),
                source: None,
            }),
            ..Cost::default()
        };
        assert!(draw("5 W", "3 W").objection().unwrap().contains("less than"));
        assert_eq!(draw("5 W", "8 W").objection(), None);
        let mixed = Rent { month: Some("1 EUR".parse().unwrap()), ..gp3() };
        let objection = Cost { rent: Some(mixed), ..Cost::default() }.objection().unwrap();
        assert!(objection.contains("USD") && objection.contains("EUR"));
        assert!(Cost { rent: Some(Rent::default()), ..Cost::default() }.objection().is_some());
    }

    proptest! {
        #[test]
        fn a_month_never_costs_less_for_more(
            gib in 1_u64..60_000, iops in 0.0..80_000.0_f64, rate in 0.0..2000.0_f64, more in 0.0..1000.0_f64,
        ) {
            let month = |asked| gp3().a_month(&asked).unwrap().amount();
            let least = month(asked(gib, iops, rate));
            prop_assert!(month(asked(gib + 1, iops, rate)) > least);
            prop_assert!(month(asked(gib, iops + more, rate)) >= least);
            prop_assert!(month(asked(gib, iops, rate + more)) >= least);
        }

        #[test]
        fn what_is_drawn_lies_between_idle_and_active(idle in 0.0..500.0_f64, more in 0.0..500.0_f64, busy in -0.5..1.5_f64) {
            let draw = PowerDraw { idle: Power::new(idle).unwrap(), active: Power::new(idle + more), source: None };
            let drawn = draw.at(busy);
            prop_assert!(drawn >= idle - 1e-9 && drawn <= idle + more + 1e-9);
        }
    }
}
