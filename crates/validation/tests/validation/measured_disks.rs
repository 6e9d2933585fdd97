//! The drives whose measurements lie in the data folder are predicted at least as well as by DiskSim.

use crate::measured_folder;
use petrio_files::inputs::Inputs;
use petrio_validation::disks::validate_disks;

#[test]
fn every_measured_disk_is_predicted_at_least_as_well_as_by_disksim() {
    let Some(folder) = measured_folder("disks", "measured_disks") else { return };
    let validation = validate_disks(&Inputs::here(), &folder).unwrap();
    assert!(validation.rows.len() >= 7, "{:?}", validation.left_out);
    for row in &validation.rows {
        println!(
            "{:12} {:6} measured {:.3} simulated {:.3} ms, {:+.2} %, demerit {:.4}, error {:.3} ms",
            row.disk,
            row.requests,
            row.measured_mean_ms,
            row.simulated_mean_ms,
            row.mean_error_percent,
            row.demerit_ms,
            row.rmse_ms
        );
        assert!(row.mean_error_percent.abs() < 3.0, "{row:?}");
        let Some(disksim) = row.disksim else { continue };
        // DiskSim's figures are known to three digits.
        assert!(row.demerit_ms < disksim.disksim_demerit_ms + 0.0005, "{row:?}");
    }
}

#[test]
fn files_that_make_no_pair_are_named() {
    let Some(folder) = measured_folder("disks", "measured_disks") else { return };
    let validation = validate_disks(&Inputs::here(), &folder).unwrap();
    let named: Vec<String> = validation
        .left_out
        .iter()
        .map(|left| left.file.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    // A system whose drive is described elsewhere, and systems without a trace.
    for file in ["ascii.parv", "3disks.parv", "synthopen.parv"] {
        assert!(named.iter().any(|name| name == file), "{named:?}");
    }
}
