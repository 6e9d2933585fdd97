//! `[concat.NAME]`: several disks (or other parts that hold blocks) as one, each after the other.

use super::{Built, Holder, HolderPorts, Objection, Over, Stands};
use crate::schema::Names;
use crate::text::deserialise::read as read_table;
use crate::text::tree::Table;
use crate::text::{Problem, Sources};
use petrio_kernel::PageBuilder;
use petrio_models::block::concat::{ConcatPorts, concat_page};
use petrio_models::cluster::replication::FileLayout;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Several disks (or other parts that hold blocks) as one: the second begins where the first ends. They may have different
/// sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Concat {
    /// The members, in order.
    pub on: Names,
}

/// Reads a concatenation.
pub(super) fn read(table: &Table<'_>, sources: &Sources) -> Result<Concat, Vec<Problem>> {
    read_table(table, sources)
}

impl Holder for Concat {
    fn over(&self) -> Over<'_> {
        Over::Several(&self.on)
    }

    fn check(&self, members: usize) -> Vec<Objection> {
        let alone = Objection {
            key: "on",
            message: "a concatenation of one disk is that disk".to_owned(),
            help: Some("name two or more, or leave the concatenation out".to_owned()),
        };
        if members == 1 { vec![alone] } else { Vec::new() }
    }

    fn stands(&self) -> Stands {
        Stands::OfHost
    }

    fn passes_discards(&self) -> bool {
        true
    }

    fn blocks(&self, members: &[u64]) -> u64 {
        members.iter().fold(0, |sum, blocks| sum.saturating_add(*blocks))
    }

    fn words(&self, members: usize) -> Option<String> {
        Some(format!("a concatenation of {members}"))
    }

    /// Where they lie isn't known before the members' sizes are: below, no file is known.
    fn files_on(&self, _: &FileLayout, _: usize, _: usize) -> FileLayout {
        FileLayout::default()
    }

    fn build(&self, page: &mut PageBuilder<'_>, name: &str, ports: &HolderPorts) -> Result<Built, String> {
        let ports = ConcatPorts {
            requests: ports.requests,
            completions: ports.completions,
            members: (ports.members.iter())
                .map(|member| (member.blocks, member.requests, member.completions))
                .collect(),
        };
        Ok(Built { stages: concat_page(page, name, &ports), ..Built::default() })
    }
}
