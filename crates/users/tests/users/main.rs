//! Tests of the users crate from outside, one file a property.
#![allow(clippy::unwrap_used, missing_docs)]

mod users;
mod users_forecast;
mod users_learned;
