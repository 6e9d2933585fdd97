//! `[unix.NAME]`: a Unix host of 1990 with its file system.

mod pages;

use super::family::{Family, Ground, PlacedFamily, TellLevers, TellWords, Volume};
use crate::check::{Checker, PlannedVolume};
use crate::holder::Stands;
use crate::parts::{PartKind, Pool};
use crate::schema::{read_apart, read_parts, values};
use crate::text::tree::Table;
use crate::text::{Copies, Problem, Sources, refusal};
use indexmap::IndexMap;
use petrio_models::host::unix_1990::UnixParameters;
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
    /// Unix hosts of 1990, each with its file system, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub unix: IndexMap<String, UnixHost>,
}

/// A Unix host of 1990 with its file system, which workloads name as they name one of `[fs.NAME]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct UnixHost {
    /// The disk, array or replication that its file system lies on.
    pub on: String,
    /// What it is made of.
    #[serde(flatten)]
    pub parameters: UnixParameters,
}

/// The Unix hosts of 1990, each with its file system, in the order of the file.
#[derive(Clone, Debug)]
pub struct PlacedUnixHosts(pub Vec<PlacedUnix>);

/// A Unix host of 1990 and its file system.
#[derive(Clone, Debug)]
pub struct PlacedUnix {
    /// Its name.
    pub name: String,
    /// What its file system lies on, as an index of [`Loaded::storage`](crate::Loaded::storage).
    pub on: usize,
    /// Its size in blocks of 512 bytes.
    pub blocks: u64,
    /// What it is made of.
    pub parameters: UnixParameters,
}

fn read_unix(table: &Table<'_>, sources: &Sources) -> Result<UnixHost, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: String,
    }
    let (On { on }, parameters) = read_apart(table, &["on"], sources)?;
    Ok(UnixHost { on, parameters })
}

impl Family for Unix {
    /// The holder of each host's file system, where there is one.
    type Checked = Vec<Option<u32>>;
    type Placed = PlacedUnixHosts;

    const KINDS: &'static [PartKind] = &[PartKind {
        least_bytes: 0,
        key: UNIX,
        owns: true,
        files: &["use"],
        shelf: None,
        references: &[("on", Pool::Holders)],
        pool: Pool::Volumes,
        is_mounted: false,
        is_around: false,
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

    fn check(&self, checker: &mut Checker<'_, '_>) -> Self::Checked {
        let mut planned = Vec::new();
        for (name, host) in &self.unix {
            let path = format!("{UNIX}.{name}");
            checker.name(&path, name);
            checker.take_name(&path, name, "Unix host", "rename one of them");
            checker.take_name(&path, &format!("{name}/sync-daemon"), "sync daemon", "rename one of them");
            let at = format!("{path}.on");
            let on = checker.only(&at, &host.on, "Unix host's file system");
            if let Some(on) = on {
                checker.claim(on, &format!("the Unix host \"{name}\""), &at);
                if checker.holder(on).stands == Stands::BeforeQueue {
                    let message = format!("the Unix host \"{name}\" lies on the throttle \"{}\"", host.on);
                    checker.error(&at, message, "a throttle is Linux's; name what it lies on");
                }
            }
            checker.volume(PlannedVolume {
                key: UNIX,
                what: "Unix host",
                name: name.clone(),
                part: name.clone(),
                on,
                found: on.is_some(),
            });
            planned.push(on);
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
        for ((name, host), on) in self.unix.iter().zip(checked) {
            let Some(on) = on else { continue };
            let blocks = ground.blocks(on);
            if let Err(error) = host.parameters.check().and_then(|()| host.parameters.check_device(blocks)) {
                let words = format!("the Unix host \"{name}\" can't be made: {error}");
                problems.push(refusal(ground.sources, ground.places, &format!("{UNIX}.{name}"), &words));
            }
            let (name, parameters) = (name.clone(), host.parameters.clone());
            placed.push(PlacedUnix { name, on: on as usize, blocks, parameters });
        }
        PlacedUnixHosts(placed)
    }
}

impl PlacedFamily for PlacedUnixHosts {
    fn hosts(&self) -> Box<dyn Iterator<Item = &str> + '_> {
        Box::new(self.0.iter().map(|host| host.name.as_str()))
    }

    fn volumes(&self) -> Box<dyn Iterator<Item = Volume<'_>> + '_> {
        Box::new(self.0.iter().enumerate().map(|(host, unix)| {
            let PlacedUnix { name, on, blocks, .. } = unix;
            Volume {
                name,
                host,
                mount: 0,
                on: Some(*on),
                blocks: *blocks,
                space: host,
                mounted: Mounted::LOCAL,
            }
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
