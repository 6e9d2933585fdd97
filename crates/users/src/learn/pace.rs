//! When users are there, and how fast they are: pauses between sessions, sessions at once, hours, and phases.

use super::chain::{Calls, Pause, correlation};
use super::used::Session;
use crate::specification::UserPhase;
use indexmap::IndexMap;
use petrio_distribution::Observed;
use petrio_time::Time;
use petrio_units::Duration;
use petrio_units::numbers::{as_index, as_number, whole_part};
use rustc_hash::FxHashMap;

/// So few sessions tell nothing of the pauses between them.
const SESSIONS_LEAST: usize = 10;
/// More sessions at once aren't one user's.
const AT_ONCE_MOST: f64 = 1_024.0;

/// How often sessions begin.
pub(super) struct Presence {
    pub(super) pause: Observed,
    pub(super) at_once: u32,
}

/// Pauses between sessions, and how many there are at once. Where users log in, those of each process; `users` are so
/// many. Where nobody does, the sessions of a trace are one user's: each begins in the place of that which ended last
/// before it, if one has, and otherwise in a new one; there are as many places as give the trace's sessions in its time.
pub(super) fn presence(sessions: &[Session], users: u32) -> Option<Presence> {
    if sessions.len() < SESSIONS_LEAST {
        return None;
    }
    let mut sorted: Vec<&Session> = sessions.iter().collect();
    sorted.sort_by_key(|session| (session.began, session.ended));
    let mut pause = Observed::default();
    if users > 0 {
        let mut ended: FxHashMap<u32, Time> = FxHashMap::default();
        for session in &sorted {
            if let Some(before) = ended.insert(session.process, session.ended) {
                pause.add(session.began.saturating_sub(before).as_seconds());
            }
        }
        let at_once =
            as_number(whole_part((ended.len() as f64 / f64::from(users)).round().clamp(1.0, AT_ONCE_MOST)));
        return Some(Presence { pause, at_once });
    }
    let mut places: Vec<Time> = Vec::new();
    for session in &sorted {
        let free = (0..places.len()).filter(|at| places[*at] <= session.began);
        match free.max_by_key(|at| places[*at]) {
            Some(at) => {
                pause.add(session.began.saturating_sub(places[at]).as_seconds());
                places[at] = session.ended;
            }
            // More would be looked through for every session.
            None if places.len() < as_index(whole_part(AT_ONCE_MOST)) => places.push(session.ended),
            None => {}
        }
    }
    let first = sorted.first().map_or(Time::ZERO, |session| session.began);
    let last = sorted.iter().map(|session| session.ended).max().unwrap_or(first);
    let span = last.saturating_sub(first).as_seconds();
    let n = sorted.len() as f64;
    let lasts =
        sorted.iter().map(|session| session.ended.saturating_sub(session.began).as_seconds()).sum::<f64>();
    let pauses = pause.kept().iter().sum::<f64>() / pause.kept().len().max(1) as f64 * n;
    let at_once = if span > 0.0 { ((lasts + pauses) / span).round() } else { 1.0 };
    Some(Presence { pause, at_once: as_number(whole_part(at_once.clamp(1.0, AT_ONCE_MOST))) })
}

/// Calls by hour.
#[derive(Clone, Debug, Default)]
pub(super) struct Hours {
    calls: Vec<u64>,
    first: Option<Time>,
}

const HOUR_S: u64 = 3_600;
const DAY: usize = 24;

impl Hours {
    pub(super) fn add(&mut self, time: Time) {
        let first = *self.first.get_or_insert(time);
        let hour = as_index(whole_part(time.saturating_sub(first).as_seconds() / HOUR_S as f64));
        if hour >= self.calls.len() {
            self.calls.resize(hour + 1, 0);
        }
        self.calls[hour] += 1;
    }

    /// How busy users are in each hour from midnight on, where the trace has a whole day at least; `begins` is when it
    /// began, from midnight, in seconds.
    pub(super) fn busy(&self, begins: u64) -> Option<Vec<f64>> {
        let days = self.calls.len() / DAY;
        if days == 0 {
            return None;
        }
        let mut sums = vec![0_u64; DAY];
        let first = (begins / HOUR_S) as usize;
        for (hour, calls) in self.calls.iter().take(days * DAY).enumerate() {
            sums[(first + hour) % DAY] += calls;
        }
        let mean = sums.iter().sum::<u64>() as f64 / DAY as f64;
        Some(sums.into_iter().map(|calls| (calls as f64 / mean * 1e3).round() / 1e3).collect())
    }
}

/// Pauses are smoothed over so many on both sides before they are told apart.
const REACH: usize = 8;
/// The lag at which a correlation of the first order alone would have faded.
const LAG: usize = 10;
/// The least correlation at that lag of which phases are made.
const LEAST: f64 = 0.15;

/// Two phases, and how long each pause is beside what it would always be.
pub(super) struct Phases {
    pub(super) phases: IndexMap<String, UserPhase>,
    pub(super) paces: Vec<f64>,
    pub(super) correlation: Option<f64>,
}

/// The correlation of pauses with those before them, where it is no chance.
pub(super) fn correlated(levels: &[Pause]) -> Option<f64> {
    let (found, error) = correlation(levels, 1)?;
    (found.abs() > 1.96 * error).then(|| (found.clamp(-0.98, 0.98) * 100.0).round() / 100.0)
}

/// Phases, where pauses go with those long before them more than a correlation with the last one alone would have it.
pub(super) fn phases(calls: &Calls) -> Option<Phases> {
    let mut levels = calls.levels();
    let (first, _) = correlation(&levels, 1)?;
    let (later, error) = correlation(&levels, LAG)?;
    let faded = libm::pow(first.max(0.0), LAG as f64);
    if later < LEAST || later < faded + 3.0 * error {
        return None;
    }
    let smooth = smoothed(&levels);
    let bound = bound(&smooth);
    let is_slow: Vec<bool> = smooth.iter().map(|level| *level > bound).collect();
    let mut sums = [(0.0, 0.0); 2];
    for (pause, slow) in levels.iter().zip(&is_slow) {
        let sum = &mut sums[usize::from(*slow)];
        *sum = (sum.0 + 1.0, sum.1 + pause.level);
    }
    if sums.iter().any(|(count, _)| *count < 1.0) {
        return None;
    }
    let pace = sums.map(|(count, sum)| (libm::exp(sum / count) * 1e4).round().max(1.0) / 1e4);
    let paces: Vec<f64> = is_slow.iter().map(|slow| pace[usize::from(*slow)]).collect();
    let lasts = lengths(calls, &levels, &is_slow);
    for (pause, slow) in levels.iter_mut().zip(&is_slow) {
        let (count, sum) = sums[usize::from(*slow)];
        pause.level -= sum / count;
    }
    let mut phases = IndexMap::new();
    for (name, at) in [("fast", 0), ("slow", 1)] {
        let lasts = lasts[at].values::<Duration>();
        let next = IndexMap::new();
        phases.insert(
            name.to_owned(),
            UserPhase { compute: None, think: None, access: None, pace: Some(pace[at]), lasts, next },
        );
    }
    Some(Phases { phases, paces, correlation: correlated(&levels) })
}

/// Means over those about each, within its session.
fn smoothed(levels: &[Pause]) -> Vec<f64> {
    let mut found = Vec::with_capacity(levels.len());
    for run in levels.chunk_by(|a, b| a.session == b.session) {
        let sums: Vec<f64> = std::iter::once(0.0)
            .chain(run.iter().scan(0.0, |sum, pause| {
                *sum += pause.level;
                Some(*sum)
            }))
            .collect();
        for at in 0..run.len() {
            let (from, to) = (at.saturating_sub(REACH), (at + REACH + 1).min(run.len()));
            found.push((sums[to] - sums[from]) / (to - from) as f64);
        }
    }
    found
}

/// What parts numbers in two groups: the middle of their means (k-means of two).
fn bound(values: &[f64]) -> f64 {
    let mut bound = values.iter().sum::<f64>() / values.len().max(1) as f64;
    for _ in 0..50 {
        let mean = |above: bool| {
            let there = values.iter().filter(|value| (**value > bound) == above);
            let (count, sum) = there.fold((0.0, 0.0), |(count, sum), value| (count + 1.0, sum + value));
            if count > 0.0 { sum / count } else { bound }
        };
        let next = f64::midpoint(mean(false), mean(true));
        if (next - bound).abs() < 1e-12 {
            break;
        }
        bound = next;
    }
    bound
}

/// How long each phase lasts, by the sums of its pauses.
fn lengths(calls: &Calls, levels: &[Pause], is_slow: &[bool]) -> [Observed; 2] {
    let seconds = calls.seconds();
    let mut lasts = [Observed::default(), Observed::default()];
    let mut run: Option<(u32, bool, f64)> = None;
    for ((pause, slow), seconds) in levels.iter().zip(is_slow).zip(seconds) {
        match &mut run {
            Some((session, is, sum)) if *session == pause.session && *is == *slow => *sum += seconds,
            _ => {
                if let Some((_, is, sum)) = run.replace((pause.session, *slow, seconds)) {
                    lasts[usize::from(is)].add(sum);
                }
            }
        }
    }
    if let Some((_, is, sum)) = run {
        lasts[usize::from(is)].add(sum);
    }
    lasts
}
