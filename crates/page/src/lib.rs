//! Pages as data: what petrio leaves for a person to look at, without a word of HTML where it is made.
//!
//! ```text
//!   a report, a comparison, a fit …          a room of the studio
//!        │ makes                                  │ is given
//!        ▼                                        ▼
//!   Page ─ Block ─ Table, Tile, Text …       Figure (JSON)
//!             └─── Figure ──┐                     │
//!        │ html()           │ JSON in the page    │
//!        ▼                  ▼                     ▼
//!   one file of HTML ── the component that draws figures (web/src/figure)
//! ```
//!
//! A [`Figure`] says what is shown: axes with their quantities, series, marks. How it is drawn, which ticks stand on an
//! axis and what the pointer tells of a value is the business of one component in `web/src/figure`, which pages carry inside them
//! (`assets/figure.js`) and which the studio uses too. A [`Page`] is a title and blocks; [`Page::html`](page::Page::html)
//! makes one file of it that needs no network. Where there are no scripts, each figure stands as a table of its values.
//!
//! ```
//! use petrio_page::figure::{Axis, Figure, Quantity, Series};
//! use petrio_page::page::Page;
//!
//! let latency = Axis::new("latency", Quantity::Duration).logarithmic();
//! let share = Axis::new("of requests within", Quantity::Share).between(0.0, 1.0);
//! let mut figure = Figure::new("Latency", "Half the requests within 2 ms", latency, share);
//! figure.push(Series::line("reads", vec![0.001, 0.002, 0.008], vec![0.1, 0.5, 1.0]));
//! let mut page = Page::new("A run");
//! page.figures(vec![figure]);
//! let html = page.html();
//! assert!(html.contains("Half the requests within 2 ms"));
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

pub mod figure;
pub mod histogram;
mod html;
pub mod numbers;
pub mod page;
pub mod thin;

pub use figure::Figure;
pub use page::Page;
