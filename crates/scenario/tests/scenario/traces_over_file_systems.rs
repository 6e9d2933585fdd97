//! A trace whose files lie on several file systems of a host, as on the machine that was traced.

use crate::common::once_of;
use petrio_scenario::report::Report;
use petrio_scenario::{Loaded, load, load_text};
use std::path::Path;

/// A process that reads below `/` and writes below `/home`, by turns; the trace saw the two on devices 1 and 2.
const TRACE: &str = "# petrio event trace, version 1\n\
    time_ps,kind,process,device,inode,path,offset,length\n\
    0,open,7,1,11,\"/a\",,0\n\
    1000000000,read,7,1,11,\"/a\",0,65536\n\
    2000000000,open,7,2,12,\"/home/b\",,0\n\
    3000000000,write,7,2,12,\"/home/b\",0,65536\n\
    3500000000,fsync,7,2,12,\"/home/b\",,0\n\
    4000000000,read,7,1,11,\"/a\",65536,65536\n";

fn with_places(places: &str) -> Result<Loaded, String> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("two.csv"), TRACE).unwrap();
    let text = format!(
        r#"
        [disk.d]
        model = "sata-750gb-7200"
        [disk.e]
        model = "seagate-savvio-10k4"
        [host.h]
        machine = "epyc-9005-2vcpu"
        kernel = "linux-6.18"
        [fs.root]
        type = "ext4"
        on = "d"
        [fs.home]
        type = "ext4"
        on = "e"
        [workload.t]
        kind = "events"
        on = "root"
        file = "two.csv"
        {places}
        "#
    );
    let loaded = load_text("test.toml", &text, Some(folder.path()), &[]);
    loaded.map_err(|problems| problems.iter().map(|problem| problem.to_string() + "\n").collect())
}

/// Bytes of data read from and written to a device.
fn data(report: &Report, device: &str) -> (u64, u64) {
    let there = report.traffic.iter().find(|traffic| traffic.name == device).unwrap();
    let of_data = there.purposes.iter().filter(|purpose| purpose.purpose == "data");
    of_data.fold((0, 0), |sum, row| (sum.0 + row.reads.bytes, sum.1 + row.writes.bytes))
}

#[test]
fn each_file_of_a_trace_lies_where_its_path_or_its_device_says() {
    for places in [
        "places = { \"/home\" = \"home\" }",
        "places = { 2 = \"home\" }",
        "places = { \"/home/\" = \"home\" }",
    ] {
        let report = once_of(&with_places(places).unwrap());
        // Six calls, and not six on each.
        assert_eq!(report.served.requests.completed, 6, "{places}");
        assert_eq!(data(&report, "e"), (0, 65_536), "{places}");
        let (read, written) = data(&report, "d");
        assert!(read >= 131_072 && written == 0, "{places}: {read} {written}");
    }
}

#[test]
fn the_longest_beginning_of_a_path_counts_and_paths_count_before_devices() {
    // All of device 2 would go home; what is below /home goes to the root by its path.
    let report = once_of(&with_places("places = { \"/\" = \"root\", \"/home\" = \"home\" }").unwrap());
    assert_eq!(data(&report, "e"), (0, 65_536));
    let refused = with_places("places = { \"/\" = \"root\", 2 = \"home\" }").unwrap_err();
    assert!(refused.contains("no file of the trace lies below \"2\""), "{refused}");
}

#[test]
fn places_that_are_nowhere_are_refused() {
    let nowhere = with_places("places = { \"/home\" = \"house\" }").unwrap_err();
    assert!(nowhere.contains("house"), "{nowhere}");
    let empty = with_places("places = { \"/hom\" = \"home\" }").unwrap_err();
    assert!(empty.contains("no file of the trace lies below \"/hom\""), "{empty}");
}

#[test]
fn a_whole_machine_is_replayed_on_its_seven_file_systems_in_one_order() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/whole-machine.toml");
    let report = once_of(&load(&example, &[]).unwrap());
    // Every call of the trace once; each of the six disks has had something to do.
    assert_eq!(report.served.requests.completed, 669);
    let moved = |row: &petrio_scenario::report::TrafficFigures| -> u64 {
        row.purposes.iter().map(|purpose| purpose.reads.bytes + purpose.writes.bytes).sum()
    };
    assert_eq!(report.traffic.iter().map(|row| row.devices).sum::<u64>(), 6);
    assert!(report.traffic.iter().all(|row| moved(row) > 0));
}
