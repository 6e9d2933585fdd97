//! Clusters: what a parallel write costs, with servers of constant rate and with whole file systems, and what it costs
//! among thousands of hosts.

mod plan;

pub use plan::{CLUSTERS, Cluster, Does, On};

use crate::scale::resident_mb;
use crate::simgrid;
use petrio_colours::{FileId, FileOp, Operation, RequestId, Status};
use petrio_kernel::{NetBuilder, PageBuilder, Place, RunError, Simulation, StationSpec, Time};
use petrio_models::Work;
use petrio_models::cluster::FileServer;
use petrio_models::cluster::pvfs::{PvfsClient, PvfsCosts, PvfsFiles, PvfsParameters, pvfs_page};
use petrio_models::network::topology::{TopologyParameters, Wiring};
use petrio_models::network::{LinkParameters, Network, NetworkParameters};
use petrio_models::processor::Processors;
use petrio_scenario::build::System;
use petrio_scenario::report::{Report, Sinks};
use petrio_scenario::run::{RunFailure, simulate};
use petrio_scenario::{Problems, load_text};
use plan::RECORD;
use serde::Serialize;
use std::sync::Arc;
use std::sync::OnceLock;
use std::time::Instant;
use thiserror::Error;

/// What a cluster took.
#[derive(Clone, Debug, Serialize)]
pub struct ClusterRow {
    /// What it is.
    pub what: String,
    /// Seconds from the text, or from nothing, to its net.
    pub build_s: f64,
    /// Memory that its net and its run took, MB.
    pub megabytes: Option<f64>,
    /// Seconds of the run.
    pub run_s: f64,
    /// Data that were written, MB/s of model time.
    pub model_mb_per_s: f64,
    /// Calls of programs, in a second of model time.
    pub model_calls_per_s: f64,
    /// Trains that hosts sent.
    pub trains: u64,
    /// Nanoseconds for each.
    pub ns_a_train: f64,
    /// The same, in what it takes in the smallest cluster of the same kind on a fat tree that is measured, too.
    pub times_the_smallest: Option<f64>,
    /// Nanoseconds for each call of a client. A call that writes is the same messages in all clusters of a kind, so that calls
    /// are to each other as messages are.
    pub ns_a_call: f64,
    /// Links that trains passed: two each through a star, up to six through a fat tree.
    pub hops: u64,
    /// Nanoseconds for each.
    pub ns_a_hop: f64,
    /// Firings of the net.
    pub firings: u64,
    /// Nanoseconds for each.
    pub ns_a_firing: f64,
    /// Seconds in which it was to be built and run.
    pub aim_s: Option<f64>,
    /// What SimGrid takes for the same run, in what this takes; where it isn't installed with its headers, nothing.
    pub simgrid_ratio: Option<f64>,
}

impl ClusterRow {
    /// Headings of [`ClusterRow::cells`].
    pub const HEADINGS: [&str; 16] = [
        "cluster",
        "build s",
        "MB",
        "run s",
        "model MB/s",
        "calls/s",
        "trains",
        "ns/train",
        "× smallest",
        "ns/call",
        "hops",
        "ns/hop",
        "firings",
        "ns/firing",
        "aim s",
        "SimGrid ×",
    ];

    /// The figures as text.
    pub fn cells(&self) -> Vec<String> {
        let optional = |value: Option<f64>| value.map_or("–".to_owned(), |value| format!("{value:.1}"));
        vec![
            self.what.clone(),
            format!("{:.3}", self.build_s),
            self.megabytes.map_or("–".to_owned(), |megabytes| format!("{megabytes:.0}")),
            format!("{:.3}", self.run_s),
            format!("{:.0}", self.model_mb_per_s),
            format!("{:.0}", self.model_calls_per_s),
            self.trains.to_string(),
            format!("{:.0}", self.ns_a_train),
            optional(self.times_the_smallest),
            format!("{:.0}", self.ns_a_call),
            self.hops.to_string(),
            format!("{:.0}", self.ns_a_hop),
            self.firings.to_string(),
            format!("{:.0}", self.ns_a_firing),
            optional(self.aim_s),
            optional(self.simgrid_ratio),
        ]
    }
}

/// Why there is no figure.
#[derive(Debug, Error)]
pub enum ClusterError {
    /// A made-up scenario is wrong: a bug.
    #[error("the benchmark's scenario is wrong: {0}")]
    Scenario(#[from] Box<Problems>),
    /// It can't be built or run.
    #[error(transparent)]
    Failed(#[from] Box<RunFailure>),
    /// A net can't be run: a bug.
    #[error(transparent)]
    Net(#[from] RunError),
    /// A net can't be built, or its parts make no sense: a bug.
    #[error("the benchmark's net is wrong: {0}")]
    Wrong(String),
}

/// Builds and runs all of them. `progress` is told what comes next.
///
/// # Errors
/// [`ClusterError`], which is a bug.
pub fn measure(
    clusters: &[Cluster],
    progress: &mut dyn FnMut(&str),
) -> Result<Vec<ClusterRow>, ClusterError> {
    let mut rows = Vec::new();
    // What a train takes in the smallest cluster of each kind.
    let mut smallest: Vec<(On, f64)> = Vec::new();
    for cluster in clusters {
        let what = words(cluster);
        progress(&what);
        let mut row = match cluster.on {
            On::Rate => bare(cluster, what)?,
            _ => whole(cluster, what)?,
        };
        if cluster.ports.is_some() {
            let of_kind = smallest.iter().find(|(on, _)| *on == cluster.on).map(|(_, ns)| *ns);
            let ns = of_kind.unwrap_or(row.ns_a_train);
            if of_kind.is_none() {
                smallest.push((cluster.on, ns));
            }
            row.times_the_smallest = Some(row.ns_a_train / ns);
        }
        if cluster.on == On::Rate {
            let theirs = simgrid::seconds((cluster.clients, cluster.servers), (cluster.does.bytes(), RECORD));
            row.simgrid_ratio = theirs.map(|seconds| seconds / row.run_s);
        }
        rows.push(row);
    }
    Ok(rows)
}

/// What a cluster is, as its row calls it.
pub fn words(cluster: &Cluster) -> String {
    let &Cluster { clients, servers, does, on, ports, .. } = cluster;
    let wiring = ports.map_or("a star".to_owned(), |ports| format!("a fat tree of {ports} ports"));
    format!("{clients} × {servers}, {}, {}, {wiring}", does.words(), on.words())
}

/// The scenario of a cluster.
fn scenario(cluster: &Cluster) -> String {
    let &Cluster { clients, servers, does, on, ports, .. } = cluster;
    let topology = ports
        .map_or(String::new(), |ports| format!("topology = {{ kind = \"fat-tree\", ports = {ports} }}\n"));
    let hardware = "machine = \"poweredge-1850\"\nkernel = \"linux-2.6.24\"\n";
    format!(
        "title = \"Cluster\"\n[network.lan]\n{topology}link = {{ rate = \"1 Gbit/s\", latency = \"5 us\" }}\n\
         [host.client]\ncount = {clients}\n{hardware}[host.server]\ncount = {servers}\n{hardware}\
         [host.server.disk.d]\nmodel = \"seagate-st3146707lc\"\n\
         [host.server.fs.data]\ntype = \"ext3\"\non = \"d\"\n{}{}",
        on.scenario(),
        does.scenario(on, clients)
    )
}

/// Builds and runs a cluster of whole file systems and disks.
fn whole(cluster: &Cluster, what: String) -> Result<ClusterRow, ClusterError> {
    let before = resident_mb();
    let began = Instant::now();
    let loaded = load_text("cluster.toml", &scenario(cluster), None, &[]).map_err(Box::new)?;
    let system = System::build(&loaded).map_err(Box::new)?;
    let build_s = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let report = simulate(&loaded, &system, Sinks::default()).map_err(Box::new)?;
    let run_s = began.elapsed().as_secs_f64();
    let passed = |counts: fn(&str) -> bool| {
        report.stages.iter().filter(|row| counts(&row.name)).map(|row| row.arrivals).sum()
    };
    let (trains, hops) = (passed(leaves_a_host), passed(is_link));
    let calls = report.served.requests.completed;
    let Report { simulated_s, firings, .. } = report;
    let megabytes = taken(before);
    let took = Took { build_s, run_s, megabytes, model_s: simulated_s, calls, trains, hops, firings };
    Ok(row(cluster, what, &took))
}

/// Megabytes that the process has come to hold since it held so many; none where what it kept of those before was enough for a part.
fn taken(before: f64) -> Option<f64> {
    static FIRST: OnceLock<f64> = OnceLock::new();
    let kept = before - FIRST.get_or_init(|| before);
    let taken = resident_mb() - before;
    (kept <= 0.1 * taken).then_some(taken)
}

struct Took {
    build_s: f64,
    run_s: f64,
    megabytes: Option<f64>,
    model_s: f64,
    calls: u64,
    trains: u64,
    hops: u64,
    firings: u64,
}

/// Whether a stage is a link by which a host sends.
fn leaves_a_host(stage: &str) -> bool {
    stage.ends_with("/up")
}

/// Whether a stage is a link; further ones between the same switches have a number.
fn is_link(stage: &str) -> bool {
    leaves_a_host(stage) || stage.ends_with("/down") || stage.contains("/trunk")
}

fn row(cluster: &Cluster, what: String, took: &Took) -> ClusterRow {
    let ns = |count: u64| took.run_s * 1e9 / count.max(1) as f64;
    ClusterRow {
        what,
        build_s: took.build_s,
        megabytes: took.megabytes,
        run_s: took.run_s,
        model_mb_per_s: cluster.does.bytes() as f64 * f64::from(cluster.clients) / took.model_s / 1e6,
        model_calls_per_s: took.calls as f64 / took.model_s,
        trains: took.trains,
        ns_a_train: ns(took.trains),
        times_the_smallest: None,
        ns_a_call: ns(took.calls),
        hops: took.hops,
        ns_a_hop: ns(took.hops),
        firings: took.firings,
        ns_a_firing: ns(took.firings),
        aim_s: cluster.aim_s,
        simgrid_ratio: None,
    }
}

/// Bytes a second that a server of constant rate stores.
const SERVER_RATE: f64 = 120e6;

/// Builds and runs a cluster whose servers have a rate and nothing else.
#[expect(clippy::too_many_lines, reason = "one event loop by hand, as a peer would write it")]
fn bare(cluster: &Cluster, what: String) -> Result<ClusterRow, ClusterError> {
    let wrong = |error: &dyn std::fmt::Display| ClusterError::Wrong(error.to_string());
    let before = resident_mb();
    let began = Instant::now();
    let mut net = NetBuilder::new("cluster");
    let mut page = net.top();
    let link = LinkParameters::wire(
        "1 Gbit/s".parse().map_err(|error| wrong(&error))?,
        "5 us".parse().map_err(|error| wrong(&error))?,
    );
    let parameters = NetworkParameters::of_links(link);
    let hosts = cluster.clients + cluster.servers;
    let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wiring = Wiring::new(&TopologyParameters::Star, hosts).map_err(|error| wrong(&error))?;
    let mut network = Network::new(&mut page, "lan", &parameters, Arc::new(wiring), &names);
    let mut processors: Vec<Processors> =
        names.iter().map(|name| Processors::new(&mut page.page(name), 2)).collect();
    let done = page.fifo::<FileOp>("done");
    let mut clients = Vec::new();
    for host in 0..cluster.clients {
        let operations = page.fifo::<FileOp>(&format!("calls{host}"));
        let completions = page.fifo::<FileOp>(&format!("returns{host}"));
        writer(&mut page, cluster, host, (operations, completions), done);
        let port = network.port(&mut page, host, "pvfs");
        let name = names[host as usize];
        clients.push(PvfsClient { name, port, host: host as usize, operations, completions });
    }
    let mut servers = Vec::new();
    // The last is the manager, whom nobody asks.
    for number in 0..=cluster.servers {
        let host = cluster.clients + number.min(cluster.servers - 1);
        let operations = page.fifo::<FileOp>(&format!("asked{number}"));
        let completions = page.fifo::<FileOp>(&format!("answered{number}"));
        store(&mut page, number, (operations, completions));
        servers.push(FileServer {
            name: format!("server{number}"),
            port: network.port(&mut page, host, &format!("server {number}")),
            host: host as usize,
            file_system: 0,
            process: number,
            operations,
            completions,
        });
    }
    let manager = servers.pop().ok_or_else(|| wrong(&"no servers"))?;
    let pvfs = PvfsParameters { costs: PvfsCosts::NONE, ..PvfsParameters::default() };
    let striping = pvfs.striping(cluster.servers).map_err(|error| wrong(&error))?;
    let all = (&clients[..], &servers[..], Some(&manager));
    let files = PvfsFiles { metadata: 1 << 20, ..PvfsFiles::default() };
    pvfs_page(&mut page, "pvfs", &pvfs, striping, files, all, &mut processors);
    let stages = network.finish(&mut page, &mut [], &[]);
    for (own, name) in processors.into_iter().zip(&names) {
        own.finish(&mut page.reopen(name));
    }
    let net = net.build().map_err(|error| wrong(&error))?;
    let build_s = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let mut run = Simulation::new(&net, 1, 0);
    while run.marking().len(done) < cluster.clients as usize {
        let Some(next) = run.next_time()? else { break };
        run.run_until(next + Time::from_millis(100))?;
    }
    let run_s = began.elapsed().as_secs_f64();
    let last = run.drain(done).map(|op| op.issued.as_seconds()).fold(0.0, f64::max);
    let passed = |counts: fn(&str) -> bool| {
        let links = stages.iter().filter(|stage| counts(&stage.name));
        links
            .map(|stage| match stage.work {
                Work::Recorded(probe, _) => run.marking().probe(probe).tally().count(),
                _ => 0,
            })
            .sum()
    };
    let (trains, hops) = (passed(leaves_a_host), passed(is_link));
    let firings = run.marking().firings_total();
    let megabytes = taken(before);
    let calls = cluster.does.bytes().div_ceil(RECORD) * u64::from(cluster.clients);
    let took = Took { build_s, run_s, megabytes, model_s: last, calls, trains, hops, firings };
    Ok(row(cluster, what, &took))
}

/// A client's program: one write after the other, until its file is full.
fn writer(
    page: &mut PageBuilder<'_>,
    cluster: &Cluster,
    number: u32,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    done: Place<FileOp>,
) {
    let (record, bytes) = (RECORD, cluster.does.bytes());
    let write = move |offset: u64, issued: Time| FileOp {
        id: RequestId(offset / record),
        process: number,
        operation: Operation::Write,
        file: FileId(number + 1),
        offset,
        length: record,
        issued,
        ..FileOp::default()
    };
    page.initial(operations, [write(0, Time::ZERO)]);
    let mut next = page.transition(&format!("next{number}"));
    let op = next.take(completions);
    let (again, end) = (next.may_put(operations, 1), next.may_put(done, 1));
    next.action(move |f| {
        let op: FileOp = f.take(op);
        let now = f.now();
        match op.end() {
            reached if reached < bytes => f.put(again, write(reached, now)),
            // When it ended, in place of when it was issued.
            _ => f.put(end, FileOp { issued: now, ..op }),
        }
    });
}

/// A server's storage of constant rate.
fn store(page: &mut PageBuilder<'_>, number: u32, (operations, completions): (Place<FileOp>, Place<FileOp>)) {
    let spec = StationSpec::first_come(1, |op: &FileOp, _: &mut _| {
        Time::from_seconds(op.length as f64 / SERVER_RATE)
    });
    let disk = page.station::<FileOp>(&format!("disk{number}"), spec);
    let mut ask = page.transition(&format!("ask{number}"));
    let op = ask.take(operations);
    let to = ask.put(disk);
    ask.action(move |f| {
        let op = f.take(op);
        f.put(to, op);
    });
    let mut answer = page.transition(&format!("answer{number}"));
    let op = answer.take(disk);
    let back = answer.put(completions);
    answer.action(move |f| {
        let op: FileOp = f.take(op);
        f.put(back, FileOp { status: Status::Done, ..op });
    });
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::plan::cluster;
    use super::*;

    #[test]
    fn both_sorts_of_servers_store_all_and_are_no_faster_than_they_can_be() {
        let small = |on| cluster((3, 4), Does::Write(4 << 20), None, on, None);
        for row in measure(&[small(On::Rate), small(On::Pvfs)], &mut |_| {}).unwrap() {
            assert_eq!(row.cells().len(), ClusterRow::HEADINGS.len());
            // Three clients' links.
            assert!(row.model_mb_per_s > 20.0 && row.model_mb_per_s < 3.0 * 118.0, "{row:?}");
            assert!(row.firings > row.trains && row.trains >= 3 * 4 * 16, "{row:?}");
            // What a host sends goes up to the switch and down to another host.
            assert_eq!(row.hops, 2 * row.trains, "{row:?}");
        }
    }

    #[test]
    fn each_kind_of_file_system_is_held_against_its_own_smallest_cluster() {
        let names = |clients| cluster((clients, 2), Does::Names(4), Some(4), On::Pvfs2, None);
        let data = |clients| cluster((clients, 1), Does::Write(1 << 20), Some(4), On::Nfs, None);
        let rows = measure(&[names(2), names(4), data(2), data(4)], &mut |_| {}).unwrap();
        for pair in rows.chunks(2) {
            let [small, large] = pair else { unreachable!("four rows") };
            assert_eq!(small.times_the_smallest, Some(1.0));
            assert_eq!(large.times_the_smallest, Some(large.ns_a_train / small.ns_a_train));
            assert!(large.trains > small.trains && large.model_calls_per_s > 0.0, "{large:?}");
        }
    }
}
