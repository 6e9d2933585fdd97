//! One line of strace's output taken apart: who, when, which call, its arguments, what it returned, how long it took.
//!
//! ```text
//! 10664 1795223276.566878 mkdirat(4</x>, "fb", 0755) = 0 <0.000135>
//! 10658 1795223276.192589 read(7<pipe:[157295]>,  <unfinished ...>
//! 10658 1795223276.198098 <... read resumed>"", 8) = 0 <0.005496>
//! ```

use super::clock::{Stamp, of_day};
use crate::field::{SECONDS, looks_numeric, looks_whole, picoseconds, whole32};
use petrio_time::Time;

/// What a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What<'a> {
    /// `name(arguments`, to the end of the line.
    Call { name: &'a [u8], rest: &'a [u8] },
    /// `name(arguments`, and the end comes later.
    Unfinished { name: &'a [u8], arguments: &'a [u8] },
    /// What was left of the call.
    Resumed { name: &'a [u8], rest: &'a [u8] },
    /// The process has ended.
    Exited,
    /// A signal, or a remark of strace's own.
    Remark,
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    /// The thread; 0 where only one was traced.
    pub(super) process: u32,
    /// What it runs; empty where strace doesn't show it (`-Y`).
    pub(super) command: &'a [u8],
    pub(super) stamp: Stamp,
    pub(super) what: What<'a>,
}

impl<'a> Line<'a> {
    /// `None` for a line that strace doesn't print.
    pub(super) fn of(line: &'a [u8]) -> Option<Self> {
        if line.starts_with(b"strace: ") {
            return Some(Self { process: 0, command: b"", stamp: Stamp::Missing, what: What::Remark });
        }
        let ((process, command), rest) = process(line)?;
        let (time, after) = word(rest);
        let seconds = || {
            let is_number = time.contains(&b'.') && looks_numeric(time);
            is_number.then(|| picoseconds(time, SECONDS, "time").ok())?.map(Stamp::Seconds)
        };
        let Some(stamp) = seconds().or_else(|| of_day(time).map(Stamp::OfDay)) else {
            return Self::without_time(process, command, rest.trim_ascii_start());
        };
        // With -r and -t both: `10:00:00 (+     0.000213) read(…`.
        let after = after.trim_ascii_start();
        let after = match after.strip_prefix(b"(+") {
            Some(since) => &since[since.iter().position(|&byte| byte == b')')? + 1..],
            None => after,
        };
        Some(Self { process, command, stamp, what: what(after.trim_ascii_start())? })
    }

    /// A line that only says what was called: one that doesn't say what it returned, either, may be anybody's.
    fn without_time(process: u32, command: &'a [u8], rest: &'a [u8]) -> Option<Self> {
        let what = what(rest)?;
        let is_told = match what {
            What::Call { name, rest } => {
                Call::of(name, rest).is_some_and(|call| call.result.is_some() || call.is_open_ended())
            }
            What::Remark => rest.starts_with(b"--- SIG") || rest.starts_with(b"+++ "),
            What::Unfinished { .. } | What::Resumed { .. } | What::Exited => true,
        };
        is_told.then_some(Self { process, command, stamp: Stamp::Missing, what })
    }
}

/// A thread's number, and what it runs.
type Shown<'a> = (u32, &'a [u8]);

/// The thread, printed as `10652` or `[pid 10652]`, with `-Y` as `10652<make>`, or not at all; and what it runs.
fn process(line: &[u8]) -> Option<(Shown<'_>, &[u8])> {
    if let Some(rest) = line.strip_prefix(b"[pid ") {
        let (process, rest) = numbered(rest.trim_ascii_start())?;
        return Some((process, rest.trim_ascii_start().strip_prefix(b"]")?));
    }
    numbered(line).or(Some(((0, b""), line)))
}

/// `10652`, or `10652<make>`, at the beginning of a text; `None` where that is no number of its own.
fn numbered(text: &[u8]) -> Option<(Shown<'_>, &[u8])> {
    let digits = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    if !looks_whole(number) {
        return None;
    }
    let (command, rest) = match rest.first() {
        // A command may have blanks and brackets in its name; what follows it is a blank or the bracket of `[pid`.
        Some(b'<') => {
            let end = rest.windows(2).position(|ends| ends[0] == b'>' && matches!(ends[1], b' ' | b']'))?;
            (&rest[1..end], &rest[end + 1..])
        }
        None | Some(b' ' | b'\t' | b']') => (&b""[..], rest),
        Some(_) => return None,
    };
    Some(((whole32(number, "process").ok()?, command), rest))
}

/// The text up to a blank, and after it.
fn word(text: &[u8]) -> (&[u8], &[u8]) {
    let text = text.trim_ascii_start();
    text.split_at(text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len()))
}

fn what(text: &[u8]) -> Option<What<'_>> {
    const UNFINISHED: &[u8] = b"<unfinished ...>";
    if text.starts_with(b"---") {
        return Some(What::Remark);
    }
    if text.starts_with(b"+++") {
        // `+++ superseded by execve in pid 7 +++` is no exit: the process lives on under the other number.
        return Some(if text.starts_with(b"+++ superseded") { What::Remark } else { What::Exited });
    }
    if let Some(resumed) = text.strip_prefix(b"<... ") {
        let (name, rest) = word(resumed);
        return Some(What::Resumed { name, rest: rest.trim_ascii_start().strip_prefix(b"resumed>")? });
    }
    let parenthesis = text.iter().position(|&byte| byte == b'(')?;
    let (name, rest) = (&text[..parenthesis], &text[parenthesis + 1..]);
    if name.is_empty() || !name.iter().all(|&byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    // `exit_group(0 <unfinished ...>) = ?` is as unfinished as it will ever be.
    Some(match rest.windows(UNFINISHED.len()).rposition(|window| window == UNFINISHED) {
        Some(at) if at + UNFINISHED.len() + b") = ?".len() >= rest.trim_ascii_end().len() => {
            What::Unfinished { name, arguments: &rest[..at] }
        }
        _ => What::Call { name, rest },
    })
}

/// A call that is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Call<'a> {
    pub(super) name: &'a [u8],
    pub(super) arguments: Vec<&'a [u8]>,
    /// What it returned; `None` for a `?`.
    pub(super) result: Option<i64>,
    /// What the file descriptor that it returned stands for.
    pub(super) result_path: Option<&'a [u8]>,
    /// The error's name, `ENOENT`; empty where it succeeded.
    pub(super) error: &'a [u8],
    pub(super) service: Option<Time>,
}

impl<'a> Call<'a> {
    /// `None` where the line ends before the call does.
    pub(super) fn of(name: &'a [u8], rest: &'a [u8]) -> Option<Self> {
        let (arguments, after) = arguments(rest)?;
        let after = after.trim_ascii().strip_prefix(b"=")?.trim_ascii_start();
        let (after, service) = duration(after);
        let (value, annotation) = annotated(word(after).0);
        let error = match value {
            b"-1" | b"?" => word(word(after).1).0,
            _ => b"",
        };
        Some(Self {
            name,
            arguments,
            result: integer(value),
            result_path: annotation,
            error: if error.starts_with(b"E") { error } else { b"" },
            service,
        })
    }

    /// Whether it returned a `?`: it never did return.
    fn is_open_ended(&self) -> bool {
        self.result.is_none() && matches!(self.name, b"exit" | b"exit_group" | b"execve")
    }

    /// An argument, counted from 0; empty where there is none.
    pub(super) fn argument(&self, index: usize) -> &'a [u8] {
        self.arguments.get(index).copied().unwrap_or_default()
    }

    /// Whether an argument has a flag, such as `O_CREAT`.
    pub(super) fn has_flag(&self, index: usize, flag: &[u8]) -> bool {
        self.argument(index).split(|&byte| byte == b'|').any(|word| word.trim_ascii() == flag)
    }
}

/// Arguments up to the closing parenthesis, and what follows it.
fn arguments(text: &[u8]) -> Option<(Vec<&[u8]>, &[u8])> {
    let mut arguments = Vec::new();
    let (mut depth, mut start, mut at) = (0_u32, 0, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => at = end_of_string(text, at)?,
            b'/' if text.get(at + 1) == Some(&b'*') => {
                at += 2 + text[at + 2..].windows(2).position(|window| window == b"*/")? + 1;
            }
            // What a descriptor stands for: `3</a file, with a comma>`. An arrow or a shift is no bracket.
            b'<' if text.get(at + 1) != Some(&b'<') && follows_descriptor(&text[start..at]) => {
                at += end_of_annotation(&text[at..])?;
            }
            b'(' | b'[' | b'{' => depth += 1,
            b')' if depth == 0 => {
                let last = text[start..at].trim_ascii();
                if !(last.is_empty() && arguments.is_empty()) {
                    arguments.push(last);
                }
                return Some((arguments, &text[at + 1..]));
            }
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => {
                arguments.push(text[start..at].trim_ascii());
                start = at + 1;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Whether what stands before a `<` is a descriptor: a number, or `AT_FDCWD`.
fn follows_descriptor(before: &[u8]) -> bool {
    before.ends_with(b"AT_FDCWD") || before.last().is_some_and(u8::is_ascii_digit)
}

/// Where the string that begins at `start` ends.
fn end_of_string(text: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1;
    loop {
        match text.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Where `<…>` ends, with what is bracketed within it (`<TCP:[a->b]>`, `</dev/tty<char 5:0>>`).
fn end_of_annotation(text: &[u8]) -> Option<usize> {
    let (mut angles, mut squares) = (0_u32, 0_u32);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'[' => squares += 1,
            b']' => squares = squares.saturating_sub(1),
            b'<' if squares == 0 => angles += 1,
            b'>' if squares == 0 => {
                angles = angles.saturating_sub(1);
                if angles == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    // A path with an unmatched square bracket.
    text.iter().rposition(|&byte| byte == b'>')
}

/// `<0.000135>` at the end, taken off.
fn duration(text: &[u8]) -> (&[u8], Option<Time>) {
    let text = text.trim_ascii_end();
    let found = text.strip_suffix(b">").and_then(|open| {
        let start = open.iter().rposition(|&byte| byte == b'<')?;
        let picoseconds = picoseconds(&open[start + 1..], SECONDS, "duration").ok()?;
        let service = u64::try_from(picoseconds).ok().filter(|&picoseconds| picoseconds < u64::MAX)?;
        Some((text[..start].trim_ascii_end(), Some(Time::from_picos(service))))
    });
    found.unwrap_or((text, None))
}

/// `3</path>` as its number and what it stands for.
pub(super) fn annotated(text: &[u8]) -> (&[u8], Option<&[u8]>) {
    let Some(start) = text.iter().position(|&byte| byte == b'<') else { return (text, None) };
    let end = end_of_annotation(&text[start..]).map_or(text.len(), |end| start + end);
    (&text[..start], text.get(start + 1..end))
}

/// A number as strace prints it: decimal, hexadecimal or octal, with a sign where it has one.
pub(super) fn integer(text: &[u8]) -> Option<i64> {
    let text = std::str::from_utf8(text).ok()?;
    match text.strip_prefix("0x") {
        Some(digits) => {
            u64::from_str_radix(digits, 16).ok().map(|value| i64::from_ne_bytes(value.to_ne_bytes()))
        }
        None => text.parse().ok(),
    }
}

/// A quoted string without its quotes and with its escapes undone; `None` for what is no string, or not all of one.
pub(super) fn unquoted(text: &[u8]) -> Option<String> {
    let inner = text.strip_prefix(b"\"")?.strip_suffix(b"\"")?;
    let mut bytes = Vec::with_capacity(inner.len());
    let mut rest = inner.iter().copied().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next()? {
            b'n' => bytes.push(b'\n'),
            b't' => bytes.push(b'\t'),
            b'r' => bytes.push(b'\r'),
            b'v' => bytes.push(0x0b),
            b'f' => bytes.push(0x0c),
            b'x' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                bytes.push(u8::try_from(digit()? << 4 | digit()?).ok()?);
            }
            first @ b'0'..=b'7' => {
                let mut value = u32::from(first - b'0');
                for _ in 0..2 {
                    let Some(digit) = rest.next_if(|byte| (b'0'..=b'7').contains(byte)) else { break };
                    value = value << 3 | u32::from(digit - b'0');
                }
                bytes.push(u8::try_from(value).ok()?);
            }
            other => bytes.push(other),
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_call_is_taken_apart_whatever_its_strings_hold() {
        let line = Line::of(
            br#"10 17.5 openat(AT_FDCWD</a, b>, "x\")\n", O_RDWR|O_CREAT, 0666) = 3</a, b/x> <0.000050>"#,
        );
        let line = line.unwrap();
        assert_eq!((line.process, line.stamp), (10, Stamp::Seconds(17_500_000_000_000)));
        let What::Call { name, rest } = line.what else { panic!("{line:?}") };
        let call = Call::of(name, rest).unwrap();
        assert_eq!(call.arguments.len(), 4);
        assert_eq!(annotated(call.argument(0)), (&b"AT_FDCWD"[..], Some(&b"/a, b"[..])));
        assert_eq!(unquoted(call.argument(1)).unwrap(), "x\")\n");
        assert!(call.has_flag(2, b"O_CREAT") && !call.has_flag(2, b"O_TRUNC"));
        assert_eq!((call.result, call.service), (Some(3), Some(Time::from_micros(50))));
    }

    #[test]
    fn errors_and_processes_are_told_in_every_form() {
        let call = |text: &'static [u8]| match Line::of(text).unwrap().what {
            What::Call { name, rest } => Call::of(name, rest),
            other => panic!("{other:?}"),
        };
        let failed =
            call(b"[pid  7] 1.5 access(\"/x\", R_OK) = -1 ENOENT (No such file or directory) <0.000011>");
        assert_eq!(failed.unwrap().error, b"ENOENT");
        assert_eq!(call(b"1.5 read(3, \"ab\", 2) = 2").unwrap().result, Some(2));
        assert_eq!(call(b"1.5 write(3, \"ab\""), None);
        assert_eq!(
            Line::of(b"7 1.5 exit_group(0 <unfinished ...>) = ?").unwrap().what,
            What::Unfinished { name: b"exit_group", arguments: b"0 " }
        );
        assert_eq!(Line::of(b"7 1.5 +++ exited with 0 +++").unwrap().what, What::Exited);
        for shown in [
            &b"[pid 7<Web Content>] 1.5 +++ exited with 0 +++"[..],
            b"7<Web Content> 1.5 +++ exited with 0 +++",
        ] {
            let line = Line::of(shown).unwrap();
            assert_eq!((line.process, line.command, line.what), (7, &b"Web Content"[..], What::Exited));
        }
        let stamp = |text: &'static [u8]| Line::of(text).map(|line| (line.process, line.stamp));
        let half_past = Stamp::OfDay(45_001 * 1_000_000_000_000);
        assert_eq!(stamp(b"12:30:01 read(3, 2) = 2"), Some((0, half_past)));
        assert_eq!(stamp(b"[pid  7] 12:30:01 (+     0.000213) read(3, 2) = 2"), Some((7, half_past)));
        assert_eq!(stamp(b"7 read(3, \"ab\", 2) = 2"), Some((7, Stamp::Missing)));
        for other in
            [&b"read(3, \"ab\", 2)"[..], b"if (x(3) == 2)", b"f(x) = sin(x)", b"a text", b"--- a/file"]
        {
            assert_eq!(Line::of(other), None, "{}", String::from_utf8_lossy(other));
        }
        assert_eq!(Line::of(b"0.5 0 100 8 1"), None);
    }
}
