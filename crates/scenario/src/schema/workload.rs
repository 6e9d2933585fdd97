//! `[workload.NAME]`: what the system is asked to do.

use crate::schema::names::Names;
use crate::schema::trace::TraceReplay;
use crate::text::tree::{Table, entry};
use crate::text::typed::{read, suggestion};
use crate::text::{Problem, Sources};
use petrio_workload::synthetic::Synthetic;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::Spanned;
use toml::de::DeValue;

/// What the system is asked to do. `kind` says which sort of workload it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Workload {
    /// Recorded block requests, played back.
    Trace(TraceReplay),
    /// Random requests of a described sort.
    Synthetic(SyntheticLoad),
}

/// Random requests of a described sort, by generators that run side by side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SyntheticLoad {
    /// The disks that the requests go to. A generator's `devices` are positions in this list, from 0; left out, they are
    /// all of them.
    pub on: Names,
    /// The generators, and when they end.
    #[serde(flatten)]
    pub parameters: Synthetic,
}

/// The words that `kind` may be.
pub(crate) const KINDS: [&str; 2] = ["trace", "synthetic"];

impl Workload {
    /// The disks that it goes to.
    pub fn on(&self) -> &Names {
        match self {
            Self::Trace(trace) => &trace.on,
            Self::Synthetic(load) => &load.on,
        }
    }
}

/// Reads a workload. Told apart here and not by serde, which forgets where things stand once it has to look at `kind`
/// before it knows what it reads.
pub(crate) fn read_workload(table: &Table<'_>, sources: &Sources) -> Result<Workload, Vec<Problem>> {
    let span = table.span();
    let mut rest = table.get_ref().clone();
    let Some((_, kind)) = entry(table.get_ref(), "kind") else {
        let problem = sources.error(span, "\"kind\" is missing").label("in this workload");
        return Err(vec![
            problem.help(format!("say what sort of workload it is: kind = \"{}\"", KINDS.join("\" or \""))),
        ]);
    };
    rest.remove("kind");
    let rest = Spanned::new(span, rest);
    match kind.get_ref() {
        DeValue::String(word) if word == "trace" => read(&rest, sources).map(Workload::Trace),
        DeValue::String(word) if word == "synthetic" => synthetic(rest, sources),
        DeValue::String(word) => {
            let problem = sources.error(kind.span(), format!("\"{word}\" is not a kind of workload"));
            Err(vec![problem.help(suggestion(word, &KINDS, "it is one of"))])
        }
        _ => Err(vec![
            sources.error(kind.span(), "the kind of a workload is a word").help("write kind = \"trace\""),
        ]),
    }
}

/// The disks and the generators are read apart: serde forgets the places of a flattened struct.
fn synthetic(mut table: Table<'_>, sources: &Sources) -> Result<Workload, Vec<Problem>> {
    #[derive(Deserialize)]
    struct On {
        on: Names,
    }
    let mut only_on = table.clone();
    let other_keys: Vec<String> =
        table.get_ref().keys().map(|key| key.get_ref().to_string()).filter(|key| key != "on").collect();
    other_keys.iter().for_each(|key| drop(only_on.get_mut().remove(key.as_str())));
    table.get_mut().remove("on");
    let (on, parameters) = (read::<On>(&only_on, sources), read::<Synthetic>(&table, sources));
    match (on, parameters) {
        (Ok(On { on }), Ok(parameters)) => Ok(Workload::Synthetic(SyntheticLoad { on, parameters })),
        (on, parameters) => Err(on.err().into_iter().chain(parameters.err()).flatten().collect()),
    }
}
