//! Where tokens lie: those that are ready, as a discipline wants them, and those that are not ready yet. Places and
//! stations are made of these.

mod in_turn;
mod keyed;
mod ready;
mod special;
mod timed;
mod treap;

pub(crate) use in_turn::Turn;
pub(crate) use keyed::KeyHasher;
pub(crate) use ready::Ready;
pub(crate) use timed::Timed;
