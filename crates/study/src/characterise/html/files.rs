//! The files: composition, opens, sizes, lifetimes, directories. After figures 1 to 20 of Ivy (HPL-CSP-90-48).

use super::bars::{Row, rows};
use super::curves;
use crate::page::parts::{figure, key_of_parts, note, table};
use petrio_scenario::report::figures::{bytes, counted, grouped};
use petrio_trace::characterise::{ByCategory, Distribution, FileCategory, FileSystem, FileUse, device_name};

/// File systems that get bars of their own.
const FILE_SYSTEMS_MAX: usize = 10;

fn name(system: &FileSystem) -> String {
    system.device.map_or("all file systems".to_owned(), device_name)
}

fn parts(of: &ByCategory) -> Vec<(&'static str, u64)> {
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
pub(super) fn section(out: &mut String, files: &FileUse) {
    out.push_str("<section>\n<h2>Files</h2>\n<div class=\"plots\">\n");
    let key = key_of_parts(FileCategory::ALL.map(FileCategory::name));
    let systems = shown(files);
    let composition = systems.iter().map(|system| Row {
        label: name(system),
        parts: parts(&system.files),
        full: system.files.total(),
        count: grouped(system.files.total()),
    });
    let composition = rows(&[(String::new(), composition.collect())]);
    let kept_from_view = files.file_systems.len().saturating_sub(FILE_SYSTEMS_MAX);
    let mut below = key.clone();
    if kept_from_view > 0 {
        below.push_str(&note(&format!("{kept_from_view} smaller file systems are counted in all")));
    }
    figure(out, "Composition: files that were there before and after", &composition, &below);
    opens(out, &systems, files, &key);
    let every: Vec<(String, &FileSystem)> = systems.iter().map(|system| (name(system), *system)).collect();
    let of = |value: fn(&FileSystem) -> Option<&Distribution>| -> Vec<(String, &Distribution)> {
        let found = every.iter().filter_map(|(name, system)| Some((name.clone(), value(system)?)));
        found.take(curves::SERIES_MAX).collect()
    };
    let sizes = of(|system| system.sizes_bytes.as_ref());
    if let Some((plot, key)) = curves::sizes(&sizes, "file size", "% of files at most so large") {
        let unknown = files.all.without_size;
        let words = (unknown > 0)
            .then(|| note(&counted(unknown, "file has no known size", "files have no known size")));
        figure(out, "File sizes", &plot, &(key + &words.unwrap_or_default()));
    }
    let lifetimes = of(|system| system.lifetimes_s.as_ref());
    if let Some((plot, key)) = curves::seconds(&lifetimes, "lifetime", "% of files lived at most so long") {
        let words = note("Files created and deleted within the trace, from create to unlink.");
        figure(out, "Lifetimes", &plot, &(key + &words));
    }
    out.push_str("</div>\n");
    categories(out, &systems, files);
    directories(out, files);
    out.push_str("</section>\n");
}

fn opens(out: &mut String, systems: &[&FileSystem], files: &FileUse, key: &str) {
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
        let bars = kinds.into_iter().map(|(name, opens)| Row {
            label: name.to_owned(),
            parts: parts(opens),
            full,
            count: grouped(opens.total()),
        });
        let group = if systems.len() > 1 { name(system) } else { String::new() };
        groups.push((group, bars.collect()));
    }
    let hits = if files.tells_misses {
        String::new()
    } else {
        note("The trace doesn't tell hits from misses, so opens with a cache miss aren't known.")
    };
    figure(out, "Opens", &rows(&groups), &(key.to_owned() + &hits));
}

/// The bars' figures, for those who can't tell the colours.
fn categories(out: &mut String, systems: &[&FileSystem], files: &FileUse) {
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
    table(out, &heads, lines.into_iter());
}

fn directories(out: &mut String, files: &FileUse) {
    if files.directories.is_empty() {
        return;
    }
    out.push_str("<h3>Directories</h3>\n");
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
    table(out, &["directory", "files", "created and deleted", "opens", "read", "written"], lines);
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
        out.push_str(&note(&words.join(" ")));
    }
}
