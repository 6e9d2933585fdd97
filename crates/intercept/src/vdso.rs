//! The kernel's page of functions in every process (vdso(7)): by them a program reads the clock without a system call. Here they are
//! written over so that each makes its call, which can be held then.
//!
//! The page is the same in every process, at another address: where its functions lie is read once from this one's own.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Where the page lies, among what the kernel tells a program at its start (getauxval(3), AT_SYSINFO_EHDR).
const ADDRESS: u64 = 33;
/// The page is no longer.
const LENGTH_MAX: usize = 4 * 4_096;

/// The functions that read clocks, each with its call.
#[cfg(target_arch = "x86_64")]
const FUNCTIONS: [(&str, i64); 8] = [
    ("__vdso_clock_gettime", libc::SYS_clock_gettime),
    ("clock_gettime", libc::SYS_clock_gettime),
    ("__vdso_gettimeofday", libc::SYS_gettimeofday),
    ("gettimeofday", libc::SYS_gettimeofday),
    ("__vdso_time", libc::SYS_time),
    ("time", libc::SYS_time),
    ("__vdso_clock_getres", libc::SYS_clock_getres),
    ("clock_getres", libc::SYS_clock_getres),
];
#[cfg(target_arch = "aarch64")]
const FUNCTIONS: [(&str, i64); 3] = [
    ("__kernel_clock_gettime", libc::SYS_clock_gettime),
    ("__kernel_gettimeofday", libc::SYS_gettimeofday),
    ("__kernel_clock_getres", libc::SYS_clock_getres),
];

/// Makes a call and returns.
#[cfg(target_arch = "x86_64")]
fn code(call: u32) -> Vec<u8> {
    // mov eax, call; syscall; ret
    let mut code = vec![0xb8];
    code.extend(call.to_le_bytes());
    code.extend([0x0f, 0x05, 0xc3]);
    code
}
#[cfg(target_arch = "aarch64")]
fn code(call: u32) -> Vec<u8> {
    // mov x8, #call; svc #0; ret
    [0xd280_0008 | call << 5, 0xd400_0001, 0xd65f_03c0].into_iter().flat_map(u32::to_le_bytes).collect()
}

/// What is to be written where, from the page's beginning.
#[derive(Clone, Debug)]
pub struct Clocks(BTreeMap<u64, Vec<u8>>);

impl Clocks {
    /// Finds the functions.
    ///
    /// # Errors
    /// A page that isn't as those that are known.
    pub fn find() -> io::Result<Self> {
        let Some(page) = page_of("self")? else { return Ok(Self(BTreeMap::new())) };
        let mut image = vec![0; LENGTH_MAX];
        let got = File::open("/proc/self/mem")?.read_at(&mut image, page)?;
        image.truncate(got);
        let found =
            functions(&image).ok_or_else(|| io::Error::other("the kernel's page of clocks can't be read"))?;
        Ok(Self(found))
    }

    /// Writes over those of a process that has just begun.
    ///
    /// # Errors
    /// A process that is gone.
    pub fn write_over(&self, process: u32) -> io::Result<()> {
        let Some(page) = page_of(&process.to_string())? else { return Ok(()) };
        let memory = fs::OpenOptions::new().write(true).open(format!("/proc/{process}/mem"))?;
        self.0.iter().try_for_each(|(at, code)| memory.write_all_at(code, page + at))
    }
}

/// Where the page lies in a process.
fn page_of(process: &str) -> io::Result<Option<u64>> {
    let told = fs::read(format!("/proc/{process}/auxv"))?;
    let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).unwrap_or_default();
    let mut pairs = told.chunks_exact(16).map(|pair| (word(&pair[..8]), word(&pair[8..])));
    Ok(pairs.find(|(key, _)| *key == ADDRESS).map(|(_, value)| value))
}

/// The functions of an image (elf(5)): its dynamic symbols and their names.
fn functions(image: &[u8]) -> Option<BTreeMap<u64, Vec<u8>>> {
    let number = |at: usize, bytes: usize| -> Option<u64> {
        let mut word = [0; 8];
        word.get_mut(..bytes)?.copy_from_slice(image.get(at..at + bytes)?);
        Some(u64::from_le_bytes(word))
    };
    let at = |value: u64| usize::try_from(value).ok();
    let (headers, size, count) = (at(number(32, 8)?)?, at(number(54, 2)?)?, at(number(56, 2)?)?);
    // Where the image wants to lie, and its dynamic section.
    let (mut base, mut dynamic) = (None, None);
    for header in (0..count).map(|index| headers + index * size) {
        match number(header, 4)? {
            1 if base.is_none() => base = Some(number(header + 16, 8)?),
            2 => dynamic = Some(at(number(header + 8, 8)?)?),
            _ => {}
        }
    }
    let (base, dynamic) = (base?, dynamic?);
    let (mut symbols, mut names) = (None, None);
    for entry in (dynamic..).step_by(16).take(64) {
        match (number(entry, 8)?, number(entry + 8, 8)?) {
            (0, _) => break,
            (5, value) => names = Some(at(value.wrapping_sub(base))?),
            (6, value) => symbols = Some(at(value.wrapping_sub(base))?),
            _ => {}
        }
    }
    let (symbols, names) = (symbols?, names?);
    let mut found = BTreeMap::new();
    // The names stand behind the symbols, in every image that linkers make.
    for symbol in (symbols..names.max(symbols)).step_by(24) {
        let name = names + at(number(symbol, 4)?)?;
        let name = image.get(name..)?.split(|byte| *byte == 0).next()?;
        let call = FUNCTIONS.iter().find(|(known, _)| known.as_bytes() == name).map(|(_, call)| *call);
        if let Some(call) = call {
            found.insert(number(symbol + 8, 8)?.wrapping_sub(base), code(u32::try_from(call).ok()?));
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_functions_of_this_kernels_page_are_found_and_what_is_no_page_is_told() {
        let found = Clocks::find().unwrap();
        assert!(found.0.len() >= 3, "{found:?}");
        assert!(functions(&[0; 200]).is_none());
        assert!(functions(b"\x7fELF").is_none());
    }
}
