//! Every solid-state drive of the catalogue against its own sheet: at the sheet's points it is what the sheet says, and nowhere more.

use crate::common::once_of;
use petrio_models::device::ssd::SsdParameters;
use petrio_scenario::catalogue::{Device, devices};
use petrio_scenario::load_text;

fn drives() -> Vec<(&'static str, SsdParameters)> {
    let ssd = |(key, device)| match device {
        Device::Ssd(sheet) => Some((key, *sheet)),
        _ => None,
    };
    devices().unwrap().into_iter().filter_map(ssd).collect()
}

/// Requests a second of accesses of so many bytes, with so many always under way. Memory for writes is small, so that a short run is
/// long.
fn per_second(
    drive: &str,
    (operation, order): (&str, &str),
    (kib, depth, requests): (u64, u32, u64),
) -> (f64, f64) {
    let text = format!(
        "[disk.d]\nmodel = \"{drive}\"\nqueue_depth = {depth}\ndrive.write_cache.size = \"1 MiB\"\n\
         [workload.w]\nkind = \"device-accesses\"\non = [\"d\"]\noperation = \"{operation}\"\norder = \"{order}\"\n\
         record = \"{kib} KiB\"\nin_flight = {depth}\nengine = \"io-uring\"\narea = \"16 GiB\"\naccesses = {requests}\n"
    );
    let report = &once_of(&load_text(drive, &text, None, &[]).unwrap());
    let latency = report.each().next().unwrap().latency.as_ref().unwrap().mean_ms.value * 1e3;
    (report.each().next().unwrap().requests_per_s.value, latency)
}

#[test]
fn drives_of_the_catalogue_are_what_their_sheets_say() {
    let all = drives();
    assert!(all.len() >= 40, "{}", all.len());
    for (drive, sheet) in all {
        let depth =
            |depth: Option<u32>| depth.unwrap_or(256).min(sheet.queue_depth.unwrap_or(1_023)).min(512);
        let near = |what: &str, part: f64, (least, most): (f64, f64)| {
            assert!(part <= most && part >= least, "{drive}, {what}: {part} of the sheet's");
        };
        let reads = depth(sheet.random_read.depth);
        let random = per_second(drive, ("read", "random"), (4, reads, 6_000.max(u64::from(reads) * 80))).0;
        near("random reads", random / sheet.random_read.iops, (0.96, 1.001));
        let writes = depth(sheet.random_write.depth);
        let random = per_second(drive, ("write", "random"), (4, writes, 6_000)).0;
        // Those that memory has at the end are 256 of 6,000.
        near("random writes", random / sheet.random_write.iops, (0.96, 1.046));
        let order = per_second(drive, ("read", "sequential"), (128, 32, 1_500)).0 * 131_072.0;
        near("reads in order", order / sheet.sequential_read.rate.bytes_per_second(), (0.95, 1.001));
        let order = per_second(drive, ("write", "sequential"), (128, 32, 1_500)).0 * 131_072.0;
        near("writes in order", order / sheet.sequential_write.rate.bytes_per_second(), (0.95, 1.01));
        // What a kernel of today sends at once is larger than what some of them have room for: what came first leaves meanwhile.
        for (kib, count) in [(512, 2_000), (4_096, 300)] {
            let order = per_second(drive, ("write", "sequential"), (kib, 4, count)).0 * (kib * 1_024) as f64;
            near("long writes", order / sheet.sequential_write.rate.bytes_per_second(), (0.93, 1.04));
        }
        if let Some(read) = sheet.latency.read {
            let (_, alone) = per_second(drive, ("read", "random"), (4, 1, 200));
            assert!((alone / read.as_seconds() / 1e6 - 1.0).abs() < 0.01, "{drive}: {alone} us for {read}");
        }
    }
}
