//! Lustre below the page cache: which RPCs operations cost, on servers that answer each after a millisecond and grant every lock.

use super::rig::{DIRECTORY, access, ends, file, host, mount, op};
use crate::lustre::{Asked, Bits, Carried, FILE_PAGES, LustreMount, Procedure, Striping, Target, Told};
use crate::{Format, PreparedFile, host_page};
use petrio_colours::{BlockRequest, FileId, FileOp, Operation};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_persist::{Persist, Reader, Writer};
use std::sync::Arc;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const EACH: Time = Time::from_millis(1);
/// From then on who listens hears that the first lock is wanted.
const CALLED: Time = Time::from_whole_seconds(100);

struct Client {
    run: Simulation,
    operations: Place<FileOp>,
    completions: Place<FileOp>,
    requests: Place<BlockRequest>,
    next: u64,
    seen: usize,
}

impl Client {
    fn new(stripes: u32, dirty_pages: u64, files: &[PreparedFile]) -> Self {
        let mut net = NetBuilder::new("rig");
        let mut page = net.top();
        let (operations, completions) = (page.fifo("operations"), page.fifo("completions"));
        let (requests, back) = (page.fifo("requests"), page.fifo("back"));
        let host = host();
        let format = Format::Lustre(Box::new(LustreMount {
            striping: Arc::new(Striping::new(&[(None, MIB, stripes)], (4, 1))),
            rpc_pages: 1024,
            dirty_pages,
            granted_pages: 1 << 20,
            read_ahead: petrio_units::Bytes::from_mib(4),
            stat_ahead: 32,
        }));
        let mounted = mount((&format, 1 << 30), &host, files, [requests, back]);
        host_page(&mut page, "h", &host, &[mounted], operations, completions).unwrap();
        let mut serve = page.transition("serve");
        let (request, answer) = (serve.take(requests), serve.put(back));
        serve.action(move |f| {
            let mut request: BlockRequest = f.take(request);
            let mut after = EACH;
            match Carried::of(&request).unwrap() {
                Carried::Data(_) => (request.device, request.process) = (0, 1024),
                Carried::Call(call) if call.procedure == Procedure::Listen => {
                    let (file, target) = (FileId(2), Target::Ost(2));
                    Asked::Extent { lock: 1, file, target, object: 0 }.tell(&mut request);
                    after = CALLED.saturating_sub(f.now()).max(EACH);
                    if f.now() >= CALLED {
                        after = Time::from_whole_seconds(1_000_000);
                    }
                }
                Carried::Call(call) => {
                    let bits = call.procedure.grants(false).and(Bits::NONE);
                    let extent = (0, FILE_PAGES);
                    let exists = call.procedure == Procedure::Create;
                    let told = Told { exists, parent: DIRECTORY, bits, extent, ..Told::default() };
                    told.tell(call.procedure, &mut request);
                }
            }
            f.put_after(answer, request, after);
        });
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.observe(requests, Vec::<BlockRequest>::new(), |seen, _, request| seen.push(request.clone()));
        Self { run, operations, completions, requests, next: 0, seen: 0 }
    }

    /// Carries an operation out: the RPCs that it made.
    fn does(&mut self, op: &FileOp) -> String {
        self.next += 1;
        let now = self.run.now();
        let done = ends(&mut self.run, self.next, op, (self.operations, self.completions));
        assert_eq!(done.status.failure(), None, "{done:?}");
        assert_eq!(done.ledger.total(), self.run.now() - now, "{done:?}");
        self.calls()
    }

    fn calls(&mut self) -> String {
        let all = self.run.observed::<BlockRequest, Vec<BlockRequest>>(self.requests).unwrap();
        let words = all[self.seen..].iter().map(|request| match Carried::of(request).unwrap() {
            Carried::Data(data) => {
                format!("{} {}K", if data.writes { "write" } else { "read" }, data.bytes / KIB)
            }
            Carried::Call(call) => call.procedure.name().to_owned(),
        });
        let words: Vec<String> = words.filter(|word| word != "listen").collect();
        self.seen = all.len();
        words.join(", ")
    }
}

fn write(number: u32, length: u64) -> FileOp {
    access(Operation::Write, number, 0, length)
}

#[test]
fn a_files_life_costs_an_rpc_a_step_and_data_stay_until_they_are_wanted() {
    let mut client = Client::new(1, 8192, &[]);
    // The test directory isn't known yet.
    assert_eq!(client.does(&op(Operation::Create, 2)), "intent getattr, intent open-create");
    assert_eq!(client.does(&write(2, 64 * KIB)), "ldlm_enqueue PW");
    assert_eq!(client.does(&write(2, 64 * KIB)), "");
    assert_eq!(client.does(&op(Operation::Close, 2)), "mds_close");
    // What it has written under a lock to the file's end is its own to know; its attributes aren't.
    assert_eq!(client.does(&op(Operation::Stat, 2)), "intent getattr");
    assert_eq!(client.does(&op(Operation::Stat, 2)), "");
    assert_eq!(client.does(&op(Operation::Open, 2)), "intent open");
    assert_eq!(client.does(&op(Operation::Fsync, 2)), "write 64K, mds_sync, ost_sync");
    assert_eq!(client.does(&access(Operation::Read, 2, 0, 64 * KIB)), "");
    assert_eq!(client.does(&op(Operation::Unlink, 2)), "reint unlink");
}

#[test]
fn a_stripe_of_each_object_is_locked_at_once_and_read_ahead() {
    let mut client = Client::new(4, 8192, &[file(2, 8 * MIB, false)]);
    assert_eq!(client.does(&op(Operation::Open, 2)), "intent getattr, intent open");
    let calls = client.does(&access(Operation::Read, 2, 0, 4 * MIB));
    assert!(
        calls.starts_with("ldlm_enqueue PR, ldlm_enqueue PR, ldlm_enqueue PR, ldlm_enqueue PR, read"),
        "{calls}"
    );
    // A stripe in one object is no neighbour of the next in the file.
    assert!(calls.split(", ").filter(|call| call.starts_with("read")).count() >= 4, "{calls}");
    // The sizes of objects are known under these locks.
    assert_eq!(client.does(&op(Operation::Stat, 2)), "intent getattr");
}

#[test]
fn a_size_is_asked_of_each_object_where_no_lock_tells_it() {
    let mut client = Client::new(4, 8192, &[file(2, 8 * MIB, false)]);
    assert_eq!(
        client.does(&op(Operation::Stat, 2)),
        "intent getattr, intent getattr, glimpse, glimpse, glimpse, glimpse"
    );
}

#[test]
fn attributes_in_the_order_of_a_directory_are_asked_for_ahead() {
    let files: Vec<PreparedFile> = (2..20).map(|number| file(number, MIB, false)).collect();
    let mut client = Client::new(1, 8192, &files);
    client.does(&op(Operation::Stat, 2));
    assert_eq!(client.does(&op(Operation::Stat, 3)), "intent getattr, glimpse");
    // The third of them asks for the fifteen that follow, too.
    let third = client.does(&op(Operation::Stat, 4));
    assert_eq!(third.matches("intent getattr").count(), 16, "{third}");
    (5..20).for_each(|number| assert_eq!(client.does(&op(Operation::Stat, number)), ""));
}

#[test]
fn who_writes_more_than_may_be_dirty_waits_for_what_was_sent() {
    let mut client = Client::new(1, 64, &[]);
    client.does(&op(Operation::Create, 2));
    let calls = client.does(&write(2, MIB));
    assert!(calls.contains("write") && calls.contains("waited"), "{calls}");
    let mut free = Client::new(1, 8192, &[]);
    free.does(&op(Operation::Create, 2));
    assert_eq!(free.does(&write(2, MIB)), "ldlm_enqueue PW");
}

#[test]
fn a_lock_that_is_called_back_goes_once_what_was_written_has_been_sent() {
    let mut client = Client::new(1, 8192, &[]);
    client.does(&op(Operation::Create, 2));
    client.does(&write(2, 64 * KIB));
    client.run.run_until(CALLED + Time::from_whole_seconds(1)).unwrap();
    // The write-back of the kernel had sent what was dirty half a minute after it was written.
    assert_eq!(client.calls(), "write 64K, ldlm_cancel");
    client.run.check_conservation().unwrap();
    // The next write asks anew, and reads nothing of what it writes whole.
    assert_eq!(client.does(&write(2, 64 * KIB)), "ldlm_enqueue PW");
}

#[test]
fn what_is_put_aside_or_forked_goes_on_as_if_nothing_had_happened() {
    let start = || Client::new(2, 512, &[file(2, 3 * MIB, false)]);
    let mut first = start();
    first.does(&op(Operation::Open, 2));
    first.does(&access(Operation::Read, 2, 0, 64 * KIB));
    first.does(&write(2, 2 * MIB));
    let net = Arc::clone(first.run.net());
    let known = net.known();
    let mut to = Writer::new(&known);
    first.run.save(&mut to);
    let kept = to.finish().unwrap();
    let mut second = start();
    let net = Arc::clone(second.run.net());
    second.run.restore(&mut Reader::new(&net.known(), &kept)).unwrap();
    let mut fork = first.run.clone();
    std::mem::swap(&mut fork, &mut first.run);
    let goes_on = |client: &mut Client, next: u64| {
        (client.next, client.seen) = (next, 0);
        client.calls();
        let calls = [write(2, 3 * MIB), op(Operation::Fsync, 2), op(Operation::Stat, 2)];
        (calls.map(|op| client.does(&op)), client.run.now())
    };
    let next = first.next;
    let went = goes_on(&mut first, next);
    assert!(went.0[1].ends_with("mds_sync, ost_sync, ost_sync"), "{went:?}");
    assert_eq!(goes_on(&mut second, next), went);
    first.run = fork;
    assert_eq!(goes_on(&mut first, next), went);
}
