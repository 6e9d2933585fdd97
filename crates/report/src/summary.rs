//! The report of a run as data. Times are in the unit that the field's name ends in.

use crate::bottleneck::Bottleneck;
use crate::claim::Sentence;
use crate::figure::{Described, figures};
use crate::section::{Forms, Section, described, is_absent};
use crate::sections::*;
use crate::served::Served;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One stage of the storage path, or a class of equal ones. What a stage doesn't have (a queue has no service) is
/// absent.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Stage")]
pub struct StageFigures {
    /// Its path in the net, such as `d0/mechanics`; of a class, `d*/mechanics`.
    pub name: String,
    /// Requests that arrived.
    pub arrivals: u64,
    /// Requests that it was done with, a second. Mean queue = this × mean wait (Little's law), and utilisation × servers = this ×
    /// mean service but for work of its own accord (the utilisation law); of several equal stages their number stands beside the
    /// means on the left (Denning, Buzen, "The operational analysis of queueing network models", 1978).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub completions_per_s: Option<f64>,
    /// How many it serves at once; of several equal stages, each of them. Absent where it serves nothing, or any number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub servers: Option<u32>,
    /// The part of the time in which it was busy, 0 to 1, averaged over its servers.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub utilisation: Option<f64>,
    /// Of that, what it does of its own accord, for no request: a drive that reads ahead.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub own_utilisation: Option<f64>,
    /// Mean number waiting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_queue: Option<f64>,
    /// Mean time waiting, milliseconds, for each that it was done with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_wait_ms: Option<f64>,
    /// Mean time in service, milliseconds, for each that it was done with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub mean_service_ms: Option<f64>,
    /// Of a row that stands for several equal stages, how these differ.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub members: Option<Members>,
}

/// The equal stages that a row stands for. Its own figures are their means.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Members {
    /// How many.
    pub count: u64,
    /// The busiest by name; of stages that only hold a queue, the one with the longest.
    pub busiest: String,
    /// The least utilisation among them; of stages that only hold a queue, the shortest mean queue.
    pub least: f64,
    /// The utilisation of the busiest; of stages that only hold a queue, the longest mean queue.
    pub most: f64,
}

impl StageFigures {
    /// How busy it is, or the busiest of those that it stands for, where they serve.
    pub fn most(&self) -> Option<f64> {
        let own = self.utilisation?;
        Some(self.members.as_ref().map_or(own, |members| members.most.max(own)))
    }

    /// For how many stages it stands.
    fn count(&self) -> f64 {
        self.members.as_ref().map_or(1.0, |members| members.count as f64)
    }

    /// How many are being served for somebody on average, in all the stages that it stands for.
    fn serving(&self) -> Option<f64> {
        match (self.utilisation, self.servers) {
            (Some(busy), Some(servers)) => {
                Some((busy - self.own_utilisation.unwrap_or_default()) * f64::from(servers) * self.count())
            }
            _ => Some(self.mean_service_ms? * self.completions_per_s? / 1e3),
        }
    }

    /// How many are there on average, waiting or being served for somebody, in all the stages that it stands for: by Little's law the
    /// time that is spent there, seconds a second.
    pub fn present(&self) -> f64 {
        self.mean_queue.unwrap_or_default() * self.count() + self.serving().unwrap_or_default()
    }

    /// How busy it is and how many come by, as means over rows of one or of equal stages. What each request waits and is served
    /// follows from these, so that rows of several obey the same laws as rows of one.
    pub fn mean_of(rows: &[&Self]) -> Self {
        let mean = |figure: &dyn Fn(&Self) -> Option<f64>| {
            let all: Vec<f64> = rows.iter().filter_map(|row| figure(row)).collect();
            (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
        };
        let completions_per_s = mean(&|row| row.completions_per_s);
        let each_ms = |there: Option<f64>| match (there, completions_per_s) {
            (Some(there), Some(rate)) if rate > 0.0 => Some(there * 1e3 / rate),
            _ => None,
        };
        Self {
            completions_per_s,
            servers: rows.first().and_then(|row| row.servers),
            utilisation: mean(&|row| row.utilisation),
            own_utilisation: mean(&|row| row.own_utilisation),
            mean_queue: mean(&|row| row.mean_queue),
            mean_wait_ms: each_ms(mean(&|row| Some(row.mean_queue? * row.count()))),
            mean_service_ms: each_ms(mean(&Self::serving)),
            ..Self::default()
        }
    }
}

/// A report: what is in all of them, and the sections between.
macro_rules! report {
    ($($(#[$comment:meta])* $section:ident: $of:ty;)*) => {
        /// What one run gives, or the mean of several replications of it.
        #[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
        pub struct Report {
            /// The scenario's title.
            pub title: String,
            /// On what it was run, in a line: "one Seagate Cheetah 9LP, C-LOOK".
            pub system: String,
            /// The seed of the (first) run.
            pub seed: u64,
            /// Model time that the run covered, with its warm-up, seconds.
            pub simulated_s: f64,
            /// Model time that was cut off as warm-up, seconds.
            pub warm_up_s: f64,
            /// Firings of the net, for those who ask what a run costs; no form of the report shows them.
            #[serde(skip)]
            pub firings: u64,
            /// How many runs this is the mean of.
            pub replications: u32,
            /// The level of the half-widths, 0 to 1, where there are any.
            #[serde(skip_serializing_if = "Option::is_none", default)]
            pub confidence: Option<f64>,
            /// What the programs got; where some work on files and others send block requests, those that work on files.
            #[serde(flatten)]
            pub served: Served,
            /// What those got that sent block requests while others worked on files.
            #[serde(skip_serializing_if = "Option::is_none", default)]
            pub beside: Option<Box<Served>>,
            /// The stages of the storage path.
            pub stages: Vec<StageFigures>,
            $(
                $(#[$comment])*
                #[serde(skip_serializing_if = "is_absent", default)]
                pub $section: $of,
            )*
            /// What caches held of writes when the (first) run ended; no form of the report shows all of it.
            #[serde(skip)]
            pub held: Vec<Held>,
            /// What limits the run.
            #[serde(skip_serializing_if = "Option::is_none", default)]
            pub bottleneck: Option<Bottleneck>,
            /// On what the result rests that no source tells: devices with the figures that were assumed.
            #[serde(skip_serializing_if = "Vec::is_empty", default)]
            pub assumptions: Vec<Sentence>,
            /// Things to check before the result is trusted.
            pub warnings: Vec<Sentence>,
        }

        impl Report {
            /// Its sections, in the order of the list.
            pub(crate) fn sections(&self) -> Vec<&dyn Forms> {
                vec![$(&self.$section),*]
            }

            /// With the means of these reports' sections.
            pub(crate) fn with_mean_sections(self, reports: &[Self], level: f64) -> Self {
                Self {
                    $($section: Section::mean(reports.iter().map(|report| &report.$section), level),)*
                    ..self
                }
            }
        }

        /// The figures of all sections.
        pub(crate) fn section_figures() -> Vec<Described> {
            [$(described::<$of>()),*].concat()
        }
    };
}

sections!(report);

impl Report {
    /// What the programs of each sort got: one, or two side by side.
    pub fn each(&self) -> impl Iterator<Item = &Served> {
        std::iter::once(&self.served).chain(self.beside.as_deref())
    }

    /// Without its distributions and series, which the mean of several replications takes from the first alone.
    #[must_use]
    pub fn without_plots(mut self) -> Self {
        for served in std::iter::once(&mut self.served).chain(self.beside.as_deref_mut()) {
            (served.series, served.histogram, served.quantiles, served.kinds) = Default::default();
        }
        self.activity = Vec::new();
        self
    }
}

figures! { Report:
    seed => "seed" One Neither;
    replications => "replications" One Neither;
    simulated_s => "simulated" Seconds Neither;
    warm_up_s => "warm-up" Seconds Neither;
}

/// How a member of equal stages is told from the others, where `serves` says by how busy it is, else by what waits.
fn member(stage: &StageFigures, serves: bool, of: fn(&Members) -> f64) -> Option<f64> {
    stage.members.as_ref().filter(|_| stage.utilisation.is_some() == serves).map(of)
}

figures! { StageFigures:
    arrivals => "arrivals" One Neither;
    completions_per_s => "completion rate" PerSecond Neither;
    servers => "servers" One Neither;
    utilisation => "utilisation" One Neither;
    own_utilisation => "utilisation of its own accord" One Neither;
    mean_queue => "mean queue" One Down;
    mean_wait_ms => "mean wait" Milliseconds Down;
    mean_service_ms => "mean service" Milliseconds Down;
    members.count = |stage: &Self| stage.members.as_ref().map(|members| members.count) => "members" One Neither;
    members.least = |stage: &Self| member(stage, true, |members| members.least)
        => "least utilisation" One Neither;
    members.most = |stage: &Self| member(stage, true, |members| members.most) => "most utilisation" One Neither;
    members.least = |stage: &Self| member(stage, false, |members| members.least) => "least mean queue" One Down;
    members.most = |stage: &Self| member(stage, false, |members| members.most) => "most mean queue" One Down;
}

/// What the wall clock said of a run. It stands apart from the report, which is the same on every machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WallClock {
    /// How long the run took, seconds.
    pub seconds: f64,
}
