//! Command lines of IOR, mdtest and IO500 in job scripts, and as IOR and mdtest print them at the head of what they measured.
//!
//! A script is read as far as it says which programs run with which options on how many ranks: lines that a backslash continues are one,
//! `NAME=value` before stands for `$NAME` and `${NAME}`, ranks are those of the launcher or else of `#SBATCH` and `#PBS`. Everything
//! else is left out: loops run once, conditions are not looked at, and a line whose options can't be followed is told with its number.

use super::programs::{CommandLine, IorOptions, Launch, MdtestOptions, launched_program};
use std::collections::BTreeMap;

/// Which program a line runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptProgram {
    /// IOR, by this command line.
    Ior(String),
    /// mdtest, by this one.
    Mdtest(String),
    /// IO500, with this file of settings.
    Io500(String),
}

/// A line that runs one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptCommand {
    /// The number of the line.
    pub line: usize,
    /// What runs.
    pub program: ScriptProgram,
    /// On how many ranks.
    pub ranks: u32,
}

/// What is found in a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JobScript {
    /// What runs, in order.
    pub commands: Vec<ScriptCommand>,
    /// What could not be followed, each with its line.
    pub remarks: Vec<String>,
}

/// Longer ones are no person's.
const SCRIPT_BYTES_MAX: usize = 1 << 20;

/// Whether a text has a line that runs one of the programs with options that it knows.
pub fn is_job_script(text: &str) -> bool {
    text.len() <= SCRIPT_BYTES_MAX && !job_script(text).commands.is_empty()
}

/// Reads a script, or a single line.
pub fn job_script(text: &str) -> JobScript {
    let mut script = JobScript::default();
    let mut names = BTreeMap::new();
    let (mut tasks, mut nodes, mut on_a_node) = (None, None, None);
    for (number, line) in logical_lines(text) {
        let line = line.trim();
        if let Some(words) = line.strip_prefix("#SBATCH").or_else(|| line.strip_prefix("#PBS")) {
            for (name, value) in settings(words) {
                match name {
                    "-n" | "--ntasks" => tasks = value.parse().ok(),
                    "-N" | "--nodes" | "select" => nodes = value.parse().ok(),
                    "--ntasks-per-node" | "mpiprocs" => on_a_node = value.parse().ok(),
                    _ => {}
                }
            }
            continue;
        }
        if line.starts_with('#') {
            continue;
        }
        // What IOR and mdtest print of themselves.
        if let Some((name, value)) = line.split_once(':') {
            match name.trim() {
                "tasks" | "Total number of tasks" => tasks = value.trim().parse().ok(),
                _ => {}
            }
        }
        let printed =
            line.strip_prefix("Command line").map(|rest| rest.trim_start_matches(" used").trim_start());
        let line = printed.and_then(|rest| rest.strip_prefix(':')).unwrap_or(line);
        for part in line.split([';', '&']) {
            let replaced = replaced(part.trim(), &names);
            if assigned(&replaced, &mut names) {
                continue;
            }
            let here = Ranks { tasks, nodes, on_a_node };
            if let Err(problem) = script.command(number, &replaced, here) {
                script.remarks.push(format!("line {number}: {problem}"));
            }
        }
    }
    // IOR prints how many tasks it has below its command line.
    if let Some(tasks) = tasks {
        script
            .commands
            .iter_mut()
            .filter(|command| command.ranks == 0)
            .for_each(|command| command.ranks = tasks);
    }
    for command in script.commands.iter_mut().filter(|command| command.ranks == 0) {
        command.ranks = 1;
    }
    script
}

/// What the head of a script says of ranks.
#[derive(Clone, Copy)]
struct Ranks {
    tasks: Option<u32>,
    nodes: Option<u32>,
    on_a_node: Option<u32>,
}

impl Ranks {
    /// Zero where nothing is known.
    fn of(self, launch: Launch) -> u32 {
        let by_nodes = self.nodes.zip(self.on_a_node).map(|(nodes, each)| nodes.saturating_mul(each));
        launch.ranks.or(self.tasks).or(by_nodes).unwrap_or(0)
    }
}

impl JobScript {
    fn command(&mut self, line: usize, text: &str, ranks: Ranks) -> Result<(), String> {
        let text: String = text.chars().filter(|letter| !matches!(letter, '"' | '\'')).collect();
        let text = ["do ", "then ", "else ", "{ ", "( "]
            .iter()
            .fold(text.trim(), |text, word| text.strip_prefix(word).unwrap_or(text).trim_start());
        for program in ["ior", "mdtest", "io500"] {
            let Ok((words, launch)) = launched_program(program, text) else { continue };
            // Prose names programs, too.
            let is_prose = words.iter().take(2).any(|word| !word.starts_with('-')) && program != "io500";
            if is_prose && words.first().is_some_and(|word| !word.starts_with('-')) {
                continue;
            }
            let own = format!("{program} {}", words.join(" "));
            let ran = match program {
                "ior" => own
                    .parse::<CommandLine<IorOptions>>()
                    .map(|command| ScriptProgram::Ior(command.to_string()))
                    .map_err(|error| error.to_string())?,
                "mdtest" => own
                    .parse::<CommandLine<MdtestOptions>>()
                    .map(|command| ScriptProgram::Mdtest(command.to_string()))
                    .map_err(|error| error.to_string())?,
                _ => match words.iter().find(|word| word.ends_with(".ini")) {
                    Some(file) => ScriptProgram::Io500((*file).to_owned()),
                    None => continue,
                },
            };
            self.commands.push(ScriptCommand { line, program: ran, ranks: ranks.of(launch) });
            return Ok(());
        }
        Ok(())
    }
}

/// Lines with those that a backslash continues, by the number of their first.
fn logical_lines(text: &str) -> Vec<(usize, String)> {
    let mut all: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (number, line) in (1..).zip(text.lines()) {
        let (line, continues) = match line.trim_end().strip_suffix('\\') {
            Some(line) => (line, true),
            None => (line, false),
        };
        match all.last_mut().filter(|_| goes_on) {
            Some((_, before)) => {
                before.push(' ');
                before.push_str(line.trim());
            }
            None => all.push((number, line.to_owned())),
        }
        goes_on = continues;
    }
    all
}

/// `-n 8`, `--ntasks=8`, `-n8`, and `-l select=2:mpiprocs=4`.
fn settings(words: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = words.split(|letter: char| letter.is_whitespace() || letter == ':').collect();
    let mut all = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if let Some(pair) = word.split_once('=') {
            all.push(pair);
        } else if word.len() > 2 && (word.starts_with("-n") || word.starts_with("-N")) {
            all.push(word.split_at(2));
        } else if let Some(value) = words.get(at + 1) {
            all.push((*word, *value));
        }
    }
    all
}

/// Keeps `NAME=value`, which may be exported; whether the text is one.
fn assigned(text: &str, names: &mut BTreeMap<String, String>) -> bool {
    let text = text.strip_prefix("export ").unwrap_or(text).trim();
    let Some((name, value)) = text.split_once('=') else { return false };
    let is_name =
        !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    let value = value.split(" #").next().unwrap_or_default().trim();
    let is_quoted = value.starts_with(['"', '\'']);
    if !is_name || !is_quoted && value.contains(char::is_whitespace) {
        return false;
    }
    names.insert(name.to_owned(), value.trim_matches(['"', '\'']).to_owned());
    true
}

/// A text with the values of the names that are known.
fn replaced(text: &str, names: &BTreeMap<String, String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('$') {
        out.push_str(before);
        let braced = after.strip_prefix('{').and_then(|inner| inner.split_once('}'));
        let (name, behind) = braced.unwrap_or_else(|| {
            let end = after
                .find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
                .unwrap_or(after.len());
            after.split_at(end)
        });
        // ${NAME:-value} has a value where it isn't set.
        let (name, default) = name.split_once(":-").map_or((name, None), |(name, value)| (name, Some(value)));
        match names.get(name).map(String::as_str).or(default) {
            Some(value) if out.len() + value.len() <= SCRIPT_BYTES_MAX => out.push_str(value),
            _ => {
                out.push('$');
                out.push_str(name);
            }
        }
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ior(line: usize, command: &str, ranks: u32) -> ScriptCommand {
        ScriptCommand { line, program: ScriptProgram::Ior(command.to_owned()), ranks }
    }

    #[test]
    fn lines_of_a_script_run_programs_on_the_ranks_that_launchers_say() {
        let text = "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --ntasks-per-node=4\n\nmodule load ior\nNP=16\nexport OPTS=\"-w -r -F\"\n\
            srun ./IOR -b 64MiB -t 1m   # warm\n\
            time mpirun -np $NP /opt/ior/bin/ior ${OPTS} -b ${BLOCK:-16m} \\\n    -o /scratch/file > out.txt 2>&1\n\
            for i in 1 2 3; do mpirun -n 4 ./mdtest -n 100 -u -F; done\n\
            mpiexec -np 4 ./io500 config-mine.ini && echo done\nmpirun -np 2 ior --no-such -w\n";
        let script = job_script(text);
        let mdtest = ScriptProgram::Mdtest("mdtest -n 100 -u -F".to_owned());
        let expected = [
            ior(8, "ior -b 64MiB -t 1m", 8),
            ior(9, "ior -w -r -F -b 16m -o /scratch/file", 16),
            ScriptCommand { line: 11, program: mdtest, ranks: 4 },
            ScriptCommand { line: 12, program: ScriptProgram::Io500("config-mine.ini".to_owned()), ranks: 4 },
        ];
        assert_eq!(script.commands, expected);
        assert!(
            script.remarks.len() == 1 && script.remarks[0].starts_with("line 13:"),
            "{:?}",
            script.remarks
        );
        assert!(is_job_script(text) && is_job_script("ior -w"));
    }

    #[test]
    fn what_the_programs_print_of_themselves_is_read_too() {
        let text = "IOR-4.0.0: MPI Coordinated Test of Parallel I/O\nBegan               : Mon\nCommand line        : ./ior -a MPIIO -b 16m -t 1m -c\n\
            Machine             : Linux\nOptions: \nnodes               : 2\ntasks               : 8\n";
        assert_eq!(job_script(text).commands, [ior(3, "ior -a MPIIO -b 16m -t 1m -c", 8)]);
        let text = "-- started at 01/02/2024 --\n\nmdtest-4.0.0 was launched with 4 total task(s) on 1 node(s)\nCommand line used: ./mdtest '-n' '10' '-F'\n";
        let mdtest = ScriptProgram::Mdtest("mdtest -n 10 -F".to_owned());
        assert_eq!(job_script(text).commands, [ScriptCommand { line: 4, program: mdtest, ranks: 1 }]);
    }

    #[test]
    fn prose_and_other_files_are_no_scripts() {
        for text in [
            "",
            "ior is a benchmark\n",
            "# ior -w\n",
            "[global]\nrw=read\n",
            "echo ior -w\n",
            "0.5 0 100 8 1\n",
        ] {
            assert!(!is_job_script(text), "{text}");
        }
    }
}
