//! What a network carries: the payloads of all messages that have been sent and that nobody has received, for sums that never
//! change.
//!
//! A message is a token where it waits or uses a processor, and lies in its last train, in the flow that it is, in an end of
//! TCP's connections until the other end has delivered it, or in what writes it into memory. What is one payload inside another
//! (an access to memory has what it says when it is done) counts as that.

use super::fluid::Flow;
use super::one_sided::Access;
use super::rendezvous::{Rendezvous, Word};
use super::tcp::{Delivered, Endpoints};
use super::train::Train;
use petrio_colours::{Message, Parcel};
use petrio_kernel::{Colour, PageBuilder, Sum};
use petrio_stage::processor::Work;
use std::sync::Arc;

/// What a payload counts.
type Counts = Arc<dyn Fn(&Parcel) -> i64 + Send + Sync>;

/// Adds what each payload of a type counts that a network of this net carries, or that lies as a message in any place.
#[must_use]
pub fn under_way<T: Colour>(sum: Sum, counts: impl Fn(&T) -> i64 + Send + Sync + 'static) -> Sum {
    let counts: Counts = Arc::new(move |payload: &Parcel| payload.get().map_or(0, &counts));
    let each = || {
        let counts = Arc::clone(&counts);
        move |message: &Message| of_payload(&message.payload, &*counts)
    };
    let (of_messages, of_work, of_trains, of_flows, of_words, of_streams) =
        (each(), each(), each(), each(), each(), each());
    sum.everywhere::<Box<Message>>(move |message| of_messages(message))
        .everywhere(move |work: &Work| work.errand::<Message>().map_or(0, &of_work))
        .everywhere::<Box<Train>>(move |train| train.own_message().map_or(0, &of_trains))
        .everywhere(move |flow: &Flow| flow.train.own_message().map_or(0, &of_flows))
        .everywhere(move |ends: &Rendezvous| ends.messages().map(&of_words).sum())
        .everywhere_given(
            |delivered: &mut Delivered, ends: &Endpoints| ends.note_delivered(delivered),
            move |delivered, ends| ends.undelivered(delivered).map(&of_streams).sum(),
        )
}

/// Declares that what some states of a net count is what others count and what is under way between them in payloads of a type: of
/// all such states and payloads, since a message doesn't say whose it is before it is heard.
pub fn conserve<P: Colour, A: Colour, B: Colour>(
    page: &mut PageBuilder<'_>,
    name: &str,
    payload: impl Fn(&P) -> u64 + Send + Sync + 'static,
    (all, arrived): (impl Fn(&A) -> u64 + Send + Sync + 'static, impl Fn(&B) -> u64 + Send + Sync + 'static),
) {
    let sum = under_way(Sum::new(), move |own| -Sum::count(payload(own)));
    let sum = sum.everywhere(move |state| Sum::count(all(state)));
    page.conserve_sum(name, sum.everywhere(move |state| -Sum::count(arrived(state))));
}

fn of_payload(payload: &Parcel, counts: &dyn Fn(&Parcel) -> i64) -> i64 {
    if let Some(access) = payload.get::<Access>() {
        return of_payload(&access.says, counts);
    }
    match payload.get::<Word>() {
        Some(Word::Whole { says, .. }) => of_payload(says, counts),
        Some(Word::Done { message, .. }) => of_payload(&message.payload, counts),
        Some(Word::Asks { .. } | Word::MayWrite(_) | Word::Written(_)) => 0,
        None => counts(payload),
    }
}
