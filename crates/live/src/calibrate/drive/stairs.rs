//! Tracks of a cylinder, by what recurs at each cylinder's end: skews, or how far tracks lie.
//!
//! Counted from the first track on, the time to reach a track is a staircase: it rises where a cylinder begins, and dips at
//! the track of the same surface where a head switch takes longer than so short a movement. The first block may lie in the
//! middle of a cylinder, behind what the drive keeps to itself: then the first step comes sooner.

use petrio_units::numbers::as_index;

/// By how much the first step is larger than all that come behind, if these are too small to be seen.
const LARGE_STEP: f64 = 10.0;

/// How tracks make cylinders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stairs {
    /// Tracks of a cylinder.
    pub(super) surfaces: u64,
    /// Tracks of the first cylinder before the first block.
    pub(super) lead: u64,
}

impl Stairs {
    /// Of steps at these tracks, counted from the first: at least so many of them, each a number of cylinders from the next.
    fn of(steps: &[u64], least: usize) -> Option<Self> {
        let first = *steps.first()?;
        let surfaces = steps.windows(2).map(|pair| pair[1] - pair[0]).min()?;
        // The first may be hidden by the head switch, and later ones too small to be seen: seeks grow less and less.
        let regular = steps.windows(2).all(|pair| (pair[1] - pair[0]) % surfaces == 0);
        let lead = (surfaces - first % surfaces) % surfaces;
        (regular && steps.len() >= least).then_some(Self { surfaces, lead })
    }

    /// From skews between tracks, one behind the other, of which those within a cylinder are the same.
    pub(super) fn of_skews(skews: &[f64], same: f64) -> Option<Self> {
        let alike = |skew: f64| skews.iter().filter(|other| (**other - skew).abs() <= same).count();
        // Those within a cylinder are most; with two surfaces they are no more than the others, and the smaller ones.
        let within = |one: &&f64, other: &&f64| {
            let (a, b) = (alike(**one), alike(**other));
            if a.abs_diff(b) <= 1 { other.total_cmp(one) } else { a.cmp(&b) }
        };
        let most = skews.iter().max_by(within)?;
        let odd: Vec<u64> = (1..)
            .zip(skews)
            .filter(|(_, skew)| (**skew - *most).abs() > same)
            .map(|(track, _)| track)
            .collect();
        let stairs = Self::of(&odd, 2)?;
        // All that there could be are there.
        let seen = (1..)
            .zip(skews)
            .all(|(track, _)| odd.contains(&track) == ((track + stairs.lead) % stairs.surfaces == 0));
        (seen && stairs.surfaces > 1).then_some(stairs)
    }

    /// From the times to tracks 1, 2, … from track 0, in seconds, of which those to a cylinder are the same.
    pub(super) fn of_times(times: &[f64], same: f64) -> Option<Self> {
        let changes = |at: usize| at > 0 && (times[at] - times[at - 1]).abs() > same;
        let dips = |at: usize| {
            at > 0
                && at + 1 < times.len()
                && times[at - 1] - times[at] > same
                && times[at + 1] - times[at] > same
                // What is behind it is no lower than what is before.
                && times[at + 1] - times[at - 1] > -same
        };
        let track = |at: usize| at as u64 + 1;
        let dipping: Vec<u64> = (0..times.len()).filter(|at| dips(*at)).map(track).collect();
        let steps: Vec<u64> = (0..times.len())
            .filter(|at| {
                // Over a dip there is no step, unless a cylinder begins behind it.
                if dips(*at) {
                    return false;
                }
                if *at >= 2 && dips(*at - 1) {
                    return (times[*at] - times[*at - 2]).abs() > same;
                }
                changes(*at)
            })
            .map(track)
            .collect();
        let Some(surfaces) = dipping.first().copied() else {
            // One that is far larger than all behind it is the first cylinder's: were an earlier one hidden by the head
            // switch, the next ones would show, as seeks grow less and less.
            let step = as_index(*steps.first()?) - 1;
            let behind = times[step..]
                .iter()
                .copied()
                .fold((f64::INFINITY, 0.0_f64), |(least, most), time| (least.min(time), most.max(time)));
            let alone = times[step] - times[step - 1] > LARGE_STEP * (behind.1 - behind.0).max(same);
            if alone && 2 * step < times.len() {
                return Some(Self { surfaces: step as u64 + 1, lead: 0 });
            }
            return Self::of(&steps, 3);
        };
        let lead = steps.first().map_or(0, |step| (surfaces - step % surfaces) % surfaces);
        let regular = dipping.iter().all(|dip| dip % surfaces == 0)
            && steps.iter().all(|step| (step + lead).is_multiple_of(surfaces));
        regular.then_some(Self { surfaces, lead })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times to the tracks behind one that has `lead` before it on its cylinder: seeks by cylinders, a head switch.
    fn times(surfaces: u64, lead: u64, seeks: &[f64], switch: f64, tracks: u64) -> Vec<f64> {
        (1..=tracks)
            .map(|track| {
                let (cylinder, surface) = ((track + lead) / surfaces, (track + lead) % surfaces);
                let seek = seeks[cylinder as usize];
                if surface == lead { seek } else { seek.max(switch) }
            })
            .collect()
    }

    #[test]
    fn cylinders_end_where_the_skew_recurs() {
        let skews = |surfaces: u64, lead: u64| -> Vec<f64> {
            (1..40).map(|track| if (track + lead).is_multiple_of(surfaces) { 18.0 } else { 8.0 }).collect()
        };
        for (surfaces, lead) in [(6, 0), (6, 2), (18, 4), (2, 0)] {
            assert_eq!(Stairs::of_skews(&skews(surfaces, lead), 0.5), Some(Stairs { surfaces, lead }));
        }
        assert_eq!(Stairs::of_skews(&[8.0; 20], 0.5), None);
        assert_eq!(Stairs::of_skews(&[8.0, 8.0, 18.0, 8.0, 8.0, 18.0, 18.0, 8.0, 8.0], 0.5), None);
    }

    #[test]
    fn the_width_of_a_staircase_is_the_number_of_surfaces() {
        let seeks = [0.0, 300.0, 450.0, 500.0, 540.0, 570.0, 600.0, 620.0, 640.0, 650.0];
        for (surfaces, lead) in [(4, 0), (4, 1), (6, 0), (6, 5)] {
            for switch in [100.0, 400.0] {
                let found = Stairs::of_times(&times(surfaces, lead, &seeks, switch, 32), 5.0);
                assert_eq!(found, Some(Stairs { surfaces, lead }), "{surfaces} {lead} {switch}");
            }
        }
        assert_eq!(Stairs::of_times(&[400.0; 20], 5.0), None);
        // One surface: each track is further away than the one before.
        let tracks: Vec<f64> = (1..=24).map(|track| 300.0 + 20.0 * f64::from(track)).collect();
        assert_eq!(Stairs::of_times(&tracks, 5.0), Some(Stairs { surfaces: 1, lead: 0 }));
    }

    #[test]
    fn a_head_switch_that_hides_the_first_steps_leaves_no_multiple_of_the_surfaces() {
        // Of six surfaces, the step to the next cylinder is hidden: those behind it tell.
        let seeks = [0.0, 300.0, 327.7, 332.1, 335.0, 338.0];
        let found = Stairs::of_times(&times(6, 0, &seeks, 316.0, 32), 2.0);
        assert_eq!(found, Some(Stairs { surfaces: 6, lead: 0 }));
        // All are hidden but the dip at the track of the same surface, of which there is only one.
        let found = Stairs::of_times(&times(18, 0, &[0.0, 251.0, 400.0], 519.0, 32), 2.0);
        assert_eq!(found, Some(Stairs { surfaces: 18, lead: 0 }));
        // Two steps could be of any number that divides what lies between them.
        assert_eq!(Stairs::of_times(&[3.0, 3.0, 3.0, 9.0, 9.0, 9.0, 9.0, 15.0, 15.0], 1.0), None);
    }
}
