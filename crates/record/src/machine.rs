//! The machine on which something was recorded, in words: computing times are of its processor.

/// Its processor, how many of them, and its system.
pub(crate) fn in_words() -> String {
    let name = rustix::system::uname();
    let text = |part: &std::ffi::CStr| part.to_string_lossy().into_owned();
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let model = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let model = model.map_or_else(|| text(name.machine()), |(_, model)| model.trim().to_owned());
    format!("{model}, {processors} processors, {} {}", text(name.sysname()), text(name.release()))
}
