//! fio's `ioengine`: how accesses are asked for.

use super::FioError;
use super::ini::Entry;
use super::options::Options;
use crate::program::accesses::{AccessKind, Engine};

/// How accesses are asked for.
pub(super) struct Calls {
    pub(super) engine: Engine,
    /// By loads and stores in a mapping.
    pub(super) is_mapped: bool,
    /// Files are cut off where they would be written (`ftruncate`).
    pub(super) truncates: bool,
    /// What is done to files instead of reading and writing them.
    pub(super) names: Option<AccessKind>,
    pub(super) line: u32,
    /// Whether all that it names are disks, which it reaches past the kernel's page cache.
    pub(super) past_files: bool,
    /// Where the accesses go, if not to the job's files.
    pub(super) reaches: Reaches,
}

/// Where an engine's accesses go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reaches {
    /// The files or disks that are named.
    Named,
    /// Nothing: each access is over at once (`null`).
    Nothing,
    /// Memory that keeps what is in it, by loads and stores.
    Memory,
    /// A block device of a service.
    ServedDisk,
    /// Files of a service.
    ServedFiles,
}

/// Calls that wait for each access: of files, of disks, and of those that reach a disk by another way.
const WAITING: [&str; 15] = [
    "sync",
    "psync",
    "vsync",
    "pvsync",
    "pvsync2",
    "splice",
    "vmsplice",
    "libzbc",
    "libcufile",
    "libhipfile",
    "mtd",
    "sg_sync",
    "ime_sync",
    "ime_psync",
    "syslet-rw",
];
/// Those that submit.
const SUBMITTING: [(&str, Engine); 12] = [
    ("libaio", Engine::NativeAio),
    ("windowsaio", Engine::NativeAio),
    ("solarisaio", Engine::NativeAio),
    ("sg", Engine::NativeAio),
    ("xnvme", Engine::NativeAio),
    ("libblkio", Engine::NativeAio),
    ("spdk", Engine::NativeAio),
    ("spdk_bdev", Engine::NativeAio),
    ("io_uring", Engine::IoUring),
    ("io_uring_cmd", Engine::IoUring),
    ("posixaio", Engine::PosixAio),
    ("guasi", Engine::PosixAio),
];
/// Those that reach disks past the kernel's page cache.
const PAST_FILES: [&str; 7] = ["sg", "sg_sync", "io_uring_cmd", "spdk", "spdk_bdev", "libzbc", "mtd"];
/// Engines that ask a service, which is played as if what it serves were here: where, and how many calls are under way.
const SERVED: [(&str, Reaches, Engine); 9] = [
    ("nbd", Reaches::ServedDisk, Engine::NativeAio),
    ("rbd", Reaches::ServedDisk, Engine::NativeAio),
    ("libiscsi", Reaches::ServedDisk, Engine::NativeAio),
    ("nfs", Reaches::ServedFiles, Engine::IoUring),
    ("dfs", Reaches::ServedFiles, Engine::IoUring),
    ("gfapi", Reaches::ServedFiles, Engine::Waits),
    ("gfapi_async", Reaches::ServedFiles, Engine::IoUring),
    ("libhdfs", Reaches::ServedFiles, Engine::Waits),
    ("hdfs", Reaches::ServedFiles, Engine::Waits),
];
/// Engines that copy to and from persistent memory, each access by the job's own processor.
const ON_MEMORY: [&str; 3] = ["dev-dax", "libpmem", "pmemblk"];
const OF_NAMES: [(&str, AccessKind); 6] = [
    ("filecreate", AccessKind::Create),
    ("filestat", AccessKind::Stat),
    ("filedelete", AccessKind::Remove),
    ("dircreate", AccessKind::MakeDirectory),
    ("dirstat", AccessKind::StatDirectory),
    ("dirdelete", AccessKind::RemoveDirectory),
];

/// How the calls are made.
pub(super) fn engine(options: &mut Options) -> Result<Calls, FioError> {
    let calls = |engine, line| Calls {
        engine,
        is_mapped: false,
        truncates: false,
        names: None,
        line,
        past_files: false,
        reaches: Reaches::Named,
    };
    let Some(Entry { value, line, .. }) = options.take(&["ioengine"]) else {
        return Ok(calls(Engine::Waits, 0));
    };
    // An engine may be named with its library: external:./engine.so, or libaio with a path.
    let (name, library) = value.split_once(':').unwrap_or((&value, ""));
    let library = library.rsplit('/').next().unwrap_or_default();
    // SPDK's own engines are named by their libraries, too.
    let name = if name == "external" && library.starts_with("spdk") { "spdk" } else { name.trim() };
    let past_files = PAST_FILES.contains(&name);
    let calls = |engine, line| Calls { past_files, ..calls(engine, line) };
    if WAITING.contains(&name) {
        return Ok(calls(Engine::Waits, line));
    }
    if let Some((_, engine)) = SUBMITTING.iter().find(|(known, _)| *known == name) {
        return Ok(calls(*engine, line));
    }
    if let Some((_, kind)) = OF_NAMES.iter().find(|(known, _)| *known == name) {
        return Ok(Calls { names: Some(*kind), ..calls(Engine::Waits, line) });
    }
    if let Some((_, reaches, engine)) = SERVED.iter().find(|(known, ..)| *known == name) {
        return Ok(Calls { reaches: *reaches, ..calls(*engine, line) });
    }
    // The second is fio's own example of an engine by itself, which does the same.
    if matches!(name, "null" | "cpp_null") {
        return Ok(Calls { reaches: Reaches::Nothing, ..calls(Engine::NativeAio, line) });
    }
    if ON_MEMORY.contains(&name) {
        return Ok(Calls { reaches: Reaches::Memory, past_files: true, ..calls(Engine::Waits, line) });
    }
    if name == "ftruncate" {
        return Ok(Calls { truncates: true, ..calls(Engine::Waits, line) });
    }
    if name == "mmap" {
        return Ok(Calls { is_mapped: true, ..calls(Engine::Waits, line) });
    }
    let why = match name {
        "cpuio" => "only computes",
        "rados" | "http" | "ime_aio" => "asks a store of objects over a network, which this doesn't describe",
        "falloc" => "allocates blocks that nobody writes, which no call here does",
        "e4defrag" => "moves a file's blocks to others, which no call here does",
        "page_fault" => "touches memory of its own; a process' `anonymous` memory does here",
        "exec" | "external" => "makes calls that are not played",
        _ => "is no engine that works on files or disks here",
    };
    let help =
        "taken are sync, psync, vsync, pvsync, pvsync2, mmap, libaio, io_uring, posixaio and their like";
    Err(FioError::at(line, format!("ioengine={name} {why}")).with_help(help))
}
