//! I/O schedulers: in which order requests go to the device.
//!
//! A scheduler is one file: its parameters with the kernel's defaults, what it does, its citation and its tests. It is
//! entered in the list below. A scenario names one by a word (`"deadline"`), or by a table with parameters
//! (`{ kind = "deadline", fifo_batch = 1 }`).

mod anticipatory;
mod bfq;
mod cfq;
mod deadline;
mod kyber;
mod mq_deadline;
mod noop;
mod processes;
mod sweep;

use super::elevator::{Elevator, QueueLimits};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapAccessDeserializer, MapDeserializer};
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

pub use anticipatory::AnticipatoryParameters;
pub use bfq::BfqParameters;
pub use cfq::CfqParameters;
pub use deadline::DeadlineParameters;
pub use kyber::KyberParameters;
pub use mq_deadline::MqDeadlineParameters;
pub use noop::NoopParameters;

/// Parameters of a scheduler.
pub trait Scheduler: fmt::Debug + Send + Sync {
    /// The scheduler, ready to serve a queue.
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator>;
}

/// Makes the list of schedulers: the parameters' enumeration, the names, and how each is made.
macro_rules! schedulers {
    ($($variant:ident($parameters:ty) = $name:literal $(or $alias:literal)*, $text:literal;)*) => {
        /// A scheduler and its parameters.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(tag = "kind")]
        enum Table {
            $(#[doc = $text]
            #[serde(rename = $name $(, alias = $alias)*)]
            $variant($parameters),)*
            /// Somebody's own, which no scenario can write.
            #[serde(skip)]
            Own(OwnScheduler),
        }

        /// The names of all schedulers, as a scenario writes them.
        pub const NAMES: &[&str] = &[$($name),*];

        impl Table {
            fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Own(own) => own.name,
                }
            }
        }

        impl Scheduler for Table {
            fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
                match self {
                    $(Self::$variant(parameters) => parameters.elevator(limits),)*
                    Self::Own(own) => own.scheduler.elevator(limits),
                }
            }
        }

        $(impl From<$parameters> for SchedulerParameters {
            fn from(parameters: $parameters) -> Self {
                Self(Table::$variant(parameters))
            }
        })*
    };
}

// The list: one line a scheduler, and one `mod` and one `pub use` above.
schedulers! {
    Noop(NoopParameters) = "noop" or "none", "First come, first served, with merging.";
    Deadline(DeadlineParameters) = "deadline", "Sweeps in batches, reads first, and a time by which each request is served.";
    MqDeadline(MqDeadlineParameters) = "mq-deadline", "deadline for blk-mq, with a level for each I/O class.";
    Anticipatory(AnticipatoryParameters) = "anticipatory", "Waits a moment after a read for the next one of its process.";
    Cfq(CfqParameters) = "cfq", "A slice of time for each process in turn, by I/O class and priority.";
    Bfq(BfqParameters) = "bfq", "Service shared by weight, a budget of blocks at a time.";
    Kyber(KyberParameters) = "kyber", "As many reads and writes in flight as keep their target latencies.";
}

/// A scheduler that is none of the kernel's: whoever runs a scenario puts it there.
#[derive(Clone, Debug)]
pub struct OwnScheduler {
    /// What reports call it.
    pub name: &'static str,
    /// It.
    pub scheduler: Arc<dyn Scheduler>,
}

/// The same is what was put there once.
impl PartialEq for OwnScheduler {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.scheduler, &other.scheduler)
    }
}

impl From<OwnScheduler> for SchedulerParameters {
    fn from(own: OwnScheduler) -> Self {
        Self(Table::Own(own))
    }
}

/// An I/O scheduler: its name, or a table with `kind` and parameters.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(transparent)]
pub struct SchedulerParameters(Table);

impl SchedulerParameters {
    /// The scheduler of this name with the kernel's own parameters; `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        let table = MapDeserializer::<_, serde::de::value::Error>::new(std::iter::once(("kind", name)));
        Table::deserialize(table).ok().map(Self)
    }

    /// Whether it leaves a device idle for processes, and so wants to know when they end.
    pub fn waits_for_processes(&self) -> bool {
        matches!(self.0, Table::Anticipatory(_) | Table::Bfq(_) | Table::Cfq(_))
    }

    /// Its name, as a scenario writes it.
    pub fn name(&self) -> &'static str {
        self.0.name()
    }
}

impl Scheduler for SchedulerParameters {
    fn elevator(&self, limits: &QueueLimits) -> Box<dyn Elevator> {
        self.0.elevator(limits)
    }
}

impl Default for SchedulerParameters {
    fn default() -> Self {
        NoopParameters::default().into()
    }
}

impl<'de> Deserialize<'de> for SchedulerParameters {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct NameOrTable;

        impl<'de> Visitor<'de> for NameOrTable {
            type Value = Table;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of an I/O scheduler, or a table with its `kind` and parameters")
            }

            fn visit_str<E: Error>(self, name: &str) -> Result<Table, E> {
                Table::deserialize(MapDeserializer::new(std::iter::once(("kind", name))))
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<Table, A::Error> {
                Table::deserialize(MapAccessDeserializer::new(table))
            }
        }

        deserializer.deserialize_any(NameOrTable).map(Self)
    }
}

impl JsonSchema for SchedulerParameters {
    fn schema_name() -> Cow<'static, str> {
        "IoScheduler".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let table = generator.subschema_for::<Table>();
        schemars::json_schema!({
            "description": "An I/O scheduler: its name, or a table with its kind and parameters",
            "anyOf": [{ "type": "string", "enum": NAMES }, table],
        })
    }
}

#[cfg(test)]
mod tests;
