//! Lists of stripe heads by number: each is on one of them at most, and can be taken off wherever it stands (`list_head` of the kernel).

use petrio_persist::Persist;
use petrio_units::numbers::as_number;

/// No stripe head.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug, Persist)]
struct Link {
    before: u32,
    after: u32,
    /// Which list it is on; [`NONE`] of none.
    list: u32,
}

/// Lists of the numbers of stripe heads.
#[derive(Clone, Debug, Persist)]
pub(super) struct Lists {
    links: Vec<Link>,
    /// First and last of each.
    ends: Vec<(u32, u32)>,
}

impl Lists {
    /// So many empty lists.
    pub(super) fn new(lists: usize) -> Self {
        Self { links: Vec::new(), ends: vec![(NONE, NONE); lists] }
    }

    /// There is one more stripe head, on no list.
    pub(super) fn grow(&mut self) {
        self.links.push(Link { before: NONE, after: NONE, list: NONE });
    }

    /// The first of a list.
    pub(super) fn first(&self, list: usize) -> Option<u32> {
        let (first, _) = self.ends[list];
        (first != NONE).then_some(first)
    }

    /// Which list it is on.
    pub(super) fn list_of(&self, number: u32) -> Option<usize> {
        let list = self.links[number as usize].list;
        (list != NONE).then_some(list as usize)
    }

    /// Puts one that is on no list at a list's end.
    pub(super) fn push(&mut self, list: usize, number: u32) {
        let (_, last) = self.ends[list];
        self.links[number as usize] = Link { before: last, after: NONE, list: as_number(list) };
        if last == NONE {
            self.ends[list].0 = number;
        } else {
            self.links[last as usize].after = number;
        }
        self.ends[list].1 = number;
    }

    /// Takes one off the list on which it is.
    pub(super) fn remove(&mut self, number: u32) {
        let Link { before, after, list } = self.links[number as usize];
        if list == NONE {
            return;
        }
        let ends = &mut self.ends[list as usize];
        if before == NONE {
            ends.0 = after;
        } else {
            self.links[before as usize].after = after;
        }
        if after == NONE {
            self.ends[list as usize].1 = before;
        } else {
            self.links[after as usize].before = before;
        }
        self.links[number as usize].list = NONE;
    }

    /// Takes the first one off a list.
    pub(super) fn pop(&mut self, list: usize) -> Option<u32> {
        let first = self.first(list)?;
        self.remove(first);
        Some(first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_off_in_the_middle_leaves_the_others_in_order() {
        let mut lists = Lists::new(2);
        (0..5).for_each(|_| lists.grow());
        (0..5).for_each(|number| lists.push(0, number));
        lists.remove(2);
        lists.remove(0);
        lists.remove(4);
        lists.push(1, 2);
        lists.push(0, 4);
        assert_eq!((lists.list_of(2), lists.list_of(0)), (Some(1), None));
        let order: Vec<_> = std::iter::from_fn(|| lists.pop(0)).collect();
        assert_eq!(order, [1, 3, 4]);
        assert_eq!((lists.pop(1), lists.pop(1)), (Some(2), None));
    }
}
