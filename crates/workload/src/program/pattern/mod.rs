//! Patterns: processes that go through files of their own in a given order, as iozone and fio do.
//!
//! What is theirs and what is petrio's:
//!
//! | pattern | iozone 3.430 | fio 3 | here |
//! | --- | --- | --- | --- |
//! | sequential | -i 0, -i 1 | rw=read, write | records from first to last |
//! | random | -i 2: a shuffle of all records | randread: each block once (`norandommap`: any block) | a shuffle without a table; with `repetition` independent draws |
//! | reverse | -i 3 | rw=read with a negative offset modifier | records from last to first |
//! | strided | -i 5: every `stride`-th record; leaves out the last record of a lane that ends on the file's last, and visits some twice | – | every record once |
//! | same | -i 4: the first record, as often as the file has records | – | as iozone |
//! | mixed | -i 8: some processes read, the others overwrite | rw=rw, randrw with `rwmixread` | each access a read by chance, as fio; with `share_by_process` as iozone |
//!
//! iozone asks for files that are a multiple of the record; here, as in fio, the last record of a file may be shorter.

mod cursor;
mod open_close;
mod parameters;
mod run;
mod thinking;

pub use open_close::OpenClose;
pub use parameters::{
    Access, BarrierAt, Durability, FileOrder, FsyncCall, Interface, Pattern, PatternParameters, Timing,
};
pub use run::PatternProgram;

pub(super) use parameters::{check_durability, check_interface};
