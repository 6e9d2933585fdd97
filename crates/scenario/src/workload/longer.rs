//! Counts and times that are so many times as long.

use petrio_units::Duration;
use petrio_units::numbers::whole_part;

pub(crate) fn count(own: u64, times: f64) -> u64 {
    whole_part((own as f64 * times).ceil())
}

pub(crate) fn count32(own: u32, times: f64) -> u32 {
    u32::try_from(count(own.into(), times)).unwrap_or(u32::MAX)
}

pub(crate) fn longer_count(own: &mut Option<u64>, times: f64) {
    *own = own.map(|own| count(own, times));
}

pub(crate) fn longer_span(own: &mut Option<Duration>, times: f64) {
    *own = own.map(|own| Duration::new(own.time().divided_by(1.0 / times)));
}
