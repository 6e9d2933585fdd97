//! Ranks of MPI that are executed on several simulated hosts: where they lie, what carries their messages, and that it is the same each
//! time.

use crate::exec_ranks::{compiled, possible};
use crate::support::{Answer, Folder, unwrapped};
use serde_json::Value;

/// Four clients of a file server, over a network of a latency.
fn cluster(latency: &str) -> String {
    format!(
        "[network.lan]\nlink = {{ rate = \"1 Gbit/s\", latency = \"{latency}\" }}\n\
        [host.node]\ncount = 4\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
        [host.server]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n\
        [host.server.disk.d]\nmodel = \"western-digital-wd800bb\"\n\
        [host.server.fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n\
        [share.work]\nclients = \"node*\"\nservers = \"server/data\"\n"
    )
}

/// Two hosts with a disk each.
const APART: &str = "[network.lan]\nlink = { rate = \"1 Gbit/s\", latency = \"20 us\" }\n\
    [host.a]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[host.a.disk.d]\nmodel = \"western-digital-wd800bb\"\n\
    [host.a.fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n\
    [host.b]\nmachine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n[host.b.disk.d]\nmodel = \"western-digital-wd800bb\"\n\
    [host.b.fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n";

/// A hundred messages there and back between the first and the last rank, of so many bytes; each writes a file of its own; one barrier.
const ECHO: &str = "\
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **words)
{
    int rank, ranks, bytes = atoi(words[1]);
    char name[100], *data = calloc(1, bytes + 1);
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Barrier(MPI_COMM_WORLD);
    double begin = MPI_Wtime();
    for (int turn = 0; turn < 100; turn++) {
        if (rank == 0) {
            MPI_Send(data, bytes, MPI_CHAR, ranks - 1, 3, MPI_COMM_WORLD);
            MPI_Recv(data, bytes, MPI_CHAR, ranks - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else if (rank == ranks - 1) {
            MPI_Recv(data, bytes, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(data, bytes, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf(\"%.9f\\n\", (MPI_Wtime() - begin) / 200);
    sprintf(name, \"own.%d\", rank);
    int file = open(name, O_CREAT | O_WRONLY, 0644);
    if (write(file, name, 100) != 100 || fsync(file) || close(file))
        return 1;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
";

fn executed(folder: &Folder, options: &[&str], job: &[&str]) -> (Answer, Value) {
    let words = ["exec", "scenario.toml", "--compute", "none", "-q", "--json", "report.json"];
    let answer = folder.petrio(&[&words[..], options, &["--", "mpirun"], job].concat());
    assert_eq!(answer.code, Some(0), "{} {}", answer.out, answer.talk);
    (answer, folder.json("report.json"))
}

/// A message's way between hosts as the program measures it, and the report.
fn way(folder: &Folder, scenario: &str, program: &str, bytes: &str) -> (f64, Value) {
    folder.write("scenario.toml", scenario);
    let (answer, report) = executed(folder, &["--on", "node*/work"], &["-np", "4", program, bytes]);
    (answer.out.trim().parse().unwrap(), report)
}

#[test]
fn ranks_lie_in_blocks_on_hosts_and_their_messages_take_what_the_network_takes() {
    let Some(folder) =
        possible("ranks_lie_in_blocks_on_hosts_and_their_messages_take_what_the_network_takes")
    else {
        return;
    };
    folder.write("echo.c", ECHO);
    let program = compiled(&folder, &folder.path("echo.c").to_string_lossy(), "echo");
    let (near, report) = way(&folder, &cluster("25 us"), &program, "8");
    let (far, _) = way(&folder, &cluster("1 ms"), &program, "8");
    let (long, _) = way(&folder, &cluster("25 us"), &program, "1000000");
    // Two links, and what hosts do besides; a megabyte takes 8 ms on a link.
    assert!((50e-6..120e-6).contains(&near), "{near}");
    assert!((far - near - 1.95e-3).abs() < 20e-6, "{far} {near}");
    assert!((8.0e-3..10e-3).contains(&long), "{long}");
    let ranks = report["executed"]["ranks"].as_array().unwrap();
    let hosts: Vec<&str> = ranks.iter().map(|rank| rank["host"].as_str().unwrap()).collect();
    assert_eq!(hosts, ["node0", "node1", "node2", "node3"]);
    for rank in ranks {
        let parts = ["computing_ns", "messages_ns", "storage_ns"];
        let parts: f64 = parts.iter().map(|part| rank[*part].as_f64().unwrap()).sum();
        assert!((parts / rank["elapsed_ns"].as_f64().unwrap() - 1.0).abs() < 0.02, "{rank}");
    }
}

#[test]
fn a_job_on_a_cluster_gives_the_same_bytes_each_time_where_ranks_divide_mpi_io_among_themselves() {
    let test = "a_job_on_a_cluster_gives_the_same_bytes_each_time_where_ranks_divide_mpi_io_among_themselves";
    let Some(folder) = possible(test) else { return };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/bt_io.c");
    let program = compiled(&folder, source, "bt_io");
    folder.write("scenario.toml", cluster("25 us"));
    let mut reports = Vec::new();
    for _ in 0..2 {
        let job = ["-np", "4", &program, "12", "5", "full", "state"];
        // It is the only one that hosts mount.
        let (answer, report) = executed(&folder, &[], &job);
        assert!(answer.out.contains("Verification successful"), "{}", answer.out);
        reports.push(serde_json::to_string(&report).unwrap());
        // What lies in the folder is laid out for the program.
        std::fs::remove_file(folder.path("report.json")).unwrap();
    }
    assert!(reports[0] == reports[1], "the reports differ");
}

#[test]
fn ranks_on_hosts_with_disks_of_their_own_write_there_and_what_joins_nothing_is_refused() {
    let Some(folder) =
        possible("ranks_on_hosts_with_disks_of_their_own_write_there_and_what_joins_nothing_is_refused")
    else {
        return;
    };
    folder.write("echo.c", ECHO);
    let program = compiled(&folder, &folder.path("echo.c").to_string_lossy(), "echo");
    folder.write("scenario.toml", APART);
    let (_, report) = executed(&folder, &["--on", "*/data"], &["-np", "4", &program, "8"]);
    let devices = report["traffic"].as_array().unwrap();
    let written = |device: &Value| {
        let purposes = device["purposes"].as_array().unwrap().iter();
        purposes
            .filter(|one| one["purpose"] == "data")
            .filter_map(|one| one["writes"]["requests"].as_u64())
            .sum::<u64>()
    };
    let writes: Vec<u64> = devices.iter().map(written).collect();
    assert_eq!(writes, [2, 2], "{devices:?}");
    let refused = |options: &[&str], words: &[&str]| {
        let answer = folder.petrio(&[&["exec", "scenario.toml"][..], options, &["--"], words].concat());
        assert_eq!(answer.code, Some(2), "{}", answer.out);
        unwrapped(&answer.talk)
    };
    let told = refused(&["--on", "*/data", "--message-latency", "2us"], &["mpirun", &program]);
    assert!(told.contains("what the scenario's network says"), "{told}");
    let told = refused(&["--on", "a/data", "--on", "b/data"], &["true"]);
    assert!(told.contains("only the ranks of MPI lie on several"), "{told}");
}
