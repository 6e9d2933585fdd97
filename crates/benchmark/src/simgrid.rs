//! The same cluster in SimGrid, where that is installed with its headers.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const SOURCE: &str = include_str!("cluster_in_simgrid.cpp");

/// Seconds that SimGrid takes for so many clients and servers of a constant rate on a star, of which each client writes so
/// many bytes in records of so many; none where it isn't installed, or can't do it.
pub(crate) fn seconds((clients, servers): (u32, u32), (bytes, record): (u64, u64)) -> Option<f64> {
    let folder = tempfile::tempdir().ok()?;
    let program = compiled(folder.path())?;
    let arguments = [u64::from(clients), u64::from(servers), bytes, record];
    let began = Instant::now();
    let status = Command::new(program)
        .args(arguments.map(|argument| argument.to_string()))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    status.success().then(|| began.elapsed().as_secs_f64())
}

/// The program, compiled into a folder.
fn compiled(folder: &Path) -> Option<std::path::PathBuf> {
    let (source, program) = (folder.join("cluster.cpp"), folder.join("cluster"));
    std::fs::write(&source, SOURCE).ok()?;
    let compiler = Command::new("c++")
        .args(["-O2", "-std=c++17", "-o"])
        .args([&program, &source])
        .arg("-lsimgrid")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .ok()?;
    compiler.success().then_some(program)
}
