//! What the catalogue's drives promise: the figures that were tabulated for them, to the block and the microsecond.

use petrio_kernel::Time;
use petrio_models::block::AwaitedWrites;
use petrio_models::device::disk::parameters::SeekParameters;
use petrio_models::device::disk::{DiskParameters, SeekCurve};
use petrio_models::host::kernel_profile::{KernelParameters, OrderedData, ReadAheadAlgorithm, Ring};
use petrio_models::host::machine::{CopyCurve, MachineParameters};
use petrio_scenario::catalogue::{DEVICES, Device, KERNELS, MACHINES};
use petrio_scenario::{Loaded, load_text};

fn loaded(model: &str) -> Loaded {
    let text = format!(
        "[disk.d]\nmodel = \"{model}\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"x\"]\n"
    );
    load_text(model, &text, None, &[]).unwrap()
}

/// The drive as a mechanical disk.
fn disk(model: &str) -> DiskParameters {
    let Device::Disk(disk) = loaded(model).disks[0].device.as_ref().clone() else {
        panic!("{model} is not a mechanical disk")
    };
    *disk
}

#[test]
fn the_tabulated_drives_have_their_blocks_speeds_and_seeks() {
    // Blocks, rpm, and seek times in ms over one cylinder, a third of the stroke, and all of it.
    for (model, blocks, rpm, seeks) in [
        ("quantum-atlas-iii", 17_783_250, 7_200.0, [1.663, 8.56, 15.36]),
        ("seagate-barracuda-st32171w", 4_110_000, 7_200.0, [1.943, 9.47, 16.68]),
        ("seagate-cheetah-9lp", 17_783_240, 10_045.0, [0.831, 5.62, 10.63]),
        ("ibm-ultrastar-18es", 17_916_240, 7_200.0, [1.062, 7.73, 12.85]),
        ("hp-c2490a", 4_165_272, 6_398.0, [1.264, 9.29, 17.38]),
        ("dec-rz26", 2_050_860, 5_360.0, [1.014, 10.90, 19.10]),
        ("maxtor-atlas-10k-v-300", 585_937_499, 10_001.0, [0.526, 5.06, 9.57]),
        ("seagate-savvio-10k4", 1_172_123_568, 10_000.0, [0.30, 3.8, 7.81]),
    ] {
        assert_eq!(loaded(model).disks[0].compiled.blocks(), blocks, "{model}");
        let disk = disk(model);
        assert_eq!(disk.mechanics.rotation.revolution(), Time::from_seconds(60.0 / rpm), "{model}");
        let cylinders = disk.geometry.cylinders;
        let curve = SeekCurve::new(&disk.mechanics.seek, cylinders).unwrap();
        // A measured curve scatters about the tabulated figures, and beyond its last point it is extrapolated.
        let measured = matches!(disk.mechanics.seek, SeekParameters::Measured { .. });
        let margin = |expected: f64| if measured { expected * 0.04 } else { 1e-6 };
        for (distance, expected) in [1, cylinders / 3, cylinders - 1].into_iter().zip(seeks) {
            let found = curve.time(distance).as_millis();
            assert!(
                (found - expected).abs() < margin(expected),
                "{model}: {distance} cylinders take {found} ms, not {expected}"
            );
        }
    }
}

#[test]
fn the_hp_c2247a_keeps_its_table_of_first_seeks() {
    let disk = disk("hp-c2247a");
    let curve = SeekCurve::new(&disk.mechanics.seek, disk.geometry.cylinders).unwrap();
    for (distance, expected) in [(1, 2.89), (10, 4.99), (100, 3.81 + 3.3), (2_000, 7.75 + 11.8)] {
        assert!((curve.time(distance).as_millis() - expected).abs() < 1e-6, "{distance}");
    }
}

#[test]
fn outer_zones_hold_at_least_as_much_as_inner_ones() {
    for model in DEVICES.names() {
        let Device::Disk(disk) = loaded(model).disks[0].device.as_ref().clone() else { continue };
        let sectors: Vec<u32> = disk.geometry.zones.iter().map(|zone| zone.sectors_per_track).collect();
        assert!(sectors.windows(2).all(|pair| pair[0] >= pair[1]), "{model}: {sectors:?}");
    }
}

/// Sheets of old drives print what passes the head before formatting; a third of that is no user's data.
#[test]
fn what_sheets_say_before_formatting_is_taken_less_what_is_no_data() {
    let mut of_the_medium = 0;
    for model in DEVICES.names() {
        let Device::Disk(disk) = loaded(model).disks[0].device.as_ref().clone() else { continue };
        let Some(sheet) = &disk.data_sheet else { continue };
        let turn = disk.mechanics.rotation.revolution().as_seconds();
        if let Some(internal) = &sheet.internal {
            of_the_medium += 1;
            let outermost = f64::from(disk.geometry.zones[0].sectors_per_track) * 512.0 / turn;
            let error = outermost / internal.of_data() - 1.0;
            assert!(error.abs() < 0.005, "{model}: {outermost} B/s of data for {}", internal.of_data());
        }
        if let Some(longest) = sheet.reads_all_within {
            let whole: f64 = disk
                .geometry
                .zones
                .iter()
                .map(|zone| {
                    let cylinders = f64::from(zone.last_cylinder - zone.first_cylinder + 1);
                    let surfaces = f64::from(disk.geometry.surfaces);
                    let skews = (surfaces - 1.0) * zone.track_skew_sectors + zone.cylinder_skew_sectors;
                    cylinders * turn * (surfaces + skews / f64::from(zone.sectors_per_track))
                })
                .sum();
            // A self-test that reads one tenth slower than the medium allows would still be one that reads.
            let part = whole / longest.as_seconds();
            assert!((0.85..=1.0).contains(&part), "{model} reads all in {whole} s, a real one in {longest}");
        }
    }
    assert!(of_the_medium >= 4, "{of_the_medium}");
}

/// What somebody measured of a machine as a whole, 7-zip's MIPS on all processors and memcpy's MB/s, is what its file was made of.
#[test]
fn machines_that_others_measured_have_their_figures() {
    // T. Kaiser, sbc-bench, Results.md; the reference is epyc-9005-2vcpu, 3,900 MIPS for each processor.
    let reference = machine("epyc-9005-2vcpu");
    for (name, mips, threads, memcpy_mb) in [
        ("raspberry-pi-3b-plus", 3_670.0, 4.0, 1_120.0),
        ("raspberry-pi-4b", 5_760.0, 4.0, 2_240.0),
        ("odroid-hc4", 5_730.0, 4.0, 3_540.0),
        ("helios4", 2_210.0, 2.0, 910.0),
        ("celeron-j3455", 7_000.0, 4.0, 4_090.0),
        ("celeron-j4105", 9_020.0, 4.0, 5_500.0),
        ("celeron-n5100", 10_550.0, 4.0, 7_750.0),
        ("pentium-g4600", 11_810.0, 4.0, 15_120.0),
        ("ryzen-r1606g", 7_970.0, 4.0, 8_230.0),
        ("graviton-a1-xlarge", 8_610.0, 4.0, 4_280.0),
        ("thunderx-2x48", 107_180.0, 96.0, 4_180.0),
        ("intel-n100", 14_090.0, 4.0, 10_920.0),
        ("core-i3-n305", 20_000.0, 8.0, 9_950.0),
        ("raspberry-pi-5b", 11_830.0, 4.0, 6_025.0),
        ("ampere-altra-q80", 214_390.0, 80.0, 11_685.0),
        ("hetzner-cax11", 8_060.0, 2.0, 11_250.0),
        // Fast and slow cores: one thread of a fast core, as if all sixteen processors were such.
        ("core-i7-1360p", 4_601.0 * 16.0, 16.0, 25_390.0),
        // One thread, too: two of a core have a third less each.
        ("ryzen-ai-max-395", 6_361.0 * 32.0, 32.0, 36_252.0),
        ("core-ultra-9-185h", 5_558.0 * 22.0, 22.0, 21_365.0),
        ("ryzen-9-7900", 7_885.0 * 24.0, 24.0, 26_390.0),
    ] {
        let found = machine(name);
        assert!((f64::from(found.processors) - threads).abs() < 1e-9, "{name}");
        let slower = 3_900.0 / (mips / threads);
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 0.06;
        let times = [
            (found.calls.read, reference.calls.read),
            (found.cache.write_page, reference.cache.write_page),
            (found.cache.allocate, reference.cache.allocate),
            (found.block.submit, reference.block.submit),
        ];
        for (here, there) in times {
            assert!(near(here.as_seconds() / there.as_seconds(), slower), "{name}: {here} and {there}");
        }
        for copy in [&found.copy.to_user, &found.copy.from_user] {
            let CopyCurve::Threshold { page_in_l2, page_from_memory, .. } = copy else { panic!("{name}") };
            let page = 4_096.0 / (memcpy_mb * 1e6);
            assert!(near(page_from_memory.as_seconds(), page), "{name}: {page_from_memory}");
            assert!(page_in_l2 < page_from_memory, "{name}");
        }
    }
}

fn machine(name: &str) -> MachineParameters {
    toml::from_str(MACHINES.text(name).unwrap()).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// From which version on a kernel has a rule; the profiles of kernels in use have each as of theirs.
#[test]
fn kernels_have_the_rules_of_their_versions() {
    type Holds = fn(&KernelParameters) -> bool;
    let since: [((u32, u32), &str, Holds); 12] = [
        ((4, 10), "write-back is throttled under blk-mq (blk-wbt)", |kernel| {
            kernel.block.write_back_throttling
        }),
        ((4, 10), "writes that are waited for are told so", |kernel| {
            kernel.block.awaited_writes == AwaitedWrites::Synchronous
        }),
        ((4, 15), "blk-mq has mq-deadline for a device of one queue", |kernel| {
            kernel.block.multi_queue && kernel.block.scheduler == "mq-deadline"
        }),
        ((5, 1), "io_uring", |kernel| kernel.ring != Ring::Missing),
        ((5, 3), "a commit waits for a range of a file", |kernel| kernel.ordered_data != OrderedData::File),
        ((5, 6), "extents are unwritten until their data are there (dioread_nolock)", |kernel| {
            kernel.ordered_data == OrderedData::Converted
        }),
        ((5, 9), "buffered reads of io_uring need no thread (IOCB_WAITQ)", |kernel| {
            kernel.ring == Ring::ThreadsButReads
        }),
        ((5, 13), "bitmaps are read ahead of their use (prefetch_block_bitmaps)", |kernel| {
            kernel.prefetches_bitmaps
        }),
        ((6, 4), "pages whose data are in the journal are dirty", |kernel| kernel.logged_data_are_dirty),
        ((6, 11), "a transaction has a third of a journal", |kernel| kernel.transactions_per_journal == 3),
        ((6, 16), "ext4 has large folios", |kernel| kernel.page_cache.largest_folio.get() > 4096),
        ((6, 17), "reading ahead by folios, requests of 4 MiB", |kernel| {
            kernel.read_ahead.algorithm != ReadAheadAlgorithm::OnDemand
                && kernel.block.largest_request.get() == 4 << 20
        }),
    ];
    let mut looked_at = 0;
    for name in KERNELS.names() {
        let Some((major, minor)) = name.strip_prefix("linux-").and_then(|version| version.split_once('.'))
        else {
            continue;
        };
        let (Ok(major), Ok(minor)) = (major.parse::<u32>(), minor.parse::<u32>()) else { continue };
        if major < 4 {
            continue;
        }
        looked_at += 1;
        let kernel: KernelParameters = toml::from_str(KERNELS.text(name).unwrap()).unwrap();
        for (from, rule, holds) in since {
            assert_eq!(holds(&kernel), (major, minor) >= from, "{name}: {rule}, since {from:?}");
        }
    }
    assert_eq!(looked_at, 8);
}
