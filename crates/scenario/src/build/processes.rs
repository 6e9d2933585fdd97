//! The processes of several workloads of block requests: to a scheduler each is one of its own.

use petrio_colours::{BlockRequest, RequestId};
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_trace::ProcessNumbers;
use petrio_workload::{Due, RequestSource, SourceError, SourceItem};
use std::sync::{Arc, Mutex};

/// A workload whose processes have numbers that no other's have.
#[derive(Persist)]
struct Apart {
    source: Box<dyn RequestSource>,
    workload: usize,
    #[persist(inside)]
    numbers: Numbers,
}

/// The numbers of processes of several workloads, as they come.
pub(super) type Numbers = Arc<Mutex<ProcessNumbers>>;

/// Workloads with the processes of each apart from those of the others, and their numbers; one alone keeps its own.
pub(super) fn apart(sources: Vec<Box<dyn RequestSource>>) -> (Vec<Box<dyn RequestSource>>, Numbers) {
    let numbers = Arc::new(Mutex::new(ProcessNumbers::from(0)));
    if sources.len() < 2 {
        return (sources, numbers);
    }
    let apart = |(workload, source)| -> Box<dyn RequestSource> {
        Box::new(Apart { source, workload, numbers: Arc::clone(&numbers) })
    };
    (sources.into_iter().enumerate().map(apart).collect(), numbers)
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

    fn begin(&mut self, at: Time) -> Result<(), SourceError> {
        self.source.begin(at)
    }

    fn waits_for_others(&self) -> bool {
        self.source.waits_for_others()
    }

    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), SourceError> {
        self.source.submitted(id, now)
    }

    fn source_of(&self, id: RequestId) -> usize {
        self.source.source_of(id)
    }

    fn ended_process(&mut self) -> Option<u32> {
        self.source.ended_process()
    }

    fn has_ended(&mut self, source: usize) -> bool {
        self.source.has_ended(source)
    }
}
