//! A path: the classes of parts that an average operation's time is spent in.

use super::class::Class;
use super::range::{HalfWidth, Residuals};
use super::residual::{Bound, Conditions, Of};

/// A class on a path.
#[derive(Clone, Debug, PartialEq)]
pub struct OnPath {
    /// Which.
    pub class: Class,
    /// Its parts by name, as the scenario writes them.
    pub parts: Vec<String>,
    /// The part of an average operation's time that is spent in it or waiting for it, 0 to 1.
    pub share: f64,
}

/// The classes of a path. Parts that lie on each other both count as much as the time spent in the lower.
#[derive(Clone, Debug, PartialEq)]
pub struct Path {
    /// The classes.
    pub classes: Vec<OnPath>,
    /// Under which conditions it was run.
    pub conditions: Conditions,
}

impl Path {
    /// Under which conditions a class of it is: what calls and caches do is done in memory, whatever else is waited for.
    pub fn conditions_of(&self, class: Class) -> Conditions {
        match class {
            Class::Memory => Conditions { bound: Bound::Memory, ..self.conditions },
            _ => self.conditions,
        }
    }

    /// The half-width of each class on it.
    pub fn widths(&self, residuals: &Residuals, figure: Of) -> Vec<HalfWidth> {
        let width = |on: &OnPath| residuals.half_width(on.class, figure, self.conditions_of(on.class));
        self.classes.iter().map(width).collect()
    }

    /// The logarithm of the factor within which a figure lies nine times in ten. `seeds` is the same of the interval over replications,
    /// which adds up with it: a range is never narrower than that.
    pub fn half_width(&self, residuals: &Residuals, figure: Of, seeds: f64) -> f64 {
        let of = self.classes.iter().zip(self.widths(residuals, figure));
        let squares: f64 = of.map(|(on, width)| on.share * width.ln).map(|part| part * part).sum();
        (squares + seeds * seeds).sqrt()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::sure::residual::{Depth, Moves, Residual};

    const CONDITIONS: Conditions =
        Conditions { moves: Moves::Both, bound: Bound::Device, depth: Depth::Several };

    fn residuals() -> Residuals {
        let row = |class, size: f64| {
            Residual::of((class, Of::MeanLatency), CONDITIONS, ("", String::new()), [size.exp(), 1.0])
                .unwrap()
        };
        let sizes = (1..=30).map(f64::from);
        let rows =
            sizes.flat_map(|step| [row(Class::Disk, step * 0.01), row(Class::FileSystem, step * 0.02)]);
        Residuals::of(rows.collect())
    }

    fn path(classes: &[(Class, f64)]) -> Path {
        let on = |&(class, share): &(Class, f64)| OnPath { class, parts: Vec::new(), share };
        Path { classes: classes.iter().map(on).collect(), conditions: CONDITIONS }
    }

    #[test]
    fn a_path_of_one_class_has_its_range_and_one_of_two_lies_between_them_and_their_sum() {
        let residuals = residuals();
        let of = |classes: &[(Class, f64)]| path(classes).half_width(&residuals, Of::MeanLatency, 0.0);
        let own = residuals.half_width(Class::Disk, Of::MeanLatency, CONDITIONS).ln;
        let (disk, system) = (of(&[(Class::Disk, 1.0)]), of(&[(Class::FileSystem, 1.0)]));
        assert_eq!(disk, own);
        let both = of(&[(Class::Disk, 1.0), (Class::FileSystem, 1.0)]);
        assert!(both > disk.max(system) && both < disk + system, "{disk}, {system}: {both}");
        assert!((of(&[(Class::Disk, 0.25)]) - disk / 4.0).abs() < 1e-12);
    }

    #[test]
    fn a_class_that_was_never_validated_widens_a_path() {
        let residuals = residuals();
        let of = |classes: &[(Class, f64)]| path(classes).half_width(&residuals, Of::MeanLatency, 0.0);
        let validated = of(&[(Class::Disk, 0.5), (Class::FileSystem, 0.5)]);
        assert!(of(&[(Class::Disk, 0.5), (Class::Lustre, 0.5)]) >= validated);
        assert!(of(&[(Class::Disk, 0.5), (Class::FileSystem, 0.5), (Class::Flash, 0.1)]) > validated);
    }

    #[test]
    fn a_range_is_never_narrower_than_the_interval_of_the_seeds() {
        let residuals = residuals();
        for seeds in [0.0, 0.001, 0.2, 3.0] {
            let all = path(&[(Class::Disk, 0.1)]).half_width(&residuals, Of::MeanLatency, seeds);
            assert!(all >= seeds, "{all} of {seeds}");
        }
    }
}
