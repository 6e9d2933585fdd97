//! Links one by one, of which one entry may stand for many: `between = ["client*", "sw"]` is a link of each client's.

use crate::schema::fits;
use petrio_models::network::topology::{LinkParameters, TopologyError, TopologyParameters, Wiring};
use std::collections::BTreeMap;
use thiserror::Error;

/// Why hosts can't be wired so.
#[derive(Debug, PartialEq, Eq, Error)]
pub(crate) enum WiringError {
    /// A pattern without a host.
    #[error("no host on the network fits {0:?}; its hosts are {1}")]
    NoFit(String, String),
    /// Many at both ends.
    #[error(
        "{0:?} and {1:?} both stand for several hosts, and a link has two ends; name one switch or one host at one of them"
    )]
    ManyToMany(String, String),
    /// A switch that connects nothing.
    #[error("{0:?} is no host, and a switch with one link leads nowhere; the network's hosts are {1}")]
    Stub(String, String),
    /// The wiring itself.
    #[error(transparent)]
    Topology(#[from] TopologyError),
}

/// Wires hosts (and disks on the network) with these names.
pub(crate) fn wiring(topology: &TopologyParameters, names: &[String]) -> Result<Wiring, WiringError> {
    let TopologyParameters::Links(one_by_one) = topology else {
        return Ok(Wiring::of_named(topology, names)?);
    };
    let mut links: Vec<LinkParameters> = Vec::new();
    for link in &one_by_one.links {
        let [ones, others] = [ends(&link.between[0], names)?, ends(&link.between[1], names)?];
        if ones.len() > 1 && others.len() > 1 {
            let [one, other] = link.between.clone();
            return Err(WiringError::ManyToMany(one, other));
        }
        for one in &ones {
            let all = others.iter().map(|other| [(*one).to_owned(), (*other).to_owned()]);
            links.extend(all.map(|between| LinkParameters { between, ..link.clone() }));
        }
    }
    let mut times_named: BTreeMap<&str, u32> = BTreeMap::new();
    for end in links.iter().flat_map(|link| &link.between) {
        *times_named.entry(end).or_default() += 1;
    }
    let is_host = |name: &str| names.iter().any(|host| host == name);
    let mut seldom = times_named.iter().filter(|(_, times)| **times == 1).map(|(name, _)| *name);
    if let Some(stub) = seldom.find(|name| !is_host(name)) {
        return Err(WiringError::Stub(stub.to_owned(), listed(names)));
    }
    Ok(Wiring::of_links(names, &links)?)
}

/// What stands at one end: hosts that the name or pattern finds, or a switch.
fn ends<'n>(end: &'n str, names: &'n [String]) -> Result<Vec<&'n str>, WiringError> {
    if names.iter().any(|name| name == end) {
        return Ok(vec![end]);
    }
    let is_pattern = end.contains('*');
    // Without its number, a counted host's name stands for all of them, as it does elsewhere.
    let is_copy = |name: &str| {
        name.strip_prefix(end)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let found: Vec<&str> = names
        .iter()
        .map(String::as_str)
        .filter(|name| if is_pattern { fits(end, name) } else { is_copy(name) })
        .collect();
    match (found.is_empty(), is_pattern) {
        (true, true) => Err(WiringError::NoFit(end.to_owned(), listed(names))),
        (true, false) => Ok(vec![end]),
        (false, _) => Ok(found),
    }
}

/// The first of these names.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 6;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown} …") } else { shown }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn names() -> Vec<String> {
        ["c0", "c1", "c2", "s0", "s1"].map(str::to_owned).to_vec()
    }

    fn wired(links: &str) -> Result<Wiring, WiringError> {
        #[derive(serde::Deserialize)]
        struct Whole {
            topology: TopologyParameters,
        }
        let text = format!("topology = {{ kind = \"links\", links = [{links}] }}");
        let Whole { topology } = toml::from_str(&text).unwrap();
        wiring(&topology, &names())
    }

    #[test]
    fn a_pattern_and_a_name_without_its_number_are_a_link_for_each_host() {
        let all = wired(
            r#"{ between = ["c0", "x"] }, { between = ["c1", "x"] }, { between = ["c2", "x"] },
                           { between = ["s0", "x"] }, { between = ["s1", "x"] }"#,
        )
        .unwrap();
        let short = wired(r#"{ between = ["c*", "x"] }, { between = ["x", "s"] }"#).unwrap();
        assert_eq!(all.switches(), 1);
        assert_eq!((short.switches(), short.links().len()), (1, all.links().len()));
        let ends = |wiring: &Wiring| wiring.links().iter().map(|link| link.from).collect::<Vec<_>>();
        assert_eq!(ends(&short)[..6], ends(&all)[..6]);
    }

    #[test]
    fn what_finds_nobody_or_leads_nowhere_is_said() {
        let error = |links: &str| wired(links).unwrap_err().to_string();
        assert!(
            error(r#"{ between = ["d*", "x"] }"#)
                .starts_with("no host on the network fits \"d*\"; its hosts are c0")
        );
        assert!(error(r#"{ between = ["c*", "s*"] }"#).contains("both stand for several hosts"));
        let stub = r#"{ between = ["*", "x"] }, { between = ["x", "s7"] }"#;
        assert!(error(stub).starts_with("\"s7\" is no host, and a switch with one link leads nowhere"));
        assert!(error(r#"{ between = ["c*", "x"] }"#).contains("no link leads to the host \"s0\""));
        let islands = r#"{ between = ["c*", "x"] }, { between = ["s*", "y"] }"#;
        assert!(error(islands).starts_with("no way leads from"));
    }
}
