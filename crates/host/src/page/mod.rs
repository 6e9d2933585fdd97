//! A host as a page of a net: processes' operations come in, block requests go out, and what takes time in between is in places.
//!
//! ```text
//!  operations ─▶ call ─▶ read ──┬──────────────▶ requests ─▶ (scheduler, device)
//!                  │     write ─┤ memory, files,
//!                  │     sync ──┤ journal                  ◀─ completions
//!                  │     names ─┘
//!                  └── processor (shared) ──▶ completions     flusher · journal · checkpoint: the kernel's threads
//! ```
//!
//! One page for each mounted file system, with a page each for reading, writing, syncing, names, the flusher, and the file system's
//! own threads, which are the journal's and the checkpoints' of ext3 and ext4; memory and processors belong to the host. What a file
//! system is to these steps says [`FileSystem`]. These are the stages of the dissertation's figures 19 to 29.

mod call;
mod completions;
mod context;
mod exits;
mod flusher;
mod job;
mod mapped;
mod names;
mod past_cache;
mod read;
mod swap_route;
mod sync;
mod touch;
mod write;

#[cfg(test)]
mod tests;

use super::below::{AnyFileSystem, FileSystem, MountPlaces};
use super::memory_use::HostMemory;
use super::mount::Mount;
use super::parameters::{HostError, HostParameters};
use super::state::Posts;
use super::state::{Memory, Mounted, Swaps};
use context::Context;
use exits::Places;
use exits::{Exits, Ways};
use job::{Job, Next, Then, Turn, Wait, Waiting};
use petrio_colours::FileOp;
use petrio_kernel::{PageBuilder, Place, Sum};
use petrio_stage::Stage;
use petrio_stage::processor::Processors;
use petrio_units::numbers::as_number;

/// Builds the page of a host. Operations whose `file_system` is the mount's position in `mounts` come from `operations` and go
/// back to `completions`.
///
/// # Errors
/// A file system that doesn't fit its device, files that don't fit the file system, a machine whose figures make no sense.
pub fn host_page(
    parent: &mut PageBuilder<'_>,
    name: &str,
    host: &HostParameters,
    mounts: &[Mount],
    operations: Place<FileOp>,
    completions: Place<FileOp>,
) -> Result<Vec<Stage>, HostError> {
    Ok(OpenHost::new(parent, name, host, mounts, operations, completions)?.finish(parent))
}

/// A host whose page is built, but for its processors, which others may still become clients of.
#[derive(Debug)]
pub struct OpenHost {
    /// The name of its page.
    name: String,
    processors: Processors,
    stages: Vec<Stage>,
    memory: HostMemory,
}

impl OpenHost {
    /// Builds the page as [`host_page`] does, but for its processors. A host may mount nothing.
    ///
    /// # Errors
    /// As of [`host_page`].
    pub fn new(
        parent: &mut PageBuilder<'_>,
        name: &str,
        host: &HostParameters,
        mounts: &[Mount],
        operations: Place<FileOp>,
        completions: Place<FileOp>,
    ) -> Result<Self, HostError> {
        let mut page = parent.page(name);
        if !mounts.is_empty() {
            page.port_in("operations", operations);
            page.port_out("completions", completions);
        }
        let mut memory = Memory::new(host)?;
        let mut mounted = Vec::new();
        for (number, mount) in mounts.iter().enumerate() {
            let (system, nature) = mount.laid_out.on_disk.mount(as_number(number), host, mount);
            let fs = Mounted::new(as_number(number), host, mount, nature);
            warm(&mut memory, &fs, &*system, mount);
            if mount.watch.is_stopped() {
                return Err(HostError::Stopped { mount: mount.name.clone() });
            }
            mounted.push((fs, system));
        }
        if mounted.iter().any(|(fs, _)| fs.rules.nature.posts == Posts::Kept) {
            // What has gone to swap space by now is there when the run begins.
            memory.cache.take_swapped_out();
            memory.swaps = Swaps::default();
        }
        let own = join_swap_space(&mut page, &mut mounted, mounts);
        let mounts = own.as_deref().unwrap_or(mounts);
        let memory = page.state("memory", memory);
        let HostParameters { machine, .. } = host;
        let mut processors = Processors::at_speed(&mut page, machine.processors, machine.speed);
        let mut stages = Vec::new();
        for (mounted, mount) in mounted.into_iter().zip(mounts) {
            let alone = mounts.len() == 1;
            let ports = (operations, completions);
            let places = mount_page(&mut page, host, mount, mounted, (memory, &mut processors), ports, alone);
            let path = format!("{}/{}", page.path(), mount.name);
            let queue = |name: &str, place| Stage::queue(format!("{path}/{name}"), &[place]);
            stages.extend(places.waits.iter().map(|(wait, place)| queue(wait.name(), place.id())));
            stages.push(queue("throttled", places.sleeping.id()));
        }
        let memory = HostMemory::new(name, memory);
        Ok(Self { name: name.to_owned(), processors, stages, memory })
    }

    /// Where its memory is found in a run.
    pub fn memory(&self) -> &HostMemory {
        &self.memory
    }

    /// Its processors, and what is left to be built when all who use them are known.
    pub fn into_parts(self) -> (Processors, HostRest) {
        (self.processors, HostRest { name: self.name, stages: self.stages })
    }

    /// Builds the rest; the rows of its stages.
    pub fn finish(self, parent: &mut PageBuilder<'_>) -> Vec<Stage> {
        let (processors, rest) = self.into_parts();
        rest.finish(parent, processors)
    }
}

/// A host's page without its processors.
#[derive(Debug)]
pub struct HostRest {
    name: String,
    stages: Vec<Stage>,
}

impl HostRest {
    /// Builds the rest of the page; the rows of its stages.
    pub fn finish(self, parent: &mut PageBuilder<'_>, processors: Processors) -> Vec<Stage> {
        let processors = processors.finish(&mut parent.reopen(&self.name));
        std::iter::once(processors).chain(self.stages).collect()
    }
}

/// Connects mounts that live in memory alone with the swap space, where there is one; the mounts as they are then connected.
fn join_swap_space(
    page: &mut PageBuilder<'_>,
    mounted: &mut [(Mounted, AnyFileSystem)],
    mounts: &[Mount],
) -> Option<Vec<Mount>> {
    let is_kept = |(fs, _): &(Mounted, AnyFileSystem)| fs.rules.nature.posts == Posts::Kept;
    let home = mounted.iter().position(|(fs, _)| fs.has_swap())?;
    let others: Vec<usize> = (0..mounted.len()).filter(|&at| at != home && is_kept(&mounted[at])).collect();
    let marked: Vec<(u32, &Mount)> = others.iter().map(|&at| (mounted[at].0.number, &mounts[at])).collect();
    if marked.is_empty() {
        return None;
    }
    let completions = swap_route::swap_route(page, &mounts[home], &marked);
    let swap = mounted[home].0.swap.clone();
    others.iter().for_each(|&at| mounted[at].0.swap = swap.clone());
    let mut own = mounts.to_vec();
    own[home].completions = completions;
    Some(own)
}

/// Pages of the largest folios of files that are in memory when the run begins: as if they had been written in pieces of 1 MiB.
const WARM_FOLIO_PAGES: u32 = 256;

/// Puts what is in memory when the run begins into the cache: the pages of files that are said to be there with what maps them, and
/// the metadata that a mount brings.
fn warm(memory: &mut Memory, fs: &Mounted, system: &dyn FileSystem, mount: &Mount) {
    let device = fs.device();
    let mut mapping = super::file_system::Mapping::default();
    // What lies in memory alone is nowhere else, but in swap space.
    let is_kept = fs.rules.nature.posts == Posts::Kept;
    let largest_folio = if fs.rules.nature.large_folios { WARM_FOLIO_PAGES } else { 1 };
    let insert = |memory: &mut Memory, key, first, pages| {
        // Where processes' own pages leave no room, nothing is brought.
        if memory.make_room(pages).made || is_kept {
            match fs.rules.nature.posts {
                Posts::Kept => memory.cache.insert_shared(key, first, pages),
                _ => {
                    memory.cache.insert_for_write(key, first, pages, largest_folio, true);
                }
            }
        }
    };
    for block in system.brought_by_mount(&fs.rules.kernel) {
        insert(memory, device, block, 1);
    }
    // Of what is stopped, nothing is run.
    for &(file, cached) in mount.laid_out.files.iter().take_while(|_| !mount.watch.is_stopped()) {
        if let Some((block, blocks)) = system.inode_blocks(file).filter(|_| cached || system.knows_inodes()) {
            insert(memory, device, block, blocks);
        }
        if !cached && !is_kept {
            continue;
        }
        let pages = exits::pages_of(fs.inodes.get(file).size);
        system.map(file, 0, pages, &mut mapping);
        for &(_, block) in &mapping.metadata {
            insert(memory, device, block, 1);
        }
        // As if it had been read from its beginning: of more than memory holds, the end is left.
        let folio = u64::from(WARM_FOLIO_PAGES);
        let left = if is_kept { 0 } else { pages.saturating_sub(memory.cache.limit_pages()) };
        let mut at = left / folio * folio;
        while at < pages {
            let piece = folio.min(pages - at);
            insert(memory, fs.key(file), at, piece);
            at += piece;
        }
    }
}

/// Builds the page of a mounted file system.
fn mount_page(
    parent: &mut PageBuilder<'_>,
    host: &HostParameters,
    mount: &Mount,
    (fs, system): (Mounted, AnyFileSystem),
    (memory, processors): (Place<Memory>, &mut Processors),
    (operations, completions): (Place<FileOp>, Place<FileOp>),
    alone: bool,
) -> Places {
    let running = processors.place();
    let (number, nature, threads) = (fs.number, fs.rules.nature, system.threads());
    let mut page = parent.page(&mount.name);
    page.shared("memory", memory);
    page.shared("processor", running);
    page.port_out("requests", mount.requests);
    page.port_in("request completions", mount.completions);
    if let Some(log) = mount.log {
        page.port_out("requests to the log", log.requests);
        page.port_in("completions of the log", log.completions);
    }
    let fs = page.state("files", fs);
    let system = page.state("file system", system);
    let jobs = processors.client();
    let ready = Then::ALL[..Then::ALL.len() - 1].iter().map(|then| {
        let (below, name) = then.page_and_name();
        page.reopen(below).fifo(&format!("to {name}"))
    });
    let ready = ready.collect::<Vec<Place<Box<Job>>>>().try_into();
    let ready = ready.unwrap_or_else(|_| unreachable!("one place for each"));
    let waits = Wait::ALL.map(|wait| (wait, page.keyed::<Waiting>(wait.name(), |waiting| waiting.key)));
    let sleeping = page.fifo("throttled");
    let places = Places {
        mount: MountPlaces {
            memory,
            fs,
            system,
            requests: mount.requests,
            log: mount.log.map(|log| log.requests),
            finished: page.fifo("finished"),
            ages: page.fifo("ages"),
            wanted: page.fifo("commit wanted"),
            closed: page.fifo("handles closed"),
            short: page.fifo("log space short"),
            nudges: page.fifo("nudges"),
            age: nature.age,
        },
        processor: running,
        jobs,
        ready,
        waits,
        sleeping,
        completions,
        notes_accesses: nature.access_times != super::file_system::AccessTimes::Never,
    };
    call_transition(&mut page, &places, operations, (!alone).then_some(number));
    for then in Then::ALL {
        let step: OperationStep = match then {
            Then::LookUp => |context, job| context.look_up(job),
            Then::ReadIn => |context, job| context.read_in(job),
            Then::Begin => |context, job| context.begin_write(job),
            Then::Copy => |context, job| context.copy_piece(job),
            Then::Commit => |context, job| context.commit_write(job),
            Then::Balance => |context, job| context.balance(job),
            Then::Sync => |context, job| context.sync(job),
            Then::Names => |context, job| context.change_names(job),
            Then::Touch => |context, job| context.touch(job),
            // The processors send those that return to their processes.
            Then::Return => continue,
        };
        step_transition(&mut page, &places, then, step);
    }
    let back =
        [("complete", Some(mount.completions)), ("complete in log", mount.log.map(|log| log.completions))];
    completions::completions_page(&mut page.page("completions"), &places, &back);
    let wake_up = host.kernel.write_back.wake_up.time();
    flusher::flusher_page(&mut page.page("flusher"), &places, processors, wake_up);
    threads(&mut page, &places.mount);
    conserve(&mut page, &places, mount);
    returns(processors, &places);
    places
}

/// Takes the operations of a file system, which are all where it is the only one, to their first step.
fn call_transition(
    page: &mut PageBuilder<'_>,
    places: &Places,
    operations: Place<FileOp>,
    only: Option<u32>,
) {
    let mut enter = page.transition("call");
    let op = match only {
        None => enter.take(operations),
        Some(number) => enter.take_where(operations, move |op: &FileOp, _| op.file_system == number),
    };
    let exits = Exits::declare(&mut enter, places, Ways::FROM_CALL);
    enter.action(move |f| {
        let op = f.take(op);
        let mut job = Box::new(Job::new(op));
        let now = f.now();
        let (memory, fs, system) = f.update_three(exits.memory, exits.fs, exits.system);
        let next = Context { memory, fs, system: &mut **system, now }.enter(&mut job);
        exits.leave(f, job, next);
    });
}

/// Work that a processor has done goes on with the step that it is for.
fn returns(processors: &mut Processors, places: &Places) {
    let (speed, profile) = (processors.speed(), processors.profile());
    processors.returns(places.jobs, {
        let (ready, completions) = (places.ready, places.completions);
        move |ran| {
            let ready = ready.map(|place| ran.may_put(place, 1));
            let completions = ran.may_put(completions, 1);
            move |f, span, mut job: Box<Job>| {
                let Turn { cause, cache, then, .. } = job.turn;
                let functions = job.functions();
                let parts = job.charge_work(cause, cache.divided_by(speed), span, f.now());
                for (function, span) in functions.into_iter().zip(parts) {
                    profile.spend(f, function, span);
                }
                match then {
                    Then::Return => f.put(completions, call::leave(*job)),
                    then => f.put(ready[then as usize], job),
                }
            }
        }
    });
}

/// What never changes in a mounted file system: journal credits and locks are with operations on their way, and every request
/// made has come back or is on its way.
fn conserve(page: &mut PageBuilder<'_>, places: &Places, mount: &Mount) {
    let over_jobs = |of: fn(&Job) -> i64| {
        let (jobs, mut sum) = (places.jobs, Sum::new());
        for ready in places.ready {
            sum = sum.of(ready, move |job| of(job));
        }
        for (_, wait) in places.waits {
            sum = sum.of(wait, move |waiting| of(&waiting.job));
        }
        sum.of(places.sleeping, move |(job, ..)| of(job))
            .of(places.processor, move |work| jobs.errand(work).map_or(0, of))
    };
    let credits = over_jobs(|job| job.change.map_or(0, |change| change.reserved as i64));
    page.conserve_sum("credits", credits.of(places.mount.system, |system| -(system.reserved() as i64)));
    let locks = over_jobs(|job| i64::from(job.locks));
    page.conserve_sum("locks", locks.of(places.mount.fs, |fs| -(fs.locks.claims() as i64)));
    let broken = |fs: &Mounted| fs.promises.broken() as i64;
    page.conserve_sum("promises of fsync that were broken", Sum::new().of(places.mount.fs, broken));
    let on_the_way = |fs: &Mounted| fs.requests_made() as i64 - fs.transfers.in_flight() as i64;
    let made = Sum::new().of(places.mount.fs, on_the_way).taken(mount.completions, -1);
    page.conserve_sum(
        "requests made",
        match mount.log {
            Some(log) => made.taken(log.completions, -1),
            None => made,
        },
    );
}

/// What an operation does where it goes on.
type OperationStep = fn(&mut Context<'_>, &mut Job) -> Next;

/// A transition that takes an operation one step further.
fn step_transition(page: &mut PageBuilder<'_>, places: &Places, then: Then, step: OperationStep) {
    let (below, name) = then.page_and_name();
    let mut page = page.reopen(below);
    let mut transition = page.transition(name);
    let job = transition.take(places.at(then));
    let exits = Exits::declare(&mut transition, places, Ways::from(then, places.notes_accesses));
    transition.action(move |f| {
        let mut job = f.take(job);
        let now = f.now();
        let (memory, fs, system) = f.update_three(exits.memory, exits.fs, exits.system);
        let mut context = Context { memory, fs, system: &mut **system, now };
        let next =
            if job.failure.is_some() { context.give_up(&mut job) } else { step(&mut context, &mut job) };
        exits.leave(f, job, next);
    });
}
