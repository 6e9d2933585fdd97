//! Networks: messages between hosts, over links and switches.
//!
//! ```text
//!  host ─▶ adapter ─▶ link ─▶ switch ─▶ link ─▶ … ─▶ adapter ─▶ host
//! ```
//!
//! Order beats detail here: a connection is one stream of bytes, so its messages pass one after the other, and only
//! connections share a link, which they take turns at. How much is modelled beyond that is a [`Level`].

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod adapter;
mod arbitration;
mod bus;
mod clock;
mod costs;
mod entrance;
mod error;
mod fabric;
mod fluid;
mod frames;
mod groups;
mod ideal;
mod lanes;
mod link;
mod loads;
mod losses;
mod one_sided;
mod page;
mod parameters;
mod passing;
mod rendezvous;
mod room;
mod switch;
mod tcp;
pub mod topology;
mod traffic;
mod train;
mod transport;
mod under_way;
mod window;
mod wire;

#[cfg(test)]
mod tests;

pub use arbitration::{ArbitrationParameters, LaneWeight};
pub use bus::AdapterParameters;
pub use costs::{HostCosts, HostCostsParameters};
pub use error::NetworkError;
pub use frames::{Framing, FramingParameters};
pub use one_sided::{Access, one_sided_page};
pub use page::{GroupPort, Network, Port};
pub use parameters::{Duplex, Level, LinkParameters, NetworkParameters, Turns};
pub use rendezvous::Writers;
pub use tcp::TcpParameters;
pub use traffic::{Spacing, TrafficParameters};
pub use transport::Transport;
pub use under_way::{conserve, under_way};

/// The highest service level that a message can have: there are four bits for it (InfiniBand's SL).
pub const HIGHEST_SERVICE_LEVEL: u8 = 15;
