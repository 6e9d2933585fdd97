//! What drives count of themselves.

use crate::common::once;

#[test]
fn of_pages_that_are_written_in_part_each_is_read_first_and_of_whole_ones_none() {
    let of = |record: &str| {
        let text = format!(
            "[disk.d]\nmodel = \"samsung-970-evo-500gb\"\ncount = 2\n\n[workload.w]\nkind = \"device-accesses\"\non = [\"d0\", \"d1\"]\n\
             operation = \"write\"\norder = \"random\"\nrecord = \"{record}\"\naccesses = 128\n"
        );
        let counted = once(&text).counted;
        counted.iter().map(|drive| (drive.what.clone(), drive.drives, drive.count)).collect::<Vec<_>>()
    };
    let what = "pages read first, for writes of parts of them".to_owned();
    assert_eq!(of("512 B"), [(what, 2, 128)]);
    assert_eq!(of("4 KiB"), []);
}
