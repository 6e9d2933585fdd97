//! Rows of each validation as residuals: which class of parts decided, and under which conditions.

use crate::ceph::{CephRow, Operation};
use crate::disks::DiskRow;
use crate::dissertation::Chapter;
use crate::ivy::IvyRow;
use crate::md::MdRow;
use crate::nfs::grid::NfsTimeRow;
use crate::pvfs::{self, GridRow};
use crate::syncs::SyncsRow;
use petrio_scenario::report::sure::{Bound, Class, Conditions, Depth, Moves, Of, Residual};
use serde::Deserialize;

const fn conditions(moves: Moves, bound: Bound, depth: Depth) -> Conditions {
    Conditions { moves, bound, depth }
}

const fn way(writes: bool) -> Moves {
    if writes { Moves::Write } else { Moves::Read }
}

const fn depth(several: bool) -> Depth {
    if several { Depth::Several } else { Depth::One }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Of measured drives, one request at a time: mean access time, its median, and what one in ten and one in a hundred takes longer than.
pub fn of_disks(rows: &[DiskRow]) -> Vec<Residual> {
    let of = conditions(Moves::Both, Bound::Device, Depth::One);
    let each = |row: &DiskRow| {
        let residual = |figure, what: &str, pair| {
            Residual::of((Class::Disk, figure), of, ("disks", format!("{}: {what}", row.disk)), pair)
        };
        let mean = residual(Of::MeanLatency, "mean", [row.simulated_mean_ms, row.measured_mean_ms]);
        let quantiles = ["p50", "p90", "p99"].into_iter().zip(row.quantiles_ms);
        let quantiles = quantiles
            .map(|(what, (measured, simulated))| residual(Of::Percentile, what, [simulated, measured]));
        mean.into_iter().chain(quantiles.flatten()).collect::<Vec<_>>()
    };
    rows.iter().flat_map(each).collect()
}

/// Of fsyncs beside a writer, on a disk of known times: the writer fills memory, the fsyncs wait for the disk.
pub fn of_syncs(rows: &[SyncsRow]) -> Vec<Residual> {
    let each = |row: &SyncsRow| {
        let residual = |(figure, bound), what: &str, (measured, predicted): (f64, f64)| {
            let case = format!("{} {} {} MiB dirty: {what}", row.fs, row.cache, row.dirty_limit_mib);
            let of = conditions(Moves::Write, bound, Depth::One);
            Residual::of((Class::FileSystem, figure), of, ("syncs", case), [predicted, measured])
        };
        let fsyncs = (row.fsyncs.0 as f64, row.fsyncs.1 as f64);
        [
            residual((Of::Throughput, Bound::Memory), "the writer's rate", row.writer_mib_s),
            residual((Of::Throughput, Bound::Device), "fsyncs", fsyncs),
            residual((Of::Percentile, Bound::Device), "median fsync", row.median_s),
            residual((Of::Percentile, Bound::Device), "longest fsync", row.longest_s),
        ]
    };
    rows.iter().flat_map(each).flatten().collect()
}

/// A row that `petrio validate fs --json` printed.
#[derive(Clone, Debug, Deserialize)]
pub struct FsRecord {
    /// The experiment's name.
    pub experiment: String,
    /// How the file system journals.
    pub journal: String,
    /// Bytes of a file.
    pub file_size_bytes: u64,
    /// Bytes of an access.
    pub record_bytes: u64,
    /// What the prediction is worth: `predicted`, or else the machine's profile saw this or its neighbours.
    pub label: String,
    /// The median of the measured figures.
    pub measured: f64,
    /// What the model says.
    pub predicted: f64,
}

/// Of one machine's file system: experiments in memory are of calls and memory, all others of the file system.
pub fn of_fs(rows: &[FsRecord]) -> Vec<Residual> {
    let each = |row: &FsRecord| {
        let (class, bound) = match row.experiment.as_str() {
            "sequential-read" | "overwrite" | "random-read" | "random-overwrite" => {
                (Class::Memory, Bound::Memory)
            }
            "new-file" => (Class::FileSystem, Bound::Memory),
            _ => (Class::FileSystem, Bound::Device),
        };
        let writes = !row.experiment.ends_with("read") && row.experiment != "memory-cliff";
        let case = format!(
            "{} {}: {} KiB by {} KiB",
            row.experiment,
            row.journal,
            row.file_size_bytes >> 10,
            row.record_bytes >> 10
        );
        let of = conditions(way(writes), bound, Depth::One);
        let pair = [row.predicted, row.measured];
        let residual = Residual::of((class, Of::Throughput), of, ("fs", case), pair)?;
        Some(if row.label == "predicted" { residual } else { residual.fitted() })
    };
    rows.iter().filter_map(each).collect()
}

/// Of the dissertation's tables that have numbers of which the input is known: what a read and a write cost is fitted to tables 5 and 6 and
/// to each first trace, how many writes the drive holds was chosen with table 11 in sight, and the second traces are predicted.
pub fn of_dissertation(chapter: &Chapter) -> Vec<Residual> {
    let residual = |class, bound, writes, case: &str, pair| {
        let of = conditions(way(writes), bound, Depth::One);
        Residual::of((class, Of::Throughput), of, ("dissertation", case.to_owned()), pair)
    };
    let memory = |writes, case: &str, pair| residual(Class::Memory, Bound::Memory, writes, case, pair);
    let [read, ordered, synchronous] = Chapter::MEASURED_KB_PER_S;
    let fitted = [
        memory(false, "table 5", [chapter.fitted.read, read]),
        memory(true, "table 6", [chapter.fitted.ordered, ordered]),
    ];
    let held = chapter.held.iter().filter(|row| row.judged).map(|row| {
        let pair = [row.kb_per_s, synchronous];
        residual(Class::FileSystem, Bound::Device, true, "table 11", pair)
    });
    let fitted = fitted.into_iter().chain(held).flatten().map(Residual::fitted);
    let [read, written] = Chapter::SECOND_TRACE_KB_PER_S;
    let captured = chapter.captured.iter().flat_map(|row| {
        let mean = row.mean_kib;
        let both = [
            row.read_costs_us.and_then(|_| {
                memory(false, &format!("table 7; mean request of {mean} KiB"), [row.read[1], read])
            }),
            row.write_costs_us.and_then(|_| {
                memory(true, &format!("table 8; mean request of {mean} KiB"), [row.written[1], written])
            }),
        ];
        both.into_iter().flatten()
    });
    fitted.chain(captured).collect()
}

/// Of arrays of Linux md: the time of each cell, its repetitions together.
pub fn of_md(rows: &[MdRow]) -> Vec<Residual> {
    let mut cells: Vec<(String, &MdRow, Vec<f64>, Vec<f64>)> = Vec::new();
    for row in rows {
        let cell = &row.cell;
        let dirty = cell.vm_dirty_bytes.map_or(String::new(), |bytes| format!("; {} KiB dirty", bytes >> 10));
        let case = format!("{}{dirty}; bitmap {}", cell.words(), cell.bitmap);
        let found = match cells.iter().position(|known| known.0 == case) {
            Some(found) => found,
            None => {
                cells.push((case, row, Vec::new(), Vec::new()));
                cells.len() - 1
            }
        };
        cells[found].2.push(row.predicted.seconds);
        cells[found].3.push(cell.elapsed_guest_s);
    }
    let each = |(case, row, predicted, measured): (String, &MdRow, Vec<f64>, Vec<f64>)| {
        let bound = if row.cell.is_direct() { Bound::Device } else { Bound::Memory };
        let of = conditions(way(row.cell.writes()), bound, Depth::One);
        // Of rates, as of all others: the inverse of times.
        Residual::of((Class::Array, Of::Throughput), of, ("md", case), [mean(&measured), mean(&predicted)])
    };
    cells.into_iter().filter_map(each).collect()
}

/// Of a small NFS server: the median call and the mean one.
pub fn of_nfs(rows: &[NfsTimeRow]) -> Vec<Residual> {
    let each = |row: &NfsTimeRow| {
        let of = conditions(way(row.op.starts_with("write")), Bound::Device, depth(row.users > 1));
        let case = |what: &str| {
            let NfsTimeRow { op, block_bytes, users, link_mbit, .. } = row;
            format!("{op} of {block_bytes} B; {users} users; {link_mbit} Mbit/s: {what}")
        };
        let residual =
            |figure, what: &str, pair| Residual::of((Class::Nfs, figure), of, ("nfs", case(what)), pair);
        [
            residual(Of::MeanLatency, "mean", [row.predicted_mean_ms, mean(&row.measured_means_ms)]),
            residual(Of::Percentile, "median", [row.predicted_ms, row.measured_ms]),
        ]
    };
    rows.iter().flat_map(each).flatten().collect()
}

/// Of a real PVFS 2.
pub fn of_pvfs(rows: &[GridRow]) -> Vec<Residual> {
    let each = |row: &GridRow| {
        let cell = &row.cell;
        let writes = cell.moves == pvfs::Moves::Write;
        // Servers' stores in memory leave all to the links, and what is written without being flushed stays in memory.
        let in_memory =
            cell.storage == "tmpfs" || (writes && !row.with_flush && !cell.storage.ends_with("odirect"));
        let bound = if in_memory { Bound::Memory } else { Bound::Device };
        let of = conditions(way(writes), bound, depth(cell.clients > 1));
        let flush = if row.with_flush { " with the flush" } else { "" };
        let case = format!(
            "{}: {} of {} KiB; {} clients; {} servers{flush}",
            cell.grid,
            cell.moves.word(),
            cell.block_kib,
            cell.clients,
            cell.servers
        );
        let pair = [row.predicted(), row.measured()];
        Residual::of((Class::Pvfs, Of::Throughput), of, ("orangefs", case), pair)
    };
    rows.iter().filter_map(each).collect()
}

/// Of a real Ceph.
pub fn of_ceph(rows: &[CephRow]) -> Vec<Residual> {
    let each = |row: &CephRow| {
        let cell = &row.cell;
        let writes = matches!(cell.op, Operation::Write | Operation::RandomWrite);
        let of = conditions(way(writes), Bound::Device, depth(cell.depth > 1));
        let case = format!(
            "{} of {} KiB; {} copies; depth {}",
            cell.op.words(),
            cell.block_kib,
            cell.size,
            cell.depth
        );
        Residual::of((Class::Ceph, Of::Throughput), of, ("ceph", case), [row.predicted(), row.measured()])
    };
    rows.iter().filter_map(each).collect()
}

/// Of Ivy's tables: mean turnarounds. One copy is what the made-up traces were tuned to.
pub fn of_ivy(rows: &[IvyRow]) -> Vec<Residual> {
    let each = |row: &IvyRow| {
        let both = [
            (false, row.simulated.read.0, row.paper.read.0),
            (true, row.simulated.write.0, row.paper.write.0),
        ];
        both.map(|(writes, ours, theirs)| {
            let what = if writes { "writes" } else { "reads" };
            let case = format!("table {}; {} copies: {what}", row.table, row.copies);
            let of = conditions(way(writes), Bound::Device, Depth::Several);
            let residual = Residual::of((Class::Copies, Of::MeanLatency), of, ("ivy", case), [ours, theirs])?;
            Some(if row.copies == 1 { residual.fitted() } else { residual })
        })
    };
    rows.iter().flat_map(each).flatten().collect()
}
