//! In which order calls of which kinds came, and after which pauses.

use super::super::calls::{After, CallChain, CallKind, KINDS};
use petrio_distribution::{Observed, normal_quantile};
use petrio_time::Time;
use petrio_trace::event::EventKind;
use rustc_hash::FxHashMap;

/// So few pauses between two kinds of calls are counted with all others.
const PAUSES_LEAST: u64 = 30;
/// Pauses that are kept in their order, for their correlation and for phases.
const IN_ORDER_MOST: usize = 1 << 16;
/// Pauses of zero seconds have no logarithm: the finest time that traces tell.
const FINEST_S: f64 = 1e-9;

/// The kind of a call, of those that users make.
pub(super) const fn kind_of(kind: EventKind) -> Option<CallKind> {
    Some(match kind {
        EventKind::Stat => CallKind::Stat,
        EventKind::Open => CallKind::Open,
        EventKind::Create => CallKind::Create,
        EventKind::Read => CallKind::Read,
        EventKind::Write => CallKind::Write,
        EventKind::Fsync | EventKind::Fdatasync => CallKind::Fsync,
        EventKind::Close => CallKind::Close,
        EventKind::Unlink => CallKind::Unlink,
        _ => return None,
    })
}

/// A pause, as it came.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    /// Of which session.
    pub(super) session: u32,
    /// The kinds before and after it, in one number.
    pair: u16,
    /// Its logarithm, less the mean of those of its pair; in seconds before that is known.
    pub(super) level: f64,
}

/// The calls of the sessions of one type.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls {
    counts: FxHashMap<u16, u64>,
    pauses: FxHashMap<u16, Observed>,
    all: Observed,
    in_order: Vec<Pause>,
}

#[expect(clippy::cast_possible_truncation, reason = "there are few kinds")]
const fn pair(last: CallKind, next: CallKind) -> u16 {
    (last as usize * KINDS + next as usize) as u16
}

impl Calls {
    /// A call of the kind `next` came after one of the kind `last`, `pause` after it was over where that is known.
    pub(super) fn add(&mut self, session: u32, (last, next): (CallKind, CallKind), pause: Option<Time>) {
        let pair = pair(last, next);
        *self.counts.entry(pair).or_default() += 1;
        let Some(pause) = pause else { return };
        let seconds = pause.as_seconds();
        self.pauses.entry(pair).or_default().add(seconds);
        self.all.add(seconds);
        if self.in_order.len() < IN_ORDER_MOST {
            self.in_order.push(Pause { session, pair, level: seconds });
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        for (pair, count) in &other.counts {
            *self.counts.entry(*pair).or_default() += count;
        }
        for (pair, pauses) in &other.pauses {
            self.pauses.entry(*pair).or_default().join(pauses);
        }
        self.all.join(&other.all);
        self.in_order.extend(other.in_order.iter().take(IN_ORDER_MOST.saturating_sub(self.in_order.len())));
    }

    /// Pauses in order of sessions, as logarithms less the means of their pairs: what is left when the kinds of calls
    /// have said what they can.
    pub(super) fn levels(&self) -> Vec<Pause> {
        let mut sums = vec![(0.0, 0.0); KINDS * KINDS];
        let log = |pause: &Pause| libm::log(pause.level.max(FINEST_S));
        for pause in &self.in_order {
            let sum = &mut sums[usize::from(pause.pair)];
            *sum = (sum.0 + 1.0, sum.1 + log(pause));
        }
        let mut levels: Vec<Pause> = self
            .in_order
            .iter()
            .map(|pause| {
                let (count, sum) = sums[usize::from(pause.pair)];
                Pause { level: log(pause) - sum / count, ..*pause }
            })
            .collect();
        levels.sort_by_key(|pause| pause.session);
        levels
    }

    /// The pauses in the same order, in seconds.
    pub(super) fn seconds(&self) -> Vec<f64> {
        let mut sorted: Vec<&Pause> = self.in_order.iter().collect();
        sorted.sort_by_key(|pause| pause.session);
        sorted.into_iter().map(|pause| pause.level).collect()
    }

    /// The chain; `paces` says by how much longer than always each of the pauses in order was, where phases were found.
    pub(super) fn chain(&self, correlation: Option<f64>, paces: Option<&[f64]>) -> Option<CallChain> {
        if self.all.is_empty() {
            return None;
        }
        let adjusted = paces.map(|paces| self.at_pace(paces));
        let (all, pauses) =
            adjusted.as_ref().map_or((&self.all, &self.pauses), |(all, pauses)| (all, pauses));
        let mut chain =
            CallChain { pause: all.values(), pause_correlation: correlation, after: Default::default() };
        for last in CallKind::ALL {
            let mut after = After::default();
            for next in CallKind::ALL {
                let pair = pair(last, next);
                if let Some(count) = self.counts.get(&pair) {
                    after.next.insert(next, *count as f64);
                }
                if let Some(seen) = pauses.get(&pair).filter(|seen| seen.len() >= PAUSES_LEAST) {
                    after.pauses.insert(next, seen.values());
                }
            }
            if !after.next.is_empty() {
                chain.after.insert(last, after);
            }
        }
        Some(chain)
    }

    /// Pauses as they would be without phases.
    fn at_pace(&self, paces: &[f64]) -> (Observed, FxHashMap<u16, Observed>) {
        let mut sorted: Vec<&Pause> = self.in_order.iter().collect();
        sorted.sort_by_key(|pause| pause.session);
        let (mut all, mut of_pair) = (Observed::default(), FxHashMap::<u16, Observed>::default());
        for (pause, pace) in sorted.into_iter().zip(paces) {
            let seconds = pause.level / pace;
            all.add(seconds);
            of_pair.entry(pause.pair).or_default().add(seconds);
        }
        (all, of_pair)
    }
}

/// The correlation of normal numbers of the same ranks as these pauses, at a lag, within sessions; with its standard error.
pub(super) fn correlation(levels: &[Pause], lag: usize) -> Option<(f64, f64)> {
    let mut order: Vec<usize> = (0..levels.len()).collect();
    order.sort_by(|a, b| levels[*a].level.total_cmp(&levels[*b].level));
    let mut scores = vec![0.0; levels.len()];
    let mut at = 0;
    while at < order.len() {
        let same =
            order[at..].iter().take_while(|there| levels[**there].level == levels[order[at]].level).count();
        let p = (at as f64 + same as f64 / 2.0) / levels.len() as f64;
        for index in &order[at..at + same] {
            scores[*index] = normal_quantile(p);
        }
        at += same;
    }
    let (mut n, mut product, mut squares) = (0.0, 0.0, [0.0; 2]);
    for at in lag..levels.len() {
        if levels[at].session == levels[at - lag].session {
            let (a, b) = (scores[at - lag], scores[at]);
            n += 1.0;
            product += a * b;
            squares = [squares[0] + a * a, squares[1] + b * b];
        }
    }
    let spread = (squares[0] * squares[1]).sqrt();
    (n >= PAUSES_LEAST as f64 && spread > 0.0).then(|| (product / spread, 1.0 / f64::sqrt(n)))
}
