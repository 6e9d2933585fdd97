//! Nets as data: what was declared, for drawings, exports and tools.
//!
//! [`describe`] gives a net's pages, places, transitions and arcs as plain data; the others write it down: [`to_json`]
//! for programs, [`to_dot`] for Graphviz, [`to_pnml`] for other Petri-net tools (the uncoloured skeleton), and
//! [`to_svg`] for readers, page by page.
//!
//! ```
//! use petrio_kernel::{NetBuilder, draw};
//! let mut net = NetBuilder::new("lamp");
//! let mut page = net.top();
//! let (off, on) = (page.fifo::<()>("off"), page.fifo::<()>("on"));
//! page.initial(off, [()]);
//! let mut switch = page.transition("switch");
//! switch.consume(off);
//! let to = switch.put(on);
//! switch.action(move |f| f.put(to, ()));
//! let net = net.build()?;
//!
//! let description = draw::describe(&net);
//! assert_eq!(description.transitions[0].arcs.len(), 2);
//! assert!(draw::to_svg(&net).contains(">switch<"));
//! # Ok::<(), petrio_kernel::NetError>(())
//! ```

mod description;
mod dot;
mod fold;
mod pnml;
mod svg;

pub use description::{
    ArcDescription, NetDescription, PageDescription, PlaceDescription, PortDescription, StationDescription,
    TransitionDescription, describe,
};
pub use dot::to_dot;
pub use pnml::to_pnml;
pub use svg::{DrawnNode, NodeKind, Picture, overview, overview_to_svg, page_to_svg, picture, to_svg};

use crate::net::Net;

/// The description as JSON, indented.
pub fn to_json(net: &Net) -> String {
    serde_json::to_string_pretty(&describe(net)).expect("a description has no maps with odd keys")
}

/// Text in XML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
