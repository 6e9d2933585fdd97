//! The parameters of a synthetic workload, as a scenario writes them, and what makes them sound.

use super::error::SyntheticError;
use super::generator::Plan;
use super::source::SyntheticSource;
use crate::popularity::Popularity;
use petrio_distribution::{Distribution, Draw};
use petrio_units::{Blocks, Duration, Fraction, Measurable, SignedBlocks};
use rand_core::Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A synthetic workload: generators that run side by side, until so many requests or for so long.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Synthetic {
    /// How many requests all generators issue together. Left out: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// For how long requests are issued. Left out: no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
    /// How many processors the generators share (DiskSim: number of processors): each thinks on one, and keeps it until it
    /// waits for a request. Left out: each has its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processors: Option<u32>,
    /// Factor on the times between requests: 0.5 asks twice as often, with the same requests.
    #[serde(default = "as_they_are", skip_serializing_if = "is_as_they_are")]
    pub time_scale: f64,
    /// The generators.
    pub generators: Vec<Generator>,
}

/// One generator: a process that thinks, issues a request, and thinks again.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Generator {
    /// The devices that it asks, by their numbers in the System; each request that is neither sequential nor local
    /// chooses one, all equally likely.
    #[serde(default = "first_device")]
    pub devices: Vec<u32>,
    /// How much of each device it uses, from the first block on. Whoever builds the System fills it in where it is left
    /// out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capacity: Option<Blocks>,
    /// Addresses and lengths are multiples of this (DiskSim: blocking factor).
    #[serde(default = "four_kib")]
    pub alignment: Blocks,
    /// Places that are asked for more often than others by requests that are neither sequential nor local (fio's
    /// `random_distribution`). Left out: all are equally likely.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub popularity: Option<Popularity>,
    /// How many of the requests are reads; a sequential one is what the request before it was.
    pub read_fraction: Fraction,
    /// How many of the requests begin where the one before ended, with its length and direction.
    #[serde(default = "none")]
    pub sequential_fraction: Fraction,
    /// How many of the requests begin near the beginning of the one before.
    #[serde(default = "none")]
    pub local_fraction: Fraction,
    /// How many of the requests are time-critical: the generator waits for them before it thinks on. With 1 the
    /// generator is closed, with 0 it is open.
    #[serde(default = "none")]
    pub time_critical_fraction: Fraction,
    /// How many of the requests are time-limited: the generator thinks on for a time limit, and then waits if the
    /// request hasn't completed.
    #[serde(default = "none")]
    pub time_limited_fraction: Fraction,
    /// The time limit; needed where `time_limited_fraction` isn't 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_limit: Option<Draw<Duration>>,
    /// How long it thinks before a request that is neither sequential nor local. Negative draws are drawn again.
    pub inter_arrival: Draw<Duration>,
    /// How long it thinks before a sequential request; left out: as before any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_inter_arrival: Option<Draw<Duration>>,
    /// How long it thinks before a local request; left out: as before any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_inter_arrival: Option<Draw<Duration>>,
    /// From the beginning of the request before to that of a local request; needed where `local_fraction` isn't 0.
    /// Draws that lead off the device are drawn again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub local_distance: Option<Draw<SignedBlocks>>,
    /// Lengths, rounded up to the alignment. Draws below one block, and those that don't fit on the device, are drawn
    /// again.
    pub size: Draw<Blocks>,
}

const fn as_they_are() -> f64 {
    1.0
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
fn is_as_they_are(time_scale: &f64) -> bool {
    *time_scale == 1.0
}

fn first_device() -> Vec<u32> {
    vec![0]
}

const fn four_kib() -> Blocks {
    Blocks(8)
}

const fn none() -> Fraction {
    Fraction::ZERO
}

impl Synthetic {
    /// Checks every parameter.
    ///
    /// # Errors
    /// The first parameter that no generator can have.
    pub fn validate(&self) -> Result<(), SyntheticError> {
        self.plans().map(|_| ())
    }

    /// Whether nothing in it ends it: then the scenario must.
    pub const fn is_endless(&self) -> bool {
        self.requests.is_none() && self.duration.is_none()
    }

    /// The source of requests, with one stream of random numbers for each generator.
    ///
    /// # Errors
    /// As of [`Synthetic::validate`], or another number of streams than of generators.
    pub fn source<R: Rng + Send>(&self, streams: Vec<R>) -> Result<SyntheticSource<R>, SyntheticError> {
        let plans = self.plans()?;
        if plans.len() != streams.len() {
            return Err(SyntheticError::Streams { generators: plans.len(), streams: streams.len() });
        }
        Ok(SyntheticSource::new(
            plans.into_iter().zip(streams),
            self.requests,
            self.duration.map(Duration::time),
            self.processors,
        ))
    }

    fn plans(&self) -> Result<Vec<Plan>, SyntheticError> {
        if self.generators.is_empty() {
            return Err(SyntheticError::NoGenerator);
        }
        if self.processors == Some(0) {
            return Err(SyntheticError::NoProcessor);
        }
        if !(self.time_scale.is_finite() && self.time_scale > 0.0) {
            return Err(SyntheticError::TimeScale(self.time_scale.to_string()));
        }
        let plans: Vec<Plan> = self
            .generators
            .iter()
            .enumerate()
            .map(|(index, generator)| generator.plan(index + 1, self.time_scale))
            .collect::<Result<_, _>>()?;
        match plans.iter().find(|plan| self.requests.is_none() && !plan.lets_time_pass()) {
            None => Ok(plans),
            Some(plan) => Err(SyntheticError::Parameter {
                generator: plan.number,
                parameter: "inter_arrival",
                problem:
                    "is always zero and no request is waited for, so requests without number come at once"
                        .to_owned(),
            }),
        }
    }
}

impl Generator {
    /// The parameters as plain numbers, checked.
    fn plan(&self, number: usize, time_scale: f64) -> Result<Plan, SyntheticError> {
        let refuse = |parameter, problem: &str| {
            Err(SyntheticError::Parameter { generator: number, parameter, problem: problem.to_owned() })
        };
        if self.devices.is_empty() {
            return refuse("devices", "names no device");
        }
        let Some(capacity) = self.capacity else {
            return refuse("capacity", "is missing, and no device was there to take it from");
        };
        let alignment = self.alignment.get();
        if alignment == 0 {
            return refuse("alignment", "must be at least one block");
        }
        let units = capacity.get() / alignment;
        if units == 0 {
            return refuse("capacity", "is less than one request of the alignment");
        }
        let together = |a: Fraction, b: Fraction| a.get() + b.get() > 1.0 + 1e-12;
        if together(self.sequential_fraction, self.local_fraction) {
            return refuse("local_fraction", "comes to more than 1 together with sequential_fraction");
        }
        if together(self.time_critical_fraction, self.time_limited_fraction) {
            return refuse(
                "time_limited_fraction",
                "comes to more than 1 together with time_critical_fraction",
            );
        }
        if self.local_fraction.get() > 0.0 && self.local_distance.is_none() {
            return refuse("local_distance", "is missing; local_fraction needs it");
        }
        if self.time_limited_fraction.get() > 0.0 && self.time_limit.is_none() {
            return refuse("time_limit", "is missing; time_limited_fraction needs it");
        }
        let popularity = self.popularity.as_ref().map(|popularity| popularity.picker(units)).transpose();
        let popularity = popularity.map_err(|problem| SyntheticError::Parameter {
            generator: number,
            parameter: "popularity",
            problem,
        })?;
        let inter_arrival = draws(number, "inter_arrival", &self.inter_arrival, 0.0)?;
        let or_general = |parameter, draw: &Option<Draw<Duration>>| match draw {
            Some(draw) => draws(number, parameter, draw, 0.0),
            None => Ok(inter_arrival.clone()),
        };
        Ok(Plan {
            number,
            time_scale,
            devices: self.devices.clone(),
            units,
            alignment,
            popularity,
            read: self.read_fraction.get(),
            sequential: self.sequential_fraction.get(),
            local: self.local_fraction.get(),
            time_critical: self.time_critical_fraction.get(),
            time_limited: self.time_limited_fraction.get(),
            time_limit: match &self.time_limit {
                Some(draw) => draws(number, "time_limit", draw, 0.0)?,
                None => Distribution::constant(0.0),
            },
            sequential_inter_arrival: or_general("sequential_inter_arrival", &self.sequential_inter_arrival)?,
            local_inter_arrival: or_general("local_inter_arrival", &self.local_inter_arrival)?,
            inter_arrival,
            local_distance: match &self.local_distance {
                Some(draw) => draws(number, "local_distance", draw, f64::NEG_INFINITY)?,
                None => Distribution::constant(0.0),
            },
            size: draws(number, "size", &self.size, 1.0)?,
        })
    }
}

/// The distribution behind a parameter, if it can ever give `least` or more.
fn draws<Q: Measurable>(
    generator: usize,
    parameter: &'static str,
    draw: &Draw<Q>,
    least: f64,
) -> Result<Distribution, SyntheticError> {
    let refuse =
        |problem: &str| SyntheticError::Parameter { generator, parameter, problem: problem.to_owned() };
    let found = draw.distribution_in_finest().map_err(|error| refuse(&error.to_string()))?;
    if found.supremum() < least {
        return Err(refuse(if least > 0.0 { "is always less than one block" } else { "is always negative" }));
    }
    Ok(found)
}
