//! `petrio fs` and `petrio users run` beside files that aren't petrio's, beside each other, and killed at any moment.

use crate::support::{Folder, root};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn specification() -> String {
    root().join("examples/users/thesis.toml").to_string_lossy().into_owned()
}

fn create(specification: &str, count: u32) -> Vec<String> {
    let count = format!("files.count={count}");
    ["fs", "create", specification, "--dir", "files", "--users", "2", "--set", &count]
        .map(str::to_owned)
        .to_vec()
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

fn begin(folder: &Folder, arguments: &[&str]) -> Child {
    folder.command(arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// Kills a process after so long; whether it was still at work.
fn kill_after(mut child: Child, time: Duration) -> bool {
    std::thread::sleep(time);
    child.kill().unwrap();
    child.wait().unwrap().code().is_none()
}

fn is_empty(folder: &Folder) -> bool {
    std::fs::read_dir(folder.path("files")).is_ok_and(|mut names| names.next().is_none())
}

const REMOVE: [&str; 4] = ["fs", "remove", "--dir", "files"];
const VERIFY: [&str; 4] = ["fs", "verify", "--dir", "files"];

/// Kills creations and removals in one folder, each after as many twentieths of its time as its round says; how many were still at work.
fn killed_in(rounds: impl Iterator<Item = u32>) -> u32 {
    let folder = Folder::new();
    let specification = specification();
    let arguments = create(&specification, 200);
    let arguments = words(&arguments);
    let all = |what: &[&str]| {
        let answer = folder.petrio(what);
        assert_eq!(answer.code, Some(0), "{what:?}: {}", answer.talk);
    };
    let began = Instant::now();
    all(&arguments);
    let makes = began.elapsed();
    let began = Instant::now();
    all(&REMOVE);
    let removes = began.elapsed();
    let mut killed = 0;
    for round in rounds {
        killed += u32::from(kill_after(begin(&folder, &arguments), makes * round / 20));
        if round % 2 == 0 && folder.path("files/.petrio-files.json").exists() {
            all(&REMOVE);
        } else {
            all(&arguments);
            all(&VERIFY);
            kill_after(begin(&folder, &REMOVE), removes * round / 20);
            if folder.path("files/.petrio-files.json").exists() {
                all(&REMOVE);
            }
        }
        // One that was killed before it began has left its lock alone.
        if !is_empty(&folder) {
            all(&arguments);
            all(&REMOVE);
        }
        assert!(is_empty(&folder), "{round}");
    }
    killed
}

#[test]
fn creations_and_removals_killed_at_any_moment_go_on_and_leave_nothing() {
    // They wait for the disk most of the time: four folders do so together.
    let killed_in_all = || -> u32 {
        std::thread::scope(|scope| {
            let folders: Vec<_> =
                (0..4).map(|folder| scope.spawn(move || killed_in((folder..20).step_by(4)))).collect();
            folders.into_iter().map(|folder| folder.join().unwrap()).sum()
        })
    };
    let mut killed = 0;
    // On a busy machine many are over before they are killed, or haven't begun: then all is done once more.
    for _ in 0..3 {
        killed += killed_in_all();
        if killed >= 10 {
            break;
        }
    }
    assert!(killed >= 10, "{killed}");
}

#[test]
fn one_petrio_at_a_time_works_in_a_directory() {
    let folder = Folder::new();
    let specification = specification();
    let arguments = create(&specification, 800);
    let arguments = words(&arguments);
    assert_eq!(folder.petrio(&arguments).code, Some(0));
    let mut refused = 0;
    for _ in 0..3 {
        let mut removing = begin(&folder, &REMOVE);
        while removing.try_wait().unwrap().is_none() {
            let beside = folder.petrio(&arguments);
            match beside.code {
                Some(0) => {}
                Some(2) => {
                    assert!(beside.talk.contains("petrio fs remove, process"), "{}", beside.talk);
                    assert!(beside.talk.contains("is at work in files"), "{}", beside.talk);
                    refused += 1;
                }
                _ => panic!("{}", beside.talk),
            }
        }
        assert_eq!(folder.petrio(&arguments).code, Some(0));
        let verified = folder.petrio(&VERIFY);
        assert_eq!(verified.code, Some(0), "{}", verified.talk);
    }
    assert!(refused > 0);
}

/// Whether users at work have made files that are there.
fn is_any_made(folder: &Folder) -> bool {
    let homes = std::fs::read_dir(folder.path("files/home")).into_iter().flatten().flatten();
    homes
        .flat_map(|home| std::fs::read_dir(home.path()).into_iter().flatten().flatten())
        .any(|file| file.file_name().to_string_lossy().contains("-made-"))
}

#[test]
fn users_work_again_at_once_after_a_run_was_killed() {
    let folder = Folder::new();
    let specification = specification();
    let run = |sessions: &str, more: &[&str]| {
        let run = ["users", "run", &specification, "--dir", "files", "--users", "4", "--sessions", sessions];
        let set = ["--set", "files.count=120", "--share", "heavy=1", "--set", "user.heavy.think=200 us"];
        [&run[..], &set[..], more].concat().into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    for more in [&[][..], &["--processes"]] {
        for round in 0..2 {
            let long = run("3000", more);
            let mut child = begin(&folder, &words(&long));
            while !is_any_made(&folder) {
                assert!(child.try_wait().unwrap().is_none());
                std::thread::sleep(Duration::from_millis(1));
            }
            assert!(kill_after(child, Duration::from_millis(20 * round)));
            let again = folder.petrio(&words(&run("1", more)));
            assert_eq!(again.code, Some(0), "{}", again.talk);
            let verified = folder.petrio(&VERIFY);
            assert_eq!(verified.code, Some(0), "{}", verified.talk);
        }
    }
    assert_eq!(folder.petrio(&REMOVE).code, Some(0));
    assert!(is_empty(&folder));
}

#[test]
fn users_at_work_write_to_petrios_files_alone() {
    let folder = Folder::new();
    let specification = specification();
    assert_eq!(folder.petrio(&words(&create(&specification, 120))).code, Some(0));
    std::fs::create_dir(folder.path("victim")).unwrap();
    let copy = ["-r", "files/home/u001/.", "victim"];
    assert!(Command::new("cp").args(copy).current_dir(folder.path(".")).status().unwrap().success());
    let hash = || {
        let mut all = Command::new("sh");
        all.args(["-c", "find victim -type f | sort | xargs md5sum; find victim | sort"]);
        String::from_utf8(all.current_dir(folder.path(".")).output().unwrap().stdout).unwrap()
    };
    let before = hash();
    std::os::unix::fs::symlink(folder.path("victim"), folder.path("link")).unwrap();
    let (home, link) = (folder.path("files/home/u001"), folder.path("link"));
    let exchange = |one: &std::path::Path, other: &std::path::Path| {
        let cwd = rustix::fs::CWD;
        rustix::fs::renameat_with(cwd, one, cwd, other, rustix::fs::RenameFlags::EXCHANGE).unwrap();
    };
    let run = ["users", "run", &specification, "--dir", "files", "--users", "2", "--sessions", "3000"];
    let set = ["--set", "files.count=120", "--share", "extremely-heavy=1", "--warm"];
    for is_link in [true, false] {
        for more in [&[][..], &["--processes"]] {
            let mut child = begin(&folder, &[&run[..], &set[..], more].concat());
            while !is_any_made(&folder) {
                assert!(child.try_wait().unwrap().is_none());
            }
            // The link, or the user's own directory itself.
            let other = if is_link { link.clone() } else { folder.path("victim") };
            while child.try_wait().unwrap().is_none() {
                exchange(&home, &other);
                std::thread::yield_now();
                exchange(&home, &other);
                std::thread::sleep(Duration::from_micros(200));
            }
            assert_eq!(hash(), before, "{is_link} {more:?}");
        }
    }
    // What was left where it couldn't be reached goes with the rest.
    let removed = folder.petrio(&REMOVE);
    assert_eq!(removed.code, Some(0), "{}", removed.talk);
}

#[test]
fn what_remove_keeps_is_told_and_is_no_success() {
    let folder = Folder::new();
    let specification = specification();
    let arguments = create(&specification, 120);
    let arguments = words(&arguments);
    assert_eq!(folder.petrio(&arguments).code, Some(0));
    folder.write("files/home/u001/my thesis\u{1b}[31m.tex", "precious");
    let kept = folder.petrio(&REMOVE);
    assert_eq!(kept.code, Some(2), "{}", kept.talk);
    assert!(kept.talk.contains("kept, something else is in it: files/home/u001"), "{}", kept.talk);
    assert!(kept.talk.contains("2 files and directories were kept"), "{}", kept.talk);
    // Beside it, what is missing is made again.
    let forced = folder.petrio(&[&arguments[..], &["--force"]].concat());
    assert_eq!(forced.code, Some(0), "{}", forced.talk);
    assert_eq!(folder.petrio(&REMOVE).code, Some(2));
    std::fs::rename(folder.path("files/home/u001"), folder.path("mine")).unwrap();
    assert_eq!(folder.petrio(&REMOVE).code, Some(0));
    std::fs::create_dir_all(folder.path("files/home")).unwrap();
    let taken = folder.petrio(&[&arguments[..], &["--force"]].concat());
    assert_eq!(taken.code, Some(2), "{}", taken.talk);
    assert!(taken.talk.contains("files/home is there already"), "{}", taken.talk);
    assert!(!folder.path("files/.petrio-files.json").exists());
}

#[test]
fn a_manifest_for_two_thousand_million_users_is_refused_in_little_memory() {
    let folder = Folder::new();
    let specification = specification();
    assert_eq!(folder.petrio(&words(&create(&specification, 120))).code, Some(0));
    let text = folder.text("files/.petrio-files.json").replace("\"users\":2", "\"users\":2147483647");
    folder.write("files/.petrio-files.json", text);
    for command in ["verify", "remove"] {
        let shell = format!("ulimit -v 1000000; exec \"$0\" fs {command} --dir files");
        let mut limited = Command::new("sh");
        limited.args(["-c", &shell, env!("CARGO_BIN_EXE_petrio")]).current_dir(folder.path("."));
        let answer = limited.output().unwrap();
        let talk = String::from_utf8_lossy(&answer.stderr);
        assert_eq!(answer.status.code(), Some(2), "{talk}");
        assert!(talk.contains("users: 2147483647 users with"), "{talk}");
    }
}

/// Runs a script in a mount namespace of its own, with the program as `$PETRIO` and the specification as `$SPEC`;
/// `None` where that isn't possible.
fn in_a_mount_namespace(test: &str, folder: &Folder, script: &str) -> Option<String> {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-e", "-c", script]).current_dir(folder.path("."));
        command.env("PETRIO", env!("CARGO_BIN_EXE_petrio")).env("SPEC", specification()).output()
    };
    let why = match unshare("mount -t tmpfs none /mnt") {
        Ok(output) if output.status.success() => {
            let output = unshare(script).unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            let talk = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{said}{talk}");
            return Some(said);
        }
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    println!("skipped: {test}: {why}");
    None
}

/// Makes, verifies, uses and removes files; keeps one that was put in place of petrio's.
const ALL: &str = r#"
CREATE="$PETRIO fs create $SPEC --dir $DIR/files --users 2 --set files.count=120"
$CREATE --verify
timeout -s KILL 0.3 $PETRIO users run $SPEC --dir $DIR/files --users 2 --set files.count=120 --sessions 3000 || true
$PETRIO users run $SPEC --dir $DIR/files --users 2 --set files.count=120 --sessions 1 > /dev/null
$PETRIO fs verify --dir $DIR/files
OWN=$(find $DIR/files/home/u001 -name 'user-read-*' | head -n 1)
rm $OWN; sleep 0.05; echo precious > $OWN
! $PETRIO fs remove --dir $DIR/files
grep -q precious $OWN
rm $OWN
$PETRIO fs remove --dir $DIR/files
test -z "$(ls -A $DIR/files)"
"#;

#[test]
fn files_are_known_again_in_memory_and_on_a_file_system_of_two_layers() {
    let test = "files_are_known_again_in_memory_and_on_a_file_system_of_two_layers";
    let folder = Folder::new();
    in_a_mount_namespace(test, &folder, &format!("mount -t tmpfs none /mnt; DIR=/mnt{ALL}"));
    let overlay = "mkdir lower upper work both; mount -t tmpfs none upper; mkdir upper/files upper/work
        mount -t overlay -o lowerdir=lower,upperdir=upper/files,workdir=upper/work none both; DIR=both";
    in_a_mount_namespace(test, &folder, &format!("{overlay}{ALL}"));
}

#[test]
fn files_are_known_again_where_births_are_not_recorded() {
    let test = "files_are_known_again_where_births_are_not_recorded";
    let folder = Folder::new();
    let old = "truncate -s 64M image; mke2fs -q -t ext3 -I 128 image; mkdir old; mount -o loop image old
        touch old/probe; test \"$(stat -c %W old/probe)\" = 0; rm old/probe; DIR=old";
    in_a_mount_namespace(test, &folder, &format!("{old}{ALL}"));
}

#[test]
fn another_user_than_root_makes_and_removes_files() {
    let test = "another_user_than_root_makes_and_removes_files";
    let folder = Folder::new();
    let nobody = "mount -t tmpfs -o mode=1777 none /mnt; cp $SPEC /mnt/spec.toml; cp $PETRIO /mnt/petrio; export DIR=/mnt \
                  SPEC=/mnt/spec.toml PETRIO=/mnt/petrio HOME=/nowhere; cat > /mnt/all.sh; cd /mnt; \
                  exec setpriv --reuid 65534 --regid 65534 --clear-groups sh -e /mnt/all.sh";
    let script = format!("cat <<'END' > all.sh\n{ALL}\nEND\n{}", nobody.replace("cat >", "cp all.sh"));
    in_a_mount_namespace(test, &folder, &script);
}
