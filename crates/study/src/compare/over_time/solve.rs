//! Least squares of a few unknowns, by Levenberg's and Marquardt's steps on differences (J. Nocedal & S. J. Wright, *Numerical Optimization*,
//! section 10.3), and how well each unknown is told.

/// Steps at most: of such few unknowns that are factors, five or six suffice.
const STEPS: usize = 12;
/// An unknown is changed by so much to see what it does; it is the logarithm of a factor.
const DIFFERENCE: f64 = 0.05;
/// No step changes an unknown by more: a factor of four.
const STEP_MOST: f64 = 1.386;
/// Steps below this change nothing that anybody sees.
const SETTLED: f64 = 1e-3;
/// How often a step is made shorter before it is given up.
const SHORTER: usize = 6;

/// What was found.
pub(super) struct Solved {
    /// The unknowns.
    pub(super) at: Vec<f64>,
    /// The standard error of each; infinite of what isn't told.
    pub(super) errors: Vec<f64>,
    /// How much all residuals change with each, as the root of their squares.
    pub(super) sensitivity: Vec<f64>,
}

/// Residuals, each divided by its standard error, at unknowns; nothing where these make no sense.
pub(super) type Residuals<'r, E> = dyn FnMut(&[f64]) -> Result<Option<Vec<f64>>, E> + 'r;

fn cost(residuals: &[f64]) -> f64 {
    residuals.iter().map(|residual| residual * residual).sum()
}

/// The unknowns for which the residuals are least, from nothing changed on. Nothing where they make no sense there.
pub(super) fn solve<E>(count: usize, residuals: &mut Residuals<'_, E>) -> Result<Option<Solved>, E> {
    let mut at = vec![0.0; count];
    let Some(mut now) = residuals(&at)? else { return Ok(None) };
    let mut damping = 1e-3;
    let mut columns = differences(&at, &now, residuals)?;
    for _ in 0..STEPS {
        let mut moved = 0.0;
        for _ in 0..SHORTER {
            let Some(step) = step(&columns, &now, damping) else {
                damping *= 10.0;
                continue;
            };
            let next: Vec<f64> =
                at.iter().zip(&step).map(|(at, step)| at + step.clamp(-STEP_MOST, STEP_MOST)).collect();
            match residuals(&next)? {
                Some(then) if cost(&then) < cost(&now) => {
                    moved = at.iter().zip(&next).map(|(from, to)| (to - from).abs()).fold(0.0, f64::max);
                    (at, now) = (next, then);
                    damping = (damping / 10.0_f64).max(1e-9);
                    break;
                }
                _ => damping *= 10.0,
            }
        }
        if moved < SETTLED {
            break;
        }
        columns = differences(&at, &now, residuals)?;
    }
    let freedom = now.len().saturating_sub(count).max(1) as f64;
    // Noise that is larger than it was thought to be makes errors larger, and none that is smaller makes them less.
    let noise = (cost(&now) / freedom).max(1.0);
    let errors = match inverse(normal(&columns, 0.0)) {
        Some(inverse) => {
            (0..count).map(|place| libm::sqrt((inverse[place][place] * noise).max(0.0))).collect()
        }
        None => vec![f64::INFINITY; count],
    };
    let sensitivity = columns.iter().map(|column| libm::sqrt(cost(column))).collect();
    Ok(Some(Solved { at, errors, sensitivity }))
}

/// How the residuals change with each unknown.
fn differences<E>(at: &[f64], now: &[f64], residuals: &mut Residuals<'_, E>) -> Result<Vec<Vec<f64>>, E> {
    (0..at.len())
        .map(|place| {
            for way in [DIFFERENCE, -DIFFERENCE] {
                let mut near = at.to_vec();
                near[place] += way;
                if let Some(then) = residuals(&near)? {
                    return Ok(then.iter().zip(now).map(|(then, now)| (then - now) / way).collect());
                }
            }
            // What can't be changed changes nothing.
            Ok(vec![0.0; now.len()])
        })
        .collect()
}

/// The normal equations' matrix, with each unknown held back by its own size.
fn normal(columns: &[Vec<f64>], damping: f64) -> Vec<Vec<f64>> {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut matrix: Vec<Vec<f64>> =
        columns.iter().map(|row| columns.iter().map(|column| product(row, column)).collect()).collect();
    for (place, row) in matrix.iter_mut().enumerate() {
        row[place] *= 1.0 + damping;
    }
    matrix
}

fn step(columns: &[Vec<f64>], now: &[f64], damping: f64) -> Option<Vec<f64>> {
    let inverse = inverse(normal(columns, damping))?;
    let slope: Vec<f64> =
        columns.iter().map(|column| column.iter().zip(now).map(|(a, b)| a * b).sum::<f64>()).collect();
    Some(inverse.iter().map(|row| -row.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>()).collect())
}

/// The inverse by Gauss and Jordan; nothing of a matrix that has none, for what its numbers are known to.
fn inverse(mut matrix: Vec<Vec<f64>>) -> Option<Vec<Vec<f64>>> {
    let count = matrix.len();
    let sizes: Vec<f64> = (0..count).map(|place| matrix[place][place]).collect();
    let mut inverse: Vec<Vec<f64>> =
        (0..count).map(|row| (0..count).map(|column| f64::from(u8::from(row == column))).collect()).collect();
    for column in 0..count {
        let pivot =
            (column..count).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()))?;
        matrix.swap(column, pivot);
        inverse.swap(column, pivot);
        let divisor = matrix[column][column];
        if divisor.abs() <= sizes[column] * 1e-9 || !divisor.is_finite() {
            return None;
        }
        for place in 0..count {
            matrix[column][place] /= divisor;
            inverse[column][place] /= divisor;
        }
        for row in (0..count).filter(|row| *row != column) {
            let factor = matrix[row][column];
            for place in 0..count {
                matrix[row][place] -= factor * matrix[column][place];
                inverse[row][place] -= factor * inverse[column][place];
            }
        }
    }
    Some(inverse)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::convert::Infallible;

    /// Times of a device that takes a + b·size, at sizes, against what they are by two factors.
    fn line(
        sizes: &'static [f64],
        truth: [f64; 2],
    ) -> impl FnMut(&[f64]) -> Result<Option<Vec<f64>>, Infallible> {
        move |at| {
            let time = |a: f64, b: f64, size: f64| a + b * size;
            let of = |size: &f64| {
                let measured = time(truth[0], truth[1], *size);
                (time(libm::exp(at[0]), libm::exp(at[1]), *size) / measured).ln() / 0.01
            };
            Ok(Some(sizes.iter().map(of).collect()))
        }
    }

    #[test]
    fn the_two_parts_of_a_line_are_found() {
        let found = solve(2, &mut line(&[0.5, 1.0, 2.0, 8.0], [3.0, 0.25])).unwrap().unwrap();
        assert!((libm::exp(found.at[0]) - 3.0).abs() < 1e-3, "{:?}", found.at);
        assert!((libm::exp(found.at[1]) - 0.25).abs() < 1e-3, "{:?}", found.at);
        assert!(found.errors.iter().all(|error| *error < 0.1), "{:?}", found.errors);
    }

    #[test]
    fn of_one_size_the_parts_are_not_told() {
        let found = solve(2, &mut line(&[1.0, 1.0, 1.0], [3.0, 0.25])).unwrap().unwrap();
        assert!(found.errors.iter().any(|error| *error > 0.3), "{:?}", found.errors);
    }

    #[test]
    fn what_changes_nothing_is_not_told() {
        let mut only_first =
            |at: &[f64]| Ok::<_, Infallible>(Some(vec![(at[0] - 1.0) / 0.01, (at[0] - 1.0) / 0.01]));
        let found = solve(2, &mut only_first).unwrap().unwrap();
        assert!(found.errors[1].is_infinite() && found.sensitivity[1] == 0.0);
    }
}
