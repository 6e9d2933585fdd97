//! How families of hosts put their pages into the net.

use super::family::PlacedFamily;
use super::{PlacedHosts, with_families};
use crate::failure::RunFailure;
use crate::site::HostSite;

/// A family of hosts with its pages.
pub(crate) trait HostPages: PlacedFamily {
    /// Tells which of its hosts may be on the networks of another family, before any page is built.
    fn guests(&self, _site: &mut HostSite<'_, '_>) {}

    /// Puts the pages of its hosts, and of what lies between them and the devices, into the net.
    ///
    /// # Errors
    /// What keeps them from being built.
    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure>;
}

/// Makes the list of families with their pages.
macro_rules! pages {
    ($($name:ident: $family:ty => $placed:ty;)*) => {
        impl PlacedHosts {
            /// The families, in the order in which their hosts and volumes are counted.
            pub(crate) fn pages(&self) -> impl Iterator<Item = &dyn HostPages> {
                [$(&self.$name as &dyn HostPages),*].into_iter()
            }
        }
    };
}

with_families!(pages);
