//! Where the time of requests went: by cause, of all, of a workload, or of a kind.

use crate::served::Share;
use crate::subject::Reported;
use petrio_colours::{Causes, MOST_CAUSES};
use petrio_page::numbers::per_cent;

/// Fewer causes are named in a line than a figure shows, and none that is a smaller part of the time.
const NAMED: usize = 4;
const LEAST: f64 = 0.01;

/// What the time of those is called that hadn't completed when the run ended.
const UNFINISHED: &str = "unfinished";

/// Time spent by cause, in picoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Spent([u128; MOST_CAUSES]);

impl Spent {
    /// A request has completed.
    #[inline]
    pub(super) fn record<R: Reported>(&mut self, request: &R) {
        for (sum, cause) in self.0.iter_mut().zip(R::Cause::ALL) {
            *sum += u128::from(request.ledger().of(*cause).as_picos());
        }
    }

    /// With that of others.
    pub(super) fn merge(&mut self, other: &Self) {
        self.0.iter_mut().zip(other.0).for_each(|(sum, more)| *sum += more);
    }

    /// As shares of what `completed` requests took, `response` picoseconds in all, in the order in which a request meets the
    /// causes; at the end the `ages` of those that were still under way, where these are worth a word.
    pub(super) fn shares<R: Reported>(
        &self,
        (completed, response): (u64, u128),
        (waiting, ages): (u64, u128),
    ) -> Vec<Share> {
        let is_told = ages as f64 >= LEAST * (response + ages) as f64 && ages > 0;
        let (count, all) =
            if is_told { (completed + waiting, response + ages) } else { (completed, response) };
        let share = |cause: &str, sum: u128| Share {
            cause: cause.to_owned(),
            mean_ms: sum as f64 / 1e9 / count.max(1) as f64,
            fraction: sum as f64 / all.max(1) as f64,
        };
        let charged: u128 = self.0.iter().sum();
        let mut shares: Vec<Share> = (R::Cause::ALL.iter().zip(&self.0))
            .filter(|&(_, &sum)| sum > 0)
            .map(|(cause, &sum)| share(cause.name(), sum))
            .collect();
        // A stage that took time without saying on what is a gap in the model; it is shown rather than hidden.
        if response > charged {
            shares.push(share("not attributed", response - charged));
        }
        if is_told {
            shares.push(share(UNFINISHED, ages));
        }
        shares
    }
}

/// The greatest shares in words: "device reads 71 %, network 20 %".
pub(super) fn in_words(shares: &[Share]) -> String {
    let mut shares: Vec<&Share> = shares.iter().filter(|share| share.fraction >= LEAST).collect();
    shares.sort_by(|a, b| b.fraction.total_cmp(&a.fraction));
    let words = shares.into_iter().take(NAMED);
    words.map(|share| format!("{} {}", share.cause, per_cent(share.fraction))).collect::<Vec<_>>().join(", ")
}
