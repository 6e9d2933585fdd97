//! Traces of Florida International University (2008 to 2011): time in ns, process, its name, block, blocks, `R|W`, major and minor number,
//! and what the data hash to.
//!
//! Source: SNIA IOTTA, "FIU IODedup" and "FIU SRCMap"; Koller & Rangaswami, "I/O deduplication", FAST 2010. Blocks are of 512 bytes.

use super::table::{Between, Column, Layout, Operations, Published, fits};
use super::{Facts, Fit, Parser, PositionKind, Sample};
use crate::field::{NANOSECONDS, looks_whole};
use std::borrow::Cow;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Published::new(layout()))),
};

fn layout() -> Layout {
    use Column::{Address, Ignored, Length, Major, Minor, Operation, Process, Time};
    const COLUMNS: [Column; 8] = [
        Time(NANOSECONDS),
        Process,
        Ignored,
        Address { bytes: false },
        Length { bytes: false },
        Operation,
        Major,
        Minor,
    ];
    Layout {
        columns: Cow::Borrowed(&COLUMNS),
        between: Between::Blanks,
        operations: Operations::Letters,
        names: "time in ns, process, name, block, blocks, R or W, major, minor, hash",
        goes_on: true,
    }
}

fn fit(sample: &Sample<'_>) -> Fit {
    fits(sample, &layout(), |[time, process, _, block, blocks, operation, major, minor]: [&[u8]; 8]| {
        matches!(operation, b"R" | b"W")
            && [time, process, block, blocks, major, minor].into_iter().all(looks_whole)
    })
}
