//! The processes of several workloads of block requests: to a scheduler each is one of its own.

use petrio_colours::{BlockRequest, RequestId};
use petrio_kernel::Time;
use petrio_workload::{Due, RequestSource, SourceError, SourceItem};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

/// Numbers of processes, by workload and by what it calls them itself.
#[derive(Default)]
struct Numbers {
    of: BTreeMap<(usize, u32), u32>,
    taken: BTreeSet<u32>,
}

impl Numbers {
    /// The number of a process: its own, if no other workload's process has it, and else the lowest that is free.
    fn of(&mut self, workload: usize, own: u32) -> u32 {
        let Self { of, taken } = self;
        *of.entry((workload, own)).or_insert_with(|| {
            let number = if taken.contains(&own) {
                (0..u32::MAX).find(|number| !taken.contains(number)).unwrap_or(own)
            } else {
                own
            };
            taken.insert(number);
            number
        })
    }
}

/// A workload whose processes have numbers that no other's have.
struct Apart {
    source: Box<dyn RequestSource>,
    workload: usize,
    numbers: Arc<Mutex<Numbers>>,
}

/// Workloads with the processes of each apart from those of the others; one alone keeps its numbers.
pub(super) fn apart(sources: Vec<Box<dyn RequestSource>>) -> Vec<Box<dyn RequestSource>> {
    if sources.len() < 2 {
        return sources;
    }
    let numbers = Arc::new(Mutex::new(Numbers::default()));
    let apart = |(workload, source)| -> Box<dyn RequestSource> {
        Box::new(Apart { source, workload, numbers: Arc::clone(&numbers) })
    };
    sources.into_iter().enumerate().map(apart).collect()
}

impl RequestSource for Apart {
    fn due(&mut self) -> Result<Due, SourceError> {
        self.source.due()
    }

    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<BlockRequest>>, SourceError> {
        let mut item = self.source.issue(now)?;
        if let (Some(item), Ok(mut numbers)) = (&mut item, self.numbers.lock()) {
            item.request.process = numbers.of(self.workload, item.request.process);
        }
        Ok(item)
    }

    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        self.source.complete(id, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_of_two_workloads_never_share_a_number_and_keep_theirs_where_they_can() {
        let mut numbers = Numbers::default();
        let all = [(0, 0), (1, 0), (1, 1_001), (0, 1_001), (1, 0), (0, 1)]
            .map(|(workload, own)| numbers.of(workload, own));
        assert_eq!(all, [0, 1, 1_001, 2, 1, 3]);
    }
}
