//! The machine that is recorded, in words.

/// Its system, processor and how many of them.
pub(crate) fn machine_in_words() -> String {
    let name = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let (kernel, machine) = (text(name.release()), text(name.machine()));
    format!("{} {kernel} {machine}, {processors} processors", text(name.sysname()))
}
