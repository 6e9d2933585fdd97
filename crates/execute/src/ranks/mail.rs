//! A rank's messages: which has come for it, and which of what it waits for is there. Times only; the data are the library's.
//!
//! Matched as MPI says (3.5 of the standard 4.1): of what was sent to a rank the first that fits, by the order of virtual time; of what
//! it has posted, likewise. Messages of two communicators are told apart, whatever their tags.

use petrio_time::Time;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Letter {
    pub(super) from: u32,
    pub(super) tag: u32,
    /// What tells its communicator from others, alike on all ranks of it.
    pub(super) context: u32,
    /// When it is with its receiver, once that is known.
    pub(super) comes: Option<Time>,
    /// Where a network carries it: its number among all that are under way, and when it was sent if it is a long one, which is sent
    /// only when its receiver is ready for it.
    pub(super) number: u64,
    pub(super) offered: Option<Time>,
}

impl Letter {
    /// When its receiver may know of it: of a long one as soon as it is offered.
    pub(super) fn seen(&self) -> Option<Time> {
        self.comes.or(self.offered)
    }
}

/// What is received: from whom, and with which tag; from whoever, with whichever, where none is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) from: Option<u32>,
    pub(super) tag: Option<u32>,
    pub(super) context: u32,
}

impl Pattern {
    fn fits(self, letter: &Letter) -> bool {
        self.context == letter.context
            && self.from.is_none_or(|from| from == letter.from)
            && self.tag.is_none_or(|tag| tag == letter.tag)
    }
}

/// What a rank has begun and may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Request {
    /// Nothing has come of it yet.
    Open,
    /// It is over at this time.
    Over(Time),
    /// A message; whether it could have been whoever's.
    Got(Letter, bool),
}

/// All of a rank.
#[derive(Debug, Default)]
pub(super) struct Mail {
    /// Messages that nobody has asked for yet, in the order in which they were sent.
    early: VecDeque<Letter>,
    posted: VecDeque<(Pattern, u64)>,
    requests: FxHashMap<u64, Request>,
    /// What receives from whoever have got, until the library says what it has given them.
    given: FxHashMap<u64, Letter>,
}

impl Mail {
    /// A message was sent to this rank; whether it is ready for it.
    pub(super) fn deliver(&mut self, letter: Letter) -> bool {
        let found = self.posted.iter().position(|(pattern, _)| pattern.fits(&letter));
        match found.and_then(|index| self.posted.remove(index)) {
            Some((pattern, number)) => {
                self.requests.insert(number, Request::Got(letter, pattern.from.is_none()));
                true
            }
            None => {
                self.early.push_back(letter);
                false
            }
        }
    }

    /// It is ready to receive; the message that it gets, if that was sent before.
    pub(super) fn post(&mut self, pattern: Pattern, number: u64) -> Option<Letter> {
        let found = self.early.iter().position(|letter| pattern.fits(letter));
        let found = found.and_then(|index| self.early.remove(index));
        let request = match found {
            Some(letter) => Request::Got(letter, pattern.from.is_none()),
            None => {
                self.posted.push_back((pattern, number));
                Request::Open
            }
        };
        self.requests.insert(number, request);
        found
    }

    /// A network has brought the message of this number.
    pub(super) fn comes(&mut self, number: u64, at: Time) {
        let of_requests = self.requests.values_mut().filter_map(|request| match request {
            Request::Got(letter, _) => Some(letter),
            _ => None,
        });
        let all = of_requests.chain(&mut self.early).chain(self.given.values_mut());
        for letter in all.filter(|letter| letter.number == number && letter.comes.is_none()) {
            letter.comes = Some(at);
        }
    }

    /// It has begun something else.
    pub(super) fn open(&mut self, number: u64) {
        self.requests.insert(number, Request::Open);
    }

    /// Which is over at this time.
    pub(super) fn close(&mut self, number: u64, at: Time) {
        self.requests.insert(number, Request::Over(at));
    }

    /// A message that is there for a pattern and that nobody has asked for.
    pub(super) fn probe(&self, pattern: Pattern) -> Option<Letter> {
        self.early.iter().find(|letter| pattern.fits(letter)).copied()
    }

    /// When a request is over, where that is known; at once, where nothing is known of it.
    pub(super) fn over(&self, number: u64) -> Option<Time> {
        match self.requests.get(&number) {
            None => Some(Time::ZERO),
            Some(Request::Open) => None,
            Some(Request::Over(at)) => Some(*at),
            Some(Request::Got(letter, _)) => letter.comes,
        }
    }

    /// It has been waited for: nobody asks for it again. The message, where it was one.
    pub(super) fn take(&mut self, number: u64) -> Option<Letter> {
        match self.requests.remove(&number) {
            Some(Request::Got(letter, of_whoever)) => {
                if of_whoever {
                    self.given.insert(number, letter);
                }
                Some(letter)
            }
            Some(Request::Open) => {
                self.posted.retain(|(_, other)| *other != number);
                None
            }
            _ => None,
        }
    }

    /// What the library has given to a receive from whoever: where that is another message than was thought, the two change places.
    /// That other one, if nobody was ready for it before.
    pub(super) fn correct(&mut self, number: u64, from: u32, tag: u32) -> Option<Letter> {
        let thought = self.given.remove(&number)?;
        if (thought.from, thought.tag) == (from, tag) {
            return None;
        }
        let real =
            |letter: &Letter| (letter.from, letter.tag, letter.context) == (from, tag, thought.context);
        if let Some(letter) = self.early.iter_mut().find(|letter| real(letter)) {
            return Some(std::mem::replace(letter, Letter { offered: None, ..thought }));
        }
        let mut numbers: Vec<u64> = self.requests.keys().copied().collect();
        numbers.sort_unstable();
        for number in numbers {
            if let Some(Request::Got(letter, true)) = self.requests.get_mut(&number)
                && real(letter)
            {
                *letter = thought;
                break;
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: Pattern = Pattern { from: None, tag: None, context: 0 };

    fn letter(from: u32, tag: u32, micros: u64) -> Letter {
        Letter { from, tag, context: 0, comes: Some(Time::from_micros(micros)), number: 0, offered: None }
    }

    #[test]
    fn a_receive_gets_the_first_message_that_fits_and_is_over_when_that_comes() {
        let mut mail = Mail::default();
        mail.deliver(letter(1, 7, 5));
        mail.deliver(letter(2, 7, 9));
        let wanted = Pattern { from: Some(2), tag: Some(7), context: 0 };
        assert_eq!(mail.probe(wanted), Some(letter(2, 7, 9)));
        mail.post(wanted, 1);
        mail.post(Pattern { from: None, tag: Some(8), context: 0 }, 2);
        assert_eq!((mail.over(1), mail.over(2)), (Some(Time::from_micros(9)), None));
        mail.deliver(letter(3, 8, 11));
        assert_eq!(mail.take(2), Some(letter(3, 8, 11)));
        assert_eq!(mail.probe(ANY), Some(letter(1, 7, 5)));
        assert_eq!(mail.over(99), Some(Time::ZERO));
    }

    #[test]
    fn messages_of_two_communicators_with_one_tag_are_told_apart() {
        let mut mail = Mail::default();
        let of = |context: u32, micros: u64| Letter { context, ..letter(1, 7, micros) };
        mail.deliver(of(0, 5));
        mail.deliver(of(9, 6));
        mail.post(Pattern { context: 9, ..ANY }, 1);
        assert_eq!(mail.take(1), Some(of(9, 6)));
        assert_eq!(mail.probe(Pattern { context: 9, ..ANY }), None);
        assert_eq!(mail.probe(ANY), Some(of(0, 5)));
    }

    #[test]
    fn where_the_library_has_given_another_message_the_two_change_places() {
        let mut mail = Mail::default();
        mail.post(ANY, 1);
        mail.deliver(letter(1, 0, 5));
        mail.deliver(letter(2, 0, 6));
        assert_eq!(mail.take(1), Some(letter(1, 0, 5)));
        mail.correct(1, 2, 0);
        mail.post(Pattern { from: Some(1), tag: Some(0), context: 0 }, 2);
        assert_eq!(mail.take(2), Some(letter(1, 0, 5)));
        assert_eq!(mail.probe(ANY), None);
    }

    #[test]
    fn what_a_network_carries_is_there_when_it_has_come_and_is_seen_when_it_is_offered() {
        let mut mail = Mail::default();
        let offered = Some(Time::from_micros(3));
        let carried = |number: u64| Letter { from: 1, tag: 7, context: 0, comes: None, number, offered };
        assert!(!mail.deliver(carried(4)));
        assert_eq!(mail.probe(ANY).and_then(|letter| letter.seen()), offered);
        assert_eq!(mail.post(ANY, 1), Some(carried(4)));
        mail.post(ANY, 2);
        assert!(mail.deliver(carried(5)));
        assert_eq!((mail.over(1), mail.over(2)), (None, None));
        mail.comes(5, Time::from_micros(9));
        assert_eq!((mail.over(1), mail.over(2)), (None, Some(Time::from_micros(9))));
    }

    #[test]
    fn what_nobody_waits_for_any_more_takes_no_message() {
        let mut mail = Mail::default();
        mail.post(ANY, 1);
        assert_eq!(mail.take(1), None);
        mail.deliver(letter(1, 0, 5));
        assert_eq!(mail.probe(ANY), Some(letter(1, 0, 5)));
    }
}
