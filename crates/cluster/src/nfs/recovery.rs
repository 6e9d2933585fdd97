//! What a client of version 4 had of a server that has been started anew, and how it gets it back: it says who it is, opens again what it had
//! open, and says that this was all (RFC 7530, section 9.6.2; RFC 8881, section 8.4.2).

use super::message::{Call, RECORD_MARK};
use petrio_colours::FileId;
use petrio_host::nfs::{NameLengths, Procedure, Version, call_lengths};
use petrio_persist::Persist;
use std::collections::{BTreeMap, VecDeque};

/// What a client has open, and which calls it still has to make to get that back.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Recovery {
    opened: BTreeMap<FileId, u32>,
    steps: VecDeque<(Procedure, FileId)>,
    is_under_way: bool,
}

impl Recovery {
    /// A call has been answered that may have opened or closed a file.
    pub(super) fn note(&mut self, call: &Call) {
        match call.procedure {
            Procedure::Open | Procedure::OpenByHandle | Procedure::Create => {
                *self.opened.entry(call.file).or_default() += 1;
            }
            Procedure::Close => {
                if let Some(count) = self.opened.get_mut(&call.file) {
                    *count -= 1;
                    if *count == 0 {
                        self.opened.remove(&call.file);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether the client waits for what it had.
    pub(super) const fn is_under_way(&self) -> bool {
        self.is_under_way
    }

    /// The server knows nothing of the client.
    pub(super) fn begin(&mut self, version: Version) {
        let (who, all): ([Procedure; 2], _) = match version.has_sessions() {
            true => ([Procedure::ExchangeId, Procedure::CreateSession], Some(Procedure::ReclaimComplete)),
            false => ([Procedure::SetClientId, Procedure::SetClientIdConfirm], None),
        };
        let by_name = if version.has_sessions() { Procedure::OpenByHandle } else { Procedure::Open };
        let opened = self.opened.keys().map(|&file| (by_name, file));
        let rest = all.map(|procedure| (procedure, FileId::ROOT));
        self.steps =
            who.map(|procedure| (procedure, FileId::ROOT)).into_iter().chain(opened).chain(rest).collect();
        self.is_under_way = true;
    }

    /// The next call, and bytes of its message; none where all is back.
    pub(super) fn next(&mut self, version: Version) -> Option<(Call, u64)> {
        let Some((procedure, file)) = self.steps.pop_front() else {
            self.is_under_way = false;
            return None;
        };
        let (sent, received) = call_lengths(version, procedure, NameLengths::default(), 0);
        Some((Call { answer: RECORD_MARK + received, reclaims: true, ..Call::about(procedure, file) }, sent))
    }
}
