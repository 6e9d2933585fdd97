//! Captures a command and prints what it did:
//! `cargo run -p petrio-capture --example file_trace -- [--full] cat /etc/fstab`.

use petrio_capture::file_trace::{BUFFER_KIB, CaptureParameters, Subject, capture};
use petrio_trace::native::NativeReader;
use std::error::Error;

// A program for the terminal prints.
#[allow(clippy::print_stdout)]
fn main() -> Result<(), Box<dyn Error>> {
    let mut command: Vec<_> = std::env::args_os().skip(1).collect();
    let full = command.first().is_some_and(|word| word == "--full");
    if full {
        command.remove(0);
    }
    let folder = tempfile::tempdir()?;
    let parameters = CaptureParameters {
        subject: Subject::Command(command),
        with_background: false,
        out: folder.path().join("trace.parquet"),
        full,
        rotation: None,
        names: Vec::new(),
        buffer_kib: BUFFER_KIB,
    };
    let summary = capture(&parameters)?;
    for event in NativeReader::open(&summary.files[0])? {
        let event = event?;
        println!(
            "{:>12.3} µs {:>6} {:9} {:>4}:{}.{} {:?} {:?} +{} hit {:?} error {} size {:?} totals {:?} extents {:?} request {:?} took {:?}",
            event.time.as_micros(),
            event.process,
            event.kind.name(),
            event.file.device >> 20,
            event.file.inode,
            event.file.generation,
            event.path.as_deref().unwrap_or("-"),
            event.offset,
            event.length,
            event.hit,
            event.error,
            event.size,
            event.totals,
            event.extents.iter().map(|e| (e.address, e.blocks, e.hit)).collect::<Vec<_>>(),
            event.request,
            event.service.map(petrio_time::Time::as_micros),
        );
    }
    println!("{summary:#?}");
    Ok(())
}
