//! Monotone cubic interpolation.
//!
//! Source: Fritsch and Carlson, "Monotone piecewise cubic interpolation", SIAM Journal on Numerical Analysis 17 (1980);
//! the derivatives at inner points are Fritsch and Butland's weighted harmonic means (1984), at the ends the
//! three-point formula, limited so that nothing overshoots.

/// The derivative at each point; between two points the curve stays between their values.
pub(super) fn derivatives(x: &[f64], y: &[f64]) -> Vec<f64> {
    let n = x.len();
    let width: Vec<f64> = x.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let slope: Vec<f64> = y.windows(2).zip(&width).map(|(pair, width)| (pair[1] - pair[0]) / width).collect();
    if n == 2 {
        return vec![slope[0]; 2];
    }
    let mut found = vec![0.0; n];
    found[0] = end(width[0], width[1], slope[0], slope[1]);
    found[n - 1] = end(width[n - 2], width[n - 3], slope[n - 2], slope[n - 3]);
    for i in 1..n - 1 {
        if slope[i - 1] * slope[i] > 0.0 {
            let before = 2.0 * width[i] + width[i - 1];
            let after = width[i] + 2.0 * width[i - 1];
            found[i] = (before + after) / (before / slope[i - 1] + after / slope[i]);
        }
    }
    found
}

fn end(near: f64, next: f64, slope: f64, slope_next: f64) -> f64 {
    let derivative = ((2.0 * near + next) * slope - near * slope_next) / (near + next);
    if derivative * slope <= 0.0 {
        0.0
    } else if derivative.abs() > 3.0 * slope.abs() {
        // Beyond three times the secant a cubic is monotone no more.
        3.0 * slope
    } else {
        derivative
    }
}

/// The cubic between two points as coefficients of t from 0 to 1, the lowest power first.
pub(super) fn cubic(width: f64, values: (f64, f64), derivatives: (f64, f64)) -> [f64; 4] {
    let (y0, y1) = values;
    let (d0, d1) = (derivatives.0 * width, derivatives.1 * width);
    [y0, d0, 3.0 * (y1 - y0) - 2.0 * d0 - d1, 2.0 * (y0 - y1) + d0 + d1]
}
