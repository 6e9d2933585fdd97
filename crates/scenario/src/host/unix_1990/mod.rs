//! `[unix.NAME]`: a Unix host of 1990 with its file systems, one on each part that its `on` names.

mod pages;

use super::family::{Family, Ground, PlacedFamily, TellLevers, TellWords, Volume};
use crate::checker::{Checker, GuestFileSystem, PlannedHolder, PlannedVolume};
use crate::holder::Stands;
use crate::parts::{PartKind, Pool, name_on};
use crate::schema::{Names, read_apart, read_parts, values};
use crate::text::tree::Table;
use crate::text::{Copies, Problem, Sources, refusal};
use indexmap::IndexMap;
use petrio_models::host::unix_1990::UnixParameters;
use petrio_units::numbers::as_number;
use petrio_workload::parallel::Mounted;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::de::DeTable;

/// Its key.
const UNIX: &str = "unix";

/// The Unix hosts of a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Unix {
    /// Unix hosts of 1990, each with its file systems, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub unix: IndexMap<String, UnixHost>,
}

/// A Unix host of 1990 with its file systems. Where it has one, workloads name the host as they name one of `[fs.NAME]`; of
/// several each has the name of its disk behind the host's: `"host/d0"`, and `"host/*"` is all of them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnixHost {
    /// The disk, array, partition or replication that its file system lies on; or several, each with a file system of its
    /// own: `["d0", "d1"]`, `"d*"`. All are under one buffer cache and one sync daemon.
    pub on: Names,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: UnixParameters,
}

/// The Unix hosts of 1990, each with its file systems, in the order of the file.
#[derive(Clone, Debug)]
pub struct PlacedUnixHosts(pub Vec<PlacedUnix>);

/// A Unix host of 1990 and its file systems.
#[derive(Clone, Debug)]
pub struct PlacedUnix {
    /// Its name.
    pub name: String,
    /// Its file systems, in the order of their numbers on it.
    pub file_systems: Vec<PlacedUnixFileSystem>,
    /// What it is made of.
    pub parameters: UnixParameters,
}

/// A file system of a Unix host.
#[derive(Clone, Debug)]
pub struct PlacedUnixFileSystem {
    /// What workloads call it.
    pub name: String,
    /// What it lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
}

/// A file system of a Unix host, found: what workloads call it, and the holder that it lies on.
pub(crate) struct CheckedFileSystem {
    name: String,
    on: u32,
}

fn read_unix(table: &Table<'_>, sources: &Sources) -> Result<UnixHost, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: Names,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(UnixHost { on, parameters })
}

impl UnixHost {
    /// Finds its file systems, and tells the checker of each.
    fn checked(&self, checker: &mut Checker<'_, '_>, host: &str) -> Vec<CheckedFileSystem> {
        let at = format!("{UNIX}.{host}.on");
        checker.named_once(&self.on, &at, "a disk can't hold two file systems");
        let found = checker.holders_called(&at, &self.on);
        let what = if found.len() > 1 { "file system" } else { "Unix host" };
        let volume = |name: &str, on: Option<u32>| PlannedVolume {
            key: UNIX,
            what,
            name: name.to_owned(),
            part: host.to_owned(),
            on,
            found: on.is_some(),
            is_beside_others: true,
        };
        if found.is_empty() {
            checker.volume(volume(host, None));
        }
        let mut file_systems: Vec<CheckedFileSystem> = Vec::new();
        for &on in &found {
            let PlannedHolder { name: part, stands, .. } = checker.holder(on).clone();
            let name = if found.len() > 1 { name_on(host, &part) } else { host.to_owned() };
            checker.volume(volume(&name, Some(on)));
            if checker.exported.contains(&name) {
                checker.use_volume(as_number(checker.volumes.len() - 1));
            }
            checker.claim(on, &format!("the Unix host \"{host}\""), &at);
            if stands == Stands::BeforeQueue {
                let message = format!("the Unix host \"{host}\" lies on the throttle \"{part}\"");
                checker.error(&at, message, "a throttle is Linux's; name what it lies on");
            }
            if file_systems.iter().any(|other| other.name == name) {
                let message = format!("two file systems of the Unix host are called \"{name}\"");
                checker.error(&at, message, "they have the names of what they lie on; rename one of these");
            }
            file_systems.push(CheckedFileSystem { name, on });
        }
        file_systems
    }
}

impl Family for Unix {
    /// The file systems of each host.
    type Checked = Vec<Vec<CheckedFileSystem>>;
    type Placed = PlacedUnixHosts;

    const KINDS: &'static [PartKind] = &[PartKind {
        owns: true,
        references: &[("on", Pool::Holders)],
        is_on_each: true,
        ..PartKind::of(UNIX, Pool::Volumes)
    }];

    fn read(
        root: &Table<'_>,
        rest: &mut DeTable<'_>,
        problems: &mut Vec<Problem>,
        sources: &Sources,
    ) -> Self {
        let words = (UNIX, "Unix host", "on = …");
        Self { unix: read_parts(root, words, read_unix, rest, problems, sources) }
    }

    fn written(&self) -> Vec<IndexMap<String, Value>> {
        vec![values(&self.unix)]
    }

    fn guests(&self) -> Vec<String> {
        self.unix.keys().cloned().collect()
    }

    fn guest_file_systems(&self, checker: &mut Checker<'_, '_>) -> Vec<GuestFileSystem> {
        let pool = checker.pool();
        let mut all = Vec::new();
        for (host, part) in &self.unix {
            let mut found: Vec<u32> = Vec::new();
            for on in part.on.iter().flat_map(|name| pool.find(name)) {
                if !found.contains(&on) {
                    found.push(on);
                }
            }
            let name = |on: u32| match found.len() {
                1 => host.clone(),
                _ => name_on(host, &checker.holder(on).name),
            };
            let own = (0..).zip(&found).map(|(mount, &on)| GuestFileSystem {
                name: name(on),
                host: host.clone(),
                mount,
                on,
            });
            all.extend(own.collect::<Vec<_>>());
        }
        all
    }

    fn check(&self, checker: &mut Checker<'_, '_>) -> Self::Checked {
        let mut planned = Vec::new();
        for (name, host) in &self.unix {
            let path = format!("{UNIX}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "Unix host", "rename one of them");
            checker.take_name(&path, &format!("{name}/sync-daemon"), "sync daemon", "rename one of them");
            planned.push(host.checked(checker, name));
        }
        planned
    }

    fn place(
        &self,
        checked: Self::Checked,
        ground: &Ground<'_>,
        problems: &mut Vec<Problem>,
    ) -> Self::Placed {
        let mut placed = Vec::new();
        for ((name, host), found) in self.unix.iter().zip(checked) {
            let file_systems: Vec<_> = found
                .into_iter()
                .map(|CheckedFileSystem { name, on }| PlacedUnixFileSystem {
                    name,
                    on: on as usize,
                    blocks: ground.blocks(on),
                })
                .collect();
            // One that is too large is told once, whatever else is.
            let largest = file_systems.iter().map(|file_system| file_system.blocks).max().unwrap_or(0);
            if let Err(error) = host.parameters.check().and_then(|()| host.parameters.check_device(largest)) {
                let words = format!("the Unix host \"{name}\" can't be made: {error}");
                problems.push(refusal(ground.sources, ground.places, &format!("{UNIX}.{name}"), &words));
            }
            let (name, parameters) = (name.clone(), host.parameters.clone());
            placed.push(PlacedUnix { name, file_systems, parameters });
        }
        PlacedUnixHosts(placed)
    }
}

impl PlacedFamily for PlacedUnixHosts {
    fn hosts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(|host| host.name.as_str()))
    }

    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_> {
        // Each numbers its files by itself.
        let mut space = 0;
        Box::new(self.0.iter().enumerate().flat_map(move |(host, unix)| {
            let first = space;
            space += unix.file_systems.len();
            (0..).zip(&unix.file_systems).map(move |(mount, file_system)| {
                let &PlacedUnixFileSystem { ref name, on, blocks } = file_system;
                let space = first + mount as usize;
                Volume { name, host, mount, on: Some(on), blocks, space, mounted: Mounted::LOCAL }
            })
        }))
    }

    fn orders_requests(&self) -> bool {
        false
    }

    fn keeps_recorded_places(&self) -> bool {
        true
    }

    fn words(&self, tell: TellWords<'_>) {
        for host in &self.0 {
            tell(&format!("{UNIX}.{}", host.name), &|| "a Unix host of 1990".to_owned());
        }
    }

    fn levers(&self, copies: &Copies, tell: TellLevers<'_>) {
        for PlacedUnix { name, parameters, .. } in &self.0 {
            let path = format!("{UNIX}.{name}");
            tell(name, parameters.levers(copies.written(&path)));
        }
    }
}
