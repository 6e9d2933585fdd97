//! MPI jobs on simulated storage, from the command line: what time their ranks see, and where it goes.

use crate::support::{Answer, Folder, unwrapped};
use serde_json::Value;
use std::process::Command;

/// A disk of 7200 turns a minute.
const DISK: &str = "[disk.d]\nmodel = \"western-digital-wd800bb\"\n[host.h]\nmachine = \"epyc-9005-2vcpu\"\n\
    kernel = \"linux-6.18\"\n[fs.data]\ntype = \"ext4\"\non = \"d\"\nsize = \"8 GiB\"\n";

/// Two ranks and what they tell each other: a message that is 10 ms under way comes when it has been sent, whoever looks first; a
/// barrier ends for all when the last has come; who waits in it isn't charged for it.
const PING: &str = "\
#include <mpi.h>
#include <stdio.h>
#include <time.h>
static long now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
int main(int count, char **words)
{
    int rank, flag = 0, from[3];
    char data[20000] = {0};
    MPI_Status status;
    MPI_Request request;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    long begin = now();
    struct timespec second = {1, 0};
    if (rank == 1) {
        nanosleep(&second, NULL);
        MPI_Send(data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
        MPI_Send(data, 20000, MPI_CHAR, 0, 6, MPI_COMM_WORLD);
    } else if (rank == 0) {
        MPI_Recv(data, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &status);
        printf(\"message %ld\\n\", now() - begin);
        MPI_Irecv(data, 20000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, &status);
        printf(\"tag %d\\n\", status.MPI_TAG);
    } else if (rank == 2) {
        nanosleep(&second, NULL);
        nanosleep(&second, NULL);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf(\"barrier %ld\\n\", now() - begin);
    /* Whoever sends first in virtual time is received first, though rank 1 sleeps longest. */
    begin = now();
    if (rank > 0) {
        for (int turn = rank; turn < 3; turn++)
            nanosleep(&second, NULL);
        MPI_Send(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    } else {
        for (int turn = 1; turn < 3; turn++)
            MPI_Recv(&from[turn], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &status);
        printf(\"order %d %d %ld\\n\", from[1], from[2], now() - begin);
    }
    if (rank == 0) {
        MPI_Irecv(data, 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &request);
        for (begin = now(); !flag;)
            MPI_Test(&request, &flag, &status);
        printf(\"tested %d\\n\", flag);
    } else if (rank == 1) {
        struct timespec little = {0, 2000000};
        nanosleep(&little, NULL);
        MPI_Send(data, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
";

pub(crate) fn is_installed(program: &str) -> bool {
    let places = std::env::var("PATH").unwrap_or_default();
    places.split(':').any(|place| std::path::Path::new(place).join(program).is_file())
}

/// A folder in which a job can be executed; none, told by name, where something for that isn't there.
pub(crate) fn possible(test: &str) -> Option<Folder> {
    let folder = Folder::with(DISK);
    let missing = ["mpicc", "mpirun", "objcopy"].into_iter().find(|program| !is_installed(program));
    let why = match missing {
        Some(program) => format!("{program} isn't installed"),
        None => match folder.petrio(&["exec", "scenario.toml", "-q", "--", "true"]) {
            answer if answer.code == Some(0) => return Some(folder),
            answer => answer.talk,
        },
    };
    println!("skipped: {test}: {why}");
    None
}

pub(crate) fn compiled(folder: &Folder, source: &str, name: &str) -> String {
    let program = folder.path(name);
    let made = Command::new("mpicc").args(["-O2", source, "-lm", "-o"]).arg(&program).status().unwrap();
    assert!(made.success());
    program.to_string_lossy().into_owned()
}

/// A job whose computing costs nothing; its answer and its report.
pub(crate) fn executed(folder: &Folder, options: &[&str], job: &[&str]) -> (Answer, Value) {
    let words = ["exec", "scenario.toml", "--compute", "none", "-q", "--json", "report.json"];
    let answer = folder.petrio(&[&words[..], options, &["--", "mpirun"], job].concat());
    assert_eq!(answer.code, Some(0), "{} {}", answer.out, answer.talk);
    (answer, folder.json("report.json"))
}

#[test]
fn messages_come_when_they_were_sent_and_who_waits_for_them_goes_on_then() {
    let Some(folder) = possible("messages_come_when_they_were_sent_and_who_waits_for_them_goes_on_then")
    else {
        return;
    };
    folder.write("ping.c", PING);
    let ping = compiled(&folder, &folder.path("ping.c").to_string_lossy(), "ping");
    let (answer, report) = executed(&folder, &["--message-latency", "10ms"], &["-np", "3", &ping]);
    let told: Vec<&str> = answer.out.lines().collect();
    // A barrier of three has two rounds, and a broadcast's way is none of it; each message is 10 ms on its way.
    assert_eq!(told[0], "message 1010", "{}", answer.out);
    assert_eq!(told[1], "tag 6", "{}", answer.out);
    assert!(["barrier 2010", "barrier 2020"].contains(&told[2]), "{}", answer.out);
    assert!(told[3].starts_with("order 2 1 20"), "{}", answer.out);
    assert_eq!(told[4], "tested 1", "{}", answer.out);
    let ranks = report["executed"]["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 3);
    assert_eq!(ranks[0]["computing_ns"], 0);
    let waited = ranks[0]["messages_ns"].as_f64().unwrap() / 1e9;
    assert!((4.0..4.3).contains(&waited), "{waited}");
    assert!(ranks[1]["sent_bytes"].as_u64().unwrap() >= 20_000);
}

#[test]
fn a_parallel_program_with_files_verifies_and_says_where_its_ranks_time_went() {
    let Some(folder) = possible("a_parallel_program_with_files_verifies_and_says_where_its_ranks_time_went")
    else {
        return;
    };
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../record/programs/bt_io.c");
    let program = compiled(&folder, source, "bt_io");
    for (ranks, how) in [("4", "simple"), ("4", "full")] {
        let (answer, report) = executed(&folder, &[], &["-np", ranks, &program, "12", "10", how, "state"]);
        assert!(answer.out.contains("Verification successful"), "{}", answer.out);
        let all = report["executed"]["ranks"].as_array().unwrap();
        assert_eq!(all.len(), 4);
        let sum = |key: &str| all.iter().map(|rank| rank[key].as_u64().unwrap()).sum::<u64>();
        // Two dumps of 12³ points of five doubles.
        assert!(sum("written_bytes") >= 2 * 69_120, "{how}: {all:?}");
        assert!(sum("read_bytes") >= 2 * 69_120, "{how}: {all:?}");
        assert!(sum("storage_ns") > 0 && sum("messages_ns") > 0, "{how}: {all:?}");
        for rank in all {
            let parts = ["computing_ns", "messages_ns", "storage_ns"];
            let parts: f64 = parts.iter().map(|part| rank[*part].as_f64().unwrap()).sum();
            let elapsed = rank["elapsed_ns"].as_f64().unwrap();
            assert!((parts / elapsed - 1.0).abs() < 0.05, "{how}: {rank}");
        }
    }
    assert!(!std::path::Path::new(&folder.path("state")).exists());
}

#[test]
fn without_a_compiler_of_the_librarys_a_job_is_refused_in_words() {
    let folder = Folder::with(DISK);
    folder.write("mpirun", "#!/bin/sh\n");
    let job = folder.path("mpirun").to_string_lossy().into_owned();
    let _ = Command::new("chmod").args(["755", &job]).status();
    let mut command = folder.command(&["exec", "scenario.toml", "--", &job]);
    let output = command.env("MPICC", "no-such-compiler").output().unwrap();
    let told = unwrapped(&String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("no-such-compiler can't be started") && told.contains("MPICC"), "{told}");
}
