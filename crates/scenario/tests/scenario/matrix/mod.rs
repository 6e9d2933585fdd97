//! Everything that blocks lie on × every kind of drive × every kind of workload: what holds of all of them, whatever they are.
//!
//! `make test` runs rows in which each two values meet; with PETRIO_FULL_MATRIX=1 (`make test-all`) all of it, drives in turn where
//! files lie on them. The laws: what is asked comes back
//! and nothing is under way at the end; what was written and made durable has reached devices; no figure is negative, none faster than
//! the drives' interfaces; percentiles are in order; nothing is busier than it can be; N = X·R of closed loads (Little, "A proof for the
//! queuing formula L = λW", 1961); and a second system that shares nothing changes nothing.

mod pairs;
mod parts;

use crate::common::laws::{Broken, kept};
use crate::common::once;
use parts::{
    CLIENT, CLOSED, DRIVES, HOLDERS, LIES, MOST_SCHEDULERS, MOUNTS, ON_BLOCKS, ON_FILES, schedulers,
    write_inputs,
};
use petrio_scenario::report::Report;
use rayon::prelude::*;
use std::path::Path;

fn is_whole() -> bool {
    std::env::var_os("PETRIO_FULL_MATRIX").is_some()
}

/// Which cells of the whole are run: all, or with PETRIO_FULL_MATRIX=2/7 the second, the ninth and so on.
fn part(cells: &[Vec<usize>]) -> Vec<&[usize]> {
    let asked = std::env::var("PETRIO_FULL_MATRIX").unwrap_or_default();
    let part = asked.split_once('/').map(|(part, of)| (part.parse::<usize>().unwrap(), of.parse().unwrap()));
    let (part, of) = part.unwrap_or((1, 1));
    cells.iter().map(Vec::as_slice).skip(part - 1).step_by(of).collect()
}

fn disks((model, _): (&str, f64), count: u32) -> String {
    let count = if count > 1 { format!("count = {count}\n") } else { String::new() };
    format!("[disk.d]\nmodel = \"{model}\"\n{count}")
}

/// Runs all cells, and tells which break laws.
fn hold(cells: &[Vec<usize>], broken: impl Fn(&[usize], &Path) -> Option<String> + Sync) {
    let folder = tempfile::tempdir().unwrap();
    write_inputs(folder.path());
    let cells = part(cells);
    let broken: Vec<String> = cells.par_iter().filter_map(|cell| broken(cell, folder.path())).collect();
    assert!(broken.is_empty(), "{} of {} break laws:\n{}", broken.len(), cells.len(), broken.join("\n"));
}

fn broken_by_blocks(cell: &[usize], folder: &Path) -> Option<String> {
    let &[drive, holder, workload] = cell else { panic!("{cell:?}") };
    let (on, count, parts) = HOLDERS[holder];
    let (requests, closed, workload) = ON_BLOCKS[workload];
    let workload = workload.replace("ON", on).replace("CLOSED", CLOSED);
    let text = format!("seed = 7\n{}{parts}{workload}", disks(DRIVES[drive], count));
    let mut broken = Broken::default();
    let Some(report) = broken.run_in(&text, Some(folder)) else { return broken.of(&text) };
    let served = &report.served;
    broken.unless(served.requests.completed == requests, || format!("{} done", served.requests.completed));
    if let Some(clients) = closed {
        let response = served.latency.as_ref().unwrap().mean_ms.value / 1e3;
        let there = served.requests_per_s.value * response;
        // At the end, fewer and fewer are left.
        broken.unless((0.8 * clients..1.001 * clients).contains(&there), || {
            format!("N is {clients}, X·R {there}")
        });
    }
    let fastest = DRIVES[drive].1 * f64::from(count);
    let rate = served.throughput_bytes_per_s.value;
    let cached = parts.contains("perc");
    broken.unless(cached || rate <= fastest, || format!("{rate} bytes/s of {fastest}"));
    broken.of(&text)
}

#[test]
fn block_requests_keep_the_laws_on_whatever_holds_blocks_over_every_kind_of_drive() {
    let sizes = [DRIVES.len(), HOLDERS.len(), ON_BLOCKS.len()];
    hold(&if is_whole() { pairs::all(&sizes) } else { pairs::pairs(&sizes) }, broken_by_blocks);
}

/// A scheduler is one of its mount's kernel.
fn broken_by_files(cell: &[usize], folder: &Path) -> Option<String> {
    let &[holder, mount, scheduler, workload, drive] = cell else { panic!("{cell:?}") };
    let (on, count, parts) = HOLDERS[holder];
    let (to, mount) = MOUNTS[mount];
    let (durable, workload) = ON_FILES[workload];
    let schedulers = schedulers(mount);
    let scheduler = schedulers.get(scheduler % schedulers.len().max(1));
    let lies = scheduler.map_or(LIES.to_owned(), |name| format!("{LIES}scheduler = \"{name}\"\n"));
    let fabric = CLIENT.replace("gigabit-ethernet", "fibre-channel-2g");
    let mount =
        mount.replace("CLIENT", CLIENT).replace("FABRIC", &fabric).replace("LIES", &lies).replace("ON", on);
    let workload = workload.replace("ON", to);
    let text = format!("seed = 7\n{}{parts}{mount}{workload}", disks(DRIVES[drive], count));
    let mut broken = Broken::default();
    let Some(report) = broken.run_in(&text, Some(folder)) else { return broken.of(&text) };
    // What a member that is lost would have held, parity stands for.
    // Ceph's OSDs keep small writes in their log for a while.
    let kept = kept(&report, parts.contains("[ceph."))
        + if parts.contains("failures") { parity(&report) } else { 0 };
    broken.unless(kept >= durable, || format!("{durable} bytes were made durable, {kept} are kept"));
    broken.of(&text)
}

/// Bytes of redundancy that were written.
fn parity(report: &Report) -> u64 {
    let rows = report.traffic.iter().flat_map(|device| &device.purposes);
    rows.filter(|row| row.purpose.contains("redundancy")).map(|row| row.writes.bytes).sum()
}

/// Cells of mounts that the test is about.
fn files(is_of: impl Fn(&str) -> bool) -> Vec<Vec<usize>> {
    let sizes = [HOLDERS.len(), MOUNTS.len(), MOST_SCHEDULERS, ON_FILES.len()];
    let mut cells = if is_whole() {
        let mut cells = pairs::all(&sizes);
        for (number, cell) in cells.iter_mut().enumerate() {
            cell.push(number % DRIVES.len());
        }
        // No scheduler twice.
        cells.retain(|cell| cell[2] < schedulers(MOUNTS[cell[1]].1).len().max(1));
        cells
    } else {
        pairs::pairs(&[sizes.as_slice(), &[DRIVES.len()]].concat())
    };
    cells.retain(|cell| is_of(MOUNTS[cell[1]].0));
    cells
}

#[test]
fn files_of_a_host_of_their_own_keep_the_laws_over_whatever_holds_blocks() {
    hold(&files(|to| to == "data"), broken_by_files);
}

#[test]
fn files_that_are_reached_over_a_network_keep_the_laws_over_whatever_holds_blocks() {
    hold(&files(|to| to != "data"), broken_by_files);
}

#[test]
fn a_second_system_that_shares_nothing_changes_nothing_of_the_first() {
    let other = "[disk.other]\nmodel = \"seagate-st3146707lc\"\n[workload.beside]\nkind = \"synthetic\"\non = \"other\"\nrequests = 30\n\
                 generators = [{ read_fraction = 0.5, time_critical_fraction = 1, inter_arrival = \"5 ms\", size = \"4 KiB\" }]\n";
    for (number, (on, count, parts)) in HOLDERS.into_iter().enumerate() {
        let workload = ON_BLOCKS[1].2.replace("ON", on);
        let text = format!("seed = 7\n{}{parts}{workload}", disks(DRIVES[number % DRIVES.len()], count));
        let (alone, both) = (once(&text), once(&format!("{text}{other}")));
        let row = both.served.workloads.iter().find(|row| row.workload == "w").unwrap();
        assert_eq!(row.latency, alone.served.latency, "{text}");
        assert_eq!(
            (row.completed, row.bytes),
            (alone.served.requests.completed, alone.served.bytes),
            "{text}"
        );
    }
}
