//! Nested files and their flat twins give the same reports, and no damage to either makes the reader panic.

use super::{SHELF, read, read_with, report};
use petrio_scenario::{Loaded, Override, load_text};
use proptest::prelude::*;
use std::fmt::Write;

/// A nested scenario and the same written out by hand, with `/` or another sign between the pieces of names.
fn twins(hosts: u32, disks: u32, inside: bool, striped: bool, sign: &str) -> (String, String) {
    let host = "machine = \"epyc-9005-2vcpu\"\nkernel = \"linux-6.18\"\n";
    let script = "kind = \"script\"\nscript = \"create a; append a 64 KiB; fsync a; read a 0 4 KiB\"\n";
    let on = if striped && disks > 1 { "r" } else { "d" };
    let drive = format!("model = \"constant-rate\"\ncount = {disks}\n");
    let mut nested = format!("title = \"t\"\n[host.s]\ncount = {hosts}\n{host}[host.s.disk.d]\n{drive}");
    let mut flat = "title = \"t\"\n".to_owned();
    let name = |host: u32, part: &str| {
        let host = if hosts == 1 { "s".to_owned() } else { format!("s{host}") };
        if part.is_empty() { host } else { format!("{host}{sign}{part}") }
    };
    for number in 0..hosts {
        writeln!(flat, "[host.\"{}\"]\n{host}[disk.\"{}\"]\n{drive}", name(number, ""), name(number, "d"))
            .unwrap();
    }
    if on == "r" {
        nested.push_str("[host.s.raid.r]\nlevel = 0\non = \"d\"\n");
        for number in 0..hosts {
            writeln!(flat, "[raid.\"{}\"]\nlevel = 0\non = \"{}\"", name(number, "r"), name(number, "d"))
                .unwrap();
        }
        nested.push_str("[host.s.fs.f]\ntype = \"ext4\"\non = \"r\"\nsize = \"1 GiB\"\n");
    } else {
        for disk in 0..disks {
            let of = if disks == 1 { "d".to_owned() } else { format!("d{disk}") };
            writeln!(nested, "[host.s.fs.f{disk}]\ntype = \"ext4\"\non = \"{of}\"\nsize = \"1 GiB\"")
                .unwrap();
        }
    }
    let fs = |disk: u32| if on == "r" { "f".to_owned() } else { format!("f{disk}") };
    let count = if on == "r" { 1 } else { disks };
    for number in 0..hosts {
        for disk in 0..count {
            let of = match (on, disks) {
                ("r", _) => name(number, "r"),
                (_, 1) => name(number, "d"),
                _ => name(number, &format!("d{disk}")),
            };
            let (fs, host) = (name(number, &fs(disk)), name(number, ""));
            writeln!(
                flat,
                "[fs.\"{fs}\"]\ntype = \"ext4\"\nhost = \"{host}\"\non = \"{of}\"\nsize = \"1 GiB\""
            )
            .unwrap();
        }
    }
    if inside {
        writeln!(nested, "[host.s.workload.w]\non = \"f*\"\n{script}").unwrap();
        for number in 0..hosts {
            let (workload, on) = (name(number, "w"), name(number, "f*"));
            writeln!(flat, "[workload.\"{workload}\"]\non = \"{on}\"\n{script}").unwrap();
        }
    } else {
        writeln!(nested, "[workload.w]\non = \"s*/f*\"\n{script}").unwrap();
        writeln!(flat, "[workload.w]\non = \"s*{sign}f*\"\n{script}").unwrap();
    }
    (nested, flat)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn a_nested_file_and_its_flat_twin_give_the_same_report(
        hosts in 1u32..4, disks in 1u32..4, inside in any::<bool>(), striped in any::<bool>()
    ) {
        // What the copies are called in words, and in rows, is the report's own; the flat twins have no copies.
        let plain = |loaded: &Loaded| {
            let mut found: serde_json::Value = serde_json::from_str(&report(loaded)).unwrap();
            // Which parts are equals, and where their parameters are written, is for the nested form alone to know.
            for key in ["system", "workload", "workloads", "bottleneck", "activity", "traffic"] {
                found.as_object_mut().unwrap().remove(key);
            }
            for error in found["model_error"].as_array_mut().into_iter().flatten() {
                for key in ["classes", "outside", "narrows"] {
                    error.as_object_mut().unwrap().remove(key);
                }
            }
            found.to_string()
        };
        let (nested, paths) = twins(hosts, disks, inside, striped, "/");
        let nested = read(&nested);
        let of_paths = read(&paths);
        prop_assert_eq!(&nested.scenario, &of_paths.scenario);
        let found = plain(&nested);
        prop_assert_eq!(&found, &plain(&of_paths));
        // Another sign makes other names, of the files too; a flat net has the host's name before its file systems'.
        let (_, flat) = twins(hosts, disks, inside, striped, "-");
        let numbers = |report: &str| {
            let found: serde_json::Value = serde_json::from_str(report).unwrap();
            let rows = found["stages"].as_array().unwrap().iter().map(|row| {
                let mut row = row.clone();
                row.as_object_mut().unwrap().remove("name");
                row
            }).collect::<Vec<_>>();
            (rows, found["latency"].clone(), found["requests"].clone(), found["simulated_s"].clone())
        };
        prop_assert_eq!(numbers(&found), numbers(&plain(&read(&flat))));
        // What a nested file means can be written down and read again.
        let written = toml::to_string(&nested.scenario).unwrap();
        prop_assert_eq!(&read(&written).scenario, &nested.scenario);
    }

    #[test]
    fn no_damage_to_a_nested_scenario_makes_the_reader_panic(
        at in 0..SHELF.len(), length in 0usize..20, piece in "([\\PC\n]{0,12}|use = \"x\"|count = 3|\\*\\*/|server0/)"
    ) {
        let damaged = format!("{}{piece}{}", &SHELF[..at], &SHELF[(at + length).min(SHELF.len())..]);
        let _ = read_with(&damaged, None, &[]);
    }

    #[test]
    fn no_override_of_a_nested_scenario_makes_the_reader_panic(
        text in "(host|box|disk)(\\.(server|server2|d|disk|box|fs|use|count|on)){0,5}=(\\PC{0,8}|[0-9]{1,3}|\"\\*\\*/d\"|\\{\\})"
    ) {
        if let Ok(change) = text.parse::<Override>() {
            let _ = load_text("test.toml", SHELF, None, &[change]);
        }
    }
}
