//! Trainings: each sample read and computed on as often as it should be.

#![allow(clippy::unwrap_used)]
use crate::parallel::testing::{carry_out, pieces, planned};
use petrio_colours::Operation;
use petrio_time::Time;
use proptest::prelude::*;

proptest! {
    #[test]
    fn every_batch_is_read_once_an_epoch_and_computed_on_once(
        accelerators in 1u32..4,
        readers in 1u32..4,
        files in 6u32..30,
        samples in 1u32..6,
        batch in 1u32..3,
        prefetch in 1u32..4,
        epochs in 1u32..4,
        sums in any::<bool>(),
    ) {
        let gradients = if sums { r#", "gradients": "100 kB""# } else { "" };
        let program = format!(
            r#"{{ "kind": "training", "model": "unet3d", "files": {files}, "samples_per_file": {samples}, "batch": {batch},
                "readers": {readers}, "prefetch": {prefetch}, "epochs": {epochs}, "step_time": "1 s",
                "sample": "1000 B", "transfer": "300 B"{gradients} }}"#
        );
        let ranks = accelerators * (readers + 1);
        let done = carry_out(&planned(&program, &vec![0; ranks as usize]));
        let batches = files * samples / accelerators / batch;
        let read: u64 = pieces(&done, Operation::Read).values().flatten().map(|piece| piece.1).sum();
        prop_assert_eq!(read, 1000 * u64::from(batches * batch * accelerators * epochs));
        let measured: Vec<_> =
            done.phases.iter().map(|phase| (&*phase.phase.name, phase.amount.operations)).collect();
        // The first step of an epoch isn't measured, where there is another.
        let steps = if batches > 1 { batches - 1 } else { 1 };
        prop_assert_eq!(measured, vec![("epoch", u64::from(steps * batch * accelerators)); epochs as usize]);
        for rank in 0..ranks {
            let is_accelerator = rank % (readers + 1) == 0;
            let seconds = if is_accelerator { u64::from(batches * epochs) } else { 0 };
            prop_assert_eq!(done.computed[rank as usize], Time::from_whole_seconds(seconds));
            prop_assert!(!is_accelerator || done.calls[rank as usize].is_empty());
        }
        // No sample twice in an epoch.
        for (_, read) in pieces(&done, Operation::Read) {
            let times = |piece: &(u64, u64)| read.iter().filter(|other| *other == piece).count();
            prop_assert!(read.iter().all(|piece| times(piece) <= epochs as usize));
        }
    }
}

#[test]
fn the_files_of_unet3d_are_as_long_as_its_figures_say() {
    let plan = planned(r#"{ "kind": "training", "model": "unet3d", "files": 4000 }"#, &[0; 5]);
    let table = plan.table().unwrap();
    let sizes: Vec<f64> = table.entries().iter().map(|entry| entry.size as f64).collect();
    let mean = sizes.iter().sum::<f64>() / 4000.0;
    let deviation = (sizes.iter().map(|size| (size - mean) * (size - mean)).sum::<f64>() / 4000.0).sqrt();
    // What of a normal distribution lies above zero, 2.145 deviations below its mean: φ(2.145) / Φ(2.145) of a deviation more.
    let expected = 146_600_628.0 + 0.0406 * 68_341_808.0;
    assert!((mean - expected).abs() < 3.0 * 68_341_808.0 / 4000f64.sqrt(), "{mean}");
    assert!((60e6..70e6).contains(&deviation), "{deviation}");
    assert!(sizes.iter().all(|size| *size >= 1.0));
}

#[test]
fn epochs_go_through_the_files_in_another_order() {
    let program = r#"{ "kind": "training", "model": "cosmoflow", "files": 50, "readers": 1, "epochs": 2 }"#;
    let done = carry_out(&planned(program, &[0; 2]));
    let opened: Vec<u32> =
        done.calls[1].iter().filter(|op| op.operation == Operation::Open).map(|op| op.file.0).collect();
    let (first, second) = opened.split_at(50);
    assert_ne!(first, second);
    let sorted = |files: &[u32]| {
        let mut files = files.to_vec();
        files.sort_unstable();
        files
    };
    assert_eq!(sorted(first), (3..53).collect::<Vec<_>>());
    assert_eq!(sorted(first), sorted(second));
}

#[test]
fn ranks_that_are_no_whole_groups_are_refused() {
    let plan = |ranks: u32| {
        let json =
            format!(r#"{{ "ranks": {ranks}, "program": {{ "kind": "training", "model": "resnet50" }} }}"#);
        serde_json::from_str::<crate::parallel::ParallelParameters>(&json).unwrap().validate()
    };
    assert!(plan(18).is_ok());
    assert!(plan(8).unwrap_err().to_string().contains("multiple of 9"));
}
