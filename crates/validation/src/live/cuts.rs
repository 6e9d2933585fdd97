//! Power cuts: writers on a real ext3 on an emulated disk, the power cut under them, and what of their promises is there afterwards.
//!
//! The disk has a volatile write cache, of which a cut leaves nothing that no flush had followed. With barriers whatever an fsync had
//! promised must be there in each journal mode; without them the same checker must miss something, or it has not looked.

use super::bed::{Bed, BedError};
use super::survivors::{Broken, Order, Writer};
use crate::verdict::Judged;
use petrio_live::emulation::{FileSystemKind, MountedDevice};
use petrio_live::rig::{Facilities, RigError};
use petrio_models::host::file_system::JournalMode;
use petrio_random::{generator, uniform};
use petrio_units::Bytes;
use serde::Serialize;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use thiserror::Error;

/// The volume.
const SIZE: Bytes = Bytes::from_mib(256);
/// A writer needs little of a stack, and there are many.
const STACK_BYTES: usize = 128 << 10;

/// Why nothing was cut.
#[derive(Debug, Error)]
pub enum CutError {
    /// The disk can't be emulated.
    #[error(transparent)]
    Bed(#[from] BedError),
    /// Its file system can't be mounted.
    #[error(transparent)]
    Rig(#[from] RigError),
    /// A program or a file fails.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: String,
        /// Why it failed.
        cause: io::Error,
    },
    /// A writer failed while there was power.
    #[error("a writer failed before the cut: {0}")]
    Early(io::Error),
}

fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> CutError {
    let what = what.into();
    move |cause| CutError::System { what, cause }
}

/// A cut, and what survived.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CutRow {
    /// How ext3 was mounted.
    pub journal: JournalMode,
    /// Whether its commits were followed by flushes: what is planted, where they weren't.
    pub barriers: bool,
    /// How many wrote.
    pub writers: u32,
    /// When the power went, in seconds after they began.
    pub cut_after_s: f64,
    /// Slots of 4 KiB that an fsync had promised.
    pub promised: usize,
    /// What isn't as promised.
    pub broken: usize,
    /// One of these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub example: Option<String>,
}

impl CutRow {
    /// Nothing promised may be lost with barriers; without them something must be.
    pub fn judged(&self) -> Judged {
        let Self { journal, barriers, writers, promised, broken, .. } = self;
        let journal = crate::ops::word(*journal);
        let figures = format!("{broken} broken of {promised} promised slots");
        let broken = *broken as f64;
        match barriers {
            true => {
                let what = format!("ext3, {journal}, {writers} writers cut off: promises broken");
                // Where nothing was promised, nothing was tried.
                Judged::at_most(what, figures, (if *promised == 0 { f64::NAN } else { broken }, 0.0), None)
            }
            false => {
                let what =
                    format!("ext3, {journal}, without barriers (planted): found by its broken promises");
                Judged::at_least(what, figures, (broken, 1.0), None)
            }
        }
    }
}

/// Why this machine can't, if it can't.
pub fn why_not() -> Option<String> {
    let facilities = Facilities::probe();
    [&facilities.ext3, &facilities.slow_disk]
        .into_iter()
        .find_map(|needed| needed.reason().map(str::to_owned))
}

/// Cuts off so many writers, in each journal mode, and once without barriers.
///
/// # Errors
/// As of [`CutError`]; nothing is left mounted.
pub fn cut_all(writers: u32, seed: u64, mut progress: impl FnMut(&str)) -> Result<Vec<CutRow>, CutError> {
    use JournalMode::{Journal, Ordered, WriteBack};
    let cases = [(Ordered, true), (WriteBack, true), (Journal, true), (Ordered, false)];
    let mut rows = Vec::new();
    for (number, (journal, barriers)) in (0..).zip(cases) {
        let barrier = if barriers { "" } else { " without barriers" };
        progress(&format!("cutting off ext3 in {} mode{barrier}", crate::ops::word(journal)));
        rows.push(cut(writers, (journal, barriers), seed + number)?);
    }
    Ok(rows)
}

fn cut(count: u32, (journal, barriers): (JournalMode, bool), seed: u64) -> Result<CutRow, CutError> {
    let disk = super::disk(super::DRIVE, SIZE);
    let bed = Bed::start(&disk, ("d", SIZE.get()), super::make_ext3)?;
    let folder = petrio_files::temporary::TemporaryFolder::new().map_err(system("a temporary folder"))?;
    let [directory, checked] = ["mounted", "checked"].map(|name| folder.path().join(name));
    for place in [&directory, &checked] {
        fs::create_dir(place).map_err(system("a directory to mount on"))?;
    }
    let data = match journal {
        JournalMode::WriteBack => "writeback",
        mode => crate::ops::word(mode),
    };
    let options = format!("data={data},barrier={}", u8::from(barriers));
    let mounted = MountedDevice::on(bed.file(), &directory, (FileSystemKind::Ext3, Some(&options)))?;
    let cut_after_s = 2.0 + 4.0 * uniform(&mut generator(seed, 0, "cuts", "instant"));
    let at_work = AtWork::begin(count, seed, &directory)?;
    thread::sleep(Duration::from_secs_f64(cut_after_s));
    at_work.power_goes();
    bed.cut();
    let writers = at_work.end()?;
    drop(mounted);
    let image = folder.path().join("image");
    fs::copy(bed.image(), &image).map_err(system("keep the image"))?;
    bed.end()?;
    // Plays the journal; 1 says that something was put right.
    super::program("e2fsck", &["-f".as_ref(), "-y".as_ref(), image.as_os_str()], &[0, 1])
        .map_err(system("check the file system"))?;
    let again = MountedDevice::on(&image, &checked, (FileSystemKind::Ext3, Some("ro")))?;
    let order = if journal == JournalMode::WriteBack { Order::None } else { Order::DataFirst };
    let mut broken: Vec<Broken> = Vec::new();
    for writer in &writers {
        broken.extend(writer.broken(&checked, order).map_err(system("read what survived"))?);
    }
    drop(again);
    Ok(CutRow {
        journal,
        barriers,
        writers: count,
        cut_after_s,
        promised: writers.iter().map(Writer::promised).sum(),
        broken: broken.len(),
        example: broken.first().map(|broken| format!("{broken:?}")),
    })
}

/// Writers, each a thread.
struct AtWork {
    threads: Vec<JoinHandle<Writer>>,
    is_cut: Arc<AtomicBool>,
    early: Arc<Mutex<Option<io::Error>>>,
}

impl AtWork {
    fn begin(count: u32, seed: u64, directory: &Path) -> Result<Self, CutError> {
        let mut all = Self { threads: Vec::new(), is_cut: Arc::default(), early: Arc::default() };
        for number in 0..count {
            let (is_cut, early) = (Arc::clone(&all.is_cut), Arc::clone(&all.early));
            let directory = directory.to_owned();
            let work = move || {
                let mut writer = Writer::new(number, seed);
                let outcome = writer.work(&directory, u32::MAX);
                if let Err(error) = outcome
                    && !is_cut.load(Ordering::SeqCst)
                {
                    early.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
                writer
            };
            let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
            all.threads.push(thread.map_err(system("start a writer"))?);
        }
        Ok(all)
    }

    /// From now on writers may fail.
    fn power_goes(&self) {
        self.is_cut.store(true, Ordering::SeqCst);
    }

    /// All writers, once each has failed.
    fn end(self) -> Result<Vec<Writer>, CutError> {
        let ended = self
            .threads
            .into_iter()
            .map(|thread| thread.join().map_err(|_| system("a writer")(io::Error::other("it panicked"))));
        let writers = ended.collect::<Result<Vec<_>, _>>()?;
        match self.early.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(error) => Err(CutError::Early(error)),
            None => Ok(writers),
        }
    }
}
