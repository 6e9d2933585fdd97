//! What parts of a System say of themselves when a run ends: replications, arrays, paths, hosts' memories.

use crate::build::{Redundant, Replicated, System};
use crate::holder::{BuiltCeph, BuiltPaths};
use crate::report::{
    ArrayFigures, CallsFigures, CephFigures, CopiesFigures, CountedFigures, LocksFigures, MemoryFigures,
    PathsFigures, ProfileFigures, Report, RetriesFigures, RpcFigures,
};
use crate::run::burst::held;
use crate::run::credits::credits;
use crate::run::stages::recorded;
use petrio_kernel::Simulation;
use petrio_models::Function;
use petrio_models::cluster::RpcTally;
use petrio_models::cluster::pvfs::PvfsEnd;

/// The sections of a report that parts know of themselves.
pub(super) fn sections(system: &System, run: &Simulation) -> Report {
    Report {
        copies: copies(system, run),
        arrays: arrays(system, run),
        paths: paths(system, run),
        ceph: ceph(system, run),
        profiles: profiles(system, run),
        counted: counted(system, run),
        calls: calls(system, run),
        rpcs: rpcs(system, run),
        locks: locks(system, run),
        retries: retries(system, run),
        memory: memory(system, run),
        held: held(system, run),
        credits: credits(system, run),
        ..Report::default()
    }
}

/// What the System's replications came to.
fn copies(system: &System, run: &Simulation) -> Vec<CopiesFigures> {
    let mut all = Vec::new();
    for Replicated { name, members, replicas } in &system.replications {
        run.for_each_token(*replicas, |there| all.push(CopiesFigures::of(name, members, there.tally())));
    }
    all
}

/// What the System's arrays came to, by class.
fn arrays(system: &System, run: &Simulation) -> Vec<ArrayFigures> {
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
fn paths(system: &System, run: &Simulation) -> Vec<PathsFigures> {
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

/// What pools of Ceph came to, by class.
fn ceph(system: &System, run: &Simulation) -> Vec<CephFigures> {
    let mut all: Vec<CephFigures> = Vec::new();
    for (class, BuiltCeph { pool, stops }) in &system.ceph {
        let of_class = all.iter().position(|figures| figures.name == *class);
        let number = of_class.unwrap_or_else(|| {
            all.push(CephFigures { name: class.clone(), ..CephFigures::default() });
            all.len() - 1
        });
        let now = run.now();
        run.for_each_token(*pool, |pool| all[number].add(pool.tally(), (now, *stops)));
    }
    all
}

/// What processors were used for since the warm-up, by class of their hosts.
fn profiles(system: &System, run: &Simulation) -> Vec<ProfileFigures> {
    let mut all: Vec<ProfileFigures> = Vec::new();
    for stage in &system.stages {
        let (Some(profile), Some((host, _))) = (stage.profile, stage.class.rsplit_once('/')) else {
            continue;
        };
        let number = all.iter().position(|figures| figures.name == host).unwrap_or_else(|| {
            all.push(ProfileFigures::new(host));
            all.len() - 1
        });
        all[number].hosts += 1;
        for &function in Function::ALL {
            let probe = profile.probe(function);
            let times = run.marking().probe(probe).tally().count();
            all[number].add(function.name(), times, recorded(probe, run.marking()));
        }
    }
    for (class, host) in &system.memory {
        let of_class = all.iter_mut().find(|figures| figures.name == *class);
        of_class.into_iter().for_each(|figures| figures.add_copies(&host.now(run)));
    }
    all.retain(|figures| !figures.functions.is_empty());
    all.iter_mut().for_each(ProfileFigures::finish);
    all
}

/// What drives have counted of themselves, by class.
fn counted(system: &System, run: &Simulation) -> Vec<CountedFigures> {
    let mut all: Vec<CountedFigures> = Vec::new();
    for (class, counted) in &system.counted {
        let (name, what, count) = (class.clone(), counted.what().to_owned(), counted.count(run));
        match all.iter_mut().find(|figures| figures.name == name && figures.what == what) {
            Some(figures) => (figures.drives, figures.count) = (figures.drives + 1, figures.count + count),
            None => all.push(CountedFigures { name, what, drives: 1, count }),
        }
    }
    all.retain(|figures| figures.count > 0);
    all
}

/// What calls of NFS came to, by class of their mounts and procedure.
fn calls(system: &System, run: &Simulation) -> Vec<CallsFigures> {
    let mut all: Vec<CallsFigures> = Vec::new();
    for (class, carrier) in &system.carriers {
        run.for_each_token(*carrier, |carrier| {
            for (procedure, tally) in carrier.tallies() {
                let is_same =
                    |figures: &&mut CallsFigures| figures.name == *class && figures.procedure == procedure;
                match all.iter_mut().find(is_same) {
                    Some(figures) => figures.add(tally),
                    None => all.push(CallsFigures::of(class, procedure, tally)),
                }
            }
        });
    }
    all
}

/// What failing servers cost the clients of each PVFS.
fn retries(system: &System, run: &Simulation) -> Vec<RetriesFigures> {
    let of_one = |ends: &[(String, PvfsEnd)]| {
        let name = ends.first().map(|(name, _)| name.as_str());
        let told = ends.iter().map(|(_, end)| end.told(run));
        name.map(|name| RetriesFigures::of(name, told))
    };
    system.of_pvfs.chunk_by(|one, other| one.0 == other.0).filter_map(of_one).collect()
}

/// What RPCs of Lustre and BeeGFS came to, by class of their mounts, of BeeGFS of its servers, too, and procedure.
fn rpcs(system: &System, run: &Simulation) -> Vec<RpcFigures> {
    let mut all: Vec<RpcFigures> = Vec::new();
    let mut add = |class: &str, procedure: &str, tally: &RpcTally| {
        let is_same = |figures: &&mut RpcFigures| figures.name == class && figures.procedure == procedure;
        match all.iter_mut().find(is_same) {
            Some(figures) => figures.add(tally),
            None => all.push(RpcFigures::of(class, procedure, tally)),
        }
    };
    for (class, client) in &system.lustre_clients {
        run.for_each_token(*client, |client| {
            client.tally().of.iter().for_each(|(procedure, tally)| add(class, procedure.name(), tally));
        });
    }
    for (class, of) in &system.of_beegfs {
        of.tallies(run).iter().for_each(|(procedure, tally)| add(class, procedure.name(), tally));
    }
    all
}

/// What locks of Lustre came to, by class of their mounts.
fn locks(system: &System, run: &Simulation) -> Vec<LocksFigures> {
    let mut all: Vec<LocksFigures> = Vec::new();
    for (class, client) in &system.lustre_clients {
        run.for_each_token(*client, |client| {
            let of_class = all.iter().position(|figures| figures.name == *class);
            let number = of_class.unwrap_or_else(|| {
                all.push(LocksFigures { name: class.clone(), ..LocksFigures::default() });
                all.len() - 1
            });
            all[number].add(client.tally(), client.waited_for_credits());
        });
    }
    all
}

/// How the System's hosts used their memory, by class.
fn memory(system: &System, run: &Simulation) -> Vec<MemoryFigures> {
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
