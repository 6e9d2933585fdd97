//! What becomes of a good file: bits that flip, lines that go or come twice, sizes, numbers at the ends of every type,
//! nesting, encodings.

#![allow(clippy::ptr_arg)] // All mutations are of one type, whether they change a length or not.

use crate::noise::Noise;
use flate2::Compression;
use flate2::write::GzEncoder;
use std::io::Write;
use std::ops::Range;

/// No input grows beyond this many bytes: what is long is found out by long inputs, not by many of them.
const BYTES_MAX: usize = 1 << 18;

/// Changes a sample in one to six ways, half of them in one; `others` are samples to splice in.
pub fn mutated(sample: &[u8], others: &[Vec<u8>], noise: &mut Noise) -> Vec<u8> {
    let mut bytes = sample.to_vec();
    // Many changes are refused at the first; one alone gets furthest.
    let changes = if noise.number_below(2) == 0 { 1 } else { 1 + noise.number_below(6) };
    for _ in 0..changes {
        let how: fn(&mut Vec<u8>, &[Vec<u8>], &mut Noise) = *noise
            .any::<fn(&mut Vec<u8>, &[Vec<u8>], &mut Noise)>(&[
                bit,
                byte,
                cut,
                remove,
                double,
                piece,
                splice,
                line_gone,
                line_twice,
                lines_swapped,
                long_line,
                many_lines,
                number,
                number,
                number,
                word,
                nested,
                encoded,
            ]);
        how(&mut bytes, others, noise);
        bytes.truncate(BYTES_MAX);
    }
    bytes
}

fn bit(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let at = noise.number_below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << noise.number_below(8);
    }
}

fn byte(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let at = noise.number_below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = noise.number().to_le_bytes()[0];
    }
}

fn cut(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    bytes.truncate(noise.number_below(bytes.len() + 1));
}

/// Some bytes within; a transfer that lost a block.
fn remove(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let from = noise.number_below(bytes.len() + 1);
    let to = (from + 1 + noise.number_below(64)).min(bytes.len());
    bytes.drain(from.min(to)..to);
}

fn double(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let from = noise.number_below(bytes.len() + 1);
    bytes.extend_from_within(from..);
}

/// What means something to some reader.
const PIECES: &[&[u8]] = &[
    b"-",
    b"nan",
    b"inf",
    b"-inf",
    b"1e999",
    b"0",
    b"\n",
    b"\r\n",
    b"\0",
    b",",
    b" ",
    b"\"",
    b"'",
    b"=",
    b"[",
    b"]",
    b"{",
    b"}",
    b"#",
    b"\\",
    b"\x1b[2J",
    b"18446744073709551616",
    b"\xff",
    b"\xef\xbb\xbf",
    b"/../../",
    b"%s%n",
    b"PAR1",
    b"\x1f\x8b",
    b"\"\"\"",
];

fn piece(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let at = noise.number_below(bytes.len() + 1);
    let piece = *noise.any(PIECES);
    bytes.splice(at..at, piece.iter().copied());
}

fn splice(bytes: &mut Vec<u8>, others: &[Vec<u8>], noise: &mut Noise) {
    if others.is_empty() {
        return;
    }
    let other = noise.any(others);
    let (at, from) = (noise.number_below(bytes.len() + 1), noise.number_below(other.len() + 1));
    let length = 1 + noise.number_below(256);
    bytes.splice(at..at, other[from..].iter().take(length).copied());
}

/// Where a line lies, with its end.
fn line(bytes: &[u8], noise: &mut Noise) -> Range<usize> {
    let at = noise.number_below(bytes.len());
    let from = bytes[..at.min(bytes.len())].iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let to = bytes[from..].iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |end| from + end + 1);
    from..to
}

fn line_gone(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let line = line(bytes, noise);
    bytes.drain(line);
}

fn line_twice(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let line = line(bytes, noise);
    let copy = bytes[line.clone()].to_vec();
    bytes.splice(line.end..line.end, copy);
}

fn lines_swapped(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let count = lines.len();
    if count > 1 {
        lines.swap(noise.number_below(count), noise.number_below(count));
        *bytes = lines.concat();
    }
}

fn long_line(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let at = noise.number_below(bytes.len() + 1);
    let letter = *noise.any(b"x0 ,\"[{#\\");
    let length = 1 << (8 + noise.number_below(9));
    bytes.splice(at..at, std::iter::repeat_n(letter, length));
}

fn many_lines(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let line = line(bytes, noise);
    let copy = bytes[line.clone()].repeat(1 + noise.number_below(200));
    bytes.splice(line.end..line.end, copy);
}

/// Numbers at the ends of types, and beyond; with units where files have them.
const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "0.0",
    "0.1",
    "1e-300",
    "1e300",
    "1e308",
    "-1e308",
    "1e999",
    "nan",
    "inf",
    "-inf",
    "127",
    "255",
    "256",
    "32767",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "18446744073709551616",
    "340282366920938463463374607431768211456",
    "0.00000000000000000000001",
    "0x10",
    "1_000",
    "007",
    "+5",
    "1e",
    "1.",
    ".5",
    "1 B",
    "1 KiB",
    "16 EiB",
    "1 EB",
    "1 ps",
    "1 ns",
    "213 d",
    "1e9 d",
    "0 s",
    "-1 s",
    "100 %",
    "1e9 %",
    "0 rpm",
    "1e9 rpm",
    "1 bit/s",
    "1e30 MiB/s",
    "٣",
    "½",
];

fn number(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let is_part = |byte: &u8| byte.is_ascii_digit() || *byte == b'.';
    let from = noise.number_below(bytes.len());
    let Some(start) = bytes[from.min(bytes.len())..].iter().position(u8::is_ascii_digit).map(|at| from + at)
    else {
        return;
    };
    let end = bytes[start..].iter().position(|byte| !is_part(byte)).map_or(bytes.len(), |at| start + at);
    let other = match noise.number_below(8) {
        0 => noise.number().to_string(),
        1 => "9".repeat(1 + noise.number_below(400)),
        2 => format!("-{}", String::from_utf8_lossy(&bytes[start..end])),
        3 => format!("{}000", String::from_utf8_lossy(&bytes[start..end])),
        _ => (*noise.any(NUMBERS)).to_owned(),
    };
    bytes.splice(start..end, other.into_bytes());
}

/// A word of the file in the place of another.
fn word(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let words: Vec<Range<usize>> = words(bytes);
    if words.len() < 2 {
        return;
    }
    let (from, to) = (noise.any(&words).clone(), noise.any(&words).clone());
    let copy = bytes[from].to_vec();
    bytes.splice(to, copy);
}

fn words(bytes: &[u8]) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut from = None;
    for (at, byte) in bytes.iter().enumerate() {
        let is_in = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
        match (is_in, from) {
            (true, None) => from = Some(at),
            (false, Some(start)) => {
                words.push(start..at);
                from = None;
            }
            _ => {}
        }
    }
    words.extend(from.map(|start| start..bytes.len()));
    words
}

fn nested(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    let (open, close) = *noise.any(&[
        ("[", "]"),
        ("{a=", "}"),
        ("{\"a\":", "}"),
        ("(", ")"),
        ("a.", ""),
        ("[[x]]\n", ""),
        ("\"", "\""),
    ]);
    let depth = 1 << noise.number_below(14);
    let at = noise.number_below(bytes.len() + 1);
    let text = open.repeat(depth) + &close.repeat(depth);
    bytes.splice(at..at, text.into_bytes());
}

fn encoded(bytes: &mut Vec<u8>, _: &[Vec<u8>], noise: &mut Noise) {
    *bytes = match noise.number_below(8) {
        0 => [b"\xef\xbb\xbf", bytes.as_slice()].concat(),
        1 => bytes.iter().flat_map(|byte| [*byte, 0]).collect(),
        2 => bytes.iter().flat_map(|byte| [0, *byte]).collect(),
        3 => String::from_utf8_lossy(bytes).replace('\n', "\r\n").into_bytes(),
        4 => String::from_utf8_lossy(bytes).replace('\n', "\r").into_bytes(),
        5 => bytes.iter().map(|byte| byte | 0x80).collect(),
        6 => {
            let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
            match packed.write_all(bytes).and_then(|()| packed.finish()) {
                Ok(packed) => packed,
                Err(_) => return,
            }
        }
        _ => match zstd::encode_all(bytes.as_slice(), 1) {
            Ok(packed) => packed,
            Err(_) => return,
        },
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_number_makes_the_same_input_and_others_make_others() {
        let sample = b"1 2 3\n4 5 6\n".to_vec();
        let input = |number| mutated(&sample, std::slice::from_ref(&sample), &mut Noise::new("test", number));
        let inputs: std::collections::BTreeSet<_> = (0..1_000).map(input).collect();
        assert!(inputs.len() > 500, "{}", inputs.len());
        assert_eq!(input(17), input(17));
        assert!(inputs.iter().all(|input| input.len() <= BYTES_MAX));
    }

    #[test]
    fn an_empty_sample_can_be_changed_too() {
        for number in 0..500 {
            mutated(&[], &[], &mut Noise::new("empty", number));
        }
    }
}
