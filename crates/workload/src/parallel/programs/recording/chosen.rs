//! Which events a program of so many ranks has: those of a recording, or what follows from several.

use super::RecordingParameters;
use crate::parallel::programs::refuse;
use crate::program::ProgramError;
use miette::Diagnostic;
use petrio_bounds::Headroom;
use petrio_extrapolate::{Unfit, extrapolate};
use petrio_files::inputs::Inputs;
use petrio_trace::event::Event;
use petrio_trace::{EventReader, TraceError, TraceOptions};
use std::collections::BTreeSet;
use std::path::Path;

/// Where the events come from.
pub(super) enum Chosen<'p> {
    /// A recording as it is.
    Recorded(&'p Path),
    /// What follows from all of them.
    Foretold(Vec<Event>),
}

/// The recording of so many ranks, or what follows from all where there is none.
pub(super) fn chosen<'p>(
    parameters: &'p RecordingParameters,
    inputs: &Inputs,
) -> Result<Chosen<'p>, ProgramError> {
    let Some(ranks) = parameters.ranks else { return Ok(Chosen::Recorded(&parameters.recording)) };
    let paths = || std::iter::once(&parameters.recording).chain(&parameters.more_recordings);
    let mut recorded = Vec::new();
    for path in paths() {
        let count = count(path, inputs)?;
        if count == ranks as usize {
            return Ok(Chosen::Recorded(path));
        }
        recorded.push(count);
    }
    if recorded.iter().all(|count| *count == 0) {
        let problem = format!("it is {ranks}, and the recording is of a program without ranks");
        return refuse("ranks", problem);
    }
    let mut headroom = Headroom::default();
    let mut all: Vec<Vec<Event>> = Vec::new();
    for path in paths() {
        let mut events = Vec::new();
        for event in EventReader::open_in(inputs, path, &TraceOptions::default())? {
            headroom.record().map_err(|cause| TraceError::TooMuch { events: events.len() as u64, cause })?;
            events.push(event?);
        }
        all.push(events);
    }
    let slices: Vec<&[Event]> = all.iter().map(Vec::as_slice).collect();
    match extrapolate(&slices, ranks, &parameters.below) {
        Ok(events) => Ok(Chosen::Foretold(events)),
        Err(unfit) => refuse("ranks", format!("it is {ranks}, and {}", in_words(&unfit))),
    }
}

/// Why, and what to do about it.
fn in_words(unfit: &Unfit) -> String {
    let advice = match unfit {
        Unfit::One { .. } => Some(
            "record the program on a second number of ranks, too, and name that in more_recordings"
                .to_owned(),
        ),
        _ => unfit.help().map(|help| help.to_string()),
    };
    advice.map_or_else(|| unfit.to_string(), |advice| format!("{unfit}; {advice}"))
}

/// How many ranks a recording has.
fn count(path: &Path, inputs: &Inputs) -> Result<usize, ProgramError> {
    let mut ranks = BTreeSet::new();
    for event in EventReader::open_in(inputs, path, &TraceOptions::default())? {
        ranks.extend(event?.recorded.and_then(|more| more.rank));
    }
    Ok(ranks.len())
}
