//! What a command line tells of a run whose output is read as a measurement.

use super::columns::{COLUMNS, LAST_OF_ALL};
use super::options::Options;
use crate::program::pattern::{Access, Interface, Pattern};

/// The columns of the table on iozone's screen, as their tests are named here.
pub(crate) const COLUMN_NAMES: [&str; 13] = {
    let mut names = [""; 13];
    let mut index = 0;
    while index < names.len() {
        names[index] = COLUMNS[index].name;
        index += 1;
    }
    names
};

/// What a command line says of its output.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct CommandFacts {
    /// Whether there was one that could be read.
    pub(crate) known: bool,
    options: Options,
}

/// What the text behind "Command line used:" says; of one that can't be read, nothing.
pub(crate) fn command_facts(text: &str) -> CommandFacts {
    let words = crate::shell::commands(text, "").into_iter().flat_map(|(_, words)| words).skip(1);
    let words: Vec<String> = words.collect();
    match Options::of(&words) {
        Ok(options) => CommandFacts { known: true, options },
        Err(_) => CommandFacts::default(),
    }
}

impl CommandFacts {
    /// Whether it goes past the page cache (-I); nothing where no command line is known.
    pub(crate) fn direct(&self) -> Option<bool> {
        self.known.then_some(self.options.direct)
    }

    /// `O` for operations a second, `N` for microseconds an operation; nothing for kB a second.
    pub(crate) fn unit(&self) -> Option<char> {
        self.options.unit
    }

    /// The columns of the screen's table that the chosen tests fill, by their positions. Tests that aren't repeated (-+n) fill theirs with
    /// zeros.
    pub(crate) fn columns(&self) -> Vec<usize> {
        let chosen = &self.options.chosen;
        let is_chosen =
            |number: u64| if chosen.is_empty() { number <= LAST_OF_ALL } else { chosen.contains(&number) };
        (0..COLUMN_NAMES.len()).filter(|&column| is_chosen(COLUMNS[column].number)).collect()
    }

    /// How many processes, run by run; nothing where nothing is said of it.
    pub(crate) fn process_counts(&self) -> Vec<u32> {
        if self.known { self.options.process_counts() } else { Vec::new() }
    }

    /// Bytes of the file and of the record, where there is one of each.
    pub(crate) fn only_shape(&self) -> Option<(u64, u64)> {
        match self.options.shapes().ok()?.as_slice() {
            [only] if self.known => Some(*only),
            _ => None,
        }
    }
}

/// What a test of a name does: which access, in which order, by which calls; `None` of a name that is no test's. A mapping (-B) takes the
/// place of the system's calls.
///
/// ```
/// use petrio_workload::iozone::test_named;
/// use petrio_workload::program::pattern::{Access, Interface, Pattern};
/// assert_eq!(test_named("fread"), Some((Access::Read, Pattern::Sequential, Interface::Stdio)));
/// assert_eq!(test_named("mixed"), Some((Access::Mixed, Pattern::Random, Interface::System)));
/// assert_eq!(test_named("pwritev"), None);
/// ```
pub fn test_named(name: &str) -> Option<(Access, Pattern, Interface)> {
    let column = COLUMNS.iter().find(|column| column.name == name)?;
    let interface = if column.stdio { Interface::Stdio } else { Interface::System };
    Some((column.operation, column.pattern, interface))
}
