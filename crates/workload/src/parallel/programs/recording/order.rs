//! Who has to wait for whom: threads for whoever made them, makers for their end, and whoever uses a name for whoever made it.
//!
//! What stands here are steps of tracks, in the order in which they were recorded: an edge leads from a step to a later one, so that no
//! tracks wait for each other for ever.

use std::collections::{BTreeMap, BTreeSet};

/// A track and a step of it.
pub(super) type Step = (u32, u32);

/// All edges.
#[derive(Default)]
pub(super) struct Order {
    /// From behind a step to before one.
    edges: BTreeSet<(Step, Step)>,
    begins: BTreeMap<u32, Step>,
    ends: Vec<(u32, Step)>,
    /// Of each file, the last step that changed its name or length, and the last that used it of each track since.
    changed: BTreeMap<u32, Step>,
    used: BTreeMap<u32, BTreeMap<u32, u32>>,
    /// Steps that are an edge's end though nothing is done at them.
    touched: BTreeSet<Step>,
}

/// What is added to a track's steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Added {
    /// Says a number to others of its volume, or waits until it was said.
    Say(u32),
    Hear(u32),
    /// The same for tracks of other volumes, which look now and then whether it was said.
    Tell(u32),
    Listen(u32),
}

/// What is added to a track: before a step, and behind it, by the step's number.
#[derive(Clone, Debug, Default)]
pub(super) struct Additions {
    pub(super) before: BTreeMap<u32, Vec<Added>>,
    pub(super) behind: BTreeMap<u32, Vec<Added>>,
}

impl Order {
    /// At a step a thread is made.
    pub(super) fn begins(&mut self, step: Step, child: u32) {
        self.begins.entry(child).or_insert(step);
        self.touched.insert(step);
    }

    /// At a step it is waited for the end of one.
    pub(super) fn ends(&mut self, child: u32, step: Step) {
        self.ends.push((child, step));
        self.touched.insert(step);
    }

    /// One step comes after another one of another track.
    pub(super) fn follows(&mut self, from: Step, to: Step) {
        self.edge(from, to);
        self.touched.extend([from, to]);
    }

    /// Whether something has to stand at a step.
    pub(super) fn touches(&self, track: u32, step: u32) -> bool {
        self.touched.contains(&(track, step))
    }

    fn edge(&mut self, from: Step, to: Step) {
        if from.0 != to.0 {
            self.edges.insert((from, to));
        }
    }

    /// A step uses a file.
    pub(super) fn uses(&mut self, file: u32, step: Step) {
        let used = self.used.entry(file).or_default();
        // Whoever has used it since it was changed has waited.
        if used.insert(step.0, step.1).is_none()
            && let Some(&changed) = self.changed.get(&file)
        {
            self.edge(changed, step);
        }
    }

    /// A step changes its name or length; `folder` is where it lies.
    pub(super) fn changes(&mut self, file: u32, step: Step, folder: Option<u32>) {
        self.uses(file, step);
        for (track, last) in self.used.remove(&file).unwrap_or_default() {
            self.edge((track, last), step);
        }
        self.changed.insert(file, step);
        if let Some(folder) = folder {
            self.uses(folder, step);
        }
    }

    /// What is added to each track for that; `kept` gives tracks their numbers in the program (none where it is left out), and
    /// `volumes` says on which each of those lies: a host and a file system there.
    pub(super) fn additions(
        &self,
        kept: &[Option<u32>],
        lengths: &[u32],
        volumes: &[(u32, u32)],
    ) -> Vec<Additions> {
        let mut additions = vec![Additions::default(); volumes.len()];
        let number = |track: u32| kept.get(track as usize).copied().flatten();
        let mut edges: Vec<(Step, Step)> = self.edges.iter().copied().collect();
        for (&child, &step) in &self.begins {
            edges.push((step, (child, 0)));
        }
        for &(child, step) in &self.ends {
            let length = lengths.get(child as usize).copied().unwrap_or(0);
            edges.push(((child, length.saturating_sub(1)), step));
        }
        let mut said: BTreeMap<Step, u32> = BTreeMap::new();
        for ((from, from_step), (to, to_step)) in edges {
            let (Some(from), Some(to)) = (number(from), number(to)) else { continue };
            let next = u32::try_from(said.len()).unwrap_or(u32::MAX);
            let number = *said.entry((from, from_step)).or_insert(next);
            let (teller, hearer) = if volumes[from as usize] == volumes[to as usize] {
                (Added::Say(number), Added::Hear(number))
            } else {
                (Added::Tell(number), Added::Listen(number))
            };
            let tellers = additions[from as usize].behind.entry(from_step).or_default();
            if !tellers.contains(&teller) {
                tellers.push(teller);
            }
            additions[to as usize].before.entry(to_step).or_default().push(hearer);
        }
        additions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_uses_a_name_waits_once_for_whoever_made_it() {
        let mut order = Order::default();
        order.changes(7, (0, 3), None);
        order.uses(7, (1, 0));
        order.uses(7, (1, 5));
        order.uses(7, (0, 4));
        order.changes(7, (2, 1), None);
        let kept = [Some(0), Some(1), Some(2)];
        let additions = order.additions(&kept, &[9, 9, 9], &[(0, 0); 3]);
        // Its maker, then its users, then whoever takes it away.
        assert_eq!(additions[0].behind.keys().copied().collect::<Vec<_>>(), [3, 4]);
        assert_eq!(additions[1].before[&0].len(), 1);
        assert!(!additions[1].before.contains_key(&5));
        assert_eq!(additions[2].before[&1].len(), 3);
    }

    #[test]
    fn tracks_of_other_volumes_are_told_otherwise() {
        let mut order = Order::default();
        order.begins((0, 2), 1);
        order.ends(1, (0, 4));
        let additions = order.additions(&[Some(0), Some(1)], &[5, 8], &[(0, 0), (1, 0)]);
        assert_eq!(additions[0].behind[&2], [Added::Tell(0)]);
        assert_eq!(additions[1].before[&0], [Added::Listen(0)]);
        assert_eq!(additions[1].behind[&7], [Added::Tell(1)]);
        assert_eq!(additions[0].before[&4], [Added::Listen(1)]);
    }
}
