//! Files in which parts are described (`use = "io-node.toml"`): each is read once, however often it is used.

use super::kind::Kind;
use crate::catalogue::Shelf;
use crate::text::file::text_of;
use crate::text::tree::{Table, parse};
use crate::text::{Problem, Sources};
use petrio_files::inputs::Inputs;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// So many different files describe the parts of one scenario at most.
const FILES_MAX: usize = 1_000;
/// The text of files, counted as often as it is used.
const BYTES_MAX: usize = 64 << 20;

/// Texts that live as long as the tree that is read from them.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    first: OnceCell<Box<Text>>,
}

#[derive(Debug)]
struct Text {
    text: String,
    next: OnceCell<Box<Text>>,
}

impl Texts {
    /// Keeps a text.
    pub(crate) fn keep(&self, text: String) -> &str {
        let mut slot = &self.first;
        while let Some(kept) = slot.get() {
            slot = &kept.next;
        }
        &slot.get_or_init(|| Box::new(Text { text, next: OnceCell::new() })).text
    }
}

/// A file that describes parts.
struct UsedFile<'i> {
    /// By which it is known again.
    path: PathBuf,
    /// Where its text lies among the sources.
    range: Range<usize>,
    table: Table<'i>,
}

/// The files that have been read.
pub(super) struct UsedFiles<'i> {
    texts: &'i Texts,
    files: Vec<UsedFile<'i>>,
    bytes: usize,
}

impl<'i> UsedFiles<'i> {
    pub(super) fn new(texts: &'i Texts) -> Self {
        Self { texts, files: Vec::new(), bytes: 0 }
    }

    /// The file that a position lies in, if it is one of these.
    pub(super) fn at(&self, position: usize) -> Option<usize> {
        self.files.iter().position(|file| file.range.contains(&position))
    }

    /// The number of the file that is named at `span`.
    pub(super) fn number(
        &mut self,
        (kind, name): (Kind, &str),
        span: Range<usize>,
        sources: &mut Sources,
        inputs: &Inputs,
    ) -> Result<usize, Vec<Problem>> {
        if let Some(shelf) = kind.shelf().filter(|_| !is_file(name)) {
            return self.of_catalogue(shelf, name, span, sources);
        }
        let name = Path::new(name);
        if !inputs.may_be_read(name) {
            return Err(vec![sources.error(span, "files are not read here")]);
        }
        let path = inputs.path_of(name);
        // What isn't there has no other name either; reading it says so.
        let known = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        let number = match self.files.iter().position(|file| file.path == known) {
            Some(number) => number,
            None if self.files.len() == FILES_MAX => {
                let problem = sources.error(span, format!("more than {FILES_MAX} files describe parts"));
                return Err(vec![problem.help("describe parts that differ in a few keys in one file")]);
            }
            None => self.read((inputs, name), known, span.clone(), sources)?,
        };
        self.bytes = self.bytes.saturating_add(self.files[number].range.len());
        if self.bytes > BYTES_MAX {
            let most = BYTES_MAX >> 20;
            let message = format!("the texts that are used come to more than {most} MiB");
            let help = "use a file once with a count, where its copies are alike";
            return Err(vec![sources.error(span, message).help(help)]);
        }
        Ok(number)
    }

    fn read(
        &mut self,
        (inputs, name): (&Inputs, &Path),
        known: PathBuf,
        span: Range<usize>,
        sources: &mut Sources,
    ) -> Result<usize, Vec<Problem>> {
        let text = text_of(inputs, name).map_err(|problem| {
            let advice = problem.advice().map(str::to_owned);
            vec![sources.error(span, problem.message()).maybe_help(advice)]
        })?;
        let text = self.texts.keep(text);
        self.keep(known, petrio_files::shown::path(&inputs.path_of(name)).to_string(), text, sources)
    }

    /// The number of an entry of the catalogue.
    fn of_catalogue(
        &mut self,
        shelf: Shelf,
        word: &str,
        span: Range<usize>,
        sources: &mut Sources,
    ) -> Result<usize, Vec<Problem>> {
        let Some(text) = shelf.text(word) else {
            let what = shelf.what;
            let problem = sources.error(span, format!("the catalogue has no {what} \"{word}\""));
            return Err(vec![problem.help(format!("{}; a file ends in .toml", shelf.advice(word)))]);
        };
        let origin = format!("catalogue/{}/{word}.toml", shelf.folder);
        let path = PathBuf::from(&origin);
        match self.files.iter().position(|file| file.path == path) {
            Some(number) => Ok(number),
            None => self.keep(path, origin, text, sources),
        }
    }

    /// Parses a text that is used.
    fn keep(
        &mut self,
        known: PathBuf,
        origin: String,
        text: &'i str,
        sources: &mut Sources,
    ) -> Result<usize, Vec<Problem>> {
        let base = sources.add(origin, text);
        let (table, mistakes) = parse(text, base);
        if !mistakes.is_empty() {
            let problem = |mistake: crate::text::tree::Mistake| {
                sources.error(mistake.span, format!("this is not TOML: {}", mistake.message))
            };
            return Err(mistakes.into_iter().map(problem).collect());
        }
        self.files.push(UsedFile { path: known, range: base..base + text.len() + 1, table });
        Ok(self.files.len() - 1)
    }

    /// What a file says of a part of a kind, with the files that it names relative to the scenario and not to itself.
    pub(super) fn table(&self, number: usize, kind: Kind, name: &str) -> Table<'i> {
        let file = &self.files[number];
        let mut table = file.table.get_ref().clone();
        if let Some(folder) = Path::new(name).parent().filter(|folder| !folder.as_os_str().is_empty()) {
            move_files(&mut table, kind, folder);
        }
        Spanned::new(file.table.span(), table)
    }
}

/// Puts a folder before every file that a part and those in it name.
fn move_files(part: &mut DeTable<'_>, kind: Kind, folder: &Path) {
    for (key, value) in part.iter_mut() {
        let key = key.get_ref().as_ref();
        match (Kind::of(key), value.get_mut()) {
            (Some(below), DeValue::Table(parts)) if kind.owns() => {
                for (_, part) in parts.iter_mut() {
                    if let DeValue::Table(part) = part.get_mut() {
                        move_files(part, below, folder);
                    }
                }
            }
            (_, value) if kind.files().contains(&key) => match value {
                DeValue::Array(files) => {
                    files.iter_mut().for_each(|file| move_file((kind, key), file.get_mut(), folder));
                }
                file => move_file((kind, key), file, folder),
            },
            // A table that names a file under a key of its own.
            (_, DeValue::Table(inner)) => {
                for (below, value) in inner.iter_mut() {
                    let path = format!("{key}.{}", below.get_ref());
                    if kind.files().contains(&path.as_str()) {
                        move_file((kind, &path), value.get_mut(), folder);
                    }
                }
            }
            _ => {}
        }
    }
}

fn move_file((kind, key): (Kind, &str), value: &mut DeValue<'_>, folder: &Path) {
    // A machine, a kernel or a network may be one of the catalogue.
    let may_be_catalogue = matches!(key, "machine" | "kernel") || (key == "use" && kind.shelf().is_some());
    if let DeValue::String(file) = value
        && (!may_be_catalogue || is_file(file))
    {
        *file = Cow::Owned(folder.join(file.as_ref()).to_string_lossy().into_owned());
    }
}

/// Whether a name is that of a file, where it may be one of the catalogue.
fn is_file(name: &str) -> bool {
    name.ends_with(".toml")
}
