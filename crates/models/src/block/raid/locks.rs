//! Who changes which stripe: one request after the other, in the order in which they came.

use crate::fast_map::FastMap;
use std::collections::VecDeque;

/// The stripes that are being changed, each with who waits for it.
#[derive(Clone, Debug, Default)]
pub(super) struct Locks {
    held: FastMap<u64, VecDeque<u32>>,
}

impl Locks {
    /// Asks for these stripes, all at once; how many of them others have. Who asks for some at once, and waits for each
    /// in its turn, never waits for one who waits for him.
    pub(super) fn ask(&mut self, stripes: &[u64], who: u32) -> u32 {
        let mut others = 0;
        for &stripe in stripes {
            match self.held.get_mut(&stripe) {
                Some(waiting) => {
                    waiting.push_back(who);
                    others += 1;
                }
                None => {
                    self.held.insert(stripe, VecDeque::new());
                }
            }
        }
        others
    }

    /// Gives these stripes back; `granted` hears who gets one.
    pub(super) fn give_back(&mut self, stripes: &[u64], mut granted: impl FnMut(u32)) {
        for &stripe in stripes {
            let Some(waiting) = self.held.get_mut(&stripe) else { continue };
            match waiting.pop_front() {
                Some(next) => granted(next),
                None => {
                    self.held.remove(&stripe);
                }
            }
        }
    }

    /// Whether nobody has any.
    #[cfg(test)]
    pub(super) fn are_free(&self) -> bool {
        self.held.is_empty()
    }
}
