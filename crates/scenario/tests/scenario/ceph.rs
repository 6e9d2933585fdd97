//! Ceph's RBD: floors and ceilings, what must be monotone, OSDs that stop, and what can't be.

use crate::common::{once, problem};
use petrio_scenario::report::{Report, terminal_text};

/// Three hosts of an OSD each, on an image of 64 MiB.
struct Site {
    osds: u32,
    pool: String,
    link: &'static str,
    disk: &'static str,
    work: String,
}

impl Default for Site {
    fn default() -> Self {
        Self {
            osds: 3,
            pool: "image = \"64 MiB\"".to_owned(),
            link: "1 Gbit/s",
            disk: "drive.latency = \"50 us\"\ndrive.rate = \"500 MB/s\"",
            work: random("rewrite", 1, 400),
        }
    }
}

fn random(operation: &str, processes: u32, operations: u32) -> String {
    format!(
        "operation = \"{operation}\"\npattern = \"random\"\nrecord = \"4 KiB\"\nprocesses = {processes}\noperations = {operations}\nfile_size = \"{} MiB\"",
        64 / processes
    )
}

fn sequential(operation: &str, processes: u32) -> String {
    format!(
        "operation = \"{operation}\"\npattern = \"sequential\"\nrecord = \"4 MiB\"\nprocesses = {processes}\nfile_size = \"{} MiB\"",
        64 / processes
    )
}

impl Site {
    fn text(&self) -> String {
        let Self { osds, pool, link, disk, work } = self;
        format!(
            "[disk.d]\nmodel = \"constant-rate\"\ncount = {osds}\ndrive.blocks = \"2000000 blocks\"\n{disk}\n\
             [network.net]\nlink = {{ rate = \"{link}\", latency = \"10 us\" }}\n\
             [ceph.rbd]\non = \"d*\"\nnodes = {{ network = \"net\" }}\n{pool}\n\
             [host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nfs.x = {{ type = \"raw\", on = \"rbd\" }}\n\
             [workload.w]\nkind = \"files\"\non = \"h/x\"\ndirect = true\n{work}\n"
        )
    }

    fn run(&self) -> Report {
        once(&self.text())
    }
}

/// Bytes a second of the run.
fn rate(report: &Report) -> f64 {
    let ceph = &report.ceph[0];
    (ceph.read_bytes + ceph.written_bytes) as f64 / report.simulated_s
}

fn seconds(site: &Site) -> f64 {
    site.run().simulated_s
}

#[test]
fn a_stream_of_writes_is_as_fast_as_links_pass_its_copies_and_no_faster() {
    // The client's link passes each byte once, and all OSDs' links together pass size - 1 copies of it on.
    let of = |size: u32| {
        let pool = format!("image = \"64 MiB\"\nsize = {size}");
        rate(&Site { pool, work: sequential("rewrite", 16), ..Site::default() }.run())
    };
    let link: f64 = 1e9 / 8.0 * 1448.0 / 1538.0;
    for size in 1..=3u32 {
        let ceiling = link.min(3.0 * link / f64::from(size.saturating_sub(1).max(1)));
        let found = of(size);
        assert!(found <= ceiling * 1.001, "{size}: {found} above {ceiling}");
        assert!(found > 0.5 * ceiling, "{size}: {found} of {ceiling}");
    }
    assert!(of(1) >= of(2) && of(2) >= of(3));
}

#[test]
fn devices_write_each_copy_and_its_transaction_once() {
    for size in 1..=3u64 {
        let pool = format!("image = \"64 MiB\"\nsize = {size}");
        let report = Site { pool, ..Site::default() }.run();
        let ceph = &report.ceph[0];
        assert_eq!((ceph.writes, ceph.transactions), (400, 400 * size));
        assert_eq!(ceph.direct_bytes, 400 * size * 4096);
        // Alone, each transaction is a batch, in whole blocks of the log.
        assert_eq!((ceph.batches, ceph.log_bytes), (400 * size, 400 * size * 8192));
        assert_eq!(ceph.write_amplification, Some(3.0 * size as f64));
    }
}

#[test]
fn small_writes_on_what_turns_go_by_way_of_the_log() {
    let disk = "drive.latency = \"50 us\"\ndrive.rate = \"500 MB/s\"";
    let pool = |more: &str| format!("image = \"64 MiB\"\n{more}");
    let with = |more: &str| Site { pool: pool(more), disk, ..Site::default() }.run().ceph[0].clone();
    let at_once = with("");
    let deferred = with("store = { prefer_deferred_size = \"64 KiB\", deferred_batch = 64 }");
    assert_eq!((at_once.deferred_bytes, deferred.direct_bytes), (0, 0));
    assert!(deferred.log_bytes >= at_once.log_bytes + 400 * 3 * 4096 - 400 * 3 * 4096 / 2);
    // What was written twice before it went to its place is written there once.
    assert!(deferred.deferred_bytes <= 400 * 3 * 4096 && deferred.deferred_bytes > 300 * 3 * 4096);
}

#[test]
fn an_erasure_coded_pool_writes_k_plus_m_shards_and_reads_stripes_before_it_writes_parts() {
    let pool = "image = \"64 MiB\"\nerasure = { data = 4, coding = 2 }".to_owned();
    let with = |work: String| Site { osds: 6, pool: pool.clone(), work, ..Site::default() }.run();
    let whole = with(sequential("rewrite", 1)).ceph[0].clone();
    assert_eq!(whole.read_modify_writes, 0);
    assert_eq!(whole.direct_bytes, (64 << 20) * 6 / 4);
    // A stripe of 16 KiB for 4 KiB: each of six shards writes 4 KiB, and four read.
    let part = with(random("rewrite", 1, 300)).ceph[0].clone();
    assert_eq!(part.read_modify_writes, 300);
    assert_eq!(part.direct_bytes, 300 * 6 * 4096);
    let read = with(random("read", 1, 300)).ceph[0].clone();
    assert_eq!((read.reads, read.direct_bytes), (300, 0));
}

#[test]
fn more_copies_are_slower_and_faster_devices_and_more_osds_are_not() {
    let of_size =
        |size: u32| seconds(&Site { pool: format!("image = \"64 MiB\"\nsize = {size}"), ..Site::default() });
    assert!(of_size(1) < of_size(2) && of_size(2) <= of_size(3));
    let of_disk = |disk| seconds(&Site { disk, ..Site::default() });
    let [slow, usual, fast] = [
        of_disk("drive.latency = \"5 ms\"\ndrive.rate = \"50 MB/s\""),
        of_disk("drive.latency = \"500 us\"\ndrive.rate = \"50 MB/s\""),
        of_disk("drive.latency = \"5 us\"\ndrive.rate = \"50 MB/s\""),
    ];
    assert!(slow > usual && usual > fast);
    let of_osds = |osds| {
        seconds(&Site {
            osds,
            work: random("rewrite", 16, 60),
            disk: "drive.latency = \"3 ms\"\ndrive.rate = \"50 MB/s\"",
            ..Site::default()
        })
    };
    assert!(of_osds(9) < of_osds(3), "{} and {}", of_osds(9), of_osds(3));
    let of_link = |link| seconds(&Site { link, ..Site::default() });
    assert!(of_link("100 Mbit/s") > of_link("1 Gbit/s") && of_link("1 Gbit/s") > of_link("10 Gbit/s"));
    let of_cache = |pool: &str| {
        let work = random("read", 1, 3000).replace("64 MiB", "4 MiB");
        let disk = "drive.latency = \"5 ms\"\ndrive.rate = \"50 MB/s\"";
        Site { work, pool: pool.to_owned(), disk, ..Site::default() }.run()
    };
    let without = of_cache("image = \"64 MiB\"");
    let with = of_cache("image = \"64 MiB\"\nstore = { cache = \"64 MiB\" }");
    assert_eq!((without.ceph[0].reads, without.ceph[0].remembered), (3000, 0));
    assert!(with.ceph[0].remembered > 1000 && with.simulated_s < without.simulated_s, "{:?}", with.ceph);
}

#[test]
fn a_depth_of_one_is_served_one_after_the_other() {
    let pool = "image = \"64 MiB\"\nqueue_depth = 1".to_owned();
    let narrow = Site { pool, work: random("read", 8, 50), ..Site::default() };
    let wide = Site { work: random("read", 8, 50), ..Site::default() };
    assert!(seconds(&narrow) > 2.0 * seconds(&wide));
}

fn stopping(stops: &str, more: &str, think: &str, operations: u32) -> Report {
    Site {
        osds: 4,
        pool: format!("image = \"64 MiB\"\nstops = [{stops}]\nrecovery = {{ grace = \"2 s\", down_out_interval = \"5 s\" }}\n{more}"),
        work: format!("{}\nthink_time = \"{think}\"", random("rewrite", 4, operations)),
        ..Site::default()
    }
    .run()
}

#[test]
fn an_osd_that_stops_is_waited_for_then_done_without_and_then_others_take_over() {
    let report = stopping("{ osd = 1, at = \"1 s\" }", "", "20 ms", 800);
    let ceph = &report.ceph[0];
    assert_eq!(ceph.writes, 4 * 800, "all is answered");
    assert_eq!(ceph.stopped, 1);
    assert!(ceph.sent_again > 0 && ceph.degraded_writes > 0, "{ceph:?}");
    // What lay on it is brought elsewhere: three quarters of 16 objects and their copies, more or less.
    assert!((6..=24).contains(&ceph.objects_filled), "{ceph:?}");
    assert_eq!(ceph.groups_short, 0);
    // From when it was found out until the last was brought: beyond the interval, but not for long.
    assert!(ceph.exposed_s > 5.0 && ceph.exposed_s < 7.0, "{ceph:?}");
    let told = terminal_text(&report, None, 120);
    assert!(told.contains("1 OSD stopped"), "{told}");
}

#[test]
fn an_osd_that_comes_back_in_time_gets_what_was_written_meanwhile() {
    let report = stopping("{ osd = 1, at = \"1 s\", returns_after = \"4 s\" }", "", "20 ms", 400);
    let ceph = &report.ceph[0];
    assert_eq!((ceph.writes, ceph.groups_short), (1600, 0));
    assert!(ceph.objects_filled > 0 && ceph.objects_filled <= 16, "{ceph:?}");
    assert!(ceph.exposed_s > 1.9 && ceph.exposed_s < 4.0, "{ceph:?}");
}

#[test]
fn below_min_size_nothing_is_served_until_enough_are_back() {
    let two = "{ osd = 0, at = \"1 s\", returns_after = \"8 s\" }, { osd = 1, at = \"1 s\", returns_after = \"8 s\" }";
    let report = stopping(two, "size = 2\nmin_size = 2", "20 ms", 300);
    let ceph = &report.ceph[0];
    assert_eq!((ceph.writes, ceph.degraded_writes), (1200, 0));
    assert!(ceph.blocked > 0 && ceph.unserved_s > 1.0, "{ceph:?}");
    let served = stopping(two, "size = 2\nmin_size = 1", "20 ms", 300);
    assert!(served.ceph[0].degraded_writes > 0 && served.ceph[0].blocked < ceph.blocked, "{served:?}");
}

#[test]
fn erasure_coded_data_are_made_again_from_others() {
    let report = stopping(
        "{ osd = 2, at = \"1 s\", returns_after = \"4 s\" }",
        "erasure = { data = 2, coding = 1 }\nmin_size = 2",
        "20 ms",
        300,
    );
    let ceph = &report.ceph[0];
    assert_eq!((ceph.writes, ceph.groups_short), (1200, 0));
    assert!(ceph.degraded_writes > 0 && ceph.objects_filled > 0, "{ceph:?}");
}

#[test]
fn a_file_system_lies_on_it_and_partitions_are_images_of_several_hosts() {
    let text = "[disk.d]\nmodel = \"constant-rate\"\ncount = 4\ndrive.blocks = \"2000000 blocks\"\ndrive.latency = \"50 us\"\n\
        [network.net]\nlink = { rate = \"1 Gbit/s\", latency = \"10 us\" }\n\
        [ceph.rbd]\non = \"d*\"\nosds_per_host = 2\nsize = 2\nnodes = { network = \"net\" }\nimage = \"512 MiB\"\n\
        [host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nfs.x = { type = \"ext4\", on = \"rbd\" }\n\
        [workload.w]\nkind = \"files\"\non = \"h/x\"\noperation = \"write\"\nrecord = \"64 KiB\"\nfile_size = \"32 MiB\"\nfsync = \"at-end\"\n";
    let report = once(text);
    assert!(report.ceph[0].written_bytes >= 32 << 20, "{:?}", report.ceph);
    let rows: Vec<&str> = report.stages.iter().map(|stage| stage.name.as_str()).collect();
    for name in ["net/rbd/up", "net/d*/up", "net/d*/down", "rbd-hosts/d0/processor", "rbd-hosts/d2/processor"]
    {
        assert!(rows.contains(&name), "{name} in {rows:?}");
    }
    assert!(!rows.contains(&"rbd-hosts/d1/processor"), "two OSDs are in one host");
}

#[test]
fn what_a_pool_cannot_be_is_told() {
    let with =
        |osds: u32, pool: &str| problem(&Site { osds, pool: pool.to_owned(), ..Site::default() }.text());
    for (osds, pool, expected) in [
        (3, "image = \"64 MiB\"\nsize = 4", "4 copies lie on 4 different hosts"),
        (4, "image = \"64 MiB\"\nosds_per_host = 2", "there are 2 hosts"),
        (3, "image = \"64 MiB\"\nmin_size = 4", "min_size 4 is more than the 3 copies"),
        (3, "image = \"64 MiB\"\npg_num = 0", "pg_num = 0 can't be"),
        (3, "image = \"64 MiB\"\nsize = 0", "a pool of size 0"),
        (3, "image = \"64 MiB\"\nerasure = { data = 0, coding = 1 }", "erasure.data = 0"),
        (3, "image = \"64 MiB\"\nerasure = { data = 2, coding = 0 }", "erasure.coding = 0"),
        (
            3,
            "image = \"64 MiB\"\nerasure = { data = 2, coding = 1 }\nmin_size = 1",
            "less than what data are made of",
        ),
        (3, "image = \"64 MiB\"\nsize = 2\nerasure = { data = 2, coding = 1 }", "says copies"),
        (3, "image = \"64 MiB\"\nobject = \"3 MiB\"", "a power of two"),
        (3, "image = \"100 GiB\"", "its device has room for"),
        (3, "image = \"1000000 TiB\"", "more than can be held here"),
        (3, "image = \"64 MiB\"\nstops = [{ osd = 3, at = \"1 s\" }]", "OSD 3 stops, and there are 3"),
        (
            3,
            "image = \"64 MiB\"\nstops = [{ osd = 1, at = \"1 s\" }, { osd = 1, at = \"2 s\" }]",
            "stops twice",
        ),
        (3, "image = \"64 MiB\"\nstore = { shards = 0 }", "store.shards = 0"),
        (3, "image = \"64 MiB\"\nrecovery = { max_backfills = 0 }", "recovery.max_backfills = 0"),
        (3, "", "\"image\" is missing"),
    ] {
        let told = with(osds, pool);
        assert!(told.contains(expected), "{pool}: {told}");
    }
}

#[test]
fn an_osd_does_not_lie_on_the_image_that_it_serves() {
    let text = Site::default().text().replace("on = \"d*\"", "on = [\"d0\", \"d1\", \"rbd\"]");
    assert!(problem(&text).contains("is made of itself"), "{}", problem(&text));
    let circle = Site::default().text().replace("on = \"d*\"", "on = [\"d0\", \"d1\", \"limit\"]")
        + "[fabric.limit]\non = \"rbd\"\nadapter = \"1 us\"\nlatency = \"1 us\"\nrate = \"1 GB/s\"\n";
    let told = problem(&circle);
    assert!(told.contains("made of itself"), "{told}");
    let twice = Site::default().text().replace("on = \"d*\"", "on = [\"d0\", \"d1\", \"d1\"]");
    assert!(problem(&twice).contains("is named twice"), "{}", problem(&twice));
    let unknown =
        Site::default().text().replace("nodes = { network = \"net\" }", "nodes = { network = \"none\" }");
    assert!(problem(&unknown).contains("no network is called \"none\""), "{}", problem(&unknown));
}
