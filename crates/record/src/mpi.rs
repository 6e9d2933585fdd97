//! The part for MPI, compiled by the user's `mpicc`: handles and constants differ between libraries, so that no compiled one fits all.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const RECORDS: Source = Source { name: "mpi.c", text: include_str!("../shim/mpi.c") };

/// What all that takes MPI's calls shares: those of Fortran, and what handles stand for.
const SHARED: [Source; 8] = [
    Source { name: "mpi_fortran.c", text: include_str!("../shim/mpi_fortran.c") },
    Source { name: "mpi_fortran_names.h", text: include_str!("../shim/mpi_fortran_names.h") },
    Source { name: "mpi_handles.h", text: include_str!("../shim/mpi_handles.h") },
    Source { name: "mpi_together.h", text: include_str!("../shim/mpi_together.h") },
    Source { name: "mpi_windows.h", text: include_str!("../shim/mpi_windows.h") },
    Source { name: "mpi_unseen.h", text: include_str!("../shim/mpi_unseen.h") },
    Source { name: "mpi_files.h", text: include_str!("../shim/mpi_files.h") },
    Source { name: "record.h", text: include_str!("../shim/record.h") },
];

/// A file of C.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name, unlike that of any other.
    pub name: &'static str,
    /// What is in it.
    pub text: &'static str,
}

/// Programs that start those of MPI.
const LAUNCHERS: [&str; 9] = [
    "mpirun",
    "mpiexec",
    "orterun",
    "prterun",
    "mpiexec.hydra",
    "mpirun.openmpi",
    "mpiexec.openmpi",
    "mpirun.mpich",
    "srun",
];

/// Those by which they start them on each host, and what stands between.
const DAEMONS: [&str; 5] = ["orted", "prted", "hydra_pmi_proxy", "hydra_bstrap_proxy", "slurmstepd"];

/// Whether a program only starts those of MPI, by its name.
pub fn is_launcher(program: &OsStr) -> bool {
    let name = Path::new(program).file_name().unwrap_or_default();
    LAUNCHERS.iter().chain(&DAEMONS).any(|launcher| name == *launcher)
}

/// A program is looked through so far for the name of its library.
const LOOKED_THROUGH: u64 = 64 << 20;

/// Whether a command is likely to be one of MPI: started by a launcher, or linked with the library.
pub fn is_likely(command: &[OsString]) -> bool {
    let name = |word: &OsString| Path::new(word).file_name().map(OsStr::to_owned);
    let launches = command
        .iter()
        .any(|word| name(word).is_some_and(|name| LAUNCHERS.iter().any(|launcher| name == *launcher)));
    launches || command.first().and_then(|program| found(program)).is_some_and(|path| names_library(&path))
}

fn found(program: &OsStr) -> Option<PathBuf> {
    if program.as_encoded_bytes().contains(&b'/') {
        return Some(program.into());
    }
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
}

fn names_library(program: &Path) -> bool {
    let mut bytes = Vec::new();
    let read =
        std::fs::File::open(program).and_then(|file| file.take(LOOKED_THROUGH).read_to_end(&mut bytes));
    read.is_ok() && bytes.windows(7).any(|window| window == b"libmpi." || window == b"libmpic")
}

/// What links the library to what is loaded into programs, though it asks for it weakly.
pub const WITH_LIBRARY: [&str; 1] = ["-Wl,--no-as-needed"];

/// Compiles what records MPI's calls into a folder; why it can't be, in words.
pub(crate) fn compile(folder: &Path) -> Result<PathBuf, String> {
    // With the library behind it: what loads that later, and for itself alone (Python's mpi4py), finds it there.
    compile_with(folder, &RECORDS, &WITH_LIBRARY)
}

/// Compiles what takes MPI's calls, and does something with them, into an object in a folder that can be loaded into programs; `linked`
/// are further words for what links it.
///
/// # Errors
/// Why it can't be, in words.
pub fn compile_with(folder: &Path, source: &Source, linked: &[&str]) -> Result<PathBuf, String> {
    let compiler = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
    for Source { name, text } in SHARED.iter().chain([source]) {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))?;
    }
    // It is loaded into programs without MPI, too, where nothing answers to these names.
    for name in [source.name, "mpi_fortran.c"] {
        run(folder, &compiler, &["-O2", "-fPIC", "-I.", "-c", name, "-o", &format!("{name}.o")])?;
        run(folder, "objcopy".as_ref(), &["--weaken", &format!("{name}.o")])?;
    }
    let object = format!("{}.so", source.name);
    let words = ["-shared", "-o", &object, &format!("{}.o", source.name), "mpi_fortran.c.o"];
    run(folder, &compiler, &[&words[..], linked].concat())?;
    Ok(folder.join(object))
}

fn run(folder: &Path, program: &OsStr, words: &[&str]) -> Result<(), String> {
    let name = program.to_string_lossy();
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{name} can't be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said =
        said.lines().find(|line| line.contains("error")).or_else(|| said.lines().next()).unwrap_or_default();
    Err(format!("{name} fails: {said}"))
}

#[cfg(test)]
mod tests {
    use super::is_likely;

    #[test]
    fn a_launcher_is_known_by_its_name_and_other_programs_are_not() {
        let words = |text: &str| text.split(' ').map(Into::into).collect::<Vec<_>>();
        assert!(is_likely(&words("/usr/bin/mpirun -np 4 ./a")));
        assert!(is_likely(&words("env A=1 mpiexec -n 4 ./a")));
        assert!(!is_likely(&words("sh -c true")));
    }
}
