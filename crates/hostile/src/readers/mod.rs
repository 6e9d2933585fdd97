//! Every reader of files that people hand over, as a function of bytes. It panics when a promise is broken: records in order, a reason
//! with each refusal, the same again when written and read.

mod parts;
mod programs;
mod traces;

/// A reader.
pub struct Reader {
    /// Its name, which is its fuzz target's too.
    pub name: &'static str,
    /// Reads, and sees that what came out is as promised.
    pub read: fn(&[u8]),
    /// Good files for it.
    pub samples: fn() -> Vec<Vec<u8>>,
}

/// All of them.
pub fn all() -> Vec<Reader> {
    [traces::readers(), programs::readers(), parts::readers()].into_iter().flatten().collect()
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
    (reader.read)(bytes);
}
