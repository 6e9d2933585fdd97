//! Workloads of file operations: which processes they have, on which host and under which numbers, and the files that they
//! need.

use crate::build::planning::{Split, groups};
use crate::build::programs::Programs;
use crate::build::turns::{Turns, in_turn, waits};
use crate::claim::Sentence;
use crate::failure::RunFailure;
use crate::host::Volume;
use crate::loaded::Loaded;
use crate::prepared::{Group, Prepared as Planned, Work};
use crate::report::Subject;
use crate::site::FilesOfOthers;
use crate::workload::Workload;
use petrio_colours::{FileId, FileOp, PlacedExtent};
use petrio_models::host::{HostError, LaidOut, LayoutOf, PreparedFile};
use petrio_workload::program::{
    AtSpeed, Common, FileEntry, FilePrograms, FileTable, Placement, PlannedFile, Prepared, ProgramError,
};
use petrio_workload::{RequestSource, SourceError};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The programs of a scenario for one replication, and the number of the workload that each source is of.
pub(super) fn programs_of(
    loaded: &Loaded,
    replication: u64,
    turns: &Arc<Turns>,
) -> Result<(Programs<FileOp>, Vec<usize>), RunFailure> {
    let prepared = loaded.prepared()?;
    let mut sources: Vec<Box<dyn RequestSource<FileOp>>> = Vec::new();
    let (mut kinds, mut changed, mut traced) = (Vec::new(), Vec::new(), BTreeMap::new());
    let next = prepared.all_groups().map(|group| group.work.next_file()).collect::<Result<Vec<_>, _>>();
    let mut common = Common::new(next.map_err(SourceError::from)?.into_iter().max().unwrap_or_default());
    let mut workloads = Vec::new();
    let speeds = loaded.hosts.computing_speeds();
    let volume_hosts: Vec<usize> = loaded.hosts.volumes().map(|volume| volume.host).collect();
    let of_files: Vec<_> = loaded.workloads_of(Subject::FileOperations).collect();
    for (workload, (words, groups)) in prepared.groups.iter().enumerate() {
        kinds.push(words.clone());
        let (name, memory) = of_files
            .get(workload)
            .map_or(("", None), |(name, own)| (*name, own.files_place().and_then(|place| place.memory)));
        for Group { work, volume } in groups {
            if matches!(work, Work::Beside { .. }) {
                continue;
            }
            workloads.push(workload);
            let speed = volume_hosts.get(*volume).and_then(|&host| speeds.get(host)).copied().unwrap_or(1.0);
            let source: Box<dyn RequestSource<FileOp>> = match work {
                Work::Programs(plan, placement) => {
                    let mut programs = plan.programs(replication, &mut common).map_err(SourceError::from)?;
                    if let Some(memory) = memory {
                        programs = memory.of(&Placement { replication, ..placement.clone() }, programs);
                    }
                    let programs = programs.into_iter().map(|program| AtSpeed::of(program, speed)).collect();
                    match waits(loaded, name) {
                        true => Box::new(FilePrograms::later(programs)),
                        false => Box::new(FilePrograms::new(programs).map_err(SourceError::from)?),
                    }
                }
                Work::Trace(trace) => {
                    let (source, count) = trace.source()?;
                    changed.push(count);
                    traced.extend(trace.traced(sources.len()));
                    source
                }
                Work::Given(given, _) | Work::Beside { given, .. } => given.source()?,
            };
            sources.push(in_turn(source, loaded, turns, name));
        }
    }
    let programs = Programs::new(sources, kinds, Vec::new()).with_changed_calls(changed);
    let programs = programs.with_traced(traced);
    Ok((programs.with_boards(common.into_boards()), workloads))
}

/// The programs of a scenario for one replication as something that can be run on a real directory: one for each workload and
/// file system, in order. None where its workloads don't work on files.
///
/// # Errors
/// Programs that can't be made.
pub fn prepared_programs(loaded: &Loaded, replication: u64) -> Result<Vec<Prepared>, RunFailure> {
    let known = loaded.prepared()?;
    let prepared = |group: Group| match group.work {
        Work::Programs(plan, placement) => Ok(Prepared::of(&*plan, &placement).map_err(SourceError::from)?),
        Work::Trace(trace) => trace.prepared(),
        Work::Given(given, _) | Work::Beside { given, .. } => {
            Ok(Prepared::new(given.table().map_err(SourceError::from)?, Vec::new()))
        }
    };
    let groups = groups(loaded, known.readings(), replication, Split::No)?;
    groups.into_iter().flat_map(|(_, groups)| groups).map(prepared).collect()
}

/// What the programs of a scenario need to be there; the same in every replication.
pub(super) struct Needed<'l> {
    loaded: &'l Loaded,
    prepared: Arc<Planned>,
    /// In the order of [`PlacedHosts::volumes`](crate::PlacedHosts::volumes).
    volumes: Vec<Volume<'l>>,
    /// The groups that work on each host: by their workload, and among its groups.
    on_hosts: Vec<Vec<(usize, usize)>>,
}

/// Why files can't be laid out.
enum NotLaidOut {
    Host(HostError),
    Program(ProgramError),
}

impl From<HostError> for NotLaidOut {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

impl<'l> Needed<'l> {
    pub(super) fn of(loaded: &'l Loaded) -> Result<Self, RunFailure> {
        let prepared = loaded.prepared()?;
        let volumes: Vec<Volume<'_>> = loaded.hosts.volumes().collect();
        let mut on_hosts = vec![Vec::new(); loaded.hosts.count()];
        for (workload, (_, groups)) in prepared.groups.iter().enumerate() {
            for (number, group) in groups.iter().enumerate() {
                on_hosts[volumes[group.volume].host].push((workload, number));
            }
        }
        Ok(Self { loaded, prepared, volumes, on_hosts })
    }

    /// The groups that work on a host.
    fn on_host(&self, host: usize) -> impl Iterator<Item = &Group> {
        self.on_hosts[host].iter().map(|&(workload, number)| &self.prepared.groups[workload].1[number])
    }

    /// Tells the files of a volume, each directory before what lies in it.
    fn each_file(&self, there: usize, tell: &mut dyn FnMut(PlannedFile)) -> Result<(), ProgramError> {
        let Volume { host, mount, .. } = self.volumes[there];
        for group in self.on_host(host) {
            group.work.each_file(&mut |on: u32, file| {
                if on == mount {
                    tell(file);
                }
            })?;
        }
        Ok(())
    }

    /// What replays of traces can't have of the programs that were traced.
    pub(super) fn warnings(&self) -> Vec<Sentence> {
        let of_trace = |((name, _), (_, groups)): ((&str, &Workload), &(String, Vec<Group>))| {
            groups.iter().find_map(|group| match &group.work {
                Work::Trace(trace) => Some(trace.warnings(name)),
                Work::Programs(..) | Work::Given(..) | Work::Beside { .. } => None,
            })
        };
        let of_files = self.loaded.workloads_of(Subject::FileOperations);
        of_files.zip(&self.prepared.groups).filter_map(of_trace).flatten().collect()
    }

    /// The files of a volume.
    pub(super) fn files(&self, there: usize) -> Result<Vec<PlannedFile>, RunFailure> {
        let mut files = Vec::new();
        self.each_file(there, &mut |file| files.push(file)).map_err(SourceError::from)?;
        Ok(files)
    }

    /// Where those files of a volume lie whose place a trace tells, and what should be known of places that don't count.
    pub(super) fn extents(&self, there: usize) -> (BTreeMap<FileId, Vec<PlacedExtent>>, Vec<Sentence>) {
        let (mut extents, mut warnings) = (BTreeMap::new(), Vec::new());
        let Volume { name, host, mount, blocks, .. } = self.volumes[there];
        for Group { work, .. } in self.on_host(host) {
            if let Work::Trace(trace) = work {
                let seen = trace.seen_on(mount);
                extents.extend(seen.extents(blocks));
                warnings.extend(seen.warning(name, blocks));
            }
        }
        (extents, warnings)
    }

    /// One more than the number of any file that is planned.
    pub(super) fn next_file(&self) -> Result<u32, RunFailure> {
        let next = self.prepared.all_groups().map(|group| group.work.next_file());
        let next = next.collect::<Result<Vec<_>, _>>().map_err(SourceError::from)?;
        Ok(next.into_iter().max().unwrap_or_default())
    }

    /// A volume with its files on it, and with what lies there of the files of others: laid out once for all runs that
    /// change nothing about it.
    pub(super) fn laid_out(
        &self,
        there: usize,
        of: LayoutOf,
        (others, own): (&[FilesOfOthers<'_>], &[PlannedFile]),
    ) -> Result<Arc<LaidOut>, RunFailure> {
        let laid_out = self.prepared.layout(there, of, |of| {
            LaidOut::new(of, &self.loaded.watch, |tell| {
                let mut lay = |PlannedFile { file, parent, is_directory, present, cached, size }| {
                    if present {
                        tell(PreparedFile { file, parent, directory: is_directory, size, cached });
                    }
                };
                self.each_file(there, &mut lay).map_err(NotLaidOut::Program)?;
                own.iter().copied().for_each(&mut lay);
                for FilesOfOthers { volumes, share } in others {
                    for volume in volumes.clone() {
                        let mut lay = |file| share(&file).into_iter().for_each(&mut lay);
                        self.each_file(volume, &mut lay).map_err(NotLaidOut::Program)?;
                    }
                }
                Ok(())
            })
        });
        laid_out.map_err(|refused| match refused {
            NotLaidOut::Program(error) => SourceError::from(error).into(),
            NotLaidOut::Host(error) => {
                let host = self.loaded.hosts.names().nth(self.volumes[there].host).unwrap_or_default();
                RunFailure::Host { host: host.to_owned(), message: error.to_string() }
            }
        })
    }

    /// Each process' host, by its number.
    pub(super) fn hosts_of_processes(&self) -> Vec<usize> {
        hosts_of_processes(&self.prepared, &self.volumes)
    }
}

/// The volumes of a host by their numbers there.
fn by_mount(volumes: &[Volume<'_>], host: usize) -> BTreeMap<u32, usize> {
    let all = volumes.iter().enumerate().filter(|(_, volume)| volume.host == host);
    all.map(|(there, volume)| (volume.mount, there)).collect()
}

fn hosts_of_processes(prepared: &Planned, volumes: &[Volume<'_>]) -> Vec<usize> {
    prepared
        .all_groups()
        .flat_map(|group| std::iter::repeat_n(volumes[group.volume].host, group.work.processes() as usize))
        .collect()
}

/// The number of each file of each volume by its path from the root, in the order of [`PlacedHosts::volumes`](crate::PlacedHosts::volumes):
/// for whoever asks for files by name.
///
/// # Errors
/// A workload whose files can't be told, such as a trace that can't be read.
pub fn file_names(loaded: &Loaded) -> Result<Vec<BTreeMap<String, FileId>>, RunFailure> {
    let (tables, _) = file_tables(loaded)?;
    let named = |table: &FileTable| {
        let named = |entry: &FileEntry| Some((table.path(entry.file)?, entry.file));
        table.entries().iter().filter(|entry| entry.present).filter_map(named).collect()
    };
    Ok(tables.iter().map(named).collect())
}

/// The files of each volume with their names, in the order of [`PlacedHosts::volumes`](crate::PlacedHosts::volumes), and the host of each process.
pub(crate) fn file_tables(loaded: &Loaded) -> Result<(Vec<FileTable>, Vec<usize>), RunFailure> {
    let prepared = loaded.prepared()?;
    let volumes: Vec<Volume<'_>> = loaded.hosts.volumes().collect();
    let mut files = vec![FileTable::new(); volumes.len()];
    for Group { volume, work } in prepared.all_groups() {
        let host = volumes[*volume].host;
        let of_mounts = by_mount(&volumes, host);
        for (mount, table) in work.tables().map_err(SourceError::from)? {
            if let Some(&there) = of_mounts.get(&mount) {
                files[there].join(table).map_err(SourceError::from)?;
            }
        }
    }
    Ok((files, hosts_of_processes(&prepared, &volumes)))
}
