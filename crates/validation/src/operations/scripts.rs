//! Measured operations as scripts, read from their names and phases: `append_4k_O_DIRECT_O_DSYNC` with the phases `write close`.
//!
//! The name says which file there is and how large each access is, the phases which calls are made in which order. What petrio's programs
//! can't say (mounting) is no script.

use std::fmt::Write as _;

/// A phase of an operation: its name, and its calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phase {
    /// As the table calls it.
    pub name: String,
    /// Statements of one call each.
    pub calls: Vec<String>,
}

/// An operation as a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationScript {
    /// Files that are there before.
    pub declared: String,
    /// What happens before it is looked at.
    pub before: String,
    /// What is looked at.
    pub phases: Vec<Phase>,
}

/// The most files or accesses, and the largest size, of an operation that is looked at by itself.
const NUMBER_MOST: u64 = 10_000;
const SIZE_MOST: u64 = 1 << 30;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Files of the operation's directory that other repetitions have used: each operation was repeated twelve times in one directory.
const OTHERS: usize = 6;

/// Files in four directories that lie before one of the root of which the inode is to be read.
const ROOT_OTHERS: usize = 160;

/// Directories in another, made before on ext4: with it a batch of its counts of free inodes and blocks, which are exact behind it, as they
/// were when directories were made there after a mount. XFS counts its inodes by group.
const PADDING: usize = 31;

/// Directories that were made and used before, in all groups of the volume.
const DIRECTORIES: usize = 8;

/// Bytes of an extended attribute of which the name doesn't say it.
const XATTR: u64 = 100;

/// The size of an access or a file: `4k`, `8m`, `100b`.
fn size(word: &str) -> Option<u64> {
    let (digits, unit) = word.split_at_checked(word.len().checked_sub(1)?)?;
    let unit = match unit {
        "b" => 1,
        "k" => KIB,
        "m" => MIB,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

/// What a name says.
struct Words<'a> {
    all: Vec<&'a str>,
    sizes: Vec<u64>,
    numbers: Vec<u64>,
}

impl<'a> Words<'a> {
    fn of(name: &'a str) -> Self {
        let all: Vec<&str> = name.split('_').collect();
        let sizes = all.iter().filter_map(|word| size(word)).collect();
        let numbers = all.iter().filter_map(|word| word.parse().ok()).collect();
        Self { all, sizes, numbers }
    }

    fn has(&self, word: &str) -> bool {
        self.all.contains(&word)
    }

    fn begins(&self, word: &str) -> bool {
        self.all.first() == Some(&word)
    }

    /// Flags of its accesses: `O_DIRECT`, `O_SYNC`, `O_DSYNC`.
    fn flags(&self) -> String {
        let flags = [("DIRECT", " direct"), ("SYNC", " sync"), ("DSYNC", " data-sync")];
        flags.iter().filter(|(word, _)| self.has(word)).map(|(_, flag)| *flag).collect()
    }
}

impl OperationScript {
    /// Of an operation and its phases; none where petrio's programs can't do it.
    #[must_use]
    pub fn of(name: &str, phases: &str) -> Option<Self> {
        let words = Words::of(name);
        let too_large = words.numbers.iter().any(|&number| number > NUMBER_MOST);
        if too_large || words.sizes.iter().any(|&size| size == 0 || size > SIZE_MOST) {
            return None;
        }
        let cold = words.has("remount");
        let (declared, before) = files(&words, cold, phases)?;
        let phases = phases.split_whitespace().map(|phase| {
            let calls = calls(&words, phase)?;
            Some(Phase { name: phase.to_owned(), calls })
        });
        Some(Self { declared, before, phases: phases.collect::<Option<Vec<Phase>>>()? })
    }

    /// Its text, on a file system of this type.
    #[must_use]
    pub fn text(&self, fs: &str) -> String {
        let mut text = String::from("directory pad\n");
        // Where others have made what is looked at in directories of their own.
        (0..PADDING).filter(|_| fs == "ext4" && !self.declared.is_empty()).for_each(|at| {
            let _ = writeln!(text, "directory pad/{at}");
        });
        let _ = write!(text, "directory d\n{}phase preparation\n{}", self.declared, self.before);
        text.push_str("sync\nthink 200 ms\nphase measured\n");
        for call in self.phases.iter().flat_map(|phase| &phase.calls) {
            let _ = writeln!(text, "{call}");
        }
        text
    }
}

/// The size of the file that an operation finds.
fn found_size(words: &Words<'_>, phases: &str) -> Option<u64> {
    let sizes = &words.sizes;
    Some(match words.all.first().copied()? {
        "read" => sizes.last().copied()?,
        "seqread" => sizes.first().copied()?,
        "random" | "backward" | "strided" | "stride" => sizes.last().copied()?,
        "open" => 4 * KIB,
        "append" if words.has("tail") => 64 * KIB - 100,
        "append" if sizes.first() == Some(&1) => 100,
        "append" => 4 * KIB,
        "overwrite" | "sync" if sizes.first().is_some_and(|&size| size >= MIB) => sizes[0],
        "truncate" | "unlink" => sizes.first().copied().unwrap_or(0),
        "punch" | "zero" => sizes.last().copied().filter(|_| sizes.len() > 1).unwrap_or(MIB),
        "sync" if words.has("range") => MIB,
        "fallocate" if words.has("punch") || words.has("zero") => MIB,
        "fallocate" => 0,
        "rename" | "link" | "stat" | "chmod" | "chown" | "utimes" | "setxattr" | "removexattr" => 4 * KIB,
        "fsync" | "fdatasync" | "overwrite" => MIB,
        "write" if phases.contains("write") => 0,
        _ => return None,
    })
}

/// What is there before: declared, where it is to be cold, or made.
fn files(words: &Words<'_>, cold: bool, phases: &str) -> Option<(String, String)> {
    let (mut declared, mut before) = (String::new(), String::new());
    let makes =
        ["create", "creates", "mkdir", "umount", "mount", "statvfs", "rmdir", "symlink", "mknod", "tmpfile"];
    let first = phases.split_whitespace().next()?;
    let lists = words.has("list") || words.has("files") || words.has("dir") && first == "list";
    let first = if words.has("TMPFILE") { "tmpfile" } else { first };
    let number = words.numbers.iter().copied().max().unwrap_or(0);
    if lists || words.begins("list") || (words.begins("stat") && number > 0) {
        for at in 0..number {
            let _ = writeln!(declared, "file d/f{at} 0 B");
        }
    } else if words.has("fadv") || words.has("remount") || words.has("uncached") {
        let size = found_size(words, phases)?;
        let at = file_of(words);
        if words.has("root") {
            // Its inode lies elsewhere than the root's, which mounting reads.
            for other in 0..ROOT_OTHERS {
                let (group, number) = (other % 4, other / 4);
                if number == 0 {
                    let _ = writeln!(declared, "directory q{group}");
                }
                let _ = writeln!(declared, "file q{group}/z{number} 0 B");
            }
        }
        for other in 0..OTHERS {
            let _ = writeln!(declared, "file {}o{other} {size} B", at.strip_suffix('f')?);
        }
        let _ = writeln!(declared, "file {at} {size} B");
        if !cold {
            let _ = writeln!(before, "stat {at}");
        }
    } else if words.begins("write") && words.has("hole") {
        let size = words.sizes.first().copied()?;
        let _ = writeln!(before, "create d/f\ntruncate d/f {size} B\nfsync d/f\nclose d/f");
    } else if !makes.contains(&first) && !words.begins("syncfs") {
        let size = found_size(words, phases)?;
        for name in (0..OTHERS).map(|other| format!("d/o{other}")).chain(["d/f".to_owned()]) {
            let _ = writeln!(before, "create {name}");
            if size > 0 {
                let _ = writeln!(before, "write {name} 0 {size} B");
            }
            before.push_str(&attribute(words, &name));
            let _ = writeln!(before, "close {name}");
        }
    }
    if !cold {
        if makes.contains(&first) || words.begins("syncfs") {
            for other in 0..OTHERS {
                let _ = writeln!(before, "create d/o{other}\nwrite d/o{other} 0 4 KiB\nclose d/o{other}");
            }
        }
        before.insert_str(0, &used());
    }
    if words.has("same") && words.has("again") {
        before.push_str("append d/f 4 KiB\nfsync d/f\n");
    }
    if words.begins("rmdir") {
        before.push_str("mkdir d/new\n");
    }
    if words.has("over") {
        before.push_str("create d/old\nwrite d/old 0 4 KiB\nclose d/old\n");
    }
    Some((declared, before))
}

/// The attribute that a file has before: others have that which is to be set already.
fn attribute(words: &Words<'_>, name: &str) -> String {
    let has = match words.all[0] {
        "setxattr" => name != "d/f",
        word => word == "removexattr",
    };
    let size = words.sizes.first().copied().unwrap_or(XATTR);
    if has { format!("setxattr {name} {size} B\n") } else { String::new() }
}

/// What others did before has brought trees and bitmaps of all groups into memory.
fn used() -> String {
    (0..DIRECTORIES).fold(String::new(), |mut text, at| {
        let _ = writeln!(
            text,
            "mkdir u{at}\ncreate u{at}/f\nwrite u{at}/f 0 12 KiB\nclose u{at}/f\nfsync u{at}/f"
        );
        text
    })
}

/// The file that an operation is about.
fn file_of(words: &Words<'_>) -> &'static str {
    if words.has("root") { "f" } else { "d/f" }
}

/// The calls of a phase.
fn calls(words: &Words<'_>, phase: &str) -> Option<Vec<String>> {
    let file = file_of(words);
    let one = |call: String| Some(vec![call]);
    let kind = phase.trim_end_matches(|letter: char| letter.is_ascii_digit());
    let makes_directory = words.begins("mkdir");
    match kind {
        "open" if words.has("TMPFILE") => one(format!("tmpfile {file}")),
        "open" => one(format!("open {file}")),
        "read" => Some(reads(words)?),
        "close" => one(format!("close {file}")),
        "syncfs" | "sync" => one("sync".to_owned()),
        "write" if words.begins("fallocate") => {
            // Twice in the same place, then elsewhere.
            let at = if phase == "write3" { 768 * KIB } else { 256 * KIB };
            one(format!("write {file} {at} B 4 KiB"))
        }
        "write" => Some(writes(words, file)?),
        "fsync" | "fdatasync" if kind == "fdatasync" || !makes_directory => one(format!("{kind} {file}")),
        "fsyncdir" | "fsync" if makes_directory => one("fsync d/new".to_owned()),
        "fsyncdir" => one("fsync d".to_owned()),
        "create" => one(format!("create {file}")),
        "creates" => Some(creates(words)),
        "last" => {
            let last = words.numbers.iter().copied().max()?.checked_sub(1)?;
            one(format!("fsync d/n{last}"))
        }
        "rename" if words.has("over") => one("rename d/f d/old".to_owned()),
        "rename" => one("rename d/f d/new".to_owned()),
        "link" => one("link d/f d/new".to_owned()),
        "symlink" => one("symlink target d/new".to_owned()),
        "mknod" => one("create d/new".to_owned()),
        "chmod" | "chown" | "utimes" | "utime" => {
            one(format!("{} {file}", if kind == "utime" { "utimes" } else { kind }))
        }
        "setxattr" => one(format!("setxattr {file} {} B", words.sizes.first().copied().unwrap_or(XATTR))),
        "removexattr" => one(format!("removexattr {file}")),
        "fallocate" | "punch" | "punch_hole" | "zero" | "zero_range" => one(allocates(words, file)),
        "sync_file_range" => {
            let length = words.sizes.first().copied().unwrap_or(4 * KIB);
            one(format!("sync_file_range {file} {} B {length} B", place_of(length)))
        }
        "unlink" => one("unlink d/f".to_owned()),
        "mkdir" => one("mkdir d/new".to_owned()),
        "rmdir" => one("rmdir d/new".to_owned()),
        "truncate" => {
            let to = words.all.iter().skip_while(|word| **word != "to").nth(1)?;
            let length = if *to == "0" { 0 } else { size(to)? };
            one(format!("truncate {file} {length} B"))
        }
        "list" => one("readdir d".to_owned()),
        "list_stat" => {
            let number = words.numbers.iter().copied().max()?;
            let stats = (0..number).map(|at| format!("stat d/f{at}"));
            Some(std::iter::once("readdir d".to_owned()).chain(stats).collect())
        }
        "stat" if words.has("missing") => None,
        "stat" if words.numbers.is_empty() => one(format!("stat {file}")),
        "stat" => {
            let number = words.numbers.iter().copied().max()?;
            Some((0..number).map(|at| format!("stat d/f{at}")).collect())
        }
        // What is asked for is in memory.
        "statvfs" => Some(Vec::new()),
        _ => None,
    }
}

/// Where so many bytes of a file are overwritten.
const fn place_of(length: u64) -> u64 {
    if length >= MIB { 0 } else { 400 * KIB }
}

/// A fallocate: of all of a file, or a hole or zeros in the middle of one.
fn allocates(words: &Words<'_>, file: &str) -> String {
    let length = words.sizes.first().copied().unwrap_or(MIB);
    match () {
        () if words.has("punch") => format!("fallocate {file} {} B {length} B punch-hole", 256 * KIB),
        () if words.has("zero") => format!("fallocate {file} {} B {length} B zero-range", 256 * KIB),
        () if words.has("keep") => format!("fallocate {file} 0 {length} B keep-size"),
        () => format!("fallocate {file} 0 {length} B"),
    }
}

fn creates(words: &Words<'_>) -> Vec<String> {
    let number = words.numbers.iter().copied().max().unwrap_or(1);
    let size = words.sizes.first().copied().unwrap_or(0);
    let each = |at: u64| {
        let mut calls = vec![format!("create d/n{at}")];
        if size > 0 {
            calls.push(format!("write d/n{at} 0 {size} B"));
        }
        calls.push(format!("close d/n{at}"));
        calls
    };
    (0..number).flat_map(each).collect()
}

/// Reads: one, all of a file in calls, or some here and there.
fn reads(words: &Words<'_>) -> Option<Vec<String>> {
    let file = file_of(words);
    let flags = words.flags();
    let read = |offset: u64, length: u64| format!("read {file} {offset} B {length} B{flags}");
    match words.all.first().copied()? {
        "seqread" => {
            let [all, call] = words.sizes[..] else { return None };
            if all / call > NUMBER_MOST {
                return None;
            }
            Some((0..all.div_ceil(call)).map(|at| read(at * call, call)).collect())
        }
        "random" | "backward" | "strided" | "stride" => {
            Some(spread(words)?.into_iter().map(|(offset, length)| read(offset, length)).collect())
        }
        "open" | "read" => Some(vec![read(0, words.sizes.first().copied().unwrap_or(4 * KIB))]),
        _ => None,
    }
}

/// Accesses here and there: `random_16_x_8k_of_8m`.
fn spread(words: &Words<'_>) -> Option<Vec<(u64, u64)>> {
    let (&length, &all) = (words.sizes.first()?, words.sizes.last()?);
    let number = words.numbers.first().copied().filter(|&number| number > 0 && all / number >= length)?;
    let each = all / number;
    let place = |at: u64| match words.all[0] {
        // Seven is coprime to powers of two: each place once, and never the next.
        "random" => (at * 7 + 3) % number * each + each / 2 / length * length,
        "backward" => (number - at) * each - length,
        _ => at * each,
    };
    Some((0..number).map(|at| (place(at), length)).collect())
}

fn writes(words: &Words<'_>, file: &str) -> Option<Vec<String>> {
    let flags = words.flags();
    let length = words.sizes.first().copied().unwrap_or(4 * KIB);
    Some(match words.all.first().copied()? {
        // It only asks for what is clean.
        "fsync" => Vec::new(),
        "append" => {
            let number = words.numbers.first().copied().unwrap_or(1);
            (0..number).map(|_| format!("append {file} {length} B{flags}")).collect()
        }
        "random" | "backward" | "strided" | "stride" => {
            let each = spread(words)?.into_iter();
            each.map(|(offset, length)| format!("write {file} {offset} B {length} B{flags}")).collect()
        }
        "overwrite" | "sync" => vec![format!("write {file} {} B {length} B{flags}", place_of(length))],
        "O" => vec![format!("write {file} 0 {length} B")],
        "create" => vec![format!("write {file} 0 {length} B{flags}")],
        "write" if words.has("hole") => vec![format!("write {file} {} B 4 KiB{flags}", 512 * KIB)],
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_and_phases_say_what_is_done() {
        let script = OperationScript::of("append_4k_O_DIRECT_O_DSYNC", "write close").unwrap();
        assert_eq!(script.phases[0].calls, ["append d/f 4096 B direct data-sync"]);
        let script = OperationScript::of("seqread_8m_calls_1m_fadv", "read close syncfs").unwrap();
        assert!(script.phases[0].calls.len() == 8 && script.before.ends_with("stat d/f\n"));
        let script = OperationScript::of("truncate_64k_to_4k_fsync", "truncate fsync close").unwrap();
        assert_eq!(script.phases[0].calls, ["truncate d/f 4096 B"]);
        let script = OperationScript::of("create_100_4k_fsync_last", "creates last").unwrap();
        assert_eq!((script.phases[0].calls.len(), script.phases[1].calls[0].as_str()), (300, "fsync d/n99"));
    }

    #[test]
    fn further_names_are_read_by_the_same_words() {
        let of = |name, phases| OperationScript::of(name, phases).unwrap();
        let random = of("random_16_x_4k_of_8m_fsync", "write fsync close");
        assert_eq!((random.phases[0].calls.len(), random.phases[1].calls.len()), (16, 1));
        assert!(random.before.contains("write d/f 0 8388608 B"));
        let removed = of("rmdir_fsync_dir", "rmdir fsyncdir");
        assert!(removed.before.contains("mkdir d/new") && removed.phases[0].calls == ["rmdir d/new"]);
        assert_eq!(of("stat_file_remount", "stat").phases[0].calls, ["stat d/f"]);
        assert_eq!(
            of("append_1m_fdatasync", "write fdatasync close").phases[0].calls,
            ["append d/f 1048576 B"]
        );
    }

    #[test]
    fn what_programs_cannot_do_is_no_script() {
        let large = ("create_99999999_empty", "creates");
        let empty = ("seqread_8m_calls_0k_fadv", "read");
        let apart = ("random_16_x_8m_of_8k_fadv", "read");
        let others = [("reflink_1m_fsync", "reflink fsync close"), ("mount_clean", "mount"), ("é", "é")];
        for (name, phases) in others.into_iter().chain([large, empty, apart]) {
            assert_eq!(OperationScript::of(name, phases), None, "{name}");
        }
    }
}
