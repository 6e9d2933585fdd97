//! The drive against what can be counted by hand.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::disk::parameters::QueueDiscipline;
use petrio_colours::{Cause, Direction};
use petrio_kernel::{NetBuilder, Simulation};

/// Four channels with pages of 4 KiB: 100 µs to read, 1 ms to program, 10 µs a command, 512 MB/s to the host.
fn drive() -> SimpleSsdParameters {
    SimpleSsdParameters {
        name: "test".to_owned(),
        source: "made up".to_owned(),
        cost: Default::default(),
        reliability: Default::default(),
        blocks: Blocks(100_000),
        channels: 4,
        page: Bytes(4096),
        read: "100 us".parse().unwrap(),
        program: "1 ms".parse().unwrap(),
        command: Some("10 us".parse().unwrap()),
        link: Some("512 MB/s".parse().unwrap()),
        queue_depth: 32,
    }
}

/// When each request is complete that comes at time zero, with what it says of its time.
fn completed(drive: &SimpleSsdParameters, requests: &[(Direction, u64, u32)]) -> Vec<(Time, BlockRequest)> {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let ports =
        DevicePorts { requests: page.fifo("requests"), completions: page.fifo("completions"), bus: None };
    drive.compile().unwrap().build(&mut page, "ssd", &Queueing::default(), ports);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    for &(direction, address, blocks) in requests {
        let request = BlockRequest { direction, address, blocks, ..BlockRequest::default() };
        run.inject(ports.requests, request, Time::ZERO).unwrap();
    }
    let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
    let told = Arc::clone(&seen);
    run.observe(ports.completions, (), move |(), at, request: &BlockRequest| {
        told.lock().unwrap().push((at, request.clone()));
    });
    run.run_to_end().unwrap();
    let all = seen.lock().unwrap().clone();
    assert_eq!(all.len(), requests.len());
    all
}

#[test]
fn a_page_takes_its_command_its_flash_and_its_way_on_the_link() {
    let (at, read) = completed(&drive(), &[(Direction::Read, 0, 8)])[0].clone();
    assert_eq!(at, Time::from_micros(10 + 100 + 8));
    assert_eq!(read.ledger.total(), at);
    assert_eq!(read.ledger.of(Cause::Service), Time::from_micros(100));
    assert_eq!(read.ledger.of(Cause::Queue), Time::ZERO);
    let (at, write) = completed(&drive(), &[(Direction::Write, 0, 8)])[0].clone();
    assert_eq!(at, Time::from_micros(10 + 8 + 1_000));
    assert_eq!(write.ledger.of(Cause::Service), Time::from_millis(1));
    assert_eq!(completed(&drive(), &[(Direction::Flush, 0, 0)])[0].0, Time::from_micros(10));
}

#[test]
fn pages_on_different_channels_are_read_at_once_and_on_one_after_each_other() {
    // 32 KiB are two pages on each of four channels.
    let (at, _) = completed(&drive(), &[(Direction::Read, 0, 64)])[0].clone();
    // The first four cross the link while the second are being read.
    assert_eq!(at, Time::from_micros(10 + 200 + 32));
    // Pages 0 and 4 lie on one channel, 0 and 1 on two.
    let same = completed(&drive(), &[(Direction::Read, 0, 8), (Direction::Read, 32, 8)]);
    assert_eq!(same[1].0, Time::from_micros(10 + 200 + 8));
    assert_eq!(same[1].1.ledger.of(Cause::Queue), Time::from_micros(10 + 90));
    let apart = completed(&drive(), &[(Direction::Read, 0, 8), (Direction::Read, 8, 8)]);
    assert_eq!(apart[1].0, Time::from_micros(20 + 100 + 8));
}

#[test]
fn a_long_command_takes_as_long_as_the_slower_of_flash_and_link_and_not_both() {
    // 64 pages: 16 on each channel, 1.6 ms to read and 16 ms to program, and 0.512 ms on the link; half as fast, a page in 8 us of flash
    // takes 1.024 ms there.
    let read = completed(&drive(), &[(Direction::Read, 0, 512)])[0].clone();
    assert_eq!(read.0, Time::from_micros(10 + 1_600 + 4 * 8));
    let write = completed(&drive(), &[(Direction::Write, 0, 512)])[0].clone();
    assert_eq!(write.0, Time::from_micros(10 + 8 * 4 + 16_000));
    let quick = SimpleSsdParameters {
        read: "8 us".parse().unwrap(),
        program: "8 us".parse().unwrap(),
        link: Some("256 MB/s".parse().unwrap()),
        ..drive()
    };
    let read = completed(&quick, &[(Direction::Read, 0, 512)])[0].clone();
    assert_eq!(read.0, Time::from_micros(10 + 8 + 1_024));
    let write = completed(&quick, &[(Direction::Write, 0, 512)])[0].clone();
    assert_eq!(write.0, Time::from_micros(10 + 1_024 + 8));
    for (at, request) in [read, write] {
        assert_eq!(request.ledger.total(), at);
        assert_eq!(request.ledger.of(Cause::Queue), Time::ZERO);
    }
    // One that isn't aligned carries the bytes that it has.
    let odd = completed(&quick, &[(Direction::Read, 5, 9)])[0].clone();
    assert_eq!(odd.0, Time::from_micros(10 + 8 + 18));
}

#[test]
fn many_random_reads_come_as_fast_as_the_channels_or_the_link_or_the_controller() {
    for (channels, limit_us) in [(1, 100.0), (2, 50.0), (4, 25.0), (8, 12.5), (16, 10.0), (64, 10.0)] {
        let drive = SimpleSsdParameters { channels, ..drive() };
        let page = |number: u64| (Direction::Read, number * 7_919 % 12_000 * 8, 8);
        let requests: Vec<_> = (0..4_000).map(page).collect();
        let last = completed(&drive, &requests).iter().map(|(at, _)| *at).max().unwrap();
        let each = last.as_micros() / 4_000.0;
        // 32 commands keep most channels busy, but not all of many.
        assert!(each >= limit_us * 0.999 && each < limit_us * 1.5, "{channels} channels: {each} us");
    }
}

#[test]
fn more_channels_or_faster_pages_are_never_slower() {
    let page = |number: u64| {
        let direction = if number.is_multiple_of(3) { Direction::Write } else { Direction::Read };
        (direction, number * 7_919 % 12_000 * 8, 1 + (number % 40) as u32)
    };
    let requests: Vec<_> = (0..500).map(page).collect();
    let whole =
        |drive: SimpleSsdParameters| completed(&drive, &requests).iter().map(|(at, _)| *at).max().unwrap();
    let mut before = whole(SimpleSsdParameters { channels: 1, ..drive() });
    for channels in [2, 4, 8, 16] {
        let now = whole(SimpleSsdParameters { channels, ..drive() });
        assert!(now <= before, "{channels} channels");
        before = now;
    }
    let halved =
        SimpleSsdParameters { read: "50 us".parse().unwrap(), program: "500 us".parse().unwrap(), ..drive() };
    assert!(whole(halved) < whole(drive()));
}

#[test]
fn what_can_be_no_drive_is_refused_with_its_figure() {
    let refused = |drive: SimpleSsdParameters| drive.compile().err().unwrap();
    assert!(refused(SimpleSsdParameters { channels: 0, ..drive() }).contains("not 0"));
    assert!(refused(SimpleSsdParameters { page: Bytes(1_000), ..drive() }).contains("multiple of 512"));
    assert!(refused(SimpleSsdParameters { blocks: Blocks(0), ..drive() }).contains("no blocks"));
    assert!(refused(SimpleSsdParameters { queue_depth: 0, ..drive() }).contains("no command"));
    let sweeping = Queueing { scheduler: QueueDiscipline::Look, depth: None };
    assert!(BlockDevice::accepts(&drive(), &sweeping).unwrap_err().contains("no arm"));
}
