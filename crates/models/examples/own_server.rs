//! A component of your own in place of one of petrio's: the storage of PVFS's servers.
//!
//! ```text
//!  clients ─▶ network ─▶ servers' protocol ─▶ [ storage ] ─▶ …
//! ```
//!
//! Pages meet in places. A server of PVFS puts what it wants of its host into a place of operations, and finds what is
//! done in a place of completions; who takes from the one and puts into the other is its storage, be it a Linux host with
//! page cache, journal and disks, or the page below: flash with channels, which now and then cleans up before it goes on.
//!
//! Run it with `cargo run --release -p petrio-models --example own_server`.

use petrio_colours::{FileId, FileOp, Operation, RequestId, Status};
use petrio_kernel::{NetBuilder, PageBuilder, Place, RunError, Simulation, StationSpec, Time};
use petrio_models::cluster::FileServer;
use petrio_models::cluster::pvfs::{PvfsClient, PvfsCosts, PvfsFiles, PvfsParameters, pvfs_page};
use petrio_models::network::topology::{TopologyParameters, Wiring};
use petrio_models::network::{LinkParameters, Network, NetworkParameters};
use petrio_models::processor::Processors;
use std::error::Error;
use std::io::Write;
use std::sync::Arc;

/// Flash: what a server's data lie on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flash {
    /// Operations at a time.
    pub channels: u32,
    /// Bytes a second of each channel.
    pub rate: f64,
    /// After so many bytes it cleans up …
    pub dirty_after: u64,
    /// … for so long, while nothing else begins.
    pub cleaning: Time,
}

impl Flash {
    /// Its page: operations are taken from the first place, and put into the second one when they are done.
    fn build(self, page: &mut PageBuilder<'_>, (operations, completions): (Place<FileOp>, Place<FileOp>)) {
        let Self { channels, rate, dirty_after, cleaning } = self;
        let at_work = page.station::<FileOp>(
            "channels",
            StationSpec::first_come(channels, move |op: &FileOp, _: &mut _| {
                Time::from_seconds(op.length as f64 / rate)
            }),
        );
        // The token of a device that takes operations; its value is what was written since it was cleaned.
        let ready = page.fifo::<u64>("ready");
        page.initial(ready, [0]);
        let mut begin = page.transition("begin");
        let (op, dirty) = (begin.take(operations), begin.take(ready));
        let (work, back) = (begin.put(at_work), begin.put(ready));
        begin.action(move |firing| {
            let op = firing.take(op);
            let dirty = firing.take(dirty) + op.length;
            let (left, pause) = if dirty < dirty_after { (dirty, Time::ZERO) } else { (0, cleaning) };
            firing.put(work, op);
            firing.put_after(back, left, pause);
        });
        let mut end = page.transition("end");
        let (op, done) = (end.take(at_work), end.put(completions));
        end.action(move |firing| {
            let op: FileOp = firing.take(op);
            firing.put(done, FileOp { status: Status::Done, ..op });
        });
    }
}

/// Bytes a second at which so many clients together write so much each to servers with such flash, over Gigabit
/// Ethernet.
///
/// # Errors
/// A net that can't be built or run.
pub(crate) fn rate(clients: u32, servers: u32, bytes: u64, flash: Flash) -> Result<f64, Box<dyn Error>> {
    let mut net = NetBuilder::new("cluster");
    let mut page = net.top();
    let parameters = NetworkParameters::of_links(LinkParameters::wire("1 Gbit/s".parse()?, "5 us".parse()?));
    let names: Vec<String> = (0..clients)
        .map(|client| format!("client{client}"))
        .chain((0..servers).map(|server| format!("server{server}")))
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let wiring = Wiring::new(&TopologyParameters::Star, clients + servers)?;
    let mut network = Network::new(&mut page, "lan", &parameters, Arc::new(wiring), &names);
    let mut processors: Vec<Processors> =
        names.iter().map(|name| Processors::new(&mut page.page(name), 2)).collect();
    let done = page.fifo::<Time>("done");
    let mut writers = Vec::new();
    for host in 0..clients {
        let name = names[host as usize];
        let operations = page.fifo::<FileOp>(&format!("calls of {name}"));
        let completions = page.fifo::<FileOp>(&format!("returns to {name}"));
        program(&mut page.reopen(name), (host, bytes), (operations, completions), done);
        let port = network.port(&mut page, host, "pvfs");
        writers.push(PvfsClient { name, port, host: host as usize, operations, completions });
    }
    let mut stores = Vec::new();
    // The last one is the manager, whom nobody asks for anything here.
    for number in 0..=servers {
        let host = clients + number.min(servers - 1);
        let operations = page.fifo::<FileOp>(&format!("asked of {number}"));
        let completions = page.fifo::<FileOp>(&format!("answered by {number}"));
        flash.build(&mut page.page(&format!("flash{number}")), (operations, completions));
        let port = network.port(&mut page, host, &format!("server {number}"));
        let name = format!("storage{number}");
        let (host, process) = (host as usize, number);
        stores.push(FileServer { name, port, host, file_system: 0, process, operations, completions });
    }
    let manager = stores.pop().ok_or("no servers")?;
    let pvfs = PvfsParameters { costs: PvfsCosts::NONE, ..PvfsParameters::default() };
    let striping = pvfs.striping(servers)?;
    let all = (&writers[..], &stores[..], Some(&manager));
    let files = PvfsFiles { metadata: 1 << 20, ..PvfsFiles::default() };
    pvfs_page(&mut page, "pvfs", &pvfs, striping, files, all, &mut processors);
    network.finish(&mut page, &mut [], &[]);
    for (own, name) in processors.into_iter().zip(&names) {
        own.finish(&mut page.reopen(name));
    }
    let net = net.build()?;
    let last = finished(&mut Simulation::new(&net, 1, 0), done, clients)?;
    Ok(f64::from(clients) * bytes as f64 / last.as_seconds())
}

/// A program: one write of 256 KiB after the other, until its file is full.
fn program(
    page: &mut PageBuilder<'_>,
    (process, bytes): (u32, u64),
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    done: Place<Time>,
) {
    const RECORD: u64 = 256 << 10;
    let write = move |offset: u64, issued: Time| FileOp {
        id: RequestId(offset / RECORD),
        process,
        operation: Operation::Write,
        file: FileId(process + 1),
        offset,
        length: RECORD,
        issued,
        ..FileOp::default()
    };
    page.initial(operations, [write(0, Time::ZERO)]);
    let mut next = page.transition("next");
    let op = next.take(completions);
    let (again, end) = (next.may_put(operations, 1), next.may_put(done, 1));
    next.action(move |firing| {
        let op: FileOp = firing.take(op);
        let now = firing.now();
        match op.end() {
            reached if reached < bytes => firing.put(again, write(reached, now)),
            _ => firing.put(end, now),
        }
    });
}

/// When the last of so many programs ends.
fn finished(run: &mut Simulation, done: Place<Time>, programs: u32) -> Result<Time, RunError> {
    while run.marking().len(done) < programs as usize {
        let Some(next) = run.next_time()? else { break };
        run.run_until(next)?;
    }
    Ok(run.drain(done).max().unwrap_or_default())
}

fn main() -> Result<(), Box<dyn Error>> {
    let quick = Flash { channels: 4, rate: 200e6, dirty_after: u64::MAX, cleaning: Time::ZERO };
    let mut out = std::io::stdout().lock();
    for (words, flash) in [
        ("four channels of 200 MB/s", quick),
        ("one channel of 80 MB/s", Flash { channels: 1, rate: 80e6, ..quick }),
        (
            "four channels, 100 ms of cleaning after each 16 MB",
            Flash { dirty_after: 16_000_000, cleaning: Time::from_millis(100), ..quick },
        ),
    ] {
        let rate = rate(4, 2, 64 << 20, flash)?;
        writeln!(out, "{words}: four clients write to two servers at {:.0} MB/s", rate / 1e6)?;
    }
    Ok(())
}
