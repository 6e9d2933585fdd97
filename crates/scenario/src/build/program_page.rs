//! The page that issues requests and takes their completions: where programs meet the System.
//!
//! ```text
//!              ┌───────┐                                           ┌────────┐
//!   arrivals ─▶│ issue ├─▶ requests of devices ⋯ completions ─────▶│ finish ├─▶ done
//!              └───────┘                                           └────────┘
//! ```
//!
//! Programs run outside the net: a request arrives when its program issues it, and every completion pauses the run so that
//! its program can go on. Arrival and think times are therefore outside any speed factor.

use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place, Time};

/// A request that has come back, and when.
#[derive(Clone, Debug)]
pub(crate) struct Completed {
    /// The request.
    pub(crate) request: BlockRequest,
    /// When it completed.
    pub(crate) at: Time,
}

/// The ports of the page.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProgramPorts {
    /// Requests are issued when they arrive here.
    pub(crate) arrivals: Place<BlockRequest>,
    /// What has come back.
    pub(crate) done: Place<Completed>,
}

/// Builds the page. `devices` are the request ports of the devices in the order of [`BlockRequest::device`];
/// `completions` is the port in which all of them put what is complete.
pub(crate) fn programs_page(
    parent: &mut PageBuilder<'_>,
    devices: &[Place<BlockRequest>],
    completions: Place<BlockRequest>,
) -> ProgramPorts {
    let mut page = parent.page("programs");
    let arrivals = page.fifo::<BlockRequest>("arrivals");
    let done = page.fifo::<Completed>("done");
    page.port_in("arrivals", arrivals);
    page.port_in("completions", completions);
    page.port_out("done", done);

    let mut issue = page.transition("issue");
    let request = issue.take(arrivals);
    let targets: Vec<_> = devices.iter().map(|device| issue.may_put(*device, 1)).collect();
    issue.action(move |f| {
        let mut request = f.take(request);
        request.issued = f.now();
        match targets.get(request.device as usize) {
            Some(target) => f.put(*target, request),
            None => {
                let (id, device, count) = (request.id.0, request.device, targets.len());
                f.fail(format!(
                    "request {id} is for device {device}, but the System has {count}, numbered from 0"
                ));
            }
        }
    });

    let mut finish = page.transition("finish");
    let completion = finish.take(completions);
    let back = finish.put(done);
    finish.action(move |f| {
        let request = f.take(completion);
        let at = f.now();
        f.put(back, Completed { request, at });
        f.stop();
    });
    ProgramPorts { arrivals, done }
}
