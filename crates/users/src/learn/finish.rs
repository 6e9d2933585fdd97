//! The specification of what was learned.

use super::alike::groups;
use super::category::{Key, UNKNOWN, order};
use super::independence::Independence;
use super::kinds::{OfType, most_frequent};
use super::pace::{correlated, phases, presence};
use super::seen::Rows;
use super::sizes::Sizes;
use super::used::{OfFile, Session};
use super::{LearnError, Learned, Learner};
use crate::namespace::{Category, FileKind, Files, Spread};
use crate::readings::Readings;
use crate::specification::{SessionKind, Use, UserSpecification, UserType};
use indexmap::IndexMap;
use petrio_distribution::{Draw, Observed};
use petrio_trace::event::FileKey;
use petrio_units::numbers::{as_number, nearest_whole};
use petrio_units::{Duration, Fraction};
use std::collections::{BTreeMap, BTreeSet};

/// Most files of a user that are open at once.
const OPEN_MOST: u32 = 1_024;
/// How many sessions new files are kept of which fewer than half were deleted.
const KEPT_LONG: u32 = 1_000;

impl Learner {
    /// What was learned.
    ///
    /// # Errors
    /// A trace of which nothing can be learned.
    pub fn finish(mut self, title: &str) -> Result<Learned, LearnError> {
        for process in self.processes.keys().copied().collect::<Vec<_>>() {
            self.end(process);
        }
        if self.types.iter().all(|kind| kind.sessions.is_empty()) {
            return Err(LearnError::NoFiles);
        }
        if self.types.iter().all(|kind| kind.moved == 0) {
            return Err(LearnError::NoAccesses);
        }
        let types = most_frequent(std::mem::take(&mut self.types));
        let sessions = types.iter().map(|kind| kind.sessions.len() as u64).sum();
        let categories = self.categories(&types);
        let all_files: u64 = categories.values().map(|seen| seen.sizes.len()).sum();
        let is_only = types.len() == 1;
        let user = types.iter().map(|kind| (kind.name.clone(), self.user(kind, is_only))).collect();
        let independence = self.independence(&types);
        let notes = self.notes(sessions, &types);
        let category =
            categories.iter().map(|(key, seen)| (key.name(), seen.category(key, all_files as f64))).collect();
        let begins = self.begins.filter(|_| self.hours.busy(0).is_some()).unwrap_or_default();
        Ok(Learned {
            sessions,
            files: self.files.len() as u64,
            specification: UserSpecification {
                title: title.to_owned(),
                source: "learned from a trace".to_owned(),
                files: Files { count: as_number(all_files), users: None, place: IndexMap::new() },
                category,
                user,
                population: IndexMap::new(),
                begins: seconds(begins),
                readings: Readings {
                    kept_sessions: self.kept_sessions(),
                    spread: Spread::Even,
                    ..Readings::default()
                },
            },
            independence,
            notes,
        })
    }

    /// A type of users.
    fn user(&self, of_type: &OfType, is_only: bool) -> UserType {
        let sessions = &of_type.sessions;
        let presence = presence(sessions, as_number(self.homes.len()));
        let found = phases(&of_type.calls);
        let correlation = match &found {
            Some(found) => found.correlation,
            None => correlated(&of_type.calls.levels()),
        };
        let calls = of_type.calls.chain(correlation, found.as_ref().map(|found| &*found.paces));
        let open = sessions.iter().map(|session| session.open_most).max().unwrap_or(1);
        let at_once = presence.as_ref().map(|presence| presence.at_once).filter(|at_once| *at_once > 1);
        let drawn = |sizes: &Sizes| (!sizes.is_empty()).then(|| sizes.values());
        let [reads, writes] = &of_type.accesses.sizes;
        UserType {
            share: (!is_only).then_some(sessions.len() as f64),
            access: drawn(reads).or_else(|| drawn(writes)),
            write_access: drawn(reads).and(drawn(writes)),
            access_correlation: of_type.accesses.correlation(),
            calls,
            pause: presence
                .map(|presence| presence.pause)
                .filter(|pause| !pause.is_empty())
                .map(|pause| pause.values()),
            sessions_at_once: at_once,
            open_files: Some(open.clamp(1, OPEN_MOST)).filter(|open| *open > 1),
            hours: self.hours.busy(self.begins.unwrap_or_default()),
            phase: found.map(|found| found.phases).unwrap_or_default(),
            session: self.kinds(sessions),
            ..UserType::default()
        }
    }

    /// The kinds of sessions, each by the name of the program that most of them ran, where the trace says.
    fn kinds(&self, sessions: &[Session]) -> IndexMap<String, SessionKind> {
        let mut kinds = IndexMap::new();
        for (number, members) in (1..).zip(groups(sessions, self.kinds_most.max(1))) {
            let mut programs: BTreeMap<&str, u32> = BTreeMap::new();
            for program in members.iter().filter_map(|member| sessions[*member].program.as_deref()) {
                *programs.entry(program).or_default() += 1;
            }
            let program =
                programs.into_iter().max_by_key(|(_, count)| *count).map_or("kind", |(name, _)| name);
            let of = || members.iter().map(|member| &sessions[*member]);
            kinds.insert(
                format!("{program}-{number}"),
                SessionKind {
                    share: Some(members.len() as f64),
                    looks: counts(of().map(|session| session.looks)),
                    syncs: counts(of().map(|session| session.syncs)),
                    uses: self.uses(&of().collect::<Vec<_>>()),
                },
            );
        }
        kinds
    }

    /// How sessions use each category.
    fn uses(&self, sessions: &[&Session]) -> IndexMap<String, Use> {
        let mut uses: BTreeMap<Key, (Observed, Rows)> = BTreeMap::new();
        for session in sessions {
            let mut count: BTreeMap<Key, u64> = BTreeMap::new();
            for (file, used) in &session.files {
                let key = self.key(file, used);
                uses.entry(key.clone()).or_default().1.add(used, key.kind == FileKind::Directory);
                *count.entry(key).or_default() += 1;
            }
            for (key, count) in count {
                uses.entry(key).or_default().0.add(count as f64);
            }
        }
        let of = sessions.len() as f64;
        let told = |(key, (counts, rows)): (Key, (Observed, Rows))| {
            let used = Use {
                share: part(counts.len() as f64 / of),
                files: counts.counts(),
                size: None,
                accesses: None,
                rank_correlation: None,
                together: Some(rows.together(key.purpose)),
            };
            (key.name(), used)
        };
        uses.into_iter().filter(|(_, (_, rows))| !rows.is_empty()).map(told).collect()
    }

    fn key(&self, file: &FileKey, used: &OfFile) -> Key {
        Key::of(&self.files[file], used.is_made)
    }

    /// The files of each category. One that was seen with several sizes, as it grew or before it was told, stands for
    /// several: each session finds one of the size that it used.
    fn categories(&self, types: &[OfType]) -> BTreeMap<Key, OfCategory> {
        let mut files: BTreeMap<Key, BTreeSet<(FileKey, u64)>> = BTreeMap::new();
        for (file, used) in types.iter().flat_map(|kind| &kind.sessions).flat_map(|session| &session.files) {
            files.entry(self.key(file, used)).or_default().insert((*file, used.size));
        }
        let told = |(key, files): (Key, BTreeSet<(FileKey, u64)>)| {
            let mut seen = OfCategory::default();
            let mut last = None;
            for (file, size) in files {
                seen.sizes.add(size as f64);
                if last.replace(file) != Some(file) {
                    seen.in_order += self.files[&file].in_order;
                    seen.jumps += self.files[&file].jumps;
                }
            }
            (key, seen)
        };
        files.into_iter().map(told).collect()
    }

    /// How many sessions new files are kept; as usual where none was made.
    fn kept_sessions(&self) -> u32 {
        match self.outlived.count() {
            deleted if 2 * deleted >= self.made && deleted > 0 => {
                as_number(nearest_whole(self.outlived.mean()))
            }
            _ if self.made == 0 => Readings::default().kept_sessions,
            0 => KEPT_LONG,
            _ => as_number(nearest_whole(self.outlived.mean())),
        }
    }

    fn independence(&self, types: &[OfType]) -> Independence {
        let sessions = || types.iter().flat_map(|kind| &kind.sessions);
        let (mut sizes, mut accesses) = (Observed::default(), Observed::default());
        for (_, used) in sessions().flat_map(|session| &session.files).filter(|(_, used)| used.size > 0) {
            sizes.add(used.size as f64);
            accesses.add(used.bytes as f64 / used.size as f64);
        }
        let counts: Vec<f64> = sessions().map(|session| session.files.len() as f64).collect();
        let means: Vec<f64> = sessions().map(Session::mean_size).collect();
        self.streams.finish(&[
            ("file size", "accesses per byte", sizes.kept(), accesses.kept()),
            ("files of a session", "their mean size", &counts, &means),
        ])
    }

    fn notes(&self, sessions: u64, types: &[OfType]) -> Vec<String> {
        let mut notes = Vec::new();
        let without_path = self.files.values().filter(|file| file.owner == UNKNOWN).count();
        if without_path > 0 {
            notes.push(format!(
                "{without_path} files without a path are taken to be one owner's, \"{UNKNOWN}\""
            ));
        }
        if sessions < 10 {
            notes.push(format!("{sessions} sessions are few: shares and numbers of files are uncertain"));
        }
        let unmade: u64 = types.iter().map(|kind| kind.unmade).sum();
        if unmade > 0 {
            notes.push(format!(
                "{unmade} calls that rename, truncate or make directories aren't made by users"
            ));
        }
        notes
    }
}

fn seconds(seconds: u64) -> Duration {
    format!("{seconds} s").parse().unwrap_or_default()
}

/// Counts, where there is any.
fn counts(counts: impl Iterator<Item = u32>) -> Option<Draw<f64>> {
    let mut seen = Observed::default();
    let mut sum = 0;
    counts.for_each(|count| {
        sum += u64::from(count);
        seen.add(f64::from(count));
    });
    (sum > 0).then(|| seen.counts())
}

/// Most different sizes of the files of a category: sessions look for files of the sizes that they used, so that they are
/// kept as they are where a text can hold them.
const SIZES: usize = 4_096;

/// What was seen of the files of a category.
#[derive(Clone, Debug, Default)]
struct OfCategory {
    sizes: Observed,
    in_order: u64,
    jumps: u64,
}

impl OfCategory {
    fn category(&self, key: &Key, all_files: f64) -> Category {
        Category {
            kind: key.kind,
            owner: key.owner.clone(),
            purpose: key.purpose,
            share: part(self.sizes.len() as f64 / all_files),
            size: self.sizes.values_in(SIZES),
            depth: None,
            name: None,
            order: order(self.in_order, self.jumps),
        }
    }
}

fn part(part: f64) -> Fraction {
    // Six digits tell a file of a million.
    format!("{:.6}", part.clamp(0.0, 1.0)).parse().unwrap_or(Fraction::ZERO)
}
