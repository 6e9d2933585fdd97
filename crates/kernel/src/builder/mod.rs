//! Building nets: pages, places, and transitions by their arcs.

mod compile;
mod draft;
mod net;
mod page;
mod transition;

pub use net::NetBuilder;
pub use page::{PageBuilder, PlaceId};
pub use transition::TransitionBuilder;
