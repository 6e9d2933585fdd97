//! Prints what single file operations cost the device on this machine's kernel: `ext3` or `ext4`, then the journal
//! mode's requests, time, and the blocks that were logged. Needs root; says what is missing otherwise.

use petrio_live::ops::{OpsParameters, measure};
use petrio_live::rig::Facilities;
use petrio_models::host::file_system::Family;

#[allow(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to whoever runs it")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (what, availability) in Facilities::probe().list() {
        if let Some(why) = availability.reason() {
            eprintln!("not here: {what}: {why}");
        }
    }
    let mut parameters = OpsParameters::default();
    if std::env::args().nth(1).as_deref() == Some("ext4") {
        parameters.rig.file_system.family = Family::Ext4;
    }
    let rows = measure(&parameters, |done, all, operation, _| eprintln!("{done}/{all} {}", operation.name))?;
    for row in rows {
        println!(
            "{:24} {:10} {:28} {:7.2} ms ({:.2} … {:.2})  {}/{}  {:?} {:?}",
            row.operation,
            format!("{:?}", row.journal),
            row.requests,
            row.time_ms,
            row.time_least_ms,
            row.time_greatest_ms,
            row.commonest,
            row.repetitions,
            row.blocks_logged,
            row.logged,
        );
    }
    Ok(())
}
