//! The files: composition, opens, sizes, lifetimes, directories. After figures 1 to 20 of Ivy (HPL-CSP-90-48).

use crate::page::{PartsRow, distributions, parts};
use petrio_page::figure::{Figure, Quantity, SERIES_MAX};
use petrio_page::numbers::{bytes, counted, grouped};
use petrio_page::page::{Page, Table};
use petrio_trace::characterise::{ByCategory, Distribution, FileCategory, FileSystem, FileUse, device_name};

/// File systems that get bars of their own.
const FILE_SYSTEMS_MAX: usize = 10;

fn name(system: &FileSystem) -> String {
    system.device.map_or("all file systems".to_owned(), device_name)
}

fn by_category(of: &ByCategory) -> Vec<(&'static str, u64)> {
    FileCategory::ALL.into_iter().map(|category| (category.name(), of[category])).collect()
}

/// All together, and each where there are several.
fn shown(files: &FileUse) -> Vec<&FileSystem> {
    if files.file_systems.len() < 2 {
        return files.file_systems.iter().collect();
    }
    std::iter::once(&files.all).chain(files.file_systems.iter().take(FILE_SYSTEMS_MAX)).collect()
}

/// The section.
pub(super) fn section(page: &mut Page, files: &FileUse) {
    page.heading("Files");
    let systems = shown(files);
    let rows = systems.iter().map(|system| PartsRow {
        label: name(system),
        parts: by_category(&system.files),
        full: system.files.total(),
        count: grouped(system.files.total()),
    });
    let title = "Composition: files that were there before and after";
    let mut composition = parts(title, &[(String::new(), rows.collect())]);
    let kept_from_view = files.file_systems.len().saturating_sub(FILE_SYSTEMS_MAX);
    if kept_from_view > 0 {
        composition.note(format!("{kept_from_view} smaller file systems are counted in all"));
    }
    let every: Vec<(String, &FileSystem)> = systems.iter().map(|system| (name(system), *system)).collect();
    let of = |value: fn(&FileSystem) -> Option<&Distribution>| -> Vec<(String, &Distribution)> {
        let found = every.iter().filter_map(|(name, system)| Some((name.clone(), value(system)?)));
        found.take(SERIES_MAX).collect()
    };
    let sizes = of(|system| system.sizes_bytes.as_ref());
    let bytes = ("file size", Quantity::Bytes, 1.0);
    let mut sizes = distributions("File sizes", &sizes, bytes, "of files at most so large");
    let unknown = files.all.without_size;
    if let (Some(figure), true) = (&mut sizes, unknown > 0) {
        figure.note(counted(unknown, "file has no known size", "files have no known size"));
    }
    let lifetimes = of(|system| system.lifetimes_s.as_ref());
    let time = ("lifetime", Quantity::Duration, 1.0);
    let mut lifetimes = distributions("Lifetimes", &lifetimes, time, "of files lived at most so long");
    if let Some(figure) = &mut lifetimes {
        figure.note("Files created and deleted within the trace, from create to unlink.");
    }
    let left_alone = left_alone(&files.all);
    let figures = [Some(composition), Some(opens(&systems, files)), sizes, lifetimes, left_alone];
    page.figures(figures.into_iter().flatten());
    categories(page, &systems, files);
    directories(page, files);
}

/// How long files had been left alone when they were unlinked.
fn left_alone(all: &FileSystem) -> Option<Figure> {
    let found = [
        ("not written", &all.unwritten_at_unlink_s),
        ("not read", &all.unread_at_unlink_s),
        ("not changed", &all.unchanged_at_unlink_s),
    ];
    let found: Vec<(String, &Distribution)> =
        found.into_iter().filter_map(|(name, ages)| Some((name.to_owned(), ages.as_ref()?))).collect();
    let time = ("time before the unlink", Quantity::Duration, 1.0);
    let mut figure =
        distributions("Left alone when unlinked", &found, time, "of files left alone at most so long")?;
    figure.note("Since a file was last written (mtime), read (atime) and changed in any way (ctime), as the trace tells, or saw.");
    Some(figure)
}

fn opens(systems: &[&FileSystem], files: &FileUse) -> Figure {
    let mut groups = Vec::new();
    for system in systems {
        let mut kinds = vec![("writable", &system.writable_opens), ("read-only", &system.read_only_opens)];
        if files.tells_misses {
            kinds.push(("read-only, with a cache miss", &system.read_only_opens_missed));
        }
        if system.unknown_opens.total() > 0 {
            kinds.push(("for what isn't known", &system.unknown_opens));
        }
        let full = kinds.iter().map(|(_, opens)| opens.total()).max().unwrap_or(0);
        let rows = kinds.into_iter().map(|(name, opens)| PartsRow {
            label: name.to_owned(),
            parts: by_category(opens),
            full,
            count: grouped(opens.total()),
        });
        let group = if systems.len() > 1 { name(system) } else { String::new() };
        groups.push((group, rows.collect()));
    }
    let mut figure = parts("Opens", &groups);
    if !files.tells_misses {
        figure.note("The trace doesn't tell hits from misses, so opens with a cache miss aren't known.");
    }
    figure
}

/// The figures' numbers, for those who can't tell the colours.
fn categories(page: &mut Page, systems: &[&FileSystem], files: &FileUse) {
    let heads: Vec<&str> = ["", "all"].into_iter().chain(FileCategory::ALL.map(FileCategory::name)).collect();
    let mut lines = Vec::new();
    for system in systems {
        let mut line = |what: &str, of: &ByCategory| {
            let mut cells = vec![format!("{}: {what}", name(system)), grouped(of.total())];
            cells.extend(FileCategory::ALL.map(|category| grouped(of[category])));
            lines.push(cells);
        };
        line("files", &system.files);
        line("writable opens", &system.writable_opens);
        line("read-only opens", &system.read_only_opens);
        if files.tells_misses {
            line("with a cache miss", &system.read_only_opens_missed);
        }
    }
    page.table(Table::new(heads).with(lines));
}

fn directories(page: &mut Page, files: &FileUse) {
    if files.directories.is_empty() {
        return;
    }
    page.subheading("Directories");
    let lines = files.directories.iter().map(|directory| {
        vec![
            directory.path.clone(),
            grouped(directory.files.total()),
            grouped(directory.files.created_and_deleted),
            grouped(directory.opens),
            bytes(directory.bytes_read),
            bytes(directory.bytes_written),
        ]
    });
    let heads = ["directory", "files", "created and deleted", "opens", "read", "written"];
    page.table(Table::new(heads).with(lines));
    let shown = files.directories.len() as u64;
    let mut words = Vec::new();
    if files.directories_in_all > shown {
        words.push(format!(
            "Those with most files, opens or bytes of {}.",
            counted(files.directories_in_all, "directory", "directories")
        ));
    }
    if files.without_path > 0 {
        words.push(format!("{} no known path.", counted(files.without_path, "file has", "files have")));
    }
    if !words.is_empty() {
        page.note(words.join(" "));
    }
}
