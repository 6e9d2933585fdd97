//! MPI-IO's hints: how ROMIO is told what to do.

use crate::program::ProgramError;
use petrio_units::Bytes;
use petrio_units::numbers::as_number;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What MPI-IO is told of how to read and write (MPI_Info; ROMIO's names and, left out, its defaults).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Hints {
    /// Ranks that read and write for all in collective access. Left out: as many as `aggregators_per_host` gives on all hosts
    /// together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cb_nodes: Option<u32>,
    /// Such ranks on each host (`cb_config_list`: 1 is "*:1", ROMIO's default).
    pub aggregators_per_host: u32,
    /// Bytes that each of them reads or writes at a time.
    pub cb_buffer_size: Bytes,
    /// Collective reads through aggregators: automatic where the ranks' pieces lie among each other.
    pub romio_cb_read: Switch,
    /// Collective writes through aggregators: automatic where the ranks' pieces lie among each other.
    pub romio_cb_write: Switch,
    /// Reads of many pieces by one rank as reads of all between them; automatic does.
    pub romio_ds_read: Switch,
    /// Writes of many pieces by one rank as reads and writes of all between them; automatic does.
    pub romio_ds_write: Switch,
    /// Bytes of such a read.
    pub ind_rd_buffer_size: Bytes,
    /// Bytes of such a write.
    pub ind_wr_buffer_size: Bytes,
    /// Aggregators' parts of a file begin at multiples of this. Left out, they don't.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub striping_unit: Option<Bytes>,
}

/// Whether something is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Switch {
    /// Where it is thought to pay.
    #[default]
    Automatic,
    /// Always.
    Enable,
    /// Never.
    Disable,
}

impl Default for Hints {
    /// ROMIO's (adio/include/adioi.h: ADIOI_CB_BUFFER_SIZE_DFLT, ADIOI_IND_RD_BUFFER_SIZE_DFLT, ADIOI_IND_WR_BUFFER_SIZE_DFLT).
    fn default() -> Self {
        Self {
            cb_nodes: None,
            aggregators_per_host: 1,
            cb_buffer_size: Bytes::from_mib(16),
            romio_cb_read: Switch::Automatic,
            romio_cb_write: Switch::Automatic,
            romio_ds_read: Switch::Automatic,
            romio_ds_write: Switch::Automatic,
            ind_rd_buffer_size: Bytes::from_mib(4),
            ind_wr_buffer_size: Bytes::from_kib(512),
            striping_unit: None,
        }
    }
}

impl Hints {
    /// # Errors
    /// A hint that MPI-IO would not take.
    pub(in crate::parallel) fn validate(&self) -> Result<(), ProgramError> {
        let sizes = [
            ("cb_nodes", self.cb_nodes.unwrap_or(1).into()),
            ("aggregators_per_host", self.aggregators_per_host.into()),
            ("cb_buffer_size", self.cb_buffer_size.get()),
            ("ind_rd_buffer_size", self.ind_rd_buffer_size.get()),
            ("ind_wr_buffer_size", self.ind_wr_buffer_size.get()),
            ("striping_unit", self.striping_unit.map_or(1, Bytes::get)),
        ];
        match sizes.into_iter().find(|&(_, size)| size == 0) {
            Some((hint, _)) => Err(ProgramError::parameter(hint, "it is zero")),
            None => Ok(()),
        }
    }

    /// The ranks that read and write for all: of each host the first so many, up to `cb_nodes`, by hosts in order of their
    /// first rank (ROMIO: cb_config_list.c, which takes one of each host before a second of any).
    pub(in crate::parallel) fn aggregators(&self, hosts: &[u32]) -> Vec<u32> {
        let mut order: Vec<u32> = Vec::new();
        let mut members: std::collections::BTreeMap<u32, Vec<u32>> = std::collections::BTreeMap::new();
        for (rank, &host) in hosts.iter().enumerate() {
            let ranks = members.entry(host).or_default();
            if ranks.is_empty() {
                order.push(host);
            }
            if ranks.len() < self.aggregators_per_host as usize {
                ranks.push(as_number(rank));
            }
        }
        let layer = |depth: usize| {
            let members = &members;
            order.iter().filter_map(move |host| members.get(host)?.get(depth).copied())
        };
        let most = members.values().map(Vec::len).max().unwrap_or(0);
        let all = (0..most).flat_map(layer);
        all.take(self.cb_nodes.map_or(usize::MAX, |nodes| nodes as usize)).collect()
    }
}
