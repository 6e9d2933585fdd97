//! What `perf trace` prints, line by line made into what strace prints of the same call: names stand before the arguments there, and
//! those that are zero are left out.
//!
//! ```text
//!      0.021 ( 0.004 ms): cat/1834 pread64(fd: 3</a>, buf: 0x7ffe, count: 832, pos: 64)                = 832
//!      0.100 (         ): cat/1834 read(fd: 0, buf: 0x7ffe, count: 131072)                            ...
//!      2.500 ( 2.400 ms): cat/1834  ... [continued]: read())                                          = 5
//! ```
//!
//! Times are in ms since perf began; the process is left out where only one thread was traced. Source: perf-trace(1) and
//! tools/perf/builtin-trace.c of Linux 6.8 (trace__fprintf_entry_head, syscall__scnprintf_args). Names of files that perf couldn't see
//! (older kernels print their addresses) stay unknown.

use crate::field::looks_whole;

/// The arguments in the order in which a call has them, by the names that the kernel's tracepoints give them.
const ORDERS: [(&str, &[&str]); 33] = [
    ("read", &["fd", "buf", "count"]),
    ("write", &["fd", "buf", "count"]),
    ("pread64", &["fd", "buf", "count", "pos"]),
    ("pwrite64", &["fd", "buf", "count", "pos"]),
    ("readv", &["fd", "vec", "vlen"]),
    ("writev", &["fd", "vec", "vlen"]),
    ("preadv", &["fd", "vec", "vlen", "pos_l"]),
    ("pwritev", &["fd", "vec", "vlen", "pos_l"]),
    ("getdents64", &["fd", "dirent", "count"]),
    ("open", &["filename", "flags", "mode"]),
    ("openat", &["dfd", "filename", "flags", "mode"]),
    ("creat", &["pathname", "mode"]),
    ("close", &["fd"]),
    ("lseek", &["fd", "offset", "whence"]),
    ("fsync", &["fd"]),
    ("fdatasync", &["fd"]),
    ("truncate", &["path", "length"]),
    ("ftruncate", &["fd", "length"]),
    ("unlink", &["pathname"]),
    ("unlinkat", &["dfd", "pathname", "flag"]),
    ("rmdir", &["pathname"]),
    ("mkdir", &["pathname", "mode"]),
    ("mkdirat", &["dfd", "pathname", "mode"]),
    ("rename", &["oldname", "newname"]),
    ("renameat", &["olddfd", "oldname", "newdfd", "newname"]),
    ("renameat2", &["olddfd", "oldname", "newdfd", "newname", "flags"]),
    ("stat", &["filename", "statbuf"]),
    ("lstat", &["filename", "statbuf"]),
    ("fstat", &["fd", "statbuf"]),
    ("newfstatat", &["dfd", "filename", "statbuf", "flag"]),
    ("statx", &["dfd", "filename", "flags", "mask"]),
    ("access", &["filename", "mode"]),
    ("dup2", &["oldfd", "newfd"]),
];

/// A line taken apart.
struct Line<'a> {
    seconds: String,
    took: Option<String>,
    process: &'a str,
    call: &'a str,
}

impl<'a> Line<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let (time, rest) = line.split_once('(')?;
        let (span, rest) = rest.split_once("):")?;
        let seconds = seconds(time.trim())?;
        let took = match span.trim() {
            "" => None,
            span => Some(self::seconds(span.strip_suffix("ms")?.trim())?),
        };
        let rest = rest.trim_start();
        // `cat/1834 read(`: a command may have blanks in its name.
        let before = rest.find('(').unwrap_or(rest.len());
        let continued = rest.find(" ... [").unwrap_or(before);
        let head = &rest[..before.min(continued + 1)];
        let named = head.rfind('/').and_then(|slash| {
            let digits = head[slash + 1..].split_whitespace().next()?;
            looks_whole(digits.as_bytes()).then_some((digits, slash + 1 + digits.len()))
        });
        let (process, call) = match named {
            Some((digits, end)) => (digits, rest[end..].trim_start()),
            None => ("0", rest),
        };
        Some(Self { seconds, took, process, call })
    }
}

/// Milliseconds as seconds.
fn seconds(ms: &str) -> Option<String> {
    let (whole, fraction) = ms.split_once('.')?;
    if !looks_whole(whole.as_bytes()) || !looks_whole(fraction.as_bytes()) || whole.len() > 15 {
        return None;
    }
    let padded = format!("{whole:0>4}");
    let (front, back) = padded.split_at(padded.len() - 3);
    Some(format!("{front}.{back}{fraction}"))
}

/// Whether a line is one of perf trace's.
pub(super) fn is_line(line: &[u8]) -> bool {
    std::str::from_utf8(line).ok().and_then(Line::of).is_some_and(|line| !line.call.is_empty())
}

/// A line as strace has it; `None` where it isn't perf's.
pub(super) fn as_strace(line: &[u8]) -> Option<Vec<u8>> {
    let line = String::from_utf8_lossy(line);
    let Line { seconds, took, process, call } = Line::of(&line)?;
    let took = took.map(|took| format!(" <{took}>")).unwrap_or_default();
    let head = if process == "0" { seconds } else { format!("{process} {seconds}") };
    if let Some(rest) = call.strip_prefix("... [continued]: ") {
        let (name, rest) = rest.split_once('(')?;
        let result = rest.trim_start_matches(')').trim_start();
        return Some(format!("{head} <... {name} resumed>) {result}{took}").into_bytes());
    }
    let (name, rest) = call.split_once('(')?;
    let name = name.trim();
    if let Some(arguments) = rest.trim_end().strip_suffix("...") {
        let arguments = arguments.trim_end();
        let arguments = strace_arguments(name, arguments.strip_suffix(')').unwrap_or(arguments));
        return Some(format!("{head} {name}({arguments} <unfinished ...>").into_bytes());
    }
    let end = rest.rfind(") ")?;
    let (arguments, result) = (&rest[..end], rest[end + 1..].trim_start());
    // The number of a child comes with what it is called.
    let result = match (result.starts_with("= -"), result.split_once(" (")) {
        (false, Some((number, _))) => number,
        _ => result,
    };
    let arguments = strace_arguments(name, arguments);
    Some(format!("{head} {name}({arguments}) {result}{took}").into_bytes())
}

/// Arguments with the commas between them that are in no string and no brackets.
fn split(arguments: &str) -> Vec<&str> {
    let (mut all, mut from, mut depth, mut quoted) = (Vec::new(), 0, 0_i32, false);
    for (at, letter) in arguments.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '{' | '[' | '<' if !quoted => depth += 1,
            '}' | ']' | '>' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                all.push(arguments[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    all.push(arguments[from..].trim());
    all
}

/// As strace orders and names them.
fn strace_arguments(name: &str, arguments: &str) -> String {
    let named: Vec<(&str, &str)> = split(arguments)
        .into_iter()
        .filter(|argument| !argument.is_empty())
        .map(|argument| argument.split_once(": ").unwrap_or(("", argument)))
        .collect();
    let shown = |(name, value): (&str, &str)| -> String {
        match (name, value) {
            (_, "CWD") => "AT_FDCWD".to_owned(),
            ("flags", value) if value.starts_with(|letter: char| letter.is_ascii_uppercase()) => {
                value.split('|').map(|flag| format!("O_{flag}")).collect::<Vec<_>>().join("|")
            }
            ("whence", value) => format!("SEEK_{value}"),
            (_, value) => value.to_owned(),
        }
    };
    let Some((_, order)) = ORDERS.iter().find(|(known, _)| *known == name) else {
        return named.into_iter().map(shown).collect::<Vec<_>>().join(", ");
    };
    let ordered = order.iter().map(|wanted| match named.iter().find(|(name, _)| name == wanted) {
        Some(argument) => shown(*argument),
        // What is zero isn't printed: reading only, the file's beginning, from its beginning on.
        None => match *wanted {
            "flags" => "O_RDONLY".to_owned(),
            "whence" => "SEEK_SET".to_owned(),
            _ => "0".to_owned(),
        },
    });
    ordered.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::event::{Event, EventKind};
    use crate::{EventReader, FormatName, TraceOptions};
    use petrio_time::Time;

    fn line(text: &str) -> String {
        String::from_utf8(as_strace(text.as_bytes()).unwrap()).unwrap()
    }

    #[test]
    fn lines_become_those_of_strace() {
        for (perf, strace) in [
            (
                "     0.000 ( 0.012 ms): cat/1834 openat(dfd: CWD, filename: \"/etc/a, b\", flags: RDONLY|CLOEXEC)   = 3",
                "1834 0.000000 openat(AT_FDCWD, \"/etc/a, b\", O_RDONLY|O_CLOEXEC, 0) = 3 <0.000012>",
            ),
            (
                "  1234.567 ( 1.004 ms): my app/18 pread64(fd: 3</a>, buf: 0x7ffe, count: 832)          = 832",
                "18 1.234567 pread64(3</a>, 0x7ffe, 832, 0) = 832 <0.001004>",
            ),
            (
                "     0.100 (         ): cat/1834 read(fd: 0, buf: 0x7ffe, count: 131072)    ...",
                "1834 0.000100 read(0, 0x7ffe, 131072 <unfinished ...>",
            ),
            (
                "     2.500 ( 2.400 ms): cat/1834  ... [continued]: read())      = 5",
                "1834 0.002500 <... read resumed>) = 5 <0.002400>",
            ),
            (
                "     0.030 ( 0.002 ms): close(fd: 3</a>)                   = 0",
                "0.000030 close(3</a>) = 0 <0.000002>",
            ),
            (
                "     0.030 ( 0.002 ms): x/1 access(filename: \"/no\", mode: R)    = -1 ENOENT (No such file or directory)",
                "1 0.000030 access(\"/no\", R) = -1 ENOENT (No such file or directory) <0.000002>",
            ),
        ] {
            assert_eq!(line(perf), strace);
        }
        assert!(!is_line(b"7 1795223276.000500 pread64(3</x/a>, \"\", 4096, 0) = 4096 <0.000020>"));
    }

    #[test]
    fn a_trace_of_perf_is_read_as_one_of_strace() {
        let text = "     0.000 ( 0.012 ms): cat/1834 openat(dfd: CWD, filename: \"/data/a\", flags: RDONLY|CLOEXEC)   = 3\n\
            \x20    0.021 ( 0.004 ms): cat/1834 read(fd: 3</data/a>, buf: 0x7ffe, count: 4096)                = 4096\n\
            \x20    0.030 (         ): cat/1834 read(fd: 3</data/a>, buf: 0x7ffe, count: 4096)                ...\n\
            \x20    0.500 ( 0.470 ms): cat/1834  ... [continued]: read())                                = 100\n\
            \x20    0.600 ( 0.001 ms): cat/1834 close(fd: 3</data/a>)                                    = 0\n";
        let mut reader =
            EventReader::from_reader("memory", text.as_bytes(), &TraceOptions::default()).unwrap();
        assert_eq!(reader.format(), FormatName::PerfTrace);
        let events: Vec<Event> = reader.by_ref().map(Result::unwrap).collect();
        let kinds: Vec<_> = events.iter().map(|event| (event.kind, event.offset, event.length)).collect();
        assert_eq!(kinds[0].0, EventKind::Open);
        assert_eq!(kinds[1..3], [(EventKind::Read, Some(0), 4096), (EventKind::Read, Some(4096), 100)]);
        assert_eq!((events[2].time, events[2].process), (Time::from_micros(30), 1834));
        assert_eq!(events[3].kind, EventKind::Close);
        assert_eq!(events[1].path.as_deref(), events[0].path.as_deref());
    }
}
