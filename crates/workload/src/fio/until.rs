//! fio's `latency_target`, `steadystate` and `flow`: what ends a job, how deep it goes, or holds it up, by what it meets.

use super::FioError;
use super::options::{Options, size_of};
use super::values::time;
use crate::program::accesses::{FlowShare, LatencyTarget, SteadyFigure, SteadyState};
use petrio_time::Time;
use petrio_units::Fraction;

const SECOND: u64 = 1_000_000_000_000;
const MICROSECOND: u64 = 1_000_000;

/// A share beside other jobs.
pub(super) fn flow(options: &mut Options) -> Result<Option<FlowShare>, FioError> {
    let narrow =
        |number: Option<(u64, u32)>| number.map(|(number, _)| u32::try_from(number).unwrap_or(u32::MAX));
    let group = narrow(options.number(&["flow_id"])?).unwrap_or(0);
    let rest = options.time(&["flow_sleep"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time);
    options.take(&["flow_watermark"]);
    let weight = narrow(options.number(&["flow"])?).filter(|weight| *weight > 0);
    Ok(weight.map(|weight| FlowShare { weight, group, rest: rest.into() }))
}

/// How long accesses may take.
pub(super) fn latency_target(options: &mut Options) -> Result<Option<LatencyTarget>, FioError> {
    let latency = options.time(&["latency_target"], MICROSECOND)?.map(|(time, _)| time);
    let window = options.time(&["latency_window"], MICROSECOND)?.map_or(Time::ZERO, |(time, _)| time);
    let percent = options.take(&["latency_percentile"]);
    let keeps_on = options.is_on("latency_run")?;
    let Some(latency) = latency.filter(|latency| *latency > Time::ZERO) else { return Ok(None) };
    let share = match percent {
        None => Fraction::ONE,
        Some(entry) => {
            let share = entry.value.parse::<f64>().ok().and_then(|percent| Fraction::new(percent / 100.0));
            let problem = format!("latency_percentile={}: per cent are needed here, 0 to 100", entry.value);
            share.ok_or_else(|| FioError::at(entry.line, problem))?
        }
    };
    Ok(Some(LatencyTarget { latency: latency.into(), window: window.into(), share, keeps_on }))
}

/// What has to be steady for the job to end; without a duration, nothing.
pub(super) fn until_steady(
    options: &mut Options,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<Option<SteadyState>, FioError> {
    let span = |options: &mut Options, names: &[&str]| {
        Ok::<_, FioError>(options.time(names, SECOND)?.map(|(time, _)| time))
    };
    let window = span(options, &["steadystate_duration", "ss_dur"])?;
    let ramp = span(options, &["steadystate_ramp_time", "ss_ramp"])?.unwrap_or(Time::ZERO);
    let interval = span(options, &["steadystate_check_interval", "ss_interval"])?;
    let interval = interval.unwrap_or(Time::from_whole_seconds(1));
    let wanted = options.take(&["steadystate", "ss"]);
    let together = options.peek("group_reporting");
    let Some(window) = window.filter(|window| *window > Time::ZERO) else {
        if let Some(entry) = wanted {
            remark(entry.line, "steadystate without a duration (ss_dur) ends nothing, as in fio");
        }
        return Ok(None);
    };
    // fio's default.
    let (text, line) =
        wanted.map_or_else(|| ("iops_slope:0.01%".to_owned(), 0), |entry| (entry.value, entry.line));
    let wrong = || {
        let help = "write iops:2%, bw:5%, lat:10%, or iops_slope:0.3% and the like";
        FioError::at(line, format!("steadystate={text} can't be read")).with_help(help)
    };
    let (what, limit) = text.split_once(':').ok_or_else(wrong)?;
    let (figure, slope) = what.strip_suffix("_slope").map_or((what, false), |figure| (figure, true));
    let of = match figure {
        "iops" => SteadyFigure::Accesses,
        "bw" => SteadyFigure::Bytes,
        "lat" => SteadyFigure::Latency,
        _ => return Err(wrong()),
    };
    let base = options.kb_base();
    let (limit, absolute) = match limit.trim().strip_suffix('%') {
        Some(percent) => (percent.trim().parse().ok(), false),
        None => {
            let own = match of {
                SteadyFigure::Accesses => limit.trim().parse().ok(),
                SteadyFigure::Bytes => size_of(limit, base).map(|bytes| bytes as f64),
                SteadyFigure::Latency => time(limit, 1000).map(|time| time.as_seconds() * 1e9),
            };
            (own, true)
        }
    };
    let limit = limit.filter(|limit: &f64| limit.is_finite() && *limit > 0.0).ok_or_else(wrong)?;
    Ok(Some(SteadyState {
        of,
        slope,
        limit,
        absolute,
        window: window.into(),
        ramp: ramp.into(),
        interval: interval.into(),
        together,
    }))
}
