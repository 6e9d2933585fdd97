//! A program of MPI's: BT-IO's pattern, on four ranks of this machine.

use super::support::{Made, possible};
use petrio_record::RecordError;
use petrio_trace::event::{CollectiveKind, EventKind};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

/// Builds a program of this crate's; none where it can't be run here.
pub(crate) fn built(test: &str, source: &str, folder: &Path) -> Option<String> {
    if !possible(test, &["mpicc", "mpirun", "objcopy"]) {
        return None;
    }
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs").join(source);
    let program = folder.join("program");
    let made =
        Command::new("mpicc").arg("-O2").arg(&source).arg("-o").arg(&program).arg("-lm").output().unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    Some(program.to_string_lossy().into_owned())
}

/// Records a program on so many ranks; of its words, those that begin with `data` name what lies in the folder.
pub(crate) fn recorded_on(
    test: &str,
    folder: &Path,
    ranks: u32,
    program: &str,
    words: &[&str],
) -> Option<Made> {
    let ranks = ranks.to_string();
    // Open MPI asks root whether it means it, and may be short of processors; others read over this.
    let mut command = vec![
        "env",
        "OMPI_ALLOW_RUN_AS_ROOT=1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
        "OMPI_MCA_mpi_yield_when_idle=1",
        "OMPI_MCA_rmaps_base_oversubscribe=1",
        "mpirun",
        "-np",
        &ranks,
        program,
    ];
    let own = |word: &&str| match word.strip_prefix("data") {
        Some(_) => folder.join(word).to_string_lossy().into_owned(),
        None => (*word).to_owned(),
    };
    let words: Vec<String> = words.iter().map(own).collect();
    command.extend(words.iter().map(String::as_str));
    let made = super::support::command(folder, &command);
    if !made.status.success() {
        println!("skipped: {test} needs an mpirun that starts {ranks} ranks here");
        return None;
    }
    Some(made)
}

/// Records BT-IO on four ranks: 12 points a side, 10 steps, so two dumps.
fn recorded(test: &str, subtype: &str) -> Option<(tempfile::TempDir, Made)> {
    let folder = tempfile::tempdir().unwrap();
    let program = built(test, "bt_io.c", folder.path())?;
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let made = recorded_on(test, folder.path(), 4, &program, &["12", "10", subtype, "data/state"])?;
    Some((folder, made))
}

/// Of each rank, how many events of a kind and their bytes.
fn by_rank(made: &Made, kind: EventKind, path: Option<&str>) -> BTreeMap<u32, (u64, u64)> {
    let mut all = BTreeMap::new();
    for event in made.all(kind) {
        let Some(rank) = event.recorded.as_ref().and_then(|more| more.rank) else { continue };
        if path.is_none_or(|path| event.path.as_ref().is_some_and(|found| found.ends_with(path))) {
            let (count, bytes) = all.entry(rank).or_default();
            (*count, *bytes) = (*count + 1, *bytes + event.length);
        }
    }
    all
}

/// Bytes of a dump of 12³ points of five doubles.
const DUMP: u64 = 12 * 12 * 12 * 40;

#[test]
fn each_row_and_each_message_of_bt_io_is_recorded_with_its_rank() {
    let Some((_folder, made)) =
        recorded("each_row_and_each_message_of_bt_io_is_recorded_with_its_rank", "simple")
    else {
        return;
    };
    assert_eq!(made.recorded.ranks, 4);
    // Two cells of 6 × 6 rows of 6 points, in each of two dumps; all is read again.
    let expected: BTreeMap<u32, (u64, u64)> = (0..4).map(|rank| (rank, (2 * 2 * 36, 2 * DUMP / 4))).collect();
    assert_eq!(by_rank(&made, EventKind::Write, Some("/state")), expected);
    assert_eq!(by_rank(&made, EventKind::Read, Some("/state")), expected);
    // Six faces a step, and a stage of each of three sweeps, forward and back.
    let posts: BTreeMap<u32, u64> = by_rank(&made, EventKind::PostSend, None)
        .into_iter()
        .map(|(rank, (count, _))| (rank, count))
        .collect();
    assert_eq!(posts, (0..4).map(|rank| (rank, 10 * 12)).collect());
    let posted: u64 = by_rank(&made, EventKind::PostSend, None).values().map(|(count, _)| count).sum();
    let waits = made.all(EventKind::Wait).len() as u64;
    assert_eq!(waits, 2 * posted);
    // Whom a message came from is known, and all of them are of the job.
    let peers = made.all(EventKind::PostReceive);
    assert!(peers.iter().all(|event| event.recorded.as_ref().unwrap().peer.is_some_and(|peer| peer < 4)));
}

#[test]
fn collective_writes_are_told_with_the_bytes_of_each_rank() {
    let Some((_folder, made)) = recorded("collective_writes_are_told_with_the_bytes_of_each_rank", "full")
    else {
        return;
    };
    let written = made.of(EventKind::Write, "/state").iter().map(|write| write.length).sum::<u64>();
    assert_eq!(written, 2 * DUMP);
    let together: Vec<_> = made
        .all(EventKind::Collective)
        .into_iter()
        .filter(|event| event.recorded.as_ref().unwrap().collective == Some(CollectiveKind::WriteAll))
        .collect();
    assert_eq!(together.len(), 8);
    assert!(together.iter().all(|event| event.length == DUMP / 4));
    assert!(together.iter().all(|event| event.recorded.as_ref().unwrap().members.as_deref() == Some("0-3")));
}

#[test]
fn what_is_posted_is_recorded_with_its_wait_and_messages_of_two_communicators_by_tags_apart() {
    let test = "what_is_posted_is_recorded_with_its_wait_and_messages_of_two_communicators_by_tags_apart";
    let folder = tempfile::tempdir().unwrap();
    let Some(program) = built(test, "posted.c", folder.path()) else { return };
    let Some(made) = recorded_on(test, folder.path(), 2, &program, &[]) else { return };
    let collectives = made.all(EventKind::Collective);
    let posted: Vec<u64> = collectives.iter().filter_map(|event| event.request).collect();
    // Three, a barrier that is tested, and one on each of two communicators, of each of two ranks.
    assert_eq!(posted.len(), 2 * 6);
    let waited: Vec<u64> = made.all(EventKind::Wait).iter().filter_map(|event| event.request).collect();
    assert!(posted.iter().all(|request| waited.contains(request)), "{posted:?} {waited:?}");
    let tags: Vec<u32> =
        made.all(EventKind::Send).iter().filter_map(|event| event.recorded.as_ref().unwrap().tag).collect();
    assert!(tags[0] == 5 && tags[1] >= 1 << 31, "{tags:?}");
    let received = made.all(EventKind::Receive);
    let received: Vec<_> = received.iter().map(|event| event.recorded.as_ref().unwrap().tag).collect();
    assert_eq!(received, [Some(tags[1]), Some(tags[0])]);
}

/// Loads the library for itself alone, as Python's extensions do, and exchanges messages whose tags come in another order.
const LOADED_LATE: &str = "\
#include <dlfcn.h>
int main(void)
{
    void *own = dlopen(\"./late.so\", RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = own ? (int (*)(void))dlsym(own, \"run\") : 0;
    return run ? run() : 3;
}
";

const LATE: &str = "\
#include <mpi.h>
int run(void)
{
    int rank, data = 0;
    MPI_Init(0, 0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int tag = 4; tag < 6; tag++) {
        if (rank == 0)
            MPI_Send(&data, 1, MPI_INT, 1, tag, MPI_COMM_WORLD);
        else
            MPI_Recv(&data, 1, MPI_INT, 0, 9 - tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    return MPI_Finalize();
}
";

#[test]
fn a_library_that_is_loaded_later_is_recorded_with_the_tags_of_its_messages() {
    let test = "a_library_that_is_loaded_later_is_recorded_with_the_tags_of_its_messages";
    if !possible(test, &["mpicc", "mpirun", "objcopy", "cc"]) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    if recorded_on(test, folder.path(), 2, "true", &[]).is_none() {
        return;
    }
    std::fs::write(folder.path().join("main.c"), LOADED_LATE).unwrap();
    std::fs::write(folder.path().join("late.c"), LATE).unwrap();
    let build = "cd $0 && cc main.c -o main -ldl && mpicc -shared -fPIC late.c -o late.so";
    let built = Command::new("sh").args(["-c", build]).arg(folder.path()).status().unwrap();
    assert!(built.success());
    let words = ["-c", "cd $0 && ./main", "data/.."];
    std::fs::create_dir(folder.path().join("data")).unwrap();
    let Some(made) = recorded_on(test, folder.path(), 2, "sh", &words) else { panic!("it crashed") };
    assert_eq!(made.recorded.ranks, 2);
    let tags =
        |kind| made.all(kind).iter().map(|event| event.recorded.as_ref().unwrap().tag).collect::<Vec<_>>();
    assert_eq!(tags(EventKind::Send), [Some(4), Some(5)]);
    assert_eq!(tags(EventKind::Receive), [Some(5), Some(4)]);
}

#[test]
fn without_mpicc_messages_are_told_as_unseen() {
    let folder = tempfile::tempdir().unwrap();
    let parameters = petrio_record::Parameters {
        out: folder.path().join("recording"),
        command: vec!["sh".into(), "-c".into(), "true".into()],
        force: false,
        keep_raw: false,
        mpi: Some(true),
        outside: false,
    };
    let made: Result<_, RecordError> = petrio_record::record(&parameters);
    let (_, recorded) = made.unwrap();
    let is_told = recorded.unseen.iter().any(|line| line.starts_with("MPI's calls: "));
    let is_there = std::env::split_paths(&std::env::var_os("PATH").unwrap())
        .any(|folder| folder.join("mpicc").is_file());
    assert_eq!(is_told, !is_there, "{:?}", recorded.unseen);
}
