//! Training of a neural network: accelerators that compute steps on batches of samples, and the readers that bring these.
//!
//! ```text
//!  reader: open, read samples, close ─ batch ready ─▶ accelerator: step ─ (gradients summed over all) ─ step ─ …
//!     ▲                                                   │
//!     └── may go on: so many batches lie ready at most ───┘          all wait for each other after an epoch
//! ```
//!
//! Ranks come in groups of one accelerator and its readers, in this order, which have one memory: what passes between them is a
//! message without bytes. In each epoch the files are shuffled anew; their samples, in this order, are cut into one part for each
//! accelerator, and that into batches, which its readers take in turn. What is left over of a part is dropped.
//!
//! Source: the three models of MLPerf Storage 1.0 (its configurations of DLIO for an H100: `unet3d_h100`, `resnet50_h100`,
//! `cosmoflow_h100`), and PyTorch's DataLoader (`prefetch_factor` 2).
//! Left out: decoding what was read, checkpoints, evaluation. The sizes of the files are drawn once and are the same in all runs.

pub(in crate::parallel) mod samples;

use self::samples::Samples;
use super::{Planned, Start, refuse};
use crate::parallel::act::{Act, Acts, Sequence};
use crate::parallel::all_acts::AnyActs;
use crate::parallel::collective::{Collective, Group, Rounds};
use crate::parallel::files::ProgramFile;
use crate::parallel::member::Member;
use crate::permutation::Permutation;
use crate::program::{PhaseName, ProgramError, Word, WorkDone};
use petrio_colours::{Exchange, FileId};
use petrio_distribution::{Distribution, Draw, DrawFamily};
use petrio_persist::Persist;
use petrio_random::finish;
use petrio_random::{generator, uniform_below};
use petrio_time::Time;
use petrio_units::numbers::{as_number, whole_part};
use petrio_units::{Amount, Bytes, Duration};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Training: accelerators compute on batches that their readers bring. The number of ranks is that of the accelerators, each with
/// its readers: a multiple of `readers` + 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrainingParameters {
    /// Whose figures hold where nothing else is said (MLPerf Storage 1.0, H100).
    pub model: TrainingModel,
    /// Files of the data set: 168 (unet3d), 1024 (resnet50), 524,288 (cosmoflow).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub files: Option<u32>,
    /// Samples in each file: 1, 1251, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples_per_file: Option<u32>,
    /// Bytes of a sample, drawn for each file: normally distributed around 146.6 MB with a standard deviation of 68.3 MB (drawn
    /// again where nothing would be left); 114,660 B; normally distributed around 2.83 MB with 71.3 kB.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sample: Option<Draw<Bytes>>,
    /// Samples of a step of each accelerator: 7, 400, 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// Readers of each accelerator: 4, 8, 4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub readers: Option<u32>,
    /// How long an accelerator computes on a batch: 0.323 s, 0.224 s, 3.5 ms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_time: Option<Duration>,
    /// Times that all samples are gone through (MLPerf Storage: 5).
    #[serde(default = "five")]
    pub epochs: u32,
    /// Batches that a reader has ready at most before its accelerator has taken one (PyTorch's prefetch_factor).
    #[serde(default = "two")]
    pub prefetch: u32,
    /// Bytes of one read. Left out, a sample by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer: Option<Bytes>,
    /// Bytes of gradients that all accelerators sum up after each step. Left out, none, as MLPerf Storage does it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gradients: Option<Bytes>,
}

const fn five() -> u32 {
    5
}

const fn two() -> u32 {
    2
}

/// A model that is trained.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum TrainingModel {
    /// Images of organs, large files.
    #[serde(rename = "unet3d")]
    UNet3d,
    /// Photographs, many in a file.
    ResNet50,
    /// Simulated universes, many files.
    CosmoFlow,
}

/// What a model is like.
struct Figures {
    name: &'static str,
    files: u32,
    samples_per_file: u32,
    mean: f64,
    deviation: f64,
    batch: u32,
    readers: u32,
    step: f64,
}

impl TrainingModel {
    /// MLPerf Storage 1.0's configurations: num_files_train, num_samples_per_file, record_length_bytes and its stdev, batch_size,
    /// read_threads, computation_time.
    const fn figures(self) -> Figures {
        match self {
            Self::UNet3d => Figures {
                name: "UNet3D",
                files: 168,
                samples_per_file: 1,
                mean: 146_600_628.0,
                deviation: 68_341_808.0,
                batch: 7,
                readers: 4,
                step: 0.323,
            },
            Self::ResNet50 => Figures {
                name: "ResNet50",
                files: 1024,
                samples_per_file: 1251,
                mean: 114_660.0,
                deviation: 0.0,
                batch: 400,
                readers: 8,
                step: 0.224,
            },
            Self::CosmoFlow => Figures {
                name: "CosmoFlow",
                files: 524_288,
                samples_per_file: 1,
                mean: 2_828_486.0,
                deviation: 71_311.0,
                batch: 1,
                readers: 4,
                step: 0.0035,
            },
        }
    }
}

impl TrainingParameters {
    pub(in crate::parallel) fn words(&self) -> String {
        format!("training of {}", self.model.figures().name)
    }

    fn sample(&self) -> Draw<Bytes> {
        let Figures { mean, deviation, .. } = self.model.figures();
        let (mean, standard_deviation) = (Amount::from_base(mean), Amount::from_base(deviation));
        self.sample.clone().unwrap_or_else(|| DrawFamily::Normal { mean, standard_deviation }.into())
    }

    pub(in crate::parallel) fn plan(&self, ranks: u32) -> Result<TrainingPlan, ProgramError> {
        let figures = self.model.figures();
        let files = self.files.unwrap_or(figures.files);
        let samples_per_file = self.samples_per_file.unwrap_or(figures.samples_per_file);
        let (batch, readers) = (self.batch.unwrap_or(figures.batch), self.readers.unwrap_or(figures.readers));
        let numbers = [
            ("files", files),
            ("samples_per_file", samples_per_file),
            ("batch", batch),
            ("readers", readers),
            ("epochs", self.epochs),
            ("prefetch", self.prefetch),
            ("transfer", u32::from(self.transfer != Some(Bytes(0)))),
        ];
        if let Some((parameter, _)) = numbers.into_iter().find(|&(_, number)| number == 0) {
            return refuse(parameter, "it is zero");
        }
        let group = u64::from(readers) + 1;
        if !u64::from(ranks).is_multiple_of(group) {
            let problem = format!(
                "{ranks} is no multiple of {group}: an accelerator and its {readers} readers are so many ranks"
            );
            return refuse("ranks", problem);
        }
        let accelerators = as_number(u64::from(ranks) / group);
        let samples = u64::from(files) * u64::from(samples_per_file);
        let batches = samples / u64::from(accelerators) / u64::from(batch);
        if batches == 0 {
            let problem =
                format!("{samples} samples are no batch of {batch} for each of {accelerators} accelerators");
            return refuse("batch", problem);
        }
        let sizes = self.sample().distribution();
        let sizes = sizes.map_err(|problem| ProgramError::parameter("sample", problem.to_string()))?;
        if sizes.mean() < 1.0 {
            return refuse("sample", "it is nothing on average: a sample has a byte or more");
        }
        Ok(TrainingPlan {
            files,
            samples_per_file: samples_per_file.into(),
            sizes,
            batch: batch.into(),
            readers,
            accelerators,
            batches,
            samples_of_part: samples / u64::from(accelerators),
            step: self.step_time.map_or(Time::from_seconds(figures.step), Duration::time),
            epochs: self.epochs,
            prefetch: self.prefetch.into(),
            transfer: self.transfer.map_or(u64::MAX, Bytes::get),
            gradients: self.gradients.map_or(0, Bytes::get),
        })
    }
}

/// A training for so many ranks.
pub(in crate::parallel) struct TrainingPlan {
    files: u32,
    samples_per_file: u64,
    sizes: Distribution,
    batch: u64,
    readers: u32,
    accelerators: u32,
    /// Batches of each accelerator in an epoch, and the samples that it has for them.
    batches: u64,
    samples_of_part: u64,
    step: Time,
    epochs: u32,
    prefetch: u64,
    transfer: u64,
    gradients: u64,
}

/// Draws after which a sample is a byte: of a distribution that is all but never greater than zero.
const DRAWS_MAX: u32 = 1000;

impl TrainingPlan {
    /// Steps at the beginning of each epoch that aren't measured: the first one waits until its batch is there (DLIO:
    /// metric_exclude_start_steps), and counts only where there is no other.
    const fn unmeasured(&self) -> u64 {
        if self.batches > 1 { 1 } else { 0 }
    }

    /// Bytes of each sample of a file.
    fn sample_bytes(&self, file: u32) -> u64 {
        let mut random = generator(1, 0, &format!("training/file {file}"), "bytes of a sample");
        for _ in 0..DRAWS_MAX {
            let bytes = libm::round(self.sizes.sample(&mut random));
            // A file is at most 8 EiB long.
            if bytes >= 1.0 && bytes * self.samples_per_file as f64 <= i64::MAX as f64 {
                return whole_part(bytes);
            }
        }
        1
    }
}

impl Planned for TrainingPlan {
    fn files(&self) -> u64 {
        self.files.into()
    }

    fn each_file(
        &self,
        tell: &mut dyn FnMut(ProgramFile) -> Result<(), ProgramError>,
    ) -> Result<(), ProgramError> {
        (0..self.files).try_for_each(|number| {
            let size = Some(self.sample_bytes(number) * self.samples_per_file);
            tell(ProgramFile { size, ..ProgramFile::new(number, format!("samples.{number:06}")) })
        })
    }

    fn acts(self: Arc<Self>, start: &Start) -> Result<AnyActs, ProgramError> {
        let member = start.member.clone();
        let group = self.readers + 1;
        let (accelerator, within) = (member.rank / group, member.rank % group);
        let step = start.computing(self.step);
        // All ranks draw the same order of the files.
        let key = uniform_below(&mut start.placement.stream(0, "order of files"), u64::MAX);
        let plan = self;
        if within == 0 {
            return Ok(AnyActs::from(Accelerator {
                begun: false,
                plan,
                member,
                accelerator,
                step,
                epoch: 0,
                batch: 0,
                state: State::Wait,
            }));
        }
        let reader = u64::from(within - 1);
        let (first, order) = (start.file(0), Permutation::new(plan.files.into(), finish(key)));
        Ok(AnyActs::from(Reader {
            plan,
            member,
            accelerator,
            reader,
            first,
            key,
            order,
            epoch: 0,
            batch: reader,
            told: false,
        }))
    }
}

/// What an accelerator does with its next batch.
#[derive(Clone, Copy, Debug, Persist)]
enum State {
    Wait,
    Take,
    Step,
    Sum,
}

#[derive(Persist)]
pub(in crate::parallel) struct Accelerator {
    /// Whether this epoch is measured already.
    begun: bool,
    #[persist(shared)]
    plan: Arc<TrainingPlan>,
    member: Member,
    accelerator: u32,
    step: Time,
    epoch: u32,
    batch: u64,
    state: State,
}

impl Accelerator {
    /// As what this epoch is measured: samples, and the part of the time in which accelerators compute, which MLPerf Storage
    /// calls accelerator utilisation.
    fn epoch(&self) -> PhaseName {
        PhaseName::of_operations("epoch", "sample", self.epoch)
    }

    /// The end of an epoch: what was done, and the wait for the others.
    fn over(&self) -> Act {
        let steps = self.plan.batches - self.plan.unmeasured();
        let busy = Time::from_picos(self.step.as_picos().saturating_mul(steps));
        let did = WorkDone { bytes: 0, operations: steps * self.plan.batch, busy };
        let phase = self.epoch();
        Sequence::act([Act::Measure(phase.clone(), Word::Did(did)), Act::end(phase), self.member.barrier()])
    }

    fn advance(&mut self) -> Result<Option<Act>, ProgramError> {
        let plan = &self.plan;
        let readers = u64::from(plan.readers);
        let reader = self.member.rank + 1 + as_number(self.batch % readers);
        loop {
            let (act, state) = match self.state {
                State::Wait if self.epoch == plan.epochs => return Ok(None),
                State::Wait if self.batch == plan.batches => {
                    let acts = self.over();
                    (self.epoch, self.batch, self.begun) = (self.epoch + 1, 0, false);
                    return Ok(Some(acts));
                }
                State::Wait if self.batch == plan.unmeasured() && !self.begun => {
                    self.begun = true;
                    return Ok(Some(Act::begin(self.epoch())));
                }
                State::Wait => (
                    Some(Act::Exchange(Exchange { receives: vec![reader], ..Exchange::default() })),
                    State::Take,
                ),
                State::Take => {
                    // There is room for another batch of this reader, if it has one.
                    let more = self.batch + plan.prefetch * readers < plan.batches;
                    let told = Exchange { sends: vec![(reader, 0)], ..Exchange::default() };
                    (more.then_some(Act::Exchange(told)), State::Step)
                }
                State::Step => ((self.step > Time::ZERO).then_some(Act::Compute(self.step)), State::Sum),
                State::Sum => {
                    self.batch += 1;
                    let group = Group { rank: self.accelerator, ranks: plan.accelerators };
                    let sum = Collective::AllReduce { bytes: plan.gradients }.rounds(group);
                    let among = Among { rounds: sum, stride: plan.readers + 1 };
                    ((plan.gradients > 0).then(|| Act::within(among)), State::Wait)
                }
            };
            self.state = state;
            if act.is_some() {
                return Ok(act);
            }
            if matches!(state, State::Wait) {
                return self.advance();
            }
        }
    }
}

impl Acts for Accelerator {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        self.advance()
    }
}

/// A collective among ranks that are so far apart.
#[derive(Persist)]
pub(in crate::parallel) struct Among {
    rounds: Rounds,
    stride: u32,
}

impl Acts for Among {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        Ok(Iterator::next(&mut self.rounds).map(|mut exchange| {
            exchange.sends.iter_mut().for_each(|(rank, _)| *rank *= self.stride);
            exchange.receives.iter_mut().for_each(|rank| *rank *= self.stride);
            Act::Exchange(exchange)
        }))
    }
}

#[derive(Persist)]
pub(in crate::parallel) struct Reader {
    #[persist(shared)]
    plan: Arc<TrainingPlan>,
    member: Member,
    accelerator: u32,
    reader: u64,
    first: FileId,
    key: u64,
    /// Of this epoch.
    order: Permutation,
    epoch: u32,
    /// The next batch, among those of the accelerator in the epoch.
    batch: u64,
    /// Whether there is room for it.
    told: bool,
}

impl Acts for Reader {
    fn next(&mut self, _now: Time) -> Result<Option<Act>, ProgramError> {
        let plan = Arc::clone(&self.plan);
        let accelerator = self.accelerator * (plan.readers + 1);
        if self.epoch == plan.epochs {
            return Ok(None);
        }
        if self.batch >= plan.batches {
            self.epoch += 1;
            self.batch = self.reader;
            self.order = Permutation::new(plan.files.into(), finish(self.key ^ u64::from(self.epoch)));
            return Ok(Some(self.member.barrier()));
        }
        let before = self.batch / u64::from(plan.readers);
        if before >= plan.prefetch && !std::mem::replace(&mut self.told, true) {
            return Ok(Some(Act::Exchange(Exchange { receives: vec![accelerator], ..Exchange::default() })));
        }
        self.told = false;
        let first = u64::from(self.accelerator) * plan.samples_of_part + self.batch * plan.batch;
        let samples = Samples {
            first: self.first,
            order: self.order,
            next: first,
            end: first + plan.batch,
            open: None,
            at: 0..0,
            plan: Arc::clone(&plan),
        };
        self.batch += u64::from(plan.readers);
        let ready = Exchange { sends: vec![(accelerator, 0)], ..Exchange::default() };
        Ok(Some(Sequence::act([Act::within(samples), Act::Exchange(ready)])))
    }
}

#[cfg(test)]
mod tests;
