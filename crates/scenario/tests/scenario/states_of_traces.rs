//! Runs of traces that are put aside and gone on from: with the whole trace or what is left of it, and with the same files beside it.

use super::common::once_of;
use super::states::got;
use petrio_colours::Direction;
use petrio_files::inputs::Inputs;
use petrio_kernel::{Time, Watch};
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::{Part, RunFailure, run_part};
use petrio_scenario::state::SavedRun;
use petrio_scenario::{Loaded, load_on};
use petrio_trace::event::{Event, EventKind, Extent, FileKey};
use petrio_trace::native::About;
use petrio_trace::write::{OutputFormat, TraceWriter};
use std::path::Path;
use std::sync::OnceLock;

/// Requests of two processes to a disk, or calls of theirs on files.
fn events(count: u64, of_files: bool, seed: u64) -> Vec<Event> {
    let event = |number: u64| {
        let time = Time::from_micros(number * 9_000 + number * number % 4_001 + seed);
        let place = (number * 7_919 + seed) % 4_000;
        let process = 10 + (number % 2) as u32;
        if of_files {
            let file = FileKey { device: 1, inode: 1 + number * number % 7, generation: 0 };
            let kind = if number.is_multiple_of(3) { EventKind::Write } else { EventKind::Read };
            // Files that come late, and one that is made.
            let file = if number > count / 2 { FileKey { inode: 20 + number % 5, ..file } } else { file };
            let event =
                Event { process, file, offset: Some(place * 4096), length: 4096, ..Event::new(time, kind) };
            return Event { service: Some(Time::from_micros(300)), ..event };
        }
        let direction = if number.is_multiple_of(3) { Direction::Write } else { Direction::Read };
        let mut event =
            Event { process, direction: Some(direction), length: 8192, ..Event::new(time, EventKind::Queue) };
        event.extents.push(Extent { device: 0, address: place * 1_000, blocks: 16, hit: false });
        Event { service: Some(Time::from_millis(4)), synchronous: direction == Direction::Read, ..event }
    };
    (0..count).map(event).collect()
}

fn write(path: &Path, format: OutputFormat, events: &[Event]) {
    let _ = std::fs::remove_file(path);
    let mut to = TraceWriter::create(path, &Inputs::none(), format, &About::default()).unwrap();
    events.iter().for_each(|event| to.push(event).unwrap());
    to.finish().unwrap();
}

/// A scenario in a folder, to go on from a state.
fn on(folder: &Path, from: Option<&SavedRun>) -> Loaded {
    load_on(&Inputs::here(), &folder.join("scenario.toml"), &[], &Watch::default(), from).unwrap()
}

fn part_of(loaded: &Loaded, from: Option<&SavedRun>) -> Result<Report, RunFailure> {
    run_part(loaded, Sinks::default(), Part { from, ..Part::default() })
}

/// What a state of traces of a format does with them as a whole, with what is left of them, and with what is left of too little.
fn of_traces(workload: &str, names: &[&str], format: OutputFormat, of_files: bool) -> Result<(), String> {
    const COUNT: u64 = 400;
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let host = "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n[fs.data]\ntype = \"ext3\"\non = \"d\"\n";
    let host = if of_files { host } else { "" };
    let text = format!("[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{host}[workload.t]\n{workload}\n");
    let scenario =
        |more: &str| std::fs::write(folder.join("scenario.toml"), format!("{text}{more}")).unwrap();
    let traces: Vec<Vec<Event>> =
        (0..names.len() as u64).map(|seed| events(COUNT, of_files, seed * 1_234)).collect();
    let all = |from: usize| {
        names
            .iter()
            .zip(&traces)
            .for_each(|(name, events)| write(&folder.join(name), format, &events[from..]));
    };
    all(0);
    let at = Time::from_millis(2_000);
    scenario("[measure]\nwarm_up = \"2000 ms\"\n");
    let warm = got(&once_of(&on(folder, None)));
    scenario("");
    let saved = OnceLock::new();
    let part = Part { until: Some(at), saves: Some(&saved), ..Part::default() };
    run_part(&on(folder, None), Sinks::default(), part).unwrap();
    let file = folder.join("warm.state");
    saved.get().unwrap().write(&file, &Inputs::none()).unwrap();
    let saved = SavedRun::read(&Inputs::here(), &file).unwrap();
    let whole = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap();
    assert_eq!(got(&whole), warm, "{format:?}, whole: {workload}");

    // Some of what was read is gone: of the slowest replay all but a few records.
    let before = traces[0].iter().filter(|event| event.time < at).count();
    assert!(before > 150);
    for cut in [40, 100] {
        all(cut);
        let rest = part_of(&on(folder, Some(&saved)), Some(&saved)).map_err(|failure| failure.to_string())?;
        assert_eq!(got(&rest), warm, "{format:?} without {cut}: {workload}");
    }
    // One that is missing in the middle, and one of something else.
    all(before + 60);
    let message = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap_err().to_string();
    assert!(message.contains("is neither the one that was read nor what is left of it"), "{message}");
    let other = events(COUNT, of_files, 77);
    names.iter().for_each(|name| write(&folder.join(name), format, &other));
    let message = part_of(&on(folder, Some(&saved)), Some(&saved)).unwrap_err().to_string();
    assert!(message.contains("is neither the one that was read nor what is left of it"), "{message}");
    Ok(())
}

#[test]
fn a_state_of_a_block_trace_goes_on_with_the_whole_and_with_what_is_left_of_it() {
    for replay in ["open", "closed"] {
        for format in [OutputFormat::Petrio, OutputFormat::Native, OutputFormat::OracleGeneral] {
            let one = format!("kind = \"trace\"\non = \"d\"\nfiles = [\"a\"]\nreplay = \"{replay}\"");
            of_traces(&one, &["a"], format, false).unwrap_or_else(|why| panic!("{format:?} {replay}: {why}"));
            let two = one.replace("[\"a\"]", "[\"a\", \"b\"]");
            of_traces(&two, &["a", "b"], format, false)
                .unwrap_or_else(|why| panic!("{format:?} {replay}, two: {why}"));
        }
    }
}

#[test]
fn a_state_of_a_trace_of_files_holds_what_it_found_in_it() {
    for replay in ["open", "closed"] {
        for format in [OutputFormat::EventsCsv, OutputFormat::Native] {
            let workload = format!("kind = \"events\"\non = \"data\"\nfile = \"a\"\nreplay = \"{replay}\"");
            of_traces(&workload, &["a"], format, true).unwrap();
        }
    }
}

#[test]
fn of_a_format_whose_records_need_those_before_nothing_is_cut_off() {
    let workload = "kind = \"trace\"\non = \"d\"\nfiles = [\"a\"]";
    let message = of_traces(workload, &["a"], OutputFormat::Blkparse, false).unwrap_err();
    assert!(message.contains("the whole is needed"), "{message}");
}

#[test]
fn a_state_rests_on_what_is_in_the_files_of_its_scenario() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let host = "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n[fs.data]\ntype = \"ext3\"\non = \"d\"\n";
    let text = format!(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{host}[workload.w]\nkind = \"file-trace\"\non = \"data\"\nfile = \"asked.csv\"\n"
    );
    let asked = |last: u32| {
        let line = |number: u32| format!("{},4096,read\n", number % 50 * 8192 * last);
        let lines: String = (0..200).map(line).collect();
        std::fs::write(folder.join("asked.csv"), format!("offset_bytes,length_bytes,operation\n{lines}"))
            .unwrap();
    };
    asked(1);
    std::fs::write(folder.join("scenario.toml"), &text).unwrap();
    let saved = OnceLock::new();
    let until = Some(Time::from_millis(100));
    let part = Part { until, saves: Some(&saved), ..Part::default() };
    run_part(&on(folder, None), Sinks::default(), part).unwrap();
    let saved = saved.get().unwrap();
    // Words about it are no part of it.
    std::fs::write(folder.join("scenario.toml"), format!("# warm\n{text}")).unwrap();
    part_of(&on(folder, Some(saved)), Some(saved)).unwrap();
    asked(2);
    let message = part_of(&on(folder, Some(saved)), Some(saved)).unwrap_err().to_string();
    assert_eq!(message, "the state is of another System: what is in asked.csv was something else");
}
