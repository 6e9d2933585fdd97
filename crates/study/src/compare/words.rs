//! Differences in words: "B is better than A by 24 % ± 2 % (95 %)", "no difference shown (−0.3 % … +0.5 %)".

use super::Comparison;
use super::measure::Measure;
use super::pair::{Compared, Outcome, Pair};
use super::reason::{CauseChange, Reason, StageChange};
use super::statistics::{Method, Ratio};
use petrio_page::numbers::{per_cent, significant, time};
use petrio_scenario::report::Subject;
use petrio_units::numbers::{as_index, whole_part};

/// From here on a factor says more than per cents.
const FACTOR: f64 = 3.0;
/// An interval whose middle is further from the estimate than this part of its half-width is given by its ends.
const LOPSIDED: f64 = 0.1;
/// A cause that explains less of what changed isn't named.
const NOTICEABLE: f64 = 0.01;
/// Causes and stages that are named at most.
const MOST_NAMED: usize = 4;

/// A change in per cents, from a ratio: `+24.1 % ± 0.8 %`.
pub(super) fn change(ratio: Ratio) -> String {
    if ratio.value >= FACTOR {
        return format!("× {}", spread(ratio.value, ratio.low, ratio.high, 1.0, "", false));
    }
    if ratio.value <= 1.0 / FACTOR {
        let Ratio { value, low, high, .. } = ratio.inverse();
        return format!("÷ {}", spread(value, low, high, 1.0, "", false));
    }
    let less_one = |value: Option<f64>| value.map(|value| value - 1.0);
    spread(ratio.value - 1.0, less_one(ratio.low), less_one(ratio.high), 100.0, " %", true)
}

/// By how much the better one is better: `24 % ± 2 %`.
fn gain(winner_to_loser: Ratio, more_is_better: bool) -> String {
    let Ratio { value, low, high, .. } = winner_to_loser;
    if value >= FACTOR || value <= 1.0 / FACTOR {
        let factor = if more_is_better { winner_to_loser } else { winner_to_loser.inverse() };
        return format!("a factor of {}", spread(factor.value, factor.low, factor.high, 1.0, "", false));
    }
    if more_is_better {
        let less_one = |value: Option<f64>| value.map(|value| value - 1.0);
        return spread(value - 1.0, less_one(low), less_one(high), 100.0, " %", false);
    }
    let saved = |value: Option<f64>| value.map(|value| 1.0 - value);
    spread(1.0 - value, saved(high), saved(low), 100.0, " %", false)
}

/// A value with its interval, as many digits as the interval makes sense of.
fn spread(value: f64, low: Option<f64>, high: Option<f64>, scale: f64, unit: &str, signed: bool) -> String {
    let ends = low.zip(high).map(|(low, high)| (low * scale, high * scale));
    let value = value * scale;
    let Some((low, high)) = ends else {
        return format!("{}{unit}", sign(value, &significant(value.abs()), signed));
    };
    let half = (high - low) / 2.0;
    if half == 0.0 {
        return format!("{}{unit} ± 0{unit}", sign(value, &significant(value.abs()), signed));
    }
    let places = places(half);
    let figure = |value: f64, signed: bool| sign(value, &format!("{:.places$}", value.abs()), signed);
    if (f64::midpoint(low, high) - value).abs() > LOPSIDED * half {
        if unit.is_empty() {
            // The ends of a factor may be decades apart: each has digits of its own.
            return format!("{} ({} … {})", significant(value), significant(low), significant(high));
        }
        return format!(
            "{}{unit} ({} … {}{unit})",
            figure(value, signed),
            figure(low, signed),
            figure(high, signed)
        );
    }
    let width = figure(half, false);
    let nothing = width.chars().all(|character| character == '0' || character == '.');
    let width = if nothing { format!("< {}1", &width[..width.len() - 1]) } else { width };
    format!("{}{unit} ± {width}{unit}", figure(value, signed))
}

/// Decimal places that show a half-width with one digit, or two where the first is a one.
fn places(half: f64) -> usize {
    let power = libm::floor(libm::log10(half));
    let leading = half / libm::pow(10.0, power);
    let places = if leading < 1.95 { 1.0 - power } else { -power };
    as_index(whole_part(places.clamp(0.0, 4.0)))
}

fn sign(value: f64, digits: &str, signed: bool) -> String {
    let zero = digits.chars().all(|character| character == '0' || character == '.');
    match (value < 0.0 && !zero, signed && !zero) {
        (true, _) => format!("−{digits}"),
        (false, true) => format!("+{digits}"),
        (false, false) => digits.to_owned(),
    }
}

/// The change of a pair for a table: of the ratio where there is one, else in the measure's unit.
pub(super) fn change_of(measure: &Measure, pair: &Pair) -> String {
    match pair.statistics.ratio {
        Some(ratio) => change(ratio),
        None => {
            let change = pair.statistics.difference;
            let width =
                change.half_width.map(|width| format!(" ± {}", measure.value(width))).unwrap_or_default();
            format!("{}{width}", sign(change.value, &measure.value(change.value.abs()), true))
        }
    }
}

/// What a pair's change means, in a word or two.
pub(super) fn outcome(pair: &Pair) -> &'static str {
    match pair.outcome {
        Outcome::SecondBetter => "better",
        Outcome::FirstBetter => "worse",
        Outcome::TooSmall => "too small to matter",
        Outcome::NoDifference => "no difference shown",
        Outcome::Untold => "a single run",
    }
}

/// The verdict on a pair, as a sentence.
pub(super) fn verdict(comparison: &Comparison, compared: &Compared, pair: &Pair) -> String {
    let measure = &compared.measure;
    let level = per_cent(comparison.confidence);
    let what = measure.words(comparison.subject());
    let (first, second) = (&pair.first, &pair.second);
    let value = |letter: &str| {
        let index = comparison.contenders.iter().position(|contender| contender.letter == letter);
        let estimate = index.and_then(|index| compared.values.get(index).copied().flatten());
        estimate.map_or_else(|| "–".to_owned(), |estimate| measure.value(estimate.value))
    };
    let corrected = match pair.p_holm {
        // The interval is this pair's alone.
        Some(p) => format!("; p {} after Holm for {} pairs", probability(p), compared.pairs.len()),
        None => String::new(),
    };
    match pair.outcome {
        Outcome::FirstBetter | Outcome::SecondBetter => {
            let second_wins = pair.outcome == Outcome::SecondBetter;
            let (winner, loser) = if second_wins { (second, first) } else { (first, second) };
            let amount = match pair.statistics.ratio {
                Some(ratio) => {
                    gain(if second_wins { ratio } else { ratio.inverse() }, compared.more_is_better)
                }
                None => measure.value(pair.statistics.difference.value.abs()),
            };
            let certainty = match pair.statistics.method {
                Method::Exact => "exactly: nothing in them is random".to_owned(),
                Method::Paired | Method::Welch | Method::Single => format!("{level}{corrected}"),
            };
            format!(
                "{winner} is better than {loser} by {amount} ({certainty}): {what} {} instead of {}.",
                value(winner),
                value(loser)
            )
        }
        Outcome::TooSmall => format!(
            "{first} and {second} differ by {} in {what} ({level}{corrected}), which is less than the {} that would matter.",
            change_of(measure, pair),
            per_cent(comparison.relevant)
        ),
        Outcome::NoDifference if pair.statistics.difference.value == 0.0 => {
            format!("{first} and {second}: no difference shown, {what} {} in both.", value(first))
        }
        Outcome::NoDifference => {
            let ends = pair.statistics.ratio.and_then(|ratio| Some((ratio.low? - 1.0, ratio.high? - 1.0)));
            let range = match ends {
                Some((low, high)) => {
                    let places = places((high - low) * 50.0);
                    let end = |value: f64| sign(value, &format!("{:.places$}", value.abs() * 100.0), true);
                    format!("{} % … {} %, {level}", end(low), end(high))
                }
                None => format!("{}, {level}", change_of(measure, pair)),
            };
            format!("{first} and {second}: no difference shown in {what} ({range}{corrected}).")
        }
        Outcome::Untold => format!(
            "{second} against {first}: {what} {} instead of {}, {}; one of them is a single run, so nobody can tell how far that is chance.",
            value(second),
            value(first),
            change_of(measure, pair)
        ),
    }
}

/// How sure that is, and what pairing was worth.
pub(super) fn statistics(measure: &Measure, pair: &Pair) -> String {
    let found = &pair.statistics;
    let width =
        |width: Option<f64>| width.map_or_else(String::new, |width| format!(" ± {}", measure.value(width)));
    let size = measure.value(found.difference.value.abs());
    let change = sign(found.difference.value, &size, found.difference.value != 0.0);
    let p = match (pair.p_holm, found.p()) {
        (Some(p), _) => format!(", p {} after Holm", probability(p)),
        (None, Some(p)) => format!(", p {}", probability(p)),
        (None, None) => String::new(),
    };
    let freedom = |freedom: Option<f64>| {
        // Whole in a paired test; Welch's are a fraction of which one digit says enough.
        let degrees = freedom.map(|freedom| format!("{freedom:.1}"));
        degrees.map_or_else(String::new, |degrees| {
            format!(" ({} degrees of freedom)", degrees.trim_end_matches(".0"))
        })
    };
    match found.method {
        Method::Exact => format!("exact: {change}; every replication is the same"),
        Method::Single => format!("{change}, from a single run"),
        Method::Welch => format!(
            "Welch's t{}: {change}{}{p}",
            freedom(found.difference.freedom),
            width(found.difference.half_width)
        ),
        Method::Paired => {
            let beside = found
                .welch
                .map_or_else(String::new, |welch| format!("; unpaired (Welch){}", width(welch.half_width)));
            let gain = match found.variance_reduction {
                Some(factor) if factor >= 1.05 => {
                    format!("; common random numbers made the variance {} times smaller", significant(factor))
                }
                Some(factor) if factor <= 0.95 => format!(
                    "; common random numbers made the variance {} times larger",
                    significant(1.0 / factor)
                ),
                _ => String::new(),
            };
            format!(
                "paired t{}: {change}{}{p}{beside}{gain}",
                freedom(found.difference.freedom),
                width(found.difference.half_width)
            )
        }
    }
}

fn probability(p: f64) -> String {
    if p < 0.000_1 { "< 0.0001".to_owned() } else { format!("= {p:.4}") }
}

/// The causes of a difference, as a sentence; and the stages, as another.
pub(super) fn reason(reason: &Reason, subject: Subject) -> Vec<String> {
    let mut sentences = vec![causes(reason, subject)];
    let total: f64 = reason.stages.iter().map(|stage| (stage.second_ms - stage.first_ms).abs()).sum();
    let changed: Vec<String> = reason
        .stages
        .iter()
        .filter(|stage| (stage.second_ms - stage.first_ms).abs() > total * NOTICEABLE)
        .take(MOST_NAMED)
        .map(stage)
        .collect();
    if !changed.is_empty() {
        sentences.push(format!("Stages, time for each {}: {}.", subject.one(), changed.join("; ")));
    }
    let only = |letter: &str, parts: &[String]| {
        let (named, more) = parts.split_at(parts.len().min(2 * MOST_NAMED));
        let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
        (!parts.is_empty()).then(|| format!("Only {letter} has {}{more}.", named.join(", ")))
    };
    sentences.extend(only(&reason.first, &reason.only_first));
    sentences.extend(only(&reason.second, &reason.only_second));
    sentences
}

fn causes(reason: &Reason, subject: Subject) -> String {
    let (first, second) = (&reason.first, &reason.second);
    let change = reason.change_ms;
    let turmoil: f64 = reason.causes.iter().map(|cause| cause.change_ms.value.abs()).sum();
    if turmoil == 0.0 {
        return format!("No cause of the mean latency differs between {first} and {second}.");
    }
    let (with, against): (Vec<&CauseChange>, Vec<&CauseChange>) = reason
        .causes
        .iter()
        .filter(|cause| cause.change_ms.value.abs() > turmoil * NOTICEABLE)
        .partition(|cause| (cause.change_ms.value > 0.0) == (change > 0.0));
    let named = |causes: &[&CauseChange]| {
        let named: Vec<String> = causes
            .iter()
            .take(MOST_NAMED)
            .map(|cause| format!("{} {}", cause.cause, time(cause.change_ms.value.abs())))
            .collect();
        named.join(", ")
    };
    let (verb, of, opposite) = if change > 0.0 { ("adds", "to", "saves") } else { ("saves", "of", "adds") };
    let mut sentence =
        format!("{second} {verb} {} {of} the mean {} of {first}", time(change.abs()), subject.one());
    if !with.is_empty() {
        sentence.push_str(&format!(": {}", named(&with)));
    }
    if !against.is_empty() {
        sentence.push_str(&format!("; it {opposite} {}", named(&against)));
    }
    sentence.push('.');
    sentence
}

fn stage(stage: &StageChange) -> String {
    let busy = match (stage.first_utilisation, stage.second_utilisation) {
        (Some(first), Some(second)) if (first - second).abs() >= 0.001 => {
            format!(" (busy {} → {})", per_cent(first), per_cent(second))
        }
        _ => String::new(),
    };
    format!("{} {} → {}{busy}", stage.stage, time(stage.first_ms), time(stage.second_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ratio(value: f64, low: f64, high: f64) -> Ratio {
        Ratio { value, low: Some(low), high: Some(high), p: None }
    }

    #[test]
    fn changes_have_as_many_digits_as_their_interval_makes_sense_of() {
        assert_eq!(change(ratio(1.2413, 1.221, 1.2616)), "+24 % ± 2 %");
        assert_eq!(change(ratio(0.7613, 0.7600, 0.7626)), "−23.87 % ± 0.13 %");
        assert_eq!(change(ratio(1.3, 1.1, 1.6)), "+30 % (+10 … +60 %)");
        assert_eq!(change(ratio(5.12, 5.0, 5.24)), "× 5.12 ± 0.12");
        assert_eq!(change(ratio(0.2, 0.198, 0.202)), "÷ 5.00 ± 0.05");
        assert_eq!(change(ratio(17.0, 0.41, 712.0)), "× 17.0 (0.410 … 712)");
        assert_eq!(change(ratio(1.0, 1.0, 1.0)), "0 % ± 0 %");
        assert_eq!(change(ratio(1.001, 1.000_999_999, 1.001_000_001)), "+0.1000 % ± < 0.0001 %");
        assert_eq!(change(Ratio { value: 1.2, low: None, high: None, p: None }), "+20.0 %");
    }

    #[test]
    fn a_latency_that_falls_by_a_quarter_is_a_gain_of_a_quarter() {
        assert_eq!(gain(ratio(0.75, 0.73, 0.77), false), "25 % ± 2 %");
        assert_eq!(gain(ratio(1.24, 1.22, 1.26), true), "24 % ± 2 %");
        assert_eq!(gain(ratio(0.2, 0.198, 0.202), false), "a factor of 5.00 ± 0.05");
    }
}
