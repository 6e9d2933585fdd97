//! Networks against closed forms.
#![allow(clippy::unwrap_used)]

mod adaptive;
mod credits;
mod fluid;
mod incast;
mod lanes;
mod multicast;
mod packet;
mod rdma;
mod rendezvous;
mod support;
mod train;
