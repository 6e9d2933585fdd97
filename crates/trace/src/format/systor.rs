//! Traces of a virtual desktop (SYSTOR 2017): time and response in s, `R|W` or nothing, unit, offset and length in bytes.
//!
//! Source: SNIA IOTTA, "SYSTOR '17 Traces"; Lee, Kumano, Matsuki, Endo, Fukumoto & Sugawara, "Understanding storage traffic
//! characteristics on enterprise virtual desktop infrastructure", SYSTOR 2017. Lines without an operation are counted.

use super::table::{Between, Column, Layout, Operations, Published, fits, is_of_this_century};
use super::{Facts, Fit, Parser, PositionKind, Sample};
use crate::field::{SECONDS, looks_numeric, looks_whole};
use std::borrow::Cow;

pub(crate) const FACTS: Facts = Facts {
    reorder_window: 0,
    places: PositionKind::Lines,
    fit,
    parser: Parser::Block(|_| Box::new(Published::new(layout()))),
};

fn layout() -> Layout {
    use Column::{Address, Device, Length, Operation, Response, Time};
    const COLUMNS: [Column; 6] = [
        Time(SECONDS),
        Response(SECONDS),
        Operation,
        Device,
        Address { bytes: true },
        Length { bytes: true },
    ];
    Layout {
        columns: Cow::Borrowed(&COLUMNS),
        between: Between::Byte(b','),
        operations: Operations::Letters,
        names: "time in s, response in s, R or W or nothing, unit, offset in bytes, length in bytes",
        goes_on: false,
    }
}

fn fit(sample: &Sample<'_>) -> Fit {
    fits(sample, &layout(), |[time, response, operation, unit, offset, bytes]: [&[u8]; 6]| {
        matches!(operation, b"R" | b"W" | b"")
            && looks_numeric(response)
            && [unit, offset, bytes].into_iter().all(looks_whole)
            && is_of_this_century(time, SECONDS)
    })
}
