//! Places that are asked for more often than others, as fio's `random_distribution` has them.

use crate::permutation::Permutation;
use petrio_distribution::{Distribution, Normal, Zipf, uniform, uniform_below};
use petrio_persist::Persist;
use petrio_units::Fraction;
use petrio_units::numbers::whole_part;
use rand_core::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How unequally likely places are. Of `zipf` and `pareto` the popular ones lie all over, and are the same for everybody
/// in every run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Popularity {
    /// The k-th most popular place is asked for in proportion to 1/k to this power; 1.2 is usual (fio's `zipf:1.2`).
    Zipf(f64),
    /// Pareto's law: this part of the places is asked for by the rest of the accesses, so 20 % means that a fifth of
    /// them get four fifths (fio's `pareto:0.2`).
    Pareto(Fraction),
    /// Around the middle, with this part of all places as standard deviation (fio's `normal:10` is 10 %).
    Normal(Fraction),
    /// One zone behind the other: how many of the accesses go to it, and how many of the places it has; both come to 100 %
    /// (fio's `zoned:60/10:40/90`).
    Zones(Vec<Zone>),
}

/// A zone of places.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// How many of the accesses go to it.
    pub accesses: Fraction,
    /// How many of the places are in it.
    pub places: Fraction,
}

/// Draws of so many places.
#[derive(Clone, Debug, Persist)]
pub(crate) struct PlacePicker {
    places: u64,
    law: Law,
}

#[derive(Clone, Debug, Persist)]
enum Law {
    /// Ranks from 1, scattered.
    Zipf(#[persist(keep)] Distribution, Permutation),
    /// The exponent of a uniform number, scattered.
    Pareto(f64, Permutation),
    /// The place, not rounded.
    Normal(#[persist(keep)] Distribution),
    /// For each zone up to which of the accesses it is, its first place and how many it has.
    Zones(Vec<(f64, u64, u64)>),
}

/// The popular places are the same for everybody.
const SCATTER: u64 = 0x5eed_0f00_7a11;

impl Popularity {
    /// Draws of so many places (1 at least).
    pub(crate) fn picker(&self, places: u64) -> Result<PlacePicker, String> {
        let scatter = || Permutation::new(places, SCATTER);
        let law = match self {
            Self::Zipf(exponent) => {
                let law = Zipf::new(*exponent, places, 1.0).map_err(|error| error.to_string())?;
                Law::Zipf(law.into(), scatter())
            }
            Self::Pareto(part) => {
                let part = part.get();
                if part <= 0.0 || part >= 1.0 {
                    return Err("of pareto there is more than 0 % and less than 100 %".to_owned());
                }
                Law::Pareto(libm::log(part) / libm::log(1.0 - part), scatter())
            }
            Self::Normal(deviation) if deviation.get() <= 0.0 => {
                return Err("of normal the standard deviation is more than 0 %".to_owned());
            }
            Self::Normal(deviation) => {
                let (middle, deviation) = (places as f64 / 2.0, deviation.get() * places as f64);
                Law::Normal(Normal::new(middle, deviation).map_err(|error| error.to_string())?.into())
            }
            Self::Zones(zones) => Law::Zones(bounds(zones, places)?),
        };
        Ok(PlacePicker { places, law })
    }
}

/// Zones as they are drawn from. One that is too small for a place of its own has the place where it begins.
fn bounds(zones: &[Zone], places: u64) -> Result<Vec<(f64, u64, u64)>, String> {
    let (mut accesses, mut share) = (0.0, 0.0);
    let mut found = Vec::with_capacity(zones.len());
    for zone in zones {
        let first = whole_part(share * places as f64).min(places - 1);
        accesses += zone.accesses.get();
        share += zone.places.get();
        let end = whole_part(share * places as f64 + 0.5);
        found.push((accesses, first, end.min(places).saturating_sub(first).max(1)));
    }
    for (whole, what) in [(accesses, "accesses"), (share, "places")] {
        if (whole - 1.0).abs() > 1e-6 {
            return Err(format!(
                "the zones' {what} come to {:.4} % together, and not to 100 %",
                whole * 100.0
            ));
        }
    }
    Ok(found)
}

impl PlacePicker {
    /// A place, from 0.
    #[inline]
    pub(crate) fn pick(&self, random: &mut impl Rng) -> u64 {
        match &self.law {
            Law::Zipf(ranks, scatter) => {
                let rank = whole_part(ranks.sample(random)).clamp(1, self.places);
                scatter.at(rank - 1)
            }
            Law::Pareto(exponent, scatter) => {
                let rank = self.places as f64 * libm::pow(uniform(random), *exponent);
                scatter.at(whole_part(rank).min(self.places - 1))
            }
            Law::Normal(places) => loop {
                let place = places.sample(random);
                if place >= 0.0 && place < self.places as f64 {
                    return whole_part(place);
                }
            },
            Law::Zones(zones) => {
                let access = uniform(random);
                let zone = zones.iter().find(|(up_to, ..)| access < *up_to).or(zones.last());
                zone.map_or(0, |(_, first, places)| first + uniform_below(*places, random))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn part(value: f64) -> Fraction {
        Fraction::new(value).unwrap()
    }

    /// How often each of so many places is picked.
    fn picked(popularity: &Popularity, places: u64, times: u64) -> Vec<u64> {
        let picker = popularity.picker(places).unwrap();
        let mut random = petrio_random::generator(1, 0, "popularity", "test");
        let mut counts = vec![0; places as usize];
        (0..times).for_each(|_| counts[picker.pick(&mut random) as usize] += 1);
        counts
    }

    /// What part of all picks the most popular places get, so many of them.
    fn share_of_most(mut counts: Vec<u64>, most: usize) -> f64 {
        let all: u64 = counts.iter().sum();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts[..most].iter().sum::<u64>() as f64 / all as f64
    }

    #[test]
    fn each_law_gives_the_popular_places_what_it_says() {
        let (places, times) = (1_000, 200_000);
        // Σ 1/k^1.2 over the first ten of a thousand, of all.
        let sum = |to: u32| (1..=to).map(|rank| f64::from(rank).powf(-1.2)).sum::<f64>();
        let zipf = share_of_most(picked(&Popularity::Zipf(1.2), places, times), 10);
        assert!((zipf - sum(10) / sum(1_000)).abs() < 0.01, "{zipf}");
        let pareto = share_of_most(picked(&Popularity::Pareto(part(0.2)), places, times), 200);
        assert!((pareto - 0.8).abs() < 0.01, "{pareto}");
        let normal = picked(&Popularity::Normal(part(0.1)), places, times);
        let within = normal[400..600].iter().sum::<u64>() as f64 / times as f64;
        assert!((within - 0.6827).abs() < 0.01, "{within}");
        let zone = |accesses, places| Zone { accesses: part(accesses), places: part(places) };
        let zones = picked(&Popularity::Zones(vec![zone(0.6, 0.1), zone(0.4, 0.9)]), places, times);
        let front = zones[..100].iter().sum::<u64>() as f64 / times as f64;
        assert!((front - 0.6).abs() < 0.01, "{front}");
    }

    #[test]
    fn popular_places_lie_all_over() {
        let counts = picked(&Popularity::Zipf(1.2), 1_000, 100_000);
        let mut order: Vec<usize> = (0..1_000).collect();
        order.sort_unstable_by_key(|&place| std::cmp::Reverse(counts[place]));
        let most = &order[..20];
        assert!(most.iter().any(|place| *place < 250) && most.iter().any(|place| *place > 750), "{most:?}");
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let zone = |accesses, places| Zone { accesses: part(accesses), places: part(places) };
        let wrong = [
            Popularity::Zipf(-1.0),
            Popularity::Pareto(Fraction::ZERO),
            Popularity::Normal(Fraction::ZERO),
            Popularity::Zones(vec![zone(0.6, 0.5), zone(0.4, 0.4)]),
            Popularity::Zones(Vec::new()),
        ];
        for popularity in wrong {
            assert!(popularity.picker(10).is_err(), "{popularity:?}");
        }
    }

    proptest! {
        #[test]
        fn places_are_never_beyond_the_last(places in 1u64..50, exponent in 0.0f64..4.0, share in 0.01f64..0.99) {
            let zone = |accesses, places| Zone { accesses: part(accesses), places: part(places) };
            let all = [
                Popularity::Zipf(exponent),
                Popularity::Pareto(part(share)),
                Popularity::Normal(part(share)),
                Popularity::Zones(vec![zone(share, 1.0 - share), zone(1.0 - share, share)]),
            ];
            for popularity in all {
                picked(&popularity, places, 100);
            }
        }
    }
}
