//! `petrio users compare`

use super::{failed, share, shares};
use crate::command::compare::{answer, part};
use crate::command::reading::Reading;
use crate::failure::Failure;
use crate::results::Results;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_files::temporary::TemporaryFolder;
use petrio_scenario::report::write_text;
use petrio_scenario::{Override, load_users_in, load_users_text};
use petrio_study::compare::{Candidate, Question};
use petrio_study::users::alike::{Alike, users_beside};
use petrio_study::users::{LearnWhat, UsersError, candidate, learn_file};
use petrio_units::Fraction;
use petrio_users::{UserSpecification, Users};
use std::path::{Path, PathBuf};

/// Compare candidate file systems under the same users: which serves them better, by how much, and how sure that is
///
/// The procedure of the thesis (§5.3) in one command. The users are those of a specification, or are learned from a
/// trace first. A candidate is a directory, in which they work for real in fresh files of their own that are removed
/// again; or a scenario with one workload on files, whose place they take. All candidates meet the same sessions,
/// replication by replication. Of users who stand for real ones (those of a trace, or --like) it is tested whether they
/// work alike: p-values are corrected for all tests together (Holm), and effect sizes say by how much they differ.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compare {
    /// A user specification (.toml), or a trace of calls on files to learn one from
    #[arg(value_name = "SPEC|TRACE")]
    users: PathBuf,
    /// Two or more: directories, and scenarios
    #[arg(value_name = "CANDIDATE", required = true, num_args = 1..)]
    candidates: Vec<PathBuf>,
    /// How many users work at once
    #[arg(long = "users", value_name = "N", default_value_t = 1)]
    count: u32,
    /// How many login sessions each has, in each replication
    #[arg(long, value_name = "N", default_value_t = 5)]
    sessions: u32,
    /// A population of the specification, instead of the types' own shares
    #[arg(long, value_name = "NAME", conflicts_with = "share")]
    population: Option<String>,
    /// How many of the users are of a type, instead of what the specification says; may be repeated
    #[arg(long, value_name = "TYPE=SHARE", value_parser = share)]
    share: Vec<(String, f64)>,
    /// Change a value of the specification; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Where random numbers begin
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// How many replications of each, with the same random numbers; with --precision, how many at most
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    replications: Option<u32>,
    /// Replicate until the ratio of every pair is known to this part of it, such as 5%
    #[arg(long, value_name = "PART")]
    precision: Option<Fraction>,
    /// The level of the intervals [default: 95%]
    #[arg(long, value_name = "PART")]
    confidence: Option<Fraction>,
    /// By what they are put in order: mean-latency, read.mean-latency, write.p99-latency, throughput, makespan and so
    /// on
    #[arg(long, value_name = "MEASURE", default_value = "mean-latency")]
    measure: String,
    /// Test whether the users work as this trace says: distributions, mix of calls, correlations [default: the TRACE that
    /// they are learned from]
    #[arg(long, value_name = "TRACE")]
    like: Option<PathBuf>,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    results: Results,
    /// Don't print the comparison
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio users compare examples/users/thesis.toml examples/users/on-ext4.toml examples/users/on-unix-1990.toml
  petrio users compare examples/users/thesis.toml /mnt/ext4 /mnt/nfs --users 6 --population \"100 % heavy\" --html compared.html
  petrio users compare trace.parquet /mnt/data examples/ext4.toml --replications 5
  petrio users compare learned.toml now.toml with-more-memory.toml --like trace.parquet";

impl Compare {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let all = self.candidates.iter().chain([&self.users]).chain(&self.like);
        let named: Vec<&Path> = all.map(PathBuf::as_path).collect();
        let inputs = Inputs::here();
        self.results.check(&inputs, &named)?;
        if let [only] = self.candidates.as_slice() {
            let help = "name another one: a directory, or a scenario with a workload on files".to_owned();
            return Err(Failure::new(
                format!("there is nothing to compare {} with", only.display()),
                Some(help),
            ));
        }
        // A learned or changed specification lies here while it is used.
        let folder = TemporaryFolder::new().map_err(|error| Failure::Output(error.to_string()))?;
        let (path, specification) = self.specification(&inputs, folder.path())?;
        let shares = shares(&specification, self.population.as_deref(), &self.share)?;
        let path = std::path::absolute(path).map_err(|error| Failure::Output(error.to_string()))?;
        let users = Users { shares, ..Users::new(path, self.count, self.sessions) };
        let candidates: Result<Vec<Candidate>, Failure> = self
            .candidates
            .iter()
            .map(|path| {
                candidate(&inputs, path, &users, self.seed).map_err(|error| match &error {
                    UsersError::NotOneFileWorkload => Failure::named(path, &error),
                    _ => failed(error),
                })
            })
            .collect();
        let candidates = candidates?;
        let alike = self.alike(&inputs, &candidates)?;
        let question = Question {
            candidates,
            files: inputs,
            seed: Some(self.seed),
            replications: self.replications,
            precision: part(self.precision, "--precision")?,
            confidence: Some(part(self.confidence, "--confidence")?.unwrap_or(0.95)),
            measure: Some(self.measure.clone()),
            ..Question::default()
        };
        answer(&question, alike.as_ref(), &self.results, self.quiet)
    }

    /// Whether the users work like those that they stand for: on the first candidate, or, where it is a directory, on what
    /// stands for one.
    fn alike(&self, inputs: &Inputs, candidates: &[Candidate]) -> Result<Option<Alike>, Failure> {
        let like = self.like.as_ref().or_else(|| (!is_written(&self.users)).then_some(&self.users));
        let simulated = candidates.iter().find(|candidate| candidate.directory.is_none());
        let (Some(like), Some(on)) = (like, simulated.or_else(|| candidates.first())) else {
            return Ok(None);
        };
        let name = if simulated.is_some() { on.name.as_str() } else { "one disk" };
        users_beside((name, &on.loaded), (inputs, like), &self.reading.options()).map(Some).map_err(failed)
    }

    /// The specification, and where it stands; in `folder` where it was learned or changed.
    fn specification(&self, inputs: &Inputs, folder: &Path) -> Result<(PathBuf, UserSpecification), Failure> {
        let is_written = is_written(&self.users);
        let specification = if is_written {
            load_users_in(inputs, &self.users, &self.overrides)?
        } else {
            let learned = learn_file(inputs, &self.users, &self.reading.options(), LearnWhat::default())
                .map_err(failed)?;
            load_users_text("the learned specification", &text(&learned.specification)?, &self.overrides)?
        };
        if is_written && self.overrides.is_empty() {
            return Ok((self.users.clone(), specification));
        }
        let path = folder.join("users.toml");
        write_text(&path, inputs, &text(&specification)?)?;
        Ok((path, specification))
    }
}

/// Whether users are a specification, and no trace.
fn is_written(users: &Path) -> bool {
    users.extension().is_some_and(|extension| extension == "toml")
}

fn text(specification: &UserSpecification) -> Result<String, Failure> {
    toml::to_string(specification).map_err(|error| Failure::Output(error.to_string()))
}
