//! Programs of any number of ranks, made by hand: what follows from two numbers is what is made for a third.

#![allow(clippy::unwrap_used)]

mod made;
mod patterns;
