//! What ways lead to a device, how one is chosen, and what happens when one fails.

use crate::fabric::FabricParameters;
use petrio_persist::Persist;
use petrio_stage::Lever;
use petrio_units::Duration;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::num::NonZeroU32;

/// Which paths carry requests together (`path_grouping_policy` of multipath.conf).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathGroups {
    /// Each path alone: one carries everything, the others wait until it fails.
    #[default]
    Failover,
    /// All together.
    Multibus,
    /// Those of equal `priority`; groups of lower priority wait until a higher one has no path left.
    GroupByPrio,
}

/// Which path of a group the next request takes (`path_selector`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, Persist)]
#[serde(rename_all = "kebab-case")]
pub enum PathSelector {
    /// The one that would be done soonest by the bytes on their way and its `throughput` (dm-service-time.c).
    #[default]
    ServiceTime,
    /// The one with the fewest requests on their way (dm-queue-length.c).
    QueueLength,
    /// One after the other, each for `rr_min_io` requests (dm-round-robin.c).
    RoundRobin,
}

/// Several paths to a device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MultipathParameters {
    /// Adapter and link of each path that doesn't say its own.
    pub link: FabricParameters,
    /// The paths, in the order in which they are known; `paths = [{}, {}]` are two equal ones.
    pub paths: Vec<PathParameters>,
    /// Which carry requests together.
    #[serde(default)]
    pub groups: PathGroups,
    /// Which of these the next request takes.
    #[serde(default)]
    pub selector: PathSelector,
    /// How many requests in a row a path gets from the round-robin selector: `rr_min_io_rq`, 1; kernels before 2.6.31 had `rr_min_io`,
    /// 1,000, and those since 4.6 know 1 alone.
    #[serde(default = "one")]
    pub rr_min_io: NonZeroU32,
    /// How long after a path fails the requests on it come back as failed, and the path is given up. A link that goes down is found
    /// by the adapter, and waited for: `fast_io_fail_tmo`, 5 s. One that is silent is found by a command's timeout, 30 s.
    #[serde(default = "five_seconds")]
    pub detected_after: Duration,
    /// How often multipathd looks at paths that were given up: `polling_interval`, 5 s.
    #[serde(default = "five_seconds")]
    pub polling_interval: Duration,
    /// For how many polling intervals requests wait while there is no path, before they fail: `no_path_retry`. 0: they fail at once
    /// (`fail`).
    #[serde(default, skip_serializing_if = "is_zero")]
    pub no_path_retry: u32,
    /// Requests wait for a path however long it takes (`no_path_retry queue`).
    #[serde(default, skip_serializing_if = "is_no")]
    pub queue_if_no_path: bool,
    /// How long after a better group has a path again requests go over it (`failback`); `"0 s"`: at once (`immediate`). Left out: only
    /// when the one in use fails (`manual`, the default of multipath.conf).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failback: Option<Duration>,
}

/// One way to the device.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PathParameters {
    /// Adapter and link, where they aren't as those of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<FabricParameters>,
    /// Higher is better (`prio`; arrays tell it by ALUA: 50 for optimised ports, 10 for others).
    pub priority: u32,
    /// Throughput in comparison with the others (`relative_throughput` of dm-service-time.c, 0 … 100). Left out: 1. With 0 it is used
    /// only when the others of its group are gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub throughput: Option<u32>,
    /// When it fails, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<PathFailure>,
}

/// A path that carries nothing for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathFailure {
    /// When it begins.
    pub at: Duration,
    /// How long it takes. Left out: to the end of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub restored_after: Option<Duration>,
}

/// What makes no sense of several paths.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MultipathError {
    /// None at all.
    #[error("a device that no path leads to can't be asked for anything")]
    NoPath,
    /// More than can be told apart.
    #[error("{0} paths are more than the {MOST_PATHS} that can be")]
    Many(usize),
    /// More than dm-service-time takes.
    #[error("path {0} has a throughput of {1}, and {MOST_THROUGHPUT} is the most")]
    Throughput(usize, u32),
    /// A failure before the one before is over.
    #[error("path {0} fails at {1}, before it is restored from the failure before")]
    Failures(usize, Duration),
    /// Polled all the time.
    #[error("paths can't be looked at every 0 s")]
    Polling,
    /// Waits both for a while and for ever.
    #[error("requests can't wait both for {0} polling intervals and however long it takes")]
    Waits(u32),
}

/// Most paths.
pub const MOST_PATHS: usize = 64;

/// Most that a path's throughput can be (ST_MAX_RELATIVE_THROUGHPUT).
pub const MOST_THROUGHPUT: u32 = 100;

fn one() -> NonZeroU32 {
    NonZeroU32::MIN
}

fn five_seconds() -> Duration {
    Duration::from(petrio_kernel::Time::from_millis(5_000))
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[allow(clippy::trivially_copy_pass_by_ref)] // As serde asks for it.
fn is_no(is_so: &bool) -> bool {
    !*is_so
}

impl MultipathParameters {
    /// What keeps it from being made.
    ///
    /// # Errors
    /// The first that is wrong.
    pub fn check(&self) -> Result<(), MultipathError> {
        match self.paths.len() {
            0 => return Err(MultipathError::NoPath),
            many if many > MOST_PATHS => return Err(MultipathError::Many(many)),
            _ => {}
        }
        if self.polling_interval.time() == petrio_kernel::Time::ZERO {
            return Err(MultipathError::Polling);
        }
        if self.queue_if_no_path && self.no_path_retry > 0 {
            return Err(MultipathError::Waits(self.no_path_retry));
        }
        for (number, path) in self.paths.iter().enumerate() {
            if let Some(throughput) = path.throughput.filter(|&throughput| throughput > MOST_THROUGHPUT) {
                return Err(MultipathError::Throughput(number, throughput));
            }
            for pair in path.failures.windows(2) {
                let [first, second] = pair else { continue };
                let end = first.restored_after.map(|after| first.at.time().saturating_add(after.time()));
                if end.is_none_or(|end| end >= second.at.time()) {
                    return Err(MultipathError::Failures(number, second.at));
                }
            }
        }
        Ok(())
    }

    /// The link of a path.
    pub fn link(&self, path: usize) -> &FabricParameters {
        self.paths.get(path).and_then(|path| path.link.as_ref()).unwrap_or(&self.link)
    }

    /// The groups of paths, the best first.
    pub fn grouped(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<usize> = (0..self.paths.len()).collect();
        order.sort_by_key(|&path| std::cmp::Reverse(self.paths[path].priority));
        match self.groups {
            PathGroups::Failover => order.into_iter().map(|path| vec![path]).collect(),
            PathGroups::Multibus => {
                order.sort_unstable();
                vec![order]
            }
            PathGroups::GroupByPrio => order
                .chunk_by(|&one, &other| self.paths[one].priority == self.paths[other].priority)
                .map(<[usize]>::to_vec)
                .collect(),
        }
    }

    /// What could be changed about the link of a path; all parameters stand at `at`.
    pub fn levers_of(&self, path: usize, at: &str) -> Vec<Lever> {
        let own = self.paths.get(path).and_then(|path| path.link.as_ref());
        match own {
            Some(link) => link.levers(&format!("{at}.paths.{path}.link")),
            None => self.link.levers(&format!("{at}.link")),
        }
    }
}
