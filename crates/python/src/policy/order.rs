//! In which order requests go to a device: `petrio.policies.Order`, by the contract of [`Elevator`].

use super::Asked;
use petrio_colours::{BlockRequest, Direction};
use petrio_kernel::Time;
use petrio_models::block::elevator::{Added, Elevator, IoRequest, Next, QueueLimits};
use petrio_models::block::scheduler::{OwnScheduler, Scheduler, SchedulerParameters};
use petrio_persist::Persist;
use pyo3::prelude::*;
use std::collections::VecDeque;
use std::sync::Arc;

pub(super) fn parameters(asked: Asked) -> SchedulerParameters {
    OwnScheduler { name: "a scheduler in Python", scheduler: Arc::new(Orders(asked)) }.into()
}

#[derive(Debug)]
struct Orders(Asked);

impl Scheduler for Orders {
    fn elevator(&self, _: &QueueLimits) -> Box<dyn Elevator> {
        // Where it can't be made, the run ends; until then, first come, first served.
        let asked = self.0.anew().unwrap_or_else(|| self.0.clone());
        Box::new(Ordered { asked, waiting: VecDeque::new(), next: 0 })
    }
}

/// A request, as Python sees it.
#[pyclass(frozen, get_all, name = "Request", module = "petrio._petrio")]
struct Waiting {
    /// Its number in this queue, from 0.
    number: u64,
    /// First byte on the device.
    offset: u64,
    /// Bytes.
    length: u64,
    /// Whether it writes.
    write: bool,
    /// Whether somebody waits for it.
    synchronous: bool,
    /// Who asked first.
    process: u32,
    /// When it came, seconds.
    came: f64,
}

#[pymethods]
impl Waiting {
    fn __repr__(&self) -> String {
        let Self { number, offset, length, write, .. } = self;
        let does = if *write { "writes" } else { "reads" };
        format!("Request({number}: {does} {length} bytes at {offset})")
    }

    /// It never changes: a copy of what knows it (a fork's) knows the same.
    fn __deepcopy__(own: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        own
    }
}

fn shown(number: u64, request: &IoRequest) -> Waiting {
    let sector = petrio_colours::SECTOR_BYTES;
    Waiting {
        number,
        offset: request.address * sector,
        length: u64::from(request.blocks) * sector,
        write: request.direction == Direction::Write,
        synchronous: request.synchronous,
        process: request.process,
        came: request.queued.as_seconds(),
    }
}

/// What waits is held here; Python knows it by its numbers.
#[derive(Persist)]
struct Ordered {
    #[persist(keep)]
    asked: Asked,
    waiting: VecDeque<(u64, IoRequest)>,
    next: u64,
}

/// A copy's decisions are its own.
impl Clone for Ordered {
    fn clone(&self) -> Self {
        let asked = self.asked.anew().unwrap_or_else(|| self.asked.clone());
        Self { asked, waiting: self.waiting.clone(), next: self.next }
    }
}

/// What Python says is to be done.
enum Said {
    Nothing,
    Until(f64),
    This(u64),
}

impl Elevator for Ordered {
    fn add(&mut self, request: BlockRequest, now: Time) -> Added {
        let (number, request) = (self.next, IoRequest::new(request, now));
        self.asked.ask(|_, of| of.call_method1("add", (shown(number, &request),)).map(|_| ()));
        self.waiting.push_back((number, request));
        self.next += 1;
        Added::Queued
    }

    fn would_merge(&self, _: &BlockRequest) -> bool {
        false
    }

    fn next(&mut self, now: Time) -> Next {
        if self.waiting.is_empty() {
            return Next::Empty;
        }
        let said = self.asked.ask(|_, of| {
            let said = of.call_method1("next", (now.as_seconds(),))?;
            if said.is_none() {
                Ok(Said::Nothing)
            } else if let Ok(request) = said.cast::<Waiting>() {
                Ok(Said::This(request.get().number))
            } else {
                Ok(Said::Until(said.extract()?))
            }
        });
        match said {
            Some(Said::Nothing) => Next::Empty,
            Some(Said::Until(time)) => Next::IdleUntil(Time::from_seconds(time.max(0.0)).max(now)),
            Some(Said::This(number)) => match self.waiting.iter().position(|(known, _)| *known == number) {
                Some(at) => self.take(at, now),
                None => {
                    self.asked.ask(|_, _| -> PyResult<()> {
                        let text = format!("next() gave request {number}, which doesn't wait any more");
                        Err(pyo3::exceptions::PyValueError::new_err(text))
                    });
                    self.take(0, now)
                }
            },
            // The run ends.
            None => self.take(0, now),
        }
    }

    fn completed(&mut self, request: &IoRequest, now: Time) {
        let number = request.note;
        self.asked.ask(|_, of| {
            of.call_method1("completed", (shown(number, request), now.as_seconds())).map(|_| ())
        });
    }

    fn waiting(&self) -> usize {
        self.waiting.len()
    }
}

impl Ordered {
    fn take(&mut self, at: usize, now: Time) -> Next {
        let Some((number, mut request)) = self.waiting.remove(at) else { return Next::Empty };
        request.dispatched = now;
        request.note = number;
        Next::Dispatch(request)
    }
}
