//! The part for MPI, compiled by the user's `mpicc`: handles and constants differ between libraries, so that no compiled one fits all.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SOURCE: &str = include_str!("../shim/mpi.c");
const FORTRAN: &str = include_str!("../shim/mpi_fortran.c");
const HEADER: &str = include_str!("../shim/record.h");

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

/// A program is looked through so far for the name of its library.
const LOOKED_THROUGH: u64 = 64 << 20;

/// Whether a command is likely to be one of MPI: started by a launcher, or linked with the library.
pub(crate) fn is_likely(command: &[OsString]) -> bool {
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

/// Compiles it into a folder; why it can't be, in words.
pub(crate) fn compile(folder: &Path) -> Result<PathBuf, String> {
    let compiler = std::env::var_os("MPICC").unwrap_or_else(|| "mpicc".into());
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    write("mpi.c", SOURCE)?;
    write("mpi_fortran.c", FORTRAN)?;
    write("record.h", HEADER)?;
    // It is loaded into programs without MPI, too, where nothing answers to these names.
    for name in ["mpi", "mpi_fortran"] {
        let source = format!("{name}.c");
        run(folder, &compiler, &["-O2", "-fPIC", "-I.", "-c", &source])?;
        run(folder, "objcopy".as_ref(), &["--weaken", &format!("{name}.o")])?;
    }
    run(folder, "cc".as_ref(), &["-shared", "-o", "petrio-record-mpi.so", "mpi.o", "mpi_fortran.o"])?;
    Ok(folder.join("petrio-record-mpi.so"))
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
