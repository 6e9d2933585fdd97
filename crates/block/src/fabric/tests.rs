//! The link's times against the frame format, and both directions at once.

#![allow(clippy::unwrap_used)]
use super::*;
use petrio_colours::RequestId;
use petrio_kernel::{NetBuilder, Simulation};

fn fibre_channel() -> FabricParameters {
    toml::from_str("adapter = \"10 us\"\nlatency = \"2 us\"\nrate = \"212.5 MB/s\"").unwrap()
}

/// Sends requests through a fabric to an array that answers at once; the completions and their times.
fn through(requests: &[(Direction, u32)]) -> Vec<(BlockRequest, Time)> {
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let [incoming, completions, array] = ["requests", "completions", "array"].map(|name| page.fifo(name));
    fabric_page(&mut page, "fabric", &fibre_channel(), (incoming, completions), (array, array));
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.observe(completions, Vec::new(), |seen: &mut Vec<_>, now, request: &BlockRequest| {
        seen.push((request.clone(), now));
    });
    for (id, (direction, blocks)) in (0..).zip(requests) {
        let id = RequestId(id);
        let request =
            BlockRequest { id, tag: 7, direction: *direction, blocks: *blocks, ..BlockRequest::default() };
        run.inject(incoming, request, Time::ZERO).unwrap();
    }
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();
    run.observed::<BlockRequest, Vec<(BlockRequest, Time)>>(completions).unwrap().clone()
}

fn micros(bytes: f64) -> f64 {
    bytes / 212.5
}

#[test]
fn a_read_takes_a_command_there_and_its_data_back() {
    let (read, at) = through(&[(Direction::Read, 16)]).remove(0);
    // A frame of 32 bytes there; four frames of data and one of 24 bytes back; two ways; the adapter.
    let expected = 10.0 + micros(32.0 + 60.0) + micros(8_192.0 + 4.0 * 60.0) + micros(24.0 + 60.0) + 4.0;
    assert!((at.as_micros() - expected).abs() < 1e-3, "{at}");
    assert_eq!(read.ledger.total(), at);
    assert_eq!(read.ledger.of(Cause::Overhead), Time::from_micros(10));
    assert_eq!((read.id, read.tag), (RequestId(0), 7));
}

#[test]
fn a_write_waits_until_the_array_is_ready() {
    let (_, at) = through(&[(Direction::Write, 16)]).remove(0);
    let frames = micros(92.0) + micros(72.0) + micros(8_192.0 + 240.0) + micros(84.0);
    assert!((at.as_micros() - (10.0 + frames + 4.0 * 2.0)).abs() < 1e-3, "{at}");
}

#[test]
fn a_flush_carries_no_data() {
    let (_, at) = through(&[(Direction::Flush, 0)]).remove(0);
    assert!((at.as_micros() - (10.0 + micros(92.0) + micros(84.0) + 4.0)).abs() < 1e-3, "{at}");
}

#[test]
fn two_gigabits_carry_two_hundred_megabytes_each_way_at_once() {
    // "200 MB/s" is what 2 Gbit/s Fibre Channel is sold as (FC-PI-2: 200-SE, 200-M5 …).
    let rate = |requests: &[(Direction, u32)]| {
        let done = through(requests);
        let bytes: u64 = done.iter().map(|(request, _)| request.bytes()).sum();
        bytes as f64 / done.last().unwrap().1.as_micros()
    };
    let reads = rate(&[(Direction::Read, 2_048); 200]);
    let both = rate(&[(Direction::Read, 2_048), (Direction::Write, 2_048)].repeat(200));
    assert!((200.0..212.5).contains(&reads), "{reads} MB/s");
    assert!((both / reads - 2.0).abs() < 0.02, "{both} MB/s both ways, {reads} MB/s one way");
}
