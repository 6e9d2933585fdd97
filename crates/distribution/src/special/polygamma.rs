//! The derivatives of ln Γ.
//!
//! Source: Abramowitz and Stegun, "Handbook of Mathematical Functions" (1964), 6.3.5, 6.3.18, 6.4.6, 6.4.12: upward
//! recurrence, then the asymptotic series.

use libm::log;

/// ψ(x), the derivative of ln Γ(x), for x > 0.
pub(crate) fn digamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum -= 1.0 / x;
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let tail = y
        * (1.0 / 12.0
            - y * (1.0 / 120.0
                - y * (1.0 / 252.0 - y * (1.0 / 240.0 - y * (1.0 / 132.0 - y * 691.0 / 32_760.0)))));
    sum + log(x) - 0.5 / x - tail
}

/// ψ′(x), for x > 0.
pub(crate) fn trigamma(mut x: f64) -> f64 {
    let mut sum = 0.0;
    while x < 10.0 {
        sum += 1.0 / (x * x);
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let tail = y * (1.0 / 6.0 - y * (1.0 / 30.0 - y * (1.0 / 42.0 - y * (1.0 / 30.0 - y * 5.0 / 66.0))));
    sum + 1.0 / x + 0.5 * y + tail / x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn derivatives_of_the_logarithm_of_gamma_have_their_known_values() {
        // ψ(1) = −γ; ψ(1/2) = −γ − 2 ln 2; ψ′(1) = π²/6; ψ′(1/2) = π²/2.
        const EULER: f64 = 0.577_215_664_901_532_9;
        let square = std::f64::consts::PI * std::f64::consts::PI;
        assert!((digamma(1.0) + EULER).abs() < 1e-13);
        assert!((digamma(0.5) + EULER + 2.0 * std::f64::consts::LN_2).abs() < 1e-13);
        assert!((trigamma(1.0) - square / 6.0).abs() < 1e-13);
        assert!((trigamma(0.5) - square / 2.0).abs() < 1e-12);
    }
}
