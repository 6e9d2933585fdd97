//! Every reader of files that people hand over, as a function of bytes. It panics when a promise is broken: records in
//! order, a reason with each refusal, the same again when written and read.

mod parts;
mod programs;
mod recordings;
mod studies;
mod traces;

/// Taken, or refused with a reason.
pub type Verdict = Result<(), String>;

/// Why something is refused; there is always a reason.
fn reason(error: &dyn std::fmt::Display) -> String {
    let reason = error.to_string();
    assert!(!reason.is_empty(), "refused without a reason");
    reason
}

/// What is text at all.
fn text(bytes: &[u8]) -> Result<&str, String> {
    std::str::from_utf8(bytes).map_err(|error| reason(&error))
}

/// A reader.
pub struct Reader {
    /// Its name, which is its fuzz target's too.
    pub name: &'static str,
    /// Reads, and sees that what came out is as promised; says why it refuses.
    pub read: fn(&[u8]) -> Verdict,
    /// Good files for it.
    pub samples: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub fn all() -> Vec<Reader> {
    [traces::readers(), programs::readers(), parts::readers(), recordings::readers(), studies::readers()]
        .into_iter()
        .flatten()
        .collect()
}

/// The reader of a name.
pub fn named(name: &str) -> Option<Reader> {
    all().into_iter().find(|reader| reader.name == name)
}

/// For a fuzz target: reads bytes with the reader of its name.
///
/// # Panics
/// There is no such reader; or the reader breaks its promise.
pub fn read(name: &str, bytes: &[u8]) {
    let Some(reader) = named(name) else { panic!("no reader is named {name}") };
    // A refusal is an answer.
    let _ = (reader.read)(bytes);
}
