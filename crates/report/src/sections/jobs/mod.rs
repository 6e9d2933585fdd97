//! Where the time of a parallel program went, rank by rank: computing, messages, reading, writing.

mod phases;
mod picture;

pub use phases::{PhaseFigures, ScoreFigures};

use crate::figure::{Tables, figures};
use crate::section::{Entry, paragraph};
use crate::text::labelled;
use petrio_page::numbers::{counted, grouped, per_cent, seconds, significant};
use petrio_page::page::{Page, Table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A parallel program, over the whole run; of several replications the mean.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobFigures {
    /// Its workload.
    pub workload: String,
    /// From its first rank's first step until the last one's end, seconds.
    pub elapsed_s: f64,
    /// How many times as fast it is as one processor that computes as much as all ranks do and does nothing else; absent where
    /// nothing is computed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub speed_up: Option<f64>,
    /// That for each rank that computes, 1 at most: what is missing to 1 went into files, messages and waiting.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub efficiency: Option<f64>,
    /// Its phases as the program measures them, in their order, each repetition of its own.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub phases: Vec<PhaseFigures>,
    /// Of IO500, its score.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub score: Option<ScoreFigures>,
    /// Its ranks, in their order.
    pub ranks: Vec<RankFigures>,
}

/// A rank of a parallel program. What its times leave of `elapsed_s` it thought, or had ended.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RankFigures {
    /// The host that it runs on.
    pub host: String,
    /// From its first step until its end, seconds.
    pub elapsed_s: f64,
    /// Computing, waits for a processor among it.
    pub computing_s: f64,
    /// Of that, waiting for a processor that others use.
    #[serde(default)]
    pub waiting_s: f64,
    /// Exchanging messages, waits for others among it.
    pub messages_s: f64,
    /// Reading.
    pub reading_s: f64,
    /// Writing, and making durable what was written.
    pub writing_s: f64,
    /// Other operations on files: opening, closing, names.
    pub names_s: f64,
    /// Bytes that it read.
    pub read_bytes: u64,
    /// Bytes that it wrote.
    pub written_bytes: u64,
}

/// A part of a rank's time: its name, and what it comes to, seconds.
pub(super) type Part = (&'static str, fn(&RankFigures) -> f64);

/// What a rank's time is split into, in the order of reports.
pub(super) const PARTS: [Part; 6] = [
    ("computing", RankFigures::processor_s),
    ("processor wait", |rank| rank.waiting_s),
    ("messages", |rank| rank.messages_s),
    ("reading", |rank| rank.reading_s),
    ("writing", |rank| rank.writing_s),
    ("names", |rank| rank.names_s),
];

impl RankFigures {
    /// Time for which it needs a processor to compute, on its host's machine.
    pub const fn processor_s(&self) -> f64 {
        self.computing_s - self.waiting_s
    }

    /// Time in operations on files.
    pub fn io_s(&self) -> f64 {
        self.reading_s + self.writing_s + self.names_s
    }
}

impl JobFigures {
    /// The part of all ranks' time that one thing took, 0 to 1.
    pub fn part(&self, of: impl Fn(&RankFigures) -> f64) -> f64 {
        let all = self.elapsed_s * self.ranks.len() as f64;
        if all > 0.0 { self.ranks.iter().map(of).sum::<f64>() / all } else { 0.0 }
    }

    /// By how much it is faster than one processor that computes as much, and neither reads, writes nor waits for others;
    /// none where nothing is computed.
    pub fn speed_up(&self) -> Option<f64> {
        let computing: f64 = self.ranks.iter().map(RankFigures::processor_s).sum();
        (computing > 0.0 && self.elapsed_s > 0.0).then(|| computing / self.elapsed_s)
    }

    /// That for each rank that computes: 1 is all that there is to be had.
    pub fn efficiency(&self) -> Option<f64> {
        self.speed_up().map(|speed_up| speed_up / self.computing().max(1) as f64)
    }

    /// Ranks that compute at all: those that only read for others aren't meant to.
    fn computing(&self) -> usize {
        self.ranks.iter().filter(|rank| rank.processor_s() > 0.0).count()
    }
}

figures! { RankFigures:
    computing_s = Self::processor_s, "Computing, without waits for a processor." => "computing" Seconds Neither;
    waiting_s => "processor wait" Seconds Down;
    messages_s => "messages" Seconds Down;
    reading_s => "reading" Seconds Down;
    writing_s => "writing" Seconds Down;
    names_s => "names" Seconds Down;
    read_bytes => "read" Bytes Neither;
    written_bytes => "written" Bytes Neither;
}

figures! { JobFigures:
    elapsed_s => "elapsed" Seconds Down;
    speed_up => "speed-up" One Up;
    efficiency => "efficiency" One Up;
}

impl Entry for JobFigures {
    const PART: &'static str = "job";

    fn name(&self) -> &str {
        &self.workload
    }

    fn tables<'e>(to: &mut Tables<'e, Self>) {
        to.table(Self::PART, |job: &'e Self| vec![(&*job.workload, String::new(), job)]);
        to.table("phase", |job: &'e Self| {
            let name = |phase: &PhaseFigures| format!("{} {}", phase.name, phase.repetition);
            job.phases.iter().map(|phase| (&*job.workload, name(phase), phase)).collect()
        });
        to.table("score", |job: &'e Self| {
            job.score.iter().map(|score| (&*job.workload, String::new(), score)).collect()
        });
        to.table("rank", |job: &'e Self| {
            let each = job.ranks.iter().enumerate();
            each.map(|(number, rank)| (&*job.workload, number.to_string(), rank)).collect()
        });
    }

    fn sentence(&self) -> String {
        let share = |(name, of): &Part| {
            let part = self.part(of);
            let each = || self.ranks.iter().map(of).map(|span| span / self.elapsed_s.max(f64::MIN_POSITIVE));
            let (least, most) = (each().fold(f64::MAX, f64::min), each().fold(0.0, f64::max));
            // What hardly takes any time isn't told.
            (most >= 0.0005).then(|| match most - least > 0.01 {
                true => format!("{name} {} ({} to {})", per_cent(part), per_cent(least), per_cent(most)),
                false => format!("{name} {}", per_cent(part)),
            })
        };
        let shares: Vec<String> = PARTS.iter().filter_map(share).collect();
        let speed_up =
            self.speed_up().zip(self.efficiency()).map_or(String::new(), |(speed_up, efficiency)| {
                let computing = self.computing();
                let some = match computing < self.ranks.len() {
                    true => format!(
                        " of the {} that compute{}",
                        grouped(computing as u64),
                        if computing == 1 { "s" } else { "" }
                    ),
                    false => String::new(),
                };
                format!(
                    "; {} times as fast as one processor that only computes, efficiency {}{some}",
                    significant(speed_up),
                    per_cent(efficiency)
                )
            });
        let ranks = counted(self.ranks.len() as u64, "rank", "ranks");
        format!("{ranks}, {}: {}{speed_up}", seconds(self.elapsed_s), shares.join(", "))
    }

    fn terminal(all: &[Self], out: &mut String, width: usize) {
        for job in all {
            out.push('\n');
            labelled(out, &job.workload, &job.sentence(), width);
            phases::terminal(out, &job.phases, width);
            if let Some(score) = &job.score {
                labelled(out, "score", &score.sentence(), width);
            }
        }
    }

    fn page(all: &[Self], page: &mut Page) {
        page.heading("Parallel programs");
        for job in all {
            paragraph(page, &job.workload, &job.sentence());
            if let Some((heads, rows)) = phases::phase_table(&job.phases) {
                page.table(Table::new(heads).with(rows));
            }
            if let Some(score) = &job.score {
                paragraph(page, "score", &score.sentence());
            }
            page.wide_figures(picture::ranks(job));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_what_ranks_did_and_how_far_they_differ() {
        let rank = |computing_s, writing_s| RankFigures { computing_s, writing_s, ..RankFigures::default() };
        let job = JobFigures {
            workload: "bt".to_owned(),
            elapsed_s: 10.0,
            ranks: vec![rank(6.0, 4.0), rank(6.0, 1.0)],
            ..JobFigures::default()
        };
        assert_eq!(
            job.sentence(),
            "2 ranks, 10.0 s: computing 60 %, writing 25 % (10 % to 40 %); 1.20 times as fast as one processor that only \
             computes, efficiency 60 %"
        );
        assert_eq!(JobFigures::default().speed_up(), None);
        // Who reads for another isn't meant to compute.
        let job = JobFigures { elapsed_s: 8.0, ranks: vec![rank(6.0, 0.0), rank(0.0, 0.0)], ..job };
        assert!(
            job.sentence().ends_with("only computes, efficiency 75 % of the 1 that computes"),
            "{}",
            job.sentence()
        );
    }
}
