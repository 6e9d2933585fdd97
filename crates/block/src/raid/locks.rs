//! Who changes which stripe: one request after the other, in the order in which they came. Pieces of one rebuild change rows of their
//! own, and have a stripe together.

use petrio_persist::Persist;
use petrio_stage::fast_map::FastMap;
use std::collections::VecDeque;

/// Who asks for stripes: a request by its slot, and of which rebuild it is; 0 of none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
pub(super) struct Asker {
    pub(super) slot: u32,
    pub(super) job: u32,
}

/// A stripe that is being changed: of which rebuild those are that do it, how many, and who waits.
#[derive(Clone, Debug, Persist)]
struct Held {
    job: u32,
    holders: u32,
    waiting: VecDeque<Asker>,
}

/// The stripes that are being changed, each with who waits for it.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Locks {
    held: FastMap<u64, Held>,
}

impl Locks {
    /// Asks for these stripes, all at once; how many of them others have. Who asks for some at once, and waits for each
    /// in its turn, never waits for one who waits for him.
    pub(super) fn ask(&mut self, stripes: &[u64], who: Asker) -> u32 {
        let mut others = 0;
        for &stripe in stripes {
            match self.held.get_mut(&stripe) {
                Some(held) if who.job != 0 && held.job == who.job && held.waiting.is_empty() => {
                    held.holders += 1;
                }
                Some(held) => {
                    held.waiting.push_back(who);
                    others += 1;
                }
                None => {
                    self.held.insert(stripe, Held { job: who.job, holders: 1, waiting: VecDeque::new() });
                }
            }
        }
        others
    }

    /// Gives these stripes back; `granted` hears who gets one.
    pub(super) fn give_back(&mut self, stripes: &[u64], mut granted: impl FnMut(u32)) {
        for &stripe in stripes {
            let Some(held) = self.held.get_mut(&stripe) else { continue };
            held.holders -= 1;
            if held.holders > 0 {
                continue;
            }
            let Some(next) = held.waiting.pop_front() else {
                self.held.remove(&stripe);
                continue;
            };
            (held.job, held.holders) = (next.job, 1);
            granted(next.slot);
            while held.job != 0 && held.waiting.front().is_some_and(|waits| waits.job == held.job) {
                let Some(next) = held.waiting.pop_front() else { break };
                held.holders += 1;
                granted(next.slot);
            }
        }
    }

    /// Whether nobody has any.
    #[cfg(test)]
    pub(super) fn are_free(&self) -> bool {
        self.held.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_of_one_rebuild_have_a_stripe_together_unless_somebody_waits() {
        let mut locks = Locks::default();
        let (alone, piece) = (|slot| Asker { slot, job: 0 }, |slot| Asker { slot, job: 7 });
        assert_eq!(locks.ask(&[1], piece(0)), 0);
        assert_eq!(locks.ask(&[1], piece(1)), 0);
        assert_eq!(locks.ask(&[1, 2], alone(2)), 1);
        // Who comes later doesn't go before.
        assert_eq!(locks.ask(&[1], piece(3)), 1);
        assert_eq!(locks.ask(&[1], piece(4)), 1);
        assert_eq!(locks.ask(&[1], Asker { slot: 5, job: 8 }), 1);
        let mut granted = Vec::new();
        locks.give_back(&[1], |slot| granted.push(slot));
        assert!(granted.is_empty(), "the other piece has it still");
        locks.give_back(&[1], |slot| granted.push(slot));
        assert_eq!(granted, [2]);
        locks.give_back(&[1, 2], |slot| granted.push(slot));
        assert_eq!(granted, [2, 3, 4]);
        locks.give_back(&[1], |slot| granted.push(slot));
        locks.give_back(&[1], |slot| granted.push(slot));
        assert_eq!(granted, [2, 3, 4, 5]);
        locks.give_back(&[1], |slot| granted.push(slot));
        assert!(locks.are_free());
    }
}
