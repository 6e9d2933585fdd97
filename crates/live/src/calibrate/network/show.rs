//! The network as a person reads it at once: a few lines and a table.

use super::NetworkCalibration;
use super::fit::Limit;
use super::robust::median;
use petrio_models::network::Duplex;
use petrio_units::Duration;
use std::fmt::Write;

impl NetworkCalibration {
    /// The network in a few lines, and its round trips as measured and as the model has them.
    pub fn to_table(&self) -> String {
        let mut text = String::new();
        // Writing into a string can't fail.
        let _ = self.write_figures(&mut text).and_then(|()| self.write_round_trips(&mut text));
        text
    }

    fn write_figures(&self, out: &mut String) -> std::fmt::Result {
        let parameters = &self.fitted.parameters;
        let (link, costs) = (&parameters.link, &parameters.host_costs());
        writeln!(out, "{} to {}", self.ends.client.host, self.ends.server.host)?;
        if let Some(between) = &self.ends.between {
            writeln!(out, "  {between}")?;
        }
        let rate = in_bits(link.rate.bytes_per_second());
        let at_least = if self.fitted.limit == Limit::Processors {
            ", or more: processors were at their limit"
        } else {
            ""
        };
        writeln!(out, "  rate       {rate}{at_least}")?;
        let way = |streams: &[super::Streams]| {
            let last = streams.iter().max_by_key(|streams| streams.bytes).and_then(super::Streams::figure);
            last.map_or("none".to_owned(), |figure| in_bits(figure.median))
        };
        let both = way(std::slice::from_ref(&self.measured.both));
        let duplex = match (link.duplex, self.fitted.duplex_is_known) {
            (Duplex::Half, _) => "half duplex",
            (Duplex::Full, true) => "full duplex",
            (Duplex::Full, false) => "full duplex assumed: processors were at their limit",
        };
        writeln!(
            out,
            "  goodput    {} forth, {} back, {both} both ways at once ({duplex})",
            way(&self.measured.forth),
            way(&self.measured.back)
        )?;
        writeln!(out, "  latency    {} on each of two links", written(link.latency))?;
        writeln!(out, "  to send    {} a message, {} a KiB", written(costs.send), written(costs.send_kib))?;
        writeln!(
            out,
            "  to receive {} a message, {} a KiB",
            written(costs.receive),
            written(costs.receive_kib)
        )?;
        let interval = in_time(self.fitted.log_gp.gap_ns);
        let gap =
            if parameters.gap == Duration::ZERO { "as their costs have it" } else { "a gap of their own" };
        writeln!(
            out,
            "  gap        {interval} between messages of {} B in a stream, {gap}",
            self.measured.small.bytes
        )
    }

    fn write_round_trips(&self, out: &mut String) -> std::fmt::Result {
        writeln!(out, "\n  round trip      median        99 %       count        used       model      off")?;
        for (trips, residual) in self.measured.round_trips.iter().zip(&self.fitted.residuals) {
            let p99 = median(trips.p99_ns.iter().copied()).unwrap_or(0.0);
            writeln!(
                out,
                "  {:>8} B  {:>10}  {:>10}  {:>10}  {:>10}  {:>10}  {:>+5.1} %",
                residual.bytes,
                in_time(median(trips.median_ns.iter().copied()).unwrap_or(0.0)),
                in_time(p99),
                trips.count,
                in_time(2.0 * residual.measured_ns),
                in_time(2.0 * residual.model_ns),
                residual.off() * 100.0
            )?;
        }
        writeln!(out, "  used: what a quarter of the turns were below; model: what the network makes of it")
    }
}

/// "12.34 us".
fn written(span: Duration) -> String {
    in_time(span.as_seconds() * 1e9)
}

/// Nanoseconds to four digits, in a unit that suits them.
pub(super) fn in_time(ns: f64) -> String {
    suited(ns, &[("ns", 1.0), ("us", 1e3), ("ms", 1e6), ("s", 1e9)])
}

/// Bytes a second as bits a second.
pub(super) fn in_bits(bytes_per_second: f64) -> String {
    suited(bytes_per_second * 8.0, &[("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9)])
}

/// The largest unit of which there is at least one, or else the smallest.
fn suited(figure: f64, units: &[(&str, f64)]) -> String {
    let fits = units.iter().rev().find(|(_, size)| figure >= *size).or(units.first());
    let (unit, size) = fits.copied().unwrap_or(("", 1.0));
    let value = figure / size;
    let digits = if value >= 100.0 {
        1
    } else if value >= 10.0 {
        2
    } else {
        3
    };
    format!("{value:.digits$} {unit}")
}

/// "1, 60 and 250 B".
pub(super) fn sizes(bytes: &[u64]) -> String {
    let words: Vec<String> = bytes.iter().map(u64::to_string).collect();
    match words.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last} B", before.join(", ")),
        _ => format!("{} B", words.join("")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_units_that_suit_them() {
        assert_eq!(in_time(0.25), "0.250 ns");
        assert_eq!(in_time(12_345.0), "12.35 us");
        assert_eq!(in_bits(25e6), "200.0 Mbit/s");
        assert_eq!(sizes(&[1, 60, 250]), "1, 60 and 250 B");
        assert_eq!(sizes(&[1]), "1 B");
    }
}
