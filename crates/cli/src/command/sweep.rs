//! `petrio sweep`

use crate::command::compare::part;
use crate::failure::Failure;
use crate::output::{print, talk, width};
use crate::progress::bar;
use crate::results::Results;
use clap::{Args, Subcommand};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_scenario::Override;
use petrio_study::sweep::{
    Case, Design, Factor, Findings, Shard, SweepError, SweepProgress, SweepQuestion, SweepResults,
    factors_of_table, findings, merge, results, sweep, sweep_text, write_csv, write_sweep_html,
};
use petrio_units::Fraction;
use std::path::{Path, PathBuf};

/// Run a scenario over many values of its keys: what each does, which case is best, on all processors and resumable
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_help = HELP)]
pub(crate) struct Sweep {
    #[command(subcommand)]
    of_a_folder: Option<OfAFolder>,
    #[command(flatten)]
    study: Option<StudyArguments>,
}

const HELP: &str = "\
Values: a list (ordered,write-back), whole numbers (1..8), so many at equal distances (lin(10 ms, 50 ms, 5)) or in equal ratios
(log(256 MiB, 16 GiB, 7)); with --sample the number may be left out, and anything between is drawn. All cases meet the same random
numbers. Results are Parquet, a row a case and replication; a killed sweep goes on with the same command, and so does one that was
stopped. Shards may share a folder or have one each, for petrio sweep merge.

Examples:
  petrio sweep files.toml --vary fs.data.journal=ordered,write-back,journal --vary 'host.server.memory=log(256 MiB, 4 GiB, 5)' --out study
  petrio sweep show study --html study.html --csv study.csv
  petrio sweep show study --measure p99-latency --case 7     # one case: its figures, and the command that repeats it
  petrio sweep load.toml --vary 'disk.d.count=1..8' --vary 'workload.w.rate=lin(50 /s, 400 /s, 8)' --where 'workload.w.rate <= disk.d.count * 100' --out grid
  petrio sweep load.toml --vary 'workload.w.rate=lin(50 /s, 150 /s)' --vary disk.d.scheduler=fcfs,sptf --sample saltelli --points 64 --out shares
  petrio sweep load.toml --cases cases.csv --out cases         # the first line names keys
  petrio sweep load.toml --vary disk.d.count=1..64 --shard 3/16 --out part3     # one of sixteen jobs; then
  petrio sweep merge all part1 part2 part3 …";

/// What a study asks.
#[derive(Args)]
pub(crate) struct StudyArguments {
    /// The scenario file
    #[arg(value_name = "SCENARIO", required = true)]
    scenario: PathBuf,
    /// A key and the values that it takes; may be repeated
    #[arg(long, value_name = "PATH=VALUES")]
    vary: Vec<String>,
    /// The cases as a table: CSV whose first line names keys, and each further line a value for each
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "together", "sample"])]
    cases: Option<PathBuf>,
    /// Take the first value of each key with the first of the others, and so on, instead of every value with every other
    #[arg(long, conflicts_with = "sample")]
    together: bool,
    /// Draw points instead of a grid: latin-hypercube, sobol (a Sobol sequence), or saltelli (of which petrio sweep show tells Sobol
    /// indices; it takes as many cases as there are keys and two more for each point)
    #[arg(long, value_name = "DESIGN", value_parser = ["latin-hypercube", "sobol", "saltelli"], requires = "points")]
    sample: Option<String>,
    /// How many points are drawn
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..), requires = "sample")]
    points: Option<u64>,
    /// Leave out cases of which this isn't true: a comparison of keys and values, such as 'host.server.count <= host.client.count';
    /// may be repeated
    #[arg(long = "where", value_name = "COMPARISON")]
    constraints: Vec<String>,
    /// Change a value in every case; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed; the same in all cases
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// How many replications of each case [default: as the scenario says]; with --precision, how many at most [default: 400]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    replications: Option<u32>,
    /// Replicate each case until half the interval of the first measure's mean is at most this part of it, such as 2%
    #[arg(long, value_name = "PART")]
    precision: Option<Fraction>,
    /// Keep this of each report, too, such as fsync.p99-latency (as petrio compare has it); the first one decides what is best; may be
    /// repeated. Kept anyway: throughput, rate, mean-, p50-, p95- and p99-latency, makespan
    #[arg(long = "measure", value_name = "MEASURE")]
    measures: Vec<String>,
    /// The folder of the results; made if it isn't there, and taken up where it holds this study
    #[arg(long, value_name = "DIR", required = true)]
    out: PathBuf,
    /// Run a part of the cases, such as 3/16: for job arrays
    #[arg(long, value_name = "NUMBER/OF", value_parser = |text: &str| text.parse::<Shard>())]
    shard: Option<Shard>,
    /// How many cases run at once [default: as many as there are processors]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u16).range(1..=1024))]
    jobs: Option<u16>,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Subcommand)]
enum OfAFolder {
    Show(Show),
    Merge(Merge),
}

/// What the results of a sweep say: the best cases, what each key does, which act together
#[derive(Args)]
struct Show {
    /// The folder
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// By which of the measures that were kept; left out, the first
    #[arg(long, value_name = "MEASURE")]
    measure: Option<String>,
    /// Show this case alone, with the command that repeats it
    #[arg(long, value_name = "NUMBER")]
    case: Option<u64>,
    /// Write all rows as CSV
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    csv: Option<PathBuf>,
    #[command(flatten)]
    results: Results,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

/// Bring the folders of a sweep's shards into one
#[derive(Args)]
struct Merge {
    /// The folder to make, or one of the same study
    #[arg(value_name = "INTO")]
    into: PathBuf,
    /// The folders
    #[arg(value_name = "DIR", required = true)]
    folders: Vec<PathBuf>,
}

impl Sweep {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        match (&self.of_a_folder, &self.study) {
            (Some(OfAFolder::Show(show)), _) => show.execute(),
            (Some(OfAFolder::Merge(merging)), _) => merging.execute(),
            (None, Some(study)) => study.execute(),
            (None, None) => Err(failure(SweepError::Nothing)),
        }
    }
}

impl StudyArguments {
    fn execute(&self) -> Result<(), Failure> {
        let watch = Watch::default();
        let question = self.question(&watch)?;
        let swept = {
            let _stoppable = crate::stop::by_interrupt(&watch);
            shown(|tell| sweep(&question, tell))
        };
        let swept = match swept {
            Err(stopped @ SweepError::Stopped { .. }) => {
                talk(&format!("{stopped}; the same command goes on from there"));
                return Err(Failure::Interrupted);
            }
            swept => swept.map_err(failure)?,
        };
        if swept.found > 0 {
            talk(&format!("{} of {} cases were there already", swept.found, swept.cases));
        }
        if !self.quiet && question.shard == Shard::ALL {
            let results = results(&self.out).map_err(failure)?;
            print(&sweep_text(&results, &findings(&results, 0), width()))?;
        }
        talk(&format!("written: {}", self.out.display()));
        Ok(())
    }

    fn question(&self, watch: &Watch) -> Result<SweepQuestion, Failure> {
        let factors = match &self.cases {
            Some(table) => factors_of_table(table, &Inputs::here()),
            None => self.vary.iter().map(|text| text.parse::<Factor>()).collect(),
        };
        let points = self.points.unwrap_or_default();
        let design = match self.sample.as_deref() {
            Some("latin-hypercube") => Design::LatinHypercube(points),
            Some("sobol") => Design::Sobol(points),
            Some(_) => Design::Saltelli(points),
            None if self.cases.is_some() || self.together => Design::Table,
            None => Design::Grid,
        };
        Ok(SweepQuestion {
            files: Inputs::here(),
            scenario: self.scenario.clone(),
            settings: self.settings.clone(),
            factors: factors.map_err(failure)?,
            design,
            constraints: self.constraints.clone(),
            seed: self.seed,
            replications: self.replications,
            precision: part(self.precision, "--precision")?,
            measures: self.measures.clone(),
            folder: self.out.clone(),
            shard: self.shard.unwrap_or(Shard::ALL),
            threads: self.jobs.map(usize::from),
            watch: watch.clone(),
        })
    }
}

impl Show {
    fn execute(&self) -> Result<(), Failure> {
        let files = Inputs::here();
        self.results.check(&files, &[])?;
        let results = results(&self.folder).map_err(failure)?;
        let at = self.measure(&results)?;
        let found = findings(&results, at);
        if let Some(csv) = &self.csv {
            write_csv(&results, csv, &files).map_err(failure)?;
        }
        let text = match self.case {
            Some(number) => case_text(&results, self.case_of(&found, number)?, &found),
            None => sweep_text(&results, &found, width()),
        };
        let page =
            |found: &Findings, path: &Path, inputs: &Inputs| write_sweep_html(&results, found, path, inputs);
        self.results.leave((&found, &files), page, (!self.quiet).then_some(text))?;
        crate::results::say_written(self.csv.iter());
        Ok(())
    }

    /// Which of the measures is asked for.
    fn measure(&self, results: &SweepResults) -> Result<usize, Failure> {
        let Some(asked) = &self.measure else { return Ok(0) };
        let known = || results.measures.iter().map(ToString::to_string);
        let named = petrio_study::compare::Measure::parse(asked).map(|measure| measure.to_string());
        let place = known().position(|name| named.as_ref().is_ok_and(|named| *named == name));
        place.ok_or_else(|| {
            let help = format!(
                "it keeps {}; more by petrio sweep --measure in another folder",
                known().collect::<Vec<_>>().join(", ")
            );
            Failure::new(format!("{} keeps no {asked}", self.folder.display()), Some(help))
        })
    }

    fn case_of<'f>(&self, found: &'f Findings, number: u64) -> Result<&'f Case, Failure> {
        found.case(number).ok_or_else(|| {
            let help = match found.cases.iter().map(|case| case.case).max() {
                Some(last) => format!(
                    "they go from 0 to {last}, without those that --where leaves out or that aren't done"
                ),
                None => "there are none yet".to_owned(),
            };
            Failure::new(format!("{} has no rows of a case {number}", self.folder.display()), Some(help))
        })
    }
}

/// A case with all its figures, and the command that repeats each of its runs.
fn case_text(results: &SweepResults, case: &Case, found: &Findings) -> String {
    let rows = results.rows.iter().filter(|row| row.case == case.case);
    let mut heads = vec!["replication".to_owned()];
    heads.extend(results.measures.iter().map(ToString::to_string));
    let cells = rows.map(|row| {
        let value = |(measure, value): (&petrio_study::compare::Measure, &Option<f64>)| {
            value.map(|value| measure.value(value)).unwrap_or_default()
        };
        let figures = results.measures.iter().zip(&row.figures).map(value);
        std::iter::once(row.replication.to_string()).chain(figures).collect()
    });
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let table = crate::table::table(&heads, &cells.collect::<Vec<_>>());
    let settings = petrio_study::sweep::settings(&results.study.factors, &case.values).join(", ");
    format!("case {}: {settings}\n\n{table}\nrepeat it:  {}\n", case.case, found.command(results, case, 0))
}

impl Merge {
    fn execute(&self) -> Result<(), Failure> {
        let cases = merge(&self.into, &self.folders).map_err(failure)?;
        talk(&format!(
            "{cases} cases of {} in {}",
            petrio_page::numbers::counted(self.folders.len() as u64, "folder", "folders"),
            self.into.display()
        ));
        Ok(())
    }
}

/// Runs, and shows meanwhile how far that is.
fn shown<T>(runs: impl FnOnce(&petrio_study::sweep::OnSweepStep<'_>) -> T) -> T {
    let bar = bar("{msg} {bar:30} {pos} of {len} cases ({elapsed}, {eta} left)");
    let outcome = runs(&|step| {
        let (words, done, of) = match step {
            SweepProgress::Checked { done, of } => ("read", done, of),
            SweepProgress::Run { done, of } => ("run", done, of),
        };
        bar.set_message(words);
        bar.set_length(of);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    outcome
}

fn failure(error: SweepError) -> Failure {
    match error {
        SweepError::Scenario(problems) => Failure::Scenario(problems),
        other => Failure::of(&other),
    }
}
