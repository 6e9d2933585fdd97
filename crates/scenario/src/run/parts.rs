//! What parts of a System say of themselves when a run ends: replications, arrays, paths, hosts' memories.

use crate::build::{Redundant, Replicated, System};
use crate::holder::BuiltPaths;
use crate::report::{ArrayFigures, CopiesFigures, MemoryFigures, PathsFigures};
use petrio_kernel::Simulation;

/// What the System's replications came to.
pub(super) fn copies(system: &System, run: &Simulation) -> Vec<CopiesFigures> {
    let mut all = Vec::new();
    for Replicated { name, members, replicas } in &system.replications {
        run.for_each_token(*replicas, |there| all.push(CopiesFigures::of(name, members, there.tally())));
    }
    all
}

/// What the System's arrays came to, by class.
pub(super) fn arrays(system: &System, run: &Simulation) -> Vec<ArrayFigures> {
    let mut all: Vec<ArrayFigures> = Vec::new();
    for Redundant { class, level, members, array, cache, failures, .. } in &system.arrays {
        let of_class = all.iter().position(|figures| figures.name == *class);
        let number = of_class.unwrap_or_else(|| {
            all.push(ArrayFigures::new(class, level));
            all.len() - 1
        });
        let now = run.now();
        run.for_each_token(*array, |array| all[number].add(members, &array.at(now), (now, failures)));
        if let Some(cache) = cache {
            run.for_each_token(*cache, |cache| all[number].add_cache(cache));
        }
    }
    all
}

/// What went over several paths to one part, by class.
pub(super) fn paths(system: &System, run: &Simulation) -> Vec<PathsFigures> {
    let mut all: Vec<PathsFigures> = Vec::new();
    for (class, BuiltPaths { multipath, failures }) in &system.paths {
        let of_class = all.iter().position(|figures| figures.name == *class);
        let number = of_class.unwrap_or_else(|| {
            all.push(PathsFigures { name: class.clone(), ..PathsFigures::default() });
            all.len() - 1
        });
        let now = run.now();
        run.for_each_token(*multipath, |paths| all[number].add(paths.tally(), (now, failures)));
    }
    all
}

/// How the System's hosts used their memory, by class.
pub(super) fn memory(system: &System, run: &Simulation) -> Vec<MemoryFigures> {
    let mut all: Vec<MemoryFigures> = Vec::new();
    for (class, host) in &system.memory {
        let of_class = all.iter().position(|figures| figures.name == *class);
        let number = of_class.unwrap_or_else(|| {
            all.push(MemoryFigures { name: class.clone(), ..MemoryFigures::default() });
            all.len() - 1
        });
        all[number].add(&host.host, host.now(run));
    }
    all
}
