//! Drives whose parameters are known are found again, in the model's time and by the wall clock.

#![allow(clippy::unwrap_used)]
use super::*;
use petrio_models::device::disk::parameters::{SeekParameters, Sparing};
use petrio_models::device::disk::{DiskParameters, Drive, SeekCurve};
use proptest::prelude::*;
use std::fmt::Write;

fn catalogue(name: &str) -> DiskParameters {
    let path = format!("{}/../../catalogue/devices/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn found(truth: &DiskParameters, effort: &Effort) -> FoundDisk {
    let drive = Drive::new(truth).unwrap();
    match extract(&mut Simulated::new(&drive), effort, &mut |_| ()).unwrap() {
        Found::Disk(disk) => *disk,
        Found::Constant(device) => panic!("{device:?}"),
    }
}

fn row<'a>(rows: &'a [Compared], what: &str) -> &'a Compared {
    rows.iter().find(|row| row.what == what).unwrap()
}

/// Asserts that what was found is what is so.
fn assert_found(disk: &FoundDisk, truth: &DiskParameters) {
    let rows = compare(disk, truth);
    let told = compared_table(&rows);
    let rotation = row(&rows, "rotation, rpm");
    assert!((rotation.off / rotation.truth).abs() < 0.001, "{told}");
    for what in [
        "surfaces",
        "cylinders",
        "zones",
        "zones' ends, blocks",
        "sectors per track",
        "segments of the cache",
    ] {
        assert!(row(&rows, what).off.abs() < 1e-9, "{what}\n{told}");
    }
    for what in ["track skew, sectors", "cylinder skew, sectors", "blocks of a segment", "blocks read ahead"]
    {
        assert!(row(&rows, what).off.abs() <= 1.0, "{what}\n{told}");
    }
    let seek = row(&rows, "worst seek, ms");
    assert!((seek.off / seek.truth).abs() < 0.05, "{told}");
    let made = Drive::new(&Made::of(disk, "found", "its times").drive).unwrap();
    let drive = Drive::new(truth).unwrap();
    let verified =
        verify(&mut Simulated::new(&drive), &mut Simulated::new(&made), disk, &Effort::quick()).unwrap();
    for error in verified.errors() {
        assert!(error.abs() < 0.05, "{told}{}", verified_table(&verified));
    }
}

#[test]
fn drives_of_the_catalogue_are_found_again_by_their_times() {
    for name in [
        "hp-97560",
        "seagate-st3146707lc",
        "fujitsu-mat3147nc",
        "maxtor-atlas-10k-v-300",
        "seagate-savvio-10k4",
        "seagate-st336752fc",
        "western-digital-wd800bb",
        "ibm-dtta-350840",
        "sata-750gb-7200",
    ] {
        let truth = catalogue(name);
        let disk = found(&truth, &Effort::full());
        assert_found(&disk, &truth);
        let again = found(&truth, &Effort::full());
        assert_eq!(disk, again, "{name}: the same seed gives the same figures");
    }
}

/// Mechanical drives of the catalogue, by name.
fn mechanical() -> Vec<(String, DiskParameters)> {
    let folder = format!("{}/../../catalogue/devices", env!("CARGO_MANIFEST_DIR"));
    let mut all: Vec<(String, DiskParameters)> = std::fs::read_dir(folder)
        .unwrap()
        .filter_map(|entry| {
            let path = entry.unwrap().path();
            let drive = toml::from_str(&std::fs::read_to_string(&path).unwrap()).ok()?;
            Some((path.file_stem().unwrap().to_str().unwrap().to_owned(), drive))
        })
        .collect();
    all.sort_by(|one, other| one.0.cmp(&other.0));
    all
}

/// Drives of which other zones are found, and why.
const OTHER_ZONES: [(&str, &str); 1] =
    [("ibm-ultrastar-18es", "neighbouring zones of as many sectors are one, as far as anybody can see")];

#[test]
fn little_measuring_finds_every_drive_of_the_catalogue_with_its_writes() {
    let mut found_drives = 0;
    for (name, truth) in mechanical() {
        let effort = Effort { write: true, ..Effort::quick() };
        let disk = found(&truth, &effort);
        let rows = compare(&disk, &truth);
        let told = compared_table(&rows);
        let rotation = row(&rows, "rotation, rpm");
        assert!((rotation.off / rotation.truth).abs() < 0.001, "{name}\n{told}");
        let other_zones = OTHER_ZONES.iter().any(|(other, _)| *other == name);
        for what in
            ["surfaces", "zones", "sectors per track"].into_iter().take(if other_zones { 1 } else { 3 })
        {
            assert!(row(&rows, what).off.abs() < 1e-9, "{name}: {what}\n{told}");
        }
        // Spare cylinders between zones can't be seen: seeks over them are longer than they look.
        let seeks = ["worst seek, ms", "worst seek to write, ms"];
        let told_by_blocks = truth.geometry.sparing == Sparing::None;
        for what in seeks.into_iter().filter(|_| told_by_blocks) {
            let row = row(&rows, what);
            assert!((row.off / row.truth).abs() < 0.15, "{name}: {what}\n{told}");
        }
        // What a quick look finds of 512 writes, and of 64 MiB, to a write of 256 KiB.
        for (what, one) in [("writes held", 1.0_f64), ("blocks of writes held", 512.0)] {
            let Some(row) = rows.iter().find(|row| row.what == what) else { continue };
            if one == 1.0 && disk.writes.as_ref().is_some_and(|writes| writes.at_least) {
                assert!(row.off <= 0.0, "{name}: {what}\n{told}");
                continue;
            }
            assert!(row.off.abs() <= one.max(0.08 * row.truth), "{name}: {what}\n{told}");
        }
        let made = Drive::new(&Made::of(&disk, "found", "its times").drive).unwrap();
        let drive = Drive::new(&truth).unwrap();
        let verified =
            verify(&mut Simulated::new(&drive), &mut Simulated::new(&made), &disk, &effort).unwrap();
        assert_eq!(verified.checks().len(), 4);
        assert_eq!(verified.warnings(&disk), [""; 0], "{name}\n{told}{}", verified_table(&verified));
        found_drives += 1;
    }
    assert!(found_drives >= 29, "{found_drives}");
}

/// A drive of so many surfaces, zones of so many cylinders and sectors, and a seek curve.
fn synthetic(
    rpm: u32,
    surfaces: u32,
    zones: &[(u32, u32)],
    single_us: u32,
    switch_us: u32,
    segments: u32,
) -> DiskParameters {
    let cylinders: u32 = zones.iter().map(|zone| zone.0).sum();
    let mut text =
        format!("name = \"synthetic\"\n[geometry]\nsurfaces = {surfaces}\ncylinders = {cylinders}\n");
    let mut first = 0;
    let turn_us = 60e6 / f64::from(rpm);
    for (count, sectors) in zones {
        // Skews that hide the switches, and one that is larger.
        let skew = |us: f64| (us / turn_us * f64::from(*sectors)).ceil() + 2.0;
        let (track, cylinder) = (skew(f64::from(switch_us)), skew(f64::from(single_us.max(switch_us))) + 3.0);
        writeln!(
            text,
            "[[geometry.zones]]\nfirst_cylinder = {first}\nlast_cylinder = {}\nsectors_per_track = {sectors}\n\
             track_skew_sectors = {track:.1}\ncylinder_skew_sectors = {cylinder:.1}",
            first + count - 1
        )
        .unwrap();
        first += count;
    }
    writeln!(
        text,
        "[mechanics]\nrotation = \"{rpm} rpm\"\nhead_switch = \"{switch_us} us\"\n\
         seek = {{ kind = \"three-point-curve\", single = \"{single_us} us\", average = \"{} us\", full = \"{} us\" }}\n\
         [bus]\nread_block = \"3 us\"\nwrite_block = \"3 us\"\n\
         [overheads]\ncommand = \"350 us\"\n\
         [cache]\nsegments = {segments}\nsegment_size = \"256 KiB\"\nread_ahead = \"segment\"",
        single_us * 6,
        single_us * 13
    )
    .unwrap();
    toml::from_str(&text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]
    #[test]
    fn a_drive_of_any_plain_geometry_is_found_again(
        rpm in 4_000u32..15_500,
        surfaces in 2u32..12,
        outer in 150u32..900,
        steps in proptest::collection::vec((80u32..900, 3u32..25), 1..6),
        single in 500u32..1_500,
        switch in 200u32..2_000,
        segments in 2u32..24,
        seed in 0u64..1_000,
    ) {
        let mut sectors = outer;
        let zones: Vec<(u32, u32)> = steps
            .iter()
            .map(|(cylinders, less)| {
                sectors -= less;
                (*cylinders, sectors)
            })
            .collect();
        let truth = synthetic(rpm, surfaces, &zones, single, switch, segments);
        let disk = found(&truth, &Effort { seed, ..Effort::full() });
        assert_found(&disk, &truth);
        // Between the points that were measured, too.
        let curve = |seek: &SeekParameters| SeekCurve::new(seek, truth.geometry.cylinders).unwrap();
        let (mine, theirs) =
            (curve(&Made::of(&disk, "", "").drive.mechanics.seek), curve(&truth.mechanics.seek));
        for distance in 1..truth.geometry.cylinders {
            let (mine, theirs) = (mine.time(distance).as_seconds(), theirs.time(distance).as_seconds());
            prop_assert!((mine / theirs - 1.0).abs() < 0.06, "{distance}: {mine} for {theirs}");
        }
    }
}

#[test]
fn a_drive_that_reports_writes_only_when_they_are_on_the_medium_is_known_by_them() {
    let mut truth = synthetic(7_200, 4, &[(900, 400)], 800, 600, 4);
    truth.mechanics.write_settle = "400 us".parse().unwrap();
    let disk = found(&truth, &Effort { write: true, ..Effort::full() });
    let writes = disk.writes.unwrap();
    assert_eq!(writes.reporting, FoundReporting::Never);
    assert!((writes.settle - 400e-6).abs() < 30e-6, "{writes:?}");
}

#[test]
fn a_drive_timed_by_the_wall_clock_is_found_through_its_noise() {
    // A machine that is busy with other tests makes noise of whole turns: this one runs where it is asked for.
    if std::env::var_os("PETRIO_WALL_CLOCK").is_none() {
        eprintln_skipped("a drive timed by the wall clock: set PETRIO_WALL_CLOCK on a machine that is idle");
        return;
    }
    let truth = synthetic(12_000, 3, &[(700, 300)], 600, 450, 3);
    let drive = Drive::new(&truth).unwrap();
    let effort =
        Effort { turns: 200.0, halvings: 8, spacing: 6.0, tracks: 9, segments: 8, ..Effort::quick() };
    let disk = match extract(&mut Paced::new(&drive), &effort, &mut |_| ()) {
        Ok(Found::Disk(disk)) => disk,
        other => panic!("{other:?}"),
    };
    let rows = compare(&disk, &truth);
    let told = compared_table(&rows);
    let rotation = row(&rows, "rotation, rpm");
    assert!((rotation.off / rotation.truth).abs() < 0.001, "{told}");
    for what in ["surfaces", "zones", "sectors per track"] {
        assert!(row(&rows, what).off.abs() < 1e-9, "{what}\n{told}");
    }
    for what in ["track skew, sectors", "cylinder skew, sectors"] {
        assert!(row(&rows, what).off.abs() <= 3.0, "{what}\n{told}");
    }
    let seeks = row(&rows, "mean of seeks, ms");
    assert!((seeks.off / seeks.truth).abs() < 0.1, "{told}");
}

#[allow(clippy::print_stderr, reason = "a test says that it was skipped, and why")]
fn eprintln_skipped(why: &str) {
    eprintln!("skipped: {why}");
}

/// A device that takes as long for every request, wherever it is.
struct Even {
    now: f64,
}

impl TimedDrive for Even {
    fn sectors(&self) -> u64 {
        1 << 20
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn physical_sectors(&self) -> u64 {
        1
    }

    fn now(&mut self) -> f64 {
        self.now
    }

    fn wait(&mut self, seconds: f64) {
        self.now += seconds;
    }

    fn read(&mut self, _: u64, sectors: u64) -> std::io::Result<Timing> {
        let begin = self.now;
        self.now += 80e-6 + sectors as f64 * 2e-6;
        Ok(Timing { begin, end: self.now })
    }

    fn keep(&mut self, _: &[(u64, u64)]) -> std::io::Result<()> {
        Ok(())
    }

    fn rewrite(&mut self, sector: u64, sectors: u64, _: bool) -> std::io::Result<Timing> {
        self.read(sector, sectors)
    }
}

#[test]
fn a_device_of_which_nothing_turns_is_one_of_constant_rate() {
    let found = extract(&mut Even { now: 0.0 }, &Effort::full(), &mut |_| ()).unwrap();
    let Found::Constant(device) = found else { panic!("{found:?}") };
    assert!((device.latency - 80e-6).abs() < 1e-9 && (device.rate / 256e6 - 1.0).abs() < 1e-6, "{device:?}");
    assert!(constant_toml(&device, "even").contains("kind = \"constant-rate\""));
}

/// Reads elsewhere take as long as a disk's, and what was read once comes from a cache without end.
struct Cached {
    now: f64,
    read: std::collections::HashSet<u64>,
    forgets: bool,
}

impl TimedDrive for Cached {
    fn sectors(&self) -> u64 {
        1 << 30
    }

    fn sector_bytes(&self) -> u64 {
        512
    }

    fn physical_sectors(&self) -> u64 {
        1
    }

    fn now(&mut self) -> f64 {
        self.now
    }

    fn wait(&mut self, seconds: f64) {
        self.now += seconds;
    }

    fn read(&mut self, sector: u64, _: u64) -> std::io::Result<Timing> {
        let begin = self.now;
        let known = !self.read.insert(sector) && !self.forgets;
        // From 4 to 16 ms, as it comes.
        let chance = (sector as f64 * 0.618_033_988_7 + begin * 1_234.567).fract();
        self.now += if known { 100e-6 } else { 0.004 + 0.012 * chance };
        Ok(Timing { begin, end: self.now })
    }

    fn keep(&mut self, _: &[(u64, u64)]) -> std::io::Result<()> {
        Ok(())
    }

    fn rewrite(&mut self, sector: u64, sectors: u64, _: bool) -> std::io::Result<Timing> {
        self.read(sector, sectors)
    }
}

#[test]
fn a_device_that_takes_milliseconds_is_never_one_of_which_nothing_turns() {
    for (forgets, words) in [(false, "comes from the cache"), (true, "no turn shows")] {
        let mut device = Cached { now: 0.0, read: std::collections::HashSet::new(), forgets };
        let error = extract(&mut device, &Effort::quick(), &mut |_| ()).unwrap_err();
        assert!(error.to_string().contains(words), "{error}");
    }
}

#[test]
fn what_was_found_stands_beside_what_lies_there_whatever_the_counts_are() {
    let truth = synthetic(7_200, 4, &[(600, 400), (300, 320)], 800, 600, 4);
    let disk = found(&truth, &Effort::quick());
    // One zone found as two, and tracks taken for cylinders.
    let mut other = disk.clone();
    let half = FoundZone { tracks: 1_000, sectors: 400_000, ..disk.zones[0].clone() };
    let rest = FoundZone { first_sector: 400_000, tracks: 1_400, sectors: 560_000, ..half.clone() };
    other.zones.splice(0..1, [half, rest]);
    other.surfaces = 1;
    for point in &mut other.seeks {
        point.cylinders *= 4;
    }
    let rows = compare(&other, &truth);
    let told = compared_table(&rows);
    assert!(row(&rows, "sectors per track").off.abs() < 1e-9, "{told}");
    assert!((row(&rows, "zones' ends, blocks").off + 560_000.0).abs() < 1e-9, "{told}");
    let seek = row(&rows, "worst seek, ms");
    assert!((seek.off / seek.truth).abs() < 0.05, "{told}");
}

#[test]
fn what_does_not_fit_is_said_with_a_reason() {
    let disk = found(&synthetic(7_200, 4, &[(900, 400)], 800, 600, 4), &Effort::quick());
    let measured = Measured { random: 0.01, sequential: 0.001, random_write: None, sequential_write: None };
    let predicted = Measured { sequential: 0.001_7, ..measured };
    let warnings = Verified { measured, predicted }.warnings(&disk);
    assert!(warnings[0].contains("sequential read") && warnings[0].contains("+70.0 %"), "{warnings:?}");
    assert!(warnings.len() == 2 && warnings[1].contains("disturbed"), "{warnings:?}");
    let noisy = FoundDisk { stray: 0.01 * disk.period, ..disk.clone() };
    assert!(Verified { measured, predicted }.warnings(&noisy)[1].contains("while nothing else runs"));
    let many = FoundDisk { zones: vec![disk.zones[0].clone(); 161], ..disk };
    assert!(Verified { measured, predicted }.warnings(&many)[1].contains("defects"));
    assert!(Verified { measured, predicted: measured }.warnings(&many).is_empty());
    // Large numbers stay in columns of their own.
    let predicted = Measured { sequential: 123.456, ..measured };
    let table = verified_table(&Verified { measured, predicted });
    assert!(table.contains(" ms +12345500.00 %"), "{table}");
}

/// A block device over a file; taken away at the end.
struct Loop(std::path::PathBuf);

impl Loop {
    /// `None` where this user, or this kernel, can't make one.
    fn over(image: &std::path::Path) -> Option<Self> {
        let made = std::process::Command::new("losetup").args(["-f", "--show"]).arg(image).output().ok()?;
        made.status.success().then(|| Self(String::from_utf8_lossy(&made.stdout).trim().into()))
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").arg("-d").arg(&self.0).status();
    }
}

#[test]
fn what_was_read_is_written_back_into_the_cache_and_past_it() {
    let folder = tempfile::tempdir().unwrap();
    let image = folder.path().join("image");
    let content: Vec<u8> = (0..80u32 << 20).map(|at| (at % 251) as u8).collect();
    std::fs::write(&image, &content).unwrap();
    let Some(device) = Loop::over(&image) else {
        eprintln_skipped("what was read is written back: no loop device can be made");
        return;
    };
    let mut drive = RealDrive::open(&device.0, true).unwrap();
    let more = 4096 / drive.sector_bytes();
    drive.keep(&[(100 * more, 8 * more), (7 * more, more)]).unwrap();
    // Of what was kept, and of what wasn't.
    for (sector, sectors) in [(100, 8), (103, 2), (7, 1), (5_000, 4), (7, 3)] {
        for through in [false, true] {
            let timing = drive.rewrite(sector * more, sectors * more, through).unwrap();
            assert!(timing.span() > 0.0);
        }
    }
    drop(drive);
    drop(device);
    assert!(std::fs::read(&image).unwrap() == content, "nothing else is there than before");
}

#[test]
fn what_is_no_device_is_refused_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let small = folder.path().join("small");
    std::fs::write(&small, [0; 4096]).unwrap();
    for (path, word) in [
        (folder.path(), "directory"),
        (&small, "64 MiB"),
        (std::path::Path::new("/no-such-device"), "No such file"),
        (std::path::Path::new("/dev/null"), "neither"),
    ] {
        let error = RealDrive::open(path, false).unwrap_err();
        assert!(error.to_string().contains(word), "{error}");
        assert!(miette::Diagnostic::help(&error).is_some(), "{error}");
    }
    // A file of which nothing was ever written, as a sparse image is, can be measured, but says so.
    let sparse = folder.path().join("sparse");
    std::fs::File::create(&sparse).unwrap().set_len(128 << 20).unwrap();
    match RealDrive::open(&sparse, false) {
        Ok(drive) => assert_eq!(drive.holes(), Some(128 << 20)),
        // Where a file system knows no direct I/O.
        Err(error) => assert!(error.to_string().contains("sparse"), "{error}"),
    }
    let error = RealDrive::open(&small, true).unwrap_err();
    assert!(error.to_string().contains("it is a file"), "{error}");
}
