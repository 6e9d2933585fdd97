//! Scenarios of which each is so, or isn't, by a word.

/// Requests to a disk that takes 10 ms for each, which come as often as is said.
pub(super) fn queue(every: &str, requests: u32, measure: &str) -> String {
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
pub(super) fn script(script: &str, more: &str) -> String {
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
pub(super) fn two(requests: [u32; 2]) -> String {
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
pub(super) fn synchronous(mount: &str, drive: &str, kernel: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"seagate-cheetah-9lp\"\n{drive}\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"{kernel}\"\n\
         [fs.data]\ntype = \"ext3\"\non = \"d\"\nsize = \"128 MiB\"\n{mount}\n{COMMITS}"
    )
}

/// The same with the drive's cache off, under a scheduler.
pub(super) fn under(scheduler: &str, kernel: &str) -> String {
    synchronous(&format!("scheduler = \"{scheduler}\""), "write_cache = \"off\"", kernel)
}

pub(super) const COMMITS: &str = "[workload.w]\nkind = \"files\"\non = \"data\"\noperation = \"rewrite\"\npattern = \"random\"\n\
     record = \"4 KiB\"\nfile_size = \"16 MiB\"\noperations = 60\nfsync = { every = 1 }\n";

/// The same on drives behind a controller with so much memory.
pub(super) fn behind_a_controller(memory: &str, operations: u32) -> String {
    let commits = COMMITS.replace("operations = 60", &format!("operations = {operations}"));
    format!(
        "[disk.d]\nmodel = \"seagate-savvio-10k4\"\nwrite_cache = \"off\"\ncount = 3\n[raid.array]\nuse = \"perc-h700\"\nlevel = 5\n\
         on = \"d*\"\nstripe_unit = \"8 KiB\"\ncontroller.cache.size = \"{memory}\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \
         \"linux-6.18\"\n[fs.data]\ntype = \"ext3\"\non = \"array\"\nsize = \"128 MiB\"\n{commits}"
    )
}

/// Reads of a file six times over.
pub(super) fn reads(how: &str) -> String {
    synchronous("", "", "linux-6.18").replace(
        COMMITS,
        &format!(
            "[workload.w]\nkind = \"files\"\non = \"data\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"8 KiB\"\n\
             file_size = \"4 MiB\"\npasses = 6\n{how}\n"
        ),
    )
}

/// The same with pauses between reads, so that they are as many whatever they find.
pub(super) fn paced_reads(how: &str) -> String {
    let paced = "passes = 1\noperations = 1500\nprocesses = 4\nshared_files = true\nthink_time = { exponential = { mean = \"20 ms\" } }";
    reads(how).replace("passes = 6", paced)
}

/// Five that pause equally long after each of their requests, which take a disk 10 ms.
pub(super) fn out_of_step(pause: &str) -> String {
    let generator = format!(
        "{{ read_fraction = 1, time_critical_fraction = 1, size = \"4 KiB\", inter_arrival = {{ constant = \"{pause}\" }} }}, "
    );
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"10 ms\", rate = \"1 GB/s\" }}\n[workload.w]\nkind = \"synthetic\"\n\
         on = \"d\"\nrequests = 2000\ngenerators = [{}]\n",
        generator.repeat(5)
    )
}

/// A disk that answers each read after so long, looked at for two seconds beside one that answers at once.
pub(super) fn slow(latency: &str) -> String {
    let both = two([100, 10]);
    let drive = format!(
        "[disk.d1]\nmodel = \"constant-rate\"\ndrive = {{ latency = \"{latency}\", rate = \"1 GB/s\" }}\n"
    );
    both.replace("[disk.d1]\nmodel = \"constant-rate\"\n", &drive) + "[measure]\nstop = { time = \"2 s\" }\n"
}

/// Requests of which one lies at this block, each of which a trace has.
pub(super) fn beyond(rule: &str, block: u64) -> String {
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n[workload.w]\nkind = \"trace\"\non = \"d\"\nfiles = [\"{}.trace\"]\nout_of_range = \"{rule}\"\n",
        if block > 1 << 20 { "far" } else { "near" }
    )
}

/// What files hold that scenarios name: requests, as time in milliseconds, device, block, blocks, and whether it is a read (DiskSim's
/// ASCII), calls (petrio's own columns), and placements.
pub(super) const FILES: [(&str, &str); 12] = [
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
    // What io_uring moves nobody sees; lines without times have only their order.
    (
        "uring.strace",
        "7 1700000000.5 open(\"/a\", O_RDWR|O_CREAT, 0644) = 3\n7 1700000000.6 io_uring_enter(4, 1, 1, 0, NULL, 8) = 1\n",
    ),
    ("timeless.strace", "open(\"/a\", O_RDWR|O_CREAT, 0644) = 3\nwrite(3, \"x\", 4096) = 4096\n"),
    (
        "timed.strace",
        "1700000000.5 open(\"/a\", O_RDWR|O_CREAT, 0644) = 3\n1700000000.6 write(3, \"x\", 4096) = 4096\n",
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
pub(super) fn replayed(trace: &str, more: &str) -> String {
    let text = script("stat /", "");
    let (parts, _) = text.split_once("[workload.w]").unwrap();
    format!("{parts}[workload.w]\nkind = \"events\"\non = \"data\"\nfile = \"{trace}\"\n{more}\n")
}

/// Clients that write to one server at once over a switch with so much room before each link.
pub(super) fn incast(buffer: &str) -> String {
    let host = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"";
    format!(
        "[network.lan]\nuse = \"gigabit-ethernet\"\nlevel = \"packet\"\nlink.buffer = \"{buffer}\"\n[host.client]\ncount = 6\n{host}\n\
         [host.server]\n{host}\n[host.server.disk.d]\nmodel = \"constant-rate\"\n[host.server.fs.data]\ntype = \"ext4\"\non = \"d\"\n\
         [pvfs.work]\nclients = \"client*\"\nservers = \"server/data\"\n\
         [workload.w]\nkind = \"files\"\non = \"client*/work\"\noperation = \"write\"\nrecord = \"256 KiB\"\nfile_size = \"1 MiB\"\n"
    )
}

/// Clients that write to one server at once over a network of this level.
pub(super) fn several_to_one(level: &str) -> String {
    incast("16 MiB").replace("level = \"packet\"\nlink.buffer = \"16 MiB\"", &format!("level = \"{level}\""))
}

pub(super) const FREE: &str =
    "costs = { operation = \"0 s\", call = \"0 s\", answer = \"0 s\", serve = \"0 s\" }";

/// A client that writes to a share on a network of this level; links and shares may be free of costs.
pub(super) fn share(level: &str, costs: &str, more: &str) -> String {
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

/// Reads of a Unix host's files, of which each takes no time where it is in memory.
pub(super) fn unix(how: &str, memory: &str) -> String {
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n[unix.host]\non = \"d\"\nmemory = \"{memory}\"\ncall = \"0 s\"\n[workload.w]\nkind = \"files\"\n\
         on = \"host\"\npattern = \"random\"\noperation = \"read\"\nrecord = \"8 KiB\"\nfile_size = \"128 KiB\"\nthink_time = \"10 ms\"\n{how}\n"
    )
}

/// Two processes that have so much memory each, of which they use some before each read, on a host of 64 MiB.
pub(super) fn own_memory(size: &str) -> String {
    let host = "[host.h]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\nmemory = \"64 MiB\"\nswap = \"256 MiB\"\n";
    let work = "kind = \"files\"\non = \"data\"\noperation = \"read\"\npattern = \"random\"\nrecord = \"4 KiB\"\n\
                file_size = \"4 MiB\"\ncached = true\nprocesses = 2\noperations = 100\n";
    format!(
        "[disk.d]\nmodel = \"constant-rate\"\n{host}[fs.data]\ntype = \"ext4\"\non = \"d\"\n[workload.w]\n{work}\
         memory = {{ size = \"{size}\", uses = \"64 KiB\" }}\n"
    )
}

/// Writes of 4 KiB at random by eight processes to drives behind a controller with 2 MiB of memory, with a pause between
/// them.
pub(super) fn behind_a_cache(requests: u32, pause: &str) -> String {
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

/// Twelve processes that pause for a second between two things, on a file system.
pub(super) fn in_step(what: &str) -> String {
    synchronous("", "write_cache = \"off\"", "linux-6.18").replace(
        COMMITS,
        &format!(
            "[workload.w]\nkind = \"files\"\non = \"data\"\npattern = \"random\"\nrecord = \"4 KiB\"\nfile_size = \"4 MiB\"\n\
             processes = 12\noperations = 20\nthink_time = \"1 s\"\n{what}\n"
        ),
    )
}
