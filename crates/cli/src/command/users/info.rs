//! `petrio users info`

use crate::failure::Failure;
use crate::output::{print, print_json};
use crate::table::table;
use clap::Args;
use petrio_scenario::{Override, load_users};
use std::path::PathBuf;

/// Say what a login session of a specification's users does at the mean
#[derive(Args)]
pub(crate) struct Info {
    /// The user specification
    #[arg(value_name = "SPEC", value_parser = crate::streams::input)]
    specification: PathBuf,
    /// Change a value of the specification; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Print it as JSON
    #[arg(long)]
    json: bool,
}

impl Info {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let specification = load_users(&self.specification, &self.overrides)?;
        let expected = specification.expected().map_err(|error| Failure::new(error, None))?;
        if self.json {
            return print_json(&expected);
        }
        let mut rows = Vec::new();
        for name in specification.user.keys() {
            let of_type: Vec<_> = expected.iter().filter(|expected| expected.user == *name).collect();
            for one in &of_type {
                rows.push(vec![
                    name.clone(),
                    one.category.clone(),
                    figure(one.files, 2),
                    figure(one.bytes, 0),
                ]);
            }
            let (files, bytes) = (
                of_type.iter().map(|one| one.files).sum::<Option<f64>>(),
                of_type.iter().map(|one| one.bytes).sum::<Option<f64>>(),
            );
            rows.push(vec![name.clone(), "all".to_owned(), figure(files, 2), figure(bytes, 0)]);
        }
        print(&table(&["user", "category", "files a session", "bytes a session"], &rows))
    }
}

/// A mean, where there is one: distributions with long tails may have none.
fn figure(mean: Option<f64>, decimals: usize) -> String {
    mean.filter(|mean| mean.is_finite())
        .map_or_else(|| "no mean".to_owned(), |mean| format!("{mean:.decimals$}"))
}
