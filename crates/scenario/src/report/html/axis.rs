//! Axes: where a value lies on the page, and which values get a tick.

/// A straight axis from zero, or a logarithmic one.
#[derive(Clone, Debug)]
pub struct Axis {
    low: f64,
    high: f64,
    logarithmic: bool,
    /// Positions on the page of the low and the high end.
    from: f64,
    to: f64,
}

impl Axis {
    /// From `low` to `high` in equal steps.
    pub fn linear(low: f64, high: f64, from: f64, to: f64) -> Self {
        let high = if high > low { high } else { low + 1.0 };
        Self { low, high, logarithmic: false, from, to }
    }

    /// From `low` to `high` in equal ratios; both more than zero.
    pub fn logarithmic(low: f64, high: f64, from: f64, to: f64) -> Self {
        let low = low.max(1e-9);
        let high = if high > low { high } else { low * 10.0 };
        Self { low, high, logarithmic: true, from, to }
    }

    /// The position of a value, at the end of the axis if it lies beyond.
    pub fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            libm::log(value.max(self.low) / self.low) / libm::log(self.high / self.low)
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + part.clamp(0.0, 1.0) * (self.to - self.from)
    }

    /// Values for ticks, each with whether it gets a number.
    pub fn ticks(&self, wanted: u32) -> Vec<(f64, bool)> {
        if self.logarithmic {
            self.decades()
        } else {
            self.steps(wanted).into_iter().map(|tick| (tick, true)).collect()
        }
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
        let sparse = last - first > 7;
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
}
