//! A recording as a job: its tracks in the order of their ranks, its files, and what joins them.

use super::RecordingParameters;
use super::files::Files;
use super::order::{Additions, Order};
use super::read::{Read, read};
use super::replay::RecordedThread;
use super::track::{Instance, Play, Track, What};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::parallel::io::Hints;
use crate::parallel::job::{Job, JobPlacement, JobPlan};
use crate::parallel::programs::{Planned, Start, refuse};
use crate::program::ProgramError;
use petrio_colours::{FileId, Operation};
use petrio_files::inputs::Inputs;
use petrio_units::numbers::as_number;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A recording that was read: a thread is a rank of the job.
pub struct RecordedJob {
    pub(super) recorded: Arc<Threads>,
    /// Its number in the job of each track that was read; none where it is left out.
    kept: Vec<Option<u32>>,
    lengths: Vec<u32>,
    order: Order,
    families: u32,
    exchanges: bool,
    compute_scale: f64,
}

/// What its threads did.
pub(in crate::parallel) struct Threads {
    pub(super) tracks: Vec<Track>,
    pub(super) files: Files,
    pub(super) instances: Vec<Instance>,
}

impl RecordedJob {
    pub(super) fn read(parameters: &RecordingParameters, inputs: &Inputs) -> Result<Self, ProgramError> {
        let Read { mut tracks, files, order, mut instances } = read(parameters, inputs)?;
        if tracks.is_empty() {
            return refuse("recording", "it has no event of any program");
        }
        let ranks: BTreeSet<u32> = tracks.iter().filter_map(|track| track.rank).collect();
        let lengths = tracks.iter().map(|track| as_number(track.plays.len())).collect();
        // Whoever starts ranks is no part of the program; without ranks all are.
        let mut by_rank: Vec<usize> = (0..tracks.len()).collect();
        by_rank.retain(|&track| ranks.is_empty() || tracks[track].rank.is_some());
        by_rank.sort_by_key(|&track| tracks[track].rank);
        let mut kept = vec![None; tracks.len()];
        for (number, &track) in (0..).zip(&by_rank) {
            kept[track] = Some(number);
        }
        let families: BTreeMap<Option<u32>, u32> = by_rank
            .iter()
            .map(|&track| tracks[track].rank)
            .collect::<BTreeSet<_>>()
            .into_iter()
            .zip(0..)
            .collect();
        let mut chosen: Vec<Track> =
            by_rank.iter().map(|&track| std::mem::take(&mut tracks[track])).collect();
        chosen.iter_mut().for_each(|track| track.family = families[&track.rank]);
        by_tracks(&mut chosen, &mut instances)?;
        remove_late(&mut chosen);
        Ok(Self {
            exchanges: chosen.iter().any(|track| track.plays.iter().any(|play| is_message(&play.what))),
            recorded: Arc::new(Threads { tracks: chosen, files, instances }),
            kept,
            lengths,
            order,
            families: as_number(families.len()),
            compute_scale: parameters.compute_scale,
        })
    }
}

const fn is_message(what: &What) -> bool {
    matches!(
        what,
        What::Send { .. }
            | What::Receive { .. }
            | What::PostSend { .. }
            | What::PostReceive { .. }
            | What::Together(_)
    )
}

/// Who takes part in what was posted: by the operation, and the place among its members.
fn helpers(tracks: &[Track]) -> BTreeMap<(u32, u32), u32> {
    let mut helpers = BTreeMap::new();
    for (number, track) in (0..).zip(tracks).filter(|(_, track)| track.helps) {
        helpers.extend(track.plays.iter().filter_map(|play| match &play.what {
            What::Together(together) => Some(((together.instance, together.own), number)),
            _ => None,
        }));
    }
    helpers
}

/// Ranks in messages become tracks: of several threads of a rank, the one that sends and receives.
fn by_tracks(tracks: &mut [Track], instances: &mut [Instance]) -> Result<(), ProgramError> {
    let mut of_rank: BTreeMap<u32, u32> = BTreeMap::new();
    let helpers = helpers(tracks);
    for (number, track) in (0..).zip(&*tracks) {
        if let Some(rank) = track.rank
            && !track.helps
            && track.plays.iter().any(|play| is_message(&play.what))
            && of_rank.insert(rank, number).is_some()
        {
            let problem =
                format!("several threads of the rank {rank} exchange messages, which isn't followed");
            return refuse("recording", problem);
        }
    }
    // Messages on their way from one to another: whoever receives more than was sent would wait for ever.
    let mut balance: BTreeMap<(u32, u32), i64> = BTreeMap::new();
    for (number, track) in (0..).zip(&mut *tracks) {
        for Play { what, .. } in &mut track.plays {
            let (other, change) = match what {
                What::Send { to, .. } | What::PostSend { to, .. } => (to, 1),
                // Posted, and never seen to be over.
                What::PostReceive { from: u32::MAX, .. } => {
                    *what = What::Nothing;
                    continue;
                }
                What::Receive { from, .. } | What::PostReceive { from, .. } => (from, -1),
                _ => continue,
            };
            let Some(&track) = of_rank.get(other) else {
                let problem = format!("a message goes to the rank {other}, of which nothing was recorded");
                return refuse("recording", problem);
            };
            *other = track;
            let pair = if change > 0 { (number, track) } else { (track, number) };
            *balance.entry(pair).or_default() += change;
        }
    }
    let rank = |track: u32| tracks[track as usize].rank.unwrap_or_default();
    if let Some(((from, to), over)) = balance.iter().find(|(_, over)| **over < 0) {
        let problem = format!(
            "the rank {} received {} messages more from the rank {} than that one sent: the recording was broken off, or not all was seen",
            rank(*to),
            -over,
            rank(*from)
        );
        return refuse("recording", problem);
    }
    forget_doubtful_tags(tracks);
    for (number, instance) in (0..).zip(instances) {
        if instance.there != instance.members.len() {
            let problem = format!(
                "of the {} ranks of an operation ({}) {} took part: the recording was broken off, or not all was seen",
                instance.members.len(),
                instance.kind.name(),
                instance.there
            );
            return refuse("recording", problem);
        }
        let member =
            |(own, rank): (u32, &u32)| helpers.get(&(number, own)).or_else(|| of_rank.get(rank)).copied();
        let members = (0..).zip(&*instance.members).map(member).collect::<Option<Vec<_>>>();
        instance.members = members.unwrap_or_default().into();
    }
    Ok(())
}

/// Where more of a tag are received than were sent with it, not all tags were seen: messages between these two are taken in order then.
fn forget_doubtful_tags(tracks: &mut [Track]) {
    let mut balance: BTreeMap<(u32, u32, Option<u32>), i64> = BTreeMap::new();
    let of_play = |own: u32, what: &What| match *what {
        What::Send { to, tag, .. } | What::PostSend { to, tag, .. } => Some(((own, to, tag), 1)),
        What::Receive { from, tag } | What::PostReceive { from, tag } => Some(((from, own, tag), -1)),
        _ => None,
    };
    for (number, track) in (0..).zip(&*tracks) {
        for (name, change) in track.plays.iter().filter_map(|play| of_play(number, &play.what)) {
            *balance.entry(name).or_default() += change;
        }
    }
    let doubtful = balance.iter().filter(|(_, left)| **left < 0);
    let doubtful: BTreeSet<(u32, u32)> = doubtful.map(|((from, to, _), _)| (*from, *to)).collect();
    for (number, track) in (0..).zip(tracks) {
        for Play { what, .. } in &mut track.plays {
            match what {
                What::Send { to, tag, .. } | What::PostSend { to, tag, .. }
                    if doubtful.contains(&(number, *to)) =>
                {
                    *tag = None;
                }
                What::Receive { from, tag } | What::PostReceive { from, tag }
                    if doubtful.contains(&(*from, number)) =>
                {
                    *tag = None;
                }
                _ => {}
            }
        }
    }
}

/// A name that is taken away while the file is in use goes with the last use, as the file does.
fn remove_late(tracks: &mut [Track]) {
    let mut unlinks: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    let mut last: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (number, track) in tracks.iter().enumerate() {
        for (step, play) in track.plays.iter().enumerate() {
            if let What::File(call) = &play.what {
                last.insert(call.file, (number, step));
                if call.operation == Operation::Unlink {
                    unlinks.insert(call.file, (number, step));
                }
            }
        }
    }
    // Within one track alone it is known which comes last.
    for (file, (track, step)) in unlinks {
        let (last_track, last_step) = last[&file];
        if last_track == track && last_step > step {
            let plays = &mut tracks[track].plays;
            if let (What::File(taken), What::File(used)) =
                (plays[step].what.clone(), plays[last_step].what.clone())
                && used.operation == Operation::Close
            {
                (plays[step].what, plays[last_step].what) = (What::File(used), What::File(taken));
            }
        }
    }
}

impl Job for RecordedJob {
    fn ranks(&self) -> u32 {
        as_number(self.recorded.tracks.len())
    }

    /// All threads of a rank lie on its host.
    fn volume_of(&self, rank: u32, volumes: usize) -> usize {
        let family = self.recorded.tracks[rank as usize].family as usize;
        family * volumes / (self.families as usize).max(1)
    }

    fn exchanges(&self) -> bool {
        self.exchanges
    }

    fn plan_in(&self, _: &Inputs, placement: &JobPlacement) -> Result<JobPlan, ProgramError> {
        // Ranks on different hosts are programs apart, though what these mount may be one and the same.
        let JobPlacement { hosts, file_systems, .. } = placement;
        let volumes: Vec<(u32, u32)> = hosts.iter().copied().zip(file_systems.iter().copied()).collect();
        let additions = self.order.additions(&self.kept, &self.lengths, &volumes);
        let is_local = placement.mounted == crate::parallel::mounted::Mounted::LOCAL;
        let plan = RecordingPlan { threads: Arc::clone(&self.recorded), additions, is_local };
        JobPlan::new(self.ranks(), (&Hints::default(), self.compute_scale), placement, Arc::new(plan))
    }
}

/// A recording where it runs.
pub(in crate::parallel) struct RecordingPlan {
    pub(super) threads: Arc<Threads>,
    pub(super) additions: Vec<Additions>,
    /// Whether its file system carries out what only a host's own does.
    pub(super) is_local: bool,
}

impl RecordingPlan {
    /// Where a file lies, by the files' numbers in the run.
    pub(super) fn parent(&self, file: u32, start: &Start) -> FileId {
        let parent = self.threads.files.entries.get(file as usize).and_then(|entry| entry.parent);
        parent.map_or(FileId::ROOT, |parent| start.file(parent))
    }
}

impl Planned for RecordingPlan {
    fn files(&self) -> u64 {
        self.threads.files.entries.len() as u64
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        (0..as_number(self.threads.files.entries.len()))
            .try_for_each(|number| tell(self.threads.files.file(number)))
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        Ok(RecordedThread::new(self, start).into())
    }
}
