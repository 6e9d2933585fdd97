//! Where a file system and programs that send block requests meet: both ask the same device, past the same queue.
//!
//! ```text
//!   host ─────────────────────────▶ requests ⋯ device ⋯ completions ─▶┌──────┐──▶ host
//!   programs ─▶│ mark ├────────────────▲                              │ sort │
//!                                                                     └──────┘──▶ programs
//! ```

use petrio_colours::BlockRequest;
use petrio_kernel::{PageBuilder, Place};

/// What the programs' requests are known by on their way back. Their numbers, and those of their processes, would else be those of the
/// host's own requests.
const OF_PROGRAMS: u64 = 1 << 62;
/// The same for their processes whose numbers others have: the scheduler tells them from those that work on files.
const PROCESS_OF_PROGRAMS: u32 = 1 << 30;
/// From here on processes are those of servers, and of the kernel.
const OWN_NUMBERS: u32 = 1 << 29;

/// The ports of a device that is shared.
pub(super) struct Shared {
    /// Where the programs' requests arrive.
    pub(super) entrance: Place<BlockRequest>,
    /// Where what the host has asked for is complete.
    pub(super) completions: Place<BlockRequest>,
}

/// Lets programs ask a device as a host does, whose own ports are `requests` and `completions`. What is complete of the programs' goes to
/// `done`. Their processes keep their numbers, as a trace has them, but for those below `taken`, which work on files.
pub(super) fn shared_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    (done, taken): (Place<BlockRequest>, u32),
) -> Shared {
    let entrance = parent.fifo(&format!("{name}-shared-requests"));
    let own = parent.fifo(&format!("{name}-shared-completions"));
    let mut page = parent.page(&format!("{name}-shared"));
    for (port, place) in [("asked", entrance), ("completions", completions)] {
        page.port_in(port, place);
    }
    for (port, place) in [("requests", requests), ("own", own), ("done", done)] {
        page.port_out(port, place);
    }

    let mut mark = page.transition("mark");
    let (asked, down) = (mark.take(entrance), mark.put(requests));
    mark.action(move |f| {
        let mut request = f.take(asked);
        request.id.0 |= OF_PROGRAMS;
        if !(taken..OWN_NUMBERS).contains(&request.process) {
            request.process |= PROCESS_OF_PROGRAMS;
        }
        f.put(down, request);
    });

    let mut sort = page.transition("sort");
    let completed = sort.take(completions);
    let (to_host, to_programs) = (sort.may_put(own, 1), sort.may_put(done, 1));
    sort.action(move |f| {
        let mut request = f.take(completed);
        if request.id.0 & OF_PROGRAMS == 0 {
            f.put(to_host, request);
        } else {
            request.id.0 &= !OF_PROGRAMS;
            request.process &= !PROCESS_OF_PROGRAMS;
            f.put(to_programs, request);
        }
    });
    Shared { entrance, completions: own }
}
