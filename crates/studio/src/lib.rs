//! The studio: a scenario, its runs and its net, distributions and synthetic users in a browser, served by the binary to this machine alone.
//!
//! ```text
//!  browser ── http://127.0.0.1:PORT/TOKEN/ ──▶ connections ──▶ guard (token, Host) ─┬─ assets   the built pages of `web/`, embedded
//!                                             (few, timed)                         └─ api      JSON: scenario, data, evaluate, fit, specification, runs, pages
//! ```
//!
//! It is a face as the command line is: what it shows comes from `workload`, `scenario` and `study`, and all of it can
//! be had without a display. It is the Graphic Distribution Specifier of Kao's workload generator (1991, §4.1.1), as a
//! person would want it today.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod api;
mod assets;
mod body;
mod connections;
mod entrance;
mod guard;
mod quantity;
mod reach;
mod refusal;
mod server;
mod token;

#[cfg(test)]
mod tests;

pub use server::{Studio, StudioError, StudioOptions, interrupt};
