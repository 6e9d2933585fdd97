//! Emulated devices, from the command line: served, mounted, cut, cleared.

mod robust;

use crate::support::Folder;
use serde_json::Value;
use std::process::Command;
use std::time::{Duration, Instant};

/// A disk that is neither slow nor fast, with a volatile cache.
const DISK: &str = "[disk.d]\nmodel = \"sata-750gb-7200\"\n";

/// Says by name that a test is skipped.
fn skip(test: &str, why: &str) {
    println!("skipped: {test}: {why}");
}

fn is_installed(program: &str) -> bool {
    let places = std::env::var("PATH").unwrap_or_default() + ":/usr/sbin:/sbin";
    places.split(':').any(|place| std::path::Path::new(place).join(program).is_file())
}

/// Whether devices can be mounted here.
fn can_mount(test: &str) -> bool {
    let missing = [
        (!rustix::process::geteuid().is_root(), "not root"),
        (!std::path::Path::new("/dev/fuse").exists(), "there is no /dev/fuse"),
        (!std::path::Path::new("/dev/loop-control").exists(), "there are no loop devices"),
        (!is_installed("mkfs.ext3") || !is_installed("e2fsck"), "e2fsprogs isn't installed"),
    ];
    let why = missing.iter().find(|(is_missing, _)| *is_missing);
    if let Some((_, why)) = why {
        skip(test, why);
    }
    why.is_none()
}

#[test]
fn what_cannot_be_emulated_is_refused_with_what_to_do() {
    let folder = Folder::with("[disk.d]\nmodel = \"sata-750gb-7200\"\ncount = 2\n");
    folder.write("faults.toml", "[[stall]]\nlasts = \"1 s\"\n[flush]\nlots = 1\n");
    folder.write("small.img", "some bytes");
    for (words, told) in [
        (&["--nbd", "s"][..], &["which of its parts", "\"d0\", \"d1\"", "--device"][..]),
        (&["--nbd", "s", "--device", "e"], &["there is no \"e\""]),
        (&["--nbd", "s", "--device", "all", "--device", "d0"], &["named twice"]),
        (&["--nbd", "s", "--device", "all", "--image", "x.img"], &["of which of the 2 devices"]),
        (&["--nbd", "s", "--device", "d0", "--image", "small.img"], &["10 B", "as large as its device"]),
        (&["--nbd", "s", "--device", "d0", "--faults", "faults.toml"], &["faults.toml:4:1", "lost"]),
        (&["--nbd", "no/such/folder", "--device", "d0"], &["can't be listened at"]),
        (&["--device", "d0"], &["--nbd"]),
        (&["--mount", "full", "--device", "d0"], &["--type"]),
    ] {
        let mut arguments = vec!["emulate", "scenario.toml"];
        arguments.extend(words);
        let answer = folder.petrio(&arguments);
        assert_eq!(answer.code, Some(2), "{words:?}: {}", answer.talk);
        for part in told {
            assert!(answer.talk.contains(part), "{words:?}: no {part} in {}", answer.talk);
        }
    }
    assert!(!folder.path("s").exists());
    assert_eq!(folder.read("small.img"), b"some bytes");
}

#[test]
fn a_command_runs_on_a_device_and_its_code_is_passed_on() {
    let folder = Folder::with(DISK);
    let emulate = |more: &[&str]| {
        folder.petrio(
            &[&["emulate", "scenario.toml", "--nbd", "sock", "--json", "--on-time", "0 %"], more].concat(),
        )
    };
    let answer = emulate(&["--", "sh", "-c", "test -S sock && test -S \"$PETRIO_NBD\" || exit 9; exit 7"]);
    assert_eq!(answer.code, Some(7), "{}", answer.talk);
    assert!(!folder.path("sock").exists(), "the socket goes with it");
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    assert_eq!((found["requests"].as_u64(), found["valid"].as_bool()), (Some(0), Some(true)));
    assert_eq!(emulate(&["--until", "100 ms"]).code, Some(0));
    assert_ne!(emulate(&["--", "no-such-program"]).code, Some(0));
}

#[test]
fn others_nbd_clients_read_what_they_have_written() {
    let test = "others_nbd_clients_read_what_they_have_written";
    if !is_installed("qemu-io") {
        return skip(test, "qemu-io isn't installed");
    }
    let folder = Folder::with(DISK);
    let script = "qemu-io -f raw 'nbd+unix:///d?socket=sock' -c 'write -P 7 1M 64k' -c flush -c 'write -z 1M 4k' \
                  -c 'read -P 0 1M 4k' -c 'read -P 7 1028k 60k' -c 'aio_read 2M 4k' -c 'aio_read 9M 4k' -c aio_flush";
    let answer = folder.petrio(&[
        "emulate",
        "scenario.toml",
        "--nbd",
        "sock",
        "--log",
        "log.parquet",
        "--trace",
        "trace.parquet",
        "--on-time",
        "0 %",
        "--image",
        "disk.img",
        "--",
        "sh",
        "-c",
        script,
    ]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.talk);
    assert!(!answer.out.contains("verification failed"), "{}", answer.out);
    assert!(answer.out.contains("valid: on time"), "{}", answer.out);
    let info = folder.petrio(&["trace", "info", "trace.parquet"]);
    assert!(info.out.contains("queue"), "{}", info.out);
    // What was written is in the image when all is over.
    let mut image = std::fs::File::open(folder.path("disk.img")).unwrap();
    let mut bytes = [0; 2];
    std::io::Seek::seek(&mut image, std::io::SeekFrom::Start((1 << 20) + 4_095)).unwrap();
    std::io::Read::read_exact(&mut image, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 7]);
    if !is_installed("fio") {
        return skip(test, "fio isn't installed, only qemu-io was tried");
    }
    let job = "fio --name=j --ioengine=nbd --uri='nbd+unix:///?socket=sock' --rw=randrw --bs=4k --iodepth=8 --size=64m \
               --number_ios=60 --verify=crc32c --fsync=20 --output=fio.txt";
    let answer = folder.petrio(&[
        "emulate",
        "scenario.toml",
        "--nbd",
        "sock",
        "--json",
        "--on-time",
        "0 %",
        "--",
        "sh",
        "-c",
        job,
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found: Value = serde_json::from_str(&answer.out).unwrap();
    assert!(found["requests"].as_u64().unwrap() >= 60 && found["flushes"].as_u64().unwrap() >= 1, "{found}");
}

#[test]
fn a_real_ext3_keeps_what_it_has_synced_through_a_power_cut() {
    let test = "a_real_ext3_keeps_what_it_has_synced_through_a_power_cut";
    if !can_mount(test) {
        return;
    }
    let folder = Folder::with(DISK);
    std::fs::create_dir(folder.path("mnt")).unwrap();
    let emulate = |more: &[&str]| {
        let words = [
            "emulate",
            "scenario.toml",
            "--mount",
            "mnt",
            "--type",
            "ext3",
            "--image",
            "disk.img",
            "--on-time",
            "0 %",
        ];
        folder.petrio(&[&words, more].concat())
    };
    let script = "for n in 1 2 3 4 5; do echo $n > mnt/f$n; sync mnt/f$n || exit 9; done; echo lost > mnt/lost; \
                  kill -USR1 $PPID; sleep 0.3; sync mnt/lost 2>/dev/null && exit 8; exit 0";
    let answer = emulate(&["--size", "64 MiB", "--", "sh", "-c", script]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.talk);
    assert!(answer.out.contains("power cut at"), "{}", answer.out);
    let checked = Command::new("e2fsck").arg("-fy").arg(folder.path("disk.img")).output().unwrap();
    assert!(checked.status.code().is_some_and(|code| code <= 1), "{checked:?}");
    let answer = emulate(&["--keep", "--", "sh", "-c", "cat mnt/f? > found; ls mnt > names"]);
    assert_eq!(answer.code, Some(0), "{}{}", answer.out, answer.talk);
    assert_eq!(folder.text("found"), "1\n2\n3\n4\n5\n");
    assert!(!folder.text("names").contains("lost\n"), "nobody had synced it: {}", folder.text("names"));
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(folder.path("mnt").to_str().unwrap()), "{mounts}");
}

#[test]
fn what_a_killed_emulation_had_mounted_the_next_start_clears() {
    let test = "what_a_killed_emulation_had_mounted_the_next_start_clears";
    if !can_mount(test) {
        return;
    }
    let folder = Folder::with(DISK);
    std::fs::create_dir(folder.path("mnt")).unwrap();
    let mount = folder.path("mnt").canonicalize().unwrap().display().to_string();
    let mut child = folder
        .command(&[
            "emulate",
            "scenario.toml",
            "--mount",
            "mnt",
            "--type",
            "ext3",
            "--size",
            "32 MiB",
            "--",
            "sleep",
            "1000",
        ])
        .spawn()
        .unwrap();
    let is_mounted =
        || std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(&format!(" {mount} "));
    let began = Instant::now();
    while !is_mounted() {
        assert!(began.elapsed() < Duration::from_secs(60), "{:?}", child.try_wait());
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let answer = folder.petrio(&["emulate", "scenario.toml", "--nbd", "sock", "--until", "10 ms"]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    assert!(answer.talk.contains("cleared what a petrio that was killed had left"), "{}", answer.talk);
    assert!(!is_mounted());
}

/// As another user than root, if it is root that runs this.
#[test]
fn whoever_is_not_root_has_devices_as_files_by_fusermount_and_no_file_system() {
    let test = "whoever_is_not_root_has_devices_as_files_by_fusermount_and_no_file_system";
    let missing = ["fusermount3", "setpriv", "timeout"].into_iter().find(|program| !is_installed(program));
    let is_root = rustix::process::geteuid().is_root();
    if missing.is_some() || !std::path::Path::new("/dev/fuse").exists() || !is_root {
        let why = missing.map_or("there is no /dev/fuse, or nobody else to be".to_owned(), |it| {
            format!("{it} isn't installed")
        });
        return skip(test, &why);
    }
    let folder = Folder::with(DISK);
    let nobody = 65_534;
    std::fs::create_dir(folder.path("files")).unwrap();
    let place = folder.path("files").canonicalize().unwrap();
    for path in [folder.path("."), place.clone()] {
        std::os::unix::fs::chown(path, Some(nobody), Some(nobody)).unwrap();
    }
    let as_nobody = |words: &[&str]| {
        let own = folder.command(words);
        let mut command = Command::new("setpriv");
        command
            .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
            .arg(own.get_program())
            .args(own.get_args());
        command.current_dir(own.get_current_dir().unwrap()).output().unwrap()
    };
    let words = ["emulate", "scenario.toml", "--file", "files", "--on-time", "0 %", "--", "sh", "-c"];
    let script =
        "dd if=/dev/zero of=files/d bs=4k count=3 conv=notrunc,fsync && grep -c '^petrio ' /proc/mounts";
    let answer = as_nobody(&[&words[..], &[script]].concat());
    let talk = String::from_utf8_lossy(&answer.stderr).into_owned();
    if talk.contains("mount FUSE on") {
        return skip(test, talk.lines().next().unwrap_or_default());
    }
    assert!(answer.status.success(), "{talk}");
    let out = String::from_utf8_lossy(&answer.stdout).into_owned();
    assert!(out.contains("1 flush"), "{out} {talk}");
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    assert!(!mounts.contains(&format!(" {} ", place.display())), "{mounts}");
    let words =
        ["emulate", "scenario.toml", "--mount", "files", "--type", "ext3", "--size", "16 MiB", "--", "true"];
    let answer = as_nobody(&words);
    let talk = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert!(answer.status.code() == Some(2) && talk.contains("doesn't run as root"), "{talk}");
}

/// In a namespace of its own, whose mounts go with it.
#[test]
fn what_finds_no_room_under_an_image_fails_and_is_told() {
    let test = "what_finds_no_room_under_an_image_fails_and_is_told";
    if !can_mount(test) || !is_installed("unshare") {
        return;
    }
    let folder = Folder::with(DISK);
    std::fs::create_dir(folder.path("small")).unwrap();
    std::fs::create_dir(folder.path("files")).unwrap();
    let script = "mount -t tmpfs -o size=4m none small && exec \"$@\"";
    let inner = "dd if=/dev/zero of=files/d bs=1M count=12 conv=notrunc,fsync && exit 9; exit 0";
    let own = folder.command(&[
        "emulate",
        "scenario.toml",
        "--file",
        "files",
        "--image",
        "small/i",
        "--on-time",
        "0 %",
    ]);
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(own.get_program()).args(own.get_args());
    command.args(["--", "sh", "-c", inner]).current_dir(own.get_current_dir().unwrap());
    let answer = command.output().unwrap();
    let talk = String::from_utf8_lossy(&answer.stderr).into_owned();
    assert_eq!(answer.status.code(), Some(1), "{talk}");
    assert!(talk.contains("what \"d\" holds can't be written: No space left on device"), "{talk}");
}

/// It boots for half a minute where its processor is emulated, and needs a kernel that somebody has fetched.
#[test]
fn a_stock_kernel_writes_to_emulated_disks_as_often_as_its_job_does() {
    let test = "a_stock_kernel_writes_to_emulated_disks_as_often_as_its_job_does";
    if std::env::var_os("PETRIO_LONG_TESTS").is_none() {
        return skip(test, "it boots a kernel: `make test-all` runs it");
    }
    let Some(kit) = std::env::var_os("PETRIO_KERNEL_DIR") else {
        return skip(test, "$PETRIO_KERNEL_DIR names no folder that --set-up-kernel --kernel-dir has filled");
    };
    if !is_installed("qemu-system-x86_64") {
        return skip(test, "QEMU isn't installed");
    }
    let folder = Folder::with("[disk.d]\nmodel = \"sata-750gb-7200\"\ncount = 2\n");
    folder.write(
        "job.sh",
        "echo \"$DISKS, $1\"; dd if=/dev/zero of=/dev/vdb bs=4k count=3 oflag=direct; exit 3\n",
    );
    let kit = kit.to_str().unwrap();
    let answer = folder.petrio(&[
        "emulate",
        "scenario.toml",
        "--device",
        "all",
        "--kernel",
        "--kernel-dir",
        kit,
        "--guest-accel",
        "emulated",
        "--run",
        "job.sh",
        "--on-time",
        "0 %",
        "--",
        "a word",
    ]);
    assert_eq!(answer.code, Some(3), "{}{}", answer.out, answer.talk);
    assert!(answer.out.contains("vda vdb, a word"), "{}", answer.out);
    assert!(answer.out.contains(" 3 writes,"), "{}", answer.out);
    assert!(answer.talk.contains("3+0 records out"), "{}", answer.talk);
}
