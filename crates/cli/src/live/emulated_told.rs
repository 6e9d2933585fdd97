//! What `petrio emulate` says of its devices and of how it went.

use super::emulated_end::End;
use crate::failure::Failure;
use petrio_emulate::{DeviceSpec, Outcome};
use petrio_page::numbers::{bytes, counted, seconds};
use petrio_scenario::Loaded;
use petrio_units::Fraction;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// What an emulation exits with.
pub(super) fn conclude(end: End, outcome: &Outcome) -> Result<(), Failure> {
    if let Some(error) = &outcome.model_failed {
        return Err(Failure::Output(format!("the model failed on the way: {error}")));
    }
    match end {
        End::Command(Err(error)) => {
            return Err(Failure::Output(format!("the command can't be waited for: {error}")));
        }
        End::Command(Ok(status)) if !status.success() => return Err(Failure::Code(code_of(status))),
        End::Guest(Err(why)) => return Err(why),
        End::Guest(Ok(code)) if code != 0 => return Err(Failure::Code(code)),
        _ => {}
    }
    let found = &outcome.judgement;
    if found.valid {
        return Ok(());
    }
    let message = format!(
        "INVALID: {:.2} % of the requests came back on time, less than {:.0} %; the times of this run mean nothing",
        100.0 * found.share_on_time(),
        100.0 * found.wanted_share
    );
    let help = match outcome.real_time {
        true => {
            "leave the machine alone meanwhile, emulate a slower device, or allow more: --tolerance, --on-time"
        }
        false => {
            "run it as root, or with the right to real-time priorities (ulimit -r 40), on a machine that does nothing else"
        }
    };
    Err(Failure::Missed { message, help: help.to_owned() })
}

/// As shells have it.
fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

/// A device in a line.
pub(super) fn described(loaded: &Loaded, device: &DeviceSpec) -> String {
    let durability = device.durability;
    let keeps = match (durability.volatile, durability.room) {
        (false, _) => "what is reported as written is durable".to_owned(),
        (true, Some(room)) => format!(
            "up to {} of what is reported as written is lost with the power unless it is flushed",
            bytes(room)
        ),
        (true, None) => "what is reported as written is lost with the power unless it is flushed".to_owned(),
    };
    let disk = loaded.disks.iter().find(|disk| disk.name == device.name);
    let what = disk.map(|disk| format!(", {}", disk.device.parameters().name())).unwrap_or_default();
    format!("\"{}\"{what}: {}; {keeps}", device.name, bytes(device.bytes()))
}

/// How it went, in words.
pub(super) fn told_of(outcome: &Outcome, tolerance: Fraction) -> String {
    let found = &outcome.judgement;
    let mut text = format!(
        "  {}: {}, {}, {}, {}; {} failed\n",
        counted(found.requests, "request", "requests"),
        counted(found.reads, "read", "reads"),
        counted(found.writes, "write", "writes"),
        counted(found.flushes, "flush", "flushes"),
        counted(found.discards, "discard", "discards"),
        found.failed
    );
    for (at, counts) in &outcome.cuts {
        text.push_str(&format!(
            "  power cut at {}: of the reported writes that no flush had made durable {} lost, {} kept, {} torn\n",
            seconds(*at),
            counts.lost,
            counts.kept,
            counts.torn
        ));
    }
    if found.without_power > 0 {
        let none = if outcome.cuts.is_empty() {
            "under way at the end"
        } else {
            "without power, or under way at the end"
        };
        text.push_str(&format!("  {} {none}\n", counted(found.without_power, "request", "requests")));
    }
    if found.requests == 0 {
        return text;
    }
    text.push_str(&format!(
        "  at the mean they were to take {} and took {}\n",
        seconds(found.mean_target_us / 1e6),
        seconds(found.mean_actual_us / 1e6)
    ));
    text.push_str(&format!(
        "  late by {} at the median, {} of 99 of 100, {} at most; {:.2} % within {:.0} % or 100 us\n",
        seconds(found.late_median_us / 1e6),
        seconds(found.late_p99_us / 1e6),
        seconds(found.late_most_us / 1e6),
        100.0 * found.share_on_time(),
        100.0 * tolerance.get()
    ));
    text.push_str(if found.valid { "  valid: on time\n" } else { "  INVALID: not on time\n" });
    text
}
