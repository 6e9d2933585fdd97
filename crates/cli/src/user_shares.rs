//! How many users of which type are asked for, and why they can't be had.

use crate::failure::Failure;
use indexmap::IndexMap;
use petrio_study::users::UsersError;
use petrio_users::UserSpecification;

/// How many users are of which type: as a population of the specification says, or as given one by one.
pub(crate) fn shares(
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

/// How many of the users are of a type, as it is given.
pub(crate) fn share(text: &str) -> Result<(String, f64), String> {
    let (name, number) = text.split_once('=').ok_or("write TYPE=SHARE, such as heavy=0.8")?;
    match number.parse::<f64>() {
        Ok(share) if share.is_finite() && share >= 0.0 => Ok((name.to_owned(), share)),
        _ => Err(format!("\"{number}\" is no share: a number from 0 on is needed")),
    }
}

/// Why users aren't at work.
pub(crate) fn failed(error: UsersError) -> Failure {
    match error {
        UsersError::Scenario(problems) => problems.into(),
        UsersError::Run(failure) => failure.into(),
        UsersError::Report(error) => error.into(),
        UsersError::Trace(error) => error.into(),
        error if error.is_of_the_system() => Failure::output(&error),
        error => Failure::of(&error),
    }
}
