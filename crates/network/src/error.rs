//! What keeps a network from being made.

use petrio_units::Bytes;

/// Why a network can't be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkError {
    /// An MTU that has no room for data.
    #[error(
        "an MTU of {mtu} has no room for data behind {headers} of headers; give a larger `framing.mtu`, such as 1500 B"
    )]
    Mtu {
        /// The MTU.
        mtu: Bytes,
        /// The headers of a packet.
        headers: Bytes,
    },
    /// A bucket that never has tokens for a frame.
    #[error(
        "a bucket of {bucket} never lets a frame of {frame} pass; make `bucket` larger, or the MTU smaller"
    )]
    Bucket {
        /// The bucket.
        bucket: Bytes,
        /// A full frame.
        frame: Bytes,
    },
    /// A window smaller than a frame's data.
    #[error(
        "a window of {window} is smaller than a frame's {data} of data; give a larger `window`, or leave it out"
    )]
    Window {
        /// The window.
        window: Bytes,
        /// Data of a full frame.
        data: Bytes,
    },
    /// Trains of nothing.
    #[error("a train of no bytes carries nothing; give a larger `train`, or leave it out")]
    Train,
    /// A buffer in which no frame fits.
    #[error(
        "a buffer of {buffer} never holds a frame of {frame}; make `buffer` larger, or the MTU smaller, or leave it out"
    )]
    Buffer {
        /// The buffer.
        buffer: Bytes,
        /// A full frame.
        frame: Bytes,
    },
    /// Room at a link's end in which no frame fits.
    #[error(
        "a link whose end has room for {credits} never passes a frame of {frame}; make `credits` larger, or the MTU smaller, or leave it out"
    )]
    Credits {
        /// The room.
        credits: Bytes,
        /// A full frame.
        frame: Bytes,
    },
    /// No lanes, or too many.
    #[error("{0} virtual lanes are not possible; give 1 to 8, or leave them out")]
    Lanes(u8),
    /// Links that wait for each other, with no lanes to go around by.
    #[error(
        "links that wait for room at each other's ends lead around in a circle, and all may wait for ever; leave out `credits`, or take links that make a tree"
    )]
    Circle,
    /// The same, with too few lanes.
    #[error(
        "links that wait for room at each other's ends lead around in a circle, and all may wait for ever: give {0} `virtual_lanes` at least, or leave out `credits`"
    )]
    FewLanes(u8),
    /// A table with a lane that there isn't.
    #[error(
        "`arbitration` has a lane {lane}, and messages choose among {lanes}, from 0 on; leave it out, or give more `virtual_lanes`"
    )]
    UnknownLane {
        /// The lane.
        lane: u8,
        /// How many there are.
        lanes: u8,
    },
    /// A lane that is never served.
    #[error(
        "`arbitration` gives lane {0} no weight in any of its tables, and what takes it would wait for ever; name it in `high` or `low`"
    )]
    ForgottenLane(u8),
    /// A network that loses more than it carries.
    #[error("a network that loses {0} of its frames carries next to nothing; let `loss` be 50 % at most")]
    Loss(String),
    /// A TCP that never sends.
    #[error("with this `tcp.{0}` no connection would send anything; leave it out for the usual one")]
    Tcp(&'static str),
}
