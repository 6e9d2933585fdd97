//! `kind = "files"`: a pattern of accesses to files.

use super::kind::{FilePattern, Intensity, Planned};
use super::longer::{count, count32, longer_count};
use super::reading::Reading;
use petrio_files::inputs::Inputs;
use petrio_units::Bytes;
use petrio_workload::PausesDrawn;
use petrio_workload::program::pattern::{Access, Durability, FileOrder, FsyncCall, Interface, Pattern};
use petrio_workload::program::{PatternParameters, Placement, ProgramError};

impl FilePattern for PatternParameters {
    fn check(&self) -> Result<(), ProgramError> {
        self.validate()
    }

    fn plan(&self, placement: &Placement, _: &Reading, _: &Inputs) -> Planned {
        Ok(Box::new(Self::plan(self, placement)?))
    }

    fn largest(&self) -> Option<(u64, &'static str)> {
        // Files that all processes go through are there once.
        Some((self.file_size.get().saturating_mul(self.all_files()), "file_size"))
    }

    fn words(&self) -> String {
        in_words(self)
    }

    fn intensity(&self) -> Option<Intensity> {
        Some(Intensity::whole("processes", self.processes, "process"))
    }

    /// More accesses where they are counted; else more files of the same size, whose data are new to every cache.
    fn lengthen(&mut self, times: f64) -> bool {
        if self.operations.is_some() || self.amount.is_some() {
            longer_count(&mut self.operations, times);
            self.amount = self.amount.map(|amount| Bytes(count(amount.get(), times)));
        } else if self.operation == Access::Read || self.pattern == Pattern::Same {
            self.passes = count32(self.passes, times);
        } else {
            self.files = count32(self.files, times);
        }
        true
    }

    fn draw_pauses(&mut self) -> bool {
        PausesDrawn::draw_pauses(self)
    }

    fn is_synchronous(&self) -> bool {
        self.sync || self.data_sync
    }

    fn is_warmed(&self) -> bool {
        self.cached || self.warm_up_pass
    }

    fn reads_again(&self) -> bool {
        let at_random = self.pattern == Pattern::Random || self.file_order == FileOrder::Random;
        self.operation == Access::Read && at_random && !self.direct
    }

    fn would_be_gathered(&self, call: Bytes) -> bool {
        let in_order = self.pattern == Pattern::Sequential && self.record < call;
        in_order && !self.direct && !self.sync && !self.data_sync
    }
}

/// "random rewrite, 8 KiB records, file of 512 MiB, O_SYNC".
fn in_words(parameters: &PatternParameters) -> String {
    let order = match parameters.pattern {
        Pattern::Sequential => "sequential",
        Pattern::Random => "random",
        Pattern::Reverse => "reverse",
        Pattern::Strided => "strided",
        Pattern::Same => "same-record",
    };
    let access = match parameters.operation {
        Access::Read => "read".to_owned(),
        Access::Write => "write".to_owned(),
        Access::Rewrite => "overwrite".to_owned(),
        Access::Mixed => match parameters.read_share {
            Some(share) if parameters.share_by_process => format!("mix with {share} readers"),
            Some(share) => format!("mix with {share} reads"),
            None => "mix".to_owned(),
        },
    };
    let size = parameters.file_size;
    let mut words = vec![format!("{order} {access}"), format!("{} records", parameters.record)];
    let turns = match parameters.file_order {
        FileOrder::OneAfterAnother => "",
        FileOrder::RoundRobin => " in turn",
        FileOrder::Random => " in no order",
    };
    words.push(match parameters.all_files() {
        1 => format!("a file of {size}"),
        files => format!("{files} files of {size}{turns}"),
    });
    if parameters.processes > 1 {
        words.push(format!("{} processes", parameters.processes));
    }
    for (flag, word) in [
        (parameters.direct, "O_DIRECT"),
        (parameters.sync, "O_SYNC"),
        (parameters.data_sync, "O_DSYNC"),
        (parameters.append, "O_APPEND"),
        (parameters.interface == Interface::Mapped, "mapped"),
        (parameters.shared_files, "shared"),
        (parameters.cached, "cached"),
    ] {
        if flag {
            words.push(word.to_owned());
        }
    }
    let call = match parameters.fsync_call {
        FsyncCall::Fsync => "fsync",
        FsyncCall::Fdatasync => "fdatasync",
        FsyncCall::Msync => "msync",
    };
    match parameters.fsync {
        Durability::Never => {}
        Durability::AtEnd => words.push(format!("{call} at the end")),
        Durability::Every(1) => words.push(format!("{call} after each write")),
        Durability::Every(writes) => words.push(format!("{call} after every {writes} writes")),
    }
    words.join(", ")
}
