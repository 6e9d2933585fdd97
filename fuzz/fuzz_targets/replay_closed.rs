//! Arbitrary bytes read as a trace of petrio's own format and replayed closed, on a device whose speed is arbitrary too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use petrio_kernel::Time;
use petrio_workload::trace::{FormatName, TraceOptions, TraceReader};
use petrio_workload::{ClosedReplay, ClosedReplayOptions, Due, RequestSource};
use std::io::Cursor;

fuzz_target!(|input: (u32, &[u8])| {
    let (speed, bytes) = input;
    let options = TraceOptions { format: Some(FormatName::Petrio), ..TraceOptions::default() };
    let Ok(reader) = TraceReader::from_reader("fuzz", Cursor::new(bytes.to_vec()), &options) else { return };
    let Ok(mut source) = ClosedReplay::of_trace(reader, ClosedReplayOptions::default()) else { return };
    let mut in_flight = std::collections::VecDeque::new();
    let mut now = Time::ZERO;
    let mut service = Time::from_nanos(u64::from(speed));
    loop {
        let due = match source.due() {
            Ok(Due::At(time)) => Some(time.max(now)),
            Ok(Due::AfterCompletion) => None,
            Ok(Due::Never) | Err(_) => return,
        };
        match (due, in_flight.front().copied()) {
            (Some(time), Some((end, _))) if time < end => now = time,
            (_, Some((end, id))) => {
                now = now.max(end);
                in_flight.pop_front();
                if source.complete(id, now).is_err() {
                    return;
                }
                continue;
            }
            (Some(time), None) => now = time,
            (None, None) => panic!("waits for a completion with nothing in flight"),
        }
        match source.issue(now) {
            Ok(Some(item)) => {
                in_flight.push_back((now + service, item.request.id));
                service = Time::from_picos(service.as_picos() / 2 + 1);
            }
            Ok(None) => {}
            Err(_) => return,
        }
    }
});
