//! Networks against closed forms.
#![allow(clippy::unwrap_used)]

mod fluid;
mod incast;
mod packet;
mod support;
mod train;
