//! The messages of single operations on a real PVFS 2, beside those that are predicted.

use crate::measured_folder;
use petrio_files::inputs::Inputs;
use petrio_validation::orangefs::judge_messages;

#[test]
fn messages_on_one_server_and_on_four_are_those_that_were_counted() {
    let Some(folder) = measured_folder("orangefs", "messages on PVFS 2") else { return };
    let found = judge_messages(&Inputs::here(), &folder).unwrap();
    assert!(found.unknown.is_empty(), "{:?}", found.unknown);
    assert!(found.rows.len() >= 100, "{} rows", found.rows.len());
    let wrong: Vec<_> = found.rows.iter().filter(|row| !row.agrees || !row.as_long).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
