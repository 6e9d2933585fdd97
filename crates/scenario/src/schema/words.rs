//! A pattern of file accesses in a few words, for the head of a report.

use petrio_workload::program::PatternParameters;
use petrio_workload::program::pattern::{Access, Durability, FileOrder, FsyncCall, Interface, Pattern};

/// "random rewrite, 8 KiB records, file of 512 MiB, O_SYNC".
pub(super) fn pattern(parameters: &PatternParameters) -> String {
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
