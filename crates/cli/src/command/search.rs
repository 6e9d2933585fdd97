//! `petrio search`: what petrio's Python package does, with Optuna.

use crate::failure::Failure;
use clap::Args;
use petrio_scenario::Override;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// Find the cheapest configuration that keeps its targets, in few runs (needs petrio's Python package)
#[derive(Args)]
#[command(after_help = HELP)]
pub(crate) struct Search {
    /// The scenario file
    #[arg(value_name = "SCENARIO")]
    scenario: PathBuf,
    /// A key and the values that it may take, as petrio sweep has them; may be repeated
    #[arg(long, value_name = "PATH=VALUES", required = true)]
    vary: Vec<String>,
    /// What has to be kept, such as "p99-latency <= 20 ms" or "rate >= 4000 /s"; may be repeated
    #[arg(long, value_name = "COMPARISON", required = true)]
    target: Vec<String>,
    /// What is to be least: a formula of keys that are varied, such as 'disk.d.model * disk.d.count + 600' [default: what the system costs
    /// by the prices of the catalogue and the scenario, as its report says]
    #[arg(long, value_name = "FORMULA")]
    cost: Option<String>,
    /// What a key stands for in that, by its value: disk.d.model=hp-97560:120,ibm-ultrastar-18es:300; may be repeated
    #[arg(long, value_name = "PATH=VALUE:PRICE,…")]
    price: Vec<String>,
    /// Leave out configurations of which this isn't true, such as 'raid.r.level != 0'; may be repeated
    #[arg(long = "where", value_name = "COMPARISON")]
    constraints: Vec<String>,
    /// Change a value in every configuration; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    settings: Vec<Override>,
    /// How many runs at most; each replication is one
    #[arg(long, value_name = "NUMBER", default_value_t = 150)]
    runs: u32,
    /// How many replications of a configuration at most: of one that is far from its targets one is enough
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    replications: u32,
    /// Where the runs' random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Where the sampler's begin
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    search_seed: u32,
    /// Keep what is tried in this file, from which the same search goes on after it was killed
    #[arg(long, value_name = "FILE")]
    storage: Option<PathBuf>,
    /// Write what was found as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write it as one self-contained HTML page with the front of cost against the first target
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Don't print what was found
    #[arg(long, short)]
    quiet: bool,
}

const HELP: &str = "\
Optuna proposes (https://optuna.org); configurations that cost no less than the best that holds aren't run, and those far from their targets
are run once. The Python that is used is python3, or what PETRIO_PYTHON names; it gets petrio by pip install '.[search]' in petrio's own
folder.

Exit codes: 0 one was found; 3 none keeps its targets in so many runs; 2 the question was wrong.

Examples:
  petrio search examples/mail-store.toml --target 'p99-latency <= 18 ms' --vary disk.d.count=4..13 \\
      --vary disk.d.model=seagate-savvio-10k4,intel-x25-m-g2-80gb --price disk.d.model=seagate-savvio-10k4:250,intel-x25-m-g2-80gb:320 \\
      --cost 'disk.d.model * disk.d.count'";

/// Which Python, where none is named.
const PYTHON: &str = "python3";
/// Names another.
const NAMED: &str = "PETRIO_PYTHON";
/// What Python says when it hasn't got it: told by a look of its own, before the search.
const LOOK: &str = "import importlib.util, sys; sys.exit(0 if all(map(importlib.util.find_spec, ('petrio', 'optuna'))) else 9)";

impl Search {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let python = std::env::var_os(NAMED).unwrap_or_else(|| PYTHON.into());
        let has_it = Command::new(&python).args(["-c", LOOK]).status().is_ok_and(|status| status.success());
        if !has_it {
            let python = python.to_string_lossy();
            return Err(Failure::new(
                format!("a search needs petrio's Python package and Optuna, which {python} doesn't have"),
                Some(format!(
                    "in petrio's own folder: {python} -m pip install '.[search]'; or name another Python by {NAMED}"
                )),
            ));
        }
        let status = Command::new(&python).args(["-m", "petrio", "search"]).args(self.words()).status();
        let status = status.map_err(|cause| {
            Failure::new(format!("{} can't be started: {cause}", python.to_string_lossy()), None)
        })?;
        match status.code() {
            Some(0) => Ok(()),
            Some(130) | None => Err(Failure::Interrupted),
            Some(code) => Err(Failure::Code(u8::try_from(code).unwrap_or(1))),
        }
    }

    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.scenario.clone().into()];
        let mut option = |name: &str, value: OsString| words.extend([name.into(), value]);
        let texts = [
            ("--vary", &self.vary),
            ("--target", &self.target),
            ("--price", &self.price),
            ("--where", &self.constraints),
        ];
        for (name, values) in texts {
            values.iter().for_each(|value| option(name, value.into()));
        }
        self.settings.iter().for_each(|setting| option("--set", setting.text().to_string().into()));
        self.cost.iter().for_each(|cost| option("--cost", cost.into()));
        let numbers = [
            ("--runs", Some(self.runs.into())),
            ("--replications", Some(self.replications.into())),
            ("--seed", self.seed),
            ("--search-seed", Some(self.search_seed.into())),
        ];
        for (name, number) in numbers {
            number.into_iter().for_each(|number: u64| option(name, number.to_string().into()));
        }
        for (name, path) in [("--storage", &self.storage), ("--json", &self.json), ("--html", &self.html)] {
            path.iter().for_each(|path| option(name, path.into()));
        }
        if self.quiet {
            words.push("--quiet".into());
        }
        words
    }
}
