//! Arm and platters.

use petrio_units::{Duration, Fraction, RotationSpeed, SignedDuration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the arm moves and the platters turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MechanicsParameters {
    /// Speed of rotation.
    pub rotation: RotationSpeed,
    /// How far from it, either way, a drive of the model may turn. The disks of a scenario but for its first are drawn from
    /// this range. That there is one matters, as their platters drift apart; how wide it is hardly does. Data sheets rarely
    /// give it. The default is assumed, of the size by which measured drives miss their nominal speeds: an HP C2490A of
    /// 6,400 rpm turned 6,398 times a minute.
    #[serde(default = "usual_tolerance", skip_serializing_if = "is_usual_tolerance")]
    pub rotation_tolerance: Fraction,
    /// Time to change to another surface of the same cylinder. A seek hides it: the longer of the two counts.
    pub head_switch: Duration,
    /// Settling that a write needs on top of a seek or head switch for a read. Fits of measured drives may give a
    /// negative value; the sum never falls below zero.
    #[serde(default)]
    pub write_settle: SignedDuration,
    /// Seek time by distance, for reads, settling included.
    pub seek: SeekParameters,
    /// Seek time by distance for writes, where it was measured separately. `write_settle` comes on top of it too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write_seek: Option<SeekParameters>,
    /// Shortest seek over more than one cylinder, settling included. Data sheets give the step to the next track, which the head
    /// finds at once; on a track farther away it has to settle first.
    #[serde(default, skip_serializing_if = "takes_no_time")]
    pub minimum_seek: Duration,
    /// How much of these times its arm takes, head switches and settling included: 50 % is an arm that is twice as
    /// fast. For questions of what would be; a measured drive has 100 %.
    #[serde(default = "whole", skip_serializing_if = "is_whole")]
    pub seek_scale: Fraction,
}

impl MechanicsParameters {
    /// The tolerance of a speed for which no source gives one: what motors keep that are governed by a crystal.
    pub const USUAL_TOLERANCE: Fraction = Fraction::part(1, 1000);
}

fn usual_tolerance() -> Fraction {
    MechanicsParameters::USUAL_TOLERANCE
}

fn is_usual_tolerance(tolerance: &Fraction) -> bool {
    *tolerance == MechanicsParameters::USUAL_TOLERANCE
}

fn takes_no_time(span: &Duration) -> bool {
    *span == Duration::ZERO
}

fn whole() -> Fraction {
    Fraction::ONE
}

fn is_whole(fraction: &Fraction) -> bool {
    *fraction == Fraction::ONE
}

/// Seek time as a function of the distance in cylinders. A distance of zero takes no time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum SeekParameters {
    /// The same time for every distance.
    Constant {
        /// That time.
        time: Duration,
    },
    /// Straight lines through one cylinder, a third of the stroke, and the full stroke (DiskSim's `linear`).
    ThreePointLine {
        /// To the adjacent cylinder.
        single: Duration,
        /// The average, which is that of a third of the stroke.
        average: Duration,
        /// Over all cylinders.
        full: Duration,
    },
    /// `a + b·√(d−1) + c·(d−1)` through the same three points (E. K. Lee & R. H. Katz, "An analytic performance model
    /// of disk arrays", SIGMETRICS 1993).
    ThreePointCurve {
        /// To the adjacent cylinder.
        single: Duration,
        /// The average, which is that of a third of the stroke.
        average: Duration,
        /// Over all cylinders.
        full: Duration,
    },
    /// `base + root·√d` below the knee and `far_base + per_cylinder·d` from it on (Ruemmler & Wilkes 1994).
    TwoPart {
        /// First distance of the linear part, in cylinders.
        knee_cylinders: u32,
        /// Constant of the near part.
        base: Duration,
        /// Coefficient of the root of the distance.
        root: Duration,
        /// Constant of the far part.
        far_base: Duration,
        /// Slope of the far part.
        per_cylinder: Duration,
        /// Measured times of the shortest seeks, from one cylinder up; they stand in place of the formula.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        first: Vec<Duration>,
    },
    /// Measured points, ascending, with straight lines between them.
    Measured {
        /// Pairs of distance in cylinders and time.
        points: Vec<(u32, Duration)>,
    },
}
