//! What a login session is going to do: which files, how much of each.
//!
//! A session is drawn from streams of its own, named by user, process and number: it is the same whatever the sessions
//! before did, whatever they ran on, and whoever else was there.

use super::population::{Type, UseOf};
use super::readings::{Choice, Readings, ShareOf};
use crate::namespace::{Namespace, Purpose};
use petrio_distribution::uniform;
use petrio_kernel::Watch;
use petrio_random::{Generator, generator};
use rustc_hash::FxHashSet;

/// Most files of a category in one session: a count drawn beyond it is cut.
const FILES_MAX: f64 = 1e6;
/// Longest file that is made, and most bytes accessed of one file in one session.
const BYTES_MAX: f64 = (1_u64 << 50) as f64;

/// A file to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    /// Which use of its type's it belongs to.
    pub(super) of: u32,
    /// The file, by its position in the namespace; `None` for one that is to be made.
    pub(super) file: Option<u32>,
    /// Its size; of a file to be made, what it will have.
    pub(super) size: u64,
    /// Bytes to be accessed.
    pub(super) quota: u64,
    /// How many of them are written, at first.
    pub(super) written: u64,
}

/// Whose session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Whose<'a> {
    pub(super) seed: u64,
    pub(super) replication: u64,
    /// The workload's name.
    pub(super) name: &'a str,
    pub(super) user: u32,
    /// Which of the sessions that the user has at once.
    pub(super) process: u32,
    /// Whether it is still wanted.
    pub(super) watch: &'a Watch,
}

impl Whose<'_> {
    /// A random stream of a session of his.
    pub(super) fn stream(&self, session: u32, purpose: &str) -> Generator {
        let Self { seed, replication, name, user, process, .. } = self;
        generator(*seed, *replication, &format!("{name}/user {user}/{process}/session {session}"), purpose)
    }
}

/// Draws a session: the files of each use in turn. Fewer, where nobody wants them any more.
pub(super) fn draw(
    whose: Whose<'_>,
    session: u32,
    kind: &Type,
    readings: &Readings,
    namespace: &Namespace,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (of, used) in (0..).zip(&kind.uses) {
        let takes_part = match readings.share_of {
            ShareOf::Sessions => uniform(&mut whose.stream(session, &format!("{}/share", used.name))),
            // One draw for the user, whichever of his sessions it is.
            ShareOf::Users => {
                uniform(&mut Whose { process: 0, ..whose }.stream(0, &format!("{}/trait", used.name)))
            }
        } < used.share;
        if !takes_part {
            continue;
        }
        let mut random = whose.stream(session, &used.name);
        let count = used.files.sample(&mut random).round().clamp(0.0, FILES_MAX) as u64;
        // So many different ones, as long as there are.
        let mut taken = FxHashSet::default();
        // A session may have millions.
        for _ in (0..count).take_while(|_| !whose.watch.is_stopped()) {
            let job = job(of, used, whose.user, readings, namespace, &taken, &mut random);
            taken.extend(job.and_then(|job| job.file));
            jobs.extend(job);
        }
    }
    jobs
}

fn job(
    of: u32,
    used: &UseOf,
    user: u32,
    readings: &Readings,
    namespace: &Namespace,
    taken: &FxHashSet<u32>,
    random: &mut Generator,
) -> Option<Job> {
    let mut drawn = [0.0; 2];
    match &used.joint {
        Some(joint) => joint.sample_into(random, &mut drawn),
        None => drawn = [used.size.sample(random), used.accesses.sample(random)],
    }
    let [size, accesses] = drawn;
    let mut size = size.round().clamp(1.0, BYTES_MAX) as u64;
    let mut file = None;
    let mut length = size;
    if !used.purpose.is_made() {
        let owner = namespace.owner_of(&used.owner, user);
        let shelf = namespace.shelves.get(&(used.category, owner))?;
        let (there, position) = match readings.choice {
            Choice::Nearest => shelf.near_free(size, taken, random)?,
            Choice::Any => shelf.any_free(taken, random)?,
        };
        (file, length) = (Some(position), there);
        if readings.choice == Choice::Any {
            size = there;
        }
    }
    // Nothing can be accessed of a file without bytes.
    let wanted = if length == 0 { 0.0 } else { (accesses.max(0.0) * size as f64).round().min(BYTES_MAX) };
    let quota = wanted as u64;
    let writes = used.purpose != Purpose::ReadOnly;
    let written = if writes { quota.min((readings.written * length as f64).round() as u64) } else { 0 };
    if used.purpose.is_made() {
        // What isn't written isn't there.
        length = length.min(written);
    }
    let quota = if length == 0 { 0 } else { quota };
    Some(Job { of, file, size: length, quota, written: written.min(quota) })
}
