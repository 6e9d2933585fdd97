//! Emulations that are killed, met by others, or left in use: nothing lost that was promised, nothing left mounted, and clear words.

use super::*;
use crate::support::unwrapped;
use std::os::unix::process::CommandExt;

const WORDS: [&str; 8] = ["emulate", "scenario.toml", "--mount", "mnt", "--type", "ext3", "--on-time", "0 %"];

/// A folder with a mount point; and whether something is mounted there.
fn with_mount() -> (Folder, impl Fn() -> bool) {
    let folder = Folder::with(DISK);
    std::fs::create_dir(folder.path("mnt")).unwrap();
    let place = folder.path("mnt").canonicalize().unwrap().display().to_string();
    let is_mounted =
        move || std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&format!(" {place} "));
    (folder, is_mounted)
}

fn until(what: impl Fn() -> bool) {
    let began = Instant::now();
    while !what() {
        assert!(began.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_was_synced_is_there_after_petrio_or_its_program_is_killed() {
    let test = "what_was_synced_is_there_after_petrio_or_its_program_is_killed";
    if !can_mount(test) {
        return;
    }
    let (folder, is_mounted) = with_mount();
    let made = ["--size", "32 MiB", "--image", "disk.img"];
    let mark = format!("mark-of-{}", std::process::id());
    let script = format!(
        "echo promised > mnt/one; sync mnt/one && touch synced; while :; do echo {mark} >> mnt/two; done"
    );
    let mut child = folder
        .command(&[&WORDS[..], &made, &["--", "sh", "-c", &script]].concat())
        .process_group(0)
        .spawn()
        .unwrap();
    until(|| folder.path("synced").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let is_running = || {
        let out = Command::new("ps").args(["ax", "-o", "args"]).output().unwrap();
        String::from_utf8_lossy(&out.stdout).contains(&mark)
    };
    until(|| !is_running());
    // The next start clears what is mounted, and finds what was synced; its program is killed in the middle.
    let script = "cat mnt/one > found; echo kept > mnt/three; sync mnt/three; kill -KILL $$; touch mnt/never";
    let kept = ["--image", "disk.img", "--keep"];
    let answer = folder.petrio(&[&WORDS[..], &kept, &["--", "sh", "-c", script]].concat());
    assert_eq!(answer.code, Some(137), "{}", answer.talk);
    assert_eq!(folder.text("found"), "promised\n");
    assert!(!is_mounted());
    let answer = folder.petrio(&[&WORDS[..], &kept, &["--", "sh", "-c", "ls mnt > names"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let names = folder.text("names");
    assert!(names.contains("three\n") && !names.contains("never\n"), "{names}");
    assert!(!is_mounted());
}

#[test]
fn a_second_emulation_is_refused_where_the_first_is_and_the_first_goes_on() {
    let test = "a_second_emulation_is_refused_where_the_first_is_and_the_first_goes_on";
    if !can_mount(test) {
        return;
    }
    let (folder, is_mounted) = with_mount();
    std::fs::create_dir(folder.path("other")).unwrap();
    let script = "until test -e go; do sleep 0.05; done; echo on > mnt/f && sync mnt/f && cat mnt/f > found";
    let more = ["--size", "32 MiB", "--image", "disk.img", "--nbd", "sock", "--", "sh", "-c", script];
    let mut child = folder.command(&[&WORDS[..], &more].concat()).spawn().unwrap();
    until(|| is_mounted() && folder.path("sock").exists());
    let refused = |words: &[&str], why: &str| {
        let answer = folder.petrio(&[&["emulate", "scenario.toml"], words].concat());
        assert_eq!(answer.code, Some(2), "{words:?} {}", answer.talk);
        assert!(unwrapped(&answer.talk).contains(why), "{words:?} {}", answer.talk);
    };
    refused(&["--nbd", "sock", "--until", "10 ms"], "another server answers there");
    refused(
        &["--mount", "mnt", "--type", "ext3", "--size", "32 MiB", "--", "true"],
        "is mounted on it already",
    );
    let image = ["--image", "disk.img", "--mount", "other", "--type", "ext3"];
    refused(&[&image[..], &["--keep", "--", "true"]].concat(), "is in use by another emulation");
    refused(&[&image[..], &["--size", "32 MiB", "--", "true"]].concat(), "is in use by another emulation");
    folder.write("go", "");
    assert!(child.wait().unwrap().success());
    assert_eq!(folder.text("found"), "on\n");
    assert!(!is_mounted() && !folder.path("sock").exists());
}

#[test]
fn who_still_uses_what_is_unmounted_is_named_and_what_he_wrote_is_on_the_device() {
    let test = "who_still_uses_what_is_unmounted_is_named_and_what_he_wrote_is_on_the_device";
    if !can_mount(test) || !is_installed("setsid") {
        return;
    }
    let (folder, is_mounted) = with_mount();
    let script = "(cd mnt && exec setsid sleep 300 > held 2>&1 < /dev/null) & echo $! > number; echo written > mnt/f; sleep 0.3; exit 0";
    let more = ["--size", "32 MiB", "--image", "disk.img", "--", "sh", "-c", script];
    let answer = folder.petrio(&[&WORDS[..], &more].concat());
    let number = folder.text("number").trim().to_owned();
    let talk = unwrapped(&answer.talk);
    let told = talk.contains("is still in use by") && talk.contains(&format!("sleep ({number})"));
    let _ = Command::new("kill").arg(&number).status();
    assert!(answer.code == Some(0) && told, "{talk}");
    assert!(!is_mounted());
    let kept = ["--image", "disk.img", "--keep", "--", "cat", "mnt/f"];
    // Its file system goes with its last user, and the image with that.
    until(|| {
        let answer = folder.petrio(&[&WORDS[..], &kept].concat());
        answer.code == Some(0) && answer.out.contains("written")
    });
}
