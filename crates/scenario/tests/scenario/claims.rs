//! What a report warns of is so: each claim is held to a run in which it must be made and one in which it mustn't.

use crate::common::{loaded, once, once_of};
use petrio_scenario::report::Report;
use petrio_scenario::run::{RunFailure, look_at_lock_step, look_behind};
use petrio_scenario::{Claim, Loaded, Warning, load_text};
use std::collections::BTreeSet;
use std::path::Path;

/// Requests to a disk that takes 10 ms for each, which come as often as is said.
fn queue(every: &str, requests: u32, measure: &str) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
drive = {{ latency = "10 ms", rate = "100 GB/s" }}
[workload.w]
kind = "synthetic"
on = "d"
requests = {requests}
generators = [{{ read_fraction = 1, inter_arrival = {{ exponential = {{ mean = "{every}" }} }}, size = "512 B" }}]
[measure]
{measure}
"#
    )
}

/// A script on a file system, with files of its own.
fn script(script: &str, more: &str) -> String {
    format!(
        r#"
[disk.d]
model = "constant-rate"
[host.h]
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"
memory = "64 MiB"
[fs.data]
type = "ext3"
on = "d"
size = "128 MiB"
[workload.w]
kind = "script"
on = "data"
script = """{script}"""
{more}
"#
    )
}

/// Two workloads on disks of their own, of so many requests each.
fn two(requests: [u32; 2]) -> String {
    let part = |number: usize| {
        format!(
            "[disk.d{number}]\nmodel = \"constant-rate\"\n[workload.w{number}]\nkind = \"synthetic\"\non = \"d{number}\"\n\
             requests = {}\ngenerators = [{{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = \"10 ms\", \
             size = \"4 KiB\" }}]\n",
            requests[number]
        )
    };
    part(0) + &part(1)
}

/// Commits to a file on a file system mounted so, on a drive like this.
fn synchronous(mount: &str, drive: &str, kernel: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{drive}\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{kernel}\"\n\
         [fs.data]\ntype = \"ext3\"\non = \"d\"\nsize = \"128 MiB\"\n{mount}\n{COMMITS}"
    )
}

const COMMITS: &str = "[workload.w]\nkind = \"files\"\non = \"data\"\noperation = \"rewrite\"\npattern = \"random\"\n\
     record = \"4 KiB\"\nfile_size = \"16 MiB\"\noperations = 60\nfsync = { every = 1 }\n";

/// The same on drives behind a controller with so much memory.
fn behind_a_controller(memory: &str, operations: u32) -> String {
    let commits = COMMITS.replace("operations = 60", &format!("operations = {operations}"));
    format!(
        "[disk.d]\nmodel = \"seagate-savvio-10k4\"\nwrite_cache = \"off\"\ncount = 3\n[raid.array]\nuse = \"perc-h700\"\nlevel = 5\n\
         on = \"d*\"\nstripe_unit = \"8 KiB\"\ncontroller.cache.size = \"{memory}\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \
         \"linux-6.18\"\n[fs.data]\ntype = \"ext3\"\non = \"array\"\nsize = \"128 MiB\"\n{commits}"
    )
}

/// Reads of a file six times over.
fn reads(how: &str) -> String {
    synchronous("", "", "linux-6.18").replace(
        COMMITS,
        &format!(
            "[workload.w]\nkind = \"files\"\non = \"data\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"8 KiB\"\n\
             file_size = \"4 MiB\"\npasses = 6\n{how}\n"
        ),
    )
}

/// A disk that answers each read after so long, looked at for two seconds beside one that answers at once.
fn slow(latency: &str) -> String {
    let both = two([100, 10]);
    let drive = format!(
        "[disk.d1]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"{latency}\", rate = \"1 GB/s\" }}\n"
    );
    both.replace("[disk.d1]\nmodel = \"constant-rate\"\n", &drive) + "[measure]\nstop = { time = \"2 s\" }\n"
}

/// Requests of which one lies at this block, each of which a trace has.
fn beyond(rule: &str, block: u64) -> String {
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"{}.trace\"]\nout_of_range = \"{rule}\"\n",
        if block > 1 << 20 { "far" } else { "near" }
    )
}

/// What files hold that scenarios name: requests, as time in milliseconds, device, block, blocks, and whether it is a read (DiskSim's
/// ASCII), calls (petrio's own columns), and placements.
const FILES: [(&str, &str); 9] = [
    ("near.trace", "0.0 0 1024 8 1\n1.0 0 8 8 1\n"),
    ("far.trace", "0.0 0 1099511627776 8 1\n1.0 0 8 8 1\n"),
    // One process takes a file away that another one reads later; or earlier.
    (
        "gone.csv",
        "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length\n0,open,7,1,5,/a,,\n1000000,read,7,1,5,/a,0,4096\n2000000,close,7,1,5,/a,,\n\
         900000000000,unlink,8,1,5,/a,,\n1000000000000,read,9,1,5,/a,0,4096\n",
    ),
    (
        "there.csv",
        "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length\n0,open,7,1,5,/a,,\n1000000,read,7,1,5,/a,0,4096\n2000000,close,7,1,5,/a,,\n\
         900000000000,unlink,8,1,5,/a,,\n",
    ),
    // A close knows of more than is recorded before it.
    (
        "compact.csv",
        "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length,bytes_read,reads\n0,open,7,1,5,/a,,,,\n1000000,read,7,1,5,/a,0,4096,,\n\
         2000000,close,7,1,5,/a,,,65536,16\n",
    ),
    (
        "full.csv",
        "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length,bytes_read,reads\n0,open,7,1,5,/a,,,,\n1000000,read,7,1,5,/a,0,4096,,\n\
         2000000,close,7,1,5,/a,,,4096,1\n",
    ),
    // The first read of a file was answered from memory.
    (
        "warm.csv",
        "# petrio event trace, version 1\ntime_ps,kind,process,device,inode,path,offset,length,hit\n0,open,7,1,5,/a,,,\n1000000,read,7,1,5,/a,0,4096,1\n2000000,close,7,1,5,/a,,,\n",
    ),
    ("nobody.csv", "file,partition,server\nnobody,0,server/data\n"),
    ("known.csv", "file,partition,server\nw.0.0,0,server/data\n"),
];

/// Calls of a trace, replayed.
fn replayed(trace: &str, more: &str) -> String {
    let text = script("stat /", "");
    let (parts, _) = text.split_once("[workload.w]").unwrap();
    format!("{parts}[workload.w]\nkind = \"events\"\non = \"data\"\nfile = \"{trace}\"\n{more}\n")
}

/// Clients that write to one server at once over a switch with so much room before each link.
fn incast(buffer: &str) -> String {
    let host = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"";
    format!(
        "[network.lan]\nuse = \"gigabit-ethernet\"\nlevel = \"packet\"\nlink.buffer = \"{buffer}\"\n[host.client]\ncount = 6\n{host}\n\
         [host.server]\n{host}\n[host.server.disk.d]\nmodel = \"constant-rate\"\n[host.server.fs.data]\ntype = \"ext4\"\non = \"d\"\n\
         [pvfs.work]\nclients = \"client*\"\nservers = \"server/data\"\n\
         [workload.w]\nkind = \"files\"\non = \"client*/work\"\noperation = \"write\"\nrecord = \"256 KiB\"\nfile_size = \"1 MiB\"\n"
    )
}

/// Clients that write to one server at once over a network of this level.
fn several_to_one(level: &str) -> String {
    incast("16 MiB").replace("level = \"packet\"\nlink.buffer = \"16 MiB\"", &format!("level = \"{level}\""))
}

const FREE: &str = "costs = { operation = \"0 s\", call = \"0 s\", answer = \"0 s\", serve = \"0 s\" }";

/// A client that writes to a share on a network of this level; links and shares may be free of costs.
fn share(level: &str, costs: &str, more: &str) -> String {
    let links = match costs {
        "" => "",
        _ => "costs = { send = \"0 s\", receive = \"0 s\", send_kib = \"0 s\", receive_kib = \"0 s\" }",
    };
    let host = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"";
    format!(
        "[network.lan]\nuse = \"gigabit-ethernet\"\nlevel = \"{level}\"\nwindow = \"64 KiB\"\n{links}\n[host.client]\n{host}\n[host.server]\n{host}\n\
         [host.server.disk.d]\nmodel = \"constant-rate\"\n[host.server.fs.data]\ntype = \"ext4\"\non = \"d\"\n\
         [share.work]\nclients = \"client\"\nservers = \"server/data\"\n{costs}\n{more}\n\
         [workload.w]\nkind = \"files\"\non = \"client/work\"\noperation = \"write\"\nrecord = \"4 KiB\"\nfile_size = \"256 KiB\"\n"
    )
}

/// What a report is looked at with, beyond its own run.
type Look = fn(&Loaded, &mut Report) -> Result<(), RunFailure>;

fn at_itself(_: &Loaded, _: &mut Report) -> Result<(), RunFailure> {
    Ok(())
}

/// Each claim, a run that makes it, and one that doesn't, of those that need no further look.
fn held() -> Vec<(Claim, String, String)> {
    let count = "[measure]\non_error = \"count\"\n";
    let guard = |most: u32| queue("100 ms", 50, &format!("max_requests = {most}"));
    vec![
        (Claim::Overloaded, queue("8 ms", 2_000, ""), queue("12 ms", 2_000, "")),
        (
            Claim::NothingCompleted,
            queue("1 s", 10, "stop = { time = \"1 ms\" }"),
            queue("100 ms", 10, "stop = { time = \"5 s\" }"),
        ),
        (Claim::BrokenOff, guard(20), guard(60)),
        (Claim::EndedEarly, two([20, 200]), two([190, 200])),
        (
            Claim::FoundNothing,
            script("file a 10 KiB\nread a 10 KiB 4 KiB", ""),
            script("file a 10 KiB\nread a 0 4 KiB", ""),
        ),
        (
            Claim::Failed,
            script("file a 4 KiB\nwrite a 0 256 MiB", count),
            script("file a 4 KiB\nwrite a 0 256 KiB", count),
        ),
        (Claim::Waits, slow("10 s"), slow("10 ms")),
        (
            Claim::WideInterval,
            queue("10.5 ms", 40, "replications = 2"),
            queue("100 ms", 100, "replications = 3"),
        ),
        (Claim::BeyondEnd, beyond("wrap", 1 << 40), beyond("wrap", 1 << 10)),
        (Claim::CostsNothing, share("train", FREE, ""), share("train", "", "")),
        (Claim::NoEffect, share("ideal", "", ""), share("train", "", "")),
        (Claim::NotDurable, share("train", "", "writes = \"on-sync\""), share("train", "", "")),
        (
            Claim::NotDurable,
            synchronous("barriers = false", "write_cache = \"on\"", "linux-6.18"),
            synchronous("barriers = false", "write_cache = \"off\"", "linux-6.18"),
        ),
        (
            Claim::NotDurable,
            synchronous("", "write_cache = \"on\"", "linux-2.6.24"),
            synchronous("", "write_cache = \"on\"", "linux-6.18"),
        ),
        (
            Claim::WriteCacheOff,
            synchronous("", "write_cache = \"off\"", "linux-6.18"),
            synchronous("", "write_cache = \"on\"", "linux-6.18"),
        ),
        (Claim::Thrashing, own_memory("48 MiB"), own_memory("16 MiB")),
        // What a controller's memory takes waits for no platter.
        (Claim::WriteCacheOff, behind_a_controller("64 KiB", 200), behind_a_controller("64 MiB", 200)),
        // A battery keeps what the controller has, and no flush empties its members' caches.
        (
            Claim::NotDurable,
            behind_a_controller("64 KiB", 200).replace("write_cache = \"off\"", "write_cache = \"on\""),
            behind_a_controller("64 KiB", 200),
        ),
        (
            Claim::NotDurable,
            behind_a_controller("64 KiB", 200).replace("write_cache = \"off\"", "write_cache = \"on\""),
            // Without one each flush goes to the members.
            behind_a_controller("64 KiB", 200)
                .replace("write_cache = \"off\"", "write_cache = \"on\"")
                .replace("controller.cache.size", "controller.cache.battery = false\ncontroller.cache.size"),
        ),
        (Claim::PastTheWire, several_to_one("ideal"), several_to_one("fluid")),
        (Claim::NotGathered, share("train", "", ""), share("train", "", "").replace("4 KiB", "64 KiB")),
        (Claim::ColdCaches, reads(""), reads("direct = true")),
        (
            Claim::NotCached,
            script("file a 100 MiB cached\nread a 0 4 KiB", ""),
            script("file a 10 MiB cached\nread a 0 4 KiB", ""),
        ),
        (
            Claim::PrecisionNotReached,
            queue("30 ms", 4, "stop = { precision = \"0.1 %\" }"),
            queue("100 ms", 40, "stop = { precision = \"20 %\" }"),
        ),
        (Claim::ChangedCalls, replayed("gone.csv", ""), replayed("there.csv", "")),
        (Claim::LeftOut, replayed("compact.csv", ""), replayed("full.csv", "")),
        (Claim::BeginsWarm, replayed("warm.csv", ""), replayed("warm.csv", "caches = \"cold\"")),
        (
            Claim::Placement,
            share("train", "", "placement = { profile = \"nobody.csv\" }"),
            share("train", "", "placement = { profile = \"known.csv\" }"),
        ),
        (Claim::Dropped, incast("16 KiB"), incast("16 MiB")),
    ]
}

/// The same of those that a look at further runs makes.
fn looked_at() -> Vec<(Claim, Look, String, String)> {
    vec![
        (Claim::Burst, look_behind, behind_a_cache(150, "0.1 ms"), behind_a_cache(60, "400 ms")),
        (
            Claim::LockStep,
            look_at_lock_step,
            in_step("operation = \"rewrite\"\nfsync = { every = 1 }"),
            in_step("operation = \"read\"\ndirect = true"),
        ),
    ]
}

/// The warnings of a text, with files of a folder.
fn warnings(text: &str, folder: &Path, look: Look) -> Vec<Warning> {
    let loaded = load_text("claims.toml", text, Some(folder), &[]);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    let mut report = once_of(&loaded);
    look(&loaded, &mut report).unwrap();
    report.warnings
}

#[test]
fn each_claim_is_made_where_it_is_so_and_nowhere_else() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in FILES {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let own = held().into_iter().map(|(claim, so, not_so)| (claim, at_itself as Look, so, not_so));
    for (claim, look, so, not_so) in own.chain(looked_at()) {
        let made = |text: &str| warnings(text, folder.path(), look);
        let is_made = |warnings: &[Warning]| warnings.iter().any(|warning| warning.claim == claim);
        let (with, without) = (made(&so), made(&not_so));
        assert!(is_made(&with), "{claim:?} is missing among {with:?}\n{so}");
        assert!(!is_made(&without), "{claim:?} is wrong among {without:?}\n{not_so}");
        // What has no name is read of old reports, and never made.
        let named = with.iter().chain(&without).all(|warning| warning.claim != Claim::Unnamed);
        assert!(named, "{with:?} {without:?}");
    }
}

/// Two processes that have so much memory each, of which they use some before each read, on a host of 64 MiB.
fn own_memory(size: &str) -> String {
    let host = "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nmemory = \"64 MiB\"\nswap = \"256 MiB\"\n";
    let work = "kind = \"files\"\non = \"data\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\n\
                file_size = \"4 MiB\"\ncached = true\nprocesses = 2\noperations = 100\n";
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n{host}[fs.data]\ntype = \"ext4\"\non = \"d\"\n[workload.w]\n{work}\
         memory = {{ size = \"{size}\", uses = \"64 KiB\" }}\n"
    )
}

#[test]
fn no_claim_is_without_a_run_in_which_it_is_made() {
    let name = |claim: Claim| serde_json::to_value(claim).unwrap().as_str().unwrap().to_owned();
    let own = held().into_iter().map(|(claim, ..)| claim);
    let looked_at = looked_at().into_iter().map(|(claim, ..)| claim);
    // Read by the test of old reports.
    let held: BTreeSet<String> = own.chain(looked_at).chain([Claim::Unnamed]).map(name).collect();
    let schema = schemars::schema_for!(Claim).to_value();
    let all: BTreeSet<String> = schema["oneOf"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|one| [one["const"].as_str().map(str::to_owned)].into_iter().flatten())
        .collect();
    assert!(all.len() > 20 && all == held, "{:?}", all.symmetric_difference(&held));
}

#[test]
fn an_overload_is_told_with_what_comes_and_what_is_served() {
    let warnings = once(&queue("8 ms", 2_000, "")).warnings;
    let told = warnings.iter().find(|warning| warning.claim == Claim::Overloaded).unwrap();
    assert!(told.contains("requests a second come and 100 are served"), "{told}");
    let json = serde_json::to_value(told).unwrap();
    assert_eq!(json["claim"], "overloaded");
}

/// A report of form 1 had words alone.
#[test]
fn warnings_without_names_are_read() {
    let read: Warning = serde_json::from_str("\"caches were empty\"").unwrap();
    assert_eq!((read.claim, read.text.as_str()), (Claim::Unnamed, "caches were empty"));
    let again: Warning = serde_json::from_value(serde_json::to_value(&read).unwrap()).unwrap();
    assert_eq!(again, read);
}

/// Writes of 4 KiB at random by eight processes to drives behind a controller with 2 MiB of memory, with a pause between
/// them.
fn behind_a_cache(requests: u32, pause: &str) -> String {
    let generator = format!(
        "{{ read_fraction = 0, time_critical_fraction = 1, size = \"4 KiB\", inter_arrival = {{ exponential = {{ mean = \
         \"{pause}\" }} }} }}, "
    );
    format!(
        "[disk.d]\nmodel = \"seagate-savvio-10k4\"\ncount = 3\n[raid.array]\nuse = \"perc-h700\"\nlevel = 5\non = \"d*\"\n\
         controller.cache.size = \"2 MiB\"\n[workload.w]\nkind = \"synthetic\"\non = \"array\"\nrequests = {requests}\ngenerators = [{}]",
        generator.repeat(8)
    )
}

#[test]
fn a_burst_is_told_with_the_rate_behind_it_and_what_drives_keep_up_with_is_none() {
    let behind = |text: &str| -> Report {
        let mut report = once(text);
        look_behind(&loaded(text), &mut report).unwrap();
        report
    };
    let burst = behind(&behind_a_cache(150, "0.1 ms"));
    let told = burst.warnings.iter().find(|warning| warning.claim == Claim::Burst).unwrap();
    let sustained = burst.sustained.unwrap();
    assert!((0.2..0.5).contains(&sustained.filled), "{told}");
    let rate = sustained.requests_per_s.unwrap();
    assert!(rate < burst.served.requests_per_s.value / 10.0, "{told}");
    // What a run gets that leaves the burst out.
    let long = behind_a_cache(3_000, "0.1 ms") + "\n[measure]\nwarm_up = \"2 s\"\n";
    let long = once(&long).served.requests_per_s.value;
    assert!((0.8..1.25).contains(&(long / rate)), "{long} {told}");
    let paced = behind(&behind_a_cache(60, "400 ms"));
    assert!(paced.sustained.is_none(), "{:?}", paced.warnings);
}

/// Twelve processes that pause for a second between two things, on a file system.
fn in_step(what: &str) -> String {
    synchronous("", "write_cache = \"off\"", "linux-6.18").replace(
        COMMITS,
        &format!(
            "[workload.w]\nkind = \"files\"\non = \"data\"\npattern = \"random\"\nrecord = \"4 KiB\"\nfile_size = \"4 MiB\"\n\
             processes = 12\noperations = 20\nthink_time = \"1 s\"\n{what}\n"
        ),
    )
}
