//! A host's ends of its connections: what each sends, what it receives, and when it must be woken.

use super::super::topology::{Way, Wiring};
use super::super::train::{Came, Stream, Train};
use super::receiver::{Answer, Receiver};
use super::sender::Sender;
use super::{Rules, Segment};
use petrio_colours::{Message, Verb};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use petrio_units::numbers::{as_index, as_number};
use smallvec::SmallVec;
use std::sync::Arc;

/// One end of a connection. Its stream is the one that it sends.
#[derive(Clone, Debug, Persist)]
struct Endpoint {
    way: Way,
    sender: Sender<Box<Message>>,
    receiver: Receiver<Box<Message>>,
    /// When it is woken next, and which waking that is: those before are stale.
    alarm: Option<Time>,
    generation: u32,
}

/// How much of each stream of each network its receiver has delivered.
pub(in super::super) type Delivered = FastMap<(usize, Stream), u64>;

/// All ends of connections at a host.
#[derive(Clone, Debug, Persist)]
pub(in super::super) struct Endpoints {
    /// Which network's.
    network: usize,
    rules: Arc<Rules>,
    wiring: Arc<Wiring>,
    streams: FastMap<Stream, Endpoint>,
}

/// Wakes an end of a connection, unless another waking has taken its place.
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Waking {
    stream: Stream,
    generation: u32,
}

/// What comes of it.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// Frames to be sent, in order.
    pub(super) frames: SmallVec<[Train; 4]>,
    /// Messages that are complete, in order.
    pub(super) delivered: SmallVec<[Box<Message>; 2]>,
    /// When to wake the end of the connection.
    pub(super) waking: Option<(Waking, Time)>,
}

impl Endpoints {
    pub(super) fn new(rules: Rules, wiring: &Arc<Wiring>, network: usize) -> Self {
        Self { network, rules: Arc::new(rules), wiring: Arc::clone(wiring), streams: FastMap::default() }
    }

    /// Adds how much these ends have delivered of what is sent to them.
    pub(in super::super) fn note_delivered(&self, delivered: &mut Delivered) {
        for (stream, endpoint) in &self.streams {
            delivered.insert((self.network, stream.back()), endpoint.receiver.delivered());
        }
    }

    /// Messages that these ends have been given to send and that the other ends haven't delivered.
    pub(in super::super) fn undelivered<'e>(
        &'e self,
        delivered: &'e Delivered,
    ) -> impl Iterator<Item = &'e Message> {
        self.streams.iter().flat_map(|(stream, endpoint)| {
            let up_to = delivered.get(&(self.network, *stream)).copied().unwrap_or(0);
            endpoint.sender.messages_after(up_to).map(|message| &**message)
        })
    }

    fn endpoint(&mut self, stream: Stream) -> (&mut Endpoint, &Rules) {
        let Self { rules, wiring, streams, .. } = self;
        let endpoint = streams.entry(stream).or_insert_with(|| Endpoint {
            way: wiring.way(stream.source, stream.destination, stream.spread(), &|_| 0),
            sender: Sender::new(rules),
            receiver: Receiver::default(),
            alarm: None,
            generation: 0,
        });
        (endpoint, rules)
    }

    /// A message is to be sent, of so many bytes with what its transport adds.
    pub(super) fn send(&mut self, message: Box<Message>, bytes: u64, now: Time) -> Outcome {
        let stream = Stream::of(&message);
        if message.verb == Verb::Datagram {
            return self.datagram(message, bytes);
        }
        let (endpoint, rules) = self.endpoint(stream);
        endpoint.sender.push(bytes, message, now, rules);
        let mut outcome = Outcome::default();
        endpoint.go_on(stream, Answer::Later, now, rules, &mut outcome);
        outcome
    }

    /// What TCP knows nothing of goes as it is.
    fn datagram(&self, message: Box<Message>, bytes: u64) -> Outcome {
        let stream = Stream::of(&message);
        let way = self.wiring.way(stream.source, stream.destination, stream.spread(), &|_| 0);
        let bytes = as_number(as_index(bytes.min(self.rules.segment)));
        let frame = frame(way, stream, (bytes, Segment::default()), Some(message));
        let mut outcome = Outcome::default();
        outcome.frames.push(frame);
        outcome
    }

    /// A frame arrives.
    pub(super) fn arrive(&mut self, mut frame: Train, now: Time) -> Outcome {
        if let Some(message) = frame.message.take_if(|message| message.verb == Verb::Datagram) {
            let mut outcome = Outcome::default();
            outcome.delivered.push(message);
            return outcome;
        }
        let stream = frame.stream.back();
        let (endpoint, rules) = self.endpoint(stream);
        let Segment { from, length, acknowledges } = frame.segment;
        let mut outcome = Outcome::default();
        endpoint.sender.acknowledge(acknowledges, length == 0, now, rules);
        let answer = if length == 0 {
            Answer::Later
        } else {
            let deliver = |message| outcome.delivered.push(message);
            endpoint.receiver.arrive((from, length), frame.message, now, rules, deliver)
        };
        endpoint.go_on(stream, answer, now, rules, &mut outcome);
        outcome
    }

    /// The end of a connection is woken.
    pub(super) fn wake(&mut self, waking: Waking, now: Time) -> Outcome {
        let mut outcome = Outcome::default();
        let (endpoint, rules) = self.endpoint(waking.stream);
        if endpoint.generation != waking.generation {
            return outcome;
        }
        endpoint.alarm = None;
        if endpoint.sender.deadline().is_some_and(|deadline| deadline <= now) {
            endpoint.sender.time_out(now, rules);
        }
        let is_due = endpoint.receiver.due().is_some_and(|due| due <= now);
        let answer = if is_due { Answer::Now } else { Answer::Later };
        endpoint.go_on(waking.stream, answer, now, rules, &mut outcome);
        outcome
    }
}

impl Endpoint {
    /// Sends what may be sent, and looks when something is to be done next.
    fn go_on(&mut self, stream: Stream, answer: Answer, now: Time, rules: &Rules, outcome: &mut Outcome) {
        let way = self.way;
        let frame = |bytes, segment, message| frame(way, stream, (bytes, segment), message);
        let bare = |acknowledges| frame(0, Segment { acknowledges, ..Segment::default() }, None);
        let mut is_answered = answer == Answer::Later;
        if answer == Answer::Alone {
            outcome.frames.push(bare(self.receiver.acknowledge()));
            is_answered = true;
        }
        while let Some(next) = self.sender.next_segment(now, rules) {
            let acknowledges = self.receiver.acknowledge();
            let segment = Segment { from: next.from, length: next.length, acknowledges };
            outcome.frames.push(frame(next.bytes, segment, next.message));
            is_answered = true;
        }
        if !is_answered {
            outcome.frames.push(bare(self.receiver.acknowledge()));
        }
        // A deadline that moves on, as most do, is found when the waking for the old one comes.
        let next = [self.sender.deadline(), self.receiver.due()].into_iter().flatten().min();
        if let Some(next) = next.filter(|&next| self.alarm.is_none_or(|alarm| next < alarm)) {
            self.alarm = Some(next);
            self.generation = self.generation.wrapping_add(1);
            let waking = Waking { stream, generation: self.generation };
            outcome.waking = Some((waking, next.saturating_sub(now)));
        }
    }
}

/// A frame of so many bytes of data, with what TCP says in it.
fn frame(way: Way, stream: Stream, (bytes, segment): (u32, Segment), message: Option<Box<Message>>) -> Train {
    let (spread, came) = (Time::ZERO, Came::BY_NONE);
    Train { bytes, way, stream, spread, asks: 0, level: 0, lane: 0, came, segment, message }
}
