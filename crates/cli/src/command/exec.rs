//! `petrio exec`

use crate::command::compare::answer;
use crate::failure::Failure;
use crate::output::{print, talk, width};
use crate::outputs::Outputs;
use crate::results::{Results, say_written};
use clap::Args;
use petrio_execute::{Compute, Execution, Laid, MessageSpeed, Options, RankTold, Shim, Told};
use petrio_files::inputs::Inputs;
use petrio_kernel::{Time, Watch};
use petrio_page::numbers::seconds;
use petrio_scenario::given::{GivenPlace, load_for_given};
use petrio_scenario::report::{
    CallFigures, DeviceLog, ExecutedFigures, ExecutedRank, Report, Sinks, terminal_text, write_csv,
    write_html, write_json,
};
use petrio_scenario::run::{Part, run_part};
use petrio_scenario::{Loaded, Override};
use petrio_study::compare::{CompareError, Input, Question};
use petrio_units::Bytes;
use petrio_units::numbers::whole_part;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Without --limit a program may write so much of the memory that is free.
const PART_OF_FREE: u64 = 2;

/// Run a program on a scenario's storage: its calls take simulated time, and its clocks show that
///
/// The program is an unmodified one. Its files are really stored, but in a copy of this machine's file system that is gone when it ends;
/// what takes time is what the scenario's disks, caches and file system make of its calls. Clocks, sleeps and timeouts in it show
/// simulated time, and nobody waits for it. What lies below the current directory is on the simulated storage, cold; so is what the
/// program writes, wherever.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Exec {
    /// The scenario, whose own workloads are left out; of two or more the program runs on each, and they are compared
    #[arg(value_name = "SCENARIO", required = true, value_parser = crate::streams::input)]
    scenarios: Vec<PathBuf>,
    /// The program and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    command: Vec<OsString>,
    /// The file system that the program works on, where the scenario has several; repeated, or with * in it, ranks of MPI lie on all of
    /// them in blocks
    #[arg(long, value_name = "NAME")]
    on: Vec<String>,
    /// Change a value of the scenario, such as disk.d.model=NAME; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// What the program's own computing costs: measured (the processor time of its threads, not the same twice), fixed:TIME (so much a
    /// call), or none; with these two a program that does the same each time gives the same report
    #[arg(long, value_name = "HOW", default_value = "measured")]
    compute: Compute,
    /// Delay its calls instead: its clocks are this machine's, and whoever waits for it waits as long as the simulated storage takes
    #[arg(long, conflicts_with = "compute")]
    real_time: bool,
    /// A further directory that lies on the simulated storage; may be repeated
    #[arg(long, value_name = "DIR")]
    storage: Vec<PathBuf>,
    /// Keep what the program writes in this directory meanwhile, and not in memory
    #[arg(long, value_name = "DIR")]
    scratch: Option<PathBuf>,
    /// Leave it there
    #[arg(long, requires = "scratch")]
    keep: bool,
    /// How much it may write; left out, half of the memory that is free, or nine tenths of what the scratch directory's disk has
    #[arg(long, value_name = "SIZE")]
    limit: Option<Bytes>,
    /// Let it reach the network of this machine; else it has one of its own with nobody else in it
    #[arg(long)]
    network: bool,
    /// How long a message between two ranks of MPI is on its way, such as 2us; as through shared memory where nothing is said
    #[arg(long, value_name = "TIME")]
    message_latency: Option<petrio_units::Duration>,
    /// How much a rank of MPI sends in a second, such as "1 GiB/s"; as through shared memory where nothing is said
    #[arg(long, value_name = "RATE")]
    message_rate: Option<petrio_units::Rate>,
    /// How many processes and threads it may have at one time
    #[arg(long, value_name = "NUMBER", default_value_t = 1_024, value_parser = clap::value_parser!(u32).range(1..=16_384))]
    processes: u32,
    /// Write the report as JSON
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    json: Option<PathBuf>,
    /// Write the report's figures as CSV
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    csv: Option<PathBuf>,
    /// Write the report as one self-contained HTML page with plots
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    html: Option<PathBuf>,
    /// Write every request that reaches a device of the simulated storage, when, what for and how long, as CSV, or as Parquet if FILE
    /// ends in .parquet
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    device_log: Option<PathBuf>,
    /// Write every file operation of the program, as the simulated host takes it, as a trace for petrio trace
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    trace: Option<PathBuf>,
    /// Don't print the report
    #[arg(long, short)]
    quiet: bool,
}

const EXAMPLES: &str = "\
Examples:
  petrio exec disk.toml -- sqlite3 test.db < load.sql
  petrio exec disk.toml --compute none -- dd if=/dev/zero of=x bs=4k count=1000 oflag=dsync
  petrio exec disk.toml -- sh -c 'tar xf linux.tar && sync'
  petrio exec disk.toml -- mpirun -np 4 ./bt_io 24 20 full state
  petrio exec disk.toml ssd.toml -- git gc      # what would it gain from this drive?";

impl Exec {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        self.outputs().check(&inputs, self.scenarios.iter().map(PathBuf::as_path))?;
        let of_one = [("--device-log", &self.device_log), ("--trace", &self.trace)];
        if let Some((option, _)) = of_one.iter().find(|(_, path)| path.is_some() && self.scenarios.len() > 1)
        {
            let help = "run the program on each scenario alone".to_owned();
            return Err(Failure::new(format!("{option} is of one scenario's storage"), Some(help)));
        }
        let found = found(&self.command)?;
        let shim = self.shim()?;
        let watch = Watch::telling(|_| std::ops::ControlFlow::Continue(()));
        let _stoppable = crate::stop::by_interrupt(&watch);
        let (mut reports, mut code) = (Vec::new(), 0);
        for scenario in &self.scenarios {
            let (report, ended) = self.one(scenario, (&found, shim.as_ref()), (&inputs, &watch))?;
            code = ended;
            reports.push(report);
        }
        let (Some(report), true) = (reports.first(), reports.len() == 1) else {
            return self.compared(&reports, &inputs, code);
        };
        if let Some(path) = &self.json {
            write_json(report, path, &inputs)?;
        }
        if let Some(path) = &self.csv {
            write_csv(report, path, &inputs)?;
        }
        if let Some(path) = &self.html {
            write_html(report, path, &inputs)?;
        }
        if !self.quiet && !self.outputs().to_output() {
            print(&terminal_text(report, None, width()))?;
        }
        say_written(self.outputs().paths().map(|(_, path)| path));
        ended_with(code)
    }

    /// The program on one scenario: its report, and what the program ended with.
    fn one(
        &self,
        scenario: &Path,
        program: (&Path, Option<&Shim>),
        (inputs, watch): (&Inputs, &Watch),
    ) -> Result<(Report, i32), Failure> {
        let mut overrides = self.overrides.clone();
        overrides.extend(self.seed.map(|seed| Override::new("seed", &seed.to_string())));
        let mut loaded =
            load_for_given(inputs, scenario, (&self.on, program.1.is_some()), &overrides, watch)?;
        for warning in &loaded.warnings {
            talk(&format!("{:?}", miette::Report::new(warning.clone())));
        }
        let scratch = self.scratch()?;
        let execution = Arc::new(self.execution(program, scratch.as_deref(), &loaded, watch)?);
        let told = execution.told();
        let hosts: Vec<String> = execution.places().iter().map(|place| place.host.clone()).collect();
        loaded.give(execution, hosts.len());
        let began = Instant::now();
        let outcome =
            run_part(&loaded, self.sinks(&loaded, inputs)?, Part { so_far: true, ..Part::default() });
        let wall = began.elapsed().as_secs_f64();
        if let (Some(scratch), false) = (&scratch, self.keep) {
            let _ = std::fs::remove_dir_all(scratch);
        }
        // What the program has told stands in the run's own, which has ended.
        drop(loaded);
        let told = told.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(problem) = &told.failed {
            return Err(Failure::new(problem, told.is_of_machine.then(|| NEEDS.to_owned())));
        }
        let mut report = outcome?;
        report.executed = Some(self.figures(&told, &hosts));
        if watch.is_stopped() {
            print(&terminal_text(&report, None, width()))?;
            return Err(Failure::Interrupted);
        }
        if std::io::stderr().is_terminal() {
            let times = format!("{} of virtual time in {}", seconds(report.simulated_s), seconds(wall));
            talk(&format!("executed: {times}"));
        }
        Ok((report, told.code.unwrap_or(1)))
    }

    /// What is written while it goes on.
    fn sinks(&self, loaded: &Loaded, inputs: &Inputs) -> Result<Sinks, Failure> {
        let mut sinks = Sinks::default();
        if let Some(path) = &self.trace {
            let subject = loaded.subjects().into_iter().next();
            let subject = subject.ok_or_else(|| failure("nothing takes the program's calls"))?;
            petrio_scenario::run::write_trace(&mut sinks, loaded, subject, path)?;
        }
        if let Some(path) = &self.device_log {
            let devices = loaded.disks.iter().map(|disk| disk.name.clone()).collect();
            sinks.push_device_log(DeviceLog::create(path, inputs, devices)?);
        }
        Ok(sinks)
    }

    fn execution(
        &self,
        (program, shim): (&Path, Option<&Shim>),
        scratch: Option<&Path>,
        loaded: &Loaded,
        watch: &Watch,
    ) -> Result<Execution, Failure> {
        let directory =
            std::env::current_dir().map_err(|error| failure(&format!("the current directory: {error}")))?;
        let mut storage = vec![directory.clone()];
        storage.extend(self.storage.iter().cloned());
        let laid = Laid::walk(&storage).map_err(|error| failure(&error.to_string()))?;
        let places = self.places(loaded, shim.is_some())?;
        let holds = places.iter().map(|place| place.bytes).min().unwrap_or(0);
        let needs = laid.table.bytes();
        if needs > holds {
            let message = format!(
                "what lies below {} needs {}, and the simulated file system has {}",
                directory.display(),
                petrio_page::numbers::bytes(needs),
                petrio_page::numbers::bytes(holds)
            );
            let help = "start the program in a directory with what it needs, or simulate a larger device";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        let limit = match scratch {
            // A disk that others use, too, isn't filled to its end.
            Some(scratch) => petrio_execute::free_on_disk(scratch) / 10 * 9,
            None => petrio_execute::free_memory() / PART_OF_FREE,
        };
        let options = Options {
            program: program.to_owned(),
            command: self.command.clone(),
            directory,
            storage,
            compute: self.compute,
            real_time: self.real_time,
            scratch: scratch.map(Path::to_owned),
            limit: self.limit.map_or(limit, Bytes::get),
            network: self.network,
            threads: self.processes,
            environment: shim.map(Shim::environment).unwrap_or_default(),
            ranks: shim.is_some(),
            places,
            messages: self.messages(),
        };
        Ok(Execution::new(options, laid, watch))
    }

    /// The hosts on which it runs, and their file systems.
    fn places(&self, loaded: &Loaded, has_ranks: bool) -> Result<Vec<GivenPlace>, Failure> {
        let mut places = loaded.given_places();
        if !has_ranks && self.on.len() < 2 {
            places.truncate(1);
        }
        if places.len() < 2 {
            return Ok(places);
        }
        let hosts: Vec<&str> = places.iter().map(|place| place.host.as_str()).collect();
        let hosts = hosts.join(", ");
        if !has_ranks {
            let message =
                format!("the program is one host's, and file systems of several are named ({hosts})");
            let help = "name that of one host: --on NAME, such as --on HOST/NAME; only the ranks of MPI lie on several";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        if !loaded.given_is_joined() {
            let message = format!("nothing carries messages between ranks on {hosts}");
            let help = "join all of these hosts with one [mpi.NAME] and hosts = …, or name one host's file system: --on NAME";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        if self.message_latency.is_some() || self.message_rate.is_some() {
            let message = format!("messages between ranks on {hosts} take what the scenario's network says");
            let help =
                "leave --message-latency and --message-rate out, or name one host's file system: --on NAME";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        Ok(places)
    }

    /// What is loaded into MPI's ranks, where the program is likely to have some.
    fn shim(&self) -> Result<Option<Shim>, Failure> {
        if !petrio_execute::may_be_mpi(&self.command) {
            return Ok(None);
        }
        if self.real_time {
            let help = "leave --real-time out: the ranks' clocks show the same times";
            let message =
                "ranks of MPI are held until others have come to them in virtual time, not in real time";
            return Err(Failure::new(message, Some(help.to_owned())));
        }
        let help = "install the MPI library's compiler (libopenmpi-dev has it), or name it by MPICC";
        Shim::compile().map(Some).map_err(|why| {
            let message =
                format!("MPI's ranks tell of their messages by what mpicc compiles for them, and {why}");
            Failure::new(message, Some(help.to_owned()))
        })
    }

    fn messages(&self) -> MessageSpeed {
        let mut speed = MessageSpeed::default();
        if let Some(latency) = self.message_latency {
            speed.latency = latency.time();
        }
        if let Some(rate) = self.message_rate {
            speed.bytes_per_second = whole_part(rate.bytes_per_second()).max(1);
        }
        speed
    }

    /// A directory of its own in the one that was named.
    fn scratch(&self) -> Result<Option<PathBuf>, Failure> {
        let Some(within) = &self.scratch else { return Ok(None) };
        let made = (0..1_000).find_map(|number| {
            let path = within.join(format!("petrio-exec-{}-{number}", std::process::id()));
            match std::fs::create_dir(&path) {
                Ok(()) => Some(Ok(path)),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => None,
                Err(error) => Some(Err(error)),
            }
        });
        match made {
            Some(Ok(path)) => Ok(Some(std::fs::canonicalize(&path).unwrap_or(path))),
            Some(Err(error)) => {
                Err(failure(&format!("{} can't hold what the program writes: {error}", within.display())))
            }
            None => Err(failure(&format!("{} is full of others' directories", within.display()))),
        }
    }

    fn figures(&self, told: &Told, hosts: &[String]) -> ExecutedFigures {
        let words: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
        ExecutedFigures {
            command: words.join(" "),
            compute: match self.compute {
                Compute::Measured if self.real_time => "in real time".to_owned(),
                Compute::Measured => "measured".to_owned(),
                Compute::Fixed(each) => format!("{each} a call"),
                Compute::None => "none".to_owned(),
            },
            exit_code: told.code,
            processes: told.processes,
            threads: told.threads,
            programs: told.programs,
            computed_ns: told.computed.as_picos() / 1_000,
            calls: (told.calls.iter())
                .map(|(call, &count)| CallFigures { call: (*call).to_owned(), count })
                .collect(),
            host_reads: told.host_reads.0,
            host_read_bytes: told.host_reads.1,
            mapped: told.mapped.0,
            mapped_bytes: told.mapped.1,
            refused_writes: told.no_room,
            volume_full: told.volume_full,
            device_failures: told.device_failures,
            scratch_full: told.scratch_full,
            refused_threads: told.refused_threads,
            real_timers: told.real_timers,
            uncertain: told.uncertain,
            unseen: (told.unseen.iter())
                .map(|(call, &count)| CallFigures { call: call.clone(), count })
                .collect(),
            ranks: told.ranks.iter().map(|rank| rank_figures(rank, hosts)).collect(),
            late_median_us: told.late.map(|(median, _)| median),
            late_p99_us: told.late.map(|(_, most)| most),
        }
    }

    fn outputs(&self) -> Outputs<'_> {
        Outputs::of([
            ("--json", &self.json),
            ("--csv", &self.csv),
            ("--html", &self.html),
            ("--device-log", &self.device_log),
            ("--trace", &self.trace),
        ])
    }

    /// Several reports side by side, as petrio compare tells of reports that it is given.
    fn compared(&self, reports: &[Report], inputs: &Inputs, code: i32) -> Result<(), Failure> {
        let folder = std::env::temp_dir().join(format!("petrio-exec-{}", std::process::id()));
        let failed = |error: std::io::Error| {
            Failure::Output(format!("the reports can't be put aside to be compared: {error}"))
        };
        std::fs::create_dir(&folder).map_err(failed)?;
        let compared = self.compared_in(&folder, reports, inputs);
        std::fs::remove_dir_all(&folder).map_err(failed)?;
        compared?;
        ended_with(code)
    }

    fn compared_in(&self, folder: &Path, reports: &[Report], inputs: &Inputs) -> Result<(), Failure> {
        let mut named = Vec::new();
        for (report, scenario) in reports.iter().zip(&self.scenarios) {
            let stem = scenario.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let alike = named.iter().filter(|(_, other)| *other == stem).count();
            let name = if alike == 0 { format!("{stem}.json") } else { format!("{stem}-{}.json", alike + 1) };
            let path = folder.join(name);
            write_json(report, &path, inputs)?;
            named.push((path, stem));
        }
        let asked: Result<Vec<Input>, CompareError> =
            named.iter().map(|(path, _)| path.to_string_lossy().parse()).collect();
        let question = Question {
            inputs: asked.map_err(|error| Failure::of(&error))?,
            files: Inputs::here(),
            ..Question::default()
        };
        let results = Results { json: self.json.clone(), html: self.html.clone() };
        answer(&question, None, &results, self.quiet)?;
        if !self.quiet && !results.to_output() {
            let times: Vec<String> = (reports.iter().zip(&self.scenarios))
                .map(|(report, scenario)| {
                    format!("{} on {}", seconds(report.simulated_s), scenario.display())
                })
                .collect();
            print(&format!("  the program took {}", times.join(", ")))?;
        }
        Ok(())
    }
}

fn rank_figures((&(job, rank), told): (&(u32, u32), &RankTold), hosts: &[String]) -> ExecutedRank {
    let nanos = |time: Time| time.as_picos() / 1_000;
    ExecutedRank {
        job,
        rank,
        host: hosts.get(told.place).filter(|_| hosts.len() > 1).cloned(),
        elapsed_ns: nanos(told.elapsed),
        computing_ns: nanos(told.computed),
        messages_ns: nanos(told.messages),
        storage_ns: nanos(told.storage),
        read_bytes: told.read_bytes,
        written_bytes: told.written_bytes,
        sent: told.sent,
        sent_bytes: told.sent_bytes,
        together: told.together,
        accesses: told.accesses,
        accessed_bytes: told.accessed_bytes,
    }
}

const NEEDS: &str = "petrio exec needs Linux 5.11 or later, overlayfs, and the right to make namespaces: root's, or any user's where \
    user.max_user_namespaces isn't 0 and no rule of the distribution's forbids it";

fn failure(problem: &str) -> Failure {
    Failure::new(problem, None)
}

/// The program's own code is petrio's.
fn ended_with(code: i32) -> Result<(), Failure> {
    match code {
        0 => Ok(()),
        code => Err(Failure::Code(u8::try_from(code).unwrap_or(u8::MAX))),
    }
}

/// Where a program lies, as shells look for it.
fn found(command: &[OsString]) -> Result<PathBuf, Failure> {
    let name = command.first().map(PathBuf::from).unwrap_or_default();
    if name.components().count() > 1 {
        return match name.is_file() {
            true => Ok(name),
            false => Err(Failure::new(
                format!("{} isn't there", name.display()),
                Some("name a program that can be executed".to_owned()),
            )),
        };
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let there = std::env::split_paths(&path).map(|folder| folder.join(&name)).find(|path| path.is_file());
    there.ok_or_else(|| {
        Failure::new(
            format!("there is no program {} where programs are looked for", name.display()),
            Some("name it with its path, or see what PATH says".to_owned()),
        )
    })
}
