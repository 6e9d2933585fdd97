//! What whoever describes parts says of them, before any is read: what may own them, and what their keys name.

use crate::catalogue::Shelf;

/// What a reference may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Pool {
    /// Whatever holds blocks.
    Holders,
    /// What disks hang on.
    Adapters,
    Hosts,
    /// What a workload that works on files goes to.
    Volumes,
    Networks,
    /// What hosts mount of others, which nothing names as such: a mount of it has a name of its own.
    Shared,
}

/// What the parts under a key of the scenario are, before any is read.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PartKind {
    /// The key.
    pub(crate) key: &'static str,
    /// Whether such a part may own others, and so be given a count.
    pub(crate) owns: bool,
    /// Keys whose values are files, or lists of them, relative to the file in which they stand.
    pub(crate) files: &'static [&'static str],
    /// Where `use` finds what isn't a file, for parts that the catalogue has.
    pub(crate) shelf: Option<Shelf>,
    /// Keys whose values name parts. One that may name a host, and doesn't, names the host around it.
    pub(crate) references: &'static [(&'static str, Pool)],
    /// What names such a part.
    pub(crate) pool: Pool,
    /// Bytes of memory that such a part takes at least when it is built and run.
    pub(crate) least_bytes: u32,
    /// Whether it is a volume on each of those that its `on` names, each with a name of its own where they are several.
    pub(crate) is_on_each: bool,
    /// Whether its page lies within that of its host, and the queue before its device at the top; the pages of others
    /// lie at the top.
    pub(crate) is_mounted: bool,
    /// Whether hosts have pages of their own on its page.
    pub(crate) is_around: bool,
}

impl PartKind {
    /// A part that nothing is special about but its key, and that names none.
    pub(crate) const fn of(key: &'static str, pool: Pool) -> Self {
        Self {
            key,
            owns: false,
            files: &["use"],
            shelf: None,
            references: &[],
            pool,
            least_bytes: 0,
            is_on_each: false,
            is_mounted: false,
            is_around: false,
        }
    }
}
