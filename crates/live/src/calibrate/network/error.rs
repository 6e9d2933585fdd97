//! Why a network can't be measured.

use super::wire::WireError;
use crate::rig::RigError;
use miette::Diagnostic;
use petrio_units::Rate;
use std::io;
use thiserror::Error;

/// A network that can't be measured.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum NetworkError {
    /// Words that are no address.
    #[error("\"{text}\" is no address with a port: {why}")]
    #[diagnostic(help("give a host and a port, such as 192.168.1.20:7117 or node7:7117"))]
    Address {
        /// The words.
        text: String,
        /// What is wrong with them.
        why: String,
    },
    /// An address at which nobody can listen.
    #[error("can't listen on {address}: {source}")]
    #[diagnostic(help(
        "listen on an address of this machine, or on all with 0.0.0.0:PORT, and on a port that nobody else has"
    ))]
    Listen {
        /// The address.
        address: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Nobody answers there.
    #[error("nobody answers at {address}: {source}")]
    #[diagnostic(help(
        "start `petrio calibrate --network --listen 0.0.0.0:PORT` there before, and look whether a firewall lets it through"
    ))]
    Nobody {
        /// The address.
        address: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Somebody else answers there.
    #[error("what answers at {peer} isn't petrio measuring a network: it {why}")]
    #[diagnostic(help(
        "look at the port: `petrio calibrate --network --listen ADDR:PORT` says which one it listens on"
    ))]
    NotPetrio {
        /// The address.
        peer: String,
        /// What it did.
        why: WireError,
    },
    /// A petrio of another version.
    #[error(
        "petrio at {peer} measures networks by version {theirs} of its protocol, this one by version {ours}"
    )]
    #[diagnostic(help("run the same petrio at both ends"))]
    OtherVersion {
        /// The address.
        peer: String,
        /// Its version.
        theirs: u32,
        /// This one.
        ours: u32,
    },
    /// A server that is measuring with somebody else.
    #[error("petrio at {peer} is measuring with somebody else, who would be in the figures")]
    #[diagnostic(help("try again in a minute"))]
    Busy {
        /// The address.
        peer: String,
    },
    /// The other end is lost.
    #[error("{peer} {why}, while {doing}")]
    #[diagnostic(help("look at what petrio says there, and measure again"))]
    Lost {
        /// The address.
        peer: String,
        /// What was being done.
        doing: String,
        /// What became of it.
        why: WireError,
    },
    /// Too little came through.
    #[error("too little came through from {peer} to make a network of it")]
    #[diagnostic(help("measure without --quick, and when nobody else uses the network"))]
    TooLittle {
        /// The address.
        peer: String,
    },
    /// A token bucket that can't be measured in a reasonable time, or that the machine can't fill.
    #[error("a token bucket of {rate} isn't measured between namespaces")]
    #[diagnostic(help("give a rate from 10 Mbit/s to 100 Gbit/s"))]
    Rate {
        /// Its rate.
        rate: Rate,
    },
    /// Namespaces that can't be made.
    #[error("two network namespaces can't be made: {why}")]
    #[diagnostic(help("measure between two machines, with --listen on one and --to on the other; {what}"))]
    Namespaces {
        /// Why.
        why: String,
        /// What would let them be made.
        what: &'static str,
    },
    /// A program that failed on the way.
    #[error(transparent)]
    Program(#[from] RigError),
    /// A thread that broke off.
    #[error("a measuring thread broke off: {0}")]
    Thread(String),
}

impl NetworkError {
    /// Whether what was asked for was in order, and the other end or the system has failed on the way.
    pub const fn is_of_the_system(&self) -> bool {
        matches!(self, Self::Lost { .. } | Self::Thread(_) | Self::Program(_))
    }
}
