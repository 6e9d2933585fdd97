//! Paths as words of a record's lines: any bytes, without spaces and line ends.

use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path as one word.
pub(super) fn escaped(path: &Path) -> String {
    let mut word = String::new();
    for &byte in path.as_os_str().as_bytes() {
        if byte.is_ascii_graphic() && byte != b'%' {
            word.push(char::from(byte));
        } else {
            word.push_str(&format!("%{byte:02x}"));
        }
    }
    word
}

/// The path that a word stands for.
pub(super) fn unescaped(word: &str) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(first);
        }
    }
    Some(OsString::from_vec(bytes).into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn any_name_survives() {
        let all: Vec<u8> = (1..=255).collect();
        let path = Path::new(OsStr::from_bytes(&all));
        let word = escaped(path);
        assert!(word.bytes().all(|byte| byte.is_ascii_graphic()), "{word}");
        assert_eq!(unescaped(&word).unwrap(), path);
        assert_eq!(unescaped("%4"), None);
        assert_eq!(unescaped("%zz"), None);
    }
}
