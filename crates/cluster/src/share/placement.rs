//! Where partitions of files lie: on which server each is, and where in that server's own file.
//!
//! A file is cut into partitions of equal size. A server keeps those of a file that are its own one after the other, in a
//! plain file; where its own lie follows from counting those before, so that nothing has to be remembered of them. A
//! profile moves single partitions away from where the rule would have them.
//!
//! Sources: the study's "profile-guided" placement (Wang and Kaeli, §3.1.2) puts each partition of a file on the disk of the
//! process that touches it; the other rules are what file services do that know nothing of who does.

use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_random::{finish, mix};
use petrio_units::numbers::as_number;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which server has a partition that no profile names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Persist)]
pub enum Rule {
    /// Servers take turns, from a file's first one on; files begin at servers in turn.
    RoundRobin,
    /// A file lies on one server; files take turns.
    ByFile,
    /// In each round of as many partitions as there are servers, every server has one, in an order that a hash of file
    /// and round says.
    Hashed,
}

/// Where partitions lie.
#[derive(Clone, Debug, PartialEq, Eq, Persist)]
pub struct Placement {
    rule: Rule,
    partition: u64,
    servers: u32,
    moved: Arc<BTreeMap<FileId, Moves>>,
}

/// The partitions of a file that lie elsewhere than its rule says.
#[derive(Clone, Debug, Default, PartialEq, Eq, Persist)]
struct Moves {
    to: BTreeMap<u64, u32>,
    /// Of each server, the partitions that came to it and that left it, ascending.
    came: BTreeMap<u32, Vec<u64>>,
    left: BTreeMap<u32, Vec<u64>>,
}

/// Bytes that follow each other, in their file and in a server's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The server that has them.
    pub server: u32,
    /// The first of them in the server's own file.
    pub offset: u64,
    /// How many there are.
    pub length: u64,
}

impl Placement {
    /// By a rule, in partitions of so many bytes, on so many servers; at least one each.
    pub fn new(rule: Rule, partition: u64, servers: u32) -> Self {
        Self { rule, partition: partition.max(1), servers: servers.max(1), moved: Arc::default() }
    }

    /// With these partitions of files on these servers. Those of no server there is lie where the rule has them.
    #[must_use]
    pub fn with_profile(self, profile: impl IntoIterator<Item = (FileId, u64, u32)>) -> Self {
        let mut moved: BTreeMap<FileId, Moves> = BTreeMap::new();
        for (file, partition, server) in profile {
            if server < self.servers && server != self.usual(file, partition) {
                moved.entry(file).or_default().to.insert(partition, server);
            }
        }
        for (&file, moves) in &mut moved {
            for (&partition, &server) in &moves.to {
                moves.came.entry(server).or_default().push(partition);
                moves.left.entry(self.usual(file, partition)).or_default().push(partition);
            }
        }
        Self { moved: Arc::new(moved), ..self }
    }

    /// Bytes of a partition.
    pub const fn partition(&self) -> u64 {
        self.partition
    }

    /// Servers that there are.
    pub const fn servers(&self) -> u32 {
        self.servers
    }

    /// Which server has a partition.
    pub fn server(&self, file: FileId, partition: u64) -> u32 {
        let moved = self.moved.get(&file).and_then(|moves| moves.to.get(&partition));
        moved.copied().unwrap_or_else(|| self.usual(file, partition))
    }

    /// The server on which a file's name is: that of its first partition.
    pub fn home(&self, file: FileId) -> u32 {
        self.server(file, 0)
    }

    /// The servers on which something of a file may lie, ascending.
    pub fn servers_of(&self, file: FileId) -> impl Iterator<Item = u32> {
        let all = match self.rule {
            Rule::ByFile if !self.moved.contains_key(&file) => self.home(file)..self.home(file) + 1,
            _ => 0..self.servers,
        };
        all.into_iter()
    }

    /// How many of a file's first `end` bytes lie on a server.
    pub fn below(&self, file: FileId, server: u32, end: u64) -> u64 {
        let last = end / self.partition;
        let rest = if self.server(file, last) == server { end % self.partition } else { 0 };
        self.count(file, server, last) * self.partition + rest
    }

    /// The parts of a range, in the order of the file; what follows each other on a server is one.
    pub fn parts(&self, file: FileId, offset: u64, length: u64) -> Vec<Part> {
        let end = offset.saturating_add(length);
        let whole = self.rule == Rule::ByFile && !self.moved.contains_key(&file);
        let mut parts: Vec<Part> = Vec::new();
        let mut at = offset;
        while at < end {
            let next =
                if whole { end } else { (at / self.partition + 1).saturating_mul(self.partition).min(end) };
            let server = self.server(file, at / self.partition);
            match parts.last_mut() {
                Some(last) if last.server == server => last.length += next - at,
                _ => parts.push(Part { server, offset: self.below(file, server, at), length: next - at }),
            }
            at = next;
        }
        parts
    }

    /// How many of a file's first `partitions` lie on a server.
    fn count(&self, file: FileId, server: u32, partitions: u64) -> u64 {
        let usual = self.usual_count(file, server, partitions);
        let Some(Moves { came, left, .. }) = self.moved.get(&file) else { return usual };
        let before = |of: &BTreeMap<u32, Vec<u64>>| {
            of.get(&server).map_or(0, |all| all.partition_point(|&partition| partition < partitions)) as u64
        };
        usual + before(came) - before(left)
    }

    /// Where a partition lies by the rule alone.
    fn usual(&self, file: FileId, partition: u64) -> u32 {
        let servers = u64::from(self.servers);
        let (round, position) = (partition / servers, partition % servers);
        as_number(match self.rule {
            Rule::ByFile => u64::from(file.0) % servers,
            Rule::RoundRobin => (u64::from(file.0) + position) % servers,
            Rule::Hashed => {
                let Order { first, step } = Order::of(file, round, servers);
                (first + step * position) % servers
            }
        })
    }

    fn usual_count(&self, file: FileId, server: u32, partitions: u64) -> u64 {
        let servers = u64::from(self.servers);
        let (rounds, rest) = (partitions / servers, partitions % servers);
        if self.rule == Rule::ByFile {
            return if self.usual(file, 0) == server { partitions } else { 0 };
        }
        let begun = rounds * servers;
        let has = match self.rule {
            Rule::RoundRobin => (u64::from(server) + servers - u64::from(file.0) % servers) % servers < rest,
            _ => (begun..begun + rest).any(|partition| self.usual(file, partition) == server),
        };
        rounds + u64::from(has)
    }
}

/// The order of servers in a round: from one of them on, always so many further. The step has no divisor in common with
/// their number, so that each has its turn.
struct Order {
    first: u64,
    step: u64,
}

impl Order {
    fn of(file: FileId, round: u64, servers: u64) -> Self {
        let drawn = finish(mix(u64::from(file.0)) ^ round);
        let first = (drawn >> 32) % servers;
        let step = (drawn & 0xffff_ffff) % servers;
        let step = (step..step + servers).find(|&step| common_divisor(step, servers) == 1).unwrap_or(1);
        Self { first, step: step % servers.max(2) }
    }
}

fn common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { common_divisor(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const RULES: [Rule; 3] = [Rule::RoundRobin, Rule::ByFile, Rule::Hashed];

    proptest! {
        #[test]
        fn every_byte_is_on_one_server_where_counting_finds_it(
            rule in 0usize..3,
            partition in 1u64..9,
            servers in 1u32..8,
            file in 0u32..50,
            (offset, length) in (0u64..200, 0u64..200),
            profile in proptest::collection::vec((0u32..50, 0u64..60, 0u32..9), 0..40),
        ) {
            let of_file: Vec<_> =
                profile.iter().map(|&(other, at, server)| (FileId(if other < 25 { file } else { other }), at, server))
                .collect();
            let placement = Placement::new(RULES[rule], partition, servers).with_profile(of_file);
            let file = FileId(file);
            // Byte by byte: each server's own file grows by those of its partitions.
            let mut own: BTreeMap<u32, u64> = BTreeMap::new();
            let mut found: Vec<(u32, u64)> = Vec::new();
            for byte in 0..offset + length {
                for server in 0..servers {
                    prop_assert_eq!(placement.below(file, server, byte), own.get(&server).copied().unwrap_or(0));
                }
                let server = placement.server(file, byte / partition);
                prop_assert!(server < servers);
                prop_assert!(placement.servers_of(file).any(|there| there == server));
                let at = own.entry(server).or_insert(0);
                if byte >= offset {
                    found.push((server, *at));
                }
                *at += 1;
            }
            let parts = placement.parts(file, offset, length);
            let bytes: Vec<(u32, u64)> = parts
                .iter()
                .flat_map(|part| (part.offset..part.offset + part.length).map(|byte| (part.server, byte)))
                .collect();
            prop_assert_eq!(bytes, found, "in the order of the file");
            prop_assert!(parts.windows(2).all(|two| two[0].server != two[1].server), "as few as there can be");
        }

        #[test]
        fn every_server_has_one_partition_of_a_round(servers in 1u32..40, file: u32, round in 0u64..1 << 40) {
            for rule in [Rule::RoundRobin, Rule::Hashed] {
                let placement = Placement::new(rule, 1, servers);
                let first = round * u64::from(servers);
                let mut there: Vec<u32> = (first..first + u64::from(servers))
                    .map(|partition| placement.server(FileId(file), partition))
                    .collect();
                there.sort_unstable();
                prop_assert_eq!(there, (0..servers).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn by_file_a_file_has_one_server_and_files_take_turns() {
        let placement = Placement::new(Rule::ByFile, 64, 4);
        let homes: Vec<u32> = (0..8).map(|file| placement.home(FileId(file))).collect();
        assert_eq!(homes, [0, 1, 2, 3, 0, 1, 2, 3]);
        let parts = placement.parts(FileId(2), 1_000, 10_000);
        assert_eq!(parts, [Part { server: 2, offset: 1_000, length: 10_000 }]);
        assert_eq!(placement.servers_of(FileId(2)).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn hashed_neighbours_lie_anywhere() {
        // Of the rounds of eight servers, those in which the second partition is where it would be by turns.
        let placement = Placement::new(Rule::Hashed, 1, 8);
        let in_turn = |round: &u64| {
            let at = |position| placement.server(FileId(5), round * 8 + position);
            (at(0) + 1) % 8 == at(1)
        };
        let count = (0..4_000).filter(in_turn).count();
        // Of seven others only the odd steps are possible.
        assert!((800..1_200).contains(&count), "{count}");
    }
}
