//! In place of `live`, where petrio is built without what works on the real machine: its commands aren't listed, and
//! answer that they aren't there.

use crate::failure::Failure;
use clap::Args;
use petrio_study::WithoutLive;
use std::ffi::OsString;
use std::io;

pub(crate) use petrio_capture::leftovers;

/// Works on the real machine, which this petrio was built without
#[derive(Args)]
#[command(hide = true)]
pub(crate) struct Absent {
    /// Whatever it is told
    #[arg(hide = true, trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

impl Absent {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        Err(Failure::of(&WithoutLive))
    }
}

/// Nothing is looked at.
pub(crate) fn inventory() -> Result<Vec<(String, String)>, Failure> {
    Err(Failure::of(&WithoutLive))
}

pub(crate) type Calibrate = Absent;
pub(crate) type Create = Absent;
pub(crate) type Exec = Absent;
pub(crate) type Emulate = Absent;
pub(crate) type Record = Absent;
pub(crate) type Remove = Absent;
pub(crate) type RunUsers = Absent;
pub(crate) type ValidateFs = Absent;
pub(crate) type ValidateLive = Absent;
pub(crate) type ValidateOps = Absent;
pub(crate) type Verify = Absent;
pub(crate) type Worker = Absent;

/// No slow disk is served, for none is made.
pub(crate) const fn serve_if_called(_: &[OsString]) -> Option<io::Result<()>> {
    None
}

/// No program is executed.
pub(crate) const fn execute_if_called(_: &[OsString]) -> Option<u8> {
    None
}

/// Nothing is emulated.
pub(crate) const fn interrupt() -> bool {
    false
}

/// Nothing is mounted.
pub(crate) const fn mount_apart() -> bool {
    false
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::Arguments;
    use crate::failure::Failure;
    use clap::{CommandFactory, Parser};

    #[test]
    fn a_command_that_was_left_out_says_so_and_is_not_listed() {
        let lines = [
            "calibrate --out here.toml",
            "record --out x -- true",
            "emulate s.toml --nbd x",
            "fs create spec.toml --dir x",
            "validate ops",
            "users run s.toml",
        ];
        for line in lines {
            let words = std::iter::once("petrio").chain(line.split(' '));
            let failure = Arguments::try_parse_from(words).unwrap().command.execute().unwrap_err();
            let Failure::Plain { message, help } = failure else { panic!("{failure:?}") };
            assert!(message.contains("built without what works on the real machine"), "{message}");
            assert!(help.unwrap().contains("--no-default-features"));
        }
        let mut petrio = Arguments::command();
        let help = petrio.render_long_help().to_string();
        assert!(help.contains("compare") && !help.contains("calibrate"), "{help}");
    }
}
