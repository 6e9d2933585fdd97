//! A built System, driven from outside.
//!
//! A [`System`] is a net with the ports where programs meet it; an [`Engine`] is where it is. Two ways to drive one:
//!
//! - By hand: [`submit`](Engine::submit) what a program asks for and when, [`advance`](Engine::advance) to what comes back, decide,
//!   submit again. Programs, files and times need no plan. [`fork`](Engine::fork) and [`checkpoint`](Engine::checkpoint) keep where it
//!   is.
//! - By a [`Load`], which says itself when its next request is due, and a [`Listener`] who measures: [`Engine::run`]. So are scenarios,
//!   comparisons and validations run.
//!
//! It knows no scenario, and no model.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]

mod course;
mod engine;
mod error;
mod growth;
mod limits;
mod listener;
mod load;
mod patience;
mod ports;
mod programs;
mod put_aside;
mod submission;
mod submittable;
mod system;
mod visits;

pub use engine::{Engine, Program, Saved};
pub use error::{EngineError, StillWaiting};
pub use growth::Rates;
pub use limits::Limits;
pub use listener::{Listener, Onlooker};
pub use load::{Lane, Load, SideBySide};
pub use ports::{
    Homes, PROGRAMS, ProgramPorts, REQUEST_PROGRAMS, hosts_page, named_programs_page, programs_page,
};
pub use programs::{OfSource, Programs};
pub use submission::{Answer, Completion, Ticket};
pub use submittable::Submittable;
pub use system::{Ports, System};
pub use visits::{DevicePlaces, Visit};
