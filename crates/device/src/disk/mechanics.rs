//! Arm and platters: what a movement takes, and when a sector passes the head.
//!
//! Platters turn without pause, whatever the drive does: the wait for a sector follows from the absolute time at which the
//! arm has settled. Nothing here keeps state; the arm's place is the caller's.

use super::layout::{Layout, LayoutError, PhysicalSector, Run, Track};
use super::parameters::{GeometryParameters, MechanicsParameters};
use super::seek_curve::{SeekCurve, SeekCurveError};
use super::spin::Spin;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_units::SignedDuration;
use petrio_units::numbers::{as_number, whole_part};
use std::sync::Arc;

/// The compiled mechanics of a drive. Copies share all that doesn't hang on how fast they turn.
#[derive(Clone, Debug)]
pub struct Mechanics {
    layout: Layout,
    revolution: Time,
    /// The angle that is under the heads at time zero.
    lead: Time,
    /// How far from its speed a drive may turn, as a part of it.
    tolerance: f64,
    head_switch: Time,
    write_settle: SignedDuration,
    read_seek: Arc<SeekCurve>,
    write_seek: Option<Arc<SeekCurve>>,
    /// What a seek over more than one cylinder takes at least.
    minimum_seek: Time,
    /// How much of these times the arm takes.
    scale: f64,
}

/// A block's track, and the angle at which it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Persist)]
pub(super) struct Spot {
    pub(super) track: Track,
    /// As the time of the turn until there.
    pub(super) angle: Time,
}

/// What rounding may add up to between two angles: times that are computed on two ways are the same within it.
pub(super) const ROUNDING: Time = Time::from_picos(1_000);

/// Why a description makes no mechanics.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MechanicsError {
    /// In the geometry.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// In a seek curve.
    #[error(transparent)]
    SeekCurve(#[from] SeekCurveError),
    /// A platter that stands still or spins out of all proportion.
    #[error("a revolution takes {0}; it must take from 1 µs to 1 min")]
    Rotation(Time),
}

impl Mechanics {
    /// Compiles geometry and mechanics.
    ///
    /// # Errors
    /// What is wrong with either.
    pub fn new(
        geometry: &GeometryParameters,
        mechanics: &MechanicsParameters,
    ) -> Result<Self, MechanicsError> {
        let revolution = mechanics.rotation.revolution();
        if !(Time::from_micros(1)..=Time::from_whole_seconds(60)).contains(&revolution) {
            return Err(MechanicsError::Rotation(revolution));
        }
        let curve = |parameters| SeekCurve::new(parameters, geometry.cylinders).map(Arc::new);
        Ok(Self {
            layout: Layout::new(geometry, revolution)?,
            revolution,
            lead: Time::ZERO,
            tolerance: mechanics.rotation_tolerance.get(),
            head_switch: mechanics.head_switch.time(),
            write_settle: mechanics.write_settle,
            read_seek: curve(&mechanics.seek)?,
            write_seek: mechanics.write_seek.as_ref().map(curve).transpose()?,
            minimum_seek: mechanics.minimum_seek.time(),
            scale: mechanics.seek_scale.get(),
        })
    }

    /// The same mechanics in a drive that turns like this.
    pub(super) fn turning(&self, spin: Spin) -> Self {
        let revolution = spin.revolution(self.revolution, self.tolerance);
        let layout = self.layout.turning_in(revolution);
        Self { layout, revolution, lead: spin.lead(revolution), ..self.clone() }
    }

    /// Where blocks lie.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The time of one turn of the platters.
    pub fn revolution(&self) -> Time {
        self.revolution
    }

    /// Time to bring the head of another track in place: the longer of the seek and the head switch, and a write's
    /// settling after either. Staying on a track takes no time.
    #[inline]
    pub fn seek(&self, from: Track, to: Track, write: bool) -> Time {
        if from == to {
            return Time::ZERO;
        }
        let curve = match &self.write_seek {
            Some(curve) if write => curve,
            _ => &self.read_seek,
        };
        let distance = from.cylinder.abs_diff(to.cylinder);
        let mut span = curve.time(distance);
        if distance > 1 {
            span = span.max(self.minimum_seek);
        }
        if from.surface != to.surface {
            span = span.max(self.head_switch);
        }
        let span = if write { self.write_settle.added_to(span) } else { span };
        // A drive as it was measured keeps its times to the picosecond.
        if self.scale == 1.0 {
            span
        } else {
            Time::from_picos(whole_part(span.as_picos() as f64 * self.scale))
        }
    }

    /// Time of the longest movement of the arm.
    pub fn full_stroke(&self) -> Time {
        let last = Track { cylinder: self.layout.cylinders().saturating_sub(1), surface: 0 };
        self.seek(Track { cylinder: 0, surface: 0 }, last, true)
    }

    /// Time until the start of a sector passes the head, for a head on its track at a point in time.
    #[inline]
    pub fn rotational_wait(&self, place: PhysicalSector, at: Time) -> Time {
        self.wait_for_angle(self.layout.angle(place), at)
    }

    /// Where a block lies, as far as it matters to when it passes the head.
    pub(super) fn spot(&self, block: u64) -> Spot {
        let place = self.layout.place(block);
        Spot { track: place.track, angle: self.layout.angle(place) }
    }

    /// Time until an angle passes the head, for a head that is over its track at a point in time.
    #[inline]
    pub(super) fn wait_for_angle(&self, angle: Time, at: Time) -> Time {
        let revolution = self.revolution.as_picos();
        let (angle, phase) = (angle.as_picos(), (at.as_picos() + self.lead.as_picos()) % revolution);
        let wait = if angle >= phase { angle - phase } else { angle + revolution - phase };
        // The end of a sector and the start of the next are computed by different sums, each rounded to a picosecond: a
        // head that comes so little too late is in time, and does not wait for a whole turn.
        if revolution - wait <= ROUNDING.as_picos() { Time::ZERO } else { Time::from_picos(wait) }
    }

    /// The number of the sector whose start next passes a head on `place`'s track, and the time until then.
    pub fn next_sector(&self, place: PhysicalSector, at: Time) -> (u32, Time) {
        let start = self.layout.angle(PhysicalSector { sector: 0, ..place });
        let to_start = self.wait_for_angle(start, at).as_picos();
        let revolution = self.revolution.as_picos();
        let since = (revolution - to_start) % revolution;
        let sectors = u64::from(self.layout.sectors_per_track(place.zone));
        let sector = (since * sectors).div_ceil(revolution) % sectors;
        let wait = self.rotational_wait(PhysicalSector { sector: as_number(sector), ..place }, at);
        (as_number(sector), wait)
    }

    /// The next blocks to pass the head one behind the other (see [`Layout::run`]).
    #[inline]
    pub fn run(&self, block: u64, limit: u64) -> Run {
        self.layout.run(block, limit)
    }

    /// The time in which `sectors` pass under a head in a zone.
    #[inline]
    pub fn sector_time(&self, zone: u32, sectors: u32) -> Time {
        self.layout.sector_time(zone, sectors)
    }
}
