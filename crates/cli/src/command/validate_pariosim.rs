//! `petrio validate pariosim`

use crate::command::asked::{Changes, Scenarios, broken_off};
use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::outputs::Outputs;
use crate::table::table;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_validation::NotSimulated;
use petrio_validation::pariosim::{
    Assumption, CHUNKS, DasCell, Found, Outcome, ParIoSimError, SEEKS, das_grid, findings, places, scenarios,
    study, study_page,
};
use petrio_validation::verdict::{Judged, Judgement};
use std::path::PathBuf;

/// Parallel programs on NAS, SAN-direct and SAN-all-to-all: the experiments of a study (ParIOSim), with verdicts on what it found
///
/// Its machines (tables 1 to 3), a thousand requests on one disk (figure 4), BT-IO with 4 to 25 ranks and seis with 1 to 24, with the
/// machine's drives and with Fibre Channel's (figures 5 to 12). It takes some minutes on two processors.
#[derive(Args)]
#[command(after_help = concat!("\
The study's figures are pictures without numbers: what is judged is what its text says. A ratio that it gives holds within a factor of
1.5, an ordering or a trend if it is one. Of what is left out or broken off that is judged which is there; what --set changes isn't
the study's any more, and nothing is judged.\n\n", exit_codes!()))]
pub(crate) struct ValidateParIoSim {
    #[command(flatten)]
    changes: Changes,
    #[command(flatten)]
    scenarios: Scenarios,
    /// Write figures 4 to 12 and the verdicts as an HTML page
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output, conflicts_with = "scenarios")]
    html: Option<PathBuf>,
    /// Print everything as JSON
    #[arg(long, conflicts_with = "scenarios")]
    json: bool,
}

impl ValidateParIoSim {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        Outputs::of([("--html", &self.html)]).check(&Inputs::none(), [])?;
        let asked = self.changes.asked(&places())?;
        let _stoppable = crate::stop::by_interrupt(&asked.watch);
        let mut tell = |done: usize, of: usize| {
            if done.is_multiple_of(10) || done == of {
                talk(&format!("simulated {done} of {of} runs …"));
            }
        };
        if let Some(folder) = self.scenarios.folder()? {
            let all = scenarios(&asked, &mut tell).map_err(failed)?;
            return self.scenarios.write(&folder, &all, &asked.watch);
        }
        let cells = das_grid(&asked, &mut tell).map_err(failed)?;
        let outcomes = study(&asked, &mut tell).map_err(failed)?;
        let mut found = findings(&outcomes, &cells);
        if !asked.is_whole() {
            found = found.of_what_was_run();
        }
        if !asked.set.is_empty() {
            found = Found { study: Vec::new(), what_ifs: Vec::new(), assumptions: Vec::new() };
        }
        let judged = found.judged();
        if let Some(path) = &self.html
            && !asked.watch.is_stopped()
        {
            study_page((&outcomes, &cells), &found, path, &Inputs::none())?;
            talk(&format!("written: {}", path.display()));
        }
        let help = "petrio validate pariosim --json prints every run; validation/pariosim/README.md says what doesn't hold, and why";
        if self.json {
            let Found { study, what_ifs, assumptions } = &found;
            print_json(&serde_json::json!({
                "das": cells, "experiments": outcomes, "judged": study, "what_ifs": what_ifs, "assumptions": assumptions,
            }))?;
            return broken_off(&asked.watch).and_then(|()| conclude(&judged, true, help));
        }
        if !cells.is_empty() {
            for writes in [false, true] {
                print(&grid(&cells, writes))?;
            }
        }
        if !outcomes.is_empty() {
            print(&runs(&outcomes))?;
        }
        if asked.set.is_empty() {
            print(&told("the study's own claims", &found.study))?;
            print(&decided(&found.assumptions))?;
            print(&told("petrio's own what-ifs", &found.what_ifs))?;
        }
        print("\n")?;
        broken_off(&asked.watch).and_then(|()| conclude(&judged, false, help))
    }
}

/// What is set is told where it stands.
fn failed(error: ParIoSimError) -> Failure {
    match error {
        ParIoSimError::Simulated { cause, experiment } => match *cause {
            NotSimulated::Scenario(problems) => Failure::Scenario(Box::new(problems)),
            cause => Failure::new(ParIoSimError::Simulated { experiment, cause: Box::new(cause) }, None),
        },
        error @ ParIoSimError::NoProgram { .. } => Failure::new(error, None),
    }
}

/// How many of some rows hold, and those that do; the others are told with the exit code.
fn told(what: &str, rows: &[Judged]) -> String {
    let holds = || rows.iter().filter(|one| one.verdict == Judgement::Holds);
    let (held, all) = (holds().count(), rows.len());
    let lines = holds().map(|one| format!("holds: {}\n", one.line()));
    format!("\n{what}: {held} of {all} hold, {} miss\n{}", all - held, lines.collect::<String>())
}

/// Which assumption decides the claims that miss.
fn decided(assumptions: &[Assumption]) -> String {
    let line = |one: &Assumption| {
        let Assumption { claim, change, figures, holds, text } = one;
        let then = if *holds { "it holds" } else { "it doesn't hold" };
        format!("{claim}\n  if {change}, {then}: {figures}\n  the text: {text}\n")
    };
    let lines: String = assumptions.iter().map(line).collect();
    format!("\nwhich assumption decides what misses\n{lines}")
}

/// Figure 4 as a table.
fn grid(cells: &[DasCell], writes: bool) -> String {
    let word = if writes { "writes" } else { "reads" };
    let heads: Vec<String> = SEEKS.iter().map(|seek| format!("{seek} apart")).collect();
    let headings: Vec<&str> = std::iter::once("blocks").chain(heads.iter().map(String::as_str)).collect();
    let row = |chunk: u64| -> Vec<String> {
        let of = |seek: u64| {
            let found =
                cells.iter().find(|cell| (cell.writes, cell.chunk, cell.seek) == (writes, chunk, seek));
            found.map_or("–".to_owned(), |cell| format!("{:.3}", cell.seconds))
        };
        std::iter::once(chunk.to_string()).chain(SEEKS.map(of)).collect()
    };
    format!("\nseconds of 1,000 {word}, by blocks of a request and between requests\n\n")
        + &table(&headings, &CHUNKS.map(row))
}

/// Every run as a row.
fn runs(outcomes: &[Outcome]) -> String {
    let headings = [
        "program",
        "architecture",
        "drives",
        "ranks",
        "computes",
        "what if",
        "seconds",
        "read MB/s",
        "written MB/s",
        "computing",
        "messages",
        "I/O",
    ];
    let word = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    let rows: Vec<Vec<String>> = outcomes
        .iter()
        .map(|one| {
            let named = serde_json::json!(one.experiment);
            let part = |part: f64| format!("{:.0} %", part * 100.0);
            vec![
                word(&named["program"]),
                one.experiment.architecture.words().to_owned(),
                word(&named["drives"]),
                one.experiment.ranks.to_string(),
                if one.experiment.computes { "yes" } else { "no" }.to_owned(),
                one.experiment.what_if.words().to_owned(),
                format!("{:.1}", one.elapsed_s),
                format!("{:.1}", one.read_per_s / 1e6),
                format!("{:.1}", one.written_per_s / 1e6),
                part(one.computing),
                part(one.messages),
                part(one.io),
            ]
        })
        .collect();
    format!("\n{}", table(&headings, &rows))
}
