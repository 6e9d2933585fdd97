//! The table of units: every symbol petrio reads, what it measures, and its exact size.
//!
//! Sizes are rational numbers of the quantity's base unit, because a bit is an eighth of a byte and everything else is
//! whole: picoseconds for durations, bytes for sizes, bytes a second for rates, and so on.

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Duration,
    Size,
    Rate,
    RotationSpeed,
    Frequency,
    Fraction,
    Blocks,
    Power,
}

impl Kind {
    /// With its article, for "… is a size, a duration is needed".
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Duration => "a duration",
            Self::Size => "a size",
            Self::Rate => "a data rate",
            Self::RotationSpeed => "a rotation speed",
            Self::Frequency => "a frequency",
            Self::Fraction => "a fraction",
            Self::Blocks => "a number of blocks",
            Self::Power => "a power",
        }
    }

    /// The units that a bare number is most likely to have meant. A size is as well a record's as a memory's.
    const fn usual_units(self) -> &'static [&'static str] {
        match self {
            Self::Duration => &["ms"],
            Self::Size => &["KiB", "MiB", "GiB"],
            Self::Rate => &["MB/s"],
            Self::RotationSpeed => &["rpm"],
            Self::Frequency => &["/s"],
            Self::Fraction => &["%"],
            Self::Blocks => &["blocks"],
            Self::Power => &["W"],
        }
    }

    /// A bare number with each of them: `"64 KiB", "64 MiB" or "64 GiB"`.
    pub(crate) fn with_usual_units(self, number: &str) -> String {
        let all: Vec<String> = self.usual_units().iter().map(|unit| format!("\"{number} {unit}\"")).collect();
        match all.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
            _ => all.join(""),
        }
    }

    /// A well-formed example.
    pub(crate) const fn example(self) -> &'static str {
        match self {
            Self::Duration => "5 ms",
            Self::Size => "64 KiB",
            Self::Rate => "100 MB/s",
            Self::RotationSpeed => "7200 rpm",
            Self::Frequency => "120 /s",
            Self::Fraction => "30 %",
            Self::Blocks => "8 blocks",
            Self::Power => "5 W",
        }
    }
}

/// A unit: its symbol, what it measures, and its size in the base unit, `numerator / denominator`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unit {
    pub(crate) symbol: &'static str,
    pub(crate) kind: Kind,
    pub(crate) numerator: u128,
    pub(crate) denominator: u128,
}

const fn unit(symbol: &'static str, kind: Kind, numerator: u128, denominator: u128) -> Unit {
    Unit { symbol, kind, numerator, denominator }
}

const K: u128 = 1_000;
const M: u128 = 1_000_000;
const G: u128 = 1_000_000_000;
const T: u128 = 1_000_000_000_000;
const P: u128 = 1_000_000_000_000_000;

/// Every unit. Within a kind, those that `Display` may choose come first, the preferred ones at the head.
pub(crate) const UNITS: &[Unit] = &[
    unit("s", Kind::Duration, T, 1),
    unit("ms", Kind::Duration, G, 1),
    unit("µs", Kind::Duration, M, 1),
    unit("ns", Kind::Duration, K, 1),
    unit("ps", Kind::Duration, 1, 1),
    unit("us", Kind::Duration, M, 1),
    unit("μs", Kind::Duration, M, 1), // Greek mu; the micro sign is above
    unit("min", Kind::Duration, 60 * T, 1),
    unit("h", Kind::Duration, 3_600 * T, 1),
    unit("d", Kind::Duration, 86_400 * T, 1),
    unit("B", Kind::Size, 1, 1),
    unit("KiB", Kind::Size, 1 << 10, 1),
    unit("MiB", Kind::Size, 1 << 20, 1),
    unit("GiB", Kind::Size, 1 << 30, 1),
    unit("TiB", Kind::Size, 1 << 40, 1),
    unit("PiB", Kind::Size, 1 << 50, 1),
    unit("EiB", Kind::Size, 1 << 60, 1),
    unit("kB", Kind::Size, K, 1),
    unit("MB", Kind::Size, M, 1),
    unit("GB", Kind::Size, G, 1),
    unit("TB", Kind::Size, T, 1),
    unit("PB", Kind::Size, P, 1),
    unit("B/s", Kind::Rate, 1, 1),
    unit("KiB/s", Kind::Rate, 1 << 10, 1),
    unit("MiB/s", Kind::Rate, 1 << 20, 1),
    unit("GiB/s", Kind::Rate, 1 << 30, 1),
    unit("TiB/s", Kind::Rate, 1 << 40, 1),
    unit("kB/s", Kind::Rate, K, 1),
    unit("MB/s", Kind::Rate, M, 1),
    unit("GB/s", Kind::Rate, G, 1),
    unit("TB/s", Kind::Rate, T, 1),
    unit("bit/s", Kind::Rate, 1, 8),
    unit("kbit/s", Kind::Rate, K, 8),
    unit("Mbit/s", Kind::Rate, M, 8),
    unit("Gbit/s", Kind::Rate, G, 8),
    unit("Tbit/s", Kind::Rate, T, 8),
    unit("rpm", Kind::RotationSpeed, 1, 1),
    unit("rev/s", Kind::RotationSpeed, 60, 1),
    unit("/s", Kind::Frequency, 1, 1),
    unit("/min", Kind::Frequency, 1, 60),
    unit("/ms", Kind::Frequency, K, 1),
    unit("IOPS", Kind::Frequency, 1, 1),
    unit("requests/s", Kind::Frequency, 1, 1),
    unit("Hz", Kind::Frequency, 1, 1),
    unit("kHz", Kind::Frequency, K, 1),
    unit("MHz", Kind::Frequency, M, 1),
    unit("%", Kind::Fraction, 1, 100),
    unit("blocks", Kind::Blocks, 1, 1),
    unit("block", Kind::Blocks, 1, 1),
    unit("sectors", Kind::Blocks, 1, 1),
    unit("sector", Kind::Blocks, 1, 1),
    unit("W", Kind::Power, 1, 1),
    unit("mW", Kind::Power, 1, K),
    unit("kW", Kind::Power, K, 1),
];

/// How many units of a kind, from the head, `Display` chooses from.
pub(crate) const fn displayed(kind: Kind) -> usize {
    match kind {
        Kind::Duration => 5,
        Kind::Size => 12,
        Kind::Rate => 14,
        Kind::RotationSpeed | Kind::Frequency | Kind::Fraction | Kind::Blocks | Kind::Power => 1,
    }
}

/// The units of one kind, in the table's order.
pub(crate) fn of_kind(kind: Kind) -> impl Iterator<Item = &'static Unit> {
    UNITS.iter().filter(move |unit| unit.kind == kind)
}

/// What is usually meant by a symbol that is ambiguous or customary elsewhere, and so refused here.
pub(crate) fn advice(symbol: &str) -> Option<&'static str> {
    Some(match symbol {
        "K" | "k" | "KB" | "Kb" | "kb" => "\"kB\" (1000 bytes) or \"KiB\" (1024 bytes)",
        "M" | "m" | "Mb" | "mb" => "\"MB\" (1000² bytes), \"MiB\" (1024² bytes), \"ms\" or \"min\"",
        "G" | "g" | "Gb" | "gb" => "\"GB\" (1000³ bytes) or \"GiB\" (1024³ bytes)",
        "T" | "t" | "Tb" | "tb" => "\"TB\" (1000⁴ bytes) or \"TiB\" (1024⁴ bytes)",
        "b" | "bytes" | "byte" | "Bytes" | "Byte" => "\"B\"",
        "KB/s" | "Kb/s" | "kb/s" | "kbps" | "Kbps" | "KBps" => {
            "\"kB/s\" (1000 bytes), \"KiB/s\" (1024 bytes) or \"kbit/s\""
        }
        "Mb/s" | "mb/s" | "mbps" | "Mbps" | "MBps" => "\"MB/s\" (bytes) or \"Mbit/s\" (bits)",
        "Gb/s" | "gb/s" | "gbps" | "Gbps" | "GBps" => "\"GB/s\" (bytes) or \"Gbit/s\" (bits)",
        "sec" | "secs" | "second" | "seconds" | "S" => "\"s\"",
        "msec" | "millisecond" | "milliseconds" | "MS" => "\"ms\"",
        "usec" | "microsecond" | "microseconds" => "\"us\"",
        "nsec" | "nanosecond" | "nanoseconds" => "\"ns\"",
        "minute" | "minutes" | "mins" => "\"min\"",
        "hour" | "hours" | "hr" => "\"h\"",
        "day" | "days" => "\"d\"",
        "percent" | "per cent" | "pct" => "\"%\"",
        "RPM" | "r/min" | "rev/min" => "\"rpm\"",
        "iops" | "IO/s" | "io/s" | "req/s" | "requests per second" | "1/s" | "per second" => {
            "\"/s\" or \"IOPS\""
        }
        _ => return None,
    })
}
