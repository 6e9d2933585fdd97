//! Layout by use beside copies: what the paper names as their rival (§7). "Rearranging data on disk according to the
//! usage pattern" shortens seeks, it says, and does little for queues, where copies gain most.

use super::error::IvyError;
use super::figures::{IvyFigures, reduction};
use super::paper::{FileSystem, IvyPolicy};
use super::run::{Tell, run_seeds};
use super::settings::IvySettings;
use petrio_kernel::Time;
use petrio_models::block::rearrangement::RearrangementParameters;
use petrio_models::cluster::replication::CopyTraffic;
use petrio_units::{Bytes, Duration, Fraction};
use serde::Serialize;

/// A file system with its data laid out by use, or with copies, or both.
#[derive(Clone, Debug, Serialize)]
pub struct Rival {
    /// The file system.
    pub file_system: FileSystem,
    /// What its pieces are, where they are laid out by use.
    pub piece: Option<Bytes>,
    /// Copies of each file, under RNW1CR.
    pub copies: u32,
    /// What comes of it.
    pub figures: IvyFigures,
    /// By how much arms move less than with one copy that stays where it is, per cent.
    pub seek_reduction_percent: f64,
    /// By how much fewer requests a read finds before it.
    pub read_queue_reduction_percent: f64,
    /// By how much fewer a write does.
    pub write_queue_reduction_percent: f64,
    /// By how much reads are faster.
    pub read_reduction_percent: f64,
    /// By how much writes are.
    pub write_reduction_percent: f64,
}

/// Pieces that are laid out by use: a block of the file system, and about a cylinder of its disk, as *Disk shuffling*
/// compares them.
pub const PIECES: [Bytes; 2] = [Bytes(8 << 10), Bytes(400 << 10)];

/// How a device is rearranged here: four times a day, at no cost, as copies are made at none.
pub(super) fn by_use(piece: Bytes) -> RearrangementParameters {
    RearrangementParameters {
        piece,
        every: Duration::new(Time::from_millis(6 * 3_600_000)),
        keep: Fraction::new(0.5).unwrap_or_default(),
        traffic: CopyTraffic::Magic,
        ..RearrangementParameters::default()
    }
}

/// Runs all of it. `progress` is told what comes next, and how many Systems of how many have been run.
///
/// # Errors
/// A run that fails.
pub fn rivals(settings: &IvySettings, progress: &mut Tell<'_>) -> Result<Vec<Rival>, IvyError> {
    let mut rows = Vec::new();
    let all = settings.file_systems();
    let layouts = [None, Some(PIECES[0]), Some(PIECES[1])];
    let of = all.len() * layouts.len() * 2;
    for file_system in all {
        let mut plain: Option<IvyFigures> = None;
        for copies in [1, 2] {
            for piece in layouts {
                progress(&format!("{}, laid out by use", file_system.name()), (rows.len(), of));
                let mut system = settings.system(file_system, IvyPolicy::CutBackRandom, copies)?;
                system.rearrangement = piece.map(by_use).or(system.rearrangement);
                let figures = IvyFigures::of(&run_seeds(&system)?);
                let first = *plain.get_or_insert(figures);
                rows.push(Rival {
                    file_system,
                    piece,
                    copies,
                    figures,
                    seek_reduction_percent: reduction(first.seek_cylinders, figures.seek_cylinders),
                    read_queue_reduction_percent: reduction(first.read_queue, figures.read_queue),
                    write_queue_reduction_percent: reduction(first.write_queue, figures.write_queue),
                    read_reduction_percent: reduction(first.read.0, figures.read.0),
                    write_reduction_percent: reduction(first.write.0, figures.write.0),
                });
            }
        }
    }
    Ok(rows)
}
