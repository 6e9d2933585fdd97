//! What can go wrong in building and running a net.

use crate::Time;

/// A net that makes no sense. Found when it is built, so that no run starts on it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NetError {
    /// Two things of one name.
    #[error("{kind} \"{path}\" is defined twice; give each a name of its own")]
    Duplicate {
        /// Page, place or transition.
        kind: &'static str,
        /// The full path.
        path: String,
    },
    /// A transition without action that would have to invent a token.
    #[error("transition \"{transition}\" has no action; give it one with `action`")]
    NoAction {
        /// The transition.
        transition: String,
    },
    /// Too many input arcs.
    #[error("transition \"{transition}\" has more than {limit} input arcs; split it or bundle tokens")]
    TooManyArcs {
        /// The transition.
        transition: String,
        /// The most that are allowed.
        limit: usize,
    },
    /// Too many different priorities.
    #[error("the net uses {found} different priorities; at most {limit} are kept apart")]
    TooManyPriorities {
        /// Different priorities used.
        found: usize,
        /// The most that are allowed.
        limit: usize,
    },
    /// An arc weight out of range.
    #[error(
        "an arc between \"{transition}\" and \"{place}\" has weight {weight}; a weight is at least 1 (and 1 where tokens are selected)"
    )]
    Weight {
        /// The transition.
        transition: String,
        /// The place.
        place: String,
        /// The weight asked for.
        weight: u32,
    },
    /// A place used in a way that its discipline doesn't allow.
    #[error("transition \"{transition}\" wants to {what} \"{place}\", which is a {discipline} place")]
    WrongDiscipline {
        /// The transition.
        transition: String,
        /// The place.
        place: String,
        /// What it wants.
        what: &'static str,
        /// The place's discipline.
        discipline: String,
    },
    /// More initial tokens than a place holds.
    #[error("place \"{place}\" holds {capacity} tokens but starts with {initial}")]
    OverCapacity {
        /// The place.
        place: String,
        /// Its capacity.
        capacity: u32,
        /// Its initial tokens.
        initial: usize,
    },
    /// A conserved quantity that a transition changes.
    #[error("transition \"{transition}\" changes the conserved quantity \"{quantity}\" by {change:+}")]
    NotConserved {
        /// The quantity.
        quantity: String,
        /// The transition.
        transition: String,
        /// By how much.
        change: i64,
    },
}

/// A run that can't go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// A point in time beyond the 213 days that the clock reaches.
    #[error(
        "at {now}, {origin} asks for a delay of {delay}, which ends beyond the clock's range of 213 days"
    )]
    Overflow {
        /// When.
        now: Time,
        /// Who asks.
        origin: String,
        /// The delay.
        delay: Time,
    },
    /// Time stands still while transitions fire for ever.
    #[error(
        "time stands still at {now}: {firings} firings at one instant, most of them of \"{transition}\"; a loop in the net takes no time"
    )]
    Livelock {
        /// When.
        now: Time,
        /// How many firings.
        firings: u64,
        /// The busiest transition.
        transition: String,
    },
    /// An action that doesn't take or put what its arcs declare.
    #[error(
        "at {now}, transition \"{transition}\" took {taken} tokens and put {put}, but its arcs declare {takes} and {puts}"
    )]
    ArcContract {
        /// When.
        now: Time,
        /// The transition.
        transition: String,
        /// Tokens taken.
        taken: u32,
        /// Tokens to be taken.
        takes: u32,
        /// Tokens put on exact arcs.
        put: u32,
        /// Tokens to be put on them.
        puts: u32,
    },
    /// A token injected into the past.
    #[error("a token for \"{place}\" is injected at {at}, but the clock shows {now}")]
    Past {
        /// The port.
        place: String,
        /// When it should arrive.
        at: Time,
        /// The clock.
        now: Time,
    },
    /// A model refuses a token.
    #[error("at {now}, \"{transition}\": {message}")]
    Model {
        /// When.
        now: Time,
        /// The transition whose action refused.
        transition: String,
        /// Why, and what to do.
        message: String,
    },
    /// Tokens were lost or made.
    #[error("at {now}, {what}")]
    Conservation {
        /// When.
        now: Time,
        /// Which place or quantity, expected and found.
        what: String,
    },
    /// A marking that belongs to another net.
    #[error("the marking belongs to another net")]
    WrongNet,
}
