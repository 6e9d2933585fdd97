//! Measures this machine, then calls of sizes that were not timed, and prints both.
//!
//! `cargo run --release -p petrio-live --example calibration [DIRECTORY]`
#![allow(clippy::print_stdout, reason = "an example shows what it finds")]

use petrio_live::calibrate::{CalibrateParameters, Folios, Formula, Sizes, Subject, calibrate};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = std::env::args().nth(1).map(Into::into);
    let timed = Sizes::full(16 << 30);
    let mut all = timed.clone();
    all.blocks.extend([4, 8, 16, 64, 256, 1_024, 4_096].map(|kib| kib << 10));
    all.files.extend([16, 64, 1_024, 65_536, 524_288].map(|kib| kib << 10));
    all.blocks.sort_unstable();
    all.files.sort_unstable();
    let parameters = CalibrateParameters { directory, sizes: Some(all), ..CalibrateParameters::default() };
    let both = calibrate(&parameters, &mut |_| ())?;
    let known = both.only(timed);
    println!("{}", known.to_toml());
    let mut formula = Formula::new(&known.machine, known.handles)?;
    for (subject, measured) in &both.measured {
        let (predicted, is_new) = match *subject {
            Subject::Read { folios, block, file } => (formula.read(folios, block, file), fresh(block, file)),
            Subject::Overwrite { folios: Folios::Large, block, file } => {
                (formula.overwrite(Folios::Large, block, file), fresh(block, file))
            }
            Subject::NewFile { block } => (formula.new_file(block, 20 << 20), block.is_power_of_two()),
            _ => continue,
        };
        if is_new {
            let error = (predicted / measured.median - 1.0) * 100.0;
            println!(
                "{subject:?}: measured {:.0} ns, predicted {predicted:.0} ns, {error:+.1} %",
                measured.median
            );
        }
    }
    Ok(())
}

/// Whether neither size was timed.
fn fresh(block: u64, file: u64) -> bool {
    block.is_power_of_two() && file.is_power_of_two()
}
