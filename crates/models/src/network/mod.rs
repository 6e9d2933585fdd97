//! Networks: messages between hosts, over links and switches.
//!
//! ```text
//!  host ─▶ adapter ─▶ link ─▶ switch ─▶ link ─▶ … ─▶ adapter ─▶ host
//! ```
//!
//! Order beats detail here: a connection is one stream of bytes, so its messages pass one after the other, and only
//! connections share a link, which they take turns at. How much is modelled beyond that is a [`Level`].

mod adapter;
mod clock;
mod fluid;
mod frames;
mod ideal;
mod link;
mod loads;
mod page;
mod parameters;
mod room;
mod switch;
mod tcp;
pub mod topology;
mod traffic;
mod train;
mod transport;
mod window;

#[cfg(test)]
mod tests;

pub use frames::{Framing, FramingParameters};
pub use page::{Network, Port};
pub use parameters::{Duplex, HostCosts, Level, LinkParameters, NetworkError, NetworkParameters, Turns};
pub use tcp::TcpParameters;
pub use traffic::{Spacing, TrafficParameters};
pub use transport::Transport;
