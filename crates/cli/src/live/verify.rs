//! `petrio fs verify`

use super::directories::{Placed, directories, placed};
use crate::failure::Failure;
use crate::output::talk;
use clap::Args;
use petrio_live::namespace::{Access, Site, Verified, verify};
use petrio_page::numbers::counted;
use std::path::PathBuf;

/// Compare every name, kind and size with what petrio fs create has made; a file that was put in the place of one isn't
/// taken for it
#[derive(Args)]
pub(crate) struct Verify {
    /// The directory that was given to petrio fs create, and PLACE=DIR again for each place that lies elsewhere
    #[arg(long, value_name = "DIR", value_parser = placed, required = true)]
    dir: Vec<Placed>,
}

/// So many of a sort are named.
const NAMED: usize = 10;

impl Verify {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let site = Site::of(&directories(&self.dir)?, Access::Look, "petrio fs verify")?;
        let verified = verify(&site)?;
        tell(&verified)
    }
}

/// Says what was found; a failure where something is wrong.
pub(super) fn tell(verified: &Verified) -> Result<(), Failure> {
    let list = |what: &str, paths: &[PathBuf]| {
        for path in paths.iter().take(NAMED) {
            talk(&format!("{what}: {}", path.display()));
        }
        if paths.len() > NAMED {
            talk(&format!("{what}: {} more", paths.len() - NAMED));
        }
    };
    list("missing", &verified.missing);
    list("of another size, or not what petrio made", &verified.wrong);
    list("not from the specification", &verified.extra);
    if verified.is_right() {
        talk(&format!("verified: {}", counted(verified.right, "file or directory", "files and directories")));
        return Ok(());
    }
    let message = match verified.complete {
        false => "the files aren't all made yet".to_owned(),
        true => format!(
            "{} missing, {} wrong, {} too many",
            verified.missing.len(),
            verified.wrong.len(),
            verified.extra.len()
        ),
    };
    let is_mendable = !verified.complete || verified.missing.len() + verified.wrong.len() > 0;
    let help = match is_mendable {
        true => {
            "petrio fs create makes anew what is missing or wrong; petrio fs remove takes all that it made away"
        }
        false => {
            "what isn't from the specification was made by others, and petrio leaves it alone: move it away"
        }
    };
    Err(Failure::new(message, Some(help.to_owned())))
}
