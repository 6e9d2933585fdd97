//! `petrio fs`

mod describe;

use crate::failure::Failure;
use crate::live::{Create, Remove, Verify};
use clap::Subcommand;

#[cfg_attr(
    feature = "live",
    doc = "Make, verify and remove the files of a user specification; describe those of a directory"
)]
#[cfg_attr(not(feature = "live"), doc = "Describe the files of a directory as a user specification")]
#[derive(Subcommand)]
pub(crate) enum Fs {
    Create(Create),
    Describe(Box<describe::Describe>),
    Verify(Verify),
    Remove(Remove),
}

impl Fs {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Create(create) => create.execute(),
            Self::Describe(describe) => describe.execute(),
            Self::Verify(verify) => verify.execute(),
            Self::Remove(remove) => remove.execute(),
        }
    }
}
