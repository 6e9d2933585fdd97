//! Which format a file is in, told from how it begins and never from its name.

use super::error::{TraceError, printable};
use super::format::{Fit, FormatName, Sample};
use std::sync::Arc;

/// The one format that fits.
///
/// A certain fit wins over possible ones; two fits of the same rank are an error that names both, because the same
/// numbers would mean other times.
pub(crate) fn detect(name: &Arc<str>, sample: &Sample<'_>) -> Result<FormatName, TraceError> {
    let fits = FormatName::ALL.map(|format| (format, (format.facts().fit)(sample)));
    let of_rank = |rank| -> Vec<FormatName> {
        fits.iter().filter(|&&(_, fit)| fit == rank).map(|&(format, _)| format).collect()
    };
    let best = match of_rank(Fit::Certain) {
        certain if !certain.is_empty() => certain,
        _ => of_rank(Fit::Possible),
    };
    match best[..] {
        [format] => Ok(format),
        [] => Err(TraceError::Unrecognised {
            name: name.clone(),
            start: start_of(sample.bytes),
            hint: hint(sample.bytes),
        }),
        _ => Err(TraceError::Ambiguous { name: name.clone(), formats: best }),
    }
}

/// The first line, or the first bytes, for a message.
fn start_of(bytes: &[u8]) -> String {
    let line = bytes.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or(bytes);
    format!("\"{}\"", printable(line.trim_ascii()))
}

/// What people hand over by mistake.
fn hint(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [b'P', b'E', b'R', b'F', b'I', b'L', b'E', ..] => {
            Some("this is perf's binary output: print it as text with `perf script -i FILE`")
        }
        [b'P', b'K', 3, 4, ..] => Some("this is a zip archive: unpack it first"),
        [0x04, 0x22, 0x4d, 0x18, ..] => {
            Some("this is compressed with lz4: unpack it, or pack it with gzip, bzip2, xz or zstd")
        }
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Some("this is UTF-16 text: save it as UTF-8"),
        _ if bytes.starts_with(b"# darshan log version:") => Some(
            "this is darshan-parser's text, which has counters and no single accesses: `petrio init --from FILE` makes a program of them \
             (a log recorded with DXT_ENABLE_IO_TRACE=1 has accesses, as itself or as darshan-dxt-parser's text)",
        ),
        _ if bytes.trim_ascii_start().starts_with(b"<?xml") => Some(
            "this is XML, which no trace is: SimGrid's platforms and MQSim's settings are no traces, either",
        ),
        _ if is_tar(bytes) => Some("this is a tar archive: unpack it first"),
        _ => None,
    }
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use miette::Diagnostic;

    fn of(text: &str) -> Result<FormatName, TraceError> {
        detect(&Arc::from("memory"), &Sample::new(text.as_bytes(), true))
    }

    #[test]
    fn each_format_is_told_from_its_content() {
        let known = [
            ("0.5 0 100 8 1\n1.5 0 100 8 0\n", FormatName::DisksimAscii),
            ("R Hit 11392096 12 1686.0 40961.0\n", FormatName::Measured),
            ("version,time,op,size,lbn\n1,5633898,2a,512,42932745\n", FormatName::CloudphysicsCsv),
            ("1,5633898,2a,512,42932745\n", FormatName::CloudphysicsCsv),
            ("938513000 4 264719034 16 0\n938828000 3 197570570 16 0\n", FormatName::Mqsim),
            ("0,20941264,8192,W,0.551706\n0,20939840,8192,r,0.554041,extra\n", FormatName::Spc),
            ("128166372003061629,hm,1,Read,383496192,32768,113736\n", FormatName::Msr),
            ("  8,0 3 11 0.009507758 697 D W 223490 + 56 [kjournald]\n", FormatName::Blkparse),
            ("dd 107 [001] 21.07: block:block_bio_queue: 254,0 WS 542 + 40 [dd]\n", FormatName::TraceEvents),
            ("time_ms,operation,address_blocks,length_blocks\n0,R,0,8\n", FormatName::Petrio),
        ];
        for (text, format) in known {
            assert_eq!(of(text).unwrap(), format, "{text}");
        }
    }

    #[test]
    fn whole_numbers_that_could_be_milliseconds_or_nanoseconds_are_not_guessed() {
        let error = of("0 0 100 8 1\n12 0 100 8 0\n40 0 900 8 0\n").unwrap_err();
        let TraceError::Ambiguous { formats, .. } = &error else { panic!("{error}") };
        assert_eq!(formats[..], [FormatName::DisksimAscii, FormatName::Mqsim]);
        assert_eq!(error.to_string(), "memory: its content could be disksim-ascii or mqsim");
        assert!(error.help().unwrap().to_string().contains("format = \"disksim-ascii\""));
    }

    #[test]
    fn a_file_that_ends_within_a_record_is_rather_of_another_format() {
        // Two requests of oracleGeneral, for 16 MiB and for 512 bytes: where the size ends, vscsi has its version.
        let record = |size: u32| [&[0; 12][..], &size.to_le_bytes()[..], &[0xff; 8][..]].concat();
        let bytes = [record(1 << 24), record(512)].concat();
        let found = |whole| detect(&Arc::from("memory"), &Sample::new(&bytes, whole));
        assert_eq!(found(true).unwrap(), FormatName::OracleGeneral);
        // Of the beginning of a longer file nothing can be said by that.
        assert!(matches!(found(false), Err(TraceError::Ambiguous { .. })));
    }

    #[test]
    fn a_bad_line_does_not_hide_the_format() {
        assert_eq!(of("-5.0 0 100 8 1\n").unwrap(), FormatName::DisksimAscii);
        assert_eq!(of("nan 0 100 8 1\n0.1 0 100 8 1\n").unwrap(), FormatName::DisksimAscii);
        assert_eq!(of("X Hit 1 2 3.0 4.0\n").unwrap(), FormatName::Measured);
    }

    #[test]
    fn what_is_no_trace_is_named_where_it_can_be() {
        let help = |bytes: &[u8]| {
            detect(&Arc::from("memory"), &Sample::new(bytes, true)).unwrap_err().help().unwrap().to_string()
        };
        assert!(help(b"\xc7\x1a\x0dsomething of Darshan's").contains("petrio trace formats"));
        assert!(help(b"# darshan log version: 3.41\n# exe: a\n").contains("DXT_ENABLE_IO_TRACE"));
        assert!(help(b"<?xml version='1.0'?>\n<platform>").contains("XML"));
        assert!(help(b"PERFILE2").contains("perf script"));
        assert!(help(b"PK\x03\x04").contains("zip archive"));
        assert!(help(b"Dear reader,\n").contains("petrio trace formats"));
    }
}
