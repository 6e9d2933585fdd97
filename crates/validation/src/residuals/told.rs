//! What the shipped table comes to, class by class, as `docs/how-sure.md` has it: how far predictions were off, how often the ranges
//! hold that follow, and what each class of model leaves out.

use petrio_scenario::report::sure::{Class, FLOOR, Residual, Residuals, ResidualsError};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A case that was left out, and what was said of it by all others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeftOutCase {
    /// Of which class it is.
    pub class: Class,
    /// The size of its error, as a logarithm.
    pub size: f64,
    /// The half-width of the range that the others give.
    pub half_width: f64,
}

impl LeftOutCase {
    /// Whether the range holds it.
    pub fn is_held(&self) -> bool {
        self.size <= self.half_width
    }
}

/// Leaves each out-of-sample row out in turn and predicts its range from all others, with the code of the reports.
pub fn left_out_in_turn(rows: &[Residual]) -> Vec<LeftOutCase> {
    let rows: Vec<&Residual> = rows.iter().filter(|row| !row.in_sample).collect();
    let each = |left: usize| {
        let row = rows[left];
        let others = rows.iter().enumerate().filter(|(index, _)| *index != left);
        let others = Residuals::of(others.map(|(_, &row)| row.clone()).collect());
        let half_width = others.half_width(row.class, row.figure, row.conditions()).ln;
        LeftOutCase { class: row.class, size: row.ln_ratio.abs(), half_width }
    };
    (0..rows.len()).map(each).collect()
}

/// The same with all rows of a validation left out at once: how often its cases are held by what others tell of their class, of how many,
/// for each class that several validations have.
pub fn studies_left_out_in_turn(rows: &[Residual]) -> Vec<(String, usize, usize)> {
    let rows: Vec<&Residual> = rows.iter().filter(|row| !row.in_sample).collect();
    let studies: BTreeSet<&str> = rows.iter().map(|row| row.study.as_str()).collect();
    let of = |study: &str| {
        let (left, others): (Vec<&Residual>, Vec<&Residual>) =
            rows.iter().partition(|row| row.study == study);
        let others = Residuals::of(others.into_iter().cloned().collect());
        let held = left.iter().filter(|row| {
            let width = others.half_width(row.class, row.figure, row.conditions());
            row.ln_ratio.abs() <= width.ln
        });
        (study.to_owned(), held.count(), left.len())
    };
    studies.into_iter().map(of).collect()
}

fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

/// "4.8 %" of the logarithm of a factor.
fn percent(ln: f64) -> String {
    format!("{:.1} %", libm::expm1(ln) * 100.0)
}

/// The shipped table in words and numbers, as Markdown.
///
/// # Errors
/// A table that is none: a bug.
pub fn told() -> Result<String, ResidualsError> {
    let rows = Residuals::shipped_rows()?;
    let shipped = Residuals::of(rows.clone());
    let cases = left_out_in_turn(&rows);
    let mut text = "| class | validations | figures | in sample | median error | nine in ten within | held when left out |\n\
                    | --- | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for &class in Class::ALL {
        let of = || rows.iter().filter(|row| row.class == class);
        let studies: BTreeSet<&str> = of().map(|row| row.study.as_str()).collect();
        let in_sample = of().filter(|row| row.in_sample).count();
        let cases: Vec<&LeftOutCase> = cases.iter().filter(|case| case.class == class).collect();
        let sizes: Vec<f64> = cases.iter().map(|case| case.size).collect();
        let Some(error) = median(sizes.clone()) else { continue };
        let nine = nine_in_ten(sizes);
        let held = cases.iter().filter(|case| case.is_held()).count();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {in_sample} | {} | {} | {held} of {} |",
            class.words(),
            studies.into_iter().collect::<Vec<_>>().join(", "),
            cases.len(),
            percent(error),
            percent(nine),
            cases.len()
        );
    }
    let held = cases.iter().filter(|case| case.is_held()).count();
    let widths = median(cases.iter().map(|case| case.half_width / class_error(&cases, case.class)).collect());
    let _ = writeln!(
        text,
        "\nOf all {} figures {held} ({:.1} %) lie in the range that the others give; half of the ranges are no wider, each way, than {:.1} times \
         their class's median error. A class that was never validated is taken to be off by {}.",
        cases.len(),
        held as f64 / cases.len() as f64 * 100.0,
        widths.unwrap_or(f64::NAN),
        percent(shipped.widest())
    );
    let studies = studies_left_out_in_turn(&rows);
    let each: Vec<String> =
        studies.iter().map(|(study, held, all)| format!("{study} {held} of {all}")).collect();
    let _ = writeln!(
        text,
        "\nWith a whole validation left out, its class is known from others or not at all, and as many of its figures are held: {}.",
        each.join(", ")
    );
    text.push_str("\n| class | figures | what its model leaves out |\n| --- | --- | --- |\n");
    for &class in Class::ALL {
        let count = cases.iter().filter(|case| case.class == class).count();
        let count = if count == 0 { "never validated".to_owned() } else { count.to_string() };
        let _ = writeln!(text, "| {} | {count} | {} |", class.words(), class.left_out());
    }
    Ok(text)
}

/// The median error of a class, no less than what measurements repeat to.
pub fn class_error(cases: &[LeftOutCase], class: Class) -> f64 {
    let of = cases.iter().filter(|case| case.class == class);
    median(of.map(|case| case.size.max(FLOOR)).collect()).unwrap_or(FLOOR)
}

fn nine_in_ten(mut sizes: Vec<f64>) -> f64 {
    sizes.sort_by(f64::total_cmp);
    let rank = (sizes.len() * 9).div_ceil(10);
    sizes.get(rank.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}
