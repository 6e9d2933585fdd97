//! Whatever holds blocks and is asked by programs themselves, past no host.

use crate::build::shared::shared_page;
use crate::build::storage::{Devices, asked_directly, before_queue};
use crate::failure::RunFailure;
use crate::loaded::Loaded;
use crate::report::Subject;
use petrio_colours::BlockRequest;
use petrio_engine::{PROGRAMS, ProgramPorts, REQUEST_PROGRAMS, named_programs_page};
use petrio_kernel::{PageBuilder, Place};
use petrio_models::Stage;
use std::collections::{BTreeMap, BTreeSet};

/// Whatever holds blocks and is asked by programs themselves.
pub(super) struct BlockTargets {
    /// By number of [`Loaded::storage`], those that a file system lies on too.
    targets: BTreeMap<usize, bool>,
    /// What these answer with: themselves, or what lies under a throttle, by which completions pass.
    answering: BTreeMap<usize, bool>,
    /// Where what they have asked for is complete.
    completions: Place<BlockRequest>,
    /// Where to ask those that are in the net.
    entrances: BTreeMap<usize, Place<BlockRequest>>,
    page: &'static str,
}

/// What programs ask themselves, by number of [`Loaded::storage`].
fn asked_of(loaded: &Loaded) -> impl Iterator<Item = usize> {
    let asked = loaded.workloads_of(Subject::BlockRequests);
    asked.filter_map(|(name, _)| loaded.targets.get(name)).flatten().map(|&target| target as usize)
}

/// What lies below hosts that are there: all file systems' parts where programs work on files, or ask one of them themselves,
/// past its host's queue.
pub(super) fn below_hosts(loaded: &Loaded) -> Option<BTreeSet<usize>> {
    let below: BTreeSet<usize> = loaded.hosts.volumes().filter_map(|volume| volume.on).collect();
    let on_files = loaded.workloads_of(Subject::FileOperations).next().is_some();
    (on_files || asked_of(loaded).any(|target| below.contains(&target))).then_some(below)
}

impl BlockTargets {
    /// `below_hosts` are those that a host asks, too, where there are hosts.
    pub(super) fn of(
        page: &mut PageBuilder<'_>,
        loaded: &Loaded,
        below_hosts: Option<&BTreeSet<usize>>,
    ) -> Self {
        let targets = asked_of(loaded);
        // A dot is in no part's name.
        let (completions, name) = match below_hosts.is_some() {
            true => ("completions.requests", REQUEST_PROGRAMS),
            false => ("completions", PROGRAMS),
        };
        let targets: BTreeMap<usize, bool> = targets
            .map(|target| (target, below_hosts.is_some_and(|below| below.contains(&target))))
            .collect();
        let answering = |(&target, &shared): (&usize, &bool)| (before_queue(loaded, target).1, shared);
        Self {
            answering: targets.iter().map(answering).collect(),
            targets,
            completions: page.fifo(completions),
            entrances: BTreeMap::new(),
            page: name,
        }
    }

    /// Parts that nobody else asks.
    pub(super) fn of_parts(page: &mut PageBuilder<'_>, loaded: &Loaded, parts: &[usize]) -> Self {
        Self {
            answering: parts.iter().map(|&target| (before_queue(loaded, target).1, false)).collect(),
            targets: parts.iter().map(|&target| (target, false)).collect(),
            completions: page.fifo("completions"),
            entrances: BTreeMap::new(),
            page: PROGRAMS,
        }
    }

    /// Where it puts what is complete, if it is asked and nobody else asks it.
    pub(super) fn completions_of(&self, number: usize) -> Option<Place<BlockRequest>> {
        (self.answering.get(&number) == Some(&false)).then_some(self.completions)
    }

    /// Where a file system's host finds what is complete, whose device has these ports: programs may ask it too,
    /// beside so many processes that work on files.
    pub(super) fn beside(
        &mut self,
        page: &mut PageBuilder<'_>,
        loaded: &Loaded,
        (on, processes): (usize, u32),
        (requests, completions): (Place<BlockRequest>, Place<BlockRequest>),
    ) -> Place<BlockRequest> {
        if !self.targets.contains_key(&on) {
            return completions;
        }
        let name = &loaded.storage[on].name;
        let shared = shared_page(page, name, (requests, completions), (self.completions, processes));
        self.entrances.insert(on, shared.entrance);
        shared.completions
    }

    /// The programs, and whatever nobody else asks, with its rows.
    pub(super) fn ports(
        mut self,
        page: &mut PageBuilder<'_>,
        loaded: &Loaded,
        devices: &mut Devices,
    ) -> Result<(ProgramPorts<BlockRequest>, Vec<Stage>), RunFailure> {
        let mut stages = Vec::new();
        let mut entrances = Vec::new();
        // What a request is for is a number of `storage`.
        let mut entrance_of = vec![usize::MAX; loaded.storage.len()];
        for (number, _) in std::mem::take(&mut self.targets) {
            let entrance = match self.entrances.get(&number) {
                Some(&entrance) => entrance,
                None => {
                    let (entrance, mut above) =
                        asked_directly(page, loaded, number, devices, self.completions)?;
                    stages.append(&mut above);
                    entrance
                }
            };
            entrance_of[number] = entrances.len();
            entrances.push(entrance);
        }
        let route = move |request: &BlockRequest| {
            entrance_of.get(request.device as usize).copied().unwrap_or(usize::MAX)
        };
        let ports = named_programs_page(page, self.page, (&entrances, "device"), route, self.completions);
        Ok((ports, stages))
    }
}
