//! What is counted of requests kind by kind, and in which span they came.

use crate::latency::{Latency, LatencyHistogram};
use crate::served::{KindHistogram, OperationFigures, Requests, Share, WorkloadFigures};
use crate::spent::Spent;
use crate::subject::{Kind, Reported, Sort};
use crate::waiting::{Left, UnderWay};
use petrio_kernel::Time;

/// Requests that have completed, by kind.
#[derive(Clone, Debug, Default)]
pub(super) struct ByKind {
    /// A kind that never comes has none.
    kinds: Vec<Option<Box<OfKind>>>,
    /// When the first of them was issued, and when the last completed.
    span: Option<(Time, Time)>,
}

/// The requests of a kind.
#[derive(Clone, Debug, Default)]
struct OfKind {
    latencies: LatencyHistogram,
    spent: Spent,
    bytes: u64,
    from_cache: u64,
}

impl OfKind {
    fn shares<R: Reported>(&self, ages: (u64, u128)) -> Vec<Share> {
        self.spent.shares::<R>((self.latencies.count(), self.latencies.sum_ps()), ages)
    }
}

impl ByKind {
    /// Adds a request that completed at `at`.
    #[inline]
    pub(super) fn record<R: Reported>(&mut self, request: &R, at: Time) {
        if self.kinds.is_empty() {
            self.kinds.resize_with(R::KINDS.len(), || None);
        }
        let issued = request.issued();
        let kind = self.kinds[request.kind()].get_or_insert_with(Box::default);
        kind.latencies.record(at - issued);
        kind.spent.record(request);
        kind.bytes = kind.bytes.saturating_add(request.bytes());
        kind.from_cache += u64::from(request.is_from_cache());
        self.span = match self.span {
            Some((first, _)) => Some((first.min(issued), at)),
            None => Some((issued, at)),
        };
    }

    /// Adds those of another workload.
    pub(super) fn merge(&mut self, other: &Self) {
        self.kinds.resize_with(self.kinds.len().max(other.kinds.len()), || None);
        for (own, other) in self.kinds.iter_mut().zip(&other.kinds) {
            let Some(other) = other else { continue };
            let own = own.get_or_insert_with(Box::default);
            own.latencies.merge(&other.latencies);
            own.spent.merge(&other.spent);
            own.bytes = own.bytes.saturating_add(other.bytes);
            own.from_cache += other.from_cache;
        }
        self.span = match (self.span, other.span) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (one, other) => one.or(other),
        };
    }

    /// The latencies of all kinds together, and their bytes.
    pub(super) fn together(&self) -> (LatencyHistogram, u64) {
        let mut all = (LatencyHistogram::default(), 0u64);
        for kind in self.kinds.iter().flatten() {
            all.0.merge(&kind.latencies);
            all.1 = all.1.saturating_add(kind.bytes);
        }
        all
    }

    /// Where the time of all of them went, beside so many that are under way, and their ages.
    pub(super) fn breakdown<R: Reported>(&self, ages: (u64, u128)) -> Vec<Share> {
        let (mut spent, mut completed, mut response) = (Spent::default(), 0, 0);
        for kind in self.kinds.iter().flatten() {
            spent.merge(&kind.spent);
            completed += kind.latencies.count();
            response += kind.latencies.sum_ps();
        }
        spent.shares::<R>((completed, response), ages)
    }

    /// How many there were.
    pub(super) fn requests<R: Reported>(&self) -> Requests {
        let mut requests = Requests::default();
        for (of_kind, kind) in self.kinds.iter().zip(R::KINDS) {
            let Some(of_kind) = of_kind else { continue };
            let count = of_kind.latencies.count();
            match kind.sort {
                Sort::Read => requests.reads += count,
                Sort::Write => requests.writes += count,
                Sort::Flush => requests.flushes += count,
                Sort::Computing | Sort::Messages | Sort::Other => requests.others += count,
            }
            requests.completed += count;
            requests.from_cache += of_kind.from_cache;
        }
        requests
    }

    /// The latencies of the first kind of a sort.
    pub(super) fn latency_of<R: Reported>(&self, sort: Sort) -> Option<Latency> {
        let number = R::KINDS.iter().position(|kind| kind.sort == sort)?;
        self.kinds.get(number)?.as_ref()?.latencies.summary()
    }

    /// Each kind that came, whose rates are over so many seconds from `begin` on, with what of it is left that is `own`.
    pub(super) fn operations<R: Reported>(
        &self,
        (begin, seconds): (Time, f64),
        left: &Left,
        own: impl Fn(&UnderWay) -> bool,
    ) -> Vec<OperationFigures> {
        let none = OfKind::default();
        let figures = |(number, kind): (usize, &Kind)| {
            let is_own = |request: &UnderWay| request.kind == number && own(request);
            let waiting = left.waiting(is_own);
            let of_kind = self.kinds.get(number).and_then(Option::as_deref);
            if of_kind.is_none() && waiting.is_none() {
                return None;
            }
            let of_kind = of_kind.unwrap_or(&none);
            let completed = of_kind.latencies.count();
            Some(OperationFigures {
                operation: kind.name.to_owned(),
                completed,
                per_s: per_second(completed, seconds).into(),
                bytes: of_kind.bytes,
                from_cache: of_kind.from_cache,
                latency: of_kind.latencies.summary(),
                waiting,
                breakdown: of_kind.shares::<R>(left.ages(begin, is_own)),
            })
        };
        R::KINDS.iter().enumerate().filter_map(figures).collect()
    }

    /// The latencies of each kind, where there are several.
    pub(super) fn histograms<R: Reported>(&self) -> Vec<KindHistogram> {
        let of_kind = |(of_kind, kind): (&Option<Box<OfKind>>, &Kind)| {
            let histogram = of_kind.as_ref()?.latencies.bins();
            Some(KindHistogram { kind: kind.name.to_owned(), histogram })
        };
        let all: Vec<KindHistogram> = self.kinds.iter().zip(R::KINDS).filter_map(of_kind).collect();
        if all.len() > 1 { all } else { Vec::new() }
    }

    /// What the workload of this number got over its own span, in a run that is measured from `begin` on; nothing where it
    /// never asked for anything.
    pub(super) fn workload<R: Reported>(
        &self,
        (number, name): (usize, &str),
        begin: Time,
        left: &Left,
    ) -> Option<WorkloadFigures> {
        let begun = left.begun.get(number).copied().flatten();
        let first = self.span.map(|(first, _)| first).into_iter().chain(begun).min()?;
        let from = first.max(begin);
        let goes_on = left.goes_on.get(number).copied().unwrap_or(false);
        let last = self.span.map(|(_, last)| last);
        let until = last.filter(|_| !goes_on).unwrap_or(left.now.max(last.unwrap_or(from))).max(from);
        let seconds = until.saturating_sub(from).as_seconds();
        let (latencies, bytes) = self.together();
        let own = |request: &UnderWay| request.workload == number;
        let operations = self.operations::<R>((from, seconds), left, own);
        Some(WorkloadFigures {
            workload: name.to_owned(),
            from_s: from.as_seconds(),
            until_s: until.as_seconds(),
            completed: latencies.count(),
            bytes,
            throughput_bytes_per_s: per_second(bytes, seconds).into(),
            per_s: per_second(latencies.count(), seconds).into(),
            latency: latencies.summary(),
            waiting: left.waiting(own),
            breakdown: self.breakdown::<R>(left.ages(from, own)),
            operations: if operations.len() > 1 { operations } else { Vec::new() },
        })
    }
}

/// A rate; zero over no time.
pub(super) fn per_second(amount: u64, seconds: f64) -> f64 {
    if seconds > 0.0 { amount as f64 / seconds } else { 0.0 }
}
