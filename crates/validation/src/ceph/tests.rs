//! Grids are read, refused and predicted.
#![allow(clippy::unwrap_used)]

use super::measured::{Operation, read_grid};
use super::{judged, predict, shipped};
use std::collections::BTreeMap;
use std::path::Path;

const HEAD: &str = "size,op,block_kib,depth,link_mbit,pool,image_id,image_mib,mb_s\n";

fn read(text: &str) -> Result<usize, String> {
    let mut cells = BTreeMap::new();
    read_grid(Path::new("g.csv"), text.as_bytes(), &mut cells).map_err(|error| error.to_string())?;
    Ok(cells.len())
}

#[test]
fn repetitions_are_of_a_cell_and_what_makes_no_sense_is_told_with_its_line() {
    let row = "3,random-write,4,1,20,1,102713c75a92,64,0.5\n";
    assert_eq!(read(&format!("{HEAD}{row}{row}")), Ok(1));
    assert_eq!(read("a,b\n1,2\n"), Ok(0), "no grid");
    let wrong = read(&format!("{HEAD}{row}0,read,4,1,20,1,a,64,0.5\n")).unwrap_err();
    assert!(wrong.contains("line 3") && wrong.contains("size is 0"), "{wrong}");
    let wrong = read(&format!("{HEAD}3,append,4,1,20,1,a,64,0.5\n")).unwrap_err();
    assert!(wrong.contains("line 2") && wrong.contains("append"), "{wrong}");
    let wrong = read(&format!("{HEAD}3,read,4,1,-20,1,a,64,0.5\n")).unwrap_err();
    assert!(wrong.contains("link_mbit is -20"), "{wrong}");
}

#[test]
fn the_shipped_grid_has_each_size_and_operation_and_is_predicted_alike_each_time() {
    let all = shipped().unwrap();
    for size in 1..=3u32 {
        for op in [Operation::RandomRead, Operation::RandomWrite, Operation::Read, Operation::Write] {
            assert!(all.iter().any(|one| one.cell.size == size && one.cell.op == op), "{size} {op:?}");
        }
    }
    let some: Vec<_> = all.into_iter().filter(|one| one.cell.op == Operation::Write).take(1).collect();
    let once = predict(&some, &mut |_, _| {}).unwrap();
    assert_eq!(once, predict(&some, &mut |_, _| {}).unwrap());
    assert!(once[0].predicted() > 0.0);
    assert_eq!(judged(&once).len(), 2);
}
