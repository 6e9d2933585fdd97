//! Whom the tokens of a place concern.

/// A condition on the number of tokens of a place.
///
/// Conditions are not evaluated when a transition is considered; each transition counts how many of its conditions
/// fail, and a place whose number crosses a threshold adjusts the counts of the few transitions concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) transition: u32,
    pub(crate) threshold: u32,
}

/// Which transitions a place concerns: the static adjacency.
pub(crate) struct Adjacency {
    /// Need at least so many ready tokens. The first is kept beside the place's counters, too: see
    /// [`Level`](crate::level::Level).
    pub(crate) ready: Box<[Condition]>,
    /// Need fewer than so many tokens in the place (inhibitors, capacities).
    pub(crate) below: Box<[Condition]>,
    /// Look at single tokens (guards, selections), so that any change may enable them.
    pub(crate) particular: Box<[u32]>,
}
