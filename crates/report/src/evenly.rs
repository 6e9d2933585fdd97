//! The most even course of a sum that may not run ahead of one and not fall behind another: a string pulled taut between both.
//!
//! Bytes that requests move are moved some time between issue and completion, and when is not known here. So at each moment no more
//! can have been moved than had been asked for, and no less than was over by then. Whatever carried them moved within that, so that the
//! most even course has no peak above what carried it: of all courses between two bounds the shortest has the least steep part.

/// The sum at each of the positions: it begins with zero at the first and ends with the last bound, which are the same there.
/// `bounds` has the least and the most at each position, neither of which ever gets less.
pub(super) fn evenly(positions: &[f64], bounds: &[[f64; 2]]) -> Vec<f64> {
    let count = positions.len().min(bounds.len());
    let mut course = Vec::with_capacity(count);
    if count == 0 {
        return course;
    }
    let (mut from, mut value) = (0, 0.0);
    course.push(value);
    while from + 1 < count {
        let (until, slope) = straight(&positions[..count], bounds, (from, value));
        for at in from + 1..=until {
            let [least, most] = bounds[at];
            course.push((value + slope * (positions[at] - positions[from])).clamp(least, most.max(least)));
        }
        (from, value) = (until, course[until]);
    }
    course
}

/// How far it goes straight on from a position and value, and how steep: to where it touches the bound that bends it, or to the end.
fn straight(positions: &[f64], bounds: &[[f64; 2]], (from, value): (usize, f64)) -> (usize, f64) {
    let last = positions.len() - 1;
    // The steepest that some least asks for, and the least steep that some most allows, with where they do.
    let (mut asked, mut allowed) = ((f64::NEG_INFINITY, from), (f64::INFINITY, from));
    for at in from + 1..=last {
        let [least, most] = bounds[at].map(|bound| (bound - value) / (positions[at] - positions[from]));
        if least > allowed.0 {
            return (allowed.1, allowed.0);
        }
        if most < asked.0 {
            return (asked.1, asked.0);
        }
        // Of what lies on one line the last, so that it is one part.
        if least >= asked.0 {
            asked = (least, at);
        }
        if most <= allowed.0 {
            allowed = (most, at);
        }
    }
    // The last bounds are one, so that what they ask for has become the steepest.
    (last, asked.0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn slopes(positions: &[f64], course: &[f64]) -> Vec<f64> {
        (1..course.len())
            .map(|at| (course[at] - course[at - 1]) / (positions[at] - positions[at - 1]))
            .collect()
    }

    #[test]
    fn what_may_come_at_any_time_comes_evenly_and_what_is_fixed_does_not() {
        let positions: Vec<f64> = (0..=4).map(f64::from).collect();
        let free = [[0.0, 8.0], [0.0, 8.0], [0.0, 8.0], [0.0, 8.0], [8.0, 8.0]];
        assert_eq!(evenly(&positions, &free), [0.0, 2.0, 4.0, 6.0, 8.0]);
        let fixed = [[0.0; 2], [1.0; 2], [1.0; 2], [5.0; 2], [8.0; 2]];
        assert_eq!(evenly(&positions, &fixed), [0.0, 1.0, 1.0, 5.0, 8.0]);
        // Six by the first moment and two more of which none is asked for before the third.
        let late = [[0.0, 6.0], [6.0, 6.0], [6.0, 6.0], [6.0, 8.0], [8.0, 8.0]];
        assert_eq!(evenly(&positions, &late), [0.0, 6.0, 6.0, 7.0, 8.0]);
        assert_eq!(evenly(&[], &[]), [0.0; 0]);
        assert_eq!(evenly(&[0.0], &[[0.0; 2]]), [0.0]);
    }

    proptest! {
        /// It stays within its bounds, and its steepest part is as steep as some two bounds ask for, whatever the course.
        #[test]
        fn no_course_between_the_bounds_has_a_lower_peak(
            steps in prop::collection::vec((1u32..9, 0u32..20, 0u32..20), 1..60)
        ) {
            let (mut positions, mut bounds) = (vec![0.0], vec![[0.0, 0.0]]);
            let (mut at, mut least, mut most) = (0, 0, 0);
            for &(wide, asked, over) in &steps {
                (at, most) = (at + wide, most + asked);
                least = (least + over).min(most);
                positions.push(f64::from(at));
                bounds.push([f64::from(least), f64::from(most)]);
            }
            bounds.last_mut().unwrap()[0] = f64::from(most);
            let course = evenly(&positions, &bounds);
            prop_assert_eq!(course.len(), positions.len());
            for (value, [least, most]) in course.iter().zip(&bounds) {
                prop_assert!((*least..=*most).contains(value), "{course:?} {bounds:?}");
            }
            let peak = slopes(&positions, &course).into_iter().fold(0.0, f64::max);
            let asked = (0..positions.len()).flat_map(|i| (i + 1..positions.len()).map(move |j| (i, j)));
            let asked = asked.map(|(i, j)| (bounds[j][0] - bounds[i][1]) / (positions[j] - positions[i]));
            let least = asked.fold(0.0, f64::max);
            prop_assert!((peak - least).abs() <= 1e-9 * least.max(1.0), "{peak} {least} {course:?} {bounds:?}");
        }
    }
}
