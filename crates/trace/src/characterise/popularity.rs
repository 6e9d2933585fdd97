//! How unevenly pages are used: the share of all uses that the most popular pages have.

use serde::Serialize;
use std::collections::BTreeMap;

/// Percentages of the pages that the curve is given for.
const PERCENTAGES: [f64; 13] = [0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 50.0, 70.0, 100.0];

/// How unevenly pages are used.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Popularity {
    /// Uses of the page that is used most.
    pub most_uses: u64,
    /// Pages used exactly once.
    pub used_once: u64,
    /// Shares of the most popular pages, for rising percentages of the pages.
    pub points: Vec<PopularityPoint>,
}

/// What the most popular pages have of all uses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PopularityPoint {
    /// So many per cent of all pages, the most popular ones.
    pub pages_percent: f64,
    /// Their fraction of all uses, 0 to 1.
    pub fraction_of_uses: f64,
}

/// From the uses of each page, in any order. A percentage that isn't whole pages takes a part of the next page.
pub(super) fn popularity(uses: impl Iterator<Item = u32>) -> Popularity {
    // Many pages have the same few numbers of uses, so what is sorted is small.
    let mut pages_by_uses: BTreeMap<u32, u64> = BTreeMap::new();
    for uses in uses {
        *pages_by_uses.entry(uses).or_default() += 1;
    }
    let pages: u64 = pages_by_uses.values().sum();
    let all: f64 = pages_by_uses.iter().map(|(uses, pages)| f64::from(*uses) * *pages as f64).sum();
    let mut points = Vec::new();
    let (mut counted_pages, mut counted_uses) = (0.0, 0.0);
    let mut wanted = PERCENTAGES.into_iter().peekable();
    for (&uses, &of_it) in pages_by_uses.iter().rev() {
        while let Some(percent) =
            wanted.next_if(|percent| percent / 100.0 * pages as f64 <= counted_pages + of_it as f64)
        {
            let part = percent / 100.0 * pages as f64 - counted_pages;
            let fraction_of_uses = ((counted_uses + part * f64::from(uses)) / all).min(1.0);
            points.push(PopularityPoint { pages_percent: percent, fraction_of_uses });
        }
        counted_pages += of_it as f64;
        counted_uses += f64::from(uses) * of_it as f64;
    }
    Popularity {
        most_uses: pages_by_uses.last_key_value().map_or(0, |(uses, _)| u64::from(*uses)),
        used_once: pages_by_uses.get(&1).copied().unwrap_or(0),
        points,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn shares_of_ten_pages_counted_by_hand() {
        // 40 uses: 20 + 10 + 2 + 2 and six times 1.
        let found = popularity([1, 20, 1, 1, 2, 10, 1, 1, 2, 1].into_iter());
        assert_eq!((found.most_uses, found.used_once), (20, 6));
        let share = |percent: f64| {
            found.points.iter().find(|point| point.pages_percent == percent).unwrap().fraction_of_uses
        };
        assert!((share(10.0) - 0.5).abs() < 1e-12);
        assert!((share(20.0) - 0.75).abs() < 1e-12);
        assert!((share(5.0) - 0.25).abs() < 1e-12, "half of the most popular page");
        assert!((share(50.0) - 35.0 / 40.0).abs() < 1e-12);
        assert_eq!(share(100.0), 1.0);
    }

    #[test]
    fn pages_used_alike_have_their_share() {
        let found = popularity(std::iter::repeat_n(3, 1_000));
        for point in &found.points {
            assert!((point.fraction_of_uses - point.pages_percent / 100.0).abs() < 1e-12);
        }
        assert_eq!(found.points.len(), PERCENTAGES.len());
    }
}
