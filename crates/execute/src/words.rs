//! Words that threads wait at (futex(2)): who waits at which stands here and not in the kernel, so that waiting takes virtual time and
//! whoever is woken goes on at the time of whoever wakes it.
//!
//! Left out: locks that lend their holder the waiter's priority (`FUTEX_LOCK_PI` and the like), which go to the kernel.

use crate::decide::GO_ON;
use crate::supervisor::{Supervisor, Verdict};
use crate::thread::{On, SharedPage, State, Wait, Word};
use petrio_intercept::{Answer, memory};
use petrio_time::Time;

const WAIT: u64 = 0;
const WAKE: u64 = 1;
const REQUEUE: u64 = 3;
const COMPARE_REQUEUE: u64 = 4;
const WAIT_BITS: u64 = 9;
const WAKE_BITS: u64 = 10;
/// Of no other process.
const PRIVATE: u64 = 128;
/// By the realtime clock.
const REALTIME: u64 = 256;
const NANOS: u64 = 1_000_000_000;

impl Supervisor {
    /// What becomes of a call about a word.
    pub(crate) fn of_word(&mut self, id: u32, a: &[u64; 6]) -> Verdict {
        let is_private = a[1] & PRIVATE != 0;
        let count = u32::try_from(a[2] & 0xffff_ffff).unwrap_or(0);
        match a[1] & !(PRIVATE | REALTIME) & 0xffff_ffff {
            command @ (WAIT | WAIT_BITS) => self.waits_at(id, a, (is_private, command == WAIT_BITS)),
            WAKE | WAKE_BITS => {
                let word = self.word(id, a[0], is_private);
                let woken = self.wakes(id, word, count);
                Verdict::Now(Answer::Value(i64::from(woken)))
            }
            command @ (REQUEUE | COMPARE_REQUEUE) => {
                if command == COMPARE_REQUEUE {
                    let expected = u32::try_from(a[5] & 0xffff_ffff).unwrap_or(0);
                    match memory::word(id, a[0]) {
                        Ok(value) if value == expected => {}
                        Ok(_) => return Verdict::Now(Answer::Error(libc::EAGAIN)),
                        Err(_) => return Verdict::Now(Answer::Error(libc::EFAULT)),
                    }
                }
                let (from, to) = (self.word(id, a[0], is_private), self.word(id, a[4], is_private));
                let woken = self.wakes(id, from, count);
                let moved = self.moves(from, to, u32::try_from(a[3] & 0xffff_ffff).unwrap_or(0));
                let told = if command == COMPARE_REQUEUE { woken + moved } else { woken };
                Verdict::Now(Answer::Value(i64::from(told)))
            }
            _ => GO_ON,
        }
    }

    fn waits_at(&mut self, id: u32, a: &[u64; 6], (is_private, is_absolute): (bool, bool)) -> Verdict {
        let expected = u32::try_from(a[2] & 0xffff_ffff).unwrap_or(0);
        match memory::word(id, a[0]) {
            Ok(value) if value == expected => {}
            Ok(_) => return Verdict::Now(Answer::Error(libc::EAGAIN)),
            Err(_) => return Verdict::Now(Answer::Error(libc::EFAULT)),
        }
        let clock = self.threads.get(&id).map_or(self.global, |thread| thread.clock);
        let until = if a[3] == 0 {
            None
        } else {
            let Ok([seconds, nanos]) = memory::words::<2>(id, a[3]) else {
                return Verdict::Now(Answer::Error(libc::EFAULT));
            };
            let span = if is_absolute {
                let began = if a[1] & REALTIME != 0 { self.began.0 } else { self.began.1 };
                let value = seconds.saturating_mul(NANOS).saturating_add(nanos).saturating_sub(began);
                crate::clocks::time(value / NANOS, value % NANOS).saturating_sub(clock)
            } else {
                crate::clocks::time(seconds, nanos)
            };
            Some(clock.saturating_add(span))
        };
        let word = self.word(id, a[0], is_private);
        Verdict::Wait(Wait {
            until,
            on: On::Word(word, expected),
            late: Answer::Error(libc::ETIMEDOUT),
            blocks: None,
        })
    }

    /// Wakes so many who wait at a word, those first who came first; how many there were.
    fn wakes(&mut self, by: u32, word: Word, most: u32) -> u32 {
        let at = self.threads.get(&by).map_or(Time::ZERO, |thread| thread.clock);
        let mut woken = 0;
        while woken < most {
            let Some(id) = self.words.get_mut(&word).and_then(std::collections::VecDeque::pop_front) else {
                break;
            };
            // What a killed thread's call would have been answered nobody hears.
            if self.wake(id, Answer::Value(0), at).is_ok() {
                woken += 1;
            }
        }
        if self.words.get(&word).is_some_and(std::collections::VecDeque::is_empty) {
            self.words.remove(&word);
        }
        woken
    }

    /// Lets so many wait at another word.
    fn moves(&mut self, from: Word, to: Word, most: u32) -> u32 {
        let mut moved = 0;
        while moved < most {
            let Some(id) = self.words.get_mut(&from).and_then(std::collections::VecDeque::pop_front) else {
                break;
            };
            if let Some(State::Waits(_, wait)) = self.threads.get_mut(&id).map(|thread| &mut thread.state)
                && let On::Word(word, _) = &mut wait.on
            {
                *word = to;
            }
            self.words.entry(to).or_default().push_back(id);
            moved += 1;
        }
        moved
    }

    /// Which word an address is: a process's own, or one in memory that several share.
    fn word(&mut self, id: u32, address: u64, is_private: bool) -> Word {
        let process = self.threads.get(&id).map_or(0, |thread| thread.process);
        if is_private {
            return Word::Own(process, address);
        }
        let page = address & !4_095;
        let shared = match self.shared_words.get(&(process, page)) {
            Some(known) => *known,
            None => {
                let found = std::fs::read_to_string(format!("/proc/{process}/maps"));
                let found = found.ok().and_then(|maps| shared_at(&maps, page));
                self.shared_words.insert((process, page), found);
                found
            }
        };
        match shared {
            Some((device, file, offset)) => Word::Shared(device, file, offset + (address - page)),
            None => Word::Own(process, address),
        }
    }
}

/// What file a page of shared memory is of, and where in it (proc(5), maps).
fn shared_at(maps: &str, page: u64) -> Option<SharedPage> {
    for line in maps.lines() {
        let mut words = line.split_whitespace();
        let (first, last) = words.next()?.split_once('-')?;
        let (first, last) = (u64::from_str_radix(first, 16).ok()?, u64::from_str_radix(last, 16).ok()?);
        if !(first..last).contains(&page) {
            continue;
        }
        let rights = words.next()?;
        let offset = u64::from_str_radix(words.next()?, 16).ok()?;
        let (major, minor) = words.next()?.split_once(':')?;
        let device = (u64::from_str_radix(major, 16).ok()? << 32) | u64::from_str_radix(minor, 16).ok()?;
        let file = words.next()?.parse().ok()?;
        return rights.ends_with('s').then_some((device, file, offset + (page - first)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_is_shared_is_known_by_its_file_and_one_that_is_not_is_the_processs_own() {
        let maps = "7f0000000000-7f0000002000 rw-s 00001000 00:05 77 /dev/zero (deleted)\n\
            7f0000002000-7f0000003000 rw-p 00000000 00:00 0\n";
        assert_eq!(shared_at(maps, 0x7f00_0000_1000), Some((5, 77, 0x2000)));
        assert_eq!(shared_at(maps, 0x7f00_0000_2000), None);
        assert_eq!(shared_at(maps, 0x1000), None);
    }
}
