//! A stream of messages: each sender has one receiver, and keeps so many messages under way.
//!
//! ```text
//!  ranks        0        1     …   n/2 − 1
//!               │        │            │        messages of one size, `in_flight` of them at a time
//!               ▼        ▼            ▼
//!              n/2    n/2 + 1   …   n − 1
//! ```
//!
//! It is what network benchmarks do (fio's engines `net` and `rdma`, iperf, ib_write_bw). A message is an access to the receiver's
//! memory, over when its sender hears so: over InfiniBand adapters carry it, over TCP the receiver's processors do. So TCP's window is
//! `in_flight`, and its acknowledgements one for each message. With `ping_pong` each message is answered by one as long.
//! Left out: what a receiver does with what it has got, lost messages beyond what the network itself loses.

use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::files::ProgramFile;
use crate::program::{PhaseName, ProgramError};
use petrio_colours::{Exchange, Remote};
use petrio_persist::Persist;
use petrio_time::Time;
use petrio_units::{Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// So many messages of a sender are under way; more are a mistake.
const IN_FLIGHT_MAX: u32 = 1 << 16;

/// Messages of one size from the first half of the ranks to the second one, each to one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StreamParameters {
    /// Of each message.
    pub bytes: Bytes,
    /// Of all messages of a sender; the last one is shorter where it must be.
    pub total: Bytes,
    /// So many messages of a sender are under way at a time.
    #[serde(default = "one")]
    pub in_flight: u32,
    /// Whether senders write to their receivers' memory or read from it.
    #[serde(default)]
    pub verb: StreamVerb,
    /// Whether each message is answered by one as long before the next one; one is under way at a time then.
    #[serde(default)]
    pub ping_pong: bool,
    /// After so long a sender ends, whatever it has moved. Not with `ping_pong`, whose receivers couldn't know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub duration: Option<Duration>,
}

/// Which way the bytes go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StreamVerb {
    /// To the receiver: a send, or RDMA WRITE.
    #[default]
    Write,
    /// From it, without its doing anything: RDMA READ.
    Read,
}

const fn one() -> u32 {
    1
}

impl StreamParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        let how = if self.ping_pong { ", each answered" } else { "" };
        format!("messages of {}{how}", self.bytes)
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<StreamPlan, ProgramError> {
        if !ranks.is_multiple_of(2) {
            return refuse("ranks", "each sender has a receiver: an even number is needed");
        }
        for (parameter, number) in [("bytes", self.bytes.get()), ("total", self.total.get())] {
            if number == 0 {
                return refuse(parameter, "it is zero");
            }
        }
        if !(1..=IN_FLIGHT_MAX).contains(&self.in_flight) {
            return refuse(
                "in_flight",
                format!("it is {}, and 1 to {IN_FLIGHT_MAX} are possible", self.in_flight),
            );
        }
        if self.ping_pong && (self.verb == StreamVerb::Read || self.in_flight > 1) {
            return refuse("ping_pong", "what is answered is written, and is one message at a time");
        }
        if self.ping_pong && self.duration.is_some() {
            return refuse("duration", "a receiver that answers couldn't know when it is over: leave it out");
        }
        Ok(StreamPlan { parameters: self.clone(), pairs: ranks / 2 })
    }
}

/// Such a program for so many pairs of ranks.
pub(in crate::parallel) struct StreamPlan {
    parameters: StreamParameters,
    pairs: u32,
}

impl Planned for StreamPlan {
    fn files(&self) -> u64 {
        0
    }

    fn each_file(
        &self,
        _tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        Ok(())
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let rank = start.member.rank;
        let sends = rank < self.pairs;
        let peer = if sends { rank + self.pairs } else { rank - self.pairs };
        let left = if sends || self.parameters.ping_pong { self.parameters.total.get() } else { 0 };
        Ok(AnyActs::from(StreamRank { plan: self, sends, peer, moved: 0, left, began: None, messages: 0 }))
    }
}

/// One end of a stream.
#[derive(Persist)]
pub(in crate::parallel) struct StreamRank {
    #[persist(shared)]
    plan: Arc<StreamPlan>,
    sends: bool,
    peer: u32,
    /// Bytes that it has asked to be moved, and those that it still has to ask for.
    moved: u64,
    left: u64,
    began: Option<Time>,
    messages: u64,
}

impl StreamRank {
    /// As what the stream is measured.
    fn phase(&self) -> PhaseName {
        let name = match self.plan.parameters.verb {
            _ if self.plan.parameters.ping_pong => "messages answered",
            StreamVerb::Write => "messages written",
            StreamVerb::Read => "messages read",
        };
        PhaseName::of_bytes(name, 0)
    }

    /// A message of so many bytes, and the wait for what must follow it.
    fn message(&self, bytes: u64) -> Act {
        let StreamParameters { in_flight, verb, ping_pong, .. } = self.plan.parameters;
        if ping_pong {
            let send = Act::Exchange(Exchange { sends: vec![(self.peer, bytes)], ..Exchange::default() });
            let receive = Act::Exchange(Exchange { receives: vec![self.peer], ..Exchange::default() });
            return Sequence::act(if self.sends { [send, receive] } else { [receive, send] });
        }
        let remote = match verb {
            StreamVerb::Write => Remote::Put(bytes),
            StreamVerb::Read => Remote::Get(bytes),
        };
        let access = Exchange { remote: vec![(self.peer, remote)], ..Exchange::default() };
        Sequence::act([Act::Post(access), Act::AwaitRoom(in_flight)])
    }
}

impl Acts for StreamRank {
    fn next(&mut self, now: Time) -> Result<Option<Act>, ProgramError> {
        let begins = self.began.is_none();
        let began = *self.began.get_or_insert(now);
        let is_over =
            self.plan.parameters.duration.is_some_and(|most| now.saturating_sub(began) >= most.time());
        if is_over {
            self.left = 0;
        }
        let bytes = self.left.min(self.plan.parameters.bytes.get());
        if bytes == 0 {
            let (moved, messages) = (std::mem::take(&mut self.moved), std::mem::take(&mut self.messages));
            if moved == 0 || !self.sends {
                return Ok(None);
            }
            let over = [Act::AwaitAll, Act::did(self.phase(), moved, messages), Act::end(self.phase())];
            return Ok(Some(Sequence::act(over)));
        }
        self.left -= bytes;
        self.moved += bytes;
        self.messages += 1;
        let message = self.message(bytes);
        Ok(Some(match begins && self.sends {
            true => Sequence::act([Act::begin(self.phase()), message]),
            false => message,
        }))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use crate::parallel::ParallelParameters;
    use crate::parallel::testing::{carry_out, planned};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn each_sender_moves_all_of_its_bytes(
            pairs in 1u32..5,
            bytes in 1u64..100_000,
            total in 1u64..1_000_000,
            in_flight in 1u32..20,
            verb in proptest::sample::select(vec!["write", "read"]),
        ) {
            let program = format!(
                r#"{{ "kind": "stream", "bytes": "{bytes} B", "total": "{total} B", "in_flight": {in_flight}, "verb": "{verb}" }}"#
            );
            let done = carry_out(&planned(&program, &vec![0; 2 * pairs as usize]));
            let messages = total.div_ceil(bytes);
            let (first, second) = done.exchanges.split_at(pairs as usize);
            prop_assert!(first.iter().all(|exchanges| *exchanges == messages));
            prop_assert!(second.iter().all(|exchanges| *exchanges == 0));
            let amount = done.phases[0].amount;
            prop_assert_eq!((amount.bytes, amount.operations), (total * u64::from(pairs), messages * u64::from(pairs)));
        }

        #[test]
        fn what_is_answered_goes_both_ways(bytes in 1u64..100_000, total in 1u64..1_000_000) {
            let program = format!(
                r#"{{ "kind": "stream", "bytes": "{bytes} B", "total": "{total} B", "ping_pong": true }}"#
            );
            let done = carry_out(&planned(&program, &[0, 1]));
            prop_assert_eq!(&done.sent, &vec![total, total]);
            prop_assert_eq!(done.phases[0].amount.bytes, total);
        }
    }

    #[test]
    fn what_can_t_be_a_stream_is_refused_by_its_key() {
        let refused = |ranks: u32, more: &str| {
            let text = format!(
                r#"{{ "ranks": {ranks}, "program": {{ "kind": "stream", "bytes": "4 KiB", "total": "1 MiB"{more} }} }}"#
            );
            let parameters: ParallelParameters = serde_json::from_str(&text).unwrap();
            parameters.validate().unwrap_err().to_string()
        };
        assert!(refused(3, "").contains("ranks"));
        assert!(refused(2, r#", "in_flight": 0"#).contains("in_flight"));
        assert!(refused(2, r#", "ping_pong": true, "in_flight": 2"#).contains("ping_pong"));
        assert!(refused(2, r#", "ping_pong": true, "duration": "1 s""#).contains("duration"));
    }
}
