//! What the example of a component of one's own says.
#![allow(clippy::unwrap_used)]

#[allow(dead_code, reason = "its `main`")]
#[path = "../examples/own_server.rs"]
mod own_server;

use own_server::{Flash, rate};
use petrio_kernel::Time;

const QUICK: Flash = Flash { channels: 4, rate: 200e6, dirty_after: u64::MAX, cleaning: Time::ZERO };
const BYTES: u64 = 32 << 20;

#[test]
fn servers_with_a_quick_component_fill_their_links_and_with_a_slow_one_are_as_slow_as_it() {
    // Two links' data: 941.5 of 1000 Mbit/s each.
    let links = 2.0 * 117.7e6;
    let quick = rate(4, 2, BYTES, QUICK).unwrap();
    assert!((0.9 * links..=links).contains(&quick), "{quick}");
    let slow = rate(4, 2, BYTES, Flash { channels: 1, rate: 80e6, ..QUICK }).unwrap();
    assert!((0.97 * 160e6..=160e6).contains(&slow), "{slow}");
}

#[test]
fn what_it_does_now_and_then_is_felt_by_as_much_as_it_takes() {
    let cleaning = Time::from_millis(100);
    let cleans = Flash { dirty_after: 16_000_000, cleaning, ..QUICK };
    let seconds = |flash| 4.0 * BYTES as f64 / rate(4, 2, BYTES, flash).unwrap();
    // 64 MiB for each server: four times, of which some fall together with the wait for the link.
    let longer = seconds(cleans) - seconds(QUICK);
    assert!((0.1..=0.45).contains(&longer), "{longer}");
}
