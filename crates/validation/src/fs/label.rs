//! What a point's prediction is worth: whether the machine profile has seen it.
//!
//! A profile's copy curve says which block and file sizes were timed in sequence, and its jumps which files at random.
//! A cached read or overwrite of such a size is in sample; one between them is interpolated; all else follows from the
//! model alone, and is predicted.

use super::experiment::Paced;
use petrio_models::host::machine::{CopyCurve, CopyPoint, JumpCost, MachineParameters};
use petrio_units::Bytes;
use serde::Serialize;

/// What a prediction is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// The profile holds what is asked: nothing is proved.
    InSample,
    /// The profile holds its neighbours of the same operation: little is proved.
    Interpolated,
    /// It follows from the model.
    Predicted,
}

impl Label {
    /// As it is printed.
    pub const fn words(self) -> &'static str {
        match self {
            Self::InSample => "in sample",
            Self::Interpolated => "interpolated",
            Self::Predicted => "predicted",
        }
    }
}

/// The curve that tells which sizes of an experiment a machine's profile has seen.
pub(super) const fn curve(machine: &MachineParameters, paced: Paced) -> Option<&CopyCurve> {
    match paced {
        Paced::ByReads => Some(&machine.copy.to_user),
        Paced::ByOverwrites => Some(&machine.copy.from_user),
        Paced::ByNewFiles | Paced::ByDevice => None,
    }
}

/// The label of accesses of `record`, in order or not, to files of `file_size`.
pub(super) fn label(
    (curve, jumps): (Option<&CopyCurve>, &[JumpCost]),
    paced: Paced,
    sequential: bool,
    (record, file_size): (Bytes, Bytes),
) -> Label {
    let in_memory = matches!(paced, Paced::ByReads | Paced::ByOverwrites);
    if in_memory && !sequential {
        // Jumps were timed with another record, so that none is in sample.
        let longer = jumps.iter().any(|jump| jump.footprint >= file_size);
        let within = longer && jumps.iter().any(|jump| jump.footprint <= file_size);
        return if within { Label::Interpolated } else { Label::Predicted };
    }
    let timed = in_memory && sequential;
    let Some(CopyCurve::Measured { points }) = curve.filter(|_| timed) else { return Label::Predicted };
    if points.iter().any(|point| (point.block, point.footprint) == (record, file_size)) {
        return Label::InSample;
    }
    let within = |size: Bytes, of: fn(&CopyPoint) -> Bytes| {
        points.iter().any(|point| of(point) <= size) && points.iter().any(|point| of(point) >= size)
    };
    if within(record, |point| point.block) && within(file_size, |point| point.footprint) {
        Label::Interpolated
    } else {
        Label::Predicted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(points: &[(u64, u64)], paced: Paced, sequential: bool, sizes: (u64, u64)) -> Label {
        let points = points.iter().map(|&(block, footprint)| CopyPoint {
            block: Bytes::from_kib(block),
            footprint: Bytes::from_kib(footprint),
            page: petrio_units::Duration::ZERO,
        });
        let curve = CopyCurve::Measured { points: points.collect() };
        label((Some(&curve), &[]), paced, sequential, (Bytes::from_kib(sizes.0), Bytes::from_kib(sizes.1)))
    }

    const TIMED: [(u64, u64); 4] = [(12, 20), (12, 40_960), (12_288, 20), (12_288, 40_960)];

    #[test]
    fn what_was_timed_is_in_sample_what_lies_between_is_interpolated_and_all_else_predicted() {
        let read = |sizes| worth(&TIMED, Paced::ByReads, true, sizes);
        assert_eq!(read((12, 40_960)), Label::InSample);
        assert_eq!(read((64, 1_024)), Label::Interpolated);
        assert_eq!(read((4, 1_024)), Label::Predicted, "a shorter record than any that was timed");
        assert_eq!(read((64, 65_536)), Label::Predicted, "a longer file than any that was timed");
        assert_eq!(worth(&TIMED, Paced::ByReads, false, (64, 1_024)), Label::Predicted, "in another order");
        assert_eq!(worth(&TIMED, Paced::ByDevice, true, (12, 40_960)), Label::Predicted);
        assert_eq!(worth(&TIMED, Paced::ByNewFiles, true, (12, 40_960)), Label::Predicted);
        assert_eq!(worth(&[], Paced::ByReads, true, (12, 40_960)), Label::Predicted);
    }

    #[test]
    fn a_rule_without_points_has_timed_nothing() {
        assert_eq!(label((None, &[]), Paced::ByReads, true, (Bytes(4096), Bytes(4096))), Label::Predicted);
    }

    #[test]
    fn calls_at_random_are_interpolated_between_files_on_which_jumps_were_timed() {
        let jump = |kib| {
            let none = petrio_units::Duration::ZERO;
            JumpCost { footprint: Bytes::from_kib(kib), read: none, write: none, buffer: none }
        };
        let jumps = [jump(320), jump(5_120)];
        let read =
            |kib| label((None, &jumps), Paced::ByReads, false, (Bytes::from_kib(8), Bytes::from_kib(kib)));
        assert_eq!(read(1_024), Label::Interpolated);
        assert_eq!((read(256), read(8_192)), (Label::Predicted, Label::Predicted));
    }
}
