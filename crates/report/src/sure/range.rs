//! How far a class's predictions may be off, nine times in ten.

use super::class::Class;
use super::residual::{Bound, Conditions, Depth, Moves, Of, Residual, ResidualsError};
use petrio_units::numbers::{as_index, whole_part};
use std::collections::BTreeSet;
use std::sync::OnceLock;

/// How often a range is right.
pub const LEVEL: f64 = 0.9;
/// A residual below this counts as this: repetitions of the measurements themselves lie a hundredth apart.
pub const FLOOR: f64 = 0.01;
/// Of so many residuals of narrower conditions, what they say counts half, and what wider ones say the other half.
pub const SHRINK: f64 = 5.0;

/// The table that is shipped.
const SHIPPED: &str = include_str!("../../../../validation/residuals.csv");

/// What validations missed by, out of sample: what was fitted to a measurement says nothing about others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Residuals {
    rows: Vec<Residual>,
    /// What is shrunk to.
    pooled: f64,
    /// What is taken of what was never validated.
    widest: f64,
}

/// How far predictions of a class may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalfWidth {
    /// The logarithm of the factor within which nine in ten lie.
    pub ln: f64,
    /// How many cases of the class stand behind it; none where it was never validated.
    pub cases: usize,
}

impl Residuals {
    /// Of rows, of which those in sample are left out.
    pub fn of(rows: Vec<Residual>) -> Self {
        let rows: Vec<Residual> = rows.into_iter().filter(|row| !row.in_sample).collect();
        let mut all = Self { rows, pooled: 0.0, widest: 0.0 };
        all.pooled = all.pooled_width();
        let of_class = |&class: &Class| quantile(all.sizes(|row| row.class == class));
        all.widest = Class::ALL.iter().filter_map(of_class).fold(all.pooled, f64::max);
        let known: BTreeSet<_> =
            all.rows.iter().map(|row| (row.class, row.figure, row.conditions())).collect();
        let widths = known.into_iter().map(|(class, figure, of)| all.half_width(class, figure, of).ln);
        all.widest = widths.fold(all.widest, f64::max);
        all
    }

    /// Those that petrio ships.
    ///
    /// # Errors
    /// A table that is none: a bug.
    pub fn shipped() -> Result<&'static Self, &'static ResidualsError> {
        static READ: OnceLock<Result<Residuals, ResidualsError>> = OnceLock::new();
        READ.get_or_init(|| Ok(Self::of(Residual::read(SHIPPED)?))).as_ref()
    }

    /// The rows that are shipped, in sample or not.
    ///
    /// # Errors
    /// A table that is none: a bug.
    pub fn shipped_rows() -> Result<Vec<Residual>, ResidualsError> {
        Residual::read(SHIPPED)
    }

    /// Its rows, all out of sample.
    pub fn rows(&self) -> &[Residual] {
        &self.rows
    }

    /// The width that holds nine in ten of all, each class as much as any other.
    pub const fn pooled(&self) -> f64 {
        self.pooled
    }

    /// The greatest width of a class, or of one under some conditions: of so few classes, one that was never looked at may well be further off
    /// than most.
    pub const fn widest(&self) -> f64 {
        self.widest
    }

    /// How far a figure of a class may be off under conditions.
    pub fn half_width(&self, class: Class, figure: Of, of: Conditions) -> HalfWidth {
        let there: Vec<&Residual> = self.rows.iter().filter(|row| row.class == class).collect();
        if there.is_empty() {
            return HalfWidth { ln: self.widest, cases: 0 };
        }
        let way = |row: &Residual| goes(row, of.moves);
        let steps: [&dyn Fn(&Residual) -> bool; 4] = [
            &|_| true,
            &|row| row.figure == figure,
            &|row| row.figure == figure && way(row) && row.bound == of.bound,
            &|row| row.figure == figure && way(row) && row.bound == of.bound && row.depth == of.depth,
        ];
        let (mut ln, mut before) = (self.pooled, usize::MAX);
        for step in steps {
            let sizes: Vec<f64> = there.iter().filter(|row| step(row)).map(|row| size(row)).collect();
            // What is no narrower says nothing more.
            if sizes.len() == before {
                continue;
            }
            before = sizes.len();
            let weight = sizes.len() as f64 / (sizes.len() as f64 + SHRINK);
            let Some(own) = quantile(sizes) else { break };
            // What is seen to be further off is taken as it is, what is seen to be nearer as far as it is seen often.
            ln = if own >= ln { own } else { weight * own + (1.0 - weight) * ln };
        }
        if !self.unseen(class, of).is_empty() {
            ln = ln.max(self.pooled);
        }
        HalfWidth { ln, cases: there.len() }
    }

    /// Under which of these conditions nothing of a class was measured, in words; nothing of one that was never validated. What is known of
    /// the others then holds only as far as what is known of all.
    pub fn unseen(&self, class: Class, of: Conditions) -> Vec<&'static str> {
        let there: Vec<&Residual> = self.rows.iter().filter(|row| row.class == class).collect();
        let lacks = |has: &dyn Fn(&Residual) -> bool| !there.is_empty() && !there.iter().any(|row| has(row));
        let mut all = Vec::new();
        if lacks(&|row| goes(row, of.moves)) {
            all.push(if of.moves == Moves::Read { "reads" } else { "writes" });
        }
        if lacks(&|row| row.bound == of.bound) {
            all.push(if of.bound == Bound::Memory { "from and to memory" } else { "at the pace of devices" });
        }
        if lacks(&|row| row.depth == of.depth) {
            all.push(if of.depth == Depth::One { "one at a time" } else { "several at a time" });
        }
        all
    }

    fn sizes(&self, of: impl Fn(&Residual) -> bool) -> Vec<f64> {
        self.rows.iter().filter(|row| of(row)).map(size).collect()
    }

    fn pooled_width(&self) -> f64 {
        let mut weighted: Vec<(f64, f64)> = Vec::new();
        let mut classes = 0.0;
        for &class in Class::ALL {
            let sizes = self.sizes(|row| row.class == class);
            if !sizes.is_empty() {
                classes += 1.0;
                let each = 1.0 / sizes.len() as f64;
                weighted.extend(sizes.into_iter().map(|size| (size, each)));
            }
        }
        weighted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut below = 0.0;
        let last = weighted.last().map_or(f64::INFINITY, |last| last.0);
        let found = weighted.into_iter().find(|(_, weight)| {
            below += weight;
            below >= LEVEL * classes - 1e-9
        });
        found.map_or(last, |(size, _)| size)
    }
}

/// Whether a row tells of what goes this way: what goes both ways is told by all, and tells of each.
fn goes(row: &Residual, moves: Moves) -> bool {
    moves == Moves::Both || row.moves == Moves::Both || row.moves == moves
}

/// How large a residual counts.
fn size(row: &Residual) -> f64 {
    row.ln_ratio.abs().max(FLOOR)
}

/// Of n sizes the ⌈0.9 (n + ½)⌉th, of a few the greatest; nothing of none.
fn quantile(mut sizes: Vec<f64>) -> Option<f64> {
    sizes.sort_by(f64::total_cmp);
    let rank = as_index(whole_part((LEVEL * (sizes.len() as f64 + 0.5) - 1e-9).ceil())).min(sizes.len());
    sizes.get(rank.checked_sub(1)?).copied()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const CONDITIONS: Conditions = Conditions { moves: Moves::Read, bound: Bound::Device, depth: Depth::One };

    fn row(class: Class, ln: f64) -> Residual {
        let of = (class, Of::Throughput);
        Residual::of(of, CONDITIONS, ("made up", String::new()), [ln.exp(), 1.0]).unwrap()
    }

    fn width(rows: &[Residual], class: Class) -> f64 {
        Residuals::of(rows.to_vec()).half_width(class, Of::Throughput, CONDITIONS).ln
    }

    /// Residuals of a spread, both ways.
    fn spread(class: Class, count: i32, most: f64) -> Vec<Residual> {
        let ln =
            |number: i32| most * f64::from(number + 1) / f64::from(count) * f64::from(1 - 2 * (number % 2));
        (0..count).map(|number| row(class, ln(number))).collect()
    }

    #[test]
    fn many_residuals_give_their_own_quantile_and_few_one_nearer_to_that_of_all() {
        let wide = spread(Class::Nfs, 100, 0.5);
        let of = |count| {
            let rows = [wide.clone(), spread(Class::Disk, count, 0.1)].concat();
            width(&rows, Class::Disk)
        };
        assert!((of(1_000) - 0.09).abs() < 0.005, "{}", of(1_000));
        assert!(of(3) > 0.2, "{}", of(3));
    }

    #[test]
    fn more_of_the_same_spread_is_no_wider() {
        let others = spread(Class::Nfs, 40, 0.3);
        for most in [0.05, 0.3, 0.9] {
            let mut before = f64::INFINITY;
            for times in [1, 2, 4, 8, 16] {
                let same = vec![spread(Class::Disk, 7, most); times].concat();
                let rows = [others.clone(), same].concat();
                let now = width(&rows, Class::Disk);
                assert!(now <= before + 1e-12, "{times} times 7 residuals up to {most}: {now}, not {before}");
                before = now;
            }
        }
    }

    #[test]
    fn what_was_never_validated_is_as_wide_as_the_widest() {
        let rows = [spread(Class::Nfs, 40, 0.3), spread(Class::Disk, 40, 0.9)].concat();
        let never = width(&rows, Class::Lustre);
        assert!(never >= width(&rows, Class::Nfs) && never >= width(&rows, Class::Disk), "{never}");
        assert_eq!(Residuals::of(rows).half_width(Class::Lustre, Of::Throughput, CONDITIONS).cases, 0);
    }

    #[test]
    fn conditions_under_which_nothing_was_measured_are_told_and_are_no_narrower_than_all() {
        let rows = [spread(Class::Nfs, 200, 0.3), spread(Class::Disk, 200, 0.02)].concat();
        let all = Residuals::of(rows);
        let several = Conditions { depth: Depth::Several, moves: Moves::Write, ..CONDITIONS };
        assert_eq!(all.unseen(Class::Disk, several), ["writes", "several at a time"]);
        assert!(
            all.unseen(Class::Disk, CONDITIONS).is_empty() && all.unseen(Class::Lustre, several).is_empty()
        );
        let width = |of| all.half_width(Class::Disk, Of::Throughput, of).ln;
        assert!(width(several) >= all.pooled() && width(CONDITIONS) < all.pooled(), "{}", width(several));
    }

    #[test]
    fn what_was_fitted_to_counts_for_nothing() {
        let rows = spread(Class::Disk, 20, 0.4);
        let mut more = rows.clone();
        more.extend(vec![row(Class::Disk, 0.0).fitted(); 200]);
        assert_eq!(width(&rows, Class::Disk), width(&more, Class::Disk));
    }

    #[test]
    fn a_row_is_read_as_it_was_written_and_what_is_none_is_told_by_its_line() {
        let rows = spread(Class::FileSystem, 3, 0.25);
        let lines = rows.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        let text = format!("# by hand\n{}\n{lines}\n", Residual::heading());
        let read = Residual::read(&text).unwrap();
        assert!(read.iter().zip(&rows).all(|(a, b)| (a.ln_ratio - b.ln_ratio).abs() < 1e-6), "{read:?}");
        let error = Residual::read(&text.replace("device,one", "device,two")).unwrap_err();
        assert_eq!((error.line, error.message.as_str()), (3, "\"two\" is no depth"));
        assert_eq!(Residual::read("class,figure\n").unwrap_err().line, 1);
    }
}
