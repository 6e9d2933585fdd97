//! Sequences of requests as the tables write them: `fsync[W4K@data F W1.5K@log F]`, read, compared and written.

use std::fmt::{Display, Formatter};

/// What a request is for, as far as sequences tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Data of files.
    Data,
    /// The log.
    Log,
    /// Anything else that the file system keeps.
    Metadata,
}

/// A request.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Request {
    /// A read of so many KiB.
    Read(f64, Area),
    /// A write of so many KiB.
    Write(f64, Area),
    /// A flush.
    Flush,
}

impl Request {
    /// Whether both are of one kind and size; writes of the log may differ by so many KiB.
    #[must_use]
    pub fn matches(&self, other: &Self, log_kib: f64) -> bool {
        match (self, other) {
            (Self::Flush, Self::Flush) => true,
            (Self::Write(size, Area::Log), Self::Write(of, Area::Log)) => (size - of).abs() <= log_kib + 1e-9,
            (Self::Read(size, place), Self::Read(of, at))
            | (Self::Write(size, place), Self::Write(of, at)) => place == at && (size - of).abs() < 1e-9,
            _ => false,
        }
    }
}

impl Display for Request {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let word = |place: &Area| match place {
            Area::Data => "data",
            Area::Log => "log",
            Area::Metadata => "metadata",
        };
        match self {
            Self::Read(kib, place) => write!(f, "R{kib}K@{}", word(place)),
            Self::Write(kib, place) => write!(f, "W{kib}K@{}", word(place)),
            Self::Flush => write!(f, "F"),
        }
    }
}

/// What each phase of an operation sends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sequence(pub Vec<(String, Vec<Request>)>);

impl Sequence {
    /// Reads one; none where it isn't one.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if text == "-" || text.is_empty() {
            return Some(Self::default());
        }
        let mut phases = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (name, behind) = rest.split_once('[')?;
            let (inside, after) = behind.split_once(']')?;
            phases.push((name.trim().to_owned(), requests(inside)?));
            rest = after.trim_start();
        }
        Some(Self(phases))
    }

    /// Those of a phase.
    #[must_use]
    pub fn of(&self, phase: &str) -> &[Request] {
        self.0.iter().find(|(name, _)| name == phase).map_or(&[], |(_, requests)| requests)
    }

    /// Whether the same phases send the same requests in the same order.
    #[must_use]
    pub fn matches(&self, other: &Self, log_kib: f64) -> bool {
        let names = self.0.iter().chain(&other.0).map(|(name, _)| name);
        names.into_iter().all(|name| {
            let (own, others) = (self.of(name), other.of(name));
            own.len() == others.len()
                && own.iter().zip(others).all(|(own, other)| own.matches(other, log_kib))
        })
    }
}

impl Display for Sequence {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        let mut phases = self.0.iter().filter(|(_, requests)| !requests.is_empty()).peekable();
        if phases.peek().is_none() {
            return write!(f, "-");
        }
        for (at, (name, requests)) in phases.enumerate() {
            write!(f, "{}{name}[", if at > 0 { " " } else { "" })?;
            let mut from = 0;
            while let Some(request) = requests.get(from) {
                let same = requests[from..].iter().take_while(|other| *other == request).count();
                write!(f, "{}{request}", if from > 0 { " " } else { "" })?;
                if same > 1 {
                    write!(f, "*{same}")?;
                }
                from += same;
            }
            write!(f, "]")?;
        }
        Ok(())
    }
}

fn requests(text: &str) -> Option<Vec<Request>> {
    let mut all = Vec::new();
    for word in text.split_whitespace() {
        let (request, times) = match word.split_once('*') {
            Some((request, times)) => (request, times.parse::<usize>().ok()?),
            None => (word, 1),
        };
        all.extend(std::iter::repeat_n(parse_request(request.trim_start_matches('+'))?, times));
    }
    Some(all)
}

fn parse_request(word: &str) -> Option<Request> {
    if word == "F" {
        return Some(Request::Flush);
    }
    let (size, name) = word.get(1..)?.split_once("K@")?;
    let kib: f64 = size.parse().ok()?;
    let place = match name {
        "data" => Area::Data,
        "log" => Area::Log,
        _ => Area::Metadata,
    };
    match word.chars().next()? {
        'R' => Some(Request::Read(kib, place)),
        'W' => Some(Request::Write(kib, place)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn what_is_read_is_written_again() {
        for text in ["fsync[W4K@data F W1.5K@log F]", "-", "open[R16K@metadata] read[R128K@data*3 F*2]"] {
            assert_eq!(Sequence::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(Sequence::parse("open[R16K@inode]").unwrap().to_string(), "open[R16K@metadata]");
        assert!(Sequence::parse("fsync[what]").is_none() && Sequence::parse("fsync").is_none());
    }

    #[test]
    fn the_log_may_differ_a_little_and_nothing_else() {
        let of = |text| Sequence::parse(text).unwrap();
        let measured = of("fsync[W4K@data F W1.5K@log F]");
        assert!(measured.matches(&of("fsync[W4K@data F W2K@log F]"), 0.5));
        assert!(!measured.matches(&of("fsync[W4K@data F W2.5K@log F]"), 0.5));
        assert!(!measured.matches(&of("fsync[W8K@data F W1.5K@log F]"), 0.5));
        assert!(!measured.matches(&of("fsync[W4K@data W1.5K@log F]"), 0.5));
        assert!(!measured.matches(&of("write[W4K@data F W1.5K@log F]"), 0.5));
        assert!(of("-").matches(&of("close[]"), 0.5));
    }
}
