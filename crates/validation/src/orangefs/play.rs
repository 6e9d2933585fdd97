//! An operation, played: its messages in their order.

use super::operations::{FILE, Played, Step};
use petrio_kernel::Time;
use petrio_models::cluster::pvfs::metadata::{
    COMPLETION, Client, DATA_HEADER, Known, Namespace, Operation, Rounds, Site, data_messages, relayed,
};
use petrio_models::cluster::pvfs::{PvfsParameters, Version};
use std::collections::BTreeMap;

/// What an operation sends.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Messages {
    /// Kinds of messages in the order of the first of each, `>` of the client and `<` to it, with how many.
    kinds: Vec<(String, u64)>,
    /// Bytes of the client, and to it.
    pub(super) bytes: (u64, u64),
    /// Messages that servers send each other, and their bytes.
    pub(super) between: (u64, u64),
}

impl Messages {
    fn note(&mut self, kind: &str, number: u64, bytes: u64) {
        let is_up = kind.starts_with('>');
        match self.kinds.iter_mut().find(|(known, _)| known == kind) {
            Some((_, times)) => *times += number,
            None => self.kinds.push((kind.to_owned(), number)),
        }
        let side = if is_up { &mut self.bytes.0 } else { &mut self.bytes.1 };
        *side += bytes;
    }

    /// Kinds, with how many.
    #[cfg(test)]
    pub(super) fn kinds(&self) -> impl Iterator<Item = (&str, u64)> {
        self.kinds.iter().map(|(kind, times)| (kind.as_str(), *times))
    }

    /// As the table writes it.
    pub(super) fn structure(&self) -> String {
        let words = self.kinds.iter().map(|(kind, times)| format!("{kind} x{times}"));
        words.collect::<Vec<_>>().join(" ")
    }

    fn rounds(&mut self, rounds: &Rounds) {
        for ask in rounds.iter().flatten() {
            let name = ask.kind.name();
            self.note(&format!(">{name}"), 1, ask.message.sent);
            self.note(&format!("<{name}_resp"), 1, ask.message.received);
            for (_, _, message) in relayed(ask) {
                self.between.0 += 2;
                self.between.1 += message.sent + message.received;
            }
        }
    }
}

/// A file system of so many servers as the tables' was: all with data and metadata, names of a directory on one.
pub(super) fn site(servers: u32, stuffing: bool) -> Option<Site> {
    let parameters = PvfsParameters { version: Version::Pvfs2, stuffing, ..PvfsParameters::default() };
    parameters.striping(servers).ok().map(|striping| parameters.metadata(striping))
}

/// A client, and what is where.
struct World<'p> {
    site: &'p Site,
    salt: u64,
    known: Known,
    names: Namespace,
}

impl World<'_> {
    fn ask(&mut self, operation: Operation) -> Rounds {
        let Self { site, salt, known, names } = self;
        Client { site, salt: *salt, known, names, now: Time::ZERO }.rounds(operation)
    }

    fn step(&mut self, step: Step, messages: &mut Messages) {
        match step {
            Step::Forgets => self.known = Known::default(),
            Step::Names(operation) => {
                let rounds = self.ask(operation);
                messages.rounds(&rounds);
            }
            Step::Moves { bytes, writes } => {
                let rounds = self.ask(Operation::Access { file: FILE, end: bytes, writes });
                messages.rounds(&rounds);
                self.data(bytes, writes, messages);
            }
        }
    }

    /// The data of an access from a stripe's begin on: with its requests where all its parts are small, in pieces behind them else.
    fn data(&self, bytes: u64, writes: bool, messages: &mut Messages) {
        let Site { striping, small, piece, .. } = *self.site;
        let files = u64::from(self.names.data_files(self.site, FILE));
        let parts: Vec<u64> =
            striping.turns(FILE, self.salt).parts(0, bytes).map(|part| part.length).collect();
        let most = if writes { small.0 } else { small.1 };
        let is_small = parts.iter().all(|part| *part <= most);
        let message = data_messages(files, is_small);
        for part in parts {
            let (up, down) = (message.sent, message.received);
            if is_small {
                messages.note(">SMALL_IO", 1, up + if writes { part } else { 0 });
                messages.note("<SMALL_IO_resp", 1, down + if writes { 0 } else { part });
                continue;
            }
            messages.note(">IO", 1, up);
            messages.note("<IO_resp", 1, down);
            let pieces = part.div_ceil(piece);
            let flow = if writes { ">FLOWDATA" } else { "<FLOWDATA" };
            messages.note(flow, pieces, part + DATA_HEADER * pieces);
            if writes {
                messages.note("<WRITE_COMPLETION_resp", 1, COMPLETION);
            }
        }
    }
}

/// How often objects are put onto servers: what comes out by where they lie, the commonest first.
const PLACINGS: u64 = 64;

/// What an operation sends, by where its objects lie, with how many of 64 placings each comes of; the commonest first.
pub(super) fn play(site: &Site, played: &Played) -> Vec<(Messages, u64)> {
    let mut outcomes: BTreeMap<Messages, u64> = BTreeMap::new();
    for salt in 0..PLACINGS {
        let mut client = World { site, salt, known: Known::default(), names: Namespace::default() };
        let mut before = Messages::default();
        played.before.iter().for_each(|step| client.step(*step, &mut before));
        let mut messages = Messages::default();
        played.counted.iter().for_each(|step| client.step(*step, &mut messages));
        *outcomes.entry(messages).or_default() += 1;
    }
    let mut outcomes: Vec<_> = outcomes.into_iter().collect();
    outcomes.sort_by_key(|(_, times)| std::cmp::Reverse(*times));
    outcomes
}
