//! `petrio init`: a scenario to begin with, commented and ready to run.
//!
//! A template is a scenario in a file of its own, in which `@FILE@`, `@DRIVE@`, `@MEMORY@`, `@MACHINE@` and `@KERNEL@`
//! stand for what is asked for. From a fio job file or a trace the same is made of what is in it. What is made is loaded
//! before it is given away: it runs.

mod from_disksim;
mod from_file;
mod from_observed;
mod from_programs;
mod machine;
mod messages;
mod played;

pub use from_file::from_file;
pub use machine::{MachineFiles, from_machine};
pub use played::{is_played, load_played};

use crate::catalogue::{DEVICES, KERNELS, MACHINES, Shelf};
use crate::load::load_from;
use crate::text::{Problem, Problems};
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_units::{Bytes, nearest};
use std::path::Path;

/// A question that many people have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Template {
    /// Its word on the command line.
    pub name: &'static str,
    /// The question.
    pub question: &'static str,
    text: &'static str,
    /// What it is asked of where nothing else is said.
    drive: &'static str,
    memory: &'static str,
    machine: &'static str,
}

/// All of them.
pub const TEMPLATES: [Template; 10] = [
    Template {
        name: "postgres",
        question: "a database: random reads of pages beside a log that each commit makes durable",
        text: include_str!("postgres.toml"),
        drive: "seagate-savvio-10k4",
        memory: "2 GiB",
        machine: MACHINE,
    },
    Template {
        name: "mail",
        question: "a mail server: each message in a file of its own, on the disk before it is acknowledged",
        text: include_str!("mail.toml"),
        drive: "sata-750gb-7200",
        memory: "4 GiB",
        machine: MACHINE,
    },
    Template {
        name: "web",
        question: "a web server: many small files that are read, and what memory does for them",
        text: include_str!("web.toml"),
        drive: "sata-750gb-7200",
        memory: "256 MiB",
        machine: MACHINE,
    },
    Template {
        name: "backup",
        question: "a backup: what it costs the users of the same disk, and what they cost it",
        text: include_str!("backup.toml"),
        drive: "seagate-constellation-es3",
        memory: "2 GiB",
        machine: MACHINE,
    },
    Template {
        name: "home-directories",
        question: "home directories: people who open, change and save documents",
        text: include_str!("home-directories.toml"),
        drive: "seagate-constellation-es3",
        memory: "4 GiB",
        machine: MACHINE,
    },
    Template {
        name: "nas",
        question: "a NAS at home or in an office: small files and films over 1, 2.5 or 10 Gbit/s or Wi-Fi, by SMB or NFS",
        text: include_str!("nas.toml"),
        drive: "seagate-constellation-es3",
        memory: "8 GiB",
        machine: "celeron-j4105",
    },
    Template {
        name: "vm-host",
        question: "virtual machines on one drive, of which some boot",
        text: include_str!("vm-host.toml"),
        drive: "samsung-970-evo-500gb",
        memory: "16 GiB",
        machine: MACHINE,
    },
    Template {
        name: "backup-server",
        question: "a backup server at night: streams that come, an index, and checks of old backups",
        text: include_str!("backup-server.toml"),
        drive: "seagate-exos-x16-16tb",
        memory: "8 GiB",
        machine: MACHINE,
    },
    Template {
        name: "video-surveillance",
        question: "cameras that record onto one disk, and people who look at old pictures",
        text: include_str!("video-surveillance.toml"),
        drive: "seagate-exos-x10-10tb",
        memory: "2 GiB",
        machine: "celeron-j4105",
    },
    Template {
        name: "mdtest",
        question: "how many files a second clients make, look at and remove on a file server",
        text: include_str!("mdtest.toml"),
        drive: "intel-dc-s4610-960gb",
        memory: "8 GiB",
        machine: MACHINE,
    },
];

/// What a scenario is made for; what is left out is the template's.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// A drive of the catalogue.
    pub drive: Option<String>,
    /// The host's memory, with its unit.
    pub memory: Option<String>,
    /// A machine of the catalogue.
    pub machine: Option<String>,
    /// A kernel of the catalogue.
    pub kernel: Option<String>,
    /// What the scenario will be called, as its comments call it.
    pub file: String,
}

/// A scenario that was made, and what is to be known of it.
#[derive(Clone, Debug)]
pub struct Made {
    /// The file's text.
    pub text: String,
    /// What of an input was not taken.
    pub remarks: Vec<String>,
}

const MACHINE: &str = "epyc-9005-2vcpu";
const KERNEL: &str = "linux-6.18";

/// The scenario of a template.
///
/// # Errors
/// A template, drive, machine or kernel that there isn't, a memory that is no size, or too small for what runs.
pub fn from_template(name: &str, choices: &Choices) -> Result<Made, Problems> {
    let Some(template) = TEMPLATES.iter().find(|template| template.name == name) else {
        let names = TEMPLATES.map(|template| template.name);
        let help = match nearest(name, names) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("there are {}; or make one --from a fio job file or a trace", names.join(", ")),
        };
        let problem = Problem::error(format!("there is no template \"{name}\"")).help(help);
        return Err(Problems::new("petrio init", vec![problem]));
    };
    choices.check()?;
    let drive = choices.drive.as_deref().unwrap_or(template.drive);
    let memory = choices.memory.as_deref().unwrap_or(template.memory);
    let text = filled_in(template.text, choices, (drive, memory, template.machine));
    finished(&text, Vec::new(), &Inputs::none())
}

fn filled_in(text: &str, choices: &Choices, (drive, memory, machine): (&str, &str, &str)) -> String {
    text.replace("@FILE@", &choices.file)
        .replace("@DRIVE@", drive)
        .replace("@MEMORY@", memory)
        .replace("@MACHINE@", choices.machine.as_deref().unwrap_or(machine))
        .replace("@KERNEL@", choices.kernel.as_deref().unwrap_or(KERNEL))
}

/// How editors that know TOML find a file's schema (taplo's directive; it stands before all but comments).
const EDITOR: &str = "#:schema ./scenario.schema.json
# (an editor completes and checks by it, once it is there: petrio schema > scenario.schema.json)

";

/// Looks whether what was made is a scenario.
fn finished(body: &str, remarks: Vec<String>, inputs: &Inputs) -> Result<Made, Problems> {
    let text = format!("{EDITOR}{body}");
    load_from("the scenario that was made", &text, inputs, &[], &Watch::default())?;
    Ok(Made { text, remarks })
}

impl Choices {
    /// Whether anything is chosen.
    pub const fn is_any(&self) -> bool {
        self.drive.is_some() || self.memory.is_some() || self.machine.is_some() || self.kernel.is_some()
    }

    fn check(&self) -> Result<(), Problems> {
        let mut problems = Vec::new();
        let chosen = [
            ("--drive", &self.drive, DEVICES),
            ("--machine", &self.machine, MACHINES),
            ("--kernel", &self.kernel, KERNELS),
        ];
        for (option, name, shelf) in chosen {
            problems.extend(name.as_deref().and_then(|name| unknown(option, name, shelf)));
        }
        if let Some(Err(error)) = self.memory.as_deref().map(str::parse::<Bytes>) {
            problems.push(Problem::error(format!("--memory: {error}")));
        }
        if problems.is_empty() { Ok(()) } else { Err(Problems::new("the command line", problems)) }
    }
}

fn unknown(option: &str, name: &str, shelf: Shelf) -> Option<Problem> {
    if shelf.text(name).is_some() {
        return None;
    }
    let message = format!("{option}: the catalogue has no {} \"{name}\"", shelf.what);
    Some(Problem::error(message).help(shelf.advice(name)))
}

/// Names as a list of TOML, without its brackets.
fn list<N: AsRef<str>>(names: impl IntoIterator<Item = N>) -> String {
    names.into_iter().map(|name| format!("\"{}\"", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// A file as another beside it names it: relative where both lie in one folder.
fn named_from(scenario: &Path, file: &Path) -> String {
    let folder = |path: &Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        folder.canonicalize().ok()
    };
    let near = file.file_name().filter(|_| folder(scenario).is_some() && folder(scenario) == folder(file));
    let path = match near {
        Some(name) => name.into(),
        None => file.canonicalize().unwrap_or_else(|_| file.to_owned()),
    };
    path.to_string_lossy().into_owned()
}
