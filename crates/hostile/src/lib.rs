//! Hostile inputs: every reader of files that people hand over, and whole commands, tried with what bad disks, bad
//! transfers, other programs and bad people make of good files.
//!
//! ```text
//!  samples ─ mutate (bits, lines, sizes, numbers, nesting, encodings) ─▶ readers   in a worker process: a panic, a hang, an abort is told
//!                                                                    └─▶ commands  the built program: exit code, time, what is left
//! ```
//!
//! A reader gives records or a typed error, whatever the bytes. The fuzz targets (`fuzz/`) call the same [`readers`].
//! `cargo test` runs a short round; `make fuzz` a long one:
//!
//! ```sh
//! cargo run --release -p petrio-hostile -- readers --inputs 1000000
//! cargo run --release -p petrio-hostile -- commands --inputs 10000 --petrio target/release/petrio
//! cargo run --release -p petrio-hostile -- one trace_msr 17      # the one input again, by its number
//! ```

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod commands;
pub mod mutate;
pub mod noise;
pub mod readers;
pub mod round;
pub mod samples;
