//! Measures of traces: the numbers in them that a workload's distributions describe.

use super::numbers::room_for_more;
use super::{FitStudyError, Unit};
use petrio_files::inputs::Inputs;
use petrio_kernel::Time;
use petrio_trace::characterise::Gaps;
use petrio_trace::event::{Event, EventKind};
use petrio_trace::{EventReader, TraceOptions};
use std::path::Path;

/// What of a trace is fitted. Requests are the reads and writes of files where the trace has any, those of devices
/// otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// The length of a file at each of its opens.
    Size,
    /// The bytes of each request.
    Length,
    /// From the end of a process's request to the beginning of its next.
    Think,
    /// From one request's beginning to the next one's.
    InterArrival,
    /// From the beginning of each request to its end.
    Service,
}

impl Measure {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Size, Self::Length, Self::Think, Self::InterArrival, Self::Service];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Size => "size",
            Self::Length => "length",
            Self::Think => "think",
            Self::InterArrival => "inter-arrival",
            Self::Service => "service",
        }
    }

    /// What its values are.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Size => "file sizes",
            Self::Length => "request lengths",
            Self::Think => "think times",
            Self::InterArrival => "inter-arrival times",
            Self::Service => "service times",
        }
    }

    /// The key under which its distribution stands in a scenario.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Size | Self::Length => "size",
            Self::Think => "think",
            Self::InterArrival => "inter_arrival",
            Self::Service => "service",
        }
    }

    /// What it is measured in.
    pub const fn unit(self) -> Unit {
        match self {
            Self::Size | Self::Length => Unit::Bytes,
            Self::Think | Self::InterArrival | Self::Service => Unit::Time,
        }
    }

    /// Its values in a trace, in bytes or seconds, in the order of the trace. Memory grows with their number.
    ///
    /// # Errors
    /// What is wrong with the trace, and where.
    pub fn of_trace(
        self,
        inputs: &Inputs,
        path: &Path,
        options: &TraceOptions,
    ) -> Result<Vec<f64>, FitStudyError> {
        let name = path.to_string_lossy();
        let mut levels = [Level::default(), Level::default()];
        for event in EventReader::open_in(inputs, path, options).map_err(Box::new)? {
            let event = event.map_err(Box::new)?;
            let level = match event.kind {
                EventKind::Read | EventKind::Write => &mut levels[0],
                EventKind::Queue => &mut levels[1],
                EventKind::Open | EventKind::Create if self == Self::Size => {
                    levels[0].values.extend(event.size.map(|size| size as f64));
                    continue;
                }
                _ => continue,
            };
            if event.error == 0 {
                let before = level.values.len();
                level.add(self, &event);
                if level.values.len() > before {
                    room_for_more(&name, before)?;
                }
            }
        }
        let [files, devices] = levels;
        Ok(if files.values.is_empty() { devices.values } else { files.values })
    }
}

/// The values of one level: files, or devices.
#[derive(Default)]
struct Level {
    gaps: Gaps,
    values: Vec<f64>,
}

impl Level {
    fn add(&mut self, measure: Measure, event: &Event) {
        // Without processes a device's requests count as one initiator's; a file's have no think time.
        let known = event.process != 0 || event.kind.is_of_device();
        let gap = self.gaps.next(event.time, event.service, known.then_some(event.process));
        self.values.extend(match measure {
            Measure::Size => None,
            Measure::Length => Some(event.length as f64),
            Measure::Think => gap.think.map(Time::as_seconds),
            Measure::InterArrival => gap.inter_arrival.map(Time::as_seconds),
            Measure::Service => event.service.map(Time::as_seconds),
        });
    }
}
