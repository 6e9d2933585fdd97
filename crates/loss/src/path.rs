//! One path: a store's years as nature has them, with a side path from each moment at which all was whole and something fails.

use crate::course::{Course, Memo};
use crate::store::{Part, Store};
use petrio_random::{Generator, uniform};

/// A failure that would be fatal before the next place is filled is made as likely as a coin's side.
const EVEN: f64 = core::f64::consts::LN_2;

/// What a path tells, each weighed by how likely the path is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Told {
    /// Losses because too much has failed.
    pub(crate) failed: f64,
    /// Losses of sectors that couldn't be read.
    pub(crate) sectors: f64,
    /// How likely it is by nature, by how likely it was made.
    pub(crate) weight: f64,
    /// Drives that failed, weighed.
    pub(crate) failures: f64,
    /// For how long one more failure would have lost data, seconds.
    pub(crate) exposed: f64,
    /// The longest of these times.
    pub(crate) longest: f64,
}

/// Which drives are made to fail more often than by nature, and how many times.
struct Bias {
    drives: Vec<usize>,
    times: f64,
}

impl Bias {
    const fn none() -> Self {
        Self { drives: Vec::new(), times: 1.0 }
    }

    fn of(&self, drive: usize) -> f64 {
        if self.drives.binary_search(&drive).is_ok() { self.times } else { 1.0 }
    }
}

enum Step {
    /// A drive has failed.
    Failed,
    /// Something that was due has happened.
    Happened,
    End,
}

#[derive(Clone)]
struct Walk<'s> {
    store: &'s Store,
    course: Course<'s>,
    now: f64,
    until: f64,
    /// Where in the time between two readings of all sectors it begins.
    scrub_phase: f64,
    weight: f64,
    /// How likely it is that no sector was lost so far.
    kept: f64,
    /// Losses of sectors so far, weighed.
    sectors: f64,
}

/// A path of so many seconds.
pub(crate) fn path(store: &Store, until: f64, random: &mut Generator, memo: &mut Memo) -> Told {
    let phase = store.scrubbed_every.map_or(0.0, |every| every * uniform(random));
    let mut walk = Walk {
        store,
        course: Course::new(store),
        now: 0.0,
        until,
        scrub_phase: phase,
        weight: 1.0,
        kept: 1.0,
        sectors: 0.0,
    };
    let mut told = Told::default();
    // The first failure, where few are to be expected.
    let drives: Vec<usize> = walk.course.living(0.0).map(|(drive, _)| drive).collect();
    let expected = walk.hazard(&drives, until);
    let mut bias =
        if expected > 0.0 && expected < 1.0 { Bias { drives, times: 1.0 / expected } } else { Bias::none() };
    let mut since = None;
    loop {
        let is_exposed = !walk.course.fatal(memo).is_empty();
        if is_exposed {
            since.get_or_insert(walk.now);
        }
        if let Some(from) = since.filter(|_| !is_exposed) {
            walk.expose(from, &mut told);
            since = None;
        }
        let was_whole = walk.course.is_whole();
        match walk.step(&bias, random, memo) {
            Step::End => break,
            Step::Happened => continue,
            Step::Failed => bias = Bias::none(),
        }
        told.failures += walk.weight;
        if was_whole && walk.course.is_lost() {
            told.failed += walk.weight * walk.kept;
        } else if was_whole && !walk.course.is_whole() {
            let (failed, sectors) = walk.clone().aside(random, memo);
            told.failed += failed;
            told.sectors += sectors;
        }
        if walk.course.is_lost() {
            break;
        }
    }
    if let Some(from) = since {
        walk.expose(from, &mut told);
    }
    // One on which nothing failed is likely by its weight, too.
    Told { weight: walk.weight, ..told }
}

impl Walk<'_> {
    /// From now on one more failure loses data no longer, as it did from a time on.
    fn expose(&self, from: f64, told: &mut Told) {
        told.exposed += self.weight * (self.now - from);
        told.longest = told.longest.max(self.now - from);
    }

    /// Goes on until all is whole again, or lost, and what is fatal is likely: losses by failures and of sectors, weighed.
    fn aside(mut self, random: &mut Generator, memo: &mut Memo) -> (f64, f64) {
        self.sectors = 0.0;
        while !self.course.is_whole() && !self.course.is_lost() {
            let bias = self.bias(memo);
            if matches!(self.step(&bias, random, memo), Step::End) {
                break;
            }
        }
        let failed = if self.course.is_lost() { self.weight * self.kept } else { 0.0 };
        (failed, self.sectors)
    }

    /// The drives whose failure is fatal, or else those of damaged arrays, fail with even odds until something happens.
    fn bias(&self, memo: &mut Memo) -> Bias {
        let fatal = self.course.fatal(memo);
        let drives = if fatal.is_empty() { self.course.beside_damage() } else { fatal };
        let until = self.course.next_due().map_or(self.until, |due| due.min(self.until));
        let expected = self.hazard(&drives, until);
        let times = if expected > 0.0 { (EVEN / expected).max(1.0) } else { 1.0 };
        Bias { drives, times }
    }

    /// How many of these drives are to be expected to fail from now until then.
    fn hazard(&self, drives: &[usize], until: f64) -> f64 {
        let of = |(drive, age): (usize, f64)| match &self.store.parts[drive] {
            Part::Drive(life, _) => life.hazard(age, age + (until - self.now)),
            Part::Array(_) => 0.0,
        };
        self.course.living(self.now).filter(|(drive, _)| drives.binary_search(drive).is_ok()).map(of).sum()
    }

    /// Up to what comes next.
    fn step(&mut self, bias: &Bias, random: &mut Generator, memo: &mut Memo) -> Step {
        let mut first: Option<(f64, usize)> = None;
        for (drive, age) in self.course.living(self.now) {
            let Part::Drive(life, _) = &self.store.parts[drive] else { continue };
            let at = self.now + life.left(age, bias.of(drive), random);
            if first.is_none_or(|(soonest, _)| at < soonest) {
                first = Some((at, drive));
            }
        }
        let due = self.course.next_due().filter(|due| *due <= self.until);
        let known = due.unwrap_or(self.until);
        match first.filter(|(at, _)| *at < known) {
            Some((at, drive)) => {
                self.pass(at, bias, memo);
                self.weight /= bias.of(drive);
                self.course.fail(drive, at, (random, memo));
                Step::Failed
            }
            None => {
                self.pass(known, bias, memo);
                if due.is_some() {
                    self.course.happen(random);
                    Step::Happened
                } else {
                    Step::End
                }
            }
        }
    }

    /// Time passes without a failure.
    fn pass(&mut self, to: f64, bias: &Bias, memo: &mut Memo) {
        let span = to - self.now;
        // ln of what the weight grows by.
        let grows = if bias.times > 1.0 { (bias.times - 1.0) * self.hazard(&bias.drives, to) } else { 0.0 };
        let errors = self.course.sectors_a_second(self.unread(), memo) * span;
        // ∫ r·exp((g − r)·t) dt over the span, where the weight grows by exp(g·t) and what is kept falls by exp(−r·t).
        let net = grows - errors;
        let integral = if net.abs() < 1e-9 { 1.0 + net / 2.0 } else { libm::expm1(net) / net };
        self.sectors += self.weight * self.kept * errors * integral;
        self.weight *= libm::exp(grows);
        self.kept *= libm::exp(-errors);
        self.now = to;
    }

    /// For how long nobody has read all sectors.
    fn unread(&self) -> f64 {
        self.store.scrubbed_every.map_or(self.now, |every| (self.now + self.scrub_phase) % every)
    }
}
