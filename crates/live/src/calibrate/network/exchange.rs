//! What is timed: messages to and fro, and messages in a stream, at either end of a connection.
//!
//! Goodput is timed where it arrives, after a first while in which TCP finds its window. Processor time is that of the
//! thread that sends or receives (CLOCK_THREAD_CPUTIME_ID). What the kernel does for a connection in an interrupt is in
//! it only where that interrupts this very thread, as between namespaces, where whoever sends does both.

use super::super::spread::{Quartiles, look_ns, thread_cpu_ns};
use super::protocol::{LAST, MORE, Passed, Report};
use super::wire::{Wire, WireError};
use std::time::{Duration, Instant};

/// How much longer than it was asked for something may take: what is under way is still to pass a slow network.
const GRACE: Duration = Duration::from_secs(60);

/// Bytes that a receiver takes at a time, at most: a piece of a parallel file system's server.
const PIECE: usize = 64 << 10;

/// What was timed of messages to and fro.
#[derive(Debug, Default)]
pub(super) struct Pings {
    /// Wall clock, ns, of each.
    pub(super) round_trips_ns: Vec<f64>,
    /// Processor time, ns, to send and to receive one; the median.
    pub(super) send_ns: Option<f64>,
    pub(super) receive_ns: Option<f64>,
}

/// A message's bytes: none that a link might compress.
fn content(bytes: usize) -> Vec<u8> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..bytes).map(|_| next()).collect()
}

/// Messages from so long on come in more frames than one: they are awaited before they are taken.
const AWAITED: usize = 1_000;

/// A clock of the thread's processor that can be left off.
struct Clocks {
    on: bool,
    look_ns: f64,
    samples: Vec<f64>,
}

impl Clocks {
    fn new(on: bool) -> Self {
        Self { on, look_ns: if on { look_ns() } else { 0.0 }, samples: Vec::new() }
    }

    /// What some work takes, ns.
    fn taken(&self, work: impl FnOnce() -> Result<(), WireError>) -> Result<f64, WireError> {
        let begin = thread_cpu_ns();
        work()?;
        Ok((thread_cpu_ns() - begin - self.look_ns).max(0.0))
    }

    fn send(&mut self, wire: &Wire, message: &[u8], by: Instant) -> Result<(), WireError> {
        if !self.on {
            return wire.write(message, by);
        }
        let taken = self.taken(|| wire.write(message, by))?;
        self.samples.push(taken);
        Ok(())
    }

    /// With clocks, a message is taken once all of it is there, as the model has it: a process that is woken up for
    /// each frame of a slow network spends time that it would have waited anyway, and less where it is busy.
    fn receive(&mut self, wire: &Wire, message: &mut [u8], by: Instant) -> Result<(), WireError> {
        if !self.on {
            return wire.read(message, by);
        }
        let mut taken = 0.0;
        if message.len() >= AWAITED {
            taken += self.taken(|| wire.await_some())?;
            wire.await_all(message.len())?;
        }
        taken += self.taken(|| wire.read(message, by))?;
        self.samples.push(taken);
        Ok(())
    }

    fn median(self) -> Option<f64> {
        Quartiles::of(self.samples).map(|quartiles| quartiles.median)
    }
}

/// Asks: sends a message and awaits it again, so often and not for much longer than so long.
pub(super) fn ping(
    wire: &Wire,
    bytes: u32,
    count: u32,
    within: Duration,
    clocks: bool,
) -> Result<Pings, WireError> {
    let mut buffer = content(bytes as usize);
    let (mut sending, mut receiving) = (Clocks::new(clocks), Clocks::new(clocks));
    let mut pings = Pings::default();
    let begin = Instant::now();
    for number in 1..=count {
        let before = Instant::now();
        let is_last = number == count || before - begin > within;
        buffer[0] = if is_last { LAST } else { MORE };
        sending.send(wire, &buffer, before + GRACE)?;
        receiving.receive(wire, &mut buffer, before + GRACE)?;
        pings.round_trips_ns.push(before.elapsed().as_nanos() as f64);
        if is_last {
            break;
        }
    }
    Ok(Pings { send_ns: sending.median(), receive_ns: receiving.median(), ..pings })
}

/// Answers: sends each message back.
pub(super) fn pong(wire: &Wire, bytes: u32, clocks: bool) -> Result<Report, WireError> {
    let mut buffer = vec![0; bytes as usize];
    let (mut sending, mut receiving) = (Clocks::new(clocks), Clocks::new(clocks));
    let by = Instant::now() + GRACE;
    loop {
        receiving.receive(wire, &mut buffer, by)?;
        sending.send(wire, &buffer, by)?;
        if buffer[0] == LAST {
            break;
        }
        if Instant::now() > by {
            return Err(WireError::Nonsense("never ends its messages"));
        }
    }
    Ok(Report { send_ns: sending.median(), receive_ns: receiving.median(), ..Report::default() })
}

/// For how long messages stream, and how much of it at the beginning isn't counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Span {
    pub(super) warm: Duration,
    pub(super) run: Duration,
}

/// What has passed since some moment.
struct Meter {
    bytes: u64,
    since: Option<(u64, Instant, f64)>,
}

impl Meter {
    const fn new() -> Self {
        Self { bytes: 0, since: None }
    }

    /// From now on it counts.
    fn begin(&mut self) {
        self.since = Some((self.bytes, Instant::now(), thread_cpu_ns()));
    }

    fn passed(&self) -> Passed {
        let Some((bytes, since, cpu_ns)) = self.since else { return Passed::default() };
        Passed {
            bytes: self.bytes.saturating_sub(bytes),
            wall_ns: since.elapsed().as_nanos() as f64,
            cpu_ns: thread_cpu_ns() - cpu_ns,
        }
    }
}

/// Sends messages one after the other.
pub(super) fn send(wire: &Wire, bytes: u32, span: Span) -> Result<Passed, WireError> {
    let mut buffer = content(bytes as usize);
    let begin = Instant::now();
    let by = begin + span.run + GRACE;
    let mut meter = Meter::new();
    loop {
        let elapsed = begin.elapsed();
        if meter.since.is_none() && elapsed >= span.warm {
            meter.begin();
        }
        let is_last = elapsed >= span.run;
        buffer[0] = if is_last { LAST } else { MORE };
        wire.write(&buffer, by)?;
        meter.bytes += u64::from(bytes);
        if is_last {
            return Ok(meter.passed());
        }
    }
}

/// Where messages of one size begin in what is read of them.
struct Boundaries {
    bytes: usize,
    /// From the beginning of what is read next to that of the next message; in the last one, to its end.
    to_next: usize,
    in_last: bool,
}

impl Boundaries {
    const fn of(bytes: usize) -> Self {
        Self { bytes, to_next: 0, in_last: false }
    }

    /// Looks at what was read; how much of it was too much, if the last message ends in it.
    fn pass(&mut self, read: &[u8]) -> Result<Option<usize>, WireError> {
        let mut at = self.to_next;
        while at < read.len() && !self.in_last {
            match read[at] {
                MORE => {}
                LAST => self.in_last = true,
                _ => return Err(WireError::Nonsense("sends messages of another size than it said")),
            }
            at += self.bytes;
        }
        self.to_next = at.saturating_sub(read.len());
        Ok((self.in_last && at <= read.len()).then(|| read.len() - at))
    }
}

/// Receives them to the last one.
pub(super) fn receive(wire: &Wire, bytes: u32, span: Span) -> Result<Passed, WireError> {
    // Small ones come many at a time, and a large one in pieces.
    let mut buffer = vec![0; PIECE];
    let mut boundaries = Boundaries::of(bytes as usize);
    let mut meter = Meter::new();
    let mut begun: Option<Instant> = None;
    let by = Instant::now() + span.run + GRACE;
    loop {
        let read = wire.read_some(&mut buffer)?;
        let now = Instant::now();
        meter.bytes += read as u64;
        let begun = *begun.get_or_insert(now);
        if meter.since.is_none() && now - begun >= span.warm {
            meter.begin();
        }
        if let Some(too_much) = boundaries.pass(&buffer[..read])? {
            meter.bytes -= too_much as u64;
            let passed = meter.passed();
            wire.put_back(&buffer[read - too_much..read]);
            return Ok(passed);
        }
        if now > by {
            return Err(WireError::Nonsense("never ends its messages"));
        }
    }
}

/// Sends and receives at once; what was sent, and what was received.
pub(super) fn both(wire: &Wire, bytes: u32, span: Span) -> Result<(Passed, Passed), WireError> {
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| send(wire, bytes, span));
        let received = receive(wire, bytes, span);
        if received.is_err() {
            // Whoever sends needn't wait for his time-out.
            let _ = wire.stream().shutdown(std::net::Shutdown::Both);
        }
        let sent = sending.join().unwrap_or(Err(WireError::Nonsense("can't be sent to: a thread broke off")));
        Ok((sent?, received?))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_end_is_found_wherever_reads_are_cut(
            size in 1usize..50,
            before in 0usize..20,
            after in 0usize..60,
            cuts in prop::collection::vec(1usize..40, 1..50),
        ) {
            // What is in a message may look like its first byte.
            let mut all = Vec::new();
            for message in 0..=before {
                all.push(if message == before { LAST } else { MORE });
                all.extend(std::iter::repeat_n(LAST, size - 1));
            }
            let end = all.len();
            all.extend(std::iter::repeat_n(7, after));
            let (mut boundaries, mut at, mut cuts) = (Boundaries::of(size), 0, cuts.iter().cycle());
            let found = loop {
                let next = (at + cuts.next().unwrap()).min(all.len());
                if let Some(too_much) = boundaries.pass(&all[at..next]).unwrap() {
                    break next - too_much;
                }
                prop_assert!(next < all.len(), "the last message ended unseen");
                at = next;
            };
            prop_assert_eq!(found, end);
        }
    }

    #[test]
    fn a_message_that_begins_otherwise_is_refused() {
        assert!(Boundaries::of(3).pass(&[MORE, 0, 0, 9]).is_err());
    }
}
