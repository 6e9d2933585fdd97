//! MPI's derived datatypes, as what a rank sees of a file: pieces of bytes at displacements, nested to any depth.
//!
//! Nothing is flattened: how many bytes lie before an offset, and at which offset a byte lies, follow from counts and strides,
//! so that a type of a billion pieces costs as much as one of two. MPI wants the displacements of a file's type in rising
//! order; here pieces don't lie among each other, either.

use crate::program::ProgramError;
use std::sync::Arc;

/// Which bytes of a stretch of a file are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datatype {
    shape: Shape,
    /// Bytes that are meant.
    size: u64,
    /// Contiguous pieces.
    pieces: u64,
    /// From the beginning to one past the last byte that is meant.
    end: u64,
    /// From one such type to the next, where they are repeated.
    extent: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// All of `size` bytes.
    Bytes,
    /// `count` of a type, each `stride` bytes after the one before.
    Repeated { of: Arc<Datatype>, count: u64, stride: u64 },
    /// Types at displacements.
    Placed(Vec<Placed>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Placed {
    displacement: u64,
    of: Arc<Datatype>,
    /// Bytes and pieces of those before.
    bytes_before: u64,
    pieces_before: u64,
}

/// Pieces of a file: those that begin before an offset, and those that end there or before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pieces {
    pub(super) begun: u64,
    pub(super) ended: u64,
}

fn refuse(problem: &str) -> ProgramError {
    ProgramError::parameter("view", problem)
}

const TOO_LONG: &str = "it is longer than 8 EiB";

impl Datatype {
    /// Bytes that follow each other (MPI_BYTE, or an elementary type of so many bytes).
    ///
    /// # Errors
    /// No bytes.
    pub fn bytes(size: u64) -> Result<Self, ProgramError> {
        if size == 0 || size > i64::MAX as u64 {
            return Err(refuse("it has no bytes, or more than 8 EiB; give a type of 1 B to 8 EiB"));
        }
        Ok(Self { shape: Shape::Bytes, size, pieces: 1, end: size, extent: size })
    }

    /// `count` of a type, one after the other (MPI_Type_contiguous).
    ///
    /// # Errors
    /// None of them, or too long.
    pub fn contiguous(count: u64, of: &Arc<Self>) -> Result<Self, ProgramError> {
        Self::repeated(count, of.extent, of)
    }

    /// `count` of a type, each `stride` bytes after the one before (MPI_Type_create_hvector of blocks of one).
    ///
    /// # Errors
    /// None of them, or they lie among each other, or too long.
    pub fn repeated(count: u64, stride: u64, of: &Arc<Self>) -> Result<Self, ProgramError> {
        if count == 0 {
            return Err(refuse("it has nothing in it; give one piece or more"));
        }
        if count > 1 && stride < of.end {
            return Err(refuse(
                "its pieces lie among each other: the stride is shorter than what is repeated",
            ));
        }
        let before = (count - 1).checked_mul(stride);
        let end = before.and_then(|before| before.checked_add(of.end)).ok_or_else(|| refuse(TOO_LONG))?;
        let extent =
            before.and_then(|before| before.checked_add(of.extent)).ok_or_else(|| refuse(TOO_LONG))?;
        if end > i64::MAX as u64 {
            return Err(refuse(TOO_LONG));
        }
        // Pieces that touch are one.
        if matches!(of.shape, Shape::Bytes) && (stride == of.size || count == 1) && of.extent == of.size {
            return Self::bytes(count * of.size);
        }
        let (size, pieces) = (count * of.size, count * of.pieces);
        Ok(Self { shape: Shape::Repeated { of: Arc::clone(of), count, stride }, size, pieces, end, extent })
    }

    /// `count` blocks of `block` elements, which begin `stride` elements apart (MPI_Type_vector).
    ///
    /// # Errors
    /// As of [`repeated`](Self::repeated).
    pub fn vector(count: u64, block: u64, stride: u64, of: &Arc<Self>) -> Result<Self, ProgramError> {
        let blocks = Arc::new(Self::contiguous(block, of)?);
        let stride = stride.checked_mul(of.extent).ok_or_else(|| refuse(TOO_LONG))?;
        Self::repeated(count, stride, &blocks)
    }

    /// Types at displacements in bytes, in rising order (MPI_Type_create_struct, MPI_Type_create_hindexed).
    ///
    /// # Errors
    /// None of them, or one that begins before the end of the one before.
    pub fn placed(parts: impl IntoIterator<Item = (u64, Arc<Self>)>) -> Result<Self, ProgramError> {
        let mut placed: Vec<Placed> = Vec::new();
        let (mut size, mut pieces, mut end, mut extent) = (0u64, 0u64, 0u64, 0u64);
        for (displacement, of) in parts {
            let at = |length: u64| {
                let end = displacement.checked_add(length).filter(|&end| end <= i64::MAX as u64);
                end.ok_or_else(|| refuse(TOO_LONG))
            };
            extent = extent.max(at(of.extent)?);
            // What is placed in it is placed here, so that each part begins where it is said to.
            let inner = match &of.shape {
                Shape::Placed(inner) => {
                    inner.iter().map(|part| (part.displacement, Arc::clone(&part.of))).collect()
                }
                _ => vec![(0, of)],
            };
            for (within, of) in inner {
                let start = at(within)?;
                if start < end {
                    return Err(refuse(
                        "its pieces lie among each other, or not in rising order; let each begin where the one before ends, or later",
                    ));
                }
                end = at(within.saturating_add(of.end))?;
                let (bytes, count) = (of.size, of.pieces);
                placed.push(Placed { displacement: start, bytes_before: size, pieces_before: pieces, of });
                (size, pieces) = (size + bytes, pieces + count);
            }
        }
        if placed.is_empty() {
            return Err(refuse("it has nothing in it; give one piece or more"));
        }
        Ok(Self { shape: Shape::Placed(placed), size, pieces, end, extent })
    }

    /// Blocks of so many elements at displacements in elements (MPI_Type_indexed: displacement, length).
    ///
    /// # Errors
    /// As of [`placed`](Self::placed).
    pub fn indexed(blocks: &[[u64; 2]], of: &Arc<Self>) -> Result<Self, ProgramError> {
        let part = |&[displacement, length]: &[u64; 2]| {
            let at = displacement.checked_mul(of.extent).ok_or_else(|| refuse(TOO_LONG))?;
            Ok((at, Arc::new(Self::contiguous(length, of)?)))
        };
        Self::placed(blocks.iter().map(part).collect::<Result<Vec<_>, ProgramError>>()?)
    }

    /// A part of an array whose first index runs fastest (MPI_Type_create_subarray with MPI_ORDER_FORTRAN). Its extent is the
    /// whole array's.
    ///
    /// # Errors
    /// A part that isn't within the array, or has nothing in it.
    pub fn subarray(
        sizes: &[u64],
        part: &[u64],
        starts: &[u64],
        of: &Arc<Self>,
    ) -> Result<Self, ProgramError> {
        if sizes.len() != part.len() || sizes.len() != starts.len() || sizes.is_empty() {
            return Err(refuse(
                "an array's sizes, its part's, and where that starts are as many; give one of each for each dimension",
            ));
        }
        let mut inner = Arc::clone(of);
        let (mut stride, mut start) = (of.extent, 0u64);
        for ((&size, &count), &first) in sizes.iter().zip(part).zip(starts) {
            if count == 0 || first.checked_add(count).is_none_or(|end| end > size) {
                return Err(refuse(
                    "the part isn't within its array; let start and size be within the array's",
                ));
            }
            inner = Arc::new(Self::repeated(count, stride, &inner)?);
            start = first
                .checked_mul(stride)
                .and_then(|at| at.checked_add(start))
                .ok_or_else(|| refuse(TOO_LONG))?;
            stride = stride.checked_mul(size).ok_or_else(|| refuse(TOO_LONG))?;
        }
        let mut whole = Self::placed([(start, inner)])?;
        whole.extent = stride;
        Ok(whole)
    }

    /// The same, repeated every `extent` bytes (MPI_Type_create_resized).
    ///
    /// # Errors
    /// An extent that is shorter than what is in it.
    pub fn resized(mut self, extent: u64) -> Result<Self, ProgramError> {
        if extent < self.end {
            return Err(refuse("its extent is shorter than what is in it; give a longer one"));
        }
        self.extent = extent;
        Ok(self)
    }

    /// Bytes that are meant.
    pub const fn size(&self) -> u64 {
        self.size
    }

    /// Bytes from one to the next where it is repeated.
    pub const fn extent(&self) -> u64 {
        self.extent
    }

    /// Contiguous pieces in it; two that touch count as two.
    pub(super) const fn pieces(&self) -> u64 {
        self.pieces
    }

    /// Bytes that are meant before `offset`.
    pub(super) fn before(&self, offset: u64) -> u64 {
        match &self.shape {
            Shape::Bytes => offset.min(self.size),
            Shape::Repeated { of, count, stride } => {
                // A single one may have any stride.
                let index = offset.checked_div(*stride).unwrap_or(0).min(count - 1);
                index * of.size + of.before(offset - index * stride)
            }
            Shape::Placed(parts) => {
                let after = parts.partition_point(|part| part.displacement <= offset);
                let Some(part) = after.checked_sub(1).and_then(|index| parts.get(index)) else { return 0 };
                part.bytes_before + part.of.before(offset - part.displacement)
            }
        }
    }

    /// Pieces that begin before `offset`, and that end there or before.
    pub(super) fn pieces_at(&self, offset: u64) -> Pieces {
        match &self.shape {
            Shape::Bytes => Pieces { begun: u64::from(offset > 0), ended: u64::from(offset >= self.size) },
            Shape::Repeated { of, count, stride } => {
                let index = offset.checked_div(*stride).unwrap_or(0).min(count - 1);
                of.pieces_at(offset - index * stride).after(index * of.pieces)
            }
            Shape::Placed(parts) => {
                let after = parts.partition_point(|part| part.displacement <= offset);
                let Some(part) = after.checked_sub(1).and_then(|index| parts.get(index)) else {
                    return Pieces::default();
                };
                part.of.pieces_at(offset - part.displacement).after(part.pieces_before)
            }
        }
    }

    /// Where the byte number `index` of those that are meant lies, and how many follow it in its piece, itself included.
    pub(super) fn run(&self, index: u64) -> (u64, u64) {
        match &self.shape {
            Shape::Bytes => (index, self.size.saturating_sub(index)),
            Shape::Repeated { of, stride, .. } => {
                let (at, left) = of.run(index % of.size);
                (index / of.size * stride + at, left)
            }
            Shape::Placed(parts) => {
                let after = parts.partition_point(|part| part.bytes_before <= index);
                let Some(part) = after.checked_sub(1).and_then(|index| parts.get(index)) else {
                    return (0, 0);
                };
                let (at, left) = part.of.run(index - part.bytes_before);
                (part.displacement + at, left)
            }
        }
    }
}

impl Pieces {
    /// With so many more before them, all of which have ended.
    pub(super) const fn after(self, before: u64) -> Self {
        Self { begun: self.begun + before, ended: self.ended + before }
    }
}
