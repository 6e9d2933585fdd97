//! What belongs to no file: metadata, journals, requests of programs to the device itself. It is treated by regions of the
//! device, each as a file.

use super::copies::{REGION, Replicas, region_of};
use petrio_colours::{BlockRequest, FileId, SECTOR_BYTES};
use petrio_host::Ranges;
use petrio_units::numbers::as_number;
use smallvec::SmallVec;

impl Replicas {
    /// Where a file lies that was there before; a region lies where it is.
    pub(super) fn lies(&self, file: FileId) -> Ranges {
        let Some(number) = region_of(file) else { return self.layout.of(file) };
        let blocks = self.region_blocks();
        let first = u64::from(number) * blocks;
        let mut lies = Ranges::default();
        lies.add(first, (first + blocks).min(self.stride.max(first + 1)));
        lies
    }

    fn region_blocks(&self) -> u64 {
        self.parameters.region.get() / SECTOR_BYTES
    }

    /// The files that a request is of, each with its blocks. What belongs to no file is of the regions that it lies in.
    pub(super) fn pieces(&self, request: &BlockRequest) -> SmallVec<[(FileId, u64, u32); 1]> {
        let mut pieces = SmallVec::new();
        if request.file != FileId::ROOT {
            pieces.push((request.file, request.address, request.blocks));
            return pieces;
        }
        let (region, mut at) = (self.region_blocks(), request.address);
        loop {
            let number = at / region;
            let end = ((number + 1) * region).min(request.end());
            pieces.push((FileId(REGION | as_number(number)), at, as_number(end - at)));
            at = end;
            if at >= request.end() {
                return pieces;
            }
        }
    }
}
