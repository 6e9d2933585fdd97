//! The pages of Linux hosts with what they mount and share.

use super::mount::{HostPorts, Shared, schedulers_of_other_kernels};
use super::{PlacedHost, PlacedLinux};
use crate::claim::{Claim, Sentence};
use crate::failure::RunFailure;
use crate::host::HostPages;
use crate::site::HostSite;
use petrio_models::host::{Mount, OpenHost};
use petrio_units::Bytes;

impl PlacedHost {
    /// A warning where files are said to be cached for which there is no memory.
    fn cached_more_than_fits(&self, mounts: &[Mount]) -> Option<Sentence> {
        let cached = mounts.iter().map(|mount| mount.laid_out.cached_bytes()).fold(0, u64::saturating_add);
        let memory = self.parameters.usable_memory();
        let own = self.parameters.anonymous.unwrap_or(Bytes(0));
        let room = Bytes(memory.get().saturating_sub(own.get()));
        (cached > room.get()).then(|| {
            Claim::NotCached.says(format!(
                "the files that are said to be cached when the run begins are {}, and the host \"{}\" has {room} of \
                 memory for them: only what fits is cached, as if they had been read one after the other",
                Bytes(cached),
                self.name
            ))
        })
    }

    pub(super) fn refused(&self, error: &impl ToString) -> RunFailure {
        RunFailure::Host { host: self.name.clone(), message: error.to_string() }
    }
}

impl HostPages for PlacedLinux {
    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure> {
        site.warnings.extend(self.without_effect());
        site.warnings.extend(schedulers_of_other_kernels(self));
        let shared = Shared::new(self, site)?;
        let mounts = shared.mounts(site)?;
        let mut open_hosts = Vec::new();
        for (number, (host, mounts)) in self.hosts.iter().zip(&mounts).enumerate() {
            site.warnings.extend(host.cached_more_than_fits(mounts));
            let operations = site.host(&host.name);
            let HostPorts { completions, asked } = shared.ends(site, number, operations);
            let open =
                OpenHost::new(site.page, &host.name, &host.parameters, mounts, operations, completions);
            let open = open.map_err(|error| host.refused(&error))?;
            site.memory.push(open.memory().clone());
            if shared.is_open(number) {
                open_hosts.push((number, open, HostPorts { completions, asked }));
            } else {
                site.stages.extend(open.finish(site.page));
            }
        }
        shared.finish(site, open_hosts)
    }
}
