//! What a client has written and the server hasn't promised: kept until a COMMIT of the same instance of the server has been answered, and
//! sent again where that is another (the verifier of RFC 1813, section 4.11; `nfs_commit_release_pages`, fs/nfs/write.c).

use super::message::Call;
use petrio_colours::FileId;
use petrio_persist::Persist;
use std::collections::BTreeMap;

/// WRITEs that were answered and aren't durable, with the instance of the server that answered.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Unstable(BTreeMap<FileId, Vec<(Call, u32)>>);

impl Unstable {
    /// A WRITE has been answered by an instance of the server.
    pub(super) fn written(&mut self, call: Call, instance: u32) {
        self.0.entry(call.file).or_default().push((call, instance));
    }

    /// A COMMIT of a file has been answered by an instance: what it doesn't hold for. The rest is durable.
    pub(super) fn committed(&mut self, file: FileId, instance: u32) -> Vec<Call> {
        let written = self.0.remove(&file).unwrap_or_default();
        written.into_iter().filter(|&(_, by)| by != instance).map(|(call, _)| call).collect()
    }

    /// Nobody wants a file any more.
    pub(super) fn forget(&mut self, file: FileId) {
        self.0.remove(&file);
    }
}
