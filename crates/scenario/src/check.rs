//! What the types of a scenario can't say: names that stand for nothing, parts that nothing uses, files that aren't
//! there, options that contradict each other.

use crate::load::near_file;
use crate::schema::{Names, Replay, Scenario, TraceReplay, WarmUp, Workload, fits};
use crate::text::tree::Places;
use crate::text::typed::suggestion;
use crate::text::{Problem, Sources};
use indexmap::IndexMap;
use petrio_workload::synthetic::Synthetic;
use std::collections::BTreeSet;
use std::path::Path;

/// What the checks found.
pub(crate) struct Checked {
    pub(crate) problems: Vec<Problem>,
    /// Each disk's name and the part that it is of.
    pub(crate) disks: Vec<(String, String)>,
    /// The disks that each workload goes to, as indices of `disks`.
    pub(crate) targets: IndexMap<String, Vec<u32>>,
}

struct Checker<'a> {
    scenario: &'a Scenario,
    places: &'a Places,
    sources: &'a Sources,
    folder: Option<&'a Path>,
    problems: Vec<Problem>,
    disks: Vec<(String, String)>,
    used: BTreeSet<u32>,
}

/// So many disks of one part are a data centre, and more are a slip of the finger.
const DISKS_MAX: u32 = 100_000;

/// Checks a scenario whose parts are all well-formed. Without a folder, files are not looked for.
pub(crate) fn check(
    scenario: &Scenario,
    places: &Places,
    sources: &Sources,
    folder: Option<&Path>,
) -> Checked {
    let mut checker = Checker {
        scenario,
        places,
        sources,
        folder,
        problems: Vec::new(),
        disks: Vec::new(),
        used: BTreeSet::new(),
    };
    checker.disks();
    let targets = checker.workloads();
    checker.unused();
    checker.measure();
    Checked { problems: checker.problems, disks: checker.disks, targets }
}

impl Checker<'_> {
    /// Notes an error at the value of a path, with advice.
    fn error(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.value(path), message).help(help));
    }

    /// Notes an error at the name of a part, with advice.
    fn error_at_key(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.error(self.places.key(path), message).help(help));
    }

    fn warning(&mut self, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.problems.push(self.sources.warning(self.places.value(path), message).help(help));
    }

    fn name(&mut self, path: &str, name: &str) {
        let fine = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
        if name.is_empty() || !name.chars().all(fine) {
            let message = format!("the name \"{name}\" has characters that names can't have");
            self.error_at_key(path, message, "use letters, digits, - and _");
        }
    }

    fn disks(&mut self) {
        if self.scenario.disk.is_empty() {
            self.error("", "the scenario has no disk", "add a part: [disk.d0] and below it model = \"…\"");
        }
        let mut names = BTreeSet::new();
        for (part, disk) in &self.scenario.disk {
            let path = format!("disk.{part}");
            self.name(&path, part);
            if disk.count == 0 || disk.count > DISKS_MAX {
                let message = format!("a part has between 1 and {DISKS_MAX} disks, not {}", disk.count);
                self.error(&format!("{path}.count"), message, "leave the part out if there is none");
                continue;
            }
            if disk.queue_depth == Some(0) {
                let path = format!("{path}.queue_depth");
                self.error(&path, "a disk with a queue depth of 0 accepts no command", "write 1 or more");
            }
            for number in 0..disk.count {
                let name = if disk.count == 1 { part.clone() } else { format!("{part}{number}") };
                if !names.insert(name.clone()) {
                    let message = format!("two disks are called \"{name}\"");
                    self.error_at_key(
                        &path,
                        message,
                        "parts with a count number their disks from 0; rename one part",
                    );
                }
                self.disks.push((name, part.clone()));
            }
        }
    }

    fn workloads(&mut self) -> IndexMap<String, Vec<u32>> {
        if self.scenario.workload.is_empty() {
            let help =
                "add a part: [workload.w] and below it kind = \"trace\", on = \"…\" and files = [\"…\"]";
            self.error("", "the scenario has no workload", help);
        }
        let mut targets = IndexMap::new();
        let scenario = self.scenario;
        for (name, workload) in &scenario.workload {
            let path = format!("workload.{name}");
            self.name(&path, name);
            let on = self.targets(&format!("{path}.on"), workload.on());
            match workload {
                Workload::Trace(trace) => self.trace(&path, trace, &on),
                Workload::Synthetic(load) => self.synthetic(&path, &load.parameters),
            }
            targets.insert(name.clone(), on);
        }
        targets
    }

    /// The disks that names and patterns stand for. A part's name stands for all its disks.
    fn targets(&mut self, path: &str, names: &Names) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        if names.iter().next().is_none() {
            self.error(path, "the list of disks is empty", "name a disk, or leave the workload out");
        }
        let many = names.iter().count() > 1;
        for (index, pattern) in names.iter().enumerate() {
            let before = found.len();
            for (number, (name, part)) in (0..).zip(&self.disks) {
                if (fits(pattern, name) || fits(pattern, part)) && !found.contains(&number) {
                    found.push(number);
                }
            }
            let known = self.disks.iter().any(|(name, part)| fits(pattern, name) || fits(pattern, part));
            if found.len() == before && !known {
                let path = if many { format!("{path}.{index}") } else { path.to_owned() };
                let mut names: Vec<&str> = self.scenario.disk.keys().map(String::as_str).collect();
                names.extend(
                    self.disks
                        .iter()
                        .map(|(name, _)| name.as_str())
                        .filter(|name| !self.scenario.disk.contains_key(*name))
                        .take(20),
                );
                let help = suggestion(pattern, &names, "the disks are");
                self.error(&path, format!("no disk is called \"{pattern}\""), help);
            }
        }
        self.used.extend(&found);
        found
    }

    fn trace(&mut self, path: &str, trace: &TraceReplay, on: &[u32]) {
        if trace.files.is_empty() {
            self.error(
                &format!("{path}.files"),
                "the list of trace files is empty",
                "name at least one file",
            );
        }
        if let Some(folder) = self.folder {
            for (index, file) in trace.files.iter().enumerate() {
                let full = folder.join(file);
                let (message, help) = match std::fs::metadata(&full) {
                    Ok(metadata) if metadata.is_dir() => {
                        (format!("{} is a folder", full.display()), "name the files in it".to_owned())
                    }
                    Ok(_) => continue,
                    Err(cause) => {
                        let near = near_file(&full).map(|near| format!("did you mean {near}?"));
                        let advice = "paths are relative to the scenario's folder".to_owned();
                        (format!("{} can't be read: {cause}", full.display()), near.unwrap_or(advice))
                    }
                };
                self.error(&format!("{path}.files.{index}"), message, help);
            }
        }
        if !(trace.time_scale.is_finite() && trace.time_scale > 0.0) {
            let message = format!("the time scale is a number above zero, not {}", trace.time_scale);
            self.error(
                &format!("{path}.time_scale"),
                message,
                "0.5 plays the trace twice as fast, 2 at half the speed",
            );
        }
        if trace.replay == Replay::Open && (trace.processes.is_some() || trace.outstanding.is_some()) {
            let key = if trace.processes.is_some() { "processes" } else { "outstanding" };
            let message = format!("an open replay waits for nothing, so \"{key}\" has no meaning");
            self.error_at_key(
                &format!("{path}.{key}"),
                message,
                "write replay = \"closed\", or leave it out",
            );
        }
        if trace.outstanding == Some(0) {
            let path = format!("{path}.outstanding");
            self.error(&path, "with 0 requests in flight nothing happens", "write 1 or more");
        }
        if trace.limit == Some(0) {
            let help = "leave the limit out to play the whole trace";
            self.error(&format!("{path}.limit"), "a limit of 0 requests plays nothing", help);
        }
        for (device, disk) in &trace.devices {
            let path = format!("{path}.devices.{device}");
            if device.parse::<u32>().is_err() {
                let message = format!("\"{device}\" is not the number of a device of the trace");
                self.error_at_key(&path, message, "write devices = { 0 = \"d0\" }");
            }
            match self.disks.iter().position(|(name, _)| name == disk) {
                None => {
                    let names: Vec<&str> =
                        self.disks.iter().map(|(name, _)| name.as_str()).take(50).collect();
                    let help = suggestion(disk, &names, "the disks are");
                    self.error(&path, format!("no disk is called \"{disk}\""), help);
                }
                Some(number) if !on.iter().any(|&target| target as usize == number) => {
                    let message = format!("the workload is not on the disk \"{disk}\"");
                    self.error(&path, message, format!("add \"{disk}\" to the workload's on"));
                }
                Some(_) => {}
            }
        }
        if trace.only_device.is_some() && !trace.devices.is_empty() {
            let message = "one device of the trace is chosen, so there is nothing to map";
            self.error(&format!("{path}.devices"), message, "keep only_device or devices");
        }
    }

    /// What needs the disks is checked where they are known, in `crate::generators`.
    fn synthetic(&mut self, path: &str, parameters: &Synthetic) {
        let stop = &self.scenario.measure.stop;
        if parameters.is_endless() && stop.requests.is_none() && stop.time.is_none() {
            let help = if stop.precision.is_some() {
                "a precision says how many replications there are, and not when each ends: give the workload requests = … \
                 or duration = \"…\", or [measure.stop] requests or time"
            } else {
                "give it requests = … or duration = \"…\", or the scenario a [measure.stop]"
            };
            self.error_at_key(path, "this workload never ends, and nothing stops the run", help);
        }
    }

    fn unused(&mut self) {
        if self.scenario.workload.is_empty() {
            return;
        }
        for part in self.scenario.disk.keys() {
            let path = format!("disk.{part}");
            let numbers =
                || (0..).zip(&self.disks).filter(|(_, (_, of))| of == part).map(|(number, _)| number);
            let idle: Vec<u32> = numbers().filter(|number: &u32| !self.used.contains(number)).collect();
            if idle.is_empty() {
                continue;
            }
            let message = if idle.len() == numbers().count() {
                format!("nothing uses the disk \"{part}\"")
            } else {
                format!("nothing uses the disk \"{}\"", self.disks[idle[0] as usize].0)
            };
            self.error_at_key(&path, message, "name it in a workload's on, or leave it out");
        }
    }

    fn measure(&mut self) {
        let measure = &self.scenario.measure;
        if measure.replications == 0 {
            self.error("measure.replications", "0 replications are no run at all", "write 1 or more");
        }
        let level = measure.confidence.get();
        if level <= 0.0 || level >= 1.0 {
            let message = "a confidence level lies between 0 and 1 and is neither";
            self.error("measure.confidence", message, "write 0.95, or \"95 %\"");
        }
        if measure.stop.requests == Some(0) {
            self.error(
                "measure.stop.requests",
                "a run that stops after 0 requests measures nothing",
                "write more",
            );
        }
        if measure.stop.precision.is_some_and(|precision| precision.get() <= 0.0) {
            let help = "write \"5 %\" or so";
            self.error("measure.stop.precision", "a precision of 0 is never reached", help);
        }
        if let (Some(stop), Some(limit)) = (measure.stop.requests, measure.max_requests)
            && limit < stop
        {
            let message = format!("a run of {stop} requests never comes past max_requests = {limit}");
            self.error("measure.max_requests", message, "make it larger than stop.requests, or leave it out");
        }
        if let (Some(stop), Some(limit)) = (measure.stop.time, measure.max_time)
            && limit < stop
        {
            let message = format!("a run of {stop} never comes past max_time = \"{limit}\"");
            self.error("measure.max_time", message, "make it longer than stop.time, or leave it out");
        }
        if let (WarmUp::Span(warm_up), Some(stop)) = (measure.warm_up, measure.stop.time)
            && warm_up >= stop
        {
            let message = format!("the warm-up of {warm_up} leaves nothing of a run of {stop}");
            self.error("measure.warm_up", message, "make it shorter than stop.time");
        }
        self.pointless_replications();
    }

    fn pointless_replications(&mut self) {
        let random = self.scenario.workload.values().any(|workload| !matches!(workload, Workload::Trace(_)));
        if self.scenario.measure.replications > 1 && !random && !self.scenario.workload.is_empty() {
            let message = "all replications will be the same: a replayed trace has nothing random";
            self.warning("measure.replications", message, "leave the replications out");
        }
    }
}
