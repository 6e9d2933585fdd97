//! A program of MPI's by Fortran's names.

use super::parallel::recorded_on;
use super::support::{Made, possible};
use petrio_trace::event::{CollectiveKind, EventKind};
use std::path::Path;
use std::process::Command;

/// Recorded on three ranks; none where it can't be run here.
fn recorded(test: &str, form: &str) -> Option<(tempfile::TempDir, Made)> {
    if !possible(test, &["mpifort", "mpicc", "mpirun", "objcopy"]) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs/words.F90");
    let program = folder.path().join("words");
    let built = Command::new("mpifort").arg(form).arg(source).arg("-o").arg(&program).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let made = recorded_on(test, folder.path(), 3, program.to_str().unwrap(), &["data"])?;
    Some((folder, made))
}

/// What a rank did with others, in order: each event with its peer, bytes, and what it was together with whom.
fn of_rank(made: &Made, rank: u32) -> Vec<String> {
    use EventKind::{Collective, PostReceive, PostSend, Receive, Send, Wait};
    let kinds = [Collective, PostReceive, PostSend, Receive, Send, Wait];
    let of_it = made.events.iter().filter(|event| kinds.contains(&event.kind));
    let told = of_it.filter_map(|event| {
        let more = event.recorded.as_ref().filter(|more| more.rank == Some(rank))?;
        Some(format!("{:?} {:?} {} {:?}", event.kind, more.peer, event.length, more.collective))
    });
    told.collect()
}

#[test]
fn both_of_fortrans_modules_are_recorded_call_by_call() {
    let test = "both_of_fortrans_modules_are_recorded_call_by_call";
    let (Some((_one, old)), Some((_other, new))) = (recorded(test, "-DF77"), recorded(test, "-DF08")) else {
        return;
    };
    for rank in 0..3 {
        let told = of_rank(&old, rank);
        assert_eq!(told, of_rank(&new, rank), "{rank}");
        let collectives: Vec<_> = (old.all(EventKind::Collective).into_iter())
            .filter(|event| event.recorded.as_ref().unwrap().rank == Some(rank))
            .map(|event| (event.recorded.as_ref().unwrap().collective.unwrap(), event.length))
            .collect();
        for expected in [
            (CollectiveKind::Broadcast, 40),
            (CollectiveKind::Gather, 40),
            (CollectiveKind::AllReduce, 20),
            (CollectiveKind::Broadcast, 8),
            (CollectiveKind::WriteAll, 40),
            (CollectiveKind::Barrier, 0),
        ] {
            assert!(collectives.contains(&expected), "{rank}: {expected:?} of {collectives:?}");
        }
        let from = (rank + 2) % 3;
        assert!(
            told.iter().any(|line| line.starts_with(&format!("PostReceive Some({from}) 40"))),
            "{told:?}"
        );
    }
    assert!(of_rank(&new, 1).contains(&"Receive Some(0) 12 None".to_owned()), "{:?}", of_rank(&new, 1));
    assert_eq!(new.all(EventKind::Fsync).len(), 3);
}
