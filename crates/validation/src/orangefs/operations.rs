//! The operations that were counted: what there is before, what the client knows, and what it asks then.
//!
//! The names are those of the tables: `create`, `write_64k`, `write_1m_first_unstuff`, `readdir_100_names`, and so on. Sizes and numbers
//! in them are read as such.

use petrio_colours::FileId;
use petrio_models::cluster::pvfs::metadata::Operation;

/// The directory that operations are in, the file that they are on, and the first of those that a directory is full of.
pub(super) const DIRECTORY: FileId = FileId(2);
pub(super) const FILE: FileId = FileId(3);
pub(super) const FIRST: FileId = FileId(1_000);

const KIB: u64 = 1 << 10;

/// A step of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// About names and attributes.
    Names(Operation),
    /// Reads or writes so many bytes of the file, from a stripe's begin on.
    Moves { bytes: u64, writes: bool },
    /// It forgets all that it knows, as one that has mounted the file system anew.
    Forgets,
}

/// An operation: what is done before it is counted, and what is counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Played {
    pub(super) before: Vec<Step>,
    pub(super) counted: Vec<Step>,
}

const CREATE: Step = Step::Names(Operation::Create { parent: DIRECTORY, file: FILE });

const fn moves(bytes: u64, writes: bool) -> Step {
    Step::Moves { bytes, writes }
}

const fn attributes(object: FileId, is_directory: bool, size: bool) -> Step {
    Step::Names(Operation::Attributes { object, is_directory, size })
}

const fn remove(object: FileId, is_directory: bool) -> Step {
    let parent = if is_directory { FileId::ROOT } else { DIRECTORY };
    Step::Names(Operation::Remove { parent, object, is_directory })
}

/// Files of a directory: made, each empty.
fn files(number: u64) -> impl Iterator<Item = Step> {
    (0..number).map(|at| Step::Names(Operation::Create { parent: DIRECTORY, file: file_at(at) }))
}

fn file_at(at: u64) -> FileId {
    FileId(FIRST.0.saturating_add(u32::try_from(at).unwrap_or(u32::MAX)))
}

const fn names(names: u64, first: Option<FileId>) -> Step {
    Step::Names(Operation::ReadDirectory { directory: DIRECTORY, names, wanted: (0, names), first })
}

/// How many names a listing that stats each asks for at a time.
const LISTED: u64 = 60;

/// Calls for so many names each until all are there.
fn calls(all: u64, each: u64, with_attributes: bool) -> Vec<Step> {
    let each = each.max(1);
    let begins = (0..all.div_ceil(each)).map(|call| call * each);
    begins.map(|from| names(each.min(all - from), with_attributes.then(|| file_at(from)))).collect()
}

impl Played {
    /// By its name; none that isn't known.
    pub(super) fn of(name: &str) -> Option<Self> {
        let of = |before: Vec<Step>, counted: Vec<Step>| Some(Self { before, counted });
        let large = || vec![CREATE, moves(KIB << 10, true)];
        let cold = |mut before: Vec<Step>| {
            before.push(Step::Forgets);
            before
        };
        match name {
            "init_mount" => return of(vec![], vec![Step::Names(Operation::Mount)]),
            "lookup_root_getattr" => return of(vec![], vec![attributes(FileId::ROOT, true, false)]),
            "mkdir" => {
                let make = Operation::MakeDirectory { parent: FileId::ROOT, directory: DIRECTORY };
                return of(vec![attributes(FileId::ROOT, true, false)], vec![Step::Names(make)]);
            }
            "create" => return of(vec![], vec![CREATE]),
            "stat_after_io_with_size" => return of(large(), vec![attributes(FILE, false, true)]),
            "stat_cold_with_size" => return of(cold(large()), vec![attributes(FILE, false, true)]),
            "stat_cold_nosize" => return of(cold(large()), vec![attributes(FILE, false, false)]),
            "stat_empty_cold_with_size" => {
                return of(cold(vec![CREATE]), vec![attributes(FILE, false, true)]);
            }
            "lookup_cold" => {
                let lookup = Operation::Lookup { parent: DIRECTORY, object: FILE, is_directory: false };
                return of(cold(large()), vec![Step::Names(lookup)]);
            }
            "flush" => return of(cold(large()), vec![Step::Names(Operation::Flush { file: FILE })]),
            "unlink_striped" => return of(cold(large()), vec![remove(FILE, false)]),
            "unlink_empty_stuffed" => return of(cold(vec![CREATE]), vec![remove(FILE, false)]),
            // Its own attributes were asked for when it was listed last.
            "rmdir_empty" => {
                return of(vec![attributes(DIRECTORY, true, false)], vec![remove(DIRECTORY, true)]);
            }
            "truncate" => {
                let truncate = Operation::Truncate { file: FILE, length: 0 };
                return of(large(), vec![Step::Names(truncate)]);
            }
            "chmod" | "setattr" => {
                let set = Operation::SetAttributes { object: FILE, is_directory: false };
                return of(cold(large()), vec![Step::Names(set)]);
            }
            "rename" => {
                let (from, to) = (DIRECTORY, DIRECTORY);
                let rename = Operation::Rename { from, to, object: FILE, replaced: None };
                return of(vec![CREATE], vec![Step::Names(rename)]);
            }
            _ => {}
        }
        Self::moving(name).or_else(|| Self::listing(name))
    }

    /// Reads and writes: `write_64k`, `read_4k_cold_attr`, `write_1m_first_unstuff`.
    fn moving(name: &str) -> Option<Self> {
        let (verb, rest) = name.split_once('_')?;
        let writes = match verb {
            "write" => true,
            "read" => false,
            _ => return None,
        };
        let (size, when) = rest.split_once('_').unwrap_or((rest, ""));
        let bytes = size_of(size)?;
        let large = vec![CREATE, moves(4 * KIB, true), moves((KIB << 10).max(bytes), true)];
        let before = match when {
            "" | "again" => large,
            "first_stuffed" => vec![CREATE],
            "again_stuffed" | "stuffed" | "first_unstuff" => vec![CREATE, moves(4 * KIB, true)],
            "cold_attr" => large.into_iter().chain([Step::Forgets]).collect(),
            _ => return None,
        };
        Some(Self { before, counted: vec![moves(bytes, writes)] })
    }

    /// Listings: `readdir_100_names`, `readdirplus_2x60_100entries`, `ls_l_100_readdir_plus_100_getattr`.
    fn listing(name: &str) -> Option<Self> {
        let (all, counted) = if let Some(rest) = name.strip_prefix("readdirplus_") {
            let (calls_of, all) = rest.strip_suffix("entries")?.split_once('_')?;
            let (_, each) = calls_of.split_once('x')?;
            let all = all.parse().ok()?;
            (all, calls(all, each.parse().ok()?, true))
        } else if let Some(rest) = name.strip_prefix("readdir_") {
            let all: u64 = rest.strip_suffix("_names")?.parse().ok()?;
            (all, vec![names(all, None)])
        } else {
            let (all, rest) = name.strip_prefix("ls_l_")?.split_once('_')?;
            let all: u64 = all.parse().ok().filter(|_| rest.starts_with("readdir_plus_"))?;
            let each = (0..all).map(|at| attributes(file_at(at), false, true));
            (all, calls(all, LISTED, false).into_iter().chain(each).collect())
        };
        // A table asks for no more than there is time for.
        const MOST: u64 = 1_000_000;
        let before = (all <= MOST).then(|| files(all).chain([Step::Forgets]).collect())?;
        Some(Self { before, counted })
    }
}

/// `64k`, `1m`, `4096`.
fn size_of(word: &str) -> Option<u64> {
    let digits = word.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &word[digits.len()..] {
        "" | "b" => 1,
        "k" => KIB,
        "m" => KIB << 10,
        _ => return None,
    };
    digits.parse::<u64>().ok().filter(|bytes| (1..=1 << 30).contains(bytes))?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn sizes_and_numbers_in_names_are_read() {
        assert_eq!(Played::of("write_512k").unwrap().counted, [moves(512 * KIB, true)]);
        assert_eq!(Played::of("read_4k_cold_attr").unwrap().counted, [moves(4 * KIB, false)]);
        let listed = Played::of("readdirplus_3x50_120entries").unwrap().counted;
        assert_eq!(listed.len(), 3);
        assert_eq!(listed[2], names(20, Some(FileId(1_100))));
        assert_eq!(Played::of("ls_l_100_readdir_plus_100_getattr").unwrap().counted.len(), 102);
        for unknown in [
            "",
            "write",
            "write_",
            "write_4x",
            "read_0k",
            "ls_l_",
            "readdir_names",
            "frobnicate",
            "write_4k_now",
        ] {
            assert_eq!(Played::of(unknown), None, "{unknown}");
        }
    }
}
