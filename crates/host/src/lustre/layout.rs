//! Where a file's pages lie: components of ranges of it (progressive file layouts), each striped over objects on OSTs, or on its MDT.
//!
//! ```text
//!   file    │ component 0 (on the MDT) │ component 1: 1 stripe │ component 2: 4 stripes …
//!   object  │ 0                        │ 1                     │ 2 3 4 5 2 3 4 5 …
//!   block of a page = target · 2⁴⁴ + object · 2²⁸ + page within the object
//! ```
//!
//! After `lov_stripe_offset` (lustre/lov/lov_offset.c) and the manual, chapter 19; which OSTs take a file's stripes by turns, as the
//! allocator does where all are about equally full (`lod_ost_alloc_rr`, lustre/lod/lod_qos.c): file by file as they are numbered.
//! Objects of
//! one file on one OST are one local file here, in which each component has its own part.

use crate::copy_cost::PAGE_BYTES;
use crate::file_system::{Mapping, Segment};
use petrio_colours::FileId;
use petrio_persist::Persist;
use petrio_units::numbers::{as_index, as_number};

/// Where the numbers of an object and of its target begin in a block's.
const OBJECT: u32 = 28;
const TARGET: u32 = 44;
/// The most pages of a file, and of an object: 1 TiB. As the end of a lock it is none.
pub const FILE_PAGES: u64 = (1 << 28) - 1;

/// A range of each file that is striped in one way, in pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Component {
    /// The first page.
    pub start: u64,
    /// The page behind the last.
    pub end: u64,
    /// Pages of a stripe.
    pub stripe: u64,
    /// Stripes side by side: none on the MDT.
    pub stripes: u32,
    /// The number of its first object among those of the file.
    pub first: u16,
}

/// What holds a part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Persist)]
pub enum Target {
    /// A metadata target, by its number.
    Mdt(u16),
    /// An object storage target.
    Ost(u16),
}

/// What tells a metadata target's number from an object storage target's.
const METADATA: u16 = 1 << 15;

impl Target {
    /// As a number.
    pub const fn code(self) -> u16 {
        match self {
            Self::Mdt(number) => METADATA | number,
            Self::Ost(number) => number,
        }
    }

    /// Of a number.
    pub const fn of(code: u16) -> Self {
        if code & METADATA == 0 { Self::Ost(code) } else { Self::Mdt(code & !METADATA) }
    }
}

/// Pages of a file that lie next to each other in an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The object.
    pub object: u16,
    /// Its first page in there.
    pub at: u64,
    /// Its first page in the file.
    pub first: u64,
    /// How many.
    pub pages: u64,
}

/// How all files of a file system are striped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Striping {
    components: Vec<Component>,
    osts: u32,
    mdts: u32,
}

impl Striping {
    /// Of components, each with its end in bytes (none of the last), bytes of a stripe, and stripes.
    pub fn new(components: &[(Option<u64>, u64, u32)], (osts, mdts): (u32, u32)) -> Self {
        let (mut start, mut first) = (0, 0u16);
        let components = components.iter().map(|&(end, stripe, stripes)| {
            let end = end.map_or(FILE_PAGES, |end| end / PAGE_BYTES);
            let own = Component { start, end, stripe: (stripe / PAGE_BYTES).max(1), stripes, first };
            start = end;
            first = first.saturating_add(u16::try_from(stripes.max(1)).unwrap_or(u16::MAX));
            own
        });
        Self { components: components.collect(), osts: osts.max(1), mdts: mdts.max(1) }
    }

    /// Its components.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// How many object storage targets there are.
    pub const fn osts(&self) -> u32 {
        self.osts
    }

    /// How many metadata targets there are.
    pub const fn mdts(&self) -> u32 {
        self.mdts
    }

    /// The component that holds a page, by its number.
    pub fn component_of(&self, page: u64) -> usize {
        let found = self.components.iter().position(|own| page < own.end);
        found.unwrap_or(self.components.len().saturating_sub(1))
    }

    /// The metadata target of a directory: with several, directories take turns.
    pub fn mdt_of(&self, directory: FileId) -> u16 {
        as_number(as_index(u64::from(directory.0 % self.mdts))).try_into().unwrap_or(0)
    }

    /// The component of an object.
    pub fn component(&self, object: u16) -> Option<&Component> {
        self.components.iter().rev().find(|own| own.first <= object)
    }

    /// What holds an object of a file in a directory.
    pub fn target(&self, (file, parent): (FileId, FileId), object: u16) -> Target {
        match self.component(object) {
            Some(own) if own.stripes > 0 => {
                let stripe = u64::from(object - own.first);
                let begins = u64::from(file.0) * u64::from(own.stripes) + u64::from(own.first);
                let ost = (begins + stripe) % u64::from(self.osts);
                Target::Ost(u16::try_from(ost).unwrap_or(0))
            }
            _ => Target::Mdt(self.mdt_of(parent)),
        }
    }

    /// The objects of the first components.
    pub fn objects(&self, components: usize) -> impl Iterator<Item = u16> + '_ {
        let own = self.components.iter().take(components);
        own.flat_map(|own| (0..own.stripes.max(1)).map(move |stripe| (own, stripe)))
            .map(|(own, stripe)| own.first.saturating_add(u16::try_from(stripe).unwrap_or(u16::MAX)))
    }

    /// The runs of a file's pages in its objects.
    pub fn parts(&self, first: u64, pages: u64) -> impl Iterator<Item = Part> + '_ {
        let (mut at, end) = (first, first + pages);
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let part = self.part(at, end - at)?;
            at += part.pages;
            Some(part)
        })
    }

    fn part(&self, page: u64, most: u64) -> Option<Part> {
        let own = self.components.get(self.component_of(page))?;
        let within = page.saturating_sub(own.start);
        let side = u64::from(own.stripes.max(1));
        let left = own.end.saturating_sub(page).max(1);
        if side == 1 {
            return Some(Part { object: own.first, at: within, first: page, pages: most.min(left) });
        }
        let (stripe, offset) = (within / own.stripe, within % own.stripe);
        let object = own.first + u16::try_from(stripe % side).unwrap_or(0);
        let at = stripe / side * own.stripe + offset;
        Some(Part { object, at, first: page, pages: most.min(own.stripe - offset).min(left) })
    }

    /// The page of the file that is one of an object.
    pub fn page_of(&self, object: u16, at: u64) -> u64 {
        let Some(own) = self.component(object) else { return at };
        let side = u64::from(own.stripes.max(1));
        if side == 1 {
            return own.start + at;
        }
        own.start + (at / own.stripe * side + u64::from(object - own.first)) * own.stripe + at % own.stripe
    }

    /// The runs of a file's pages that lie in a range of an object, of a file of so many pages.
    pub fn runs(
        &self,
        object: u16,
        (from, to): (u64, u64),
        file_pages: u64,
    ) -> impl Iterator<Item = (u64, u64)> + '_ {
        let own = self.component(object).copied();
        let mut at = from;
        std::iter::from_fn(move || {
            let own = own.filter(|_| at < to)?;
            let first = self.page_of(object, at);
            let last = own.end.min(file_pages);
            if first >= last {
                return None;
            }
            let whole = if own.stripes > 1 { own.stripe - at % own.stripe } else { u64::MAX };
            let pages = whole.min(to - at).min(last - first);
            at += pages;
            Some((first, pages))
        })
    }

    /// The pages of an object of a file of so many pages.
    pub fn pages_in(&self, object: u16, file_pages: u64) -> u64 {
        let Some(own) = self.component(object) else { return 0 };
        let within = file_pages.min(own.end).saturating_sub(own.start);
        let side = u64::from(own.stripes.max(1));
        if side == 1 {
            return within;
        }
        let (rounds, rest) = (within / (own.stripe * side), within % (own.stripe * side));
        let before = u64::from(object - own.first) * own.stripe;
        rounds * own.stripe + rest.saturating_sub(before).min(own.stripe)
    }

    /// Where an object begins in the local file that holds all of a file's objects on a target, in pages.
    pub fn begins(&self, of: (FileId, FileId), object: u16) -> u64 {
        let target = self.target(of, object);
        let before = self.objects(self.components.len()).take_while(|&other| other < object);
        before
            .filter(|&other| self.target(of, other) == target)
            .map(|other| self.pages_in(other, FILE_PAGES))
            .sum()
    }

    /// Bytes of the local file on a target, of a file of so many bytes; none where nothing of it lies there.
    pub fn stored(&self, of: (FileId, FileId), target: Target, bytes: u64) -> Option<u64> {
        let pages = bytes.div_ceil(PAGE_BYTES);
        let objects =
            self.objects(self.instantiated(bytes)).filter(|&object| self.target(of, object) == target);
        objects.map(|object| (self.begins(of, object) + self.pages_in(object, pages)) * PAGE_BYTES).max()
    }

    /// How many components of a file have objects: the first, and those that were written to.
    pub fn instantiated(&self, bytes: u64) -> usize {
        if bytes == 0 { 1 } else { self.component_of((bytes - 1) / PAGE_BYTES) + 1 }
    }

    /// Where a file's pages lie, for the page cache.
    pub(super) fn map(&self, of: (FileId, FileId), (first, count): (u64, u64), out: &mut Mapping) {
        out.clear();
        out.segments.extend(self.parts(first, count).map(|part| Segment {
            first: part.first,
            block: Some(block(self.target(of, part.object), part.object, part.at)),
            count: part.pages,
        }));
    }
}

/// The block of an object's page on a target.
fn block(target: Target, object: u16, at: u64) -> u64 {
    (u64::from(target.code()) << TARGET) | (u64::from(object) << OBJECT) | at
}

/// The target, the object and the page that a block is.
pub(super) fn place(block: u64) -> (Target, u16, u64) {
    let number = |shift: u32| u16::try_from((block >> shift) & u64::from(u16::MAX)).unwrap_or(0);
    (Target::of(number(TARGET)), number(OBJECT), block & ((1 << OBJECT) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIB: u64 = 1 << 20;

    /// 64 KiB on the MDT, one stripe up to 4 MiB, three of 1 MiB behind.
    fn progressive() -> Striping {
        let components = [(Some(64 << 10), MIB, 0), (Some(4 * MIB), MIB, 1), (None, MIB, 3)];
        Striping::new(&components, (4, 2))
    }

    #[test]
    fn a_page_lies_where_its_component_and_stripe_say() {
        let layout = progressive();
        let part = |page| layout.part(page, 10_000).map(|part| (part.object, part.at, part.pages));
        assert_eq!(part(0), Some((0, 0, 16)));
        assert_eq!(part(16), Some((1, 0, 1024 - 16)));
        assert_eq!(part(1024), Some((2, 0, 256)));
        assert_eq!(part(1024 + 256), Some((3, 0, 256)));
        assert_eq!(part(1024 + 3 * 256 + 7), Some((2, 256 + 7, 249)));
        let file = (FileId(2), FileId(1));
        // Directory 1 is the second MDT's; stripes of file 2 begin at 2 · 3 + 2.
        let targets: Vec<Target> = [0, 2, 3, 4].map(|object| layout.target(file, object)).into();
        assert_eq!(targets, [Target::Mdt(1), Target::Ost(0), Target::Ost(1), Target::Ost(2)]);
    }

    proptest! {
        #[test]
        fn objects_hold_each_page_once(page in 0u64..100_000, pages in 1u64..5_000) {
            let layout = progressive();
            let mut next = page;
            for part in layout.parts(page, pages) {
                prop_assert_eq!(part.first, next);
                for each in [0, part.pages - 1] {
                    prop_assert_eq!(layout.page_of(part.object, part.at + each), part.first + each);
                }
                next += part.pages;
            }
            prop_assert_eq!(next, page + pages);
            let held: u64 = layout.objects(3).map(|object| layout.pages_in(object, pages)).sum();
            prop_assert_eq!(held, pages);
            let runs: u64 = layout.runs(3, (0, FILE_PAGES), pages).map(|run| run.1).sum();
            prop_assert_eq!(runs, layout.pages_in(3, pages));
        }
    }
}
