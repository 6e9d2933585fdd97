//! Pools of ZFS, as `zpool status` tells.

/// A pool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Pool {
    pub(super) name: String,
    pub(super) groups: Vec<Group>,
    /// What isn't of its data: `logs`, `cache`, `spares`, `special`, with how many drives each.
    pub(super) beside: Vec<String>,
}

/// Drives that hold the same, or keep what can be calculated of each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Group {
    pub(super) redundancy: Redundancy,
    pub(super) members: Vec<String>,
}

/// How much of a group may fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Redundancy {
    None,
    Mirror,
    /// So many drives' worth of parity.
    Parity(u32),
}

impl Pool {
    /// A pool of which only the members are known.
    pub(super) fn alone(name: &str, members: &[String]) -> Self {
        let alone = |member: &String| Group { redundancy: Redundancy::None, members: vec![member.clone()] };
        Self { name: name.to_owned(), groups: members.iter().map(alone).collect(), beside: Vec::new() }
    }
}

/// Whether a line heads the list of a pool's drives.
pub(super) fn is_head(line: &str) -> bool {
    line.split_whitespace().eq(["NAME", "STATE", "READ", "WRITE", "CKSUM"])
}

/// The pools of a text.
pub(super) fn read(text: &str) -> Vec<Pool> {
    let mut pools: Vec<Pool> = Vec::new();
    // Whether data are listed, or what is beside them; and how far in the last group stands.
    let (mut lists, mut group_at, mut beside) = (false, None, None::<(String, usize)>);
    for line in text.lines() {
        let at = line.len() - line.trim_start().len();
        if let Some(name) = line.trim_start().strip_prefix("pool: ") {
            pools.push(Pool { name: name.trim().to_owned(), ..Pool::default() });
            (lists, group_at, beside) = (false, None, None);
            continue;
        }
        let Some(pool) = pools.last_mut() else { continue };
        if is_head(line) {
            lists = true;
            continue;
        }
        let Some(first) = line.split_whitespace().next().filter(|_| lists) else { continue };
        if first == "errors:" {
            lists = false;
            finish(pool, beside.take());
            continue;
        }
        if first == pool.name {
            continue;
        }
        if matches!(first, "logs" | "cache" | "spares" | "special" | "dedup") {
            finish(pool, beside.replace((first.to_owned(), 0)));
            continue;
        }
        let redundancy = redundancy(first);
        if let Some((_, count)) = &mut beside {
            *count += usize::from(redundancy.is_none());
        } else if let Some(redundancy) = redundancy {
            group_at = Some(at);
            pool.groups.push(Group { redundancy, members: Vec::new() });
        } else if let Some(group) =
            pool.groups.last_mut().filter(|_| group_at.is_some_and(|group| at > group))
        {
            group.members.push(first.to_owned());
        } else {
            group_at = None;
            pool.groups.push(Group { redundancy: Redundancy::None, members: vec![first.to_owned()] });
        }
    }
    if let Some(pool) = pools.last_mut() {
        finish(pool, beside);
    }
    pools.retain(|pool| pool.groups.iter().any(|group| !group.members.is_empty()));
    pools
}

fn finish(pool: &mut Pool, beside: Option<(String, usize)>) {
    pool.beside
        .extend(beside.filter(|(_, count)| *count > 0).map(|(what, count)| format!("{count} of {what}")));
}

/// `mirror-0`, `raidz2-1`, `draid1:4d:6c:1s-0`.
fn redundancy(name: &str) -> Option<Redundancy> {
    if name.starts_with("mirror-") || name.starts_with("replacing-") || name.starts_with("spare-") {
        return Some(Redundancy::Mirror);
    }
    let rest = name.strip_prefix("raidz").or_else(|| name.strip_prefix("draid"))?;
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    Some(Redundancy::Parity(digits.parse().unwrap_or(1)))
}
