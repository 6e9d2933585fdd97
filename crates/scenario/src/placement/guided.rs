//! Where each partition lies best, by who touched it.

use petrio_units::numbers::as_number;
use std::collections::BTreeMap;

/// Bytes of a partition that a host's processes read or wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The file, by its name.
    pub file: String,
    /// The partition, from 0.
    pub partition: u64,
    /// The host.
    pub host: usize,
    /// Bytes, each as often as it was touched.
    pub bytes: u64,
}

/// What a placement moves, and what lies next to who touches it then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Moved {
    /// Partitions that were touched.
    pub touched: u64,
    /// Those of them that lie elsewhere now.
    pub partitions: u64,
    /// Bytes that were read or written.
    pub bytes: u64,
    /// Those of them that lay on the host of the process.
    pub local_before: u64,
    /// Those that would with the new placement.
    pub local_after: u64,
}

/// A placement made from a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Guided {
    /// The server of each partition that was touched, by its number.
    pub servers: BTreeMap<(String, u64), u32>,
    /// What it moves.
    pub moved: Moved,
}

/// Puts each partition that was touched on a server of the host that touched most of it. Of hosts that did as much, and
/// of several servers of a host, it is the one that has least to do so far: partitions come in the order of files' names
/// and their own. What only hosts without a server touched stays where it lies `now`. `hosts` are those of the servers.
pub fn profile_guided(
    accesses: impl IntoIterator<Item = Access>,
    hosts: &[usize],
    now: impl Fn(&str, u64) -> u32,
) -> Guided {
    let mut by_partition: BTreeMap<(String, u64), BTreeMap<usize, u64>> = BTreeMap::new();
    for Access { file, partition, host, bytes } in accesses {
        *by_partition.entry((file, partition)).or_default().entry(host).or_default() += bytes;
    }
    let mut load = vec![0u64; hosts.len()];
    let mut guided = Guided::default();
    for ((file, partition), touched) in by_partition {
        let before = now(&file, partition);
        let of_server = |server: u32| {
            let host = hosts.get(server as usize);
            host.and_then(|host| touched.get(host)).copied().unwrap_or(0)
        };
        let servers = 0..as_number(hosts.len());
        let most = servers.clone().map(of_server).max().unwrap_or(0);
        let best = servers.filter(|&server| most > 0 && of_server(server) == most);
        // Of equals the first.
        let best = best.min_by_key(|&server| load[server as usize]).unwrap_or(before);
        let all: u64 = touched.values().sum();
        if let Some(load) = load.get_mut(best as usize) {
            *load += all;
        }
        guided.moved.touched += 1;
        guided.moved.partitions += u64::from(best != before);
        guided.moved.bytes += all;
        guided.moved.local_before += of_server(before);
        guided.moved.local_after += of_server(best);
        guided.servers.insert((file, partition), best);
    }
    guided
}

impl Guided {
    /// As a table (CSV), with the names of the servers.
    pub fn table(&self, names: &[String]) -> String {
        let mut table = crate::host::PROFILE_COLUMNS.join(",");
        table.push('\n');
        for ((file, partition), server) in &self.servers {
            let Some(server) = names.get(*server as usize) else { continue };
            table.push_str(&format!("{},{partition},{}\n", quoted(file), quoted(server)));
        }
        table
    }
}

/// A field of a table, in quotation marks where it needs them (RFC 4180).
fn quoted(field: &str) -> String {
    let plain = !field.contains([',', '"', '\n', '\r']) && field.trim() == field;
    if plain { field.to_owned() } else { format!("\"{}\"", field.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn access(file: &str, partition: u64, host: usize, bytes: u64) -> Access {
        Access { file: file.to_owned(), partition, host, bytes }
    }

    #[test]
    fn a_partition_goes_to_who_touches_it_most() {
        let accesses = [
            access("out", 0, 7, 100),
            access("out", 0, 8, 60),
            access("out", 1, 8, 10),
            // Summed up: host 8 twice.
            access("out", 0, 8, 60),
            // Nobody has a server there.
            access("out", 2, 9, 500),
        ];
        let guided = profile_guided(accesses, &[7, 8], |_, partition| (partition % 2) as u32);
        let servers: Vec<u32> = guided.servers.values().copied().collect();
        assert_eq!(servers, [1, 1, 0]);
        let expected = Moved { touched: 3, partitions: 1, bytes: 730, local_before: 110, local_after: 130 };
        assert_eq!(guided.moved, expected);
        assert_eq!(
            guided.table(&["a/d".to_owned(), "b/d".to_owned()]),
            "file,partition,server\nout,0,b/d\nout,1,b/d\nout,2,a/d\n"
        );
    }

    #[test]
    fn what_all_touch_alike_is_spread() {
        let all = (0..12).flat_map(|partition| (0..4).map(move |host| access("in", partition, host, 64)));
        let guided = profile_guided(all, &[0, 1, 2, 3], |_, _| 0);
        let mut counts = [0; 4];
        guided.servers.values().for_each(|&server| counts[server as usize] += 1);
        assert_eq!(counts, [3; 4]);
    }

    proptest! {
        #[test]
        fn nothing_becomes_less_local_and_nothing_is_lost(
            accesses in proptest::collection::vec((0u64..6, 0usize..5, 1u64..100), 0..60),
            hosts in proptest::collection::vec(0usize..5, 1..5),
        ) {
            let servers = hosts.len() as u64;
            let of = |&(partition, host, bytes): &(u64, usize, u64)| access("f", partition, host, bytes);
            let guided = profile_guided(accesses.iter().map(of), &hosts, |_, partition| (partition % servers) as u32);
            let all: u64 = accesses.iter().map(|access| access.2).sum();
            prop_assert_eq!(guided.moved.bytes, all);
            prop_assert!(guided.moved.local_before <= guided.moved.local_after && guided.moved.local_after <= all);
            prop_assert!(guided.servers.values().all(|&server| u64::from(server) < servers));
            // No other server of a partition would have more of it local.
            for ((_, partition), &server) in &guided.servers {
                let on = |server: usize| -> u64 {
                    let there = accesses.iter().filter(|access| access.0 == *partition && access.1 == hosts[server]);
                    there.map(|access| access.2).sum()
                };
                prop_assert!((0..hosts.len()).all(|other| on(other) <= on(server as usize)));
            }
        }
    }

    #[test]
    fn names_with_commas_are_quoted() {
        let guided = profile_guided([access("a, \"b\"", 3, 0, 1)], &[0], |_, _| 0);
        assert_eq!(guided.table(&["d".to_owned()]), "file,partition,server\n\"a, \"\"b\"\"\",3,d\n");
    }
}
