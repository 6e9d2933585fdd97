//! Distributions given as tables: of densities, of cumulative values, or of a sample.

mod cumulative;
mod density;
mod guide;
mod hermite;
mod pieces;
mod smooth;
mod steps;

pub use cumulative::Interpolation;
pub use pieces::Pieces;
pub use steps::Steps;

use crate::error::{DistributionError, finite};

/// Refuses columns of different lengths, fewer than `least` rows, and numbers that aren't finite.
fn columns(
    family: &'static str,
    first: (&str, &[f64]),
    second: (&str, &[f64]),
    least: usize,
) -> Result<(), DistributionError> {
    let ((name, x), (other, y)) = (first, second);
    if x.len() != y.len() {
        let problem = format!(
            "{name} has {} numbers and {other} {}; they belong together one by one",
            x.len(),
            y.len()
        );
        return Err(DistributionError::new(family, "", problem));
    }
    if x.len() < least {
        let problem = format!("has {} numbers; at least {least} are needed", x.len());
        return Err(DistributionError::new(family, name, problem));
    }
    for (name, values) in [first, second] {
        for (index, &value) in values.iter().enumerate() {
            finite(family, &format!("{name}.{index}"), value)?;
        }
    }
    Ok(())
}

/// Refuses points that don't ascend.
fn ascending(family: &'static str, name: &str, x: &[f64]) -> Result<(), DistributionError> {
    match x.windows(2).position(|pair| pair[0] >= pair[1]) {
        None => Ok(()),
        Some(at) => {
            let problem =
                format!("is {}, after {}; each point must be above the one before", x[at + 1], x[at]);
            Err(DistributionError::new(family, &format!("{name}.{}", at + 1), problem))
        }
    }
}
