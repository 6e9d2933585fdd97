//! Block traces of Tencent's cloud block storage (2018): time in s since 1970, offset and length in blocks of 512 bytes, 0 for a read
//! and 1 for a write, volume.
//!
//! Source: SNIA IOTTA, "Tencent Block Storage Traces"; Zhang, Huang, Zhou, Li, Ji & Yang, "OSCA: an online-model based cache
//! allocation scheme in cloud block storage systems", USENIX ATC 2020. Times are whole seconds: within one, requests come at once.

use super::table::{Between, Column, Layout, Operations, Published, fits, is_of_this_century};
use super::{Facts, Fit, Parser, PositionKind, Sample};
use crate::field::{SECONDS, looks_whole};
use std::borrow::Cow;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Published::new(layout()))),
};

fn layout() -> Layout {
    use Column::{Address, Device, Length, Operation, Time};
    const COLUMNS: [Column; 5] =
        [Time(SECONDS), Address { bytes: false }, Length { bytes: false }, Operation, Device];
    Layout {
        columns: Cow::Borrowed(&COLUMNS),
        between: Between::Byte(b','),
        operations: Operations::Words(b"0".to_vec(), b"1".to_vec()),
        names: "time in s, offset in blocks, length in blocks, 0 or 1, volume",
        goes_on: false,
    }
}

fn fit(sample: &Sample<'_>) -> Fit {
    fits(sample, &layout(), |[time, offset, blocks, operation, volume]: [&[u8]; 5]| {
        matches!(operation, b"0" | b"1")
            && [offset, blocks, volume].into_iter().all(looks_whole)
            && is_of_this_century(time, SECONDS)
    })
}
