//! Why an array can't be made.

use super::declustered::MOST_MEMBERS;
use super::parameters::RaidLevel;
use petrio_colours::SECTOR_BYTES;
use petrio_units::Bytes;

/// Why an array can't be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum RaidError {
    /// A stripe unit that isn't made of blocks.
    #[error("a stripe unit is a multiple of {SECTOR_BYTES} B, and not {0}; 64 KiB is usual")]
    Unit(Bytes),
    /// A granularity that isn't made of blocks, or doesn't divide the unit.
    #[error(
        "a granularity of {0} doesn't divide a stripe unit of {1} into blocks of {SECTOR_BYTES} B; 4 KiB is Linux md's"
    )]
    Granularity(Bytes, Bytes),
    /// Too few members.
    #[error("RAID {level} needs {fewest} members, and here are {members}")]
    Few {
        /// Of the array.
        level: RaidLevel,
        /// Fewest members of that level.
        fewest: usize,
        /// Members that are there.
        members: usize,
    },
    /// More members than one array takes.
    #[error("an array of {members} members is more than {MOST_MEMBERS}; stripe over several arrays instead")]
    Many {
        /// Members that are there.
        members: usize,
    },
    /// Members that make no whole groups.
    #[error(
        "{members} members can't hold {copies} copies; give two copies or more, and as many members at least"
    )]
    Copies {
        /// Members of a group.
        copies: u32,
        /// Members that are there.
        members: usize,
    },
    /// A stripe that is wider than the array, or too narrow for its level.
    #[error(
        "a stripe of {width} units makes no sense on {members} members: it has {least} at least and one for each member at most"
    )]
    Width {
        /// Units of a stripe.
        width: usize,
        /// Fewest units.
        least: usize,
        /// Members that are there.
        members: usize,
    },
    /// A member that isn't there, which is to fail or to be mostly written.
    #[error("there is no member {member}: they are numbered from 0 to {last}")]
    NoMember {
        /// The one that is named.
        member: u32,
        /// The last that there is.
        last: usize,
    },
    /// Spares at a level from which nothing can be rebuilt.
    #[error("RAID 0 has nothing of which a spare could be filled")]
    Spares,
    /// A rebuild that does nothing.
    #[error(
        "a rebuild goes on by one piece or more at a time, of a multiple of {SECTOR_BYTES} B, and at a rate above zero"
    )]
    Rebuild {
        /// Which of its parameters is to blame.
        key: &'static str,
    },
    /// A stripe cache that can't be.
    #[error("the stripe cache can't be so: {0}")]
    StripeCache(&'static str),
    /// A log that can't be, and which parameter is to blame.
    #[error("its log can't be so: {mistake}")]
    Log {
        /// Which parameter.
        key: &'static str,
        /// Why.
        mistake: &'static str,
    },
    /// A cache that can't be.
    #[error("the controller's cache can't be so: {0}")]
    Cache(&'static str),
    /// Stripes narrower than the array at a level that has none.
    #[error("RAID {level} has no stripe_width: levels 5 and 6 can be declustered")]
    NotDeclustered {
        /// Of the array.
        level: RaidLevel,
    },
}
