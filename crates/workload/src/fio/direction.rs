//! fio's `rw`: what is done, in which order, and how far apart.

use super::options::{Options, size_of};
use super::{FioError, ini::Entry};
use crate::program::accesses::{AccessKind, AccessOrder};

/// What is done, and in which order.
pub(super) struct Direction {
    pub(super) operation: AccessKind,
    pub(super) order: AccessOrder,
    /// Accesses in a row from each random place.
    pub(super) run: u64,
    /// Bytes from the end of an access in a row to the next.
    pub(super) skip: i64,
    /// Trims that are part of it, which are not played, with the line.
    pub(super) trims: Option<u32>,
}

pub(super) fn direction(options: &mut Options) -> Result<Direction, FioError> {
    let usual = Direction {
        operation: AccessKind::Read,
        order: AccessOrder::Sequential,
        run: 1,
        skip: 0,
        trims: None,
    };
    let Some(Entry { value, line, .. }) = options.take(&["rw", "readwrite"]) else { return Ok(usual) };
    let (word, number) =
        value.split_once(':').map_or((value.as_str(), None), |(word, rest)| (word, Some(rest)));
    let of = |operation, random: bool, trims: bool| {
        let order = if random { AccessOrder::Random } else { AccessOrder::Sequential };
        Direction { operation, order, trims: trims.then_some(line), ..usual }
    };
    let mut found = match word.trim() {
        "read" => of(AccessKind::Read, false, false),
        "write" => of(AccessKind::Write, false, false),
        "randread" => of(AccessKind::Read, true, false),
        "randwrite" => of(AccessKind::Write, true, false),
        "rw" | "readwrite" => of(AccessKind::Mixed, false, false),
        "randrw" => of(AccessKind::Mixed, true, false),
        "trimwrite" => of(AccessKind::Write, false, true),
        "randtrimwrite" => of(AccessKind::Write, true, true),
        "trim" | "randtrim" => {
            let problem = format!("rw={word}: trims are not played, for no device here knows what they free");
            return Err(FioError::at(line, problem));
        }
        other => {
            let help = "it is read, write, rw, randread, randwrite, randrw, trimwrite or randtrimwrite";
            return Err(FioError::at(line, format!("rw={other} is not known here")).with_help(help));
        }
    };
    let Some(number) = number.map(str::trim).filter(|number| !number.is_empty()) else { return Ok(found) };
    let wrong = || {
        let help =
            "write rw=randread:8 for eight in a row, rw=read:8k for holes, rw=read:-8k to go backwards";
        FioError::at(line, format!("rw={value}: \"{number}\" is no number that could be meant"))
            .with_help(help)
    };
    if found.order == AccessOrder::Random {
        found.run = number.parse().ok().filter(|run| *run > 0).ok_or_else(wrong)?;
    } else {
        let (sign, size) = match number.strip_prefix('-') {
            Some(size) => (-1, size),
            None => (1, number),
        };
        let bytes = size_of(size, options.kb_base()).and_then(|bytes| i64::try_from(bytes).ok());
        found.skip = sign * bytes.ok_or_else(wrong)?;
    }
    Ok(found)
}
