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

use petrio_colours::Request;
use petrio_kernel::{PageBuilder, Place};

/// The name of the page.
pub(crate) const PROGRAMS: &str = "programs";
/// The name of the page of those programs that send block requests while others work on files.
pub(crate) const REQUEST_PROGRAMS: &str = "request-programs";

/// The ports of the page.
#[derive(Debug)]
pub struct ProgramPorts<R> {
    /// Requests are issued when they arrive here.
    pub arrivals: Place<R>,
    /// What has come back; the run pauses as soon as something has.
    pub done: Place<R>,
    /// Where those are told who wait for processes that one has ended.
    pub exits: Option<Place<u32>>,
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
pub(super) fn named_programs_page<R: Request>(
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

    let mut finish = page.transition("finish");
    let completion = finish.take(completions);
    let back = finish.put(done);
    finish.action(move |f| {
        let request = f.take(completion);
        f.put(back, request);
        f.stop();
    });
    ProgramPorts { arrivals, done, exits: None }
}

/// Builds the page that tells of processes that have ended: those of a host's `listeners` of the host's own, which `host_of` knows.
/// Where that is told; nowhere if nobody listens.
pub(super) fn ends_page(
    parent: &mut PageBuilder<'_>,
    listeners: Vec<(usize, Place<u32>)>,
    host_of: impl Fn(u32) -> Option<usize> + Send + Sync + 'static,
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
    let mut end = page.transition("end");
    let process = end.take(exits);
    let listeners: Vec<_> =
        listeners.into_iter().map(|(host, place)| (host, end.may_put(place, 1))).collect();
    end.action(move |f| {
        let process = f.take(process);
        let host = host_of(process);
        for &(of, listener) in &listeners {
            if host == Some(of) {
                f.put(listener, process);
            }
        }
    });
    Some(exits)
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
