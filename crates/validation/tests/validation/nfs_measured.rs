//! The RPCs of a real kernel's NFS client.

use super::measured_folder;
use petrio_files::inputs::Inputs;
use petrio_validation::nfs::judge_nfs;
use petrio_validation::verdict::Judgement;

#[test]
fn of_what_a_real_client_sent_nine_in_ten_are_predicted() {
    let test = "of_what_a_real_client_sent_nine_in_ten_are_predicted";
    let Some(folder) = measured_folder("nfs-kernel", test) else { return };
    let found = judge_nfs(&Inputs::here(), &folder).unwrap();
    assert!(found.rows.len() > 400, "{} operations", found.rows.len());
    assert!(found.unknown.is_empty() && found.unknown_conditions.is_empty());
    let judged = found.judged();
    assert!(judged.iter().all(|judged| judged.verdict == Judgement::Holds), "{judged:?}");
}
