//! Compiles what is loaded into recorded programs (`shim/`) to a shared object, which the library embeds.

use std::error::Error;
use std::path::PathBuf;

/// Its files.
const SOURCES: [&str; 6] = ["stream.c", "files.c", "calls.c", "dispatch.c", "wrappers.c", "processes.c"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=shim");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo says no folder for what is built")?);
    let object = folder.join("petrio-record.so");
    let mut compiler = cc::Build::new().opt_level(2).debug(false).pic(true).try_get_compiler()?.to_command();
    compiler.args([
        "-std=gnu11",
        "-shared",
        // Nothing is looked up later, on whatever stack that would be.
        "-Wl,-z,now",
        "-fvisibility=hidden",
        "-Wall",
        "-Wextra",
        "-U_FORTIFY_SOURCE",
        "-o",
    ]);
    compiler.arg(&object).args(SOURCES.map(|source| format!("shim/{source}"))).args(["-ldl", "-lpthread"]);
    let status = compiler.status().map_err(|error| format!("a C compiler is needed: {error}"))?;
    if !status.success() {
        return Err(
            "what is loaded into recorded programs can't be compiled; the compiler says why above".into()
        );
    }
    println!("cargo::rustc-env=PETRIO_RECORD_OBJECT={}", object.display());
    Ok(())
}
