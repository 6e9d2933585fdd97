//! What limits a run, and what would change it: the same run with one thing made twice as good, for each thing that a
//! person could change.
//!
//! The answer is causal, not a guess from shares of time: a part that others overlap may take most of the time and
//! change nothing. And it is what somebody finds who makes the change: the scenario is read again with the parameters
//! set that are printed. Only where no parameter says how fast a part is, its page is run as if it were faster.

mod candidates;
mod experiment;
mod search;
mod together;

use crate::claim::Claim;
use crate::classes::Classes;
use crate::loaded::Loaded;
use crate::report::{Bottleneck, Report, Sentence, StageFigures, WhatIf};
use crate::run::{Replicator, RunFailure};
use candidates::{Candidate, candidates};
use experiment::Judged;
use search::{Answer, Search};

/// The busiest of several stages is named where it is so many times busier than they are on average.
const UNEVEN: f64 = 1.5;
/// Adds the bottleneck to a report of a scenario's own run.
pub(super) fn explain(
    loaded: &Loaded,
    base: &Replicator<'_>,
    report: &mut Report,
    tell: impl FnOnce(usize),
) -> Result<(), RunFailure> {
    let asks_nothing = report.each().all(|served| served.requests.completed == 0);
    if asks_nothing && report.jobs.is_empty() {
        return Ok(());
    }
    let classes = Classes::of(loaded);
    let rows: Vec<(String, &StageFigures)> =
        report.stages.iter().map(|row| (classes.name(&row.name), row)).collect();
    let busiest = rows
        .iter()
        .filter(|(_, row)| row.utilisation.is_some())
        .max_by(|a, b| a.1.most().unwrap_or(0.0).total_cmp(&b.1.most().unwrap_or(0.0)));
    let taken_ms = report
        .each()
        .filter_map(|served| Some(served.latency.as_ref()?.mean_ms.value * served.requests.completed as f64));
    let mut candidates = candidates(loaded, &classes, &base.system().stages, &rows, taken_ms.sum());
    let mut told = None;
    if base.from().is_some() {
        let left_out: Vec<Candidate> = candidates.extract_if(.., |candidate| !candidate.is_speed).collect();
        told = not_from_here(&left_out);
    }
    tell(candidates.len());
    let mut search = Search::begin(loaded, base, &candidates, (asks_nothing, report.replications))?;
    let Answer { found, or } = search.as_mut().map_or_else(|| Ok(Answer::default()), Search::best)?;
    let alone = found.as_ref().map_or(1.0, |(_, what_if)| what_if.gain);
    let together = search.as_mut().map_or(Ok(None), |search| together::together(search, &rows, alone))?;
    let also = search.as_mut().map_or(Ok(None), |search| search.also(&found))?;
    // What only moves the limit to a part that is as busy is told with that.
    let found = found.filter(|_| together.is_none());
    let nothing = found.is_none() && or.is_none() && together.is_none();
    let (in_vain, not_tried) = search.as_ref().filter(|_| nothing).map(Search::in_vain).unwrap_or_default();
    let tied = together.as_ref().and_then(|together| together.parts.first());
    let stage = match (found.as_ref().or(or.as_ref()), tied, busiest) {
        (Some((candidate, _)), None, _) => candidate.stage.clone(),
        (_, Some(tie), _) => tie.stage.clone(),
        (None, None, Some((class, _))) => class.clone(),
        (None, None, None) => return Ok(()),
    };
    let row = rows.iter().find(|(class, _)| *class == stage).map(|(_, row)| row);
    let utilisation = row.and_then(|row| row.utilisation);
    let mean_wait_ms = row.filter(|_| utilisation.is_none()).and_then(|row| row.mean_wait_ms);
    let part = found.as_ref().or(or.as_ref()).map(|(candidate, _)| candidate.part.to_owned());
    let part = tied.map(|tie| tie.part.clone()).or(part);
    let [what_if, also, or] = [found, also, or].map(|found| found.map(|(_, what_if)| what_if));
    let tried = (candidates.len() - not_tried.len()) as u64;
    let (busiest, most) = row
        .and_then(|row| row.members.as_ref())
        .filter(|members| utilisation.is_some_and(|mean| members.most > UNEVEN * mean))
        .map(|members| (members.busiest.clone(), members.most))
        .unzip();
    let bottleneck = Bottleneck {
        claims: Vec::new(),
        stage,
        part,
        utilisation,
        busiest,
        most,
        mean_wait_ms,
        tried,
        in_vain,
        not_tried,
        what_if,
        together,
        also,
        or,
    };
    report.bottleneck = Some(bottleneck.named());
    report.warnings.extend(told);
    Ok(())
}

/// That changes aren't asked of a state that was made without them, and would have been another one with them.
fn not_from_here(left_out: &[Candidate]) -> Option<Sentence> {
    let mut words: Vec<&str> = left_out.iter().map(|candidate| candidate.words.as_str()).collect();
    words.sort_unstable();
    words.dedup();
    (!words.is_empty()).then(|| {
        Claim::NotFromHere.says(format!(
            "changes are tried from the state on, and only such as leave it what it is; a run from the beginning tries these, too: {}",
            words.join("; ")
        ))
    })
}

impl Candidate {
    /// The answer that it gives, with its figures still to come.
    fn asked(&self, judged: Judged, is_one_of_two: bool) -> WhatIf {
        WhatIf {
            change: self.words.clone(),
            set: self.change.set(),
            factor: self.factor,
            price: self.price.map(str::to_owned),
            subject: is_one_of_two.then_some(judged.subject),
            of: judged.of,
            gain: 1.0,
            interval: [1.0, 1.0],
            confidence: 0.0,
            replications: 0,
            before: 0.0,
            after: 0.0,
            overload: None,
            workloads: Vec::new(),
        }
    }
}
