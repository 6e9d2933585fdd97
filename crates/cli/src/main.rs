//! The `petrio` command: arguments in, text out, and no logic of its own.
//!
//! Data goes to standard output, talk to standard error. Exit codes: 0 done, 1 a file could not be written or a
//! prediction misses its bound, 2 bad input, 3 a prediction misses its bound as it is known to.

#![warn(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
#![cfg_attr(
    test,
    allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the numbers of a test are small"
    )
)]

mod command;
mod failure;
mod judged;
mod leftovers;
#[cfg(feature = "live")]
mod live;
#[cfg(not(feature = "live"))]
#[path = "without_live.rs"]
mod live;
mod output;
mod outputs;
mod progress;
mod results;
mod stop;
mod streams;
mod table;
mod usage;
mod user_shares;

use clap::{CommandFactory, Parser, Subcommand};
#[cfg(feature = "live")]
use command::exec::Exec;
use failure::Failure;
#[cfg(not(feature = "live"))]
use live::Exec;
use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// Nets of thousands of parts are millions of small pieces of memory: with the system's allocator the largest clusters take
/// a quarter longer (`petrio bench cluster`).
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Predict how a storage system will perform before it is built, bought or changed.
///
/// petrio runs a workload through timed coloured Petri nets of the devices, file systems, caches and networks on its
/// way, and says how fast, where the time goes, what the bottleneck is, and what would change it.
///
/// Where a file is read, - is standard input; where one is written, it is standard output.
#[derive(Parser)]
#[command(name = "petrio", version, max_term_width = 110, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  petrio init postgres && petrio run postgres.toml
  petrio run examples/load-on-one-disk.toml --html report.html
  petrio run scenario.toml --set disk.d.model=ibm-ultrastar-18es --set measure.replications=10
  petrio compare scenario.toml scenario.toml@disk.d.scheduler=sptf
  petrio sweep scenario.toml --vary disk.d.count=1..8 --out study
  petrio explain scenario.toml
  petrio load scenario.toml --metric p99 --limit 20ms
  petrio loss array.toml --years 5
  petrio check scenario.toml
  petrio emulate scenario.toml --nbd disk.sock
  petrio catalogue list";

#[derive(Subcommand)]
enum Command {
    Init(command::init::Init),
    Run(command::run::Run),
    Compare(command::compare::Compare),
    Sweep(Box<command::sweep::Sweep>),
    Load(command::load::Load),
    Loss(command::loss::Loss),
    Explain(command::explain::Explain),
    Search(command::search::Search),
    Check(command::check::Check),
    Place(command::place::PlacePartitions),
    Net(command::net::Net),
    Schema(command::schema::Schema),
    #[command(subcommand)]
    Catalogue(command::catalogue::Catalogue),
    Emulate(Box<live::Emulate>),
    Calibrate(live::Calibrate),
    #[command(subcommand)]
    Validate(command::validate::Validate),
    #[command(subcommand)]
    Bench(command::bench::Bench),
    #[command(subcommand)]
    Trace(command::trace::Trace),
    Record(live::Record),
    #[command(subcommand)]
    Fs(command::fs::Fs),
    #[command(subcommand)]
    Users(command::users::Users),
    Fit(command::fit::Fit),
    Exec(Exec),
    #[cfg(feature = "studio")]
    Studio(command::studio::Studio),
    Completions(command::completions::Completions),
    Man(command::man::Man),
}

impl Command {
    fn execute(self) -> Result<(), Failure> {
        match self {
            Self::Init(init) => init.execute(),
            Self::Run(run) => run.execute(),
            Self::Compare(compare) => compare.execute(),
            Self::Sweep(sweep) => sweep.execute(),
            Self::Load(load) => load.execute(),
            Self::Loss(loss) => loss.execute(),
            Self::Explain(explain) => explain.execute(),
            Self::Search(search) => search.execute(),
            Self::Check(check) => check.execute(),
            Self::Place(place) => place.execute(),
            Self::Net(net) => net.execute(),
            Self::Schema(schema) => schema.execute(),
            Self::Catalogue(catalogue) => catalogue.execute(),
            Self::Emulate(emulate) => emulate.execute(),
            Self::Calibrate(calibrate) => calibrate.execute(),
            Self::Validate(validate) => validate.execute(),
            Self::Bench(bench) => bench.execute(),
            Self::Trace(trace) => trace.execute(),
            Self::Record(record) => record.execute(),
            Self::Fs(fs) => fs.execute(),
            Self::Users(users) => users.execute(),
            Self::Fit(fit) => fit.execute(),
            Self::Exec(exec) => exec.execute(),
            #[cfg(feature = "studio")]
            Self::Studio(studio) => studio.execute(),
            Self::Completions(completions) => completions.execute(&mut Arguments::command()),
            Self::Man(man) => man.execute(Arguments::command()),
        }
    }
}

/// As shells have it: a program that was found and can't be executed.
const NOT_STARTED: u8 = 126;

/// Whether a signal is ending the program.
static ENDING: AtomicBool = AtomicBool::new(false);

fn main() -> ExitCode {
    // A launcher becomes another program, and does nothing of its own before.
    let words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if let Some(code) = live::execute_if_called(&words).or_else(|| petrio_benchmark::live::called(&words)) {
        return ExitCode::from(code);
    }
    let launched = petrio_capture::launch::called(&words).map(Err);
    match launched.or_else(|| live::serve_if_called(&words)) {
        None => {}
        Some(Ok(())) => return ExitCode::SUCCESS,
        Some(Err(error)) => {
            output::talk(&format!("the program can't be started: {error}"));
            return ExitCode::from(NOT_STARTED);
        }
    }
    if let Ok(program) = std::env::current_exe() {
        petrio_capture::launch::by(program);
    }
    // A worker belongs to a run, whose own start has cleared.
    if !words.starts_with(&["users".into(), "worker".into()]) {
        leftovers::clear();
    }
    let command = Arguments::parse().command;
    // After clearing, which is to reach everybody's mounts, and before the handler, whose thread is to reach this
    // command's.
    if let Command::Calibrate(_) | Command::Validate(_) = &command {
        live::mount_apart();
    }
    // A command that is broken off leaves nothing half-written. Without a handler it ends all the same.
    let _ = ctrlc::set_handler(|| {
        // A capture completes its trace; told a second time, it ends like everything else.
        if petrio_capture::file_trace::interrupt() {
            return;
        }
        // The studio ends by itself when it is told.
        #[cfg(feature = "studio")]
        if petrio_studio::interrupt() {
            return;
        }
        // An emulation takes its devices down itself.
        if live::interrupt() {
            return;
        }
        // A run ends by itself as well.
        if stop::interrupt() {
            return;
        }
        ENDING.store(true, Ordering::SeqCst);
        // Another signal waits until this is done; and what a kill leaves undone stands in the record.
        petrio_scenario::report::discard_unfinished();
        petrio_capture::undo::take_down_all();
        petrio_files::temporary::remove_all();
        output::talk("interrupted");
        std::process::exit(output::INTERRUPTED.into());
    });
    let outcome = command.execute();
    // What a command finds taken away under it is no failure; and the process must not end before all is taken down.
    while ENDING.load(Ordering::SeqCst) {
        std::thread::park();
    }
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => output::report(failure),
    }
}

#[cfg(all(test, feature = "live"))]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that can't set up has failed")]
    use super::*;
    use petrio_scenario::build::System;
    use petrio_scenario::report::Sinks;
    use petrio_scenario::run::simulate;
    use petrio_scenario::{Override, load_text};

    /// Each with the beginning of the measurement that would tell most.
    const ASKED: [(&str, &str, &str); 5] = [
        ("model = \"seagate-cheetah-9lp\"", "", "petrio calibrate --device "),
        ("model = \"intel-dc-s3500-480gb\"", "", "petrio calibrate --from "),
        ("model = \"hp-7937\"", "", "petrio calibrate --device "),
        ("model = \"seagate-cheetah-9lp\"", "cached = true", "petrio calibrate --out "),
        (
            "model = \"constant-rate\"\ndrive = { latency = \"1 ms\", rate = \"9 MB/s\" }",
            "cached = false",
            "petrio compare ",
        ),
    ];

    #[test]
    fn every_command_that_a_report_advises_is_one_that_petrio_takes() {
        for (device, host, begin) in ASKED {
            let workload = match host {
                "" => "on = \"d\"\nkind = \"synthetic\"\nrequests = 50\ngenerators = [{ read_fraction = 1, time_critical_fraction = 1, inter_arrival = { constant = \"0 s\" }, size = \"8 KiB\" }]".to_owned(),
                cached => format!("on = \"f\"\nkind = \"files\"\npattern = \"random\"\noperation = \"read\"\nrecord = \"8 KiB\"\nfile_size = \"4 MiB\"\noperations = 50\n{cached}"),
            };
            let host = if host.is_empty() {
                String::new()
            } else {
                "[host.h]\nmachine = \"poweredge-1850\"\nkernel = \"linux-3.2\"\n[fs.f]\ntype = \"ext3\"\non = \"d\"\n".to_owned()
            };
            let text = format!("[disk.d]\n{device}\n{host}[workload.w]\n{workload}\n");
            let loaded = load_text("scenario.toml", &text, None, &[]).unwrap();
            let report = simulate(&loaded, &System::build(&loaded).unwrap(), Sinks::default()).unwrap();
            let narrows = report.model_error[0].narrows.clone().unwrap();
            assert!(narrows.command.starts_with(begin), "{}", narrows.command);
            let words = narrows.command.replace("SIZE", "1TB");
            if let Err(error) = Arguments::try_parse_from(words.split(' ')) {
                panic!("{words}: {error}");
            }
            if let Some(set) = &narrows.set {
                let (path, _) = set.split_once('=').unwrap();
                let set: Override = set.parse().unwrap();
                // What it names isn't there yet, and that is all that is wrong with it.
                let error = load_text("scenario.toml", &text, None, &[set]).unwrap_err().to_string();
                assert!(error.contains(".toml") && !error.contains("unknown"), "{path}: {error}");
            }
        }
    }
}
