//! Programs of one colour: each workload as a source of requests, all of them as one.

use crate::build::processes::Numbers;
use crate::claim::{Claim, Sentence};
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::prepared::TracedProcess;
use crate::report::Reported;
use crate::text::Copies;
use crate::workload::OutOfRange;
use indexmap::{IndexMap, IndexSet};
use petrio_colours::{Failure, RequestId};
use petrio_engine::EngineError;
use petrio_kernel::Time;
use petrio_persist::Persist;
use petrio_workload::program::Board;
use petrio_workload::{Due, RequestSource, SourceItem, Sources};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// A report has so many workloads at most; all others are one.
const MOST_ROWS: usize = 64;
/// And so many where a study asks for each: as many as iozone's command lines make at most.
const MOST_EACH: usize = 4096;
/// What these are called. A workload's name has no blanks.
const OTHERS: &str = "all others";

/// How workloads are told apart in the report.
#[derive(Default)]
struct Rows {
    names: Vec<String>,
    of_sources: Vec<usize>,
    /// How long the requests of each may take.
    deadlines: Vec<Option<Time>>,
    /// The kind of request that ends a transaction of each.
    transactions: Vec<Option<usize>>,
    /// Whether one alone is told of, too.
    each: bool,
}

/// All programs of a run.
#[derive(Persist)]
#[persist(bound = "")]
pub(crate) struct Programs<R: 'static> {
    source: Box<dyn RequestSource<R>>,
    bounds: Vec<Bounds>,
    #[persist(keep)]
    kinds: Vec<String>,
    /// The row of the report in which each source is counted, and the rows' names.
    #[persist(keep)]
    rows: Rows,
    /// Calls of replayed traces that were changed to stay possible.
    #[persist(inside)]
    changed_calls: Vec<Arc<AtomicU64>>,
    /// What the processes of parallel programs tell each other, and measure, each by the number of its first process.
    #[persist(inside)]
    boards: BTreeMap<u32, Arc<Board>>,
    /// The processes of replayed traces of calls, by their numbers in the run.
    #[persist(keep)]
    of_calls: BTreeMap<u32, TracedProcess>,
    /// The numbers of processes of block requests.
    #[persist(inside)]
    numbers: Numbers,
}

/// What became of requests beyond the end of their disks, and what stopped a workload that may have none.
#[derive(Persist)]
pub(super) struct Bounds {
    #[persist(keep)]
    pub(super) workload: String,
    /// The commands of its trace's processes, as far as it has been read.
    #[persist(inside)]
    pub(super) commands: Arc<Mutex<BTreeMap<u32, String>>>,
    #[persist(keep)]
    pub(super) rule: OutOfRange,
    #[persist(inside)]
    pub(super) changed: Arc<AtomicU64>,
    #[persist(keep)]
    pub(super) refused: Arc<Mutex<Option<RunFailure>>>,
}

impl<R: Reported> Programs<R> {
    /// Joins the sources of all workloads. `kinds` are words for each.
    pub(super) fn new(
        mut sources: Vec<Box<dyn RequestSource<R>>>,
        kinds: Vec<String>,
        bounds: Vec<Bounds>,
    ) -> Self {
        // One source alone numbers its requests itself, which saves a lookup for each.
        let source = match (sources.pop(), sources.is_empty()) {
            (Some(only), true) => only,
            (last, _) => {
                sources.extend(last);
                Box::new(Sources::new(sources))
            }
        };
        Self {
            source,
            bounds,
            kinds,
            rows: Rows::default(),
            changed_calls: Vec::new(),
            boards: BTreeMap::new(),
            of_calls: BTreeMap::new(),
            numbers: Numbers::default(),
        }
    }

    /// With the numbers of processes of workloads of which several have the same.
    pub(super) fn with_numbers(self, numbers: Numbers) -> Self {
        Self { numbers, ..self }
    }

    /// The number in its trace of a process of block requests.
    pub(crate) fn own_number(&self, process: u32) -> u32 {
        self.numbers.lock().map_or(process, |numbers| numbers.own(process))
    }

    /// With the workload that each source is of; `names` are those of the workloads. Copies of one are counted
    /// together.
    fn with_rows(mut self, workloads: &[usize], names: &[&str], copies: &Copies, most: usize) -> Self {
        let mut rows: IndexSet<String> = IndexSet::new();
        for &workload in workloads {
            let name = names.get(workload).copied().unwrap_or_default();
            let name = copies.class(name).unwrap_or_else(|| name.to_owned());
            let row = rows.get_index_of(&name);
            let row = row.unwrap_or_else(|| match rows.len() < most {
                true => rows.insert_full(name).0,
                false => rows.insert_full(OTHERS.to_owned()).0,
            });
            self.rows.of_sources.push(row);
        }
        self.rows.names = rows.into_iter().collect();
        self
    }

    /// The names of the workloads that are told apart.
    pub(crate) fn workload_names(&self) -> Vec<String> {
        self.rows.names.clone()
    }

    /// Whether each of them is told of, also where there is but one.
    pub(crate) fn tells_each(&self) -> bool {
        self.rows.each
    }

    /// With how long the requests of each workload may take, and the kind that ends its transactions, where these are said: of
    /// copies, as of the first.
    pub(super) fn with_each(
        mut self,
        workloads: &[usize],
        deadlines: &[Option<Time>],
        transactions: &[Option<usize>],
    ) -> Self {
        self.rows.deadlines = self.of_rows(workloads, deadlines);
        self.rows.transactions = self.of_rows(workloads, transactions);
        self
    }

    /// What is said of workloads, by row.
    fn of_rows<T: Copy>(&self, workloads: &[usize], said: &[Option<T>]) -> Vec<Option<T>> {
        let mut rows = vec![None; self.rows.names.len()];
        for (&workload, &row) in workloads.iter().zip(&self.rows.of_sources) {
            if let (Some(slot), Some(said)) = (rows.get_mut(row), said.get(workload)) {
                *slot = slot.or(*said);
            }
        }
        rows
    }

    /// How long the requests of those workloads may take that are told apart.
    pub(crate) fn workload_deadlines(&self) -> Vec<Option<Time>> {
        self.rows.deadlines.clone()
    }

    /// The kinds that end their transactions.
    pub(crate) fn workload_transactions(&self) -> Vec<Option<usize>> {
        self.rows.transactions.clone()
    }

    /// Which of the workloads that are told apart replay traces, whose processes have numbers of their own.
    pub(crate) fn replays(&self) -> Vec<bool> {
        let of_calls: BTreeSet<&str> =
            self.of_calls.values().filter_map(|traced| self.row_of(traced)).collect();
        let of_requests = |name: &String| self.bounds.iter().any(|bounds| bounds.workload == *name);
        self.rows.names.iter().map(|name| of_calls.contains(name.as_str()) || of_requests(name)).collect()
    }

    /// The row in which a process of a trace of calls is counted.
    fn row_of(&self, traced: &TracedProcess) -> Option<&str> {
        self.rows.names.get(*self.rows.of_sources.get(traced.source)?).map(String::as_str)
    }

    /// The numbers in their traces of processes that have others in the run.
    pub(crate) fn traced_numbers(&self) -> BTreeMap<u32, u32> {
        self.of_calls.iter().map(|(&process, traced)| (process, traced.number)).collect()
    }

    /// With the processes of replayed traces of calls, by their numbers in the run.
    pub(super) fn with_traced(mut self, processes: BTreeMap<u32, TracedProcess>) -> Self {
        self.of_calls = processes;
        self
    }

    /// The command that a process of a workload's trace ran, by its number there, where the trace has it.
    pub(crate) fn command(&self, workload: &str, process: u32) -> Option<String> {
        let bounds = self.bounds.iter().find(|bounds| bounds.workload == workload);
        let of_requests = bounds.and_then(|bounds| bounds.commands.lock().ok()?.get(&process).cloned());
        let is_it =
            |traced: &&TracedProcess| traced.number == process && self.row_of(traced) == Some(workload);
        of_requests.or_else(|| self.of_calls.values().find(is_it)?.name.clone())
    }

    /// With counts of calls that were changed to stay possible.
    pub(super) fn with_changed_calls(mut self, counts: Vec<Arc<AtomicU64>>) -> Self {
        self.changed_calls = counts;
        self
    }

    /// With what parallel programs know of themselves.
    pub(super) fn with_boards(mut self, boards: BTreeMap<u32, Arc<Board>>) -> Self {
        self.boards = boards;
        self
    }

    /// What parallel programs know of themselves, each by the number of its first process.
    pub(crate) const fn boards(&self) -> &BTreeMap<u32, Arc<Board>> {
        &self.boards
    }

    /// Whether the programs of a workload, by the number of its name, have nothing more to ask for.
    pub(crate) fn has_ended(&mut self, workload: usize) -> bool {
        let of_sources = &self.rows.of_sources;
        let own = |source: &usize| of_sources.get(*source).is_none_or(|&row| row == workload);
        (0..of_sources.len().max(1)).filter(own).all(|source| self.source.has_ended(source))
    }

    /// Things to check before the result is trusted.
    pub(crate) fn warnings(&self) -> Vec<Sentence> {
        let beyond = |bounds: &Bounds| {
            let count = bounds.changed.load(Ordering::Relaxed);
            let done = match bounds.rule {
                OutOfRange::Skip => "left out",
                OutOfRange::Wrap => "wrapped around",
                OutOfRange::Error => return None,
            };
            let requests = if count == 1 { "request" } else { "requests" };
            let workload = &bounds.workload;
            (count > 0).then(|| {
                Claim::BeyondEnd.says(format!(
                    "workload \"{workload}\": {count} {requests} beyond the end of the disk {done}"
                ))
            })
        };
        let changed: u64 = self.changed_calls.iter().map(|count| count.load(Ordering::Relaxed)).sum();
        let changed = (changed > 0).then(|| {
            let calls = if changed == 1 { "call was" } else { "calls were" };
            Claim::ChangedCalls.says(format!(
                "{changed} {calls} on files that weren't there in the replay (or were): opened as new, or made as a failing look"
            ))
        });
        self.bounds.iter().filter_map(beyond).chain(changed).collect()
    }

    /// With the workload that each source is of, whose `names` are in the order of their words.
    pub(super) fn told_apart(self, workloads: &[usize], names: &[&str], loaded: &Loaded) -> Self {
        let (copies, most) = (loaded.copies(), if loaded.tells_each { MOST_EACH } else { MOST_ROWS });
        let mut told = self.with_rows(workloads, names, copies, most).with_copies(names, copies);
        told.rows.each = loaded.tells_each;
        told
    }

    /// With copies of a workload told once, with their number. `names` are the workloads', in the order of their words.
    fn with_copies(mut self, names: &[&str], copies: &Copies) -> Self {
        if copies.is_empty() || names.len() != self.kinds.len() {
            return self;
        }
        let mut told: IndexMap<String, (String, u64)> = IndexMap::new();
        for (name, words) in names.iter().zip(self.kinds) {
            let path = format!("workload.{name}");
            let first = copies.first(&path).unwrap_or(&path).to_owned();
            told.entry(first).or_insert((words, 0)).1 += 1;
        }
        let words = |(words, count)| if count == 1 { words } else { format!("{count} × {words}") };
        self.kinds = told.into_values().map(words).collect();
        self
    }

    /// What the workloads are, in a line.
    pub(crate) fn line(&self) -> String {
        self.kinds.join(" · ")
    }

    /// A refusal that a source could only pass on as the end of its stream.
    fn refusal(&self) -> Option<RunFailure> {
        self.bounds.iter().find_map(|bounds| bounds.refused.lock().ok()?.take())
    }
}

impl<R: Reported> petrio_engine::Programs<R> for Programs<R> {
    #[inline]
    fn due(&mut self) -> Result<Due, EngineError> {
        let due = self.source.due();
        match self.refusal() {
            Some(refusal) => Err(refusal.into()),
            None => Ok(due?),
        }
    }

    #[inline]
    fn issue(&mut self, now: Time) -> Result<Option<SourceItem<R>>, EngineError> {
        Ok(self.source.issue(now)?)
    }

    #[inline]
    fn complete(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        Ok(self.source.complete(id, now)?)
    }

    #[inline]
    fn failed(&mut self, id: RequestId, failure: Failure, now: Time) -> Result<(), EngineError> {
        Ok(self.source.failed(id, failure, now)?)
    }

    #[inline]
    fn submitted(&mut self, id: RequestId, now: Time) -> Result<(), EngineError> {
        Ok(self.source.submitted(id, now)?)
    }

    #[inline]
    fn ended_process(&mut self) -> Option<u32> {
        self.source.ended_process()
    }

    #[inline]
    fn workload_of(&self, id: RequestId) -> usize {
        match self.rows.names.len() {
            0 | 1 => 0,
            _ => self.rows.of_sources.get(self.source.source_of(id)).copied().unwrap_or(0),
        }
    }
}
