//! Block traces of Alibaba Cloud (2020): device, `R|W`, offset and length in bytes, time in us since 1970.
//!
//! Source: the README of github.com/alibaba/block-traces (Li, Wang, Liu, Xu & Lee, "An in-depth analysis of cloud block storage
//! workloads in large-scale production", IISWC 2020).

use super::table::{Between, Column, Layout, Operations, Published, fits, is_of_this_century};
use super::{Facts, Fit, Parser, PositionKind, Sample};
use crate::field::{MICROSECONDS, looks_whole};
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
        [Device, Operation, Address { bytes: true }, Length { bytes: true }, Time(MICROSECONDS)];
    Layout {
        columns: Cow::Borrowed(&COLUMNS),
        between: Between::Byte(b','),
        operations: Operations::Letters,
        names: "device, R or W, offset in bytes, length in bytes, time in us",
        goes_on: false,
    }
}

fn fit(sample: &Sample<'_>) -> Fit {
    fits(sample, &layout(), |[device, operation, offset, bytes, time]: [&[u8]; 5]| {
        matches!(operation, b"R" | b"W" | b"r" | b"w")
            && [device, offset, bytes, time].into_iter().all(looks_whole)
            && is_of_this_century(time, MICROSECONDS)
    })
}
