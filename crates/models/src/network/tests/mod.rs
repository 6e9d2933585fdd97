//! Networks against closed forms.
#![allow(clippy::unwrap_used)]

mod adaptive;
mod credits;
mod fluid;
mod incast;
mod packet;
mod support;
mod train;
