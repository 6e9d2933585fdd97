//! Calls and replies as datagrams: a datagram longer than a frame is sent in fragments (RFC 791), and is lost where one of them is.
//!
//! A fragment has as many bytes of it as the MTU leaves behind IP's header, in whole units of eight; UDP's header is in the first. Nobody asks
//! for a fragment again: the whole datagram is sent again by whoever waits for an answer.

use super::message::{RECORD_MARK, Rpc};
use crate::address::Address;
use petrio_colours::{Message, Parcel, Verb};
use petrio_kernel::{PageBuilder, Place};
use petrio_network::Framing;
use petrio_persist::Persist;
use petrio_stage::MANY;
use petrio_units::numbers::{as_index, as_number};
use std::collections::BTreeMap;

/// Headers of IP version 4, and of UDP.
const IP: u64 = 20;
const UDP: u64 = 8;

/// A fragment of a datagram.
#[derive(Clone, Debug, Persist)]
pub(super) struct Part {
    /// The datagram, as its sender numbers them.
    datagram: u32,
    /// Of how many it is one.
    of: u32,
    /// What the datagram says, with the last of them; nothing with the others.
    says: Option<Parcel>,
}

/// How datagrams are cut on a network.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fragments {
    /// Bytes of a datagram in a fragment.
    each: u64,
    /// Headers that the network adds to each frame, of which IP's are a part.
    headers: u64,
}

impl Fragments {
    pub(super) fn on(framing: &Framing) -> Self {
        let headers = framing.packet_headers.get();
        let room = framing.mtu.get().saturating_sub(IP.max(headers)).max(8);
        // The network's frames have no more data than behind its own headers.
        let each = framing.mtu.get().saturating_sub(IP).max(room) / 8 * 8;
        Self { each, headers }
    }

    /// Bytes of each fragment's message, so that its frame is as long on the wire as the fragment is.
    fn lengths(self, bytes: u64) -> impl Iterator<Item = u64> {
        let all = bytes.saturating_sub(RECORD_MARK) + UDP;
        let count = all.div_ceil(self.each);
        (0..count).map(move |number| {
            let part = (all - number * self.each).min(self.each);
            (part + IP).saturating_sub(self.headers)
        })
    }

    /// The fragments of what a message says.
    fn cut(self, message: Message, datagram: u32) -> impl Iterator<Item = Message> {
        let Message { source, destination, connection, service, service_level, bytes, payload, .. } = message;
        let mut says = Some(payload);
        let lengths: Vec<u64> = self.lengths(bytes).collect();
        let of = as_number(lengths.len());
        lengths.into_iter().enumerate().map(move |(number, bytes)| {
            let is_last = number + 1 == as_index(of.into());
            let says = says.take_if(|_| is_last);
            let part = Rpc::Part(Part { datagram, of, says });
            let payload = Parcel::new(Box::new(part));
            let verb = Verb::Datagram;
            Message { source, destination, connection, service, service_level, verb, bytes, payload }
        })
    }
}

/// Where messages go that are to be datagrams, each of which is sent in fragments from there.
pub(super) fn sent_in_fragments(
    page: &mut PageBuilder<'_>,
    fragments: Fragments,
    send: Place<Box<Message>>,
) -> Place<Box<Message>> {
    let whole = page.fifo::<Box<Message>>("datagrams");
    let count = page.state("datagrams sent", 0u32);
    let mut cut = page.transition("fragment");
    let (message, count) = (cut.take(whole), cut.update(count));
    let put = cut.may_put(send, MANY);
    cut.action(move |f| {
        let message: Box<Message> = f.take(message);
        let number = f.update(count);
        *number = number.wrapping_add(1);
        let datagram = *number;
        for part in fragments.cut(*message, datagram) {
            f.put(put, Box::new(part));
        }
    });
    whole
}

/// Datagrams of which fragments have come, by who sends them: those of one sender on one connection come in order, so that one that isn't
/// complete when the next begins never will be.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Assembly(BTreeMap<(Address, u32), (u32, u32)>);

impl Assembly {
    /// A fragment comes; what its datagram says, if it is complete now.
    pub(super) fn arrive(&mut self, from: (Address, u32), part: Part) -> Option<Rpc> {
        let Part { datagram, of, says } = part;
        let says = says.and_then(Parcel::open::<Rpc>).map(|rpc| *rpc);
        if of == 1 {
            return says;
        }
        let (known, have) = self.0.entry(from).or_insert((datagram, 0));
        if *known != datagram {
            (*known, *have) = (datagram, 0);
        }
        *have += 1;
        says.filter(|_| *have == of)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::nfs::message::Reply;

    #[test]
    fn eight_kib_are_six_frames_of_ethernet() {
        let framing = Framing::default();
        let fragments = Fragments::on(&framing);
        assert_eq!(fragments.each, 1480);
        // READ's reply of version 2: 8 KiB and 96 bytes of headers, behind the mark that TCP alone has.
        let lengths: Vec<u64> = fragments.lengths(RECORD_MARK + 8_192 + 96).collect();
        assert_eq!(lengths.len(), 6);
        let on_wire: u64 = lengths.iter().map(|&bytes| framing.on_wire(bytes)).sum();
        assert_eq!(on_wire, 8_192 + 96 + UDP + 6 * (IP + 38));
    }

    #[test]
    fn a_datagram_that_lacks_a_fragment_is_lost_and_the_next_one_isnt() {
        let mut assembly = Assembly::default();
        let from = (Address { host: 1, service: 2 }, 3);
        let says = || Some(Parcel::new(Box::new(Rpc::Reply(Reply::nothing(7)))));
        let mut arrive = |datagram, says| assembly.arrive(from, Part { datagram, of: 3, says }).is_some();
        assert!(!arrive(1, None));
        assert!(!arrive(1, says()), "one of three is missing");
        assert!(!arrive(2, None));
        assert!(!arrive(2, None));
        assert!(arrive(2, says()));
    }
}
