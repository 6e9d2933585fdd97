//! fio's `random_distribution`: where random accesses go.

use super::FioError;
use super::options::Options;
use crate::program::accesses::PlaceSequence;
use crate::{Popularity, Zone};

/// So many places a sequence has at most, as in fio.
const SEQUENCE_MAX: usize = 64;
use petrio_units::Fraction;

/// `random_distribution=sequence:2,0,1`: places in an order.
pub(super) fn sequence(options: &mut Options) -> Result<Option<PlaceSequence>, FioError> {
    let advances = options.is_on("random_sequence_stride")?;
    let Some((list, line)) = options.places() else { return Ok(None) };
    let places: Option<Vec<u64>> = list.split([',', ':']).map(|place| place.trim().parse().ok()).collect();
    match places.filter(|places| places.len() <= SEQUENCE_MAX) {
        Some(places) => Ok(Some(PlaceSequence { places, advances })),
        None => {
            let problem = format!("random_distribution=sequence:{list} can't be read");
            Err(FioError::at(line, problem).with_help("up to 64 numbers of blocks, from 0: sequence:2,0,1"))
        }
    }
}

/// Which places are asked for more often than others; what isn't taken of it is told.
pub(super) fn popularity(
    options: &mut Options,
    remark: &mut dyn FnMut(u32, &str),
) -> Result<Option<Popularity>, FioError> {
    let Some(entry) = options.take(&["random_distribution"]) else { return Ok(None) };
    let (law, rest) = entry.value.split_once(':').unwrap_or((&entry.value, ""));
    let values: Vec<&str> = rest.split(':').map(str::trim).filter(|value| !value.is_empty()).collect();
    let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let percent = |text: &str| number(text).and_then(|number| Fraction::new(number / 100.0));
    let found = match law {
        "random" => return Ok(None),
        "zoned_abs" => {
            remark(entry.line, "zones of a size of their own are not taken: all places are equally likely");
            return Ok(None);
        }
        "zipf" => number(values.first().unwrap_or(&"1.1")).map(Popularity::Zipf),
        "pareto" => number(values.first().unwrap_or(&"0.2")).and_then(Fraction::new).map(Popularity::Pareto),
        "normal" => values.first().copied().and_then(percent).map(Popularity::Normal),
        "zoned" => zones(&values, percent).map(Popularity::Zones),
        _ => None,
    };
    if law != "zoned" && values.len() > 1 {
        remark(entry.line, "the centre of random_distribution is not taken: popular places lie all over");
    }
    let wrong = || {
        let help = "random, zipf:1.2, pareto:0.2, normal:10 and zoned:60/10:40/90 are understood";
        FioError::at(entry.line, format!("random_distribution={} can't be read", entry.value)).with_help(help)
    };
    let found = found.ok_or_else(wrong)?;
    // Whether it can be is the same for any number of places.
    found.picker(1 << 20).map_err(|problem| FioError::at(entry.line, problem))?;
    Ok(Some(found))
}

/// Zones such as 60/10: so many per cent of the accesses to so many per cent of the places. What is left out is shared
/// out evenly, as by fio.
fn zones(values: &[&str], percent: impl Fn(&str) -> Option<Fraction>) -> Option<Vec<Zone>> {
    let written: Vec<(Fraction, Option<Fraction>)> = values
        .iter()
        .map(|value| {
            let (accesses, places) = value.split_once('/').unwrap_or((value, ""));
            let places = if places.is_empty() { None } else { Some(percent(places)?) };
            Some((percent(accesses)?, places))
        })
        .collect::<Option<_>>()?;
    let left = 1.0 - written.iter().filter_map(|(_, places)| *places).map(Fraction::get).sum::<f64>();
    let open = written.iter().filter(|(_, places)| places.is_none()).count().max(1);
    let share = Fraction::new((left / open as f64).clamp(0.0, 1.0))?;
    Some(
        written
            .into_iter()
            .map(|(accesses, places)| Zone { accesses, places: places.unwrap_or(share) })
            .collect(),
    )
}
