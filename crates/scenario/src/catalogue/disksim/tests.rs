//! Claims about the reader of DiskSim parameter files.
#![allow(clippy::unwrap_used)]

use super::{Files, Problem, import_from};
use petrio_kernel::Time;
use petrio_models::device::disk::Layout;
use petrio_models::device::disk::parameters::{
    ReadAhead, SeekParameters, Sparing, TrackOrder, WriteSegments,
};
use proptest::prelude::*;
use std::collections::BTreeMap;

/// Files in memory.
struct Table(BTreeMap<String, Vec<u8>>);

impl Files for Table {
    fn read(&self, name: &str) -> Result<Vec<u8>, String> {
        self.0.get(name).cloned().ok_or_else(|| "no such file".to_owned())
    }
}

const SYSTEM: &str = "
# A drive behind a bus that is slower than itself.
disksim_bus BUS { type = 1, Read block transfer time = 0.2, Write block transfer time = 0.05 } # end
disksim_ctlr CTLR { type = 1, Bulk sector transfer time = 0.0 }
source drive.diskspecs
instantiate [ statfoo ] as Stats
instantiate [ bus0 .. bus1 ] as BUS
instantiate [ ctlr0 ] as CTLR
instantiate [ disk0 ] as SMALL
topology disksim_iodriver driver0 [ disksim_bus bus0 [ disksim_ctlr ctlr0 [ disksim_bus bus1 [ disksim_disk disk0 [] ] ] ] ]
";

const DRIVE: &str = "disksim_disk SMALL {
   Model = source small.model,
   Scheduler = disksim_ioqueue { Scheduling policy = 3, Cylinder mapping strategy = 0 },
   Max queue length = 4,
   Bulk sector transfer time = 0.1,
   Segment size (in blks) = 64,
   Number of buffer segments = 2,
   Maximum number of write segments = 1,
   Use separate write segment = 1,
   Enable caching in buffer = 1,
   Buffer continuous read = 1,
   Maximum read-ahead (blks) = 32,
   Read hit over. after read = 0.5,
   Read miss over. after write = 1.25,
   Colour of the casing = beige,
   Preseeking level = 2
} # end of SMALL
";

const MODEL: &str = "dm_disk SMALL_model {
   Block count = 1990,
   Number of data surfaces = 2,
   Number of cylinders = 10,
   Mechanical Model = dm_mech_g1 {
      Access time type = trackSwitchPlusRotation,
      Seek type = extracted,
      Full seek curve = small.seek,
      Add. write settling delay = -0.5,
      Head switch time = 0.75,
      Rotation speed (in rpms) = 6000,
      Percent error in rpms = 0.0
   },
   Layout Model = dm_layout_g1 {
      LBN-to-PBN mapping scheme = 0,
      Sparing scheme used = 9,
      Rangesize for sparing = 1,
      Zones = [ dm_layout_g1_zone {
         First cylinder number = 0,
         Last cylinder number = 9,
         Blocks per track = 100,
         Offset of first block = 0.0,
         Empty space at zone front = 0,
         Skew for track switch = 12.0,
         Skew for cylinder switch = 30.0,
         Number of spares = 10,
         slips = [ 17, 5 ],
         defects = [ 20, 1999 ]
      } ]
   }
}
";

fn files() -> Table {
    let texts = [
        ("folder/small.parv", SYSTEM),
        ("folder/drive.diskspecs", DRIVE),
        ("folder/small.model", MODEL),
        ("folder/small.seek", "Seek distances measured: 3\n1, 1.5\n5, 3.0\n9, 4.0\n"),
    ];
    Table(texts.into_iter().map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec())).collect())
}

fn with(file: &str, from: &str, to: &str) -> Table {
    let mut files = files();
    let text = String::from_utf8(files.0[file].clone()).unwrap();
    assert!(text.contains(from), "{from}");
    files.0.insert(file.to_owned(), text.replace(from, to).into_bytes());
    files
}

fn problem(files: &Table) -> String {
    import_from(files, "folder/small.parv").unwrap_err().to_string()
}

#[test]
fn a_drive_comes_out_as_its_files_describe_it() {
    let imported = import_from(&files(), "folder/small.parv").unwrap();
    let [drive] = imported.drives.as_slice() else { panic!("{:?}", imported.drives.len()) };
    assert_eq!(drive.name, "SMALL");
    assert_eq!(drive.geometry.blocks, Some(1990));
    assert_eq!(drive.geometry.sparing, Sparing::SectorsPerZone { slip_to_end: false });
    assert_eq!(drive.geometry.zones[0].slips, [17, 5]);
    assert_eq!(drive.geometry.zones[0].remaps, [[20, 1999]]);
    let points =
        vec![(1, "1.5 ms".parse().unwrap()), (5, "3 ms".parse().unwrap()), (9, "4 ms".parse().unwrap())];
    assert_eq!(drive.mechanics.seek, SeekParameters::Measured { points });
    assert_eq!(drive.mechanics.write_settle.to_string(), "-0.5 ms");
    assert_eq!(drive.cache.read_ahead, ReadAhead::Track);
    assert_eq!(drive.cache.write_segments, WriteSegments::One);
    assert_eq!(drive.overheads.read_miss.after_write.to_string(), "1.25 ms");
    assert_eq!(drive.queue.depth, 4);
}

#[test]
fn zones_that_hold_far_more_than_the_count_of_blocks_are_what_the_drive_offers() {
    let imported = import_from(
        &with("folder/small.model", "Block count = 1990", "Block count = 1400"),
        "folder/small.parv",
    );
    let imported = imported.unwrap();
    assert_eq!(imported.drives[0].geometry.blocks, None);
    let listed: Vec<String> = imported.ignored.iter().map(ToString::to_string).collect();
    assert!(
        listed.iter().any(
            |line| line.contains("\"Block count\" = 1400") && line.contains("the zones hold 1990 blocks")
        ),
        "{listed:?}"
    );
}

#[test]
fn the_slowest_on_the_way_sets_the_pace_of_the_bus() {
    let imported = import_from(&files(), "folder/small.parv").unwrap();
    // Reads: the bus's 0.2 ms; writes: the drive's own 0.1 ms, because its bus is faster.
    assert_eq!(imported.drives[0].bus.read_block.to_string(), "0.2 ms");
    assert_eq!(imported.drives[0].bus.write_block.to_string(), "0.1 ms");
    // Without its system, the drive's own pace is all there is.
    let alone = import_from(&files(), "folder/drive.diskspecs").unwrap();
    assert_eq!(alone.drives[0].bus.read_block.to_string(), "0.1 ms");
}

#[test]
fn parameters_without_effect_are_listed_with_file_and_line() {
    let imported = import_from(&files(), "folder/small.parv").unwrap();
    let listed: Vec<String> = imported.ignored.iter().map(ToString::to_string).collect();
    assert!(
        listed
            .iter()
            .any(|line| line.starts_with("folder/drive.diskspecs:15: \"Colour of the casing\" = beige"))
    );
    assert!(listed.iter().any(|line| line.contains("\"Preseeking level\" = 2")), "{listed:?}");
}

#[test]
fn a_missing_file_is_reported_where_it_is_asked_for() {
    let mut files = files();
    files.0.remove("folder/small.model");
    assert!(
        problem(&files).starts_with("folder/drive.diskspecs:2: the file cannot be read"),
        "{}",
        problem(&files)
    );
    let mut files = self::files();
    files.0.remove("folder/small.seek");
    let text = problem(&files);
    assert!(text.starts_with("folder/small.model:8: the file cannot be read: folder/small.seek"), "{text}");
}

#[test]
fn mistakes_are_named_with_file_line_and_cause() {
    let cases = [
        (
            "folder/small.model",
            "Blocks per track = 100",
            "Blocks per track = many",
            "small.model:21: \"Blocks per track\"",
        ),
        ("folder/small.model", "= 6000", "= 0", "small.model:11: \"Rotation speed (in rpms)\" is 0"),
        (
            "folder/small.model",
            "dm_layout_g1 {",
            "dm_layout_g2 {",
            "\"Layout Model\" is dm_layout_g2, which is not supported",
        ),
        (
            "folder/small.model",
            "Head switch time = 0.75,",
            "",
            "has no parameter \"Head switch time\"; add it",
        ),
        (
            "folder/small.model",
            "Last cylinder number = 9",
            "Last cylinder number = 900",
            "zone 0 runs from cylinder 0 to 900",
        ),
        ("folder/drive.diskspecs", "Max queue length = 4", "Max queue length 4", "\"=\" is needed here, not"),
        (
            "folder/drive.diskspecs",
            "= 0.5,",
            "= 0.5, Read hit over. after read = 0.6,",
            "is given twice in the block",
        ),
        ("folder/small.parv", "source drive.diskspecs", "", "describes no disk"),
    ];
    for (file, from, to, expected) in cases {
        let text = problem(&with(file, from, to));
        assert!(text.contains(expected), "{expected:?} not in {text:?}");
    }
}

#[test]
fn a_file_that_includes_itself_is_refused() {
    let files = with("folder/small.parv", "source drive.diskspecs", "source small.parv");
    assert!(matches!(import_from(&files, "folder/small.parv").unwrap_err().problem, Problem::TooDeep(_)));
}

#[test]
fn binary_garbage_is_refused() {
    let mut files = files();
    files.0.insert("folder/small.parv".to_owned(), vec![0x7f, b'E', b'L', b'F', 0xff, 0xfe]);
    assert!(problem(&files).contains("is not text"), "{}", problem(&files));
}

proptest! {
    #[test]
    fn no_text_makes_the_reader_panic(
        file in prop::sample::select(vec!["folder/small.parv", "folder/drive.diskspecs", "folder/small.model", "folder/small.seek"]),
        at in 0.0..1.0f64,
        cut in 0usize..40,
        insert in "[ -~\\n]{0,12}",
    ) {
        let mut files = files();
        let mut text = String::from_utf8(files.0[file].clone()).unwrap();
        let start = (at * text.len() as f64) as usize;
        let end = (start + cut).min(text.len());
        text.replace_range(start..end, &insert);
        files.0.insert(file.to_owned(), text.into_bytes());
        if let Err(error) = import_from(&files, "folder/small.parv") {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn arrays_loads_and_queues_of_the_same_file_are_listed() {
    let beside = "disksim_iodriver DRIVER0 {\n   type = 1\n}\ndisksim_logorg org0 {\n   Distribution scheme = Striped\n}\n\
        disksim_synthio Synthio {\n   Number of I/O requests to generate = 100\n}\n";
    let mut files = files();
    let text = String::from_utf8(files.0["folder/small.parv"].clone()).unwrap();
    files.0.insert("folder/small.parv".to_owned(), format!("{text}{beside}").into_bytes());
    let imported = import_from(&files, "folder/small.parv").unwrap();
    let told: Vec<String> = imported.ignored.iter().map(ToString::to_string).collect();
    let told = told.join("\n");
    for words in [
        "disksim_logorg org0 is left out: an array",
        "disksim_synthio Synthio is left out: a load",
        "disksim_iodriver DRIVER0",
    ] {
        assert!(told.contains(words), "{told}");
    }
}

/// The layout of a drive of two surfaces: where a track begins is told by `off` and `alen`.
fn g4(patterns: &str, nodes: &str, slips: &str) -> Table {
    let mut files = files();
    let model = String::from_utf8(files.0["folder/small.model"].clone()).unwrap();
    let begin = model.find("dm_layout_g1").unwrap();
    let text = format!(
        "{}dm_layout_g4 {{ TP = [ {patterns} ], IDX = [ {nodes} ], Slips = [ {slips} ], Remaps = [ 7, 1, 9, 0, 3, 100 ] }} }}\n",
        &model[..begin].replace("Block count = 1990,", "")
    );
    files.0.insert("folder/small.model".to_owned(), text.into_bytes());
    files
}

/// Bands of two cylinders on both surfaces, twice in the outer zone and once in the inner one.
const BANDS: &str = "
    [ 0, 0, 0.0, 100, 1, 0.25, 200, 2, TRACK, 0, 0,    200, 1, 0.5, 100, 1, 0.25, 200, -2, TRACK, 0, 1,
      400, 2, 0.0, 100, 1, 0.25, 200, 2, TRACK, 0, 1,   600, 3, 0.5, 100, 1, 0.25, 200, -2, TRACK, 0, 0 ],
    [ 0, 0, 0.0, 80, 1, 0.25, 160, 2, TRACK, 1, 0,    160, 1, 0.5, 80, 1, 0.25, 160, -2, TRACK, 1, 1 ],
    [ 0, 0, 0.0, 800, 4, 0.0, 1600, 8, IDX, 0,   1600, 8, 0.0, 320, 2, 0.0, 320, 2, IDX, 1 ]";

#[test]
fn a_layout_by_runs_of_tracks_becomes_zones_in_bands() {
    let imported = import_from(&g4("0, 99, 100, 0, 79, 80", BANDS, ""), "folder/small.parv").unwrap();
    let geometry = &imported.drives[0].geometry;
    assert_eq!(geometry.order, TrackOrder::Bands(2));
    let zones: Vec<_> = geometry
        .zones
        .iter()
        .map(|zone| (zone.first_cylinder, zone.last_cylinder, zone.sectors_per_track))
        .collect();
    assert_eq!(zones, [(0, 7, 100), (8, 9, 80)]);
    assert!((geometry.zones[0].track_skew_sectors - 25.0).abs() < 1e-9);
    let layout = Layout::new(geometry, Time::from_millis(10)).unwrap();
    assert_eq!(layout.blocks(), 1_920);
    // As the tree says it: the second band of the outer zone begins on head 1, on which the first has ended.
    for (block, cylinder, surface, sector) in [
        (0, 0, 0, 0),
        (150, 1, 0, 50),
        (200, 1, 1, 0),
        (399, 0, 1, 99),
        (400, 2, 1, 0),
        (650, 3, 0, 50),
        (800, 4, 0, 0),
        (1_600, 8, 0, 0),
        (1_919, 8, 1, 79),
    ] {
        let place = layout.place(block);
        assert_eq!(
            (place.track.cylinder, place.track.surface, place.sector),
            (cylinder, surface, sector),
            "block {block}"
        );
    }
    assert!(imported.ignored.iter().any(|ignored| ignored.parameter == "Remaps"), "{:?}", imported.ignored);
}

#[test]
fn a_layout_cylinder_by_cylinder_keeps_its_skews_and_slips() {
    // Tracks of ninety blocks and ten spares; a head's switch turns by a tenth, the next cylinder's by a quarter more.
    let nodes = "
        [ 0, 0, 0.0, 90, 1, 0.0, 90, 1, TRACK, 0, 0,   90, 0, 0.1, 90, 1, 0.0, 90, 1, TRACK, 0, 1 ],
        [ 0, 0, 0.0, 180, 1, 0.35, 1800, 10, IDX, 0 ]";
    let drive = import_from(&g4("0, 89, 100", nodes, ""), "folder/small.parv").unwrap().drives.remove(0);
    let [zone] = drive.geometry.zones.as_slice() else { panic!("one zone") };
    assert_eq!(
        (drive.geometry.order, drive.geometry.sparing),
        (TrackOrder::Cylinder, Sparing::SectorsPerTrack)
    );
    assert_eq!((zone.last_cylinder, zone.sectors_per_track, zone.spares), (9, 100, 10));
    assert!(
        (zone.track_skew_sectors - 10.0).abs() < 1e-9 && (zone.cylinder_skew_sectors - 25.0).abs() < 1e-9
    );
    assert_eq!(Layout::new(&drive.geometry, Time::from_millis(10)).unwrap().blocks(), 1_800);
    // Without spares, what is slipped moves all that follows: three sectors of the second track.
    let full = nodes.replace("180", "200").replace("90", "100");
    let drive = import_from(&g4("0, 99, 100", &full, "110, 2, 120, 1"), "folder/small.parv")
        .unwrap()
        .drives
        .remove(0);
    let layout = Layout::new(&drive.geometry, Time::from_millis(10)).unwrap();
    let sector = |block| layout.place(block).sector;
    assert_eq!([sector(109), sector(110), sector(119), sector(120)], [9, 12, 21, 23]);
    assert_eq!(layout.blocks(), 1_997);
}

#[test]
fn layouts_that_no_drive_here_has_are_refused_with_their_reason() {
    let told = |patterns: &str, nodes: &str| problem(&g4(patterns, nodes, ""));
    for (patterns, nodes, words) in [
        ("0, 99", BANDS, "threes of a track's first and last sector"),
        ("0, 99, 100, 0, 79, 80", "[ 1, 2, 3 ]", "nodes: lists of entries"),
        ("0, 99, 100, 0, 78, 80", BANDS, "tracks have different lengths"),
        ("0, 99, 100", "[ 0, 0, 0.0, 100, 1, 0.0, 1000, 10, TRACK, 0, 0 ]", "not every head has a track"),
        ("0, 99, 100", "[ 0, 0, 0.0, 100, 1, 0.0, 100, 1, IDX, 0 ]", "goes round"),
        (
            "0, 99, 100",
            "[ 0, 0, 0.0, 100, 1, 0.0, 100, 1, TRACK, 0, 1, 100, 0, 0.0, 100, 1, 0.0, 100, 1, TRACK, 0, 0 ]",
            "tracks in an order of their own",
        ),
    ] {
        let told = told(patterns, nodes);
        assert!(told.contains(words), "{told}\nhas no\n{words}");
    }
}

#[test]
fn a_transfer_time_below_zero_leaves_it_to_the_bus() {
    let of = |time: &str| {
        let files = with(
            "folder/drive.diskspecs",
            "Bulk sector transfer time = 0.1",
            &format!("Bulk sector transfer time = {time}"),
        );
        import_from(&files, "folder/small.parv").unwrap().drives.remove(0).bus
    };
    // The bus takes 0.2 ms for a block that is read, and 0.05 ms for one that is written.
    assert_eq!(of("-0.015"), of("0.01"));
    assert!(of("0.1").write_block > of("-0.015").write_block);
}
