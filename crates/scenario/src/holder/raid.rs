//! `[raid.NAME]`: several disks (or other parts that hold blocks) as one.

use super::{Built, BuiltArray, Holder, HolderPorts, Objection, Over, Stands};
use crate::schema::{Named, Names, read_apart};
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_colours::SECTOR_BYTES;
use petrio_kernel::PageBuilder;
use petrio_models::Lever;
use petrio_models::block::raid::{
    Idle, JournalMode, JournalParameters, RaidError, RaidPage, RaidParameters, RaidPorts, ReadChoice,
    raid_page,
};
use petrio_models::cluster::replication::FileLayout;
use petrio_units::Bytes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several disks (or other parts that hold blocks) as one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Raid {
    /// The members, in order.
    pub on: Names,
    /// What it is called, and where its figures come from, where it is of the catalogue.
    #[serde(flatten)]
    pub named: Named,
    /// How data are spread over them, and what protects them.
    #[serde(flatten)]
    pub parameters: RaidParameters,
}

/// Reads an array.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Raid, Vec<Problem>> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct On {
        on: Names,
        name: Option<String>,
        source: Option<String>,
    }
    let (On { on, name, source }, parameters) = read_apart(table, &["on", "name", "source"], sources)?;
    Ok(Raid { on, named: Named { name, source }, parameters })
}

impl Raid {
    /// What to do about an array that can't be made over so many parts.
    fn advice(&self, error: &RaidError, members: usize) -> String {
        let RaidParameters { level, spares, .. } = &self.parameters;
        match error {
            RaidError::Unit(_) => "write a multiple of 512 B; 64 KiB is usual".to_owned(),
            RaidError::StripeCache(_) => {
                "write units of 64 KiB or 512 KiB and 256 rows, as Linux md has them, or leave stripe_cache out".to_owned()
            }
            RaidError::Granularity(..) => "write 4 KiB, as Linux md has it, or leave it out".to_owned(),
            RaidError::Few { fewest, .. } if *spares > 0 => format!(
                "of the {members} that it lies on, {spares} are spares: name {} or more, or fewer spares",
                fewest + *spares as usize
            ),
            RaidError::Few { fewest, .. } => format!(
                "name {fewest} different disks or more, or another level: 0 and 1 are made of two, 5 of three"
            ),
            RaidError::Many { .. } => "name fewer, and make several arrays".to_owned(),
            RaidError::Copies { .. } => "copies = 2 is usual, over two members or more".to_owned(),
            RaidError::Width { .. } => {
                "write a width between these, or leave it out: parity then isn't declustered".to_owned()
            }
            RaidError::NotDeclustered { .. } => {
                format!("leave it out, or write level = 5 instead of {level}")
            }
            RaidError::NoMember { .. } => "write the number of one of them, counted from 0".to_owned(),
            RaidError::Spares => "leave spares out, or name a level with redundancy".to_owned(),
            RaidError::Log { .. } => "leave it out, or name an array of use = \"linux-md\" at such a level".to_owned(),
            RaidError::Rebuild { .. } => {
                "512 KiB and a depth of 2 are usual; leave out what should be as usual".to_owned()
            }
            RaidError::Cache(_) => {
                "256 MiB, high = \"50 %\" and low = \"25 %\" are usual; leave out what should be as usual"
                    .to_owned()
            }
        }
    }

    /// Those that it lies on without its journal, the last.
    fn data_members<'m, M>(&self, all: &'m [M]) -> &'m [M] {
        &all[..all.len().saturating_sub(usize::from(self.parameters.journal.is_some()))]
    }

    /// What is wrong with a parameter that does nothing.
    fn idle(&self, Idle { key, of, because }: &Idle) -> Objection {
        let all = serde_json::to_value(&self.parameters).unwrap_or_default();
        let value = all.pointer(&format!("/{}", key.replace('.', "/")));
        let value = value.map_or(String::new(), |value| format!(" = {value}"));
        let message = format!("{key}{value} does nothing here: RAID {} {because}", self.parameters.level);
        Objection { key, message, help: Some(format!("leave it out, or write {of}")) }
    }
}

impl Holder for Raid {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        let mut objections = Vec::new();
        if self.parameters.members(members) == 1 {
            objections.push(Objection {
                key: "on",
                message: "an array of one disk is that disk".to_owned(),
                help: Some("name two or more, or leave the array out".to_owned()),
            });
            return objections;
        }
        if let Some(member) = self.parameters.fails_in_vain() {
            objections.push(Objection {
                key: "failures",
                message: format!(
                    "member {member} fails twice, and nobody puts a new drive in its place between"
                ),
                help: Some("say replaced_after, or let it fail once".to_owned()),
            });
        }
        if let Err(error) = self.parameters.layout(members) {
            let key = match &error {
                RaidError::Unit(_) => "stripe_unit",
                RaidError::Granularity(..) => "granularity",
                RaidError::Few { .. } | RaidError::Many { .. } => "on",
                RaidError::Copies { .. } => "copies",
                RaidError::Width { .. } | RaidError::NotDeclustered { .. } => "stripe_width",
                RaidError::NoMember { .. } => "failures",
                RaidError::Spares => "spares",
                RaidError::Rebuild { key } | RaidError::Log { key, .. } => key,
                RaidError::Cache(_) => "controller.cache",
                RaidError::StripeCache(_) => "stripe_cache",
            };
            let help = Some(self.advice(&error, members));
            objections.push(Objection { key, message: error.to_string(), help });
        }
        objections
    }

    fn without_effect(&self) -> Vec<Objection> {
        self.parameters.without_effect().iter().map(|idle| self.idle(idle)).collect()
    }

    fn is_random(&self) -> bool {
        self.parameters.mean_time_to_failure.is_some() || self.parameters.reads == ReadChoice::Random
    }

    fn wants_apart(&self) -> bool {
        true
    }

    fn check_sizes(&self, members: &[u64]) -> Vec<Objection> {
        let journal = members.last().copied().unwrap_or(0);
        if let Err(error) = self.parameters.check_journal(members.len(), journal) {
            let help = Some("name a larger device last, or fewer rows of the stripe cache".to_owned());
            return vec![Objection { key: "journal", message: error.to_string(), help }];
        }
        if self.blocks(members) > 0 {
            return Vec::new();
        }
        let smallest = self.data_members(members).iter().copied().min().unwrap_or(0);
        let message = format!(
            "the array holds nothing: no stripe of units of {} fits on its smallest member, which has {}",
            self.parameters.stripe_unit,
            Bytes(smallest.saturating_mul(SECTOR_BYTES))
        );
        let help = Some("make the stripe unit smaller; 64 KiB is usual".to_owned());
        vec![Objection { key: "stripe_unit", message, help }]
    }

    fn caution(&self, members: &[u64]) -> Option<(&'static str, String)> {
        let members = self.data_members(members);
        let smallest = members.iter().copied().min()?;
        let idle: u64 = members.iter().map(|blocks| blocks - smallest).sum();
        let [smallest, idle] = [smallest, idle].map(|blocks| Bytes(blocks.saturating_mul(SECTOR_BYTES)));
        (idle > Bytes(0)).then(|| {
            let words = format!(
                "its members aren't equally large: of each as much is used as the smallest has, {smallest}, and {idle} lie idle"
            );
            ("on", words)
        })
    }

    /// Without a controller it is the host that makes it.
    fn stands(&self) -> Stands {
        if self.parameters.controller.is_none() { Stands::OfHost } else { Stands::Below }
    }

    /// A stripe, where there is more than one unit of data in it: RAID 1 has none (raid1.c).
    fn optimal_request(&self, members: usize) -> Option<u64> {
        let layout = self.parameters.layout(members).ok().filter(|layout| layout.columns() > 1);
        layout.map(|layout| layout.stripe().saturating_mul(SECTOR_BYTES))
    }

    fn passes_discards(&self) -> bool {
        self.parameters.passes_discards()
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        let smallest = self.data_members(members).iter().copied().min().unwrap_or(0);
        self.parameters.layout_on(members.len(), smallest).map_or(0, |layout| layout.blocks(smallest))
    }

    fn hardware(&self, _: usize) -> Option<(u64, &'static str)> {
        self.parameters.controller.as_ref().map(|_| (1, "RAID controller"))
    }

    fn levers(&self, path: &str) -> Vec<Lever> {
        self.parameters.levers(path)
    }

    fn keeps_writes(&self) -> bool {
        let cache = self.parameters.controller.as_ref().and_then(|controller| controller.cache.as_ref());
        cache.is_some_and(|cache| cache.battery)
    }

    fn words(&self, members: usize) -> Option<String> {
        let RaidParameters { level, spares, stripe_width, .. } = &self.parameters;
        let width = stripe_width.map_or(String::new(), |width| format!(" in stripes of {width}"));
        let spares = match spares {
            0 => String::new(),
            1 => " and a spare".to_owned(),
            spares => format!(" and {spares} spares"),
        };
        let members = self.parameters.members(members);
        let cache = self.parameters.controller.as_ref().and_then(|controller| controller.cache.as_ref());
        let cache = cache.map_or(String::new(), |cache| {
            let battery = if cache.battery { "with" } else { "without" };
            format!(", {} of cache {battery} battery", cache.size)
        });
        let by = self.named.name.as_ref().map_or(String::new(), |name| format!("{name}: "));
        let log = match &self.parameters.journal {
            Some(JournalParameters { mode: JournalMode::WriteThrough }) => ", a journal beside it",
            Some(JournalParameters { mode: JournalMode::WriteBack }) => ", a journal before it",
            None if self.parameters.partial_parity_log => ", a log of partial parity",
            None => "",
        };
        Some(format!("{by}RAID {level} of {members}{width}{spares}{cache}{log}"))
    }

    fn files_on(&self, files: &FileLayout, member: usize, members: usize) -> FileLayout {
        let layout = self.parameters.layout(members).ok().filter(|layout| member < layout.members());
        let Some(layout) = layout else { return FileLayout::default() };
        files.moved(|first, end| layout.part(first, end, member))
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let ports = RaidPorts {
            requests: ports.requests,
            completions: ports.completions,
            members: ports.members.iter().map(|member| (member.requests, member.completions)).collect(),
            blocks: self.data_members(&ports.members).iter().map(|member| member.blocks).min().unwrap_or(0),
            journal_blocks: ports.members.last().map_or(0, |member| member.blocks),
            rotational: self.data_members(&ports.members).iter().all(|member| member.is_rotational),
            alone: ports.members.iter().all(|member| member.alone),
        };
        let RaidPage { stages, array, cache } =
            raid_page(page, name, &self.parameters, &ports).map_err(|error| error.to_string())?;
        let level = self.parameters.level;
        let failures: Vec<_> = self.parameters.failures.iter().map(|failure| failure.at.time()).collect();
        let array = Some(BuiltArray { level: level.to_string(), array, cache, failures });
        Ok(Built { stages, array, ..Built::default() })
    }
}
