//! `petrio init`

use crate::command::scenario::MadeFor;
use crate::failure::Failure;
use crate::live;
use crate::output::{print, talk};
use crate::outputs::{Outputs, is_free};
use crate::results::say_written;
use crate::streams;
use clap::Args;
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_scenario::init::{MachineFiles, TEMPLATES, from_file, from_machine, from_template, is_played};
use petrio_scenario::report::write_text;
use std::path::{Path, PathBuf};

/// Write a scenario to begin with: commented, and ready to run
#[derive(Args)]
#[command(after_help = after_help())]
pub(crate) struct Init {
    /// Which question: postgres, mail, web, backup, home-directories, nas, vm-host, backup-server, video-surveillance, mdtest
    #[arg(value_name = "TEMPLATE", required_unless_present_any = ["from", "from_host", "from_host_files"])]
    template: Option<String>,
    /// Make it of a fio job file, of a command line of fio's, iozone's, IOR's or mdtest's or a script with some, of IO500's settings
    /// (io500.ini), of what fio or iozone printed (fio's JSON), of what iostat -x or
    /// sar -d printed, of Darshan's log or darshan-parser's text, of DiskSim's parameter
    /// file, or of a trace, in any format
    #[arg(long, value_name = "FILE", conflicts_with = "template")]
    from: Option<PathBuf>,
    /// Describe this machine: its drives, arrays, file systems, limits and kernel, as far as its own commands tell them
    #[arg(long, conflicts_with_all = ["template", "from"])]
    from_host: bool,
    /// The same of a machine whose texts lie in a folder, under any names: what lsblk -J -b -O, lscpu, uname -r, sysctl vm, mdadm
    /// --detail, nfsstat -m, smartctl -i, zpool status, storcli /c0 show all print, /proc/mounts, /proc/mdstat, /proc/meminfo, /sys/block/*/queue
    #[arg(long, value_name = "DIR", conflicts_with_all = ["template", "from", "from_host"])]
    from_host_files: Option<PathBuf>,
    /// Where to write it; - for standard output. Left out, TEMPLATE.toml, FILE's name ending in .toml,
    /// or of a command line jobs.toml
    #[arg(long, short, value_name = "SCENARIO", value_parser = streams::output)]
    out: Option<PathBuf>,
    #[command(flatten)]
    made: MadeFor,
    /// Replace the file to write if it is there already
    #[arg(long)]
    force: bool,
}

fn after_help() -> String {
    let templates = TEMPLATES.iter().map(|one| format!("  {:<18}{}\n", one.name, one.question));
    format!(
        "Templates:\n{}\n\
         Examples:\n  petrio init postgres && petrio run postgres.toml\n  \
         petrio init mail --drive seagate-savvio-10k4 --memory \"8 GiB\" -o mine.toml\n  \
         petrio init --from job.fio\n  petrio init --from trace.csv -o -\n  \
         petrio init --from 'iozone -e -a -s 64'\n  petrio init --from iostat.txt            # iostat -xk 10 2 > iostat.txt\n  \
         petrio init --from-host && petrio run machine.toml",
        templates.collect::<String>()
    )
}

impl Init {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        let out = self.out(&inputs);
        if !streams::is_output(&out) {
            is_free(&out, self.force, "name another file with -o, or replace it with --force")?;
        }
        let called = if streams::is_output(&out) { "SCENARIO".to_owned() } else { out.display().to_string() };
        let choices = self.made.choices(called);
        let named: Vec<&Path> = self.from.iter().map(PathBuf::as_path).collect();
        Outputs::of([("--out", &Some(out.clone()))]).check(&inputs, named)?;
        let made = match (&self.from, self.machine_files(&inputs)?) {
            (Some(file), _) => from_file(&inputs, file, &out, &choices)?,
            (None, Some(files)) => from_machine(&files, &choices)?,
            (None, None) => from_template(self.template.as_deref().unwrap_or_default(), &choices)?,
        };
        for remark in &made.remarks {
            talk(&format!("warning: {remark}"));
        }
        if streams::is_output(&out) {
            return print(&made.text);
        }
        write_text(&out, &inputs, &made.text)?;
        say_written([&out]);
        Ok(())
    }

    /// What a machine says of itself, where one is asked for.
    fn machine_files(&self, inputs: &Inputs) -> Result<Option<MachineFiles>, Failure> {
        if let Some(folder) = &self.from_host_files {
            let files = MachineFiles::in_folder(inputs, folder);
            let help = "give the folder in which the machine's texts lie";
            let cannot = |error| {
                Failure::new(format!("{} can't be read: {error}", shown::path(folder)), Some(help.to_owned()))
            };
            return files.map(Some).map_err(cannot);
        }
        if !self.from_host {
            return Ok(None);
        }
        let mut files = MachineFiles::new("this machine");
        live::inventory()?.into_iter().for_each(|(name, text)| files.add(name, text));
        Ok(Some(files))
    }

    fn out(&self, inputs: &Inputs) -> PathBuf {
        match (&self.out, &self.from, &self.template) {
            (Some(out), ..) => out.clone(),
            // A command line isn't a file's name, though it may have slashes.
            (None, Some(line), _) if !line.exists() && is_played(inputs, line) => PathBuf::from("jobs.toml"),
            (None, Some(file), _) => {
                PathBuf::from(file.file_name().unwrap_or_default()).with_extension("toml")
            }
            (None, None, template) => {
                PathBuf::from(format!("{}.toml", template.as_deref().unwrap_or("machine")))
            }
        }
    }
}
