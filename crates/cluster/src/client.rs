//! What clients of all file services have: a program's call costs its host's processor before it begins, becomes requests to servers,
//! and is over with the last reply.

use petrio_colours::{Failure, FileCause, FileOp, Ledger, Operation, Status};
use petrio_kernel::{PageBuilder, Place, Time};
use petrio_persist::Persist;
use petrio_stage::function::Function;
use petrio_stage::processor::Processors;

/// Declares a client's page as one that takes operations and completes them; calls cost as much as `takes` says, and those that
/// compute are complete then. Where the others are.
pub(super) fn begun(
    page: &mut PageBuilder<'_>,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    processors: &mut Processors,
    function: Function,
    takes: impl Fn(&FileOp) -> Time + Send + Sync + 'static,
) -> Place<Box<FileOp>> {
    page.port_in("operations", operations);
    page.port_out("completions", completions);
    let running = processors.place();
    page.shared("processor", running);
    let begun = page.fifo::<Box<FileOp>>("begun");
    let callers = processors.client_for::<FileOp>(function);
    processors.returns(callers, move |ran| {
        let (begin, done) = (ran.may_put(begun, 1), ran.may_put(completions, 1));
        move |f, span, mut op| {
            op.ledger.charge(FileCause::Call, span);
            let waited = (f.now() - op.issued).saturating_sub(op.ledger.total());
            op.ledger.charge(FileCause::Processor, waited);
            if op.operation == Operation::Compute {
                op.status = Status::DoneFromCache;
                f.put(done, *op);
            } else {
                f.put(begin, op);
            }
        }
    });
    let mut call = page.transition("call");
    let op = call.take(operations);
    let (run, at_once) = (call.may_put(running, 1), call.may_put(begun, 1));
    call.action(move |f| {
        let op: Box<FileOp> = Box::new(f.take(op));
        match takes(&op) {
            Time::ZERO => f.put(at_once, op),
            span => f.put(run, callers.work(span, op)),
        }
    });
    begun
}

/// What a call takes of a processor where each takes the same: a program that computes says itself how long.
pub(super) fn each_call(each: Time) -> impl Fn(&FileOp) -> Time {
    move |op| if op.operation == Operation::Compute { Time::from_picos(op.length) } else { each }
}

/// How a request to a server ended.
#[derive(Clone, Debug, Persist)]
pub(super) struct Outcome {
    pub(super) status: Status,
    /// Bytes that were read or written.
    pub(super) length: u64,
    /// Where the server's time went since it had all that it needed.
    pub(super) ledger: Ledger<FileCause>,
    /// That time in all.
    pub(super) span: Time,
}

/// An operation of a program that is under way, and what it does next.
#[derive(Clone, Debug, Persist)]
pub(super) struct UnderWay<P> {
    pub(super) op: FileOp,
    pub(super) next: P,
    /// Requests that aren't over.
    pub(super) left: u32,
    /// Bytes that were read or written.
    moved: u64,
    pub(super) status: Status,
}

impl<P: Default> UnderWay<P> {
    pub(super) fn new(op: FileOp, next: P) -> Self {
        // What such file systems aren't asked for ends at once.
        let status = match op.operation.is_local() {
            true => Status::Failed(Failure::NotImplemented),
            false => Status::DoneFromCache,
        };
        Self { op, next, left: 0, moved: 0, status }
    }

    /// A request is over, whose data took so long to copy: what the operation does next if it was the last, nothing where one
    /// has failed. What was waited for last is what the time went for: at its server as that says, and on the way.
    pub(super) fn answered(&mut self, outcome: &Outcome, copied: Time, now: Time) -> Option<P> {
        self.status = self.status.and(outcome.status);
        self.moved += outcome.length;
        self.left = self.left.saturating_sub(1);
        if self.left > 0 {
            return None;
        }
        let ledger = &mut self.op.ledger;
        let spent = (now - self.op.issued).saturating_sub(ledger.total());
        let copied = copied.min(spent);
        ledger.charge(FileCause::Copy, copied);
        let at_server = outcome.ledger.within(spent - copied, FileCause::Server);
        ledger.add(&at_server);
        let known = copied + at_server.total();
        let server = outcome.span.saturating_sub(at_server.total()).min(spent - known);
        ledger.charge(FileCause::Server, server);
        ledger.charge(FileCause::Network, spent - known - server);
        let next = std::mem::take(&mut self.next);
        Some(if self.status.failure().is_some() { P::default() } else { next })
    }

    /// The operation as it returns, of a file of which so much is there beyond what was read.
    pub(super) fn over(self, there: u64) -> FileOp {
        let Self { mut op, moved, status, .. } = self;
        op.status = status;
        if op.operation == Operation::Read && moved < op.length && status.failure().is_none() {
            let found = moved.max(there);
            (op.cut_short, op.length) = (found < op.length, found);
        }
        op
    }
}
