//! Machines of kinds that people have, by texts of the shape that their commands print, with made-up names and sizes: each gives a scenario
//! that loads, and asks what can't be known.
#![allow(clippy::unwrap_used, reason = "a test that cannot set up has failed")]
use super::*;
use crate::load_text;

/// The scenario of texts, which loads; each of these words stands in it.
fn holds(texts: &[(&str, &str)], words: &[&str]) -> (String, Vec<String>) {
    let mut files = MachineFiles::new("sent");
    texts.iter().for_each(|(name, text)| files.add(*name, *text));
    let Made { text, remarks } =
        from_machine(&files, &Choices::default()).unwrap_or_else(|problems| panic!("{problems:?}"));
    let loaded =
        load_text("m.toml", &text, None, &[]).unwrap_or_else(|problems| panic!("{problems:?}\n{text}"));
    assert!(!loaded.storage.is_empty() || !loaded.disks.is_empty(), "{text}");
    for word in words {
        assert!(text.contains(word), "{word}\nis missing in\n{text}");
    }
    (text, remarks)
}

/// A node of lsblk's tree.
fn node(name: &str, kind: &str, bytes: u64, rest: &str, children: &[String]) -> String {
    let children = children.join(",");
    format!(
        r#"{{"name":"{name}","kname":"{name}","type":"{kind}","size":{bytes},{rest}"children":[{children}]}}"#
    )
}

fn listing(nodes: &[String]) -> String {
    format!(r#"{{"blockdevices":[{}]}}"#, nodes.join(","))
}

fn mounted(at: &str, kind: &str) -> String {
    format!(r#""fstype":"{kind}","mountpoint":"{at}","#)
}

const GB: u64 = 1_000_000_000;

#[test]
fn lvm_on_two_drives_and_a_thin_pool() {
    let on_both = |from: &str| node(from, "lvm", 6_000 * GB, &mounted("/srv", "xfs"), &[]);
    let thin = |name: &str, at: &str| node(name, "lvm", 900 * GB, &mounted(at, "ext4"), &[]);
    let pool = node("vg-thin-tpool", "lvm", 1_000 * GB, "", &[thin("vg-a", "/a"), thin("vg-b", "/b")]);
    let lsblk = listing(&[
        node("sda", "disk", 4_000 * GB, r#""rota":true,"#, &[on_both("vg-srv")]),
        node("sdb", "disk", 4_000 * GB, r#""rota":true,"#, &[on_both("vg-srv")]),
        node(
            "nvme0n1",
            "disk",
            1_024 * GB,
            r#""rota":false,"#,
            &[
                node("vg-thin_tmeta", "lvm", GB, "", std::slice::from_ref(&pool)),
                node("vg-thin_tdata", "lvm", 1_000 * GB, "", &[pool]),
            ],
        ),
    ]);
    let (text, remarks) = holds(
        &[("lsblk", &lsblk)],
        &[
            "# vg-srv lies on sda, sdb: in stripes, or one behind the other? (lvs -o +segtype,devices)",
            "# vg-thin-tpool is a pool of thin volumes",
            // Nine tenths of the pool each, which they can't have both.
            "[partition.vg-a]            # 900 GB\non = \"vg-thin-tpool\"\nfrom = \"0 %\"\nsize = \"50 %\"",
            "[partition.vg-thin-tpool]            # 1.0 TB\non = \"vg-thin_tdata\"\nfrom = \"0 %\"\nsize = \"100 %\"",
        ],
    );
    assert!(!text.contains("on which nothing is mounted"), "{text}");
    assert_eq!(remarks, ["vg-srv lies on 2 devices, and is taken to lie on sda alone"]);
}

#[test]
fn encryption_asks_for_its_cipher() {
    let crypt = node("luks-root", "crypt", 499 * GB, &mounted("/", "ext4"), &[]);
    let part = node("nvme0n1p2", "part", 499 * GB, r#""start":2048,"fstype":"crypto_LUKS","#, &[crypt]);
    let lsblk = listing(&[node("nvme0n1", "disk", 500 * GB, r#""rota":false,"#, &[part])]);
    holds(
        &[("x", &lsblk)],
        &[
            "# luks-root is encrypted: how much does its cipher take? (cryptsetup benchmark)",
            "on = \"nvme0n1p2\"",
        ],
    );
}

#[test]
fn a_cached_drive_is_the_drive_and_asks_for_the_cache() {
    let cached =
        node("bcache0", "disk", 8_001 * GB, &format!(r#""rota":true,{}"#, mounted("/data", "btrfs")), &[]);
    let cache = node(
        "nvme0n1p3",
        "part",
        200 * GB,
        r#""start":2048,"fstype":"bcache","#,
        std::slice::from_ref(&cached),
    );
    let lsblk = listing(&[
        node("nvme0n1", "disk", 500 * GB, r#""rota":false,"#, &[cache]),
        node("sda", "disk", 8_001_563_222_016, r#""rota":true,"fstype":"bcache","#, &[cached]),
    ]);
    let (text, _) = holds(
        &[("x", &lsblk)],
        &[
            "# bcache0 caches sda on nvme0n1p3: how much is found there, and are writes held back? (/sys/block/bcache0/bcache)",
            "on = \"sda\"",
        ],
    );
    assert!(!text.contains("[disk.bcache0]") && !text.contains("[disk.nvme0n1]"), "{text}");
    assert!(!text.contains("on which nothing is mounted"), "{text}");
}

const ZPOOL: &str = "  pool: tank
 state: ONLINE
  scan: scrub repaired 0B in 05:12:44 with 0 errors on Sun Mar  2 05:36:45 2025
config:

\tNAME                        STATE     READ WRITE CKSUM
\ttank                        ONLINE       0     0     0
\t  raidz2-0                  ONLINE       0     0     0
\t    ata-MADEUP_A-part1      ONLINE       0     0     0
\t    ata-MADEUP_B-part1      ONLINE       0     0     0
\t    ata-MADEUP_C-part1      ONLINE       0     0     0
\t    ata-MADEUP_D-part1      ONLINE       0     0     0
\t  mirror-1                  ONLINE       0     0     0
\t    sde                     ONLINE       0     0     0
\t    sdf                     ONLINE       0     0     0
\tlogs
\t  nvme0n1p4                 ONLINE       0     0     0

errors: No known data errors
";

#[test]
fn a_pool_of_zfs_is_its_groups() {
    let member = |letter: char| {
        let part = node(
            &format!("sd{letter}1"),
            "part",
            11_999 * GB,
            r#""start":2048,"fstype":"zfs_member","label":"tank","#,
            &[],
        );
        node(&format!("sd{letter}"), "disk", 12_000 * GB, r#""rota":true,"#, &[part])
    };
    let lsblk = listing(&('a'..='f').map(member).collect::<Vec<_>>());
    let mounts = "tank /tank zfs rw,xattr,noacl 0 0\ntank/home /home zfs rw,xattr,noacl 0 0\n";
    let (text, _) = holds(
        &[("l", &lsblk), ("m", mounts), ("z", ZPOOL)],
        &[
            "[raid.tank-0]\nuse = \"linux-md\"\nlevel = 6\non = [\"sda1\", \"sdb1\", \"sdc1\", \"sdd1\"]",
            "[raid.tank-1]\nuse = \"linux-md\"\nlevel = 1\non = [\"sde1\", \"sdf1\"]",
            "[raid.tank]\nuse = \"linux-md\"\nlevel = 0\non = [\"tank-0\", \"tank-1\"]",
            "# tank has 1 of logs beside",
            "(zfs get recordsize,compression tank; zfs_arc_max)\n[fs.tank]",
        ],
    );
    assert!(!text.contains("[fs.home]"), "one file system for all that the pool holds: {text}");
    // Without what zpool tells, its drives are asked about.
    holds(&[("l", &lsblk), ("m", mounts)], &["# How are the 6 drives of tank arranged? (zpool status)"]);
}

#[test]
fn pools_are_read_as_zpool_lists_them() {
    let [tank] = pools::read(ZPOOL).try_into().unwrap();
    let groups: Vec<_> = tank.groups.iter().map(|group| (group.redundancy, group.members.len())).collect();
    assert_eq!(groups, [(pools::Redundancy::Parity(2), 4), (pools::Redundancy::Mirror, 2)]);
    assert_eq!(tank.beside, ["1 of logs"]);
    let plain = "  pool: rpool\nconfig:\n\n\tNAME STATE READ WRITE CKSUM\n\trpool ONLINE 0 0 0\n\t  sda3 ONLINE 0 0 0\n\t  sdb3 ONLINE 0 0 0\n\nerrors: none\n";
    let [rpool] = pools::read(plain).try_into().unwrap();
    assert_eq!(rpool.groups.len(), 2);
}

#[test]
fn several_paths_are_one_volume() {
    let lun = node("mpatha", "mpath", 2_199_023_255_552, &mounted("/var/lib/db", "xfs"), &[]);
    let path = |name: &str| {
        node(
            name,
            "disk",
            2_199_023_255_552,
            r#""rota":true,"model":"LUN C-Mode","#,
            std::slice::from_ref(&lun),
        )
    };
    let lsblk = listing(&["sdb", "sdc", "sdd", "sde"].map(path));
    let (text, _) = holds(
        &[("x", &lsblk)],
        &[
            "# mpatha has several paths, sdb and sdc, sdd, sde: which are active? (multipath -ll)",
            "on = \"sdb\"",
        ],
    );
    assert_eq!(text.matches("[disk.").count(), 1, "{text}");
    assert!(!text.contains("on which nothing is mounted"), "{text}");
}

#[test]
fn namespaces_share_a_drive() {
    let space = |name: &str, bytes: u64, at: &str| {
        node(
            name,
            "disk",
            bytes,
            &format!(r#""rota":false,"model":"MADEUP 3.84TB",{}"#, mounted(at, "ext4")),
            &[],
        )
    };
    let lsblk = listing(&[
        space("nvme0n1", 960 * GB, "/log"),
        space("nvme0n2", 2_880 * GB, "/db"),
        space("nvme1n1", 3_840 * GB, "/other"),
    ]);
    let (text, _) = holds(
        &[("x", &lsblk)],
        &[
            "# nvme0n1, nvme0n2 are namespaces of one drive.",
            "[disk.nvme0]",
            "[partition.nvme0n1]            # 960 GB\non = \"nvme0\"\nfrom = \"0 %\"\nsize = \"25 %\"",
            "[partition.nvme0n2]            # 2.9 TB\non = \"nvme0\"\nfrom = \"25 %\"\nsize = \"75 %\"",
            "[disk.nvme1n1]",
        ],
    );
    assert_eq!(text.matches("[disk.").count(), 2, "{text}");
}

#[test]
fn loops_of_packages_are_passed_over() {
    let snap = |name: &str, at: &str| node(name, "loop", 67_108_864, &mounted(at, "squashfs"), &[]);
    let mut nodes: Vec<String> =
        (0..12).map(|number| snap(&format!("loop{number}"), &format!("/snap/thing/{number}"))).collect();
    let root = node("vda1", "part", 41 * GB, &format!(r#""start":227328,{}"#, mounted("/", "ext4")), &[]);
    nodes.push(node("vda", "disk", 42 * GB, r#""rota":true,"#, &[root]));
    let (text, _) = holds(&[("x", &listing(&nodes))], &["[fs.root]"]);
    assert!(!text.contains("snap") && !text.contains("loop"), "{text}");
}

const STORCLI: &str = "Controller = 0
Status = Success

VD LIST :
=======
---------------------------------------------------------------
DG/VD TYPE  State Access Consist Cache Cac sCC       Size Name
---------------------------------------------------------------
0/0   RAID1 Optl  RW     Yes     RWBD  -   ON  446.625 GB boot
1/1   RAID6 Optl  RW     Yes     RWBD  -   ON   14.551 TB data
---------------------------------------------------------------

PD LIST :
=======
------------------------------------------------------------------------------
EID:Slt DID State DG       Size Intf Med SED PI SeSz Model            Sp Type
------------------------------------------------------------------------------
252:0    10 Onln   0 446.625 GB SATA SSD N   N  512B MADEUP SSD480    U  -
252:1    11 Onln   0 446.625 GB SATA SSD N   N  512B MADEUP SSD480    U  -
252:2     8 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
252:3     9 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
252:4    12 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
252:5    13 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
252:6    14 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
252:7    15 Onln   1   3.637 TB SATA HDD N   N  512B ST4000NM0035-1V4107 U  -
------------------------------------------------------------------------------
";

#[test]
fn a_controllers_volumes_are_asked_about_or_told_by_its_command() {
    let volume = |name: &str, bytes: u64, at: &str| {
        node(name, "disk", bytes, &format!(r#""rota":true,"model":"MR9361-8i",{}"#, mounted(at, "ext4")), &[])
    };
    let lsblk = listing(&[volume("sda", 479 * GB, "/"), volume("sdb", 15_999 * GB, "/data")]);
    holds(
        &[("x", &lsblk)],
        &[
            "# MR9361-8i is a volume of a RAID controller, which hides its drives. Which are they",
            "(storcli /c0 show all;",
        ],
    );
    let (text, _) = holds(
        &[("x", &lsblk), ("y", STORCLI)],
        &[
            "# MR9361-8i makes sdb of them; its caches hold back writes.",
            "[raid.sda]                 # 479 GB\nuse = \"perc-h700\"\nlevel = 1\non = [\"sda-0\", \"sda-1\"]",
            "level = 6\non = [\"sdb-0\", \"sdb-1\", \"sdb-2\", \"sdb-3\", \"sdb-4\", \"sdb-5\"]",
        ],
    );
    assert_eq!(text.matches("[disk.").count(), 8, "{text}");
}

#[test]
fn what_lies_on_itself_is_answered() {
    for kind in ["crypt", "part", "disk", "raid1"] {
        let inner = node("a", kind, GB, &mounted("/", "ext4"), &[]);
        let round = node(
            "a",
            kind,
            GB,
            &mounted("/", "ext4"),
            &[node("b", kind, GB, "", std::slice::from_ref(&inner))],
        );
        for nodes in [[node("a", kind, GB, "", &[inner])], [round]] {
            let mut files = MachineFiles::new("sent");
            files.add("x", listing(&nodes));
            assert!(
                from_machine(&files, &Choices::default())
                    .map_or_else(|problems| problems.iter().count() > 0, |_| true)
            );
        }
    }
}
