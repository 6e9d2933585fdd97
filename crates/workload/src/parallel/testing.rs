//! Carries out whole parallel programs in no time, for tests: messages are matched as MPI does it, and what each rank asks of
//! files is kept.

#![allow(clippy::unwrap_used, reason = "of use to tests only, in which what fails is a failed test")]

use super::{JobPlacement, JobPlan, Mounted, ParallelParameters};
use crate::program::{Board, FileProgram, MeasuredPhase, Placement, Step};
use petrio_colours::{FileId, FileOp, Operation};
use petrio_persist::{Inside, Kept, Reader, SharedParts, Writer};
use petrio_time::Time;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What all ranks did.
pub(super) struct Done {
    /// Operations on files, of each rank in its order.
    pub(super) calls: Vec<Vec<FileOp>>,
    /// Bytes that each rank sent, and how many exchanges it took part in.
    pub(super) sent: Vec<u64>,
    pub(super) exchanges: Vec<u64>,
    pub(super) computed: Vec<Time>,
    /// What the program measured of itself.
    pub(super) phases: Vec<MeasuredPhase>,
}

/// A plan of a program, from its JSON, on ranks of these hosts.
pub(super) fn planned(program: &str, hosts: &[u32]) -> JobPlan {
    planned_with(program, "{}", hosts)
}

/// The same with hints.
pub(super) fn planned_with(program: &str, hints: &str, hosts: &[u32]) -> JobPlan {
    planned_for((program, hints), hosts, Mounted::LOCAL)
}

/// A plan of a program on such a file system.
pub(super) fn planned_on(program: &str, hosts: &[u32], mounted: Mounted) -> JobPlan {
    planned_for((program, "{}"), hosts, mounted)
}

fn planned_for((program, hints): (&str, &str), hosts: &[u32], mounted: Mounted) -> JobPlan {
    let ranks = hosts.len();
    let json = format!(r#"{{ "ranks": {ranks}, "program": {program}, "hints": {hints} }}"#);
    let parameters: ParallelParameters = serde_json::from_str(&json).unwrap();
    let placement = Placement { first_process: 7, first_file: 3, ..Placement::new("job") };
    let job = JobPlacement::new(placement, vec![0; ranks], hosts.to_vec());
    parameters.plan(&JobPlacement { mounted, ..job }).unwrap()
}

/// Carries out a plan; see [`carry_out_by_turns`]. No rank stops before it has to, and nothing takes time.
pub(super) fn carry_out(plan: &JobPlan) -> Done {
    carry_out_by_turns(plan, usize::MAX, |_| Time::ZERO)
}

/// The ranks of a plan, what they tell each other, and what all states of both share.
struct Job<'p> {
    plan: &'p JobPlan,
    board: Arc<Board>,
    ranks: Vec<Box<dyn FileProgram>>,
    known: SharedParts,
}

impl<'p> Job<'p> {
    fn new(plan: &'p JobPlan) -> Self {
        let board = Arc::<Board>::default();
        let ranks = plan.programs(0, 0..plan.ranks(), &board).unwrap();
        let mut job = Self { plan, board, ranks, known: SharedParts::default() };
        job.known = SharedParts::of_all(|to| job.save(to));
        job
    }

    fn save(&self, to: &mut Writer<'_>) {
        self.ranks.iter().for_each(|rank| rank.save_kept(to));
        Inside::save(&*self.board, to);
    }

    /// Another one that goes on from what is written of this.
    fn put_aside(&self) -> Self {
        let mut to = Writer::new(&self.known);
        self.save(&mut to);
        let written = to.finish().unwrap();
        let mut other = Self::new(self.plan);
        let mut from = Reader::new(&other.known, &written);
        other.ranks.iter_mut().for_each(|rank| rank.restore_kept(&mut from).unwrap());
        Inside::restore(&*other.board, &mut from).unwrap();
        from.end().unwrap();
        other
    }
}

/// Carries out a plan, now and then by others that go on from what was written of those before; ranks take turns of so many operations, of which each takes a time that depends on the rank. A rank that waits for ever, a message that nobody receives, or a file that is used while it isn't open
/// fails.
#[expect(clippy::too_many_lines, reason = "one loop: each act of each rank, as it could be carried out")]
pub(super) fn carry_out_by_turns(plan: &JobPlan, turn: usize, takes: impl Fn(usize) -> Time) -> Done {
    let mut clocks = vec![Time::ZERO; plan.ranks() as usize];
    let mut job = Job::new(plan);
    let count = job.ranks.len();
    let mut steps = 0_u64;
    let first = 7;
    let mut done = Done {
        calls: vec![Vec::new(); count],
        sent: vec![0; count],
        exchanges: vec![0; count],
        computed: vec![Time::ZERO; count],
        phases: Vec::new(),
    };
    let mut waits: Vec<Option<VecDeque<u32>>> = vec![Some(VecDeque::new()); count];
    let mut messages: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    let mut files = Files::of(plan);
    loop {
        let mut moved = false;
        for rank in 0..count {
            let mut left = turn;
            while left > 0
                && let Some(waiting) = &mut waits[rank]
            {
                left -= 1;
                while let Some(&from) = waiting.front() {
                    let here = messages.entry((from, rank as u32)).or_default();
                    if *here == 0 {
                        break;
                    }
                    *here -= 1;
                    waiting.pop_front();
                    moved = true;
                }
                if !waiting.is_empty() {
                    break;
                }
                moved = true;
                steps += 1;
                if steps.is_power_of_two() {
                    job = job.put_aside();
                }
                match job.ranks[rank].next(clocks[rank]).unwrap() {
                    Step::End => waits[rank] = None,
                    Step::Operation(op) => {
                        assert_eq!(op.process, first + rank as u32);
                        match op.operation {
                            Operation::Exchange => {
                                let exchange = op.exchange.unwrap();
                                done.exchanges[rank] += 1;
                                for &(to, bytes) in &exchange.sends {
                                    done.sent[rank] += bytes;
                                    assert_ne!(to, op.process, "a message to itself");
                                    *messages.entry((rank as u32, to - first)).or_default() += 1;
                                }
                                waits[rank] =
                                    Some(exchange.receives.iter().map(|from| from - first).collect());
                            }
                            Operation::Compute => {
                                let time = Time::from_picos(op.length);
                                done.computed[rank] = done.computed[rank].saturating_add(time);
                            }
                            _ => {
                                clocks[rank] += takes(rank);
                                files.carry_out(rank, &op);
                                done.calls[rank].push(op);
                            }
                        }
                    }
                    Step::Think(_) | Step::Pause(_) | Step::Phase(_) | Step::Signal(_) | Step::Await(_) => {}
                    Step::Barrier => panic!("ranks meet by messages"),
                    // Nobody takes part in an access to his memory: it is over at once.
                    Step::Submit { op, .. } => {
                        let exchange = op.exchange.unwrap();
                        assert!(exchange.sends.is_empty() && exchange.receives.is_empty());
                        assert!(exchange.remote.iter().all(|(at, _)| *at != op.process), "its own memory");
                        done.exchanges[rank] += 1;
                    }
                    Step::Reap { .. } => {}
                }
            }
        }
        if waits.iter().all(Option::is_none) {
            break;
        }
        assert!(moved, "the ranks wait for ever");
    }
    done.phases = job.board.phases();
    assert!(done.phases.iter().all(MeasuredPhase::is_over), "a phase doesn't end: {:?}", done.phases);
    assert!(messages.values().all(|left| *left == 0), "a message that nobody receives");
    assert!(files.open.values().all(|times| *times == 0), "a file stays open: {:?}", files.open);
    done
}

/// The times that a plan's only rank lets pass.
pub(super) fn thought(plan: &JobPlan) -> Vec<Time> {
    let mut rank = plan.programs(0, 0..1, &Arc::<Board>::default()).unwrap().remove(0);
    let mut thought = Vec::new();
    loop {
        match rank.next(Time::ZERO).unwrap() {
            Step::Think(time) => thought.push(time),
            Step::End => return thought,
            _ => {}
        }
    }
}

/// Which files there are, and who has them open.
struct Files {
    there: BTreeMap<FileId, bool>,
    open: BTreeMap<(usize, FileId), u32>,
}

impl Files {
    fn of(plan: &JobPlan) -> Self {
        let table = plan.table().unwrap();
        assert!(table.entries().iter().all(|entry| (3..plan.next_file()).contains(&entry.file.0)));
        let there = table.entries().iter().map(|entry| (entry.file, entry.present)).collect();
        Self { there, open: BTreeMap::new() }
    }

    fn carry_out(&mut self, rank: usize, op: &FileOp) {
        let there = self.there.get_mut(&op.file).unwrap();
        let open = self.open.entry((rank, op.file)).or_default();
        match op.operation {
            Operation::Create | Operation::Mkdir => {
                assert!(!*there, "rank {rank} makes {:?}, which is there", op.file);
                *there = true;
                *open += u32::from(op.operation == Operation::Create);
            }
            Operation::Open => {
                assert!(*there, "rank {rank} opens {:?}, which isn't there", op.file);
                *open += 1;
            }
            Operation::Close => *open = open.checked_sub(1).unwrap(),
            Operation::Unlink | Operation::Rmdir => {
                assert!(*there, "rank {rank} removes {:?}, which isn't there", op.file);
                *there = false;
            }
            Operation::Stat | Operation::Readdir | Operation::Rename => assert!(*there),
            Operation::Sync => {}
            _ => assert!(*open > 0, "rank {rank}: {:?} of {:?}, which isn't open", op.operation, op.file),
        }
    }
}

/// Pieces of each file that all ranks together read or wrote, in order.
pub(super) fn pieces(done: &Done, operation: Operation) -> BTreeMap<FileId, Vec<(u64, u64)>> {
    let mut pieces: BTreeMap<FileId, Vec<(u64, u64)>> = BTreeMap::new();
    for op in done.calls.iter().flatten().filter(|op| op.operation == operation) {
        pieces.entry(op.file).or_default().push((op.offset, op.length));
    }
    pieces.values_mut().for_each(|pieces| pieces.sort_unstable());
    pieces
}

/// Whether the pieces are each byte of a file of this length once.
pub(super) fn tile(pieces: &[(u64, u64)], length: u64) -> bool {
    let end = pieces.iter().try_fold(0, |end, &(offset, length)| (offset == end).then_some(end + length));
    end == Some(length)
}
