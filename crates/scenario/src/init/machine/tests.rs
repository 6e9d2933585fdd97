//! Machines described by texts as their commands print them.
#![allow(clippy::unwrap_used)]
use super::*;
use crate::load_text;
use proptest::prelude::*;

/// A server with two drives of a catalogue's model in a mirror, and one in three logical volumes.
const LSBLK: &str = r#"$ lsblk -J -b -o NAME,KNAME,TYPE,SIZE,START,MODEL,ROTA,FSTYPE,MOUNTPOINTS
{ "blockdevices": [
  {"name":"sda","kname":"sda","type":"disk","size":16000900661248,"start":null,"model":"ST16000NM001G-2KK103","rota":true,"fstype":null,"mountpoints":[null],
   "children":[{"name":"sda1","kname":"sda1","type":"part","size":16000899612672,"start":2048,"model":null,"rota":true,"fstype":"linux_raid_member","mountpoints":[null],
     "children":[{"name":"md0","kname":"md0","type":"raid1","size":16000763297792,"start":null,"model":null,"rota":true,"fstype":"xfs","mountpoints":["/srv/data"]}]}]},
  {"name":"sdb","kname":"sdb","type":"disk","size":16000900661248,"start":null,"model":"ST16000NM001G-2KK103","rota":true,"fstype":null,"mountpoints":[null],
   "children":[{"name":"sdb1","kname":"sdb1","type":"part","size":16000899612672,"start":2048,"model":null,"rota":true,"fstype":"linux_raid_member","mountpoints":[null],
     "children":[{"name":"md0","kname":"md0","type":"raid1","size":16000763297792,"start":null,"model":null,"rota":true,"fstype":"xfs","mountpoints":["/srv/data"]}]}]},
  {"name":"sdc","kname":"sdc","type":"disk","size":500107862016,"start":null,"model":"SomeOther 500","rota":true,"fstype":null,"mountpoints":[null],
   "children":[{"name":"sdc1","kname":"sdc1","type":"part","size":1073741824,"start":2048,"model":null,"rota":true,"fstype":"vfat","mountpoints":["/boot/efi"]},
     {"name":"sdc2","kname":"sdc2","type":"part","size":499032000000,"start":2099200,"model":null,"rota":true,"fstype":"crypto_LUKS","mountpoints":[null],
      "children":[{"name":"luks-1","kname":"dm-0","type":"crypt","size":499015000000,"start":null,"model":null,"rota":true,"fstype":"LVM2_member","mountpoints":[null],
        "children":[{"name":"vg-root","kname":"dm-1","type":"lvm","size":107374182400,"start":null,"model":null,"rota":true,"fstype":"ext4","mountpoints":["/"]},
          {"name":"vg-home","kname":"dm-2","type":"lvm","size":214748364800,"start":null,"model":null,"rota":true,"fstype":"ext4","mountpoints":["/home"]}]}]}]},
  {"name":"sdd","kname":"sdd","type":"disk","size":4000787030016,"start":null,"model":"Spare","rota":true,"fstype":null,"mountpoints":[null]}
] }
"#;

const MDSTAT: &str = "Personalities : [raid1] [raid6] [raid5] [raid4]
md0 : active raid1 sdb1[1] sda1[0]
      15625745408 blocks super 1.2 [2/2] [UU]
      bitmap: 0/117 pages [0KB], 65536KB chunk

unused devices: <none>
";

const MOUNTS: &str = "proc /proc proc rw,nosuid 0 0
/dev/mapper/vg-root / ext4 rw,relatime,errors=remount-ro 0 1
/dev/mapper/vg-home /home ext4 rw,noatime,data=journal,commit=30 0 2
/dev/md0 /srv/data xfs rw,noatime 0 2
filer:/export /mnt/filer nfs4 rw,vers=4.2,rsize=1048576,wsize=1048576,hard 0 0
";

fn server() -> MachineFiles {
    let mut files = MachineFiles::new("the machine");
    for (name, text) in [
        ("a.txt", LSBLK),
        ("b", MDSTAT),
        ("c", MOUNTS),
        ("d", "Architecture:  x86_64\nCPU(s):        8\nModel name:    Some Processor 3000\n"),
        ("e", "MemTotal:       32768000 kB\nSwapTotal:      2097148 kB\n"),
        ("f", "6.8.0-45-generic\n"),
        (
            "g",
            "vm.dirty_bytes = 0\nvm.dirty_ratio = 40\nvm.dirty_background_bytes = 67108864\nvm.swappiness = 10\nvm.overcommit_memory = 0\n",
        ),
        ("sys/block/sdc/queue/scheduler", "none [mq-deadline] kyber\n"),
        ("sys/block/sda/queue/write_cache", "write through\n"),
        ("notes.md", "what I wrote down"),
    ] {
        files.add(name, text);
    }
    files
}

#[test]
fn a_server_is_described_with_what_lies_on_what() {
    let Made { text, remarks } =
        from_machine(&server(), &Choices { file: "m.toml".to_owned(), ..Choices::default() }).unwrap();
    for line in [
        "model = \"seagate-exos-x16-16tb\"\nwrite_cache = \"off\"",
        "[raid.md0]",
        "level = 1\non = [\"sda1\", \"sdb1\"]\nbitmap = { chunk = \"64 MiB\" }",
        "kernel = \"linux-6.8\"",
        "change.machine.processors = 8",
        "change.kernel.write_back.limit = \"40 %\"",
        "dirty_background = \"64 MiB\"",
        "swappiness = 10",
        "type = \"ext4\"                   # it is xfs, which is taken as ext4",
        "journal = \"journal\"\ncommit_interval = \"30 s\"\nscheduler = \"mq-deadline\"",
        "access_times = \"relative\"",
        "# /mnt/filer is filer:/export by nfs4, rsize=1048576, wsize=1048576, vers=4.2. What serves it?",
        "# sdd: Spare 4.0 TB, on which nothing is mounted",
        "on = [\"root\", \"home\", \"srv-data\"]",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    assert_eq!(remarks, ["notes.md is nothing that is known, and is left aside"]);
    let loaded = load_text("m.toml", &text, None, &[]).unwrap();
    let blocks = |name: &str| loaded.storage.iter().find(|part| part.name == name).unwrap().blocks;
    // Logical volumes lie one behind the other on what is encrypted, which is a partition of the drive.
    let drive = blocks("sdc") as f64;
    for (name, bytes) in [("vg-root", 107_374_182_400.0), ("vg-home", 214_748_364_800.0)] {
        let share = blocks(name) as f64 / drive;
        assert!((share / (bytes / 500_107_862_016.0) - 1.0).abs() < 0.01, "{name}: {share}");
    }
}

#[test]
fn arrays_are_read_from_mdstat_and_from_mdadm_alike() {
    let mdstat = "Personalities :\nmd1 : active raid10 sdd[3] sdc[2] sdb[1] sda[0]\n  3906764800 blocks super 1.2 512K chunks 2 near-copies [4/4] [UUUU]\n\
        md127 : active raid6 sde[4] sdf[5](S) sdd[3] sdc[2] sdb[1] sda[0](F)\n  100 blocks super 1.2 level 6, 256k chunk, algorithm 2 [5/4] [_UUUU]\n";
    let [ten, six] = md::mdstat(mdstat).try_into().unwrap();
    assert_eq!(
        (ten.level.as_str(), ten.chunk_kib, ten.copies),
        ("10", Some(512), Some(("near".to_owned(), 2)))
    );
    assert_eq!(ten.members, ["sda", "sdb", "sdc", "sdd"]);
    assert_eq!((six.level.as_str(), six.chunk_kib, six.members.len(), six.others), ("6", Some(256), 4, 2));
    let detail = "/dev/md127:\n           Version : 1.2\n        Raid Level : raid6\n        Chunk Size : 256K\n     Intent Bitmap : Internal\n\
        \n    Number   Major   Minor   RaidDevice State\n       0       8        0        0      active sync   /dev/sda\n       1       8       16        1      active sync   /dev/sdb\n\
           2       8       32        2      active sync   /dev/sdc\n       3       8       48        3      active sync   /dev/sdd\n       4       8       64        -      spare   /dev/sde\n";
    let [six] = md::detail(detail).try_into().unwrap();
    assert_eq!((six.level.as_str(), six.chunk_kib, six.members.len(), six.others), ("6", Some(256), 4, 1));
    assert_eq!(six.bitmap_kib, Some(64 << 10));
}

/// A chunk is the array's, whatever its level, and the scenario loads.
#[test]
fn striped_arrays_have_the_chunk_that_mdstat_tells() {
    for (level, says, chunk) in [
        ("raid0", "512k chunks", 512),
        ("raid5", "level 5, 64k chunk, algorithm 2 [4/4] [UUUU]", 64),
        ("raid6", "level 6, 256k chunk, algorithm 2 [4/4] [UUUU]", 256),
        ("raid10", "512K chunks 2 near-copies [4/4] [UUUU]", 512),
    ] {
        let drive = |letter: char| {
            format!(
                r#"{{"name":"sd{letter}","kname":"sd{letter}","type":"disk","size":4000787030016,"rota":true,
                "children":[{{"name":"md0","kname":"md0","type":"{level}","size":8001000000000,
                "rota":true,"fstype":"ext4","mountpoints":["/srv"]}}]}}"#
            )
        };
        let drives = ('a'..='d').map(drive).collect::<Vec<_>>().join(",");
        let mut files = MachineFiles::new("sent");
        files.add("lsblk.json", format!(r#"{{"blockdevices":[{drives}]}}"#));
        files.add(
            "mdstat",
            format!("Personalities :\nmd0 : active {level} sdd[3] sdc[2] sdb[1] sda[0]\n      100 blocks super 1.2 {says}\n"),
        );
        let made = from_machine(&files, &Choices::default()).unwrap();
        let told = format!("stripe_unit = \"{chunk} KiB\"");
        assert!(made.text.contains(&told), "{level}: {}", made.text);
        assert!(load_text("m.toml", &made.text, None, &[]).is_ok(), "{level}: {}", made.text);
    }
}

/// An array of three of which one is missing is played as it stands, by what /proc/mdstat says and by what mdadm does.
#[test]
fn a_degraded_array_is_degraded() {
    const DRIVES: &str = r#"{"blockdevices": [
        {"name": "sda", "size": 4000787030016, "type": "disk", "rota": true, "children": [
            {"name": "md0", "size": 8001299677184, "type": "raid5", "mountpoint": "/srv", "fstype": "ext4"}]},
        {"name": "sdb", "size": 4000787030016, "type": "disk", "rota": true, "children": [
            {"name": "md0", "size": 8001299677184, "type": "raid5", "mountpoint": "/srv", "fstype": "ext4"}]}]}"#;
    const STAT: &str = "Personalities : [raid6] [raid5] [raid4]\nmd0 : active raid5 sda[0] sdb[2]\n      7813769216 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]\n\nunused devices: <none>\n";
    const DETAIL: &str = "/dev/md0:\n        Raid Level : raid5\n        Chunk Size : 512K\n    Number   Major   Minor   RaidDevice State\n       0       8        0        0      active sync   /dev/sda\n       -       0        0        1      removed\n       2       8       16        2      active sync   /dev/sdb\n";
    for told in [STAT, DETAIL] {
        let mut files = MachineFiles::new("sent");
        files.add("lsblk.json", DRIVES);
        files.add("array", told);
        let Made { text, .. } = from_machine(&files, &Choices::default()).unwrap();
        assert!(text.contains("on = [\"sda\", \"md0-missing-1\", \"sdb\"]"), "{text}");
        assert!(text.contains("failures = [{ member = 1, at = \"0 s\" }]"), "{text}");
        let loaded = load_text("m.toml", &text, None, &[]).unwrap();
        let system = crate::build::System::build(&loaded).unwrap();
        let report = crate::run::simulate(&loaded, &system, crate::report::Sinks::default()).unwrap();
        assert!(report.arrays[0].failures.len() == 1, "{:?}", report.arrays);
    }
}

#[test]
fn kernels_are_the_newest_that_is_not_newer() {
    for (release, expected) in [
        ("5.15.0-91-generic", "linux-5.15"),
        ("5.10.0-28-amd64", "linux-5.4"),
        ("6.1.0-18-amd64", "linux-6.1"),
        ("Linux box 6.12.1 #1 SMP Tue Nov 5 2024", "linux-6.12"),
        ("7.2.0", "linux-6.18"),
        ("2.6.9", "linux-2.6.24"),
    ] {
        assert_eq!(nearest::kernel(nearest::version(release).unwrap()), expected, "{release}");
    }
    assert_eq!(nearest::version("no number"), None);
}

#[test]
fn a_drive_is_its_model_or_the_nearest_of_its_class() {
    let catalogue = crate::catalogue::devices().unwrap();
    let exos = nearest::drive(&catalogue, "ST16000NM001G-2KK103", (true, 16 << 40));
    assert_eq!((exos.drive, exos.is_model), ("seagate-exos-x16-16tb", true));
    let other = nearest::drive(&catalogue, "Unheard of", (true, 18_000_000_000_000));
    assert!(!other.is_model && other.drive.ends_with("18tb"), "{}", other.drive);
    assert!(!nearest::drive(&catalogue, "Samsung SSD 970", (false, 1 << 40)).is_model);
}

#[test]
fn a_folder_without_drives_is_told_what_to_bring() {
    let mut files = MachineFiles::new("sent/");
    files.add("x", "nothing of use");
    let problems = from_machine(&files, &Choices::default()).unwrap_err();
    let problem = problems.iter().next().unwrap();
    assert!(problem.to_string().contains("nothing in sent/ says which drives"), "{problem}");
    let mut files = MachineFiles::new("sent/");
    files.add("lsblk.json", "{ \"blockdevices\": [ {\"name\": 7 } ] }");
    assert!(from_machine(&files, &Choices::default()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]
    /// Whatever is cut off or changed of what somebody sends, there is a scenario that loads or a reason.
    #[test]
    fn whatever_is_sent_is_answered(cut in 0usize..4000, at in 0usize..4000, byte in 32u8..127, which in 0usize..4) {
        let mut files = MachineFiles::new("sent");
        for (number, text) in [LSBLK, MDSTAT, MOUNTS, "vm.dirty_ratio = 40\n"].into_iter().enumerate() {
            let mut text = text.to_owned();
            if number == which {
                text.truncate(cut.min(text.len()));
                let at = at % text.len().max(1);
                if at < text.len() {
                    text.replace_range(at..=at, &char::from(byte).to_string());
                }
            }
            files.add(format!("{number}"), text);
        }
        if let Err(problems) = from_machine(&files, &Choices::default()) {
            let words = problems.iter().map(ToString::to_string).collect::<String>();
            prop_assert!(words.contains("lsblk") || words.contains("drives"), "{words}");
        }
    }
}
