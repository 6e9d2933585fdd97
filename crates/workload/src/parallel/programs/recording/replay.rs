//! A thread on its way through what was recorded of it.

use super::order::Added;
use super::plan::RecordingPlan;
use super::track::{FileCall, Instance, Play, Together, What};
use crate::parallel::act::{Act, Acts, Call, Detailed};
use crate::parallel::collective::{Collective, Group, Rounds};
use crate::parallel::programs::Start;
use crate::program::{ProgramError, Topic};
use petrio_colours::{AccessFlags, Exchange, FileId, Operation};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_trace::event::CollectiveKind;
use petrio_units::numbers::as_number;
use std::collections::VecDeque;
use std::sync::Arc;

/// A thread.
#[derive(Persist)]
pub(in crate::parallel) struct RecordedThread {
    #[persist(shared)]
    plan: Arc<RecordingPlan>,
    start: Start,
    next: u32,
    /// What is left of the step before.
    left: VecDeque<Left>,
    /// How long it has looked for what it listens to.
    waited: Time,
}

/// What is left of a step.
#[derive(Persist)]
enum Left {
    Act(Act),
    /// Says a number to tracks of other volumes, or waits until it was said.
    Tell(u32),
    Listen(u32),
}

impl From<Act> for Left {
    fn from(act: Act) -> Self {
        Self::Act(act)
    }
}

/// How often it looks at first; then as often as is a small part of what it has waited.
const LOOK: Time = Time::from_micros(10);
const PART: u64 = 64;

/// What goes to a word of several bytes: as much as MPI sends of a number.
const WORD_BYTES: u64 = 8;

impl RecordedThread {
    pub(super) fn new(plan: Arc<RecordingPlan>, start: &Start) -> Self {
        Self { plan, start: start.clone(), next: 0, left: VecDeque::new(), waited: Time::ZERO }
    }

    fn added(&mut self, added: &[Added]) {
        for one in added {
            self.left.push_back(match *one {
                Added::Say(number) => Act::Signal(number).into(),
                Added::Hear(number) => Act::Await(number).into(),
                Added::Tell(number) => Left::Tell(number),
                Added::Listen(number) => Left::Listen(number),
            });
        }
    }

    /// Takes the next step apart; whether there is one.
    fn step(&mut self) -> bool {
        let plan = Arc::clone(&self.plan);
        let rank = self.start.member.rank as usize;
        let step = self.next;
        let additions = &plan.additions[rank];
        let Some(Play { compute, what }) = plan.threads.tracks[rank].plays.get(step as usize) else {
            return false;
        };
        self.next += 1;
        let compute = self.start.computing(*compute);
        if compute > Time::ZERO {
            self.left.push_back(Act::Compute(compute).into());
        }
        self.added(additions.before.get(&step).map_or(&[], Vec::as_slice));
        match what {
            What::Nothing => {}
            What::File(call) => self.left.extend(self.file(call).map(|call| Left::Act(Act::Detailed(call)))),
            What::Elsewhere(time) | What::Sleep(time) if *time == Time::ZERO => {}
            What::Elsewhere(time) | What::Sleep(time) => self.left.push_back(Act::Think(*time).into()),
            What::Send { to, bytes, tag } => {
                self.left.push_back(Act::Exchange(send(*to, *bytes, *tag)).into());
            }
            What::Receive { from, tag } => {
                self.left.push_back(Act::Exchange(receive(*from, *tag)).into());
            }
            What::PostSend { to, bytes, tag } => {
                self.left.push_back(Act::Post(send(*to, *bytes, *tag)).into());
            }
            What::PostReceive { from, tag } => {
                self.left.push_back(Act::Post(receive(*from, *tag)).into());
            }
            What::Wait { left } => self.left.push_back(Act::AwaitRoom(left.saturating_add(1)).into()),
            What::Together(together) => self.together(together),
        }
        self.added(additions.behind.get(&step).map_or(&[], Vec::as_slice));
        true
    }

    /// A call by the files' numbers in the run; none of what this file system doesn't do.
    fn file(&self, call: &FileCall) -> Option<Detailed> {
        let (start, plan) = (&self.start, &self.plan);
        let operation = match call.operation {
            Operation::SyncRange if !plan.is_local => Operation::Fdatasync,
            Operation::Allocate if !plan.is_local => return None,
            operation => operation,
        };
        let file = if call.file == u32::MAX { FileId::ROOT } else { start.file(call.file) };
        let mut parent = plan.parent(call.file, start);
        let mut offset = call.offset;
        if operation == Operation::Rename {
            parent = u32::try_from(offset).map_or(FileId::ROOT, |folder| start.file(folder));
            offset = 0;
        }
        Some(Detailed {
            call: Call { operation, file, parent, offset, length: call.length },
            replaced: call.replaced.map(|replaced| start.file(replaced)),
            flags: AccessFlags { direct: call.direct, data_sync: call.durable, ..AccessFlags::default() },
        })
    }

    /// An operation of several ranks, as collective operations and messages.
    fn together(&mut self, together: &Together) {
        let plan = Arc::clone(&self.plan);
        let instance = &plan.threads.instances[together.instance as usize];
        let Together { own, root, bytes, .. } = *together;
        let ranks = as_number(instance.members.len());
        let mut rounds = |collective: Collective| {
            let rounds = collective.rounds(Group { rank: own, ranks });
            self.left.push_back(
                Act::within(AmongMembers { rounds, members: Arc::clone(&instance.members) }).into(),
            );
        };
        match together.kind {
            CollectiveKind::Barrier => rounds(Collective::Barrier),
            CollectiveKind::Broadcast => rounds(Collective::Broadcast { root, bytes }),
            CollectiveKind::Reduce => rounds(Collective::Reduce { root, bytes }),
            CollectiveKind::AllReduce | CollectiveKind::Scan => rounds(Collective::AllReduce { bytes }),
            CollectiveKind::Gather => rounds(Collective::Gather { root, bytes }),
            CollectiveKind::Scatter => rounds(Collective::Scatter { root, bytes }),
            CollectiveKind::AllGather => rounds(Collective::AllGather { bytes }),
            CollectiveKind::AllToAll => rounds(Collective::AllToAll { bytes }),
            CollectiveKind::ReduceScatter => {
                rounds(Collective::Reduce { root: 0, bytes });
                rounds(Collective::Scatter { root: 0, bytes: bytes / u64::from(ranks.max(1)) });
            }
            CollectiveKind::OpenAll => rounds(Collective::Barrier),
            CollectiveKind::ReadAll | CollectiveKind::WriteAll => {
                // Each learns what all want, and gives or gets what it has of what others write or read for it.
                rounds(Collective::AllGather { bytes: 2 * WORD_BYTES });
                let exchange = for_all(instance, own as usize);
                if !exchange.sends.is_empty() || !exchange.receives.is_empty() {
                    self.left.push_back(Act::Exchange(exchange).into());
                }
            }
        }
    }
}

/// What a member sends and receives where some read or write for all.
fn for_all(instance: &Instance, own: usize) -> Exchange {
    let mut exchange = Exchange::default();
    let is_written = instance.kind == CollectiveKind::WriteAll;
    for (other, &track) in instance.members.iter().enumerate() {
        if other == own {
            continue;
        }
        let (given, got) = (instance.share(own, other), instance.share(other, own));
        let (sent, received) = if is_written { (given, got) } else { (got, given) };
        if sent > 0 {
            exchange.sends.push((track, sent));
        }
        if received > 0 {
            exchange.receives.push(track);
        }
    }
    exchange
}

/// A message's tag in the network, where what ranks do together has none.
fn tag_of(tag: Option<u32>) -> u64 {
    tag.map_or(0, |tag| u64::from(tag) + 1)
}

fn send(to: u32, bytes: u64, tag: Option<u32>) -> Exchange {
    Exchange { sends: vec![(to, bytes)], send_tag: tag_of(tag), ..Exchange::default() }
}

fn receive(from: u32, tag: Option<u32>) -> Exchange {
    Exchange { receives: vec![from], receive_tag: tag_of(tag), ..Exchange::default() }
}

impl Acts for RecordedThread {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let board = Arc::clone(&self.start.member.board);
        loop {
            match self.left.pop_front() {
                Some(Left::Act(act)) => return Ok(Some(act)),
                Some(Left::Tell(number)) => board.put(topic(number), now.as_picos()),
                Some(Left::Listen(number)) => {
                    // Who has told it may be ahead of the clock.
                    let said = board.get(&topic(number)).map(Time::from_picos);
                    let pause = match said {
                        Some(said) if said <= now => {
                            self.waited = Time::ZERO;
                            continue;
                        }
                        Some(said) => said - now,
                        None => LOOK.max(Time::from_picos(self.waited.as_picos() / PART)),
                    };
                    self.waited += pause;
                    self.left.push_front(Left::Listen(number));
                    return Ok(Some(Act::Pause(pause)));
                }
                None if self.step() => {}
                None => return Ok(None),
            }
        }
    }
}

/// Where it stands that a number was said.
fn topic(number: u32) -> Topic {
    (FileId::ROOT, "said".into(), u64::from(number))
}

/// The rounds of a collective operation among some of the tracks.
#[derive(Persist)]
pub(in crate::parallel) struct AmongMembers {
    rounds: Rounds,
    members: Arc<[u32]>,
}

impl Acts for AmongMembers {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let Some(mut exchange) = Iterator::next(&mut self.rounds) else { return Ok(None) };
        let track = |rank: u32| self.members.get(rank as usize).copied().unwrap_or_default();
        exchange.sends.iter_mut().for_each(|(rank, _)| *rank = track(*rank));
        exchange.receives.iter_mut().for_each(|rank| *rank = track(*rank));
        Ok(Some(Act::Exchange(exchange)))
    }
}
