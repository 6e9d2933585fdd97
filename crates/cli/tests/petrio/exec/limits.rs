//! What has no room, what is too many, what is killed or left alone: told, and nothing left behind.

use super::*;
use std::os::unix::process::CommandExt;

/// How many processes have this in their arguments.
fn running(mark: &str) -> usize {
    let out = Command::new("ps").args(["ax", "-o", "args"]).output().unwrap();
    String::from_utf8_lossy(&out.stdout).lines().filter(|line| line.contains(mark)).count()
}

fn until(what: impl Fn() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(20);
    while !what() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(20));
    }
    what()
}

#[test]
fn a_volume_that_is_full_is_told_to_the_program_and_not_taken_for_this_machines_limit() {
    let name = "a_volume_that_is_full_is_told_to_the_program_and_not_taken_for_this_machines_limit";
    let Some(folder) = possible(name, &["sh", "dd", "rm", "sync"]) else { return };
    folder.write("scenario.toml", DISK.replace("8 GiB", "64 MiB"));
    let script = "dd if=/dev/zero of=x bs=1M count=100 conv=fsync; echo $?; rm x; sync; dd if=/dev/zero of=y bs=1M count=30 && echo fits";
    let (answer, report) = executed(&folder, &["sh", "-c", script]);
    assert_eq!(answer.out, "1\nfits\n", "{}", answer.talk);
    assert!(answer.talk.contains("No space left"), "{}", answer.talk);
    let told = &report["executed"];
    assert!(told["volume_full"].as_u64() >= Some(1) && told["refused_writes"] == 0, "{told}");
}

#[test]
fn a_program_that_writes_without_end_or_forks_without_end_is_bounded() {
    let name = "a_program_that_writes_without_end_or_forks_without_end_is_bounded";
    let Some(folder) = possible(name, &["sh", "dd", "fallocate"]) else { return };
    let words = ["exec", "scenario.toml", "--compute", "none", "--limit", "8 MiB", "--json", "r.json", "--"];
    let script = "cat /dev/zero > x; fallocate -l 1T y; truncate -s 1T z && dd if=/dev/zero of=z bs=1M count=20 conv=notrunc; ls -l x | wc -l";
    let answer = folder.petrio(&[&words[..], &["sh", "-c", script]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.matches("No space left").count() >= 2, "{}", answer.talk);
    assert!(folder.json("r.json")["executed"]["refused_writes"].as_u64() >= Some(2), "{}", answer.talk);
    let bomb = "b() { b | b & }; b 2>/dev/null; sleep 0.1; exit 3";
    let words =
        ["exec", "scenario.toml", "--compute", "fixed:500us", "--processes", "20", "--json", "s.json", "--"];
    let answer = folder.petrio(&[&words[..], &["sh", "-c", bomb]].concat());
    assert!(matches!(answer.code, Some(2 | 3)), "{:?} {}", answer.code, answer.talk);
    assert!(folder.json("s.json")["executed"]["refused_threads"].as_u64() >= Some(1));
}

#[test]
fn two_at_once_a_program_that_is_stopped_or_crashes_and_a_terminal_that_closes_leave_nothing() {
    let name = "two_at_once_a_program_that_is_stopped_or_crashes_and_a_terminal_that_closes_leave_nothing";
    let Some(folder) = possible(name, &["sh", "sleep", "kill"]) else { return };
    // One is stopped for a while by another of its own, and goes on.
    let script =
        "(sleep 5; echo woken) & child=$!; kill -STOP $child; sleep 20; kill -CONT $child; wait; echo over";
    let words = ["exec", "scenario.toml", "-q", "--", "sh", "-c", script];
    let children: Vec<_> = (0..2)
        .map(|_| folder.command(&words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
        .collect();
    for child in children {
        let out = child.wait_with_output().unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        assert_eq!(text, "woken\nover\n", "{}", String::from_utf8_lossy(&out.stderr));
    }
    // The hang-up that a closed terminal sends to petrio's group, and a program that is killed in the middle of a write.
    let mark = format!("mark-of-{}", std::process::id());
    let script = format!("trap '' HUP; while :; do echo {mark} > x; done");
    let mut command =
        folder.command(&["exec", "scenario.toml", "-q", "--compute", "none", "--", "sh", "-c", &script]);
    let mut child = command.process_group(0).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    assert!(until(|| running(&mark) >= 2));
    let group = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process_group(group, rustix::process::Signal::HUP).unwrap();
    assert!(until(|| running(&mark) == 0));
    child.wait().unwrap();
    let (answer, report) = executed(&folder, &["sh", "-c", "echo x > y; kill -KILL $$; echo z"]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(137), ""), "{}", answer.talk);
    assert_eq!(report["executed"]["exit_code"], 137);
}

#[test]
fn a_directory_that_is_gone_long_names_and_thousands_of_descriptors_are_no_trouble() {
    let name = "a_directory_that_is_gone_long_names_and_thousands_of_descriptors_are_no_trouble";
    let Some(folder) = possible(name, &["sh", "python3"]) else { return };
    let (answer, _) = executed(
        &folder,
        &["sh", "-c", "mkdir d; cd d; rmdir ../d; echo x > y; ls; cd ..; ls -d d; cd /; pwd"],
    );
    assert!(answer.out.ends_with("/\n"), "{} {}", answer.out, answer.talk);
    let script = "import os, resource\n\
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]\n\
        many = min(hard, 5000) - 50\n\
        resource.setrlimit(resource.RLIMIT_NOFILE, (many + 40, hard))\n\
        files = [open(f'f{number}', 'w+') for number in range(many)]\n\
        [file.write(str(number)) for number, file in enumerate(files)]\n\
        [file.flush() for file in files]\n\
        [file.seek(0) for file in files]\n\
        assert [file.read() for file in files] == [str(number) for number in range(many)]\n\
        for step in range(200): os.mkdir('n' * 200); os.chdir('n' * 200)\n\
        open('deep', 'w').write('x'); assert os.stat('deep').st_size == 1\n\
        try: os.mkdir('m' * 300)\n\
        except OSError as error: print(error.errno)\n\
        try: open('/' + 'p/' * 3000)\n\
        except OSError as error: print(error.errno)";
    let (answer, _) = executed(&folder, &["python3", "-c", script]);
    assert_eq!((answer.code, answer.out.as_str()), (Some(0), "36\n36\n"), "{}", answer.talk);
}

#[test]
fn a_scratch_directory_whose_disk_is_full_is_told_apart_from_the_simulated_one() {
    let name = "a_scratch_directory_whose_disk_is_full_is_told_apart_from_the_simulated_one";
    let Some(folder) = possible(name, &["mount", "umount", "dd"]) else { return };
    fs::create_dir(folder.path("small")).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=160m", "small"])
        .arg(folder.path("small"))
        .output()
        .unwrap();
    if !mounted.status.success() {
        println!("skipped: {name}: only root may mount");
        return;
    }
    let answer = folder.petrio(&[
        "exec",
        "scenario.toml",
        "--scratch",
        "small",
        "--limit",
        "4 GiB",
        "--json",
        "r.json",
        "--",
        "dd",
        "if=/dev/zero",
        "of=x",
        "bs=1M",
        "count=400",
    ]);
    let left = fs::read_dir(folder.path("small")).unwrap().count();
    let unmounted = Command::new("umount").arg(folder.path("small")).status().unwrap();
    assert!(unmounted.success() && left == 0, "{left}");
    assert_eq!(answer.code, Some(1), "{}", answer.talk);
    let told = folder.json("r.json");
    assert!(told["executed"]["scratch_full"].as_u64() >= Some(1), "{}", told["executed"]);
}
