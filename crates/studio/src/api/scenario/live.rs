//! What a run has done so far, over the model's time: how much a second, and how long it took.

use petrio_kernel::Time;
use petrio_scenario::report::{ReportError, Reported, RequestSink};
use serde::Serialize;
use std::sync::{Arc, Mutex, PoisonError};

/// Spans of the picture at most. When a run goes on beyond them, two become one.
const SPANS: usize = 96;
/// The first span, seconds: a run of many operations is longer within moments.
const FIRST_S: f64 = 1e-3;

/// What was done in a span of model time.
#[derive(Clone, Copy, Default)]
struct Span {
    count: u64,
    bytes: u64,
    /// Seconds of all that completed in it, and of the longest.
    sum_s: f64,
    max_s: f64,
}

impl Span {
    fn with(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            bytes: self.bytes + other.bytes,
            sum_s: self.sum_s + other.sum_s,
            max_s: self.max_s.max(other.max_s),
        }
    }
}

/// What has been done so far.
struct Done {
    span_s: f64,
    spans: Vec<Span>,
    all: Span,
}

impl Done {
    fn add(&mut self, at_s: f64, one: Span) {
        while at_s >= self.span_s * SPANS as f64 {
            self.span_s *= 2.0;
            let pairs = self.spans.chunks(2);
            self.spans = pairs.map(|pair| pair.iter().fold(Span::default(), |a, b| a.with(*b))).collect();
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below the number of spans"
        )]
        let number = ((at_s / self.span_s).max(0.0) as usize).min(SPANS - 1);
        if self.spans.len() <= number {
            self.spans.resize(number + 1, Span::default());
        }
        self.spans[number] = self.spans[number].with(one);
        self.all = self.all.with(one);
    }
}

/// The same as its page draws it: a number for each span, from the beginning.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct Moving {
    /// Seconds of model time of a span.
    span_s: f64,
    /// Completed, a second.
    per_s: Vec<f64>,
    /// Bytes a second.
    bytes_per_s: Vec<f64>,
    /// Mean latency, milliseconds; nothing where nothing completed.
    mean_ms: Vec<Option<f64>>,
    /// The longest.
    max_ms: Vec<Option<f64>>,
    /// Of all so far.
    completed: u64,
    mean_ms_of_all: Option<f64>,
}

/// Looks at everything that completes.
#[derive(Clone)]
pub(crate) struct Live(Arc<Mutex<Done>>);

impl Live {
    pub(crate) fn new() -> Self {
        let done = Done { span_s: FIRST_S, spans: Vec::new(), all: Span::default() };
        Self(Arc::new(Mutex::new(done)))
    }

    /// The picture up to now; the last span isn't over, so it isn't in it unless it is the only one.
    pub(crate) fn picture(&self) -> Moving {
        let done = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let whole = &done.spans[..done.spans.len().saturating_sub(1).max(done.spans.len().min(1))];
        let mean_ms = |span: &Span| (span.count > 0).then(|| span.sum_s / span.count as f64 * 1e3);
        Moving {
            span_s: done.span_s,
            per_s: whole.iter().map(|span| span.count as f64 / done.span_s).collect(),
            bytes_per_s: whole.iter().map(|span| span.bytes as f64 / done.span_s).collect(),
            mean_ms: whole.iter().map(mean_ms).collect(),
            max_ms: whole.iter().map(|span| (span.count > 0).then_some(span.max_s * 1e3)).collect(),
            completed: done.all.count,
            mean_ms_of_all: mean_ms(&done.all),
        }
    }

    fn add(&self, issued: Time, at: Time, bytes: u64) {
        let took = at.saturating_sub(issued).as_seconds();
        let one = Span { count: 1, bytes, sum_s: took, max_s: took };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).add(at.as_seconds(), one);
    }
}

impl<R: Reported> RequestSink<R> for Live {
    fn completed(&mut self, request: &R, at: Time) -> Result<(), ReportError> {
        if request.is_of_storage() && !request.is_word() {
            self.add(request.issued(), at, request.bytes());
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), ReportError> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_grow_with_the_run_and_nothing_is_lost() {
        let live = Live::new();
        // 100 a second for 10 s, each of 4 ms and 1000 bytes.
        for number in 0..1000u64 {
            let at = Time::from_millis(number * 10 + 5);
            live.add(at.saturating_sub(Time::from_millis(4)), at, 1000);
        }
        let moving = live.picture();
        assert_eq!(moving.completed, 1000);
        assert!((moving.mean_ms_of_all.unwrap_or_default() - 4.0).abs() < 1e-9);
        assert!(moving.per_s.len() > SPANS / 2 - 2 && moving.per_s.len() <= SPANS, "{}", moving.per_s.len());
        let covered = moving.span_s * moving.per_s.len() as f64;
        assert!((9.0..=10.0).contains(&covered), "{covered}");
        let counted: f64 = moving.per_s.iter().sum::<f64>() * moving.span_s;
        assert!((counted - covered * 100.0).abs() <= 2.0, "{counted}");
        assert!(
            (moving.bytes_per_s.iter().sum::<f64>() - 1000.0 * moving.per_s.iter().sum::<f64>()).abs() < 1e-3
        );
        assert!(moving.max_ms.iter().all(|most| most.is_some_and(|most| (most - 4.0).abs() < 1e-9)));
    }

    #[test]
    fn a_run_that_has_done_nothing_has_an_empty_picture() {
        let moving = Live::new().picture();
        assert_eq!((moving.completed, moving.per_s.len(), moving.mean_ms_of_all), (0, 0, None));
    }
}
