//! How long before its target an answer is begun.
//!
//! ```text
//!  wake-up ── the model, the medium ──▶ ready ── (waits) ──▶ begin ── the answer's system call ──▶ target: the client can know
//! ```
//!
//! Two spans lie between the instant of the model and a client that knows of it: what the model and the medium take to have the answer
//! ready, which is done before, and the system call that hands it to the client and wakes him, which is begun as much earlier as those
//! before it took. The first may be too long: who is ready waits. The second must not be: the client would know before the device is
//! done. So it is a part of the least of the last ones, of the same device and as many bytes, and nothing until there are enough of them.
//!
//! A model that is run so far ahead takes a request that comes within that span as of the end of it: some tens of microseconds late.

use petrio_time::Time;
use std::array;

/// So many of the last count.
const LAST: usize = 16;
/// Getting ready takes so long, where nothing is known yet; and is never taken for longer.
const READY: Time = Time::from_micros(20);
const MOST_READY: Time = Time::from_micros(200);
/// An answer is never begun earlier than that.
const MOST_ANSWER: Time = Time::from_micros(150);

/// The last of a kind of spans.
#[derive(Clone, Debug, Default)]
struct Lately {
    spans: [Time; LAST],
    count: usize,
}

impl Lately {
    const fn note(&mut self, span: Time) {
        self.spans[self.count % LAST] = span;
        self.count += 1;
    }

    fn known(&self) -> impl Iterator<Item = Time> {
        self.spans.iter().copied().take(self.count.min(LAST))
    }
}

/// Of a device's answers, by how many bytes they have: up to 512, 4 Ki, 32 Ki, 256 Ki, and more.
const SIZES: usize = 5;

/// Of all devices.
#[derive(Debug)]
pub(super) struct Ahead {
    ready: Lately,
    answers: Vec<[Lately; SIZES]>,
}

const fn quarter(span: Time) -> Time {
    Time::from_picos(span.as_picos() / 4)
}

fn size_of(bytes: usize) -> usize {
    [512, 4 << 10, 32 << 10, 256 << 10].iter().take_while(|most| bytes > **most).count()
}

impl Ahead {
    pub(super) fn of(devices: usize) -> Self {
        Self { ready: Lately::default(), answers: vec![array::from_fn(|_| Lately::default()); devices] }
    }

    /// How long before an instant of the model it is looked at.
    pub(super) fn look(&self) -> Time {
        self.ready().saturating_add(self.most_answer())
    }

    /// How long it takes to have an answer ready: the most of the last ones, and a quarter more.
    fn ready(&self) -> Time {
        let most = self.ready.known().max().unwrap_or_default();
        most.saturating_add(quarter(most)).clamp(READY, MOST_READY)
    }

    /// How much earlier the answers are begun that take longest.
    fn most_answer(&self) -> Time {
        let spans = self.answers.iter().flatten().map(lead);
        spans.max().unwrap_or_default()
    }

    /// How much earlier an answer of so many bytes is begun.
    pub(super) fn answer(&self, device: usize, bytes: usize) -> Time {
        lead(&self.answers[device][size_of(bytes)])
    }

    pub(super) const fn note_ready(&mut self, took: Time) {
        self.ready.note(took);
    }

    pub(super) fn note_answer(&mut self, device: usize, bytes: usize, took: Time) {
        self.answers[device][size_of(bytes)].note(took);
    }
}

/// Three quarters of the least: data lie in the client's queue a little before the call that puts them there is over.
fn lead(answers: &Lately) -> Time {
    if answers.count < LAST {
        return Time::ZERO;
    }
    let least = answers.known().min().unwrap_or_default();
    least.saturating_sub(quarter(least)).min(MOST_ANSWER)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(micros: u64) -> Time {
        Time::from_micros(micros)
    }

    #[test]
    fn an_answer_is_begun_earlier_by_part_of_the_least_of_the_last_of_its_kind_once_there_are_enough() {
        let mut ahead = Ahead::of(2);
        (1..LAST).for_each(|_| ahead.note_answer(0, 4_096, micros(40)));
        assert_eq!(ahead.answer(0, 4_096), Time::ZERO);
        ahead.note_answer(0, 4_096, micros(80));
        assert_eq!(ahead.answer(0, 4_096), micros(30));
        // Another size and another device are another kind.
        assert_eq!((ahead.answer(0, 4_097), ahead.answer(1, 4_096)), (Time::ZERO, Time::ZERO));
        // A client that doesn't have to be woken knows soon: one of them is enough.
        ahead.note_answer(0, 4_096, micros(4));
        assert_eq!(ahead.answer(0, 4_096), micros(3));
        (0..LAST).for_each(|_| ahead.note_answer(0, 4_096, micros(1_000)));
        assert_eq!(ahead.answer(0, 4_096), MOST_ANSWER);
    }

    #[test]
    fn the_model_is_looked_at_before_by_the_longest_that_it_took_lately_and_the_longest_answer() {
        let mut ahead = Ahead::of(1);
        assert_eq!(ahead.look(), READY);
        ahead.note_ready(micros(40));
        (0..3).for_each(|_| ahead.note_ready(micros(12)));
        assert_eq!(ahead.look(), micros(50));
        (0..LAST).for_each(|_| ahead.note_answer(0, 0, micros(20)));
        assert_eq!(ahead.look(), micros(65));
        (0..LAST).for_each(|_| ahead.note_ready(micros(12)));
        assert_eq!(ahead.look(), READY.saturating_add(micros(15)));
        ahead.note_ready(Time::from_millis(50));
        assert_eq!(ahead.look(), MOST_READY.saturating_add(micros(15)));
    }
}
