//! What is in memory is never more than there is memory, and what has to leave it goes as fast as the disk.

use crate::common::once_of;
use petrio_scenario::load_text;
use petrio_scenario::report::Report;

const KERNELS: [&str; 4] = ["linux-2.6.24", "linux-2.6.27", "linux-3.2", "linux-6.18"];
/// Rate of the disk, in bytes a second.
const DISK: f64 = (100 << 20) as f64;

/// A file that is said to be cached, read once in order on a host with 64 MiB of memory; everything in MiB.
fn read_cached(kernel: &str, file: u64, own: u64) -> Report {
    read_with(kernel, file, own, "ordered")
}

fn read_with(kernel: &str, file: u64, own: u64, journal: &str) -> Report {
    let family = if kernel.starts_with("linux-2") { "ext3" } else { "ext4" };
    let text = format!(
        r#"
        [disk.d]
        model = "constant-rate"
        drive.latency = "100 us"
        drive.rate = "100 MiB/s"
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "{kernel}"
        memory = "64 MiB"
        anonymous = "{own} MiB"
        [fs.data]
        type = "{family}"
        on = "d"
        journal = "{journal}"
        [workload.reader]
        kind = "files"
        on = "data"
        operation = "read"
        record = "256 KiB"
        file_size = "{file} MiB"
        cached = true
        "#
    );
    let loaded = load_text("test.toml", &text, None, &[]).unwrap();
    once_of(&loaded)
}

fn rate(report: &Report, file: u64) -> f64 {
    (file << 20) as f64 / report.simulated_s
}

fn warns(report: &Report) -> bool {
    report.warnings.iter().any(|warning| warning.contains("said to be cached"))
}

#[test]
fn a_file_that_fits_is_read_from_memory_and_one_that_does_not_from_the_disk() {
    for kernel in KERNELS {
        let fits = read_cached(kernel, 40, 0);
        assert!(!warns(&fits), "{kernel}: {:?}", fits.warnings);
        assert!(rate(&fits, 40) > 5.0 * DISK, "{kernel}: {}", rate(&fits, 40));
        // The end is cached, and has made room by the time it is wanted.
        for file in [100, 256, 1024] {
            let beyond = read_cached(kernel, file, 0);
            assert!(warns(&beyond), "{kernel}: {:?}", beyond.warnings);
            assert!(rate(&beyond, file) < 2.0 * DISK, "{kernel}, {file} MiB: {}", rate(&beyond, file));
        }
        let huge = read_cached(kernel, 1024, 0);
        assert!(rate(&huge, 1024) < 1.1 * DISK, "{kernel}: {}", rate(&huge, 1024));
    }
}

#[test]
fn what_processes_hold_is_no_room_for_files() {
    for kernel in KERNELS {
        let crowded = read_cached(kernel, 40, 40);
        assert!(warns(&crowded), "{kernel}: {:?}", crowded.warnings);
        assert!(rate(&crowded, 40) < 3.0 * DISK, "{kernel}: {}", rate(&crowded, 40));
    }
}

#[test]
fn data_in_the_journal_are_read_from_single_pages() {
    // ext4 gives files whose data are in the journal no large folios (ext4_should_enable_large_folio, 6.18).
    let [large, single] =
        ["ordered", "journal"].map(|journal| rate(&read_with("linux-6.18", 40, 0, journal), 40));
    assert!(single < 0.8 * large, "{single} {large}");
    // Older kernels have single pages everywhere.
    let [ordered, journal] =
        ["ordered", "journal"].map(|journal| rate(&read_with("linux-3.2", 40, 0, journal), 40));
    assert!((ordered / journal - 1.0).abs() < 0.02, "{ordered} {journal}");
}

/// The part of a file that has to be read from the disk after it was written on a host with 256 MiB of memory, of which
/// 1.5 MiB are a process' own.
fn missing_after_writing(mib: u64) -> f64 {
    let text = format!(
        r#"
        [disk.d]
        model = "constant-rate"
        drive.latency = "0 s"
        drive.rate = "100 MiB/s"
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        memory = "256 MiB"
        anonymous = "1.5 MiB"
        [fs.data]
        type = "ext3"
        on = "d"
        [workload.w]
        kind = "script"
        on = "data"
        script = "create a; repeat {mib} {{ append a 1 MiB }}; fsync a; phase measured; read a 0 {mib} MiB"
        "#
    );
    let loaded = load_text("test.toml", &text, None, &[]).unwrap();
    let report = once_of(&loaded);
    let read = report.served.operations.iter().find(|figures| figures.operation == "read").unwrap();
    read.latency.unwrap().mean_ms.value / 1e3 * 100.0 / mib as f64
}

#[test]
fn the_buffers_of_what_was_written_take_memory_so_that_a_little_less_fits() {
    // Linux 6.18 in a memory cgroup of 256 MiB read 15 % of 248 MiB again, 74 % of 252 and all of 254 and more; what was
    // only read has no buffers, and fits up to 254 MiB.
    let [fits, partly, mostly, not] = [246, 249, 252, 256].map(missing_after_writing);
    assert!(fits < 0.02, "{fits}");
    assert!(partly > 0.02 && partly < mostly + 0.01 && mostly < 1.0, "{partly} {mostly}");
    assert!(not > 0.95, "{not}");
}

/// A file written in order, several times as large as may be dirty; bytes a second until all of it is on the disk.
fn written_past_the_limit(kernel: &str, memory: &str, mib: u64) -> f64 {
    let family = if kernel.starts_with("linux-2") { "ext3" } else { "ext4" };
    let text = format!(
        r#"
        [disk.d]
        model = "constant-rate"
        drive.latency = "100 us"
        drive.rate = "100 MiB/s"
        [host.h]
        machine = "poweredge-1850"
        kernel = "{kernel}"
        memory = "{memory}"
        [fs.data]
        type = "{family}"
        on = "d"
        [workload.w]
        kind = "files"
        on = "data"
        operation = "write"
        record = "128 KiB"
        file_size = "{mib} MiB"
        fsync = "at-end"
        "#
    );
    let loaded = load_text("test.toml", &text, None, &[]).unwrap();
    rate(&once_of(&loaded), mib)
}

#[test]
fn a_writer_beyond_the_dirty_limit_keeps_the_disk_busy() {
    for kernel in KERNELS {
        for memory in ["64 MiB", "256 MiB"] {
            let written = written_past_the_limit(kernel, memory, 400);
            assert!(written < DISK, "{kernel}, {memory}: {written}");
            // What it loses are the pauses at each commit and the old kernels' naps; a disk that lies idle loses far more.
            assert!(written > 0.5 * DISK, "{kernel}, {memory}: {written}");
        }
    }
}
