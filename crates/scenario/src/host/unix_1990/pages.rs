//! The pages of Unix hosts of 1990, with the files that are there.

use super::{PlacedUnix, PlacedUnixFileSystem, PlacedUnixHosts};
use crate::claim::{Claim, Sentence};
use crate::failure::RunFailure;
use crate::host::HostPages;
use crate::site::{Guest, GuestMount, HostSite, Served};
use petrio_colours::{FileId, FileOp, PlacedExtent};
use petrio_models::host::unix_1990::{
    DEVICE_BLOCKS_MAX, OverNfs, UnixError, UnixFile, UnixFileSystem, UnixPorts, UnixVolume, unix_1990_layout,
    unix_1990_page,
};
use petrio_units::Bytes;
use petrio_workload::program::PlannedFile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl HostPages for PlacedUnixHosts {
    fn guests(&self, site: &mut HostSite<'_, '_>) {
        for PlacedUnix { name, parameters, .. } in &self.0 {
            let guest = Guest { count: parameters.processors, ..Guest::default() };
            site.guests.insert(name.clone(), guest);
        }
    }

    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure> {
        let mut first = 0;
        for unix in &self.0 {
            build_host(site, unix, first)?;
            first += unix.file_systems.len();
        }
        Ok(())
    }
}

/// Puts the page of a host into the net, whose first file system has this number in the family.
fn build_host(site: &mut HostSite<'_, '_>, unix: &PlacedUnix, first: usize) -> Result<(), RunFailure> {
    let refused = |error: UnixError| RunFailure::Host { host: unix.name.clone(), message: error.to_string() };
    let Guest { processors, mounts, served, .. } = site.guests.remove(&unix.name).unwrap_or_default();
    let mut files = Vec::new();
    for (mount, number) in (0..).zip(first..first + unix.file_systems.len()) {
        let (extents, mut warnings) = site.foundation.extents(number);
        site.warnings.append(&mut warnings);
        let mut planned = site.foundation.files(number)?;
        let of_others = served.iter().filter_map(|served| served.files.get(&mount)).flatten();
        let own: BTreeSet<FileId> = planned.iter().map(|file| file.file).collect();
        planned.extend(of_others.filter(|file| !own.contains(&file.file)));
        files.push(unix_files(&planned, &extents));
    }
    site.warnings.extend(cached_more_than_fits(unix, &files));
    let over: Vec<(OverNfs, Vec<UnixFile>)> = mounts.iter().map(mounted).collect();
    if let Some(small) = mounts.iter().find(|mount| mount.options.read_size < unix.parameters.block) {
        let message = format!(
            "its blocks of {} are larger than the {} that \"{}\" moves at a time",
            unix.parameters.block, small.options.read_size, small.name
        );
        return Err(RunFailure::Host { host: unix.name.clone(), message });
    }
    let mut volumes = Vec::new();
    for (PlacedUnixFileSystem { name, on, blocks }, files) in unix.file_systems.iter().zip(&files) {
        let layout = match site.foundation.knows_files(*on) {
            true => unix_1990_layout(&unix.parameters, *blocks, files).map_err(refused)?.into(),
            false => Arc::default(),
        };
        let (requests, request_completions) =
            site.foundation.device(site.page, *on, &layout, &mut site.upper_stages)?;
        let file_system = UnixFileSystem { name, device_blocks: *blocks, files, over: None };
        volumes.push(UnixVolume { file_system, requests, request_completions });
    }
    for (mount, (over, files)) in mounts.iter().zip(&over) {
        let device_blocks = mount.blocks.min(DEVICE_BLOCKS_MAX);
        let file_system = UnixFileSystem { name: &mount.name, device_blocks, files, over: Some(over) };
        let (requests, request_completions) = (mount.requests, mount.completions);
        volumes.push(UnixVolume { file_system, requests, request_completions });
    }
    let operations = site.host(&unix.name);
    let mut ports = UnixPorts { operations, completions: site.completions, servers: Vec::new() };
    if let Some(Served { asked, completions, processes, .. }) = served {
        let entrance = site.entrance().unwrap_or(operations);
        let mut ask = site.page.transition(&format!("{}-ask", unix.name));
        let (op, put) = (ask.take(asked), ask.put(entrance));
        ask.action(move |f| {
            let op: FileOp = f.take(op);
            f.put(put, op);
        });
        (ports.completions, ports.servers) = (completions, processes);
    }
    let built = unix_1990_page(site.page, &unix.name, &unix.parameters, &volumes, (ports, processors));
    site.stages.extend(built.map_err(refused)?);
    Ok(())
}

/// What a host mounts of another, and the files that are there.
fn mounted(mount: &GuestMount) -> (OverNfs, Vec<UnixFile>) {
    let over = OverNfs { options: mount.options.clone(), number: mount.number };
    (over, unix_files(&mount.files, &BTreeMap::new()))
}

/// A warning where files are said to be cached for which there are no buffers.
fn cached_more_than_fits(unix: &PlacedUnix, files: &[Vec<UnixFile>]) -> Option<Sentence> {
    let cached = files.iter().flatten().filter(|file| file.cached).map(|file| file.size);
    let cached = cached.fold(0, u64::saturating_add);
    let room = Bytes(unix.parameters.buffers().saturating_mul(unix.parameters.block.get()));
    (cached > room.get()).then(|| {
        Claim::NotCached.says(format!(
            "the files that are said to be cached when the run begins are {}, and the host \"{}\" has {room} of buffers: only the last \
             that fit are cached, as if they had been read one after the other",
            Bytes(cached),
            unix.name
        ))
    })
}

/// Its files: those that are there, and those of which a trace tells where they will lie.
fn unix_files(files: &[PlannedFile], extents: &BTreeMap<FileId, Vec<PlacedExtent>>) -> Vec<UnixFile> {
    let unix_file = |entry: &PlannedFile| UnixFile {
        file: entry.file,
        parent: entry.parent,
        directory: entry.is_directory,
        present: entry.present,
        size: entry.size,
        cached: entry.cached && !entry.is_directory,
        extents: extents.get(&entry.file).cloned().unwrap_or_default(),
    };
    files.iter().filter(|entry| entry.present || extents.contains_key(&entry.file)).map(unix_file).collect()
}
