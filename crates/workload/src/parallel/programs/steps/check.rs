//! Steps that make sense for so many ranks, and the files that they are about.

use super::super::refuse;
use super::parameters::{Accesses, MessageParameters, StepFile, StepParameters, StepRate, StepsParameters};
use super::{File, StepsPlan};
use crate::parallel::act::Direction;
use crate::program::ProgramError;
use petrio_units::Bytes;

/// So often a measured repetition may come: each is kept, and told in the report.
const MEASURED_MAX: u64 = 10_000;

/// Of a message, and of what all ranks have together: more is nothing that a call of MPI or of a file system takes.
const BYTES_MAX: u128 = i64::MAX as u128;

impl StepsParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        "steps of its own".to_owned()
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<StepsPlan, ProgramError> {
        let mut checker =
            Checker { ranks, place: Vec::new(), times: 1, files: Vec::new(), measured: Vec::new() };
        checker.steps(&self.steps)?;
        let mut first = 0;
        for file in &mut checker.files {
            file.first = first;
            first += u64::from(file.states.files());
        }
        Ok(StepsPlan { parameters: self.clone(), ranks, files: checker.files })
    }
}

struct Checker {
    ranks: u32,
    /// Which step is looked at: its number among those that it stands with, after those of the steps that it stands in.
    place: Vec<usize>,
    /// How often it is gone through.
    times: u64,
    files: Vec<File>,
    /// What is measured so far: as what, what is counted of it, and whether its steps are being looked at.
    measured: Vec<(String, StepRate, bool)>,
}

impl Checker {
    fn refuse<T>(&self, step: &StepParameters, problem: impl AsRef<str>) -> Result<T, ProgramError> {
        let place: Vec<String> = self.place.iter().map(usize::to_string).collect();
        refuse("steps", format!("step {} ({}): {}", place.join("."), step.name(), problem.as_ref()))
    }

    fn steps(&mut self, steps: &[StepParameters]) -> Result<(), ProgramError> {
        if steps.is_empty() {
            return refuse("steps", "there are none; give one such as \"barrier\"");
        }
        for (number, step) in (1..).zip(steps) {
            self.place.push(number);
            self.step(step)?;
            self.place.pop();
        }
        Ok(())
    }

    fn step(&mut self, step: &StepParameters) -> Result<(), ProgramError> {
        match step {
            StepParameters::Compute(_) | StepParameters::Barrier | StepParameters::Fence => Ok(()),
            &StepParameters::Broadcast { bytes, root }
            | &StepParameters::Reduce { bytes, root }
            | &StepParameters::Gather { bytes, root }
            | &StepParameters::Scatter { bytes, root } => {
                self.rank(step, "root", root)?;
                self.bytes(step, bytes)
            }
            &StepParameters::AllReduce { bytes }
            | &StepParameters::AllGather { bytes }
            | &StepParameters::AllToAll { bytes } => self.bytes(step, bytes),
            StepParameters::Send(messages) => self.messages(step, messages),
            &StepParameters::Shift { by, bytes } => {
                if self.ranks > 1 && by.is_multiple_of(self.ranks) {
                    let problem = format!("by {by} of {} ranks each rank sends to itself", self.ranks);
                    return self.refuse(step, problem);
                }
                self.bytes(step, bytes)
            }
            &StepParameters::Pairs { distance, bytes } => {
                if distance == 0 {
                    return self.refuse(step, "`distance` is zero, and nobody is his own partner");
                }
                let has_partner = |rank: u32| rank ^ distance < self.ranks;
                if self.ranks > 1 && !(0..self.ranks).any(has_partner) {
                    let problem =
                        format!("no numbers of {} ranks differ by the bits of {distance}", self.ranks);
                    return self.refuse(step, problem);
                }
                self.bytes(step, bytes)
            }
            StepParameters::Halo { ranks, bytes, .. } => {
                let product = ranks.iter().try_fold(1u64, |product, &along| product.checked_mul(along));
                if product != Some(u64::from(self.ranks)) || ranks.len() != bytes.len() {
                    let problem = format!(
                        "`ranks` and `bytes` have a number for each dimension, and the product of `ranks` is {}",
                        self.ranks
                    );
                    return self.refuse(step, problem);
                }
                bytes.iter().try_for_each(|&bytes| self.bytes(step, bytes))
            }
            StepParameters::Put(_)
            | StepParameters::Get(_)
            | StepParameters::Accumulate(_)
            | StepParameters::FetchAndAdd(_) => self.accesses(step),
            StepParameters::Write(file) => self.file(step, file, Direction::Write),
            StepParameters::Read(file) => self.file(step, file, Direction::Read),
            StepParameters::Repeat { times, measure, steps, rate } => {
                self.repeat(step, (*times, steps), measure.as_deref().map(|name| (name, *rate)))
            }
        }
    }

    /// Messages between ranks that there are, and none to oneself.
    fn messages(
        &mut self,
        step: &StepParameters,
        messages: &[MessageParameters],
    ) -> Result<(), ProgramError> {
        if messages.is_empty() {
            return self.refuse(step, "there is no message");
        }
        for message in messages {
            self.rank(step, "from", message.from)?;
            self.rank(step, "to", message.to)?;
            if message.from == message.to {
                let problem = format!("rank {} sends to itself, for which it would wait", message.to);
                return self.refuse(step, problem);
            }
            if message.messages == 0 {
                return self.refuse(step, "`messages` is zero");
            }
            self.bytes(step, message.bytes)?;
        }
        Ok(())
    }

    /// Steps that are done several times, perhaps measured.
    fn repeat(
        &mut self,
        step: &StepParameters,
        (times, steps): (u64, &[StepParameters]),
        measure: Option<(&str, StepRate)>,
    ) -> Result<(), ProgramError> {
        if times == 0 {
            return self.refuse(step, "`times` is zero");
        }
        if measure.is_some() && self.times > MEASURED_MAX {
            let problem = format!(
                "it is measured {} times, each of which is kept: at most {MEASURED_MAX}; measure the steps \
                 around it instead",
                self.times
            );
            return self.refuse(step, problem);
        }
        let at = measure.map(|(name, rate)| self.measure(step, name, rate)).transpose()?;
        let before = self.times;
        self.times = before.saturating_mul(times);
        self.steps(steps)?;
        self.times = before;
        if let Some((.., is_open)) = at.and_then(|at| self.measured.get_mut(at)) {
            *is_open = false;
        }
        Ok(())
    }

    /// Memory of one rank, by one of two names, is accessed at least once.
    fn accesses(&self, step: &StepParameters) -> Result<(), ProgramError> {
        let Some(Accesses { to, by, remote, times }) = step.accesses() else { return Ok(()) };
        if to.is_some() == by.is_some() {
            return self.refuse(
                step,
                "either `to`, a rank, or `by`, how many ranks further, says whose memory it is",
            );
        }
        if times == 0 {
            return self.refuse(step, "`times` is zero");
        }
        if let Some(to) = to {
            self.rank(step, "to", to)?;
        }
        self.bytes(step, Bytes(remote.bytes().saturating_mul(times.into())))
    }

    /// What is measured under one name is one row of the report: of the same sort, and not a part of itself.
    fn measure(&mut self, step: &StepParameters, name: &str, rate: StepRate) -> Result<usize, ProgramError> {
        let known = self.measured.iter().position(|(known, ..)| known == name);
        let (at, (_, counted, is_open)) =
            match known.and_then(|at| Some((at, self.measured.get(at)?.clone()))) {
                Some(known) => known,
                None => {
                    self.measured.push((name.to_owned(), rate, true));
                    return Ok(self.measured.len() - 1);
                }
            };
        if is_open {
            return self.refuse(
                step,
                format!("steps around it are measured as {name:?}, too: give it another name"),
            );
        }
        if counted != rate {
            let problem =
                format!("of {name:?} something else is counted in a step before: give it another name");
            return self.refuse(step, problem);
        }
        if let Some((.., is_open)) = self.measured.get_mut(at) {
            *is_open = true;
        }
        Ok(at)
    }

    fn rank(&self, step: &StepParameters, what: &str, rank: u32) -> Result<(), ProgramError> {
        if rank < self.ranks {
            return Ok(());
        }
        self.refuse(step, format!("`{what}` is {rank}, and ranks are 0 to {}", self.ranks - 1))
    }

    fn bytes(&self, step: &StepParameters, bytes: Bytes) -> Result<(), ProgramError> {
        if u128::from(bytes.get()) * u128::from(self.ranks) <= BYTES_MAX {
            return Ok(());
        }
        self.refuse(step, format!("{bytes} of each of {} ranks are more than 8 EiB", self.ranks))
    }

    fn file(&mut self, step: &StepParameters, file: &StepFile, to: Direction) -> Result<(), ProgramError> {
        let states = match file.states(self.ranks).check("bytes") {
            Ok(states) => states,
            Err(ProgramError::Parameter { parameter, problem }) => {
                return self.refuse(step, format!("`{parameter}`: {problem}"));
            }
            Err(other) => return Err(other),
        };
        if file.fsync && to == Direction::Read {
            return self.refuse(step, "`fsync` is of what is written");
        }
        if file.file.is_empty() || file.file.contains(['/', '\0']) || file.file.starts_with('.') {
            let problem = format!("a file is called so that it lies in one directory, not {:?}", file.file);
            return self.refuse(step, problem);
        }
        match self.files.iter().find(|known| known.name == file.file) {
            None => {
                let is_there = to == Direction::Read;
                self.files.push(File { name: file.file.clone(), states, is_there, first: 0 });
                Ok(())
            }
            Some(known) if (known.states.layout, known.states.state) != (states.layout, states.state) => self
                .refuse(
                    step,
                    format!("\"{}\" has another layout or other bytes in a step before", file.file),
                ),
            Some(_) => Ok(()),
        }
    }
}
