//! Many runs and what they say: candidates compared, changes tried, keys varied, loads borne, losses feared, distributions fitted, users at work, a trace characterised.
//!
//! Each is a question, an answer that serialises as JSON, and a page of HTML.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

pub mod characterise;
pub mod compare;
pub mod describe;
pub mod explain;
pub mod fit;
mod glance;
pub mod load;
pub mod loss;
mod page;
pub mod place;
pub mod sweep;
pub mod users;
mod without_live;

pub use without_live::{WithoutLive, needs_live};
