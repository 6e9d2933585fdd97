//! The hosts and networks on which fio's jobs of messages run: two hosts for what goes through sockets, two for what adapters do.

use petrio_workload::fio::{FioFile, FioWire, FioWork};

/// What carries messages: the parts' names, the network of the catalogue, and why it.
const fn carrier(wire: FioWire) -> (&'static str, &'static str, &'static str) {
    match wire {
        FioWire::Sockets => ("net", "ethernet-10g", "10 Gbit/s is assumed: petrio catalogue list networks"),
        FioWire::Rdma => {
            ("rdma", "infiniband-edr", "EDR, 100 Gbit/s, is assumed: petrio catalogue list networks")
        }
    }
}

/// The parts that jobs of messages need beside what others do.
pub(super) fn between(file: &FioFile) -> String {
    let has = |wanted: FioWire| {
        file.jobs.iter().any(|job| matches!(&job.work, FioWork::Messages { wire, .. } if *wire == wanted))
    };
    [FioWire::Sockets, FioWire::Rdma].into_iter().filter(|wire| has(*wire)).map(parts).collect()
}

fn parts(wire: FioWire) -> String {
    let (name, network, why) = carrier(wire);
    format!(
        "
[network.{name}]
use = \"{network}\"             # {why}

[host.{name}-end]              # the first one sends, the second one receives
count = 2
machine = \"@MACHINE@\"
kernel = \"@KERNEL@\"

# Processes stand on a file system; nothing is written to it.
[host.{name}-end.disk.d]
model = \"@DRIVE@\"

[host.{name}-end.fs.none]
type = \"ext4\"
on = \"d\"

# Sockets and verbs have no envelopes, and ask nobody before a long message.
[mpi.{name}-messages]
network = \"{name}\"
hosts = \"{name}-end*\"
envelope = \"1 B\"
eager = \"1 TiB\"
send = \"0 s\"
receive = \"0 s\"
"
    )
}

/// Where such a job runs.
pub(super) fn ends(wire: FioWire) -> String {
    let (name, ..) = carrier(wire);
    format!("\"{name}-end*/none\"")
}
