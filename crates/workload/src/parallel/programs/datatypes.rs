//! Datatypes of MPI as a scenario writes them: a list of types, each made of the one before.

use super::refuse;
use crate::parallel::io::Datatype;
use crate::program::ProgramError;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A datatype of MPI, made of the one that stands before it in the list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum DatatypeParameters {
    /// Bytes that follow each other: the first of the list, and only that.
    Bytes(Bytes),
    /// So many of the type before, one after the other (MPI_Type_contiguous).
    Contiguous {
        /// How many.
        count: u64,
    },
    /// Blocks of the type before at the same distance (MPI_Type_vector).
    Vector {
        /// How many blocks.
        count: u64,
        /// How many of the type in a block.
        block: u64,
        /// From one block's beginning to the next one's, in extents of the type.
        stride: u64,
    },
    /// Blocks of the type before anywhere (MPI_Type_indexed).
    Indexed {
        /// Of each block where it begins and how long it is, in extents of the type, in rising order.
        blocks: Vec<[u64; 2]>,
    },
    /// A part of an array of the type before, whose first index runs fastest (MPI_Type_create_subarray with MPI_ORDER_FORTRAN).
    Subarray {
        /// The array's lengths.
        sizes: Vec<u64>,
        /// The part's lengths.
        part: Vec<u64>,
        /// Where the part begins in each dimension.
        starts: Vec<u64>,
    },
    /// The rank's block of an array of the type before that is spread over all ranks, the first index running fastest
    /// (MPI_Type_create_darray with MPI_DISTRIBUTE_BLOCK): ranks are numbered along the first dimension first, and the last block
    /// of each may be shorter.
    Distributed {
        /// The array's lengths.
        sizes: Vec<u64>,
        /// Ranks along each dimension; their product is the number of ranks.
        ranks: Vec<u64>,
    },
    /// The type before with another extent (MPI_Type_create_resized).
    Resized {
        /// From one to the next where it is repeated.
        extent: Bytes,
    },
}

impl DatatypeParameters {
    fn build(&self, of: Option<&Arc<Datatype>>, rank: u32, ranks: u32) -> Result<Datatype, ProgramError> {
        let of = match (self, of) {
            (Self::Bytes(size), None) => return Datatype::bytes(size.get()),
            (Self::Bytes(_), Some(_)) => return refuse("view", "`bytes` stands first, and once"),
            (_, None) => {
                return refuse("view", "it begins with `{ bytes = \"…\" }`, of which the others are made");
            }
            (_, Some(of)) => of,
        };
        match self {
            Self::Bytes(size) => Datatype::bytes(size.get()),
            Self::Contiguous { count } => Datatype::contiguous(*count, of),
            Self::Vector { count, block, stride } => Datatype::vector(*count, *block, *stride, of),
            Self::Indexed { blocks } => Datatype::indexed(blocks, of),
            Self::Subarray { sizes, part, starts } => Datatype::subarray(sizes, part, starts, of),
            Self::Distributed { sizes, ranks: along } => {
                let (part, starts) = block_of(sizes, along, rank, ranks)?;
                Datatype::subarray(sizes, &part, &starts, of)
            }
            Self::Resized { extent } => of.as_ref().clone().resized(extent.get()),
        }
    }
}

/// The last type of a list, as a rank has it.
pub(super) fn built(
    types: &[DatatypeParameters],
    rank: u32,
    ranks: u32,
) -> Result<Arc<Datatype>, ProgramError> {
    let mut of = None;
    for datatype in types {
        of = Some(Arc::new(datatype.build(of.as_ref(), rank, ranks)?));
    }
    of.map_or_else(|| refuse("view", "there is no type in it"), Ok)
}

/// A rank's block of an array, and where it begins.
fn block_of(
    sizes: &[u64],
    along: &[u64],
    rank: u32,
    ranks: u32,
) -> Result<(Vec<u64>, Vec<u64>), ProgramError> {
    let product = along.iter().try_fold(1u64, |product, &along| product.checked_mul(along));
    if sizes.len() != along.len() || product != Some(u64::from(ranks)) {
        let problem =
            format!("the ranks along the dimensions are one for each, and their product is {ranks}");
        return refuse("view", problem);
    }
    let mut rank = u64::from(rank);
    let mut blocks = (Vec::new(), Vec::new());
    for (&size, &along) in sizes.iter().zip(along) {
        let (length, place) = (size.div_ceil(along), rank % along);
        rank /= along;
        let start = place.saturating_mul(length);
        if start >= size {
            return refuse("view", format!("{along} ranks along {size} elements leave some without any"));
        }
        blocks.0.push(length.min(size - start));
        blocks.1.push(start);
    }
    Ok(blocks)
}
