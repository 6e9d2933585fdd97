//! `petrio users`

mod analyse;
mod compare;
mod figures;
mod info;
mod learn;
mod run;
mod usage;
mod worker;

use crate::failure::Failure;
use clap::Subcommand;
use indexmap::IndexMap;
use petrio_users::UserSpecification;

/// Put synthetic users to work on real directories, and see how they use files
#[derive(Subcommand)]
pub(crate) enum Users {
    Run(run::Run),
    Analyse(analyse::Analyse),
    Figures(figures::Figures),
    Compare(compare::Compare),
    Info(info::Info),
    Learn(learn::Learn),
    Worker(worker::Worker),
}

impl Users {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match self {
            Self::Run(run) => run.execute(),
            Self::Analyse(analyse) => analyse.execute(),
            Self::Figures(figures) => figures.execute(),
            Self::Compare(compare) => compare.execute(),
            Self::Info(info) => info.execute(),
            Self::Learn(learn) => learn.execute(),
            Self::Worker(worker) => worker.execute(),
        }
    }
}

/// How many users are of which type: as a population of the specification says, or as given one by one.
fn shares(
    specification: &UserSpecification,
    population: Option<&str>,
    given: &[(String, f64)],
) -> Result<IndexMap<String, f64>, Failure> {
    let Some(name) = population else {
        let mut shares = IndexMap::new();
        for (name, share) in given {
            if shares.insert(name.clone(), *share).is_some() {
                let help = "say --share once for each type".to_owned();
                return Err(Failure::new(format!("the share of \"{name}\" is given twice"), Some(help)));
            }
        }
        return Ok(shares);
    };
    specification.population.get(name).cloned().ok_or_else(|| {
        let known: Vec<&str> = specification.population.keys().map(String::as_str).collect();
        let help = match known.is_empty() {
            true => "the specification has no populations; leave --population out".to_owned(),
            false => format!("its populations are \"{}\"", known.join("\", \"")),
        };
        Failure::new(format!("there is no population \"{name}\""), Some(help))
    })
}
