//! Copies on storage nodes: as on bare disks where the network takes no time, and slower by what it takes.

use crate::common::{once, problem};

/// Copies on three disks of 1990, read and written by a host's programs or by requests to the device.
fn text(nodes: &str, network: &str, workload: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"hp-7937\"\ncount = 3\n\
         [replication.copies]\non = \"d*\"\n\
         policy = {{ kind = \"cut-back-random\", after = \"5 s\" }}\n{nodes}\n{network}\n{workload}\n"
    )
}

const ON_FILES: &str = "[unix.host]\non = \"copies\"\nmemory = \"8 MiB\"\n\
    [workload.readers]\nkind = \"files\"\non = \"host\"\nprocesses = 4\nstarts_within = \"1 s\"\nbarrier = \"never\"\n\
    pattern = \"random\"\noperation = \"read\"\n\
    record = \"8 KiB\"\nfiles = 2\nfile_size = \"256 KiB\"\noperations = 150\nthink_time = { exponential = { mean = \"120 ms\" } }\n\
    [workload.writers]\nkind = \"files\"\non = \"host\"\nprocesses = 2\nstarts_within = \"1 s\"\nbarrier = \"never\"\n\
    operation = \"write\"\nrecord = \"8 KiB\"\n\
    files = 6\nfile_size = \"64 KiB\"\nthink_time = { exponential = { mean = \"200 ms\" } }\npasses = 2\n";

const ON_BLOCKS: &str = "[workload.w]\nkind = \"synthetic\"\non = \"copies\"\nrequests = 800\n\
    generators = [{ read_fraction = 0.7, inter_arrival = { exponential = { mean = \"40 ms\" } }, size = \"8 KiB\" }]\n";

const NODES: &str = "nodes = { network = \"mesh\" }";

fn mesh(rate: &str, more: &str) -> String {
    format!("[network.mesh]\nlink = {{ rate = \"{rate}\", latency = \"0 s\" }}\n{more}")
}

const FREE: &str = "costs = { send = \"0 s\", receive = \"0 s\", send_kib = \"0 s\", receive_kib = \"0 s\" }";

#[test]
fn behind_an_infinitely_fast_network_they_are_as_on_bare_disks_to_the_digit() {
    // The levels with links see to what takes no time when all else of the instant is over; on files, several requests are of one.
    for (workload, levels) in [(ON_FILES, &["ideal"][..]), (ON_BLOCKS, &["ideal", "train", "fluid"])] {
        let bare = once(&text("", "", workload));
        for level in levels {
            let network = mesh("1000000000 GB/s", &format!("level = \"{level}\"\n{FREE}"));
            let found = once(&text(NODES, &network, workload));
            assert_eq!(found.copies, bare.copies, "{level}");
            assert_eq!(found.simulated_s, bare.simulated_s, "{level}");
        }
    }
}

#[test]
fn a_faster_network_or_processor_is_never_slower_and_memory_saves_reads() {
    let read = |nodes: &str, rate: &str, cost: &str| {
        let costs = format!("costs = {{ send = \"{cost}\", receive = \"{cost}\" }}");
        let found =
            once(&text(&format!("nodes = {{ network = \"mesh\"{nodes} }}"), &mesh(rate, &costs), ON_FILES));
        let copies = &found.copies[0];
        (copies.read_turnaround_ms.mean, copies.remembered)
    };
    let falls = |all: &[f64]| all.windows(2).all(|two| two[1] <= two[0] * 1.05);
    let by_rate = ["0.5 MB/s", "2 MB/s", "100 MB/s"].map(|rate| read("", rate, "20 us").0);
    assert!(falls(&by_rate) && by_rate[2] < 0.9 * by_rate[0], "{by_rate:?}");
    let by_cost = ["2 ms", "500 us", "5 us"].map(|cost| read("", "100 MB/s", cost).0);
    assert!(falls(&by_cost) && by_cost[2] < 0.9 * by_cost[0], "{by_cost:?}");
    let by_work =
        ["10 ms", "2 ms", "0 s"].map(|work| read(&format!(", work = \"{work}\""), "100 MB/s", "5 us").0);
    assert!(falls(&by_work) && by_work[2] < 0.9 * by_work[0], "{by_work:?}");
    let by_memory = ["64 KiB", "512 KiB", "4 MiB"]
        .map(|memory| read(&format!(", memory = \"{memory}\""), "100 MB/s", "5 us"));
    assert!(falls(&by_memory.map(|(read, _)| read)), "{by_memory:?}");
    assert!(
        by_memory.is_sorted_by_key(|(_, remembered)| *remembered) && by_memory[2].1 > 50,
        "{by_memory:?}"
    );
}

#[test]
fn links_and_processors_of_nodes_are_rows_of_the_report() {
    let network = mesh("1 MB/s", "costs = { send = \"100 us\", receive = \"100 us\" }");
    let found = once(&text(NODES, &network, ON_BLOCKS));
    let row = |name: &str| found.stages.iter().find(|stage| stage.name == name).map(|stage| stage.arrivals);
    for name in ["mesh/copies/up", "mesh/d*/up", "copies-nodes/d2/processor", "copies-nodes/copies/processor"]
    {
        let names: Vec<&str> = found.stages.iter().map(|stage| stage.name.as_str()).collect();
        assert!(row(name).is_some_and(|arrivals| arrivals > 0), "{name} in {names:?}");
    }
}

#[test]
fn what_nodes_and_their_network_cannot_be_is_told() {
    let with = |nodes: &str, network: &str| problem(&text(nodes, network, ON_BLOCKS));
    let unknown = with(NODES, "");
    assert!(unknown.contains("no network is called \"mesh\""), "{unknown}");
    let hosts = with(NODES, &mesh("1 MB/s", "hosts = \"host\""));
    assert!(hosts.contains("between the nodes of \"copies\" alone"), "{hosts}");
    let both = with(&format!("{NODES}\nmessages = {{ query = \"1 ms\" }}"), &mesh("1 MB/s", ""));
    assert!(both.contains("cost what their network costs"), "{both}");
    let idle = with("nodes = { network = \"mesh\", processors = 0 }", &mesh("1 MB/s", ""));
    assert!(idle.contains("1 processor or more"), "{idle}");
    let huge = with("nodes = { network = \"mesh\", memory = \"100 TiB\" }", &mesh("1 MB/s", ""));
    assert!(huge.contains("more than can be held"), "{huge}");
}
