//! Networks against closed forms.
#![allow(clippy::unwrap_used)]

mod support;
mod train;
