//! Decoding in one thread, characterising in another.

use super::{CharacterisedTrace, Question};
use petrio_bounds::Headroom;
use petrio_files::inputs::Inputs;
use petrio_trace::characterise::{Characterise, Characteriser};
use petrio_trace::event::Event;
use petrio_trace::native::About;
use petrio_trace::{EventReader, EventSummary, TraceError};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Events handed over at a time: enough that handing over costs nothing, few enough to stay in a second-level cache.
const BATCH: usize = 512;
/// Batches on their way.
const BATCHES: usize = 8;

const SECONDS_A_DAY: i64 = 86_400;

/// What the decoding thread has to say.
enum Message {
    About(Box<(About, String)>),
    Events(Vec<Event>),
    End(Box<EventSummary>),
}

/// Reads a trace in any format and characterises it. `progress` is told now and then how many events were read.
///
/// # Errors
/// What is wrong with the file, and where.
pub fn characterise_file(
    inputs: &Inputs,
    path: &Path,
    question: &Question,
    mut progress: impl FnMut(u64),
) -> Result<CharacterisedTrace, TraceError> {
    let (say, said) = sync_channel(BATCHES);
    let (give_back, given_back) = channel();
    std::thread::scope(|scope| {
        let reading = scope.spawn(move || read(inputs, path, question, &say, &given_back));
        let found = listen(question, &said, &give_back, &mut progress);
        // The decoder stops when nobody listens.
        drop(said);
        match reading.join() {
            Ok(Ok(())) => {}
            Ok(Err(error)) => return Err(error),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        let (characteriser, about, format, read) = found?;
        let (found, name) = (characteriser.finish(), path.to_string_lossy().into_owned());
        Ok(CharacterisedTrace::new(name, format, found, &about, &read))
    })
}

fn read(
    inputs: &Inputs,
    path: &Path,
    question: &Question,
    say: &SyncSender<Message>,
    given_back: &Receiver<Vec<Event>>,
) -> Result<(), TraceError> {
    let mut reader = EventReader::open_in(inputs, path, &question.options)?;
    let about = reader.about()?;
    let format = reader.format().name().to_owned();
    if say.send(Message::About(Box::new((about, format)))).is_err() {
        return Ok(());
    }
    let mut ended = false;
    while !ended {
        let mut batch = given_back.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        batch.clear();
        while batch.len() < BATCH {
            match reader.next().transpose()? {
                Some(event) => batch.push(event),
                None => {
                    ended = true;
                    break;
                }
            }
        }
        if say.send(Message::Events(batch)).is_err() {
            return Ok(());
        }
    }
    // Nobody listens only when there is an error already.
    let _ = say.send(Message::End(Box::new(reader.summary())));
    Ok(())
}

fn listen(
    question: &Question,
    said: &Receiver<Message>,
    give_back: &Sender<Vec<Event>>,
    progress: &mut dyn FnMut(u64),
) -> Result<(Characteriser, About, String, EventSummary), TraceError> {
    let (mut about, mut format, mut summary) = (About::default(), String::new(), EventSummary::default());
    let mut characteriser = Characteriser::new(&Characterise::default());
    let (mut headroom, mut events) = (Headroom::default(), 0);
    for said in said {
        match said {
            Message::About(told) => {
                (about, format) = *told;
                let origin_seconds = about.origin_unix_ns.map(|ns| of_day(ns, question.utc_offset_s));
                characteriser = Characteriser::new(&Characterise { origin_seconds });
            }
            Message::Events(batch) => {
                for event in &batch {
                    characteriser.event(event);
                    events += 1;
                    headroom.record().map_err(|cause| TraceError::TooMuch { events, cause })?;
                }
                progress(events);
                // The decoder may be gone already.
                let _ = give_back.send(batch);
            }
            Message::End(read) => summary = *read,
        }
    }
    Ok((characteriser, about, format, summary))
}

/// The second of the day on a clock so many seconds ahead of UTC.
fn of_day(unix_ns: u64, offset_s: i64) -> u64 {
    // Fewer than 2³⁵ seconds.
    let seconds = (unix_ns / 1_000_000_000) as i64;
    (seconds + offset_s).rem_euclid(SECONDS_A_DAY) as u64
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn two_threads_find_what_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.trace");
        let mut text = String::new();
        for number in 0..5_000_u64 {
            writeln!(text, "{}.25 0 {} 8 {}", number, number * 7_919 % 50_000, number % 2).unwrap();
        }
        std::fs::write(&path, text).unwrap();
        let question = Question::default();
        let mut seen = 0;
        let found = characterise_file(&Inputs::here(), &path, &question, |events| seen = events).unwrap();
        let mut characteriser = Characteriser::new(&Characterise::default());
        for event in EventReader::open(&path, &question.options).unwrap() {
            characteriser.event(&event.unwrap());
        }
        assert_eq!(found.found, characteriser.finish());
        assert_eq!((seen, found.found.events, found.format.as_str()), (5_000, 5_000, "disksim-ascii"));
    }

    #[test]
    fn a_file_that_is_not_there_or_damaged_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("requests.trace");
        assert!(characterise_file(&Inputs::here(), &path, &Question::default(), |_| ()).is_err());
        std::fs::write(&path, "0.5 0 100 8 1\n0.75 0 100 8 1\n1.5 0 100 8 one\n").unwrap();
        let error = characterise_file(&Inputs::here(), &path, &Question::default(), |_| ()).unwrap_err();
        assert!(error.to_string().contains("requests.trace"), "{error}");
    }

    #[test]
    fn hours_are_local() {
        assert_eq!(of_day(1_000_000_000, 0), 1);
        assert_eq!(of_day(1_000_000_000, -3_600), 86_400 - 3_599);
    }
}
