//! Why a drive can't be measured.

use miette::Diagnostic;
use std::io;
use std::path::PathBuf;
use thiserror::Error;

/// A drive that can't be measured.
#[derive(Debug, Diagnostic, Error)]
#[non_exhaustive]
pub enum DriveCalibrationError {
    /// A device that the system refused.
    #[error("{action} {}: {source}", .path.display())]
    System {
        /// What was to be done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
        /// What to do about it, where there is something to do.
        #[help]
        advice: Option<&'static str>,
    },
    /// Something that is no device, or none that can be measured.
    #[error("{} can't be measured: {why}", .path.display())]
    #[diagnostic(help("{advice}"))]
    Refused {
        /// The device.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
        /// What to do.
        advice: &'static str,
    },
    /// A request that failed on the way.
    #[error("the device can't {action} sector {sector}: {source}")]
    #[diagnostic(help("look at what the kernel says of the device, as with dmesg"))]
    Request {
        /// What it was to do.
        action: &'static str,
        /// Where.
        sector: u64,
        /// The system's answer.
        source: io::Error,
    },
    /// A device whose cache can't be got out of the way.
    #[error("sector {sector} comes from the cache however much else is read")]
    #[diagnostic(help(
        "its times say nothing of what lies behind its cache; measure a device without one in between"
    ))]
    AlwaysCached {
        /// Which.
        sector: u64,
    },
    /// A measurement that came to no end.
    #[error("after {requests} requests the device isn't known yet")]
    #[diagnostic(help(
        "measure when nobody else uses it; a device that isn't one disk, such as an array, has no geometry"
    ))]
    TooMany {
        /// How many.
        requests: u64,
    },
    /// Tracks that make no zones.
    #[error("its times fit no disk: {zones} zones were found up to sector {sectors}, and more follow")]
    #[diagnostic(help(
        "a drive with spare sectors or many defects in an order of its own looks so, and isn't found by its times; if \
         nobody else used it meanwhile, describe it by its data sheet, as `petrio schema device` explains"
    ))]
    ManyZones {
        /// How many.
        zones: usize,
        /// Up to where.
        sectors: u64,
    },
    /// Times that fit no disk.
    #[error("its times fit no disk: {why}")]
    #[diagnostic(help(
        "measure when nobody else uses it; a device that isn't one disk, such as an array, has no geometry"
    ))]
    NoDisk {
        /// What doesn't.
        why: String,
    },
}
