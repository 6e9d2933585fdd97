//! The folder of a study: what it asks, and the rows that there are by now.
//!
//! | file | what |
//! | --- | --- |
//! | `study.json` | what is asked; whoever asks something else is refused |
//! | `cases-NNNNNN.parquet` | the rows of a thousand cases in a row, complete |
//! | `rows.jsonl` | the rows of cases that are done and not in one of those yet, a line a case |
//! | `lock` | held as long as somebody writes |
//!
//! Those of a shard have its name before the ending. A case's rows are appended by one call when it is done, so that whoever is killed
//! loses what was running and no more; half a line at the end is cut off. What lies in the files follows from the study alone, in whichever
//! order cases were done and however often somebody was killed.

use super::design::Cases;
use super::error::SweepError;
use super::row::{Columns, Row};
use super::study::Study;
use petrio_files::inputs::Inputs;
use petrio_files::whole_file::WholeFile;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

/// Cases of a Parquet file.
pub const CASES_A_FILE: u64 = 1_024;

/// Which part of the cases is run: every `of`th, from the `number`th on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// From 1.
    pub number: u64,
    /// Of how many.
    pub of: u64,
}

impl Shard {
    /// All cases.
    pub const ALL: Self = Self { number: 1, of: 1 };

    /// Whether a case is one of its.
    pub const fn has(self, case: u64) -> bool {
        case % self.of == self.number - 1
    }

    fn file(self, name: &str, ending: &str) -> String {
        match self {
            Self::ALL => format!("{name}.{ending}"),
            Self { number, of } => format!("{name}.{number}-of-{of}.{ending}"),
        }
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts =
            text.split_once('/').and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match parts {
            Some((number, of)) if (1..=of).contains(&number) => Ok(Self { number, of }),
            Some((number, of)) => {
                Err(format!("there is no part {number} of {of}; the first of four is 1/4, the last 4/4"))
            }
            None => Err(format!("\"{text}\" is no part; the first of four is 1/4")),
        }
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// A folder that one shard writes to.
pub(super) struct Folder {
    path: PathBuf,
    shard: Shard,
    columns: Columns,
    journal: File,
    /// Rows of cases that are done and in no Parquet file, by case.
    open: BTreeMap<u64, Vec<Row>>,
    /// Chunks of cases that are in one.
    closed: Vec<u64>,
    /// The lock goes with it.
    _lock: Lock,
}

impl Folder {
    /// Opens a study's folder, or makes it; what is there of this shard is taken up.
    ///
    /// # Errors
    /// A folder of another study or that somebody else writes to, files that can't be read or written.
    pub(super) fn open(
        path: &Path,
        study: &Study,
        cases: &Cases,
        columns: Columns,
        shard: Shard,
    ) -> Result<Self, SweepError> {
        fs::create_dir_all(path).map_err(SweepError::file(path))?;
        let lock = Lock::take(path, shard)?;
        let about = path.join(ABOUT);
        match fs::read(&about) {
            Ok(text) => is_the_same(study, &text, path)?,
            Err(cause) if cause.kind() == io::ErrorKind::NotFound => {
                is_empty(path)?;
                let text = serde_json::to_string_pretty(study)
                    .map_err(|error| SweepError::file(&about)(error.into()))?;
                write_whole(&about, |file| writeln!(file, "{text}"))?;
            }
            Err(cause) => return Err(SweepError::file(about)(cause)),
        }
        let place = path.join(shard.file(JOURNAL, "jsonl"));
        let (done, length) = journalled(&place)?;
        let journal =
            OpenOptions::new().create(true).append(true).open(&place).map_err(SweepError::file(&place))?;
        // Half a line, whose writer was killed.
        journal.set_len(length).map_err(SweepError::file(&place))?;
        let mut folder = Self {
            path: path.to_owned(),
            shard,
            columns,
            journal,
            open: BTreeMap::new(),
            closed: Vec::new(),
            _lock: lock,
        };
        for chunk in 0..cases.count().div_ceil(CASES_A_FILE) {
            if folder.chunk_file(chunk).exists() {
                folder.closed.push(chunk);
            }
        }
        for rows in done {
            let Some(case) = rows.first().map(|row| row.case) else { continue };
            // Whoever was killed between a file's taking its name and the journal's cutting left both.
            if !folder.is_closed(case) {
                folder.open.insert(case, rows);
            }
        }
        Ok(folder)
    }

    /// Whether a case has been done.
    pub(super) fn has(&self, case: u64) -> bool {
        self.is_closed(case) || self.open.contains_key(&case)
    }

    fn is_closed(&self, case: u64) -> bool {
        self.closed.contains(&(case / CASES_A_FILE))
    }

    fn chunk_file(&self, chunk: u64) -> PathBuf {
        self.path.join(self.shard.file(&format!("{CHUNK}{chunk:06}"), "parquet"))
    }

    /// Keeps the rows of a case that is done.
    ///
    /// # Errors
    /// A disk that is full, for one: what was there before stays.
    pub(super) fn keep(&mut self, case: u64, rows: Vec<Row>) -> Result<(), SweepError> {
        let place = self.path.join(self.shard.file(JOURNAL, "jsonl"));
        let line = line_of(&rows).map_err(SweepError::file(&place))?;
        let before = self.journal.metadata().map_err(SweepError::file(&place))?.len();
        if let Err(cause) = self.journal.write_all(&line) {
            // What was written of it is no row. Where that can't be cut off either, whoever opens it again does.
            let _ = self.journal.set_len(before);
            return Err(SweepError::file(place)(cause));
        }
        self.open.insert(case, rows);
        Ok(())
    }

    /// Writes the Parquet files of chunks of which all cases are done; `wanted` tells which cases there are.
    ///
    /// # Errors
    /// As of [`keep`](Self::keep).
    pub(super) fn close_complete(
        &mut self,
        chunk: u64,
        wanted: impl Fn(u64) -> Result<bool, SweepError>,
        count: u64,
    ) -> Result<(), SweepError> {
        let cases = chunk * CASES_A_FILE..((chunk + 1) * CASES_A_FILE).min(count);
        if self.closed.contains(&chunk) {
            return Ok(());
        }
        for case in cases.clone().filter(|case| self.shard.has(*case)) {
            if !self.open.contains_key(&case) && wanted(case)? {
                return Ok(());
            }
        }
        let rows: Vec<Row> =
            self.open.range(cases.clone()).flat_map(|(_, rows)| rows.iter().cloned()).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let file = self.chunk_file(chunk);
        write_parquet(&file, &self.columns, &rows)?;
        self.closed.push(chunk);
        self.open.retain(|case, _| !cases.contains(case));
        self.cut_journal()
    }

    /// Leaves in the journal what is in no Parquet file.
    fn cut_journal(&mut self) -> Result<(), SweepError> {
        let place = self.path.join(self.shard.file(JOURNAL, "jsonl"));
        if self.open.is_empty() {
            return self.journal.set_len(0).map_err(SweepError::file(place));
        }
        write_whole(&place, |file| self.open.values().try_for_each(|rows| file.write_all(&line_of(rows)?)))?;
        self.journal = OpenOptions::new().append(true).open(&place).map_err(SweepError::file(place))?;
        Ok(())
    }

    /// Leaves nothing but results where nothing is left to be done.
    ///
    /// # Errors
    /// As of [`keep`](Self::keep).
    pub(super) fn finish(self) -> Result<(), SweepError> {
        if self.open.is_empty() {
            let place = self.path.join(self.shard.file(JOURNAL, "jsonl"));
            fs::remove_file(&place).map_err(SweepError::file(place))?;
        }
        Ok(())
    }
}

const ABOUT: &str = "study.json";
const JOURNAL: &str = "rows";
const CHUNK: &str = "cases-";
const LOCK: &str = "lock";

/// Says that somebody writes; gone with whoever took it.
struct Lock {
    _file: File,
    place: PathBuf,
}

impl Lock {
    fn take(path: &Path, shard: Shard) -> Result<Self, SweepError> {
        let place = path.join(shard.file(LOCK, "file"));
        let file =
            OpenOptions::new().create(true).append(true).open(&place).map_err(SweepError::file(&place))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| SweepError::InUse { folder: path.to_owned() })?;
        Ok(Self { _file: file, place })
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // What stays says nothing as long as nobody holds it.
        let _ = fs::remove_file(&self.place);
    }
}

/// A folder that has other things in it is nobody's to fill.
fn is_empty(path: &Path) -> Result<(), SweepError> {
    let ours = |name: &str| name.starts_with(LOCK) || name.starts_with(JOURNAL) || name.starts_with('.');
    for entry in fs::read_dir(path).map_err(SweepError::file(path))? {
        let name = entry.map_err(SweepError::file(path))?.file_name().to_string_lossy().into_owned();
        if !ours(&name) {
            let why = format!(
                "it has {name} in it, and no {ABOUT}; name an empty folder, or one that isn't there yet"
            );
            return Err(SweepError::NoStudy { folder: path.to_owned(), why });
        }
    }
    Ok(())
}

/// A line of a journal: all rows of a case, so that none of them stands there without the others.
fn line_of(rows: &[Row]) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(rows)?;
    line.push(b'\n');
    Ok(line)
}

/// The cases of a journal, and how long it is without half a line at its end.
fn journalled(place: &Path) -> Result<(Vec<Vec<Row>>, u64), SweepError> {
    let bytes = match fs::read(place) {
        Ok(bytes) => bytes,
        Err(cause) if cause.kind() == io::ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(cause) => return Err(SweepError::file(place)(cause)),
    };
    let (mut cases, mut length) = (Vec::new(), 0);
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let Some(rows) = line.strip_suffix(b"\n").and_then(|line| serde_json::from_slice(line).ok()) else {
            break;
        };
        length += line.len() as u64;
        cases.push(rows);
    }
    Ok((cases, length))
}

fn write_whole(place: &Path, write: impl FnOnce(&mut WholeFile) -> io::Result<()>) -> Result<(), SweepError> {
    let mut file = WholeFile::create(place, &Inputs::none()).map_err(SweepError::file(place))?;
    write(&mut file).and_then(|()| file.finish()).map_err(SweepError::file(place))
}

fn write_parquet(place: &Path, columns: &Columns, rows: &[Row]) -> Result<(), SweepError> {
    write_whole(place, |file| columns.write(rows, file).map_err(io::Error::other))
}

/// The cases of a shard that a folder has already; nothing is written, and what holds another study is refused.
pub(super) fn done(
    path: &Path,
    study: &Study,
    cases: &Cases,
    shard: Shard,
) -> Result<BTreeSet<u64>, SweepError> {
    match fs::read(path.join(ABOUT)) {
        Ok(text) => is_the_same(study, &text, path)?,
        Err(_) if path.is_dir() => return is_empty(path).map(|()| BTreeSet::new()),
        Err(_) => return Ok(BTreeSet::new()),
    }
    let (lines, _) = journalled(&path.join(shard.file(JOURNAL, "jsonl")))?;
    let open: BTreeSet<u64> = lines.iter().flatten().map(|row| row.case).collect();
    let is_closed = |case: u64| {
        let name = shard.file(&format!("{CHUNK}{:06}", case / CASES_A_FILE), "parquet");
        path.join(name).exists()
    };
    Ok((0..cases.count())
        .filter(|case| shard.has(*case) && (open.contains(case) || is_closed(*case)))
        .collect())
}

/// Refuses the folder of another study.
fn is_the_same(study: &Study, text: &[u8], path: &Path) -> Result<(), SweepError> {
    match study.differs(&Study::read(text, path)?) {
        Some(differs) => Err(SweepError::Other { folder: path.to_owned(), differs }),
        None => Ok(()),
    }
}

/// What a folder asks.
///
/// # Errors
/// A folder of no study.
pub(super) fn study_of(path: &Path) -> Result<Study, SweepError> {
    match fs::read(path.join(ABOUT)) {
        Ok(text) => Study::read(&text, path),
        Err(cause) => {
            let why = if path.is_dir() { format!("it has no {ABOUT}") } else { cause.to_string() };
            Err(SweepError::NoStudy { folder: path.to_owned(), why })
        }
    }
}

/// All rows that a folder has, of all shards, in the order of cases and replications.
///
/// # Errors
/// Files that can't be read.
pub(super) fn rows_of(path: &Path, cases: &Cases, columns: &Columns) -> Result<Vec<Row>, SweepError> {
    let mut found: BTreeMap<(u64, u64), Row> = BTreeMap::new();
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(path).map_err(SweepError::file(path))? {
        names.push(entry.map_err(SweepError::file(path))?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for name in names {
        let place = path.join(&name);
        let rows = if name.starts_with(CHUNK) && name.ends_with(".parquet") {
            let file = File::open(&place).map_err(SweepError::file(&place))?;
            columns.read(file).map_err(|error| SweepError::file(&place)(io::Error::other(error)))?
        } else if name.starts_with(JOURNAL) && name.ends_with(".jsonl") {
            journalled(&place)?.0.concat()
        } else {
            continue;
        };
        for mut row in rows {
            // What is no case of the study, no sweep has written.
            let values = if row.case < cases.count() { cases.values(row.case)? } else { None };
            if let Some(values) = values {
                row.values = values;
                found.insert((row.case, row.replication), row);
            }
        }
    }
    Ok(found.into_values().collect())
}

/// Brings the rows of several folders of one study into one.
///
/// # Errors
/// Folders of different studies, one that is there and isn't empty, files that can't be read or written.
pub(super) fn merge(
    to: &Path,
    from: &[PathBuf],
    open: impl Fn(&Study) -> Result<(Cases, Columns), SweepError>,
) -> Result<u64, SweepError> {
    let studies =
        from.iter().map(|folder| Ok((folder, study_of(folder)?))).collect::<Result<Vec<_>, SweepError>>()?;
    let Some((first, study)) = studies.first() else { return Ok(0) };
    for (folder, other) in &studies {
        if let Some(differs) = study.differs(other) {
            let differs = format!("beside {}, {differs}", first.display());
            return Err(SweepError::Other { folder: (*folder).clone(), differs });
        }
    }
    let (cases, columns) = open(study)?;
    let mut by_case: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
    for folder in from {
        for row in rows_of(folder, &cases, &columns)? {
            let known = by_case.entry(row.case).or_default();
            if known.iter().all(|other| other.replication != row.replication) {
                known.push(row);
            }
        }
    }
    let mut folder = Folder::open(to, study, &cases, columns, Shard::ALL)?;
    let done = by_case.len() as u64;
    for (case, rows) in by_case {
        if !folder.has(case) {
            folder.keep(case, rows)?;
        }
    }
    for chunk in 0..cases.count().div_ceil(CASES_A_FILE) {
        folder.close_complete(chunk, |case| Ok(cases.values(case)?.is_some()), cases.count())?;
    }
    folder.finish()?;
    Ok(done)
}
