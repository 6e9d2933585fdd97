//! Protocols against disks that hold contents: reads see the last acknowledged write, whatever fails.

#![allow(clippy::unwrap_used, reason = "a test that can't go on has failed")]
use super::*;
use petrio_colours::{BlockRequest, Direction, Failure, FileId, FileOp, RequestId, Status};
use petrio_kernel::{NetBuilder, Place, Simulation, Time};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

const BLOCKS: u64 = 1 << 20;
/// The blocks of the file that requests are of.
const FIRST: u64 = 5_000;
const LENGTH: u64 = 40;

/// A disk that does one thing after the other when it is told to, and holds which write each block is of.
#[derive(Default)]
struct Disk {
    queue: VecDeque<BlockRequest>,
    contents: BTreeMap<u64, u32>,
    is_broken: bool,
    writes: u64,
    reads: u64,
}

struct Bench {
    run: Simulation,
    ports: ReplicationPorts,
    replicas: Place<Replicas>,
    disks: Vec<Disk>,
    now: u64,
    next: u32,
    /// Writes in the order in which they were asked for; what was acknowledged of each block.
    acknowledged: BTreeMap<u64, u32>,
    /// What each read must see at least, and what was found so far.
    reads: BTreeMap<u64, BTreeMap<u64, u32>>,
    found: BTreeMap<u32, BTreeMap<u64, u32>>,
    ended: Vec<BlockRequest>,
}

impl Bench {
    fn new(parameters: &ReplicationParameters, count: usize) -> Self {
        let mut net = NetBuilder::new("test");
        let mut page = net.top();
        let disks = (0..count)
            .map(|number| {
                let down = page.fifo::<BlockRequest>(&format!("down{number}"));
                (down, page.fifo::<BlockRequest>(&format!("up{number}")), Sight::Counted)
            })
            .collect();
        let ports = ReplicationPorts {
            operations: page.fifo::<FileOp>("operations"),
            requests: page.fifo("requests"),
            completions: page.fifo("completions"),
            disks,
            memories: Vec::new(),
        };
        let mut layout = FileLayout::default();
        layout.add(FileId(1), FIRST, LENGTH);
        let (replicas, _) =
            replication_page(&mut page, "copies", parameters, (BLOCKS, layout.into()), &ports).unwrap();
        let run = Simulation::new(&net.build().unwrap(), 1, 0);
        let disks = (0..count).map(|_| Disk::default()).collect();
        let (acknowledged, reads, found) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { run, ports, replicas, disks, now: 0, next: 0, acknowledged, reads, found, ended: Vec::new() }
    }

    /// Lets the net do what it can, and takes what it has for the disks and for who asked.
    fn step(&mut self) {
        self.now += 1;
        self.run.run_until(Time::from_millis(self.now)).unwrap();
        for (disk, (down, ..)) in self.disks.iter_mut().zip(&self.ports.disks) {
            disk.queue.extend(self.run.drain(*down));
        }
        let back: Vec<BlockRequest> = self.run.drain(self.ports.completions).collect();
        for request in back {
            let number = request.id.0 as u32;
            let range = request.address..request.end();
            match request.direction {
                _ if request.status.failure().is_some() => {}
                Direction::Write => {
                    for block in range {
                        let known = self.acknowledged.entry(block).or_default();
                        *known = (*known).max(number);
                    }
                }
                Direction::Read => {
                    let (least, found) = (&self.reads[&request.id.0], &self.found[&number]);
                    for block in range {
                        let (seen, least) = (found.get(&block), least.get(&block).copied().unwrap_or(0));
                        assert!(
                            seen.is_some_and(|seen| *seen >= least),
                            "read {number}: {seen:?} of {block}, {least}"
                        );
                    }
                }
                Direction::Flush | Direction::Discard => {}
            }
            self.ended.push(request);
        }
    }

    fn ask(&mut self, direction: Direction, (address, blocks): (u64, u32)) -> u64 {
        self.next += 1;
        let id = u64::from(self.next);
        self.reads.insert(id, self.acknowledged.clone());
        let issued = Time::from_millis(self.now);
        let request = BlockRequest {
            id: RequestId(id),
            process: self.next,
            direction,
            file: FileId(1),
            address,
            blocks,
            issued,
            ..BlockRequest::default()
        };
        self.run.inject(self.ports.requests, request, issued).unwrap();
        self.step();
        id
    }

    /// A disk does the next thing that it has to do.
    fn serve(&mut self, number: usize) -> bool {
        let disk = &mut self.disks[number];
        let Some(mut part) = disk.queue.pop_front() else { return false };
        part.status = if disk.is_broken { Status::Failed(Failure::Device) } else { Status::Done };
        if !disk.is_broken {
            let blocks = part.address..part.end();
            if part.direction == Direction::Write {
                disk.writes += 1;
                for block in blocks {
                    disk.contents.insert(block, part.process);
                }
            } else if part.direction == Direction::Read {
                disk.reads += 1;
                let found = self.found.entry(part.process).or_default();
                for block in blocks {
                    // Of a version that was asked for first, the better one counts.
                    let there = disk.contents.get(&block).copied().unwrap_or(0);
                    let seen = found.entry(block).or_default();
                    *seen = (*seen).max(there);
                }
            }
        }
        self.run.inject(self.ports.disks[number].1, part, Time::from_millis(self.now)).unwrap();
        self.step();
        true
    }

    fn finish(&mut self) {
        while (0..self.disks.len()).any(|number| self.serve(number)) {}
    }

    fn ends_of(&self, id: u64) -> Vec<Status> {
        self.ended.iter().filter(|request| request.id.0 == id).map(|request| request.status).collect()
    }

    fn tally(&self) -> ReplicationStatistics {
        let mut tally = ReplicationStatistics::default();
        self.run.for_each_token(self.replicas, |replicas| tally = replicas.tally().clone());
        tally
    }

    fn work(&self) -> Vec<(u64, u64)> {
        self.disks.iter().map(|disk| (disk.reads, disk.writes)).collect()
    }
}

fn with(protocol: Protocol) -> ReplicationParameters {
    let policy = PolicyParameters::ReadOneWriteAll;
    ReplicationParameters { policy, protocol, ..ReplicationParameters::default() }
}

fn voting(reads: Option<u32>, writes: Option<u32>, versions: Versions) -> Protocol {
    Protocol::Voting(Voting { reads, writes, versions, ..Voting::default() })
}

#[test]
fn quorums_that_could_miss_each_other_are_refused() {
    let check = |reads, writes| with(voting(reads, writes, Versions::InMemory)).most_copies(5);
    assert_eq!(check(None, None), Ok(5));
    assert_eq!(check(Some(1), Some(5)), Ok(5));
    let error = check(Some(2), Some(3)).unwrap_err();
    assert_eq!(error, ReplicationError::Quorums { reads: 2, writes: 3, votes: 5 });
    assert!(
        matches!(check(Some(4), Some(2)), Err(ReplicationError::Quorums { .. })),
        "two writes miss each other"
    );
    assert_eq!(check(Some(0), None), Err(ReplicationError::Zero("reads")));
    let both = ReplicationParameters {
        write_returns: WriteReturns::All,
        ..with(Protocol::Voting(Voting::default()))
    };
    assert_eq!(both.most_copies(3), Err(ReplicationError::Returns));
}

#[test]
fn a_vote_writes_a_majority_and_asks_so_many_that_one_has_seen_it() {
    let mut bench = Bench::new(&with(voting(None, None, Versions::InMemory)), 5);
    let id = bench.ask(Direction::Write, (FIRST, 8));
    assert_eq!(bench.disks.iter().filter(|disk| disk.queue.len() == 1).count(), 3);
    let busy: Vec<usize> = (0..5).filter(|&number| !bench.disks[number].queue.is_empty()).collect();
    bench.serve(busy[0]);
    bench.serve(busy[1]);
    assert!(bench.ends_of(id).is_empty(), "two of three");
    bench.serve(busy[2]);
    assert_eq!(bench.ends_of(id), [Status::Done]);
    bench.ask(Direction::Read, (FIRST, 8));
    bench.finish();
    assert_eq!(bench.work().iter().map(|(reads, _)| reads).sum::<u64>(), 1, "versions are in memory");

    let mut bench = Bench::new(&with(voting(None, None, Versions::OnDisk)), 5);
    bench.ask(Direction::Write, (FIRST, 8));
    bench.finish();
    let sums = |bench: &Bench| bench.work().iter().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    assert_eq!(sums(&bench), (3, 3), "three versions are read, then three copies written");
    bench.ask(Direction::Read, (FIRST, 8));
    bench.finish();
    assert_eq!(sums(&bench), (3 + 3 + 1, 3));
}

#[test]
fn a_master_is_written_first_and_read_until_the_others_follow() {
    for (write_returns, early) in [(WriteReturns::First, 1), (WriteReturns::All, 0)] {
        let parameters = ReplicationParameters { write_returns, ..with(Protocol::Master) };
        let mut bench = Bench::new(&parameters, 3);
        let id = bench.ask(Direction::Write, (FIRST, 8));
        let queued = |bench: &Bench| bench.disks.iter().map(|disk| disk.queue.len()).collect::<Vec<_>>();
        assert_eq!(queued(&bench), [1, 0, 0]);
        bench.serve(0);
        assert_eq!((queued(&bench), bench.ends_of(id).len()), (vec![0, 1, 1], early));
        // A second write of the file waits, and reads of what the others don't have yet go to the master.
        let second = bench.ask(Direction::Write, (FIRST + 20, 8));
        bench.ask(Direction::Read, (FIRST, 8));
        assert_eq!(queued(&bench), [1, 1, 1]);
        bench.finish();
        assert_eq!((bench.ends_of(id).len(), bench.ends_of(second).len()), (1, 1));
        assert_eq!(bench.tally().waited, 1);
        assert!(bench.work().iter().all(|(_, writes)| *writes == 2));
        bench.run.check_conservation().unwrap();
    }
}

#[test]
fn a_transaction_logs_everywhere_commits_at_the_master_and_writes() {
    let parameters = with(Protocol::Transaction(Transaction::default()));
    let log = parameters.blocks(BLOCKS);
    assert!(log <= BLOCKS - (4 << 20) / 512, "the log lies behind what is offered");
    let mut bench = Bench::new(&parameters, 3);
    let id = bench.ask(Direction::Write, (FIRST, 8));
    let heads = |bench: &Bench| -> Vec<Option<(u64, u32)>> {
        bench.disks.iter().map(|disk| disk.queue.front().map(|part| (part.address, part.blocks))).collect()
    };
    assert_eq!(heads(&bench), [Some((log, 9)); 3], "a record and the data");
    (0..3).for_each(|disk| assert!(bench.serve(disk)));
    assert_eq!(heads(&bench), [Some((log + 9, 1)), None, None], "the commit record");
    assert!(bench.ends_of(id).is_empty());
    bench.serve(0);
    assert_eq!(bench.ends_of(id), [Status::Done]);
    assert_eq!(heads(&bench), [Some((FIRST, 8)); 3]);
    bench.finish();
    assert_eq!(bench.tally().log_bytes, (3 * 9 + 1) * 512);
    bench.run.check_conservation().unwrap();
}

#[test]
fn a_copy_that_fails_is_done_without_and_too_few_are_told() {
    for protocol in [Protocol::WriteAll, Protocol::Master, Protocol::Transaction(Transaction::default())] {
        let mut bench = Bench::new(&with(protocol.clone()), 3);
        bench.disks[0].is_broken = true;
        let write = bench.ask(Direction::Write, (FIRST, 8));
        bench.finish();
        assert_eq!(bench.ends_of(write), [Status::Done], "{protocol:?}");
        assert_eq!(bench.tally().lost, 1, "{protocol:?}");
        let read = bench.ask(Direction::Read, (FIRST, 8));
        bench.finish();
        assert_eq!(bench.ends_of(read), [Status::Done], "{protocol:?}");
        bench.disks.iter_mut().for_each(|disk| disk.is_broken = true);
        let [write, read] = [Direction::Write, Direction::Read].map(|way| bench.ask(way, (FIRST, 8)));
        bench.finish();
        for id in [write, read] {
            assert_eq!(bench.ends_of(id), [Status::Failed(Failure::Device)], "{protocol:?}");
        }
        bench.run.check_conservation().unwrap();
    }
    // Three votes: two may be lost for no write, one for any.
    let mut bench = Bench::new(&with(Protocol::Voting(Voting::default())), 3);
    bench.disks[0].is_broken = true;
    let write = bench.ask(Direction::Write, (FIRST, 8));
    bench.finish();
    assert_eq!(bench.ends_of(write), [Status::Done]);
    bench.disks[1].is_broken = true;
    let write = bench.ask(Direction::Write, (FIRST, 8));
    bench.finish();
    assert_eq!(bench.ends_of(write), [Status::Failed(Failure::Device)]);
    let write = bench.ask(Direction::Write, (FIRST, 8));
    bench.finish();
    assert_eq!(bench.ends_of(write), [Status::Failed(Failure::Device)]);
    bench.run.check_conservation().unwrap();
}

/// Gifford's example: one disk with as many votes as the two others together.
#[test]
fn a_copy_with_more_votes_is_enough_where_it_takes_two_of_the_others() {
    let weights = |weights: &[u32], reads, writes| {
        let Protocol::Voting(of) = voting(reads, writes, Versions::InMemory) else { unreachable!() };
        with(Protocol::Voting(Voting { weights: weights.to_vec(), ..of }))
    };
    // Five votes, of which a write needs three, and a read three.
    let parameters = weights(&[3, 1, 1], None, None);
    let mut bench = Bench::new(&parameters, 3);
    let write = bench.ask(Direction::Write, (FIRST, 8));
    assert!(bench.serve(0), "the first disk is asked");
    assert_eq!(bench.ends_of(write), [Status::Done], "and nobody else");
    assert_eq!((bench.disks[1].writes, bench.disks[2].writes), (0, 0));
    // Without it there are two votes left of five.
    bench.disks[0].is_broken = true;
    for direction in [Direction::Read, Direction::Write] {
        let asked = bench.ask(direction, (FIRST, 8));
        bench.finish();
        assert_eq!(bench.ends_of(asked), [Status::Failed(Failure::Device)], "{direction:?}");
    }
    // Where the others have more together, they stand in for it.
    let mut bench = Bench::new(&weights(&[2, 1, 1, 1], None, Some(3)), 4);
    bench.disks[0].is_broken = true;
    let write = bench.ask(Direction::Write, (FIRST, 8));
    bench.finish();
    assert_eq!(bench.ends_of(write), [Status::Done]);
    assert_eq!(bench.disks[1..].iter().filter(|disk| disk.contents.contains_key(&FIRST)).count(), 3);
    // One number of votes for each disk, and quorums that meet.
    let check = |votes: &[u32], reads, writes| weights(votes, reads, writes).most_copies(3);
    assert_eq!(check(&[3, 1], None, None), Err(ReplicationError::Weights { weights: 2, disks: 3 }));
    assert_eq!(check(&[3, 0, 1], None, None), Err(ReplicationError::Weights { weights: 3, disks: 3 }));
    assert_eq!(
        check(&[3, 1, 1], Some(2), Some(3)),
        Err(ReplicationError::Quorums { reads: 2, writes: 3, votes: 5 })
    );
    assert_eq!(check(&[3, 1, 1], Some(1), Some(5)), Ok(3));
}

#[test]
fn what_a_later_vote_has_written_stays_where_a_copy_stands_in() {
    let mut bench = Bench::new(&with(voting(None, None, Versions::InMemory)), 5);
    // Of three disks it is known how long they take; of the last the shortest.
    bench.ask(Direction::Write, (FIRST + 20, 8));
    (0..3).rev().for_each(|number| assert!(bench.serve(number)));
    bench.ask(Direction::Write, (FIRST, 8));
    let lost = (0..3).find(|&number| !bench.disks[number].queue.is_empty()).unwrap();
    bench.disks[lost].is_broken = true;
    // The second write of the last four blocks is done everywhere before the first is known to be short of a copy.
    let second = bench.ask(Direction::Write, (FIRST + 4, 4));
    for number in (0..5).filter(|number| *number != lost) {
        while bench.serve(number) {}
    }
    assert_eq!(bench.ends_of(second), [Status::Done], "it asked others");
    let holds = |bench: &Bench, version: u32| -> usize {
        bench.disks.iter().filter(|disk| disk.contents.get(&(FIRST + 4)) == Some(&version)).count()
    };
    assert_eq!((holds(&bench, 2), holds(&bench, 3)), (0, 3));
    bench.finish();
    assert_eq!((holds(&bench, 2), holds(&bench, 3)), (0, 3), "nothing is overwritten by what is older");
    let stood_in = bench.disks.iter().filter(|disk| disk.contents.get(&FIRST) == Some(&2)).count();
    assert_eq!(stood_in, 3, "what nobody else wrote has its three copies");
    bench.ask(Direction::Read, (FIRST, 8));
    bench.finish();
    bench.run.check_conservation().unwrap();
}

fn protocols() -> impl Strategy<Value = Protocol> {
    prop_oneof![
        Just(Protocol::WriteAll),
        Just(Protocol::Master),
        Just(voting(None, None, Versions::InMemory)),
        Just(voting(None, None, Versions::OnDisk)),
        Just(voting(Some(1), Some(9), Versions::InMemory)),
        Just(Protocol::Voting(Voting { weights: vec![3, 1, 1, 2, 1], ..Voting::default() })),
        Just(Protocol::Transaction(Transaction::default())),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn reads_see_the_last_write_that_was_acknowledged(
        protocol in protocols(),
        disks in 1usize..6,
        steps in proptest::collection::vec((0u8..8, 0u64..LENGTH, 1u32..12, 0usize..6), 1..150),
        breaks in proptest::option::of(0usize..150),
    ) {
        let mut protocol = protocol;
        if let Protocol::Voting(voting) = &mut protocol {
            voting.weights.truncate(disks);
        }
        let mut bench = Bench::new(&with(protocol), disks);
        let mut asked = Vec::new();
        for (number, (kind, offset, blocks, disk)) in steps.into_iter().enumerate() {
            if breaks == Some(number) && disks > 2 {
                bench.disks[disk % disks].is_broken = true;
            }
            let blocks = blocks.min((LENGTH - offset) as u32);
            match kind {
                0 => asked.push(bench.ask(Direction::Write, (FIRST + offset, blocks))),
                1 => asked.push(bench.ask(Direction::Read, (FIRST + offset, blocks))),
                _ => drop(bench.serve(disk % disks)),
            }
        }
        bench.finish();
        let mut ended: Vec<u64> = bench.ended.iter().map(|request| request.id.0).collect();
        ended.sort_unstable();
        prop_assert_eq!(ended, asked, "each is answered once");
        bench.run.check_conservation().unwrap();
        if breaks.is_none() {
            prop_assert!(bench.ended.iter().all(|request| request.status.failure().is_none()));
        }
    }
}
