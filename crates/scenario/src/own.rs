//! Decisions that no scenario can write, put into one that was read: an I/O scheduler, a cache policy, a replication policy of somebody's own.

use crate::loaded::Loaded;
use crate::text::Problem;
use petrio_models::block::scheduler::SchedulerParameters;
use petrio_models::cluster::replication::PolicyParameters;
use petrio_models::host::page_cache::OwnReplacement;

impl Loaded {
    /// Lets something else decide in which order the requests of a file system go to its device.
    ///
    /// # Errors
    /// There is no such file system on a Linux host.
    pub fn decide_order(&mut self, file_system: &str, scheduler: SchedulerParameters) -> Result<(), Problem> {
        let mut all = self.hosts.linux.file_systems.iter_mut();
        match all.find(|placed| placed.name == file_system) {
            Some(placed) => placed.place.scheduler = Some(scheduler),
            None => {
                let names = self.hosts.linux.file_systems.iter().map(|placed| placed.name.as_str());
                let names: Vec<&str> = names.collect();
                return Err(missing("file system with a queue", file_system, &names));
            }
        }
        Ok(())
    }

    /// Lets something else decide which pages of files go from a host's memory.
    ///
    /// # Errors
    /// There is no such Linux host.
    pub fn decide_pages(&mut self, host: &str, own: OwnReplacement) -> Result<(), Problem> {
        let all = &mut self.hosts.linux.hosts;
        let names: Vec<String> = all.iter().map(|placed| placed.name.clone()).collect();
        match all.iter_mut().find(|placed| placed.name == host) {
            Some(placed) => placed.parameters.kernel.page_cache.own = Some(own),
            None => {
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                return Err(missing("Linux host", host, &names));
            }
        }
        Ok(())
    }

    /// Lets something else decide how many copies files have.
    ///
    /// # Errors
    /// There is no such replication.
    pub fn decide_copies(&mut self, replication: &str, policy: PolicyParameters) -> Result<(), Problem> {
        let all = &mut self.scenario.holders.replication;
        match all.get_mut(replication) {
            Some(part) => part.parameters.policy = policy,
            None => {
                let names: Vec<&str> = all.keys().map(String::as_str).collect();
                return Err(missing("replication", replication, &names));
            }
        }
        Ok(())
    }
}

fn missing(what: &str, name: &str, there: &[&str]) -> Problem {
    let there =
        if there.is_empty() { "it has none".to_owned() } else { format!("it has {}", there.join(", ")) };
    Problem::error(format!("the scenario has no {what} \"{name}\"")).help(there)
}
