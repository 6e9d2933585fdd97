//! Commands killed at random moments, by SIGKILL, SIGTERM and SIGINT: after the next start of petrio nothing is left of
//! them, and what they were writing is whole or absent.
//!
//! A short round runs with the other tests. The long one is `make fuzz`, or
//!
//! ```sh
//! PETRIO_KILLS=50 cargo test -p petrio-cli --test petrio killed::a_long_round -- --ignored --nocapture
//! ```
//!
//! `PETRIO_KILLS` is how often each command is killed by each signal, `PETRIO_SEED` where the moments begin (it is
//! printed, so that a round can be had again as far as a machine repeats itself), `PETRIO_VICTIMS` a word of the names
//! of the commands, for fewer of them.

mod remains;
mod victims;

use crate::support::is_root;
use petrio_hostile::noise::Noise;
use remains::{Machine, Remains, Tracing};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};
use victims::{VICTIMS, Victim};

const SIGNALS: [&str; 3] = ["KILL", "TERM", "INT"];

/// How long a command that is told to end may take for it, a debug build on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Folders of its own for a command: where it works, where it puts temporary files, and where its records lie.
struct Scene {
    folder: tempfile::TempDir,
    /// Where tracefs can be looked at.
    tracing: PathBuf,
}

impl Scene {
    fn new(tracing: &Path) -> Self {
        // In memory where that can be had: nothing here is about disks, and others' writes aren't waited for.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap();
        for name in ["work", "tmp", "state"] {
            fs::create_dir(folder.path().join(name)).unwrap();
        }
        Self { folder, tracing: tracing.to_owned() }
    }

    fn work(&self, name: &str) -> PathBuf {
        self.folder.path().join("work").join(name)
    }

    fn tmp(&self) -> PathBuf {
        self.folder.path().join("tmp")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_petrio"));
        command.args(arguments).current_dir(self.work("")).stdin(Stdio::null());
        command.env("NO_COLOR", "1").env("TMPDIR", self.tmp()).env("PETRIO_STATE", self.state());
        command
    }

    /// Runs petrio to its end: its exit code, and what it said.
    fn petrio(&self, arguments: &[&str]) -> (Option<i32>, String) {
        let answer = self.command(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&answer.stdout).into_owned();
        (answer.status.code(), said + &String::from_utf8_lossy(&answer.stderr))
    }
}

/// What became of one command and one signal.
#[derive(Default)]
struct Tally {
    kills: u32,
    /// Those that came too late: the command had ended.
    late: u32,
    /// What lay there before the next start, by kind: how often.
    before: BTreeMap<&'static str, u32>,
    /// What lay there after it, and other faults.
    faults: Vec<String>,
}

fn signal(name: &str, process: u32) {
    let told = Command::new("kill").args([&format!("-{name}"), &process.to_string()]).status();
    assert!(told.unwrap().success());
}

fn wait(child: &mut Child) -> Option<ExitStatus> {
    let end = Instant::now() + PATIENCE;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return Some(status);
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    None
}

/// Starts, kills, starts the next, and looks.
fn kill_once(scene: &Scene, victim: &Victim, name: &str, delay: Duration, tally: &mut Tally) {
    (victim.clear)(scene);
    let machine = Machine::look(&scene.tracing);
    let said = scene.folder.path().join("said");
    let mut command = scene.command(victim.arguments);
    let mut child = command.stdout(Stdio::null()).stderr(File::create(&said).unwrap()).spawn().unwrap();
    std::thread::sleep(delay);
    tally.kills += 1;
    if child.try_wait().unwrap().is_some() {
        tally.late += 1;
    } else {
        signal(name, child.id());
    }
    let mut fault =
        |text: String| tally.faults.push(format!("{name} after {} ms: {text}", delay.as_millis()));
    if wait(&mut child).is_none() {
        signal("KILL", child.id());
        let _ = child.wait();
        fault(format!("it didn't end: {}", fs::read_to_string(&said).unwrap_or_default()));
    }
    let records = remains::records(&scene.state());
    for remains in Remains::look(scene, &machine, &records, false) {
        *tally.before.entry(remains.kind).or_default() += 1;
    }
    let (code, told) = scene.petrio(&["--version"]);
    if code != Some(0) || told.contains("warning") {
        fault(format!("the next start: {told}"));
    }
    // A capture whose supervisor was killed completes its trace before it ends.
    let end = Instant::now() + PATIENCE;
    let mut left = Remains::look(scene, &machine, &records, true);
    while !left.is_empty() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(50));
        // What ended after the next start is cleared by the one after it.
        if left.iter().all(|remains| remains.kind != "process") {
            scene.petrio(&["--version"]);
        }
        left = Remains::look(scene, &machine, &records, true);
    }
    for remains in &left {
        fault(format!("{} is left: {}", remains.kind, remains.what));
    }
    if let Err(what) = (victim.check)(scene) {
        fault(what);
    }
}

fn round(test: &str, kills: u64, seed: u64, only: &str, share: u64) {
    let (mut random, tracing) = (Noise::new("kills", seed), Tracing::mount());
    println!("killed {kills} times by each signal, seed {seed}");
    println!(
        "{:<26} {:<5} {:>5} {:>5} {:>6} {:>5}  before the next start",
        "command", "by", "kills", "late", "faults", "s"
    );
    let mut faults = Vec::new();
    for victim in VICTIMS.iter().filter(|victim| victim.name.contains(only)) {
        if victim.needs_root && !is_root() {
            println!("skipped: {test}: {}: petrio doesn't run as root", victim.name);
            continue;
        }
        let scene = Scene::new(tracing.path());
        (victim.prepare)(&scene);
        for name in SIGNALS {
            let (mut tally, began) = (Tally::default(), Instant::now());
            for number in 0..kills {
                // Every other one early, where most is set up.
                let whole = victim.window_ms / share;
                let window = if number % 2 == 0 { whole } else { whole.min(400) };
                let delay = Duration::from_micros(random.number() % (window * 1_000).max(1));
                kill_once(&scene, victim, name, delay, &mut tally);
            }
            let before: Vec<String> =
                tally.before.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
            let (count, before) = (tally.faults.len(), before.join(", "));
            let seconds = began.elapsed().as_secs();
            println!(
                "{:<26} {name:<5} {:>5} {:>5} {count:>6} {seconds:>5}  {before}",
                victim.name, tally.kills, tally.late
            );
            faults.extend(tally.faults.into_iter().map(|fault| format!("{}: {fault}", victim.name)));
        }
    }
    assert!(faults.is_empty(), "seed {seed}:\n{}", faults.join("\n"));
}

#[test]
fn a_killed_command_leaves_nothing_after_the_next_start() {
    round("a_killed_command_leaves_nothing_after_the_next_start", 2, 12, "", 2);
}

#[test]
#[ignore = "takes an hour; make fuzz runs it"]
fn a_long_round() {
    let number =
        |name: &str, usual| std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual);
    let only = std::env::var("PETRIO_VICTIMS").unwrap_or_default();
    let usual = std::time::UNIX_EPOCH.elapsed().map_or(1, |time| time.as_secs());
    round("a_long_round", number("PETRIO_KILLS", 50), number("PETRIO_SEED", usual), &only, 1);
}

#[test]
fn a_traced_command_ends_with_petrio() {
    if !is_root() {
        println!("skipped: a_traced_command_ends_with_petrio: petrio doesn't run as root");
        return;
    }
    for name in ["KILL", "TERM"] {
        let scene = Scene::new(Path::new("/nowhere"));
        let script = "echo $$ > number.new; mv number.new number; exec sleep 1000";
        let mut command = scene.command(&["trace", "capture", "--buffer", "1 MiB", "--", "sh", "-c", script]);
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        while !scene.work("number").exists() {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it began");
            std::thread::sleep(Duration::from_millis(5));
        }
        let number = fs::read_to_string(scene.work("number")).unwrap();
        let traced = Path::new("/proc").join(number.trim());
        assert!(traced.exists());
        signal(name, child.id());
        assert!(wait(&mut child).is_some());
        let end = Instant::now() + PATIENCE;
        while traced.exists() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(!traced.exists(), "{name}");
        // What is told to end completes its trace; what is killed leaves none.
        assert_eq!(scene.work("trace.parquet").exists(), name == "TERM");
        assert_eq!(scene.petrio(&["--version"]).0, Some(0));
    }
}

#[test]
fn a_trace_of_the_whole_system_is_its_owners_alone() {
    use std::os::unix::fs::MetadataExt;
    if !is_root() {
        println!("skipped: a_trace_of_the_whole_system_is_its_owners_alone: petrio doesn't run as root");
        return;
    }
    let scene = Scene::new(Path::new("/nowhere"));
    let capture = |more: &[&str]| {
        let system = ["trace", "capture", "--system", "--for", "200 ms", "--buffer", "1 MiB"];
        scene.petrio(&[&system[..], more].concat())
    };
    for more in [&["--out", "one.parquet"][..], &["--out", "two.parquet", "--no-restart", "--rotate", "1h"]] {
        let (code, said) = capture(more);
        assert_eq!(code, Some(0), "{said}");
    }
    let modes = below(&scene.work("")).into_iter().map(|path| {
        let mode = fs::metadata(&path).unwrap().mode() & 0o777;
        (path.file_name().unwrap().to_string_lossy().into_owned(), mode)
    });
    let mut modes: Vec<_> = modes.collect();
    modes.sort();
    let names = ["one.log", "one.parquet", "two-0001.parquet", "two.log"];
    assert_eq!(modes, names.map(|name| (name.to_owned(), 0o600)));
    // The log follows no link.
    fs::write(scene.work("victim"), "as it was").unwrap();
    std::os::unix::fs::symlink("victim", scene.work("three.log")).unwrap();
    let (code, said) = capture(&["--out", "three.parquet"]);
    assert!(code == Some(1) && said.contains("three.log") && said.contains("help: remove it"), "{said}");
    assert_eq!(fs::read_to_string(scene.work("victim")).unwrap(), "as it was");
}

/// All files and folders below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        all.push(entry.path());
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            all.extend(below(&entry.path()));
        }
    }
    all
}
