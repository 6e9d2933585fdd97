//! NFS below the page cache: which calls operations cost, on a server that answers each after a millisecond.

use super::rig::{DIRECTORY, access, ends, file, host, mount, op};
use crate::nfs::{Carried, MountOptions, Others, Version};
use crate::{Format, PreparedFile, host_page};
use petrio_colours::{BlockRequest, FileId, FileOp, Operation};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use petrio_persist::{Persist, Reader, Writer};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// How long the server takes for each call.
const EACH: Time = Time::from_millis(1);

/// From when on somebody else has made every file so long.
const CHANGED: Time = Time::from_whole_seconds(100);
const CHANGED_SIZE: u64 = 128 << 10;

struct Client {
    run: Simulation,
    version: Version,
    operations: Place<FileOp>,
    completions: Place<FileOp>,
    requests: Place<BlockRequest>,
    next: u64,
    seen: usize,
}

impl Client {
    /// With these files in the test directory, of which the client knows nothing.
    fn new(options: &str, files: &[PreparedFile]) -> Self {
        let options = MountOptions::parse(options).unwrap();
        let version = options.version;
        let mut net = NetBuilder::new("rig");
        let mut page = net.top();
        let (operations, completions) = (page.fifo("operations"), page.fifo("completions"));
        let (requests, back) = (page.fifo("requests"), page.fifo("back"));
        let host = host();
        let format = Format::Nfs(Box::new(options));
        let mounted = mount((&format, 1 << 30), &host, files, [requests, back]);
        host_page(&mut page, "h", &host, &[mounted], operations, completions).unwrap();
        let mut serve = page.transition("serve");
        let (request, answer) = (serve.take(requests), serve.put(back));
        serve.action(move |f| {
            let mut request: BlockRequest = f.take(request);
            if f.now() >= CHANGED {
                let others = Others { of_file: 1, size: CHANGED_SIZE, exists: true, ..Others::default() };
                others.tell(&mut request);
            }
            f.put_after(answer, request, EACH);
        });
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.observe(requests, Vec::<BlockRequest>::new(), |seen, _, request| seen.push(request.clone()));
        Self { run, version, operations, completions, requests, next: 0, seen: 0 }
    }

    /// Carries an operation out: the calls that it made.
    fn does(&mut self, op: &FileOp) -> String {
        self.next += 1;
        let now = self.run.now();
        let done = ends(&mut self.run, self.next, op, (self.operations, self.completions));
        assert_eq!(done.status.failure(), None, "{done:?}");
        assert_eq!(done.ledger.total(), self.run.now() - now, "{done:?}");
        self.calls()
    }

    /// The calls made since the last look.
    fn calls(&mut self) -> String {
        let all = self.run.observed::<BlockRequest, Vec<BlockRequest>>(self.requests).unwrap();
        let words = all[self.seen..].iter().map(|request| match Carried::of(request).unwrap() {
            Carried::Data { procedure, length, .. } => {
                format!("{} {}K", procedure.name(self.version), length / KIB)
            }
            Carried::Call { procedure, .. } => procedure.name(self.version).to_owned(),
        });
        let words: Vec<String> = words.collect();
        self.seen = all.len();
        words.join(", ")
    }

    fn rests(&mut self, span: Time) {
        let until = self.run.now() + span;
        self.run.run_until(until).unwrap();
    }
}

fn write(number: u32, length: u64) -> FileOp {
    access(Operation::Write, number, 0, length)
}

fn read(number: u32, length: u64) -> FileOp {
    access(Operation::Read, number, 0, length)
}

#[test]
fn what_is_written_goes_to_the_server_when_the_file_is_closed() {
    let mut client = Client::new("vers=3", &[]);
    // The test directory isn't known yet.
    assert_eq!(
        client.does(&op(Operation::Create, 2)),
        "ACCESS, LOOKUP, ACCESS, LOOKUP, nfsaclv3:GETACL, CREATE"
    );
    assert_eq!(client.does(&write(2, 64 * KIB)), "");
    assert_eq!(client.does(&op(Operation::Close, 2)), "WRITE 64K");
    assert_eq!(client.does(&op(Operation::Create, 3)), "LOOKUP, CREATE");
    client.does(&write(3, 64 * KIB));
    assert_eq!(client.does(&op(Operation::Fsync, 3)), "WRITE 64K");
    assert_eq!(client.does(&op(Operation::Close, 3)), "");
}

#[test]
fn what_does_not_fit_into_one_write_is_committed() {
    let mut client = Client::new("vers=3,rsize=32768,wsize=32768", &[]);
    client.does(&op(Operation::Create, 2));
    client.does(&write(2, 128 * KIB));
    let writes = ["WRITE 32K"; 4].join(", ");
    assert_eq!(client.does(&op(Operation::Close, 2)), format!("{writes}, COMMIT"));
    client.does(&op(Operation::Create, 3));
    client.does(&write(3, 128 * KIB));
    assert_eq!(client.does(&op(Operation::Fsync, 3)), format!("{writes}, COMMIT"));
}

#[test]
fn reading_reads_ahead_once_and_then_from_memory() {
    let mut client = Client::new("vers=3", &[file(2, MIB, false)]);
    client.does(&op(Operation::Stat, 2));
    assert_eq!(client.does(&op(Operation::Open, 2)), "GETATTR, ACCESS");
    let mut calls = Vec::new();
    for at in 0..8 {
        calls.push(client.does(&access(Operation::Read, 2, at * 128 * KIB, 128 * KIB)));
    }
    client.rests(Time::from_millis(100));
    calls.push(client.calls());
    calls.retain(|calls| !calls.is_empty());
    assert_eq!(calls.join(", "), ["READ 128K"; 8].join(", "));
    client.does(&op(Operation::Close, 2));
    assert_eq!(client.does(&op(Operation::Open, 2)), "GETATTR");
    assert_eq!(client.does(&read(2, MIB)), "");
}

#[test]
fn attributes_are_asked_for_when_they_are_old() {
    let mut client = Client::new("vers=3", &[file(2, KIB, false)]);
    assert_eq!(client.does(&op(Operation::Stat, 2)), "ACCESS, LOOKUP, ACCESS, LOOKUP");
    assert_eq!(client.does(&op(Operation::Stat, 2)), "");
    client.rests(Time::from_whole_seconds(5));
    assert_eq!(client.does(&op(Operation::Stat, 2)), "GETATTR");
}

#[test]
fn what_others_have_changed_is_read_anew_and_what_they_have_made_is_found() {
    let mut client = Client::new("vers=3", &[file(2, 64 * KIB, false)]);
    client.does(&op(Operation::Open, 2));
    assert_eq!(client.does(&read(2, 64 * KIB)), "READ 64K");
    assert_eq!(client.does(&read(2, 64 * KIB)), "");
    client.rests(CHANGED);
    // Attributes are old, and tell that somebody has made the file longer.
    assert_eq!(client.does(&read(2, 128 * KIB)), "GETATTR, READ 128K");
    assert_eq!(client.does(&read(2, 128 * KIB)), "");
    let found = client.does(&op(Operation::Open, 7));
    assert!(found.starts_with("LOOKUP"), "{found}");
    assert_eq!(client.does(&read(7, 128 * KIB)), "READ 128K");
}

#[test]
fn reads_and_writes_are_of_their_own_sizes_and_synchronous_mounts_write_through() {
    let mut client = Client::new("vers=3,rsize=16384,wsize=8192,sync", &[file(2, 64 * KIB, false)]);
    client.does(&op(Operation::Open, 2));
    // All of it by reading ahead.
    assert_eq!(client.does(&read(2, 32 * KIB)).matches("READ 16K").count(), 4);
    client.does(&op(Operation::Create, 3));
    assert_eq!(client.does(&write(3, 8 * KIB)), "WRITE 8K");
    assert_eq!(client.does(&write(3, 16 * KIB)), "WRITE 8K, WRITE 8K, COMMIT");
    assert_eq!(client.does(&op(Operation::Close, 3)), "");
}

#[test]
fn version_4_opens_a_file_to_be_read_and_anew_to_be_written() {
    let mut client = Client::new("vers=4.2", &[file(2, 4 * KIB, false)]);
    assert_eq!(client.does(&op(Operation::Open, 2)), "ACCESS, LOOKUP, ACCESS, OPEN");
    assert_eq!(client.does(&read(2, 4 * KIB)), "READ 4K");
    assert_eq!(client.does(&op(Operation::Close, 2)), "CLOSE");
    // A delegation came with it.
    assert_eq!(client.does(&op(Operation::Open, 2)), "");
    assert_eq!(client.does(&write(2, 4 * KIB)), "DELEGRETURN, OPEN_NOATTR");
    assert_eq!(client.does(&op(Operation::Close, 2)), "WRITE 4K, CLOSE");
}

#[test]
fn names_are_made_moved_and_removed_by_one_call_each_where_their_directory_is_known() {
    let mut client = Client::new("vers=3", &[file(2, 4 * KIB, false), file(3, 0, false)]);
    client.does(&op(Operation::Stat, 2));
    let made = FileOp { file: FileId(4), parent: DIRECTORY, ..op(Operation::Mkdir, 4) };
    assert_eq!(client.does(&made), "nfsaclv3:GETACL, MKDIR");
    assert_eq!(client.does(&FileOp { parent: FileId(4), ..op(Operation::Rename, 2) }), "ACCESS, RENAME");
    assert_eq!(client.does(&op(Operation::Unlink, 3)), "LOOKUP, REMOVE");
    assert_eq!(client.does(&FileOp { parent: FileId(4), ..op(Operation::Unlink, 2) }), "REMOVE");
    assert_eq!(client.does(&op(Operation::Rmdir, 4)), "RMDIR");
    assert_eq!(client.does(&op(Operation::Readdir, 1)), "GETATTR, READDIRPLUS");
}

#[test]
fn a_call_takes_as_long_as_its_server_and_a_chain_as_long_as_all_of_it() {
    let mut client = Client::new("vers=3", &[file(2, KIB, false)]);
    let took = |client: &mut Client, calls: usize| {
        let now = client.run.now();
        let made = client.does(&op(Operation::Stat, 2));
        assert_eq!(made.split(", ").filter(|call| !call.is_empty()).count(), calls);
        client.run.now() - now
    };
    let (four, none) = (took(&mut client, 4), took(&mut client, 0));
    assert!(four >= Time::from_millis(4) && four < Time::from_micros(4_200), "{four}");
    assert!(none < Time::from_micros(20), "{none}");
}

#[test]
fn what_is_put_aside_or_forked_goes_on_as_if_nothing_had_happened() {
    let files = [file(2, 64 * KIB, false)];
    let mut first = Client::new("vers=4.2,wsize=4096", &files);
    first.does(&op(Operation::Open, 2));
    first.does(&read(2, 64 * KIB));
    first.does(&write(2, 16 * KIB));
    let net = std::sync::Arc::clone(first.run.net());
    let known = net.known();
    let mut to = Writer::new(&known);
    first.run.save(&mut to);
    let kept = to.finish().unwrap();
    let mut second = Client::new("vers=4.2,wsize=4096", &files);
    let net = std::sync::Arc::clone(second.run.net());
    second.run.restore(&mut Reader::new(&net.known(), &kept)).unwrap();
    let mut fork = first.run.clone();
    std::mem::swap(&mut fork, &mut first.run);
    let goes_on = |client: &mut Client, next: u64| {
        (client.next, client.seen) = (next, 0);
        client.calls();
        let calls = [op(Operation::Close, 2), op(Operation::Open, 2), op(Operation::Stat, 2)];
        (calls.map(|op| client.does(&op)), client.run.now())
    };
    let next = first.next;
    let went = goes_on(&mut first, next);
    assert_eq!(went.0[0], format!("{}, COMMIT, CLOSE", ["WRITE 4K"; 4].join(", ")));
    assert_eq!(goes_on(&mut second, next), went);
    first.run = fork;
    assert_eq!(goes_on(&mut first, next), went);
}
