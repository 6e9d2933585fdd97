//! Recordings made by hand, carried out without a System.

#![allow(clippy::unwrap_used)]

use super::RecordingParameters;
use super::track::{Play, Track, What};
use crate::parallel::testing::carry_out;
use crate::parallel::{Job, JobPlacement, JobPlan};
use crate::program::{Placement, ProgramError};
use petrio_colours::Operation;
use petrio_files::inputs::Inputs;
use petrio_time::Time;
use petrio_trace::RECORDING;
use petrio_trace::event::{CollectiveKind, Event, EventKind, FileKey, Recorded};
use petrio_trace::native::{About, EventWriter};
use std::path::Path;

/// An event of a thread at a time, of a rank, after so much computing.
fn event(ms: u64, thread: u32, rank: Option<u32>, kind: EventKind) -> Event {
    let mut event = Event::new(Time::from_millis(ms), kind);
    event.process = thread;
    event.service = Some(Time::from_micros(100));
    event.recorded =
        Some(Box::new(Recorded { compute: Some(Time::from_millis(1)), rank, ..Recorded::default() }));
    event
}

/// The same on a file of that number.
fn on(file: u64, mut event: Event) -> Event {
    event.file = FileKey { device: 1, inode: file, generation: 0 };
    event.path = Some(format!("/data/in/{file}").into());
    event
}

fn moves(offset: u64, length: u64, mut event: Event) -> Event {
    (event.offset, event.length) = (Some(offset), length);
    event
}

fn with(mut event: Event, change: impl FnOnce(&mut Recorded)) -> Event {
    change(event.recorded.as_mut().unwrap());
    event
}

fn written(events: &[Event]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(RECORDING);
    let mut writer = EventWriter::create(&path, &Inputs::none(), &About::default()).unwrap();
    events.iter().for_each(|event| writer.push(event).unwrap());
    writer.finish().unwrap();
    folder
}

fn parameters(folder: &Path) -> RecordingParameters {
    serde_json::from_value(serde_json::json!({ "recording": folder })).unwrap()
}

/// On so many volumes of a host each.
fn planned(parameters: &RecordingParameters, volumes: usize) -> Result<JobPlan, ProgramError> {
    let job = parameters.read(&Inputs::here())?;
    let of_rank: Vec<u32> = (0..job.ranks()).map(|rank| job.volume_of(rank, volumes) as u32).collect();
    let placement = Placement { first_process: 7, first_file: 3, ..Placement::new("job") };
    job.plan_in(&Inputs::here(), &JobPlacement::new(placement, of_rank.clone(), of_rank))
}

fn planned_of(events: &[Event], volumes: usize) -> Result<JobPlan, ProgramError> {
    planned(&parameters(written(events).path()), volumes)
}

/// Two ranks, of which the second gets a message and makes a file that the first one reads.
fn two_ranks() -> Vec<Event> {
    let peer = |rank: u32, bytes: u64, mut event: Event| {
        event.length = bytes;
        with(event, |more| more.peer = Some(rank))
    };
    let all = |kind, event| {
        with(event, |more| {
            (more.collective, more.members) = (Some(kind), Some("0-1".into()));
        })
    };
    vec![
        peer(1, 1000, event(1, 10, Some(0), EventKind::Send)),
        peer(0, 1000, event(1, 11, Some(1), EventKind::Receive)),
        on(5, event(2, 11, Some(1), EventKind::Create)),
        moves(0, 4096, on(5, event(3, 11, Some(1), EventKind::Write))),
        on(5, event(4, 11, Some(1), EventKind::Close)),
        all(CollectiveKind::Barrier, event(5, 10, Some(0), EventKind::Collective)),
        all(CollectiveKind::Barrier, event(5, 11, Some(1), EventKind::Collective)),
        on(5, event(6, 10, Some(0), EventKind::Open)),
        moves(0, 4096, on(5, event(7, 10, Some(0), EventKind::Read))),
        on(5, event(8, 10, Some(0), EventKind::Close)),
    ]
}

#[test]
fn ranks_do_what_they_did_and_compute_as_long_in_between() {
    let done = carry_out(&planned_of(&two_ranks(), 1).unwrap());
    let calls = |rank: usize| done.calls[rank].iter().map(|op| op.operation).collect::<Vec<_>>();
    assert_eq!(calls(0), [Operation::Open, Operation::Read, Operation::Close]);
    assert_eq!(calls(1), [Operation::Create, Operation::Write, Operation::Close]);
    assert_eq!(done.computed, [Time::from_millis(5), Time::from_millis(5)]);
    assert_eq!(done.sent, [1000, 0]);
}

#[test]
fn messages_are_taken_by_their_tags_and_in_order_where_not_all_tags_were_seen() {
    let peer = |ms: u64, own: u32, other: u32, kind, tag: u32| {
        with(event(ms, 10 + own, Some(own), kind), |more| (more.peer, more.tag) = (Some(other), Some(tag)))
    };
    let tags = |events: &[Event]| {
        let job = parameters(written(events).path()).read(&Inputs::here()).unwrap();
        let of_play = |play: &Play| match play.what {
            What::Send { tag, .. } | What::Receive { tag, .. } => Some(tag),
            _ => None,
        };
        let of_track = |track: &Track| track.plays.iter().filter_map(of_play).collect::<Vec<_>>();
        job.recorded.tracks.iter().map(of_track).collect::<Vec<_>>()
    };
    let mut events = vec![
        peer(1, 0, 1, EventKind::Send, 4),
        peer(2, 0, 1, EventKind::Send, 5),
        peer(3, 1, 0, EventKind::Receive, 5),
        peer(4, 1, 0, EventKind::Receive, 4),
    ];
    assert_eq!(tags(&events), [[Some(4), Some(5)], [Some(5), Some(4)]]);
    events[3].recorded.as_mut().unwrap().tag = Some(6);
    assert_eq!(tags(&events), [[None, None], [None, None]]);
}

#[test]
fn computing_times_are_multiplied() {
    let folder = written(&two_ranks());
    let twice = RecordingParameters { compute_scale: 2.0, ..parameters(folder.path()) };
    assert_eq!(carry_out(&planned(&twice, 1).unwrap()).computed[0], Time::from_millis(10));
}

#[test]
fn files_are_there_as_they_were_and_lie_in_their_directories() {
    let mut opened = on(8, event(1, 10, None, EventKind::Open));
    opened.size = Some(10_000);
    let events = [
        opened,
        moves(0, 500, on(8, event(2, 10, None, EventKind::Read))),
        on(8, event(2, 10, None, EventKind::Close)),
        on(9, event(3, 10, None, EventKind::Create)),
        moves(0, 700, on(9, event(4, 10, None, EventKind::Write))),
        on(9, event(5, 10, None, EventKind::Unlink)),
        on(9, event(6, 10, None, EventKind::Close)),
    ];
    let plan = planned_of(&events, 1).unwrap();
    let table = plan.table().unwrap();
    let told: Vec<_> = table
        .entries()
        .iter()
        .map(|entry| (entry.name.as_str(), entry.is_directory, entry.present, entry.size))
        .collect();
    let expected = [
        ("job.data", true, true, 0),
        ("in", true, true, 0),
        ("8", false, true, 10_000),
        ("9", false, false, 0),
    ];
    let names_end = |(name, ..): &(&str, bool, bool, u64), end: &str| name.ends_with(end);
    assert!(
        told.iter().zip(&expected).all(|(found, expected)| {
            (found.1, found.2, found.3) == (expected.1, expected.2, expected.3)
                && names_end(found, expected.0.trim_start_matches("job."))
        }),
        "{told:?}"
    );
    // The name goes with the last use of the file.
    let calls = &carry_out(&plan).calls[0];
    assert_eq!(calls.last().unwrap().operation, Operation::Unlink);
    assert_eq!(calls.len(), 7);
}

#[test]
fn a_thread_begins_when_it_was_made_and_its_maker_waits_for_its_end() {
    let child = |event| with(event, |more| more.child = Some(11));
    let events = [
        on(5, event(1, 10, None, EventKind::Create)),
        child(event(2, 10, None, EventKind::Fork)),
        moves(0, 100, on(5, event(3, 11, None, EventKind::Write))),
        event(4, 11, None, EventKind::Exit),
        child(event(5, 10, None, EventKind::Join)),
        on(5, event(6, 10, None, EventKind::Close)),
    ];
    use crate::program::Step;
    let plan = planned_of(&events, 1).unwrap();
    let mut programs = plan.programs(0, 0..2, &std::sync::Arc::default()).unwrap();
    let mut words = |number: usize| {
        let mut said = Vec::new();
        loop {
            match programs[number].next(Time::ZERO).unwrap() {
                Step::End => return said,
                Step::Signal(number) => said.push(format!("say {}", number & 0xffff_ffff)),
                Step::Await(number) => said.push(format!("hear {}", number & 0xffff_ffff)),
                Step::Operation(op) if op.operation == Operation::Compute => {}
                Step::Operation(op) => said.push(op.operation.name().to_owned()),
                step => said.push(format!("{step:?}")),
            }
        }
    };
    let (maker, made) = (words(0), words(1));
    let said = |words: &[String], what: &str| words.iter().filter(|word| word.starts_with(what)).count();
    assert_eq!(maker.first().map(String::as_str), Some("create"));
    assert_eq!(maker.last().map(String::as_str), Some("close"));
    // The name that it made, and the thread; its end.
    assert_eq!((said(&maker, "say"), said(&maker, "hear")), (2, 1), "{maker:?}");
    assert_eq!((said(&made, "say"), said(&made, "hear")), (1, 2), "{made:?}");
    assert_eq!(made.last().unwrap()[..3], *"say");
}

#[test]
fn a_collective_write_sends_each_what_it_writes_for_the_others() {
    let all = |kind, bytes: u64, mut event: Event| {
        (event.length, event.service) = (bytes, Some(Time::from_millis(3)));
        with(event, |more| (more.collective, more.members) = (Some(kind), Some("0-2".into())))
    };
    let mut events: Vec<Event> = (0..3)
        .map(|rank| {
            all(CollectiveKind::WriteAll, 300, event(1, 10 + rank, Some(rank), EventKind::Collective))
        })
        .collect();
    // The first two write for all, one twice as much.
    let opened = |thread, rank| on(5, event(1, thread, Some(rank), EventKind::Open));
    events.extend([opened(10, 0), opened(11, 1)]);
    events.push(moves(0, 600, on(5, event(2, 10, Some(0), EventKind::Write))));
    events.push(moves(600, 300, on(5, event(2, 11, Some(1), EventKind::Write))));
    events.extend(
        [(10, 0), (11, 1)].map(|(thread, rank)| on(5, event(3, thread, Some(rank), EventKind::Close))),
    );
    let done = carry_out(&planned_of(&events, 1).unwrap());
    let gathered: u64 = 16 * 3 * 2;
    let sent: u64 = done.sent.iter().sum();
    // 100 B of the first to the second; 200 B of the second, and all of the third one's.
    assert!((600..=600 + 2 * gathered).contains(&sent), "{sent}");
}

/// Two ranks that post an operation with each other, compute, and wait for it.
fn posted(times: u64) -> Vec<Event> {
    let mut events = Vec::new();
    for (turn, rank) in (0..times).flat_map(|turn| [(turn, 0), (turn, 1)]) {
        let request = turn + 1;
        let mut begins = event(10 * turn + 1, 10 + rank, Some(rank), EventKind::Collective);
        (begins.request, begins.length) = (Some(request), 100);
        events.push(with(begins, |more| {
            (more.collective, more.members) = (Some(CollectiveKind::AllReduce), Some("0-1".into()));
        }));
        let mut waits = event(10 * turn + 5, 10 + rank, Some(rank), EventKind::Wait);
        waits.request = Some(request);
        events.push(waits);
    }
    events.sort_by_key(|event| event.time);
    events
}

#[test]
fn what_is_posted_with_others_is_done_by_a_helper_until_it_is_waited_for() {
    let folder = written(&posted(3));
    let job = parameters(folder.path()).read(&Inputs::here()).unwrap();
    // A rank and its helper, and the next; one helper is enough for what comes one after the other.
    let helps: Vec<bool> = job.recorded.tracks.iter().map(|track| track.helps).collect();
    assert_eq!(helps, [false, true, false, true]);
    assert!(job.recorded.instances.iter().all(|instance| *instance.members == [1, 3]));
    let done = carry_out(&planned(&parameters(folder.path()), 1).unwrap());
    assert_eq!(done.computed[0], Time::from_millis(6));
    assert_eq!(done.sent, [0, 300, 0, 300]);
}

#[test]
fn a_recording_that_was_broken_off_or_of_other_ranks_is_refused() {
    let mut events = two_ranks();
    events.remove(0);
    let problem = planned_of(&events, 1).err().unwrap().to_string();
    assert!(problem.contains("the rank 1 received 1 messages more from the rank 0"), "{problem}");
    let mut events = two_ranks();
    events.remove(5);
    let problem = planned_of(&events, 1).err().unwrap().to_string();
    assert!(problem.contains("of the 2 ranks of an operation (barrier) 1 took part"), "{problem}");
    let folder = written(&two_ranks());
    let other = RecordingParameters { ranks: Some(4), ..parameters(folder.path()) };
    let problem = planned(&other, 1).err().unwrap().to_string();
    assert!(problem.contains("2 ranks were recorded: what changes with their number"), "{problem}");
}

#[test]
fn what_lies_elsewhere_takes_as_long_as_it_took() {
    let folder = written(&two_ranks());
    let elsewhere = RecordingParameters { below: vec!["/data/out".to_owned()], ..parameters(folder.path()) };
    let done = carry_out(&planned(&elsewhere, 1).unwrap());
    assert!(done.calls.iter().all(Vec::is_empty));
    let relative = RecordingParameters { below: vec!["data".to_owned()], ..parameters(folder.path()) };
    assert!(relative.validate().unwrap_err().to_string().contains("leading /"));
}
