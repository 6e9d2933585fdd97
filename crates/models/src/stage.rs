//! What a page tells the report about itself: which of its places are waiting rooms, which are servers, and which of its
//! pages can be asked "what if this were twice as fast".

use petrio_kernel::PlaceId;

/// One row of a report's stage table.
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its path in the net, such as `d0/mechanics`.
    pub name: String,
    /// Places whose arrivals are the stage's: each request that the stage sees comes to one of them, once.
    pub entrances: Vec<PlaceId>,
    /// Places in which requests wait for it.
    pub waiting: Vec<PlaceId>,
    /// Places in which requests are served by it.
    pub serving: Vec<PlaceId>,
    /// How many requests it can serve at once; 0 where it only holds a queue.
    pub servers: u32,
    /// Parts of its service, each on a page of its own whose speed can be changed: the word of the report ("seeks") and
    /// the page's path.
    pub parts: Vec<(&'static str, String)>,
}
