//! The same cluster in SimGrid, where that is installed with its headers.

use crate::cluster::Cluster;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

const SOURCE: &str = include_str!("cluster_in_simgrid.cpp");

/// Seconds that SimGrid takes for a cluster on a star whose servers have a constant rate; none where it isn't installed,
/// or can't do it.
pub(crate) fn seconds(cluster: &Cluster) -> Option<f64> {
    let folder = tempfile::tempdir().ok()?;
    let program = compiled(folder.path())?;
    let arguments = [u64::from(cluster.clients), u64::from(cluster.servers), cluster.bytes, cluster.record];
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
