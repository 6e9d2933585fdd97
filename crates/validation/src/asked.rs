//! What is asked of a study that is repeated: which of its figures, with what changed, and until it is broken off.

use crate::side_by_side::{NotSimulated, Progress};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::report::{ReportError, write_text};
use petrio_scenario::{Loaded, NotWritten, Override, load_from, text_with};
use rayon::prelude::*;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Mutex;

/// A figure or a table of a study: `figure-7`, `table-11`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A figure.
    Figure(u32),
    /// A table.
    Table(u32),
}

impl FromStr for Place {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |prefix: &str| text.strip_prefix(prefix)?.parse::<u32>().ok();
        let place = number("figure-").map(Self::Figure).or_else(|| number("table-").map(Self::Table));
        place.ok_or_else(|| format!("\"{text}\" is no figure; write figure-7 or table-5"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Figure(number) => write!(f, "figure-{number}"),
            Self::Table(number) => write!(f, "table-{number}"),
        }
    }
}

/// What is asked of a study; the default is all of it, as it is.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// What is changed in each of its scenarios, behind what the study sets.
    pub set: Vec<Override>,
    /// Only these of its figures and tables; all of them where none is named.
    pub only: Vec<Place>,
    /// Whether it is still wanted. What is done by then is told.
    pub watch: Watch,
}

/// Why a scenario isn't written.
#[derive(Debug, thiserror::Error)]
pub enum NotWrittenOut {
    /// It can't be with what is set.
    #[error(transparent)]
    Set(#[from] NotWritten),
    /// Its file can't be.
    #[error(transparent)]
    File(#[from] ReportError),
}

/// A scenario of a study, to be run or written out.
#[derive(Clone, Debug)]
pub struct Written {
    /// Its file's name without an ending.
    pub name: String,
    /// What it is of the study, a line.
    pub about: String,
    /// Its text, with nothing set.
    pub text: String,
    /// What is set in it.
    pub set: Vec<Override>,
    /// What lies beside it, by name.
    pub beside: Vec<(String, String)>,
}

impl Written {
    /// Writes it into a folder, with what lies beside it; its path.
    ///
    /// # Errors
    /// As of [`NotWrittenOut`].
    pub fn write(&self, folder: &Path) -> Result<PathBuf, NotWrittenOut> {
        let inputs = Inputs::none();
        for (name, text) in &self.beside {
            write_text(&folder.join(name), &inputs, text)?;
        }
        let path = folder.join(format!("{}.toml", self.name));
        let text = text_with(&self.text, &self.set)?;
        write_text(&path, &inputs, &format!("# {}\n\n{}", self.about, text.trim_start()))?;
        Ok(path)
    }
}

/// Words as a file's name: "BT-IO on 4 ranks, NAS" is "bt-io-on-4-ranks-nas".
pub(crate) fn file_name(words: &str) -> String {
    let letters: String = words
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { ' ' })
        .collect();
    letters.split_whitespace().collect::<Vec<_>>().join("-")
}

impl Asked {
    /// All of a study as it is, for as long as it takes.
    pub fn is_whole(&self) -> bool {
        self.set.is_empty() && self.only.is_empty() && !self.watch.is_stopped()
    }

    /// Whether any of these figures or tables is asked for.
    pub fn wants(&self, places: &[Place]) -> bool {
        self.only.is_empty() || self.only.iter().any(|place| places.contains(place))
    }

    /// The first that is asked for and isn't among those that there are, as an error says it.
    ///
    /// # Errors
    /// That it isn't there, and which are.
    pub fn check(&self, there: &[Place]) -> Result<(), String> {
        let Some(unknown) = self.only.iter().find(|place| !there.contains(place)) else { return Ok(()) };
        let all = there.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        Err(format!("there is no {unknown} to repeat; give one of {all}"))
    }

    /// A scenario with what the study sets and what is asked for, as long as it is wanted.
    ///
    /// # Errors
    /// One that makes no sense so.
    pub(crate) fn load(
        &self,
        (name, text): (&str, &str),
        inputs: &Inputs,
        set: &[Override],
    ) -> Result<Loaded, NotSimulated> {
        let all: Vec<Override> = set.iter().chain(&self.set).cloned().collect();
        Ok(load_from(name, text, inputs, &all, &self.watch)?)
    }

    /// Does something with each item, as many at a time as there are processors; the results of those that are done before it is broken
    /// off are in the items' order.
    ///
    /// # Errors
    /// What fails first, unless it was broken off.
    pub(crate) fn side_by_side<T: Sync, R: Send, E: Send>(
        &self,
        items: &[T],
        progress: &mut Progress<'_>,
        run: impl Fn(&T) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        let count = items.len();
        let told = Mutex::new((0, progress));
        let all: Vec<Option<R>> = (items.par_iter())
            .map(|item| {
                if self.watch.is_stopped() {
                    return Ok(None);
                }
                match run(item) {
                    // What fails of being stopped says nothing.
                    Err(_) if self.watch.is_stopped() => Ok(None),
                    Err(error) => Err(error),
                    Ok(result) => {
                        if let Ok(mut told) = told.lock() {
                            told.0 += 1;
                            let done = told.0;
                            (told.1)(done, count);
                        }
                        Ok(Some(result))
                    }
                }
            })
            .collect::<Result<_, E>>()?;
        Ok(all.into_iter().flatten().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn places_are_read_as_they_are_told_and_others_are_refused_by_name() {
        for text in ["figure-7", "table-11"] {
            assert_eq!(text.parse::<Place>().unwrap().to_string(), text);
        }
        assert_eq!("7".parse::<Place>().unwrap_err(), "\"7\" is no figure; write figure-7 or table-5");
        let asked = Asked { only: vec![Place::Figure(3)], ..Asked::default() };
        let error = asked.check(&[Place::Figure(7), Place::Table(1)]).unwrap_err();
        assert_eq!(error, "there is no figure-3 to repeat; give one of figure-7, table-1");
    }

    #[test]
    fn what_is_done_before_it_is_broken_off_is_kept_and_no_failure_of_stopping_is_told() {
        let asked = Asked { watch: Watch::new(), ..Asked::default() };
        let done = AtomicU32::new(0);
        let items: Vec<u32> = (0..200).collect();
        let found: Vec<u32> = asked
            .side_by_side(&items, &mut |_, _| {}, |&item| {
                if done.fetch_add(1, Ordering::Relaxed) == 20 {
                    asked.watch.stop();
                    return Err("stopped");
                }
                Ok(item)
            })
            .unwrap();
        assert!((1..200).contains(&found.len()), "{}", found.len());
        assert!(found.windows(2).all(|pair| pair[0] < pair[1]), "{found:?}");
    }

    #[test]
    fn words_make_a_file_name() {
        assert_eq!(file_name("BT-IO on 4 ranks, NAS (what if: a hub)"), "bt-io-on-4-ranks-nas-what-if-a-hub");
    }
}
