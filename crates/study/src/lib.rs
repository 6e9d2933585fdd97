//! Many runs and what they say: candidates compared, distributions fitted, users at work, a trace characterised.
//!
//! Each is a question, an answer that serialises as JSON, and a page of HTML.

pub mod characterise;
pub mod compare;
pub mod describe;
pub mod fit;
mod page;
pub mod place;
pub mod users;
mod without_live;

pub use without_live::{WithoutLive, needs_live};
