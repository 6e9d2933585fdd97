//! The page that issues requests and takes their completions: where programs meet the System.
//!
//! ```text
//!              ┌───────┐                                           ┌────────┐
//!   arrivals ─▶│ issue ├─▶ requests of devices ⋯ completions ─────▶│ finish ├─▶ done
//!              └───────┘                                           └────────┘
//! ```
//!
//! Where there is one device or one host alone, requests arrive at its own port, and nothing is left to `issue`.
//!
//! Programs run outside the net: a request arrives when its program issues it, and every completion pauses the run so that
//! its program can go on. Arrival and think times are therefore outside any speed factor.

use petrio_colours::{FileOp, Request};
use petrio_kernel::{PageBuilder, Place};
use petrio_persist::Persist;
use std::sync::Arc;

/// The name of the page.
pub const PROGRAMS: &str = "programs";
/// The name of the page of those programs that send block requests while others work on files.
pub const REQUEST_PROGRAMS: &str = "request-programs";

/// The ports of the page.
#[derive(Debug)]
pub struct ProgramPorts<R> {
    /// Requests are issued when they arrive here.
    pub arrivals: Place<R>,
    /// What has come back; the run pauses as soon as something has.
    pub done: Place<R>,
    /// Where those are told who wait for processes that one has ended.
    pub exits: Option<Place<u32>>,
    /// Where it is said that a process that nobody has planned begins on a host, by its number; nowhere if there is one host alone.
    pub begins: Option<Place<(u32, u32)>>,
    /// How many hosts there are; none where programs ask devices.
    pub hosts: usize,
}

/// The host of each process, by the process' number.
#[derive(Clone, Debug, Default, Persist)]
pub struct Homes(Arc<Vec<u32>>);

impl Homes {
    /// Of processes that are planned.
    pub fn of(hosts: impl IntoIterator<Item = usize>) -> Self {
        Self(Arc::new(hosts.into_iter().map(|host| u32::try_from(host).unwrap_or(u32::MAX)).collect()))
    }

    /// A process' host.
    pub fn host(&self, process: u32) -> Option<usize> {
        self.0.get(process as usize).map(|host| *host as usize)
    }

    /// One that nobody has planned.
    fn begin(&mut self, process: u32, host: u32) {
        let homes = Arc::make_mut(&mut self.0);
        if homes.len() <= process as usize {
            homes.resize(process as usize + 1, u32::MAX);
        }
        homes[process as usize] = host;
    }
}

/// Builds the page. `targets` are the request ports of the devices or hosts, `route` says which of them a request is for, and
/// `what` they are in words; `completions` is the port in which all of them put what is complete.
pub fn programs_page<R: Request>(
    parent: &mut PageBuilder<'_>,
    (targets, what): (&[Place<R>], &'static str),
    route: impl Fn(&R) -> usize + Send + Sync + 'static,
    completions: Place<R>,
) -> ProgramPorts<R> {
    named_programs_page(parent, PROGRAMS, (targets, what), route, completions)
}

/// The same under a name of its own, where there are two.
pub fn named_programs_page<R: Request>(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (targets, what): (&[Place<R>], &'static str),
    route: impl Fn(&R) -> usize + Send + Sync + 'static,
    completions: Place<R>,
) -> ProgramPorts<R> {
    let mut page = parent.page(name);
    let done = page.fifo::<R>("done");
    page.port_in("completions", completions);
    page.port_out("done", done);
    let arrivals = match targets {
        [only] => {
            page.port_out("requests", *only);
            *only
        }
        _ => issue(&mut page, (targets, what), route),
    };

    finish(&mut page, completions, done);
    ProgramPorts { arrivals, done, exits: None, begins: None, hosts: 0 }
}

/// Builds the page of programs on hosts: `entrances` take the hosts' operations, in order, `homes` says on which each planned process is,
/// and `listeners` are hosts' places, each behind its host, that are told of the host's processes that have ended.
pub fn hosts_page(
    parent: &mut PageBuilder<'_>,
    entrances: &[Place<FileOp>],
    homes: Homes,
    listeners: Vec<(usize, Place<u32>)>,
    completions: Place<FileOp>,
) -> ProgramPorts<FileOp> {
    if let [_] = entrances {
        let exits = ends(parent, listeners, None);
        let ports = programs_page(parent, (entrances, "host"), |_| 0, completions);
        return ProgramPorts { exits, hosts: 1, ..ports };
    }
    let mut page = parent.page(PROGRAMS);
    let done = page.fifo::<FileOp>("done");
    page.port_in("completions", completions);
    page.port_out("done", done);
    let known = page.state("homes", homes);
    let arrivals = page.fifo::<FileOp>("arrivals");
    page.port_in("arrivals", arrivals);
    let mut issue = page.transition("issue");
    let (request, of) = (issue.take(arrivals), issue.read(known));
    let targets: Vec<_> = entrances.iter().map(|entrance| issue.may_put(*entrance, 1)).collect();
    issue.action(move |f| {
        let request = f.take(request);
        let host = f.get(of).host(request.process);
        match host.and_then(|host| targets.get(host)) {
            Some(target) => f.put(*target, request),
            None => {
                let (id, process, count) = (request.id.0, request.process, targets.len());
                f.fail(format!(
                    "request {id} is of process {process}, which is on none of the System's {count} hosts"
                ));
            }
        }
    });
    finish(&mut page, completions, done);
    let begins = begin(&mut page, known);
    let exits = ends(parent, listeners, Some(known));
    ProgramPorts { arrivals, done, exits, begins: Some(begins), hosts: entrances.len() }
}

/// The transition that learns on which host a new process is.
fn begin(page: &mut PageBuilder<'_>, known: Place<Homes>) -> Place<(u32, u32)> {
    let begins = page.fifo::<(u32, u32)>("begins");
    page.port_in("begins", begins);
    let mut begin = page.transition("begin");
    // Before it asks for anything.
    begin.priority(-1);
    let (new, homes) = (begin.take(begins), begin.update(known));
    begin.action(move |f| {
        let (process, host) = f.take(new);
        f.update(homes).begin(process, host);
    });
    begins
}

/// The page that tells of processes that have ended, those of a host to the host's own; on one host alone, all. Where that is told;
/// nowhere if nobody listens.
fn ends(
    parent: &mut PageBuilder<'_>,
    listeners: Vec<(usize, Place<u32>)>,
    known: Option<Place<Homes>>,
) -> Option<Place<u32>> {
    if listeners.is_empty() {
        return None;
    }
    let exits = parent.fifo::<u32>("exits");
    // A dot is in no part's name.
    let mut page = parent.page("programs.ends");
    page.port_in("exits", exits);
    for (number, (_, listener)) in listeners.iter().enumerate() {
        page.port_out(&format!("queue {number}"), *listener);
    }
    if let Some(known) = known {
        page.shared("homes", known);
    }
    let mut end = page.transition("end");
    let process = end.take(exits);
    let homes = known.map(|known| end.read(known));
    let listeners: Vec<_> =
        listeners.into_iter().map(|(host, place)| (host, end.may_put(place, 1))).collect();
    end.action(move |f| {
        let process = f.take(process);
        let host = homes.map(|homes| f.get(homes).host(process));
        for &(of, listener) in &listeners {
            if host.is_none_or(|host| host == Some(of)) {
                f.put(listener, process);
            }
        }
    });
    Some(exits)
}

/// The transition that pauses the run where something has come back.
fn finish<R: Request>(page: &mut PageBuilder<'_>, completions: Place<R>, done: Place<R>) {
    let mut finish = page.transition("finish");
    let completion = finish.take(completions);
    let back = finish.put(done);
    finish.action(move |f| {
        let request = f.take(completion);
        f.put(back, request);
        f.stop();
    });
}

/// The transition that sends each request to where it is to go; the place where requests arrive.
fn issue<R: Request>(
    page: &mut PageBuilder<'_>,
    (targets, what): (&[Place<R>], &'static str),
    route: impl Fn(&R) -> usize + Send + Sync + 'static,
) -> Place<R> {
    let arrivals = page.fifo::<R>("arrivals");
    page.port_in("arrivals", arrivals);
    let mut issue = page.transition("issue");
    let request = issue.take(arrivals);
    let targets: Vec<_> = targets.iter().map(|target| issue.may_put(*target, 1)).collect();
    issue.action(move |f| {
        let request = f.take(request);
        let number = route(&request);
        match targets.get(number) {
            Some(target) => f.put(*target, request),
            None => {
                let (id, count) = (request.id().0, targets.len());
                f.fail(format!(
                    "request {id} is for {what} {number}, but the System has {count}, numbered from 0"
                ));
            }
        }
    });
    arrivals
}
