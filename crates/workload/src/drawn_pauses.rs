//! Workloads whose processes pause equally long each time, with pauses drawn around the same means: whoever wants to know what
//! staying in step costs them holds the two against each other.

use crate::program::{PatternParameters, ScriptParameters};
use crate::synthetic::Synthetic;
use petrio_distribution::{Draw, DrawFamily};
use petrio_time::Time;
use petrio_units::numbers::whole_part;
use petrio_units::{Amount, Duration};

/// What several processes do who may stay in step.
pub trait PausesDrawn {
    /// Draws the pauses of several processes that are always as long; whether there were any.
    fn draw_pauses(&mut self) -> bool;
}

/// A constant time above nothing as one that is drawn around it: exponentially distributed.
fn exponential(constant: &mut Draw<Duration>) -> Option<Duration> {
    let Draw(DrawFamily::Constant(mean)) = *constant else { return None };
    if mean.finest() <= 0.0 {
        return None;
    }
    *constant = Draw(DrawFamily::Exponential { base: Amount::ZERO, mean });
    Some(Duration::new(Time::from_picos(whole_part(mean.finest()))))
}

impl PausesDrawn for PatternParameters {
    fn draw_pauses(&mut self) -> bool {
        if self.processes < 2 {
            return false;
        }
        let Some(mean) = exponential(&mut self.think_time) else { return false };
        if self.starts_within == Duration::ZERO {
            self.starts_within = mean;
        }
        true
    }
}

impl PausesDrawn for Synthetic {
    fn draw_pauses(&mut self) -> bool {
        if self.generators.len() < 2 {
            return false;
        }
        let mut changed = false;
        for generator in &mut self.generators {
            changed |= exponential(&mut generator.inter_arrival).is_some();
            for own in [&mut generator.sequential_inter_arrival, &mut generator.local_inter_arrival] {
                changed |= own.as_mut().and_then(exponential).is_some();
            }
        }
        changed
    }
}

impl PausesDrawn for ScriptParameters {
    fn draw_pauses(&mut self) -> bool {
        if self.processes < 2 {
            return false;
        }
        let mut drawn = String::with_capacity(self.script.len());
        let mut thinks = false;
        let ends = |character: char| character.is_whitespace() || character == ';';
        for word in self.script.split_inclusive(ends) {
            let is_blank = word.trim().is_empty();
            if thinks && !is_blank && word.trim() != "about" {
                drawn.push_str("about ");
            }
            thinks = word.trim() == "think" || thinks && is_blank;
            drawn.push_str(word);
        }
        let changed = drawn != self.script;
        self.script = drawn;
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_pauses_of_several_are_drawn_and_no_others() {
        let mut script =
            ScriptParameters::new("create a\nthink 2 s; append a 4 KiB\nthink  about 1 s;think 5 ms");
        assert!(!script.draw_pauses(), "one process waits for no other");
        script.processes = 3;
        assert!(script.draw_pauses());
        assert_eq!(
            script.script,
            "create a\nthink about 2 s; append a 4 KiB\nthink  about 1 s;think about 5 ms"
        );
        let own = script.script.clone();
        assert!(!script.draw_pauses() && script.script == own);
    }
}
