//! The normal distribution's CDF and quantile.
//!
//! Source of the quantile: Wichura, "Algorithm AS 241: the percentage points of the normal distribution", Applied
//! Statistics 37 (1988), PPND16: about 16 digits.

use std::f64::consts::{SQRT_2, TAU};

/// The normal distribution's CDF: the chance of a standard normal number of `z` or less.
pub fn normal_cdf(z: f64) -> f64 {
    0.5 * libm::erfc(-z / SQRT_2)
}

/// φ(z).
pub(crate) fn normal_density(z: f64) -> f64 {
    libm::exp(-z * z / 2.0) / TAU.sqrt()
}

/// The standard normal number of which so large a part lies at or below; infinite at 0 and 1.
pub fn normal_quantile(p: f64) -> f64 {
    if p <= 0.0 {
        return f64::NEG_INFINITY;
    }
    if p >= 1.0 {
        return f64::INFINITY;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180625 - q * q;
        return q * ratio(r, &CENTRAL);
    }
    let r = (-libm::log(if q < 0.0 { p } else { 1.0 - p })).sqrt();
    let z = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &FAR) };
    if q < 0.0 { -z } else { z }
}

/// Numerator's and denominator's coefficients, the lowest power first.
type Rational = ([f64; 8], [f64; 8]);

fn ratio(r: f64, (above, below): &Rational) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |sum, c| sum * r + c);
    horner(above) / horner(below)
}

const CENTRAL: Rational = (
    [
        3.387_132_872_796_366_5,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_659_7e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
);

const MIDDLE: Rational = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR: Rational = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;
    use statrs::distribution::{ContinuousCDF, Normal};

    #[test]
    fn quantiles_lead_back_and_agree_with_another_implementation() {
        let oracle = Normal::standard();
        for p in [1e-300, 1e-20, 1e-9, 1e-3, 0.07, 0.2, 0.5, 0.8, 0.97, 0.9999] {
            let z = normal_quantile(p);
            assert!((normal_cdf(z) / p - 1.0).abs() < 1e-11, "{p}: {z}");
            if p > 1e-6 {
                assert!((z - oracle.inverse_cdf(p)).abs() < 1e-8, "{p}: {z}");
            }
        }
        // Tables: the 97.5 % point.
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
    }
}
