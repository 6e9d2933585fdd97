//! What a login session is going to do: which files, how much of each.
//!
//! A session is drawn from streams of its own, named by user, process and number: it is the same whatever the sessions
//! before did, whatever they ran on, and whoever else was there.

use super::population::{Type, UseOf, What};
use super::readings::{Choice, Readings, ShareOf};
use super::rows::{Row, whole};
use crate::namespace::{Namespace, Purpose};
use petrio_distribution::uniform;
use petrio_kernel::Watch;
use petrio_persist::Persist;
use petrio_random::{Generator, generator};
use petrio_units::numbers::{as_number, nearest_whole, whole_part};
use rustc_hash::FxHashSet;

/// Most files of a category in one session: a count drawn beyond it is cut.
const FILES_MAX: f64 = 1e6;
/// Longest file that is made, and most bytes accessed of one file in one session.
const BYTES_MAX: f64 = (1_u64 << 50) as f64;

/// A file to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Persist)]
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
    /// Bytes of the first access after each open and of the others, of a file that is used as another one was; 0 where
    /// they are drawn.
    pub(super) access: [u64; 2],
    /// How often it is opened again.
    pub(super) reopens: u32,
    /// How often it is read at its end.
    pub(super) ends: u32,
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

/// Which kind of session a session is. Kinds are spread evenly over a process' sessions: each follows the last by the
/// golden ratio's part of all, so that among any number of them each kind has its share but for one or two (H. Weyl 1916;
/// the sequence of least discrepancy: L. Kuipers and H. Niederreiter, *Uniform Distribution of Sequences*, 1974, ch. 2.3).
pub(super) fn kind_of(whose: Whose<'_>, session: u32, kind: &Type) -> usize {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    if kind.sessions.len() < 2 {
        return 0;
    }
    let first = uniform(&mut whose.stream(0, "kinds of sessions"));
    let at = (first + f64::from(session) * GOLDEN).fract();
    kind.sessions.partition_point(|kind| kind.until <= at).min(kind.sessions.len() - 1)
}

/// Draws a session: the files of each use of its kind in turn. Fewer, where nobody wants them any more.
pub(super) fn draw(
    whose: Whose<'_>,
    session: u32,
    kind: &Type,
    readings: &Readings,
    namespace: &Namespace,
) -> Vec<Job> {
    let mut jobs = Vec::new();
    for of in kind.sessions[kind_of(whose, session, kind)].uses.clone() {
        let used = &kind.uses[of];
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
        let count = whole_part(used.files.sample(&mut random).round().clamp(0.0, FILES_MAX));
        // So many different ones, as long as there are.
        let mut taken = FxHashSet::default();
        let mut files =
            Files { of: as_number(of), used, user: whose.user, readings, namespace, taken: &mut taken };
        match &used.what {
            What::Rows(rows) => {
                for row in rows.draw(count, &mut random).into_iter().take_while(|_| !whose.watch.is_stopped())
                {
                    jobs.extend(files.as_row(row, &mut random));
                }
            }
            // A session may have millions.
            drawn => {
                for _ in (0..count).take_while(|_| !whose.watch.is_stopped()) {
                    jobs.extend(files.drawn(drawn, &mut random));
                }
            }
        }
    }
    jobs
}

/// Files of a use, of which those that are there are taken one by one.
struct Files<'a> {
    of: u32,
    used: &'a UseOf,
    user: u32,
    readings: &'a Readings,
    namespace: &'a Namespace,
    taken: &'a mut FxHashSet<u32>,
}

impl Files<'_> {
    /// A file that is there, with its size.
    fn there(&mut self, size: u64, choice: Choice, random: &mut Generator) -> Option<(u64, u32)> {
        let owner = self.namespace.owner_of(&self.used.owner, self.user);
        let shelf = self.namespace.shelves.get(&(self.used.category, owner))?;
        let found = match choice {
            Choice::Nearest => shelf.near_free(size, self.taken, random)?,
            Choice::Any => shelf.any_free(self.taken, random)?,
        };
        self.taken.insert(found.1);
        Some(found)
    }

    /// The next file, used as another one was.
    fn as_row(&mut self, row: Row, random: &mut Generator) -> Option<Job> {
        let is_made = self.used.purpose.is_made();
        let (length, file) = if is_made {
            (row.size.min(row.written), None)
        } else {
            let (length, position) = self.there(row.size, Choice::Nearest, random)?;
            (length, Some(position))
        };
        let quota = if length == 0 { 0 } else { row.accessed };
        let written = if self.used.purpose == Purpose::ReadOnly { 0 } else { row.written.min(quota) };
        Some(Job {
            of: self.of,
            file,
            size: length,
            quota,
            written,
            access: row.access,
            reopens: whole(row.opens, random).saturating_sub(1),
            ends: whole(row.ends, random),
        })
    }

    /// The next file, of a drawn size and so many drawn accesses of each of its bytes.
    fn drawn(&mut self, what: &What, random: &mut Generator) -> Option<Job> {
        let [size, accesses] = what.sample(random);
        let mut size = whole_part(size.round().clamp(1.0, BYTES_MAX));
        let mut file = None;
        let mut length = size;
        if !self.used.purpose.is_made() {
            let (there, position) = self.there(size, self.readings.choice, random)?;
            (file, length) = (Some(position), there);
            if self.readings.choice == Choice::Any {
                size = there;
            }
        }
        // Nothing can be accessed of a file without bytes.
        let wanted = if length == 0 { 0.0 } else { (accesses.max(0.0) * size as f64).round().min(BYTES_MAX) };
        let quota = whole_part(wanted);
        let writes = self.used.purpose != Purpose::ReadOnly;
        let written =
            if writes { quota.min(nearest_whole(self.readings.written * length as f64)) } else { 0 };
        if self.used.purpose.is_made() {
            // What isn't written isn't there.
            length = length.min(written);
        }
        let quota = if length == 0 { 0 } else { quota };
        let written = written.min(quota);
        Some(Job { of: self.of, file, size: length, quota, written, ..Job::default() })
    }
}
