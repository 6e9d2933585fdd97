//! The inverse of an increasing function by Newton's steps inside a bracket.

/// The x between `low` and `high` at which the non-decreasing `cdf` reaches `p`, by Newton's method from `guess` with
/// bisection wherever a step leaves the bracket (as `rtsafe` of "Numerical Recipes" does). To the last bits of x, or of
/// p where the function is flat.
pub(crate) fn invert(
    p: f64,
    guess: f64,
    mut low: f64,
    mut high: f64,
    cdf: impl Fn(f64) -> f64,
    density: impl Fn(f64) -> f64,
) -> f64 {
    let mut x = guess.clamp(low, high);
    // Bisection alone is done after some 1100 halvings at the very worst; Newton's steps need fewer than ten.
    let mut width_before = f64::INFINITY;
    for step in 0..1_200 {
        let error = cdf(x) - p;
        if error == 0.0 {
            return x;
        }
        if error < 0.0 {
            low = x;
        } else {
            high = x;
        }
        let newton = x - error / density(x);
        // Every third step halves the bracket where Newton's steps don't: a cusp of the density can lead them astray.
        let stuck = step % 3 == 2 && high - low > 0.5 * width_before;
        if step % 3 == 2 {
            width_before = high - low;
        }
        let next = if newton > low && newton < high && !stuck { newton } else { f64::midpoint(low, high) };
        if next == x || (next - x).abs() <= f64::EPSILON * x.abs() || next <= low || next >= high {
            return next;
        }
        x = next;
    }
    x
}

#[cfg(test)]
mod tests {
    use super::invert;

    #[test]
    fn a_cube_root_is_found_from_a_bad_guess() {
        let root = invert(0.125, 0.9, 0.0, 1.0, |x| x * x * x, |x| 3.0 * x * x);
        assert!((root - 0.5).abs() < 1e-15);
    }

    #[test]
    fn a_step_function_gives_the_place_of_its_step() {
        let x = invert(0.5, 0.1, 0.0, 1.0, |x| f64::from(u8::from(x >= 0.7)), |_| 0.0);
        assert!((x - 0.7).abs() < 1e-12, "{x}");
    }
}
