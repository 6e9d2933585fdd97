//! The network as TOML: a table that a scenario takes, each figure with how it was found and how far it spread.

use super::super::spread::Quartiles;
use super::fit::{Fitted, Limit};
use super::measurements::Streams;
use super::protocol::About;
use super::show::{in_bits, in_time, sizes};
use super::{NetworkCalibration, Residual};
use petrio_models::network::{Duplex, HostCosts, LinkParameters};
use petrio_units::{Duration, Rate};
use std::fmt::Write;
use std::time::{SystemTime, UNIX_EPOCH};

impl NetworkCalibration {
    /// A `[network.NAME]` for a scenario, with what was measured in its comments.
    pub fn to_toml(&self, name: &str) -> String {
        let mut text = String::new();
        // Writing into a string can't fail.
        let _ = self.write_head(&mut text, name).and_then(|()| self.write_table(&mut text, name));
        text
    }

    fn write_head(&self, out: &mut String, name: &str) -> std::fmt::Result {
        let (effort, ends) = (&self.effort, &self.ends);
        writeln!(out, "# A network, measured by petrio calibrate --network on {}.", date(self.when))?;
        writeln!(out, "#")?;
        writeln!(out, "# From {} at {}", who(&ends.client), ends.from)?;
        writeln!(out, "# to   {} at {}.", who(&ends.server), ends.to)?;
        if let Some(between) = &ends.between {
            writeln!(out, "# Between them: {between}.")?;
        }
        let framing = self.measured.framing;
        let time_stamps = if ends.client.time_stamps && ends.server.time_stamps { "with" } else { "without" };
        writeln!(out, "# The path's MTU is {}, TCP {time_stamps} time stamps.", framing.mtu.get())?;
        writeln!(out, "#")?;
        writeln!(
            out,
            "# Figures were taken in turns, {} times each; behind one stand the median and, in parentheses, the quartiles.",
            effort.turns
        )?;
        writeln!(
            out,
            "# The network is made of the lower quartiles of times, which are less disturbed, and of the medians of rates."
        )?;
        let to_and_fro: Vec<u64> = effort.messages.iter().map(|&bytes| bytes.into()).collect();
        writeln!(out, "# Messages of {} went to and fro.", sizes(&to_and_fro))?;
        let streams: Vec<u64> =
            std::iter::once(&effort.small).chain(&effort.streams).map(|&bytes| bytes.into()).collect();
        writeln!(
            out,
            "# Messages of {} streamed for {} ms at a time, of which the first third isn't counted.",
            sizes(&streams),
            effort.stream_time.as_millis()
        )?;
        writeln!(out, "#")?;
        writeln!(
            out,
            "# Put this into a scenario. Without the line [network.{name}] it is a file that a network names:"
        )?;
        writeln!(
            out,
            "# [network.{name}] with use = \"THIS FILE\". `petrio schema network` explains each figure."
        )?;
        writeln!(out)
    }

    fn write_table(&self, out: &mut String, name: &str) -> std::fmt::Result {
        let Fitted { parameters, log_gp, line, .. } = &self.fitted;
        writeln!(out, "[network.{name}]")?;
        self.write_link(out, &parameters.link)?;
        let framing = parameters.framing();
        let overhead = framing.frame_overhead.get();
        let where_from = if overhead == super::ends::NO_WIRE.get() { "there is no wire" } else { "Ethernet" };
        writeln!(
            out,
            "\n# The MTU and the headers as the ends have them; beside a packet a frame has {overhead} B: {where_from}."
        )?;
        writeln!(
            out,
            "framing = {{ mtu = \"{}\", packet_headers = \"{}\", frame_overhead = \"{}\" }}",
            framing.mtu, framing.packet_headers, framing.frame_overhead
        )?;
        self.write_costs(out, &parameters.host_costs())?;
        writeln!(out)?;
        let interval = in_time(log_gp.gap_ns);
        let small = self.measured.small.bytes;
        if parameters.gap == Duration::ZERO {
            writeln!(
                out,
                "# No gap: messages of {small} B stream {interval} apart, which their costs and frames explain."
            )?;
        } else {
            writeln!(out, "# Messages of {small} B stream {interval} apart.")?;
            writeln!(out, "gap = \"{}\"", parameters.gap)?;
        }
        writeln!(
            out,
            "\n# LogGP: L {}, o {} to send and {} to receive, g {interval}, G {:.4} ns a byte.",
            in_time(log_gp.latency_ns),
            in_time(log_gp.send_ns),
            in_time(log_gp.receive_ns),
            log_gp.byte_ns
        )?;
        writeln!(
            out,
            "# Half of a round trip is {} and {:.4} ns a byte (Theil–Sen). What it was, and what the above makes of it:",
            in_time(line.begin),
            line.slope
        )?;
        for residual in &self.fitted.residuals {
            writeln!(out, "{}", residual_line(*residual))?;
        }
        writeln!(out, "# The residual is {:.1} % in the median.", self.fitted.residual() * 100.0)
    }

    fn write_link(&self, out: &mut String, link: &LinkParameters) -> std::fmt::Result {
        let measured = &self.measured;
        writeln!(
            out,
            "# The rate is goodput and what frames carry beside it; goodput of messages by size was"
        )?;
        for (way, all) in [("forth", &measured.forth), ("back", &measured.back)] {
            for streams in all {
                writeln!(out, "#   {:>7} B {way:<5}  {}", streams.bytes, goodput(streams))?;
            }
        }
        writeln!(out, "#   {:>7} B both   {} together.", measured.both.bytes, goodput(&measured.both))?;
        if self.fitted.limit == Limit::Processors {
            writeln!(out, "# The processors were what kept it from being more: the link may be faster.")?;
        }
        if !self.fitted.duplex_is_known {
            writeln!(out, "# They kept both directions from being more, too: full duplex is assumed.")?;
        }
        writeln!(
            out,
            "# The latency is what half of a round trip of a small message leaves beside costs and time on the wire,"
        )?;
        writeln!(out, "# of each of two links with a switch between them.")?;
        write!(out, "link = {{ rate = \"{}\", latency = \"{}\"", written(link.rate), link.latency)?;
        if link.duplex == Duplex::Half {
            write!(out, ", duplex = \"half\"")?;
        }
        if let Some(bucket) = link.bucket {
            write!(out, ", bucket = \"{bucket}\"")?;
        }
        writeln!(out, " }}")
    }

    fn write_costs(&self, out: &mut String, costs: &HostCosts) -> std::fmt::Result {
        let measured = &self.measured;
        writeln!(
            out,
            "\n# Time of the thread's processor, of both ends. A message to and fro, by size, to send and to receive:"
        )?;
        for trips in measured.round_trips.iter().filter(|trips| !trips.send_ns.is_empty()) {
            let of = |figures: &[f64]| spread(Quartiles::of(figures.iter().copied()), in_time);
            writeln!(out, "#   {:>7} B  {}  {}", trips.bytes, of(&trips.send_ns), of(&trips.receive_ns))?;
        }
        if self.fitted.hidden > 0.0 {
            writeln!(
                out,
                "# That is more than half of a round trip, so {:.0} % of it passes while nobody waits, and isn't in the costs.",
                self.fitted.hidden * 100.0
            )?;
        }
        writeln!(out, "# A KiB of a stream, whose receiver is woken up as it comes, beside it:")?;
        for streams in measured.forth.iter().chain(&measured.back) {
            let kib = |figures: &[f64]| {
                spread(Quartiles::of(figures.iter().map(|byte_ns| byte_ns * 1024.0)), in_time)
            };
            let (send, receive) = (kib(&streams.send_byte_ns), kib(&streams.receive_byte_ns));
            writeln!(out, "#   {:>7} B  {send}  {receive}", streams.bytes)?;
        }
        writeln!(
            out,
            "costs = {{ send = \"{}\", receive = \"{}\", send_kib = \"{}\", receive_kib = \"{}\" }}",
            costs.send, costs.receive, costs.send_kib, costs.receive_kib
        )
    }
}

fn goodput(streams: &Streams) -> String {
    spread(streams.figure(), in_bits)
}

/// In bits, where that says it all.
fn written(rate: Rate) -> String {
    let in_bits = in_bits(rate.bytes_per_second());
    let is_near = |read: Rate| (read.bytes_per_second() / rate.bytes_per_second() - 1.0).abs() < 1e-9;
    if in_bits.parse().is_ok_and(is_near) { in_bits } else { rate.to_string() }
}

/// "191.2 Mbit/s (191.0 Mbit/s–191.3 Mbit/s)".
fn spread(figure: Option<Quartiles>, text: fn(f64) -> String) -> String {
    match figure {
        None => "not measured".to_owned(),
        Some(Quartiles { lower, median, upper, .. }) => {
            format!("{} ({}–{})", text(median), text(lower), text(upper))
        }
    }
}

fn residual_line(residual: Residual) -> String {
    let Residual { bytes, measured_ns, model_ns } = residual;
    let off = residual.off() * 100.0;
    format!("#   {bytes:>7} B  {:>9}  {:>9}  {off:+.1} %", in_time(measured_ns), in_time(model_ns))
}

/// "node7 (Linux 6.1, 8 × a processor, congestion control cubic)".
fn who(about: &About) -> String {
    let About { host, kernel, processor, processors, congestion, .. } = about;
    format!("{host} (Linux {kernel}, {processors} × {processor}, congestion control {congestion})")
}

/// "2026-11-23, 18:31 UTC", by Howard Hinnant's `civil_from_days`.
fn date(when: SystemTime) -> String {
    let seconds = when.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let (days, minutes) = (seconds / 86_400 + 719_468, seconds % 86_400 / 60);
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    format!("{year}-{month:02}-{day:02}, {:02}:{:02} UTC", minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let of = |seconds| date(UNIX_EPOCH + std::time::Duration::from_secs(seconds));
        assert_eq!(of(0), "1970-01-01, 00:00 UTC");
        assert_eq!(of(951_782_400), "2000-02-29, 00:00 UTC");
        assert_eq!(of(1_795_458_600), "2026-11-23, 18:30 UTC");
    }
}
