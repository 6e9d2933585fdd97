//! The pages of Unix hosts of 1990, with the files that are there.

use super::{PlacedUnix, PlacedUnixHosts};
use crate::build::HostSite;
use crate::claim::{Claim, Sentence};
use crate::host::HostPages;
use crate::run::RunFailure;
use petrio_colours::{FileId, PlacedExtent};
use petrio_models::host::unix_1990::{UnixError, UnixFile, UnixPorts, unix_1990_layout, unix_1990_page};
use petrio_units::Bytes;
use petrio_workload::program::PlannedFile;
use std::collections::BTreeMap;
use std::sync::Arc;

impl HostPages for PlacedUnixHosts {
    fn build(&self, site: &mut HostSite<'_, '_>) -> Result<(), RunFailure> {
        for (number, unix) in self.0.iter().enumerate() {
            let files = unix_files(&site.files(number)?, &site.extents(number));
            site.warnings.extend(cached_more_than_fits(unix, &files));
            let refused =
                |error: UnixError| RunFailure::Host { host: unix.name.clone(), message: error.to_string() };
            let layout = match site.knows_files(unix.on) {
                true => unix_1990_layout(&unix.parameters, unix.blocks, &files).map_err(refused)?.into(),
                false => Arc::default(),
            };
            let (requests, request_completions) = site.device(unix.on, &layout)?;
            let operations = site.host(&unix.name);
            let completions = site.completions;
            let ports = UnixPorts { operations, completions, requests, request_completions };
            let built = unix_1990_page(site.page, &unix.name, &unix.parameters, (unix.blocks, &files), ports);
            site.stages.extend(built.map_err(refused)?);
        }
        Ok(())
    }
}

/// A warning where files are said to be cached for which there are no buffers.
fn cached_more_than_fits(unix: &PlacedUnix, files: &[UnixFile]) -> Option<Sentence> {
    let cached = files.iter().filter(|file| file.cached).map(|file| file.size).fold(0, u64::saturating_add);
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
