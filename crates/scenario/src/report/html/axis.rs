//! Axes: where a value lies on the page, and which values get a tick.

use crate::report::figures::{bytes, seconds, significant};

/// A straight axis from zero, or a logarithmic one.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    scale: Scale,
    /// Positions on the page of the low and the high end.
    from: f64,
    to: f64,
}

/// How values lie on an axis, and what its numbers look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scale {
    Linear,
    Logarithmic,
    /// Logarithmic, in powers of two: `4 KiB`.
    Bytes,
    /// Logarithmic, with the unit at each number: `10 ms`.
    Seconds,
}

impl Axis {
    /// From `low` to `high` in equal steps.
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, scale: Scale::Linear, from, to }
    }

    /// From `low` to `high` in equal ratios; both more than zero.
    pub fn logarithmic(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self::in_ratios(Scale::Logarithmic, low, high, from, to)
    }

    /// From `low` to `high` bytes in equal ratios, with ticks at powers of two.
    pub fn bytes(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self::in_ratios(Scale::Bytes, low.max(1.0), high, from, to)
    }

    /// From `low` to `high` seconds in equal ratios, with the unit at each number.
    pub fn seconds(low: f64, high: f64, from: f64, to: f64) -> Self {
        Self::in_ratios(Scale::Seconds, low, high, from, to)
    }

    fn in_ratios(scale: Scale, low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = low.max(1e-9);
        let high = if high > low { high } else { low * 10.0 };
        Self { low, high, scale, from, to }
    }

    /// The position of a value, at the end of the axis if it lies beyond.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.scale == Scale::Linear {
            (value - self.low) / (self.high - self.low)
        } else {
            libm::log(value.max(self.low) / self.low) / libm::log(self.high / self.low)
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Values for ticks, each with whether it gets a number.
    pub fn ticks(&self, wanted: u32) -> Vec<(f64, bool)> {
        match self.scale {
            Scale::Linear => self.steps(wanted).into_iter().map(|tick| (tick, true)).collect(),
            Scale::Logarithmic | Scale::Seconds => self.decades(),
            Scale::Bytes => self.doublings(),
        }
    }

    /// What stands at a tick: no more digits than it needs.
    pub fn label(&self, tick: f64) -> String {
        match self.scale {
            Scale::Linear | Scale::Logarithmic => number(tick),
            Scale::Bytes => whole(&bytes(tick as u64)),
            Scale::Seconds => whole(&seconds(tick)),
        }
    }

    /// Powers of two, of which so many get a number as have room.
    fn doublings(&self) -> Vec<(f64, bool)> {
        let (first, last) =
            (libm::ceil(libm::log2(self.low)) as i32, libm::floor(libm::log2(self.high)) as i32);
        let step = [1, 2, 3, 4, 5, 10, 20].into_iter().find(|step| (last - first) / step < 8).unwrap_or(20);
        (first..=last).map(|power| (libm::exp2(f64::from(power)), power % step == 0)).collect()
    }

    /// Multiples of 1, 2 or 5 times a power of ten.
    fn steps(&self, wanted: u32) -> Vec<f64> {
        let rough = (self.high - self.low) / f64::from(wanted.max(1));
        let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
        let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|&step| step >= rough);
        let step = step.unwrap_or(10.0 * power);
        let first = libm::ceil(self.low / step - 1e-9);
        (0..100)
            .map(|n| (first + f64::from(n)) * step)
            .take_while(|&tick| tick <= self.high * (1.0 + 1e-9))
            .collect()
    }

    /// 1 … 9 times each power of ten. Numbers stand at the powers; over less than two decades, at 2 and 5 as well.
    fn decades(&self) -> Vec<(f64, bool)> {
        let first = libm::floor(libm::log10(self.low)) as i32;
        let last = libm::ceil(libm::log10(self.high)) as i32;
        let short = self.high / self.low < 300.0;
        // Over many decades every other one gets a number, so that the numbers don't touch.
        let sparse = last - first > if self.scale == Scale::Seconds { 9 } else { 7 };
        let within = |tick: f64| tick >= self.low * 0.999_999 && tick <= self.high * 1.000_001;
        (first..=last)
            .flat_map(|power| {
                // Powers below one by division: 1/100,000 is the number that prints as 0.00001, its power is not.
                let scale = libm::pow(10.0, f64::from(power.abs()));
                let tick = move |digit: i32| {
                    if power < 0 { f64::from(digit) / scale } else { f64::from(digit) * scale }
                };
                (1..10).map(move |digit| (power, digit, tick(digit)))
            })
            .filter(|&(_, _, tick)| within(tick))
            .map(|(power, digit, tick)| {
                let numbered = digit == 1 && !(sparse && power % 2 != 0);
                (tick, numbered || (short && (digit == 2 || digit == 5)))
            })
            .collect()
    }
}

/// A number without zeros after the point.
fn number(value: f64) -> String {
    let text =
        if value != 0.0 && value.abs() < 0.001 { format!("{value:.0e}") } else { format!("{value:.4}") };
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if value.abs() >= 1_000.0 { significant(value) } else { short.to_owned() }
}

/// `4.00 KiB` as `4 KiB`.
fn whole(text: &str) -> String {
    match text.split_once(' ') {
        Some((figure, unit)) if figure.contains('.') => {
            format!("{} {unit}", figure.trim_end_matches('0').trim_end_matches('.'))
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        let axis = Axis::linear(0.0, 74.9, 0.0, 100.0);
        let ticks: Vec<f64> = axis.ticks(6).into_iter().map(|(tick, _)| tick).collect();
        assert_eq!(ticks, [0.0, 20.0, 40.0, 60.0]);
        let axis = Axis::logarithmic(0.9, 31.0, 0.0, 100.0);
        let numbered: Vec<f64> = axis.ticks(0).into_iter().filter(|tick| tick.1).map(|tick| tick.0).collect();
        assert_eq!(numbered, [1.0, 2.0, 5.0, 10.0, 20.0]);
        let axis = Axis::logarithmic(1e-5, 1e4, 0.0, 100.0);
        let numbered: Vec<String> =
            axis.ticks(0).into_iter().filter(|tick| tick.1).map(|tick| tick.0.to_string()).collect();
        assert_eq!(numbered, ["0.0001", "0.01", "1", "100", "10000"]);
        let axis = Axis::logarithmic(0.9, 31.0, 0.0, 100.0);
        assert_eq!(axis.at(0.9), 0.0);
        assert_eq!(axis.at(1e9), 100.0);
    }

    #[test]
    fn an_axis_of_no_length_is_given_one() {
        assert!(Axis::linear(0.0, 0.0, 0.0, 1.0).at(0.5).is_finite());
        assert!(Axis::logarithmic(5.0, 5.0, 0.0, 1.0).at(7.0).is_finite());
    }

    #[test]
    fn bytes_and_seconds_have_their_units_at_the_numbers() {
        let labels = |axis: &Axis| -> Vec<String> {
            axis.ticks(0).into_iter().filter(|tick| tick.1).map(|tick| axis.label(tick.0)).collect()
        };
        assert_eq!(
            labels(&Axis::bytes(512.0, 9e6, 0.0, 1.0)),
            ["1 KiB", "4 KiB", "16 KiB", "64 KiB", "256 KiB", "1 MiB", "4 MiB"]
        );
        assert_eq!(labels(&Axis::seconds(1e-4, 0.2, 0.0, 1.0)), ["0.1 ms", "1 ms", "10 ms", "100 ms"]);
    }
}
