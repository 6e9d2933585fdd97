//! fio's `rate`, `rate_iops` and `rate_process`: how fast accesses are issued at most.

use super::FioError;
use super::ini::Entry;
use super::options::{Options, size_of};
use crate::program::accesses::{LimitOn, Pace, Sizes};
use petrio_units::Rate;

/// No limit beside another that there is.
const NO_LIMIT_PER_SECOND: f64 = 1e12;

/// The paces of reads and of writes; the second is left out where it is that of the first.
pub(super) fn paces(
    options: &mut Options,
    (reads, writes): (&Sizes, &Sizes),
) -> Result<(Option<Pace>, Option<Pace>), FioError> {
    let base = options.kb_base();
    let (bytes, count) = (options.take(&["rate"]), options.take(&["rate_iops"]));
    let drawn = options.take(&["rate_process"]).is_some_and(|entry| entry.value == "poisson");
    let limit = |writes: bool, sizes: &Sizes| -> Result<Option<LimitOn>, FioError> {
        let of = |entry: &Option<Entry>| {
            let entry = entry.as_ref()?;
            let value = part(&entry.value, writes)?;
            Some(size_of(value, base).filter(|rate| *rate > 0).ok_or_else(|| {
                let problem = format!("{}={}: a rate such as 1m is needed here", entry.key, entry.value);
                FioError::at(entry.line, problem)
            }))
        };
        let bytes = of(&bytes).transpose()?.and_then(|bytes| Rate::new(bytes as f64));
        let count = of(&count).transpose()?.map(|count| count as f64);
        Ok(match (bytes, count) {
            (Some(bytes), Some(count))
                if bytes.bytes_per_second() / sizes.bounds().0.max(1) as f64 > count =>
            {
                Some(LimitOn::PerSecond(count))
            }
            (Some(bytes), _) => Some(LimitOn::Bytes(bytes)),
            (None, count) => count.map(LimitOn::PerSecond),
        })
    };
    let (read, write) = (limit(false, reads)?, limit(true, writes)?);
    let pace = |limit: Option<LimitOn>| limit.map(|limit| Pace { limit, drawn });
    let open = Pace { limit: LimitOn::PerSecond(NO_LIMIT_PER_SECOND), drawn: false };
    Ok(match (pace(read), pace(write)) {
        (read, write) if read == write => (read, None),
        (read, write) => (read, write.or(Some(open))),
    })
}

/// What a list of values for reads and writes says of one of them: one alone is for both, and what is left empty for none.
fn part(text: &str, writes: bool) -> Option<&str> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    let own = match parts.as_slice() {
        [only] => only,
        parts => parts.get(usize::from(writes))?,
    };
    Some(*own).filter(|own| !own.is_empty())
}
