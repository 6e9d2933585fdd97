//! Requests like those of the captured traces (figures 34 to 37), made with a seed: the traces themselves aren't published.
//!
//! What their pictures and the text beside them say: reads are large and mixed, sequential and at random, the second trace's
//! less at random than the first's; the first trace's writes are at random in its first half and sequential in the second, and
//! their sizes "change quite randomly"; the second's are mixtures of both, and their sizes "greatly varied". What they leave
//! open is the mean size. Sizes are whole pages here, even of the first trace (uniform up to twice the mean) and geometric of
//! the second; a mixture is taken in eight phases.

use petrio_random::{generator, uniform, uniform_below};
use petrio_units::numbers::whole_part;
use serde::Serialize;

/// One of the two traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Trace {
    /// Figures 34 and 35.
    First,
    /// Figures 36 and 37.
    Second,
}

impl Trace {
    /// Both.
    pub const BOTH: [Self; 2] = [Self::First, Self::Second];

    /// Its number.
    pub const fn number(self) -> usize {
        match self {
            Self::First => 1,
            Self::Second => 2,
        }
    }
}

const PAGE_KIB: u64 = 4;
/// Parts of a mixture.
const PHASES: u64 = 8;
/// How often a read goes on where the one before ended.
const READS_GO_ON: [f64; 2] = [0.5, 0.75];
/// Any will do; another gives other rates within a few per cent.
const SEED: u64 = 20;

/// So many requests of a mean size on a file, both in KiB, as columns.
pub(super) fn requests(trace: Trace, reads: bool, [mean_kib, file_kib]: [u64; 2], count: u64) -> String {
    let word = if reads { "R" } else { "W" };
    let mut random = generator(SEED, 0, "captured", word);
    let mean = (mean_kib / PAGE_KIB).max(1);
    let pages = file_kib / PAGE_KIB;
    let mut text = "offset_kib,length_kib,operation\n".to_owned();
    let mut at = 0;
    for number in 0..count {
        let length = match trace {
            Trace::First => 1 + uniform_below(&mut random, 2 * mean - 1),
            Trace::Second => geometric(mean, uniform(&mut random)),
        };
        let goes_on = match (reads, trace) {
            (true, _) => uniform(&mut random) < READS_GO_ON[trace.number() - 1],
            (false, Trace::First) => number >= count / 2,
            (false, Trace::Second) => (number * PHASES / count) % 2 == 1,
        };
        if !goes_on || at + length > pages {
            at = uniform_below(&mut random, pages - length + 1);
        }
        text.push_str(&format!("{},{},{word}\n", at * PAGE_KIB, length * PAGE_KIB));
        at += length;
    }
    text
}

/// A geometric number from one on, by its inverse; no longer than sixteen times the mean.
fn geometric(mean: u64, uniform: f64) -> u64 {
    if mean == 1 {
        return 1;
    }
    let fails = 1.0 - 1.0 / mean as f64;
    let drawn = 1.0 + (libm::log(1.0 - uniform) / libm::log(fails)).floor();
    whole_part(drawn).min(16 * mean)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::machine::FILE_KIB;
    use super::*;

    /// Offset and length of each, KiB.
    fn read(text: &str) -> Vec<[u64; 2]> {
        let line = |line: &str| {
            let mut parts = line.split(',').map(|part| part.parse().unwrap_or(0));
            [parts.next().unwrap(), parts.next().unwrap()]
        };
        text.lines().skip(1).map(line).collect()
    }

    fn sequential(requests: &[[u64; 2]]) -> f64 {
        let goes_on = requests.windows(2).filter(|pair| pair[0][0] + pair[0][1] == pair[1][0]).count();
        goes_on as f64 / (requests.len() - 1) as f64
    }

    #[test]
    fn traces_have_the_properties_that_the_figures_show() {
        let of = |trace, reads| read(&requests(trace, reads, [32, FILE_KIB], 4_000));
        for trace in Trace::BOTH {
            for reads in [true, false] {
                let all = of(trace, reads);
                let mean = all.iter().map(|one| one[1]).sum::<u64>() as f64 / all.len() as f64;
                assert!((mean / 32.0 - 1.0).abs() < 0.05, "{trace:?} {reads}: {mean}");
                assert!(all.iter().all(|one| one[0] + one[1] <= FILE_KIB));
            }
        }
        let writes = of(Trace::First, false);
        assert!(sequential(&writes[..2_000]) < 0.01 && sequential(&writes[2_000..]) > 0.99);
        let mixed = sequential(&of(Trace::Second, false));
        assert!((0.45..0.55).contains(&mixed), "{mixed}");
        assert!(sequential(&of(Trace::Second, true)) > sequential(&of(Trace::First, true)) + 0.2);
    }
}
