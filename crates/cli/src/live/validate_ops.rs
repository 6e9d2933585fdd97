//! `petrio validate ops`

use crate::failure::Failure;
use crate::judged::{conclude, exit_codes};
use crate::output::{print, print_json, talk};
use crate::table::table;
use clap::{Args, ValueEnum};
use petrio_files::inputs::Inputs;
use petrio_models::host::file_system::JournalMode;
use petrio_units::{Bytes, Duration};
use petrio_validation::nfs::{NfsRow, judge_nfs};
use petrio_validation::operations::{GroupRow, OperationRow, judge_folder};
use petrio_validation::ops::{ComparedOperation, OpsDisk, OpsFamily, OpsValidation, validate_ops, word};
use petrio_validation::orangefs::{Beside, MessagesRow, judge_messages};
use std::path::{Path, PathBuf};

/// What `petrio validate ops` is asked
#[derive(Args)]
#[command(after_help = concat!("\
Each sequence of requests must be the real kernel's. Of NFS (--type nfs --dir DIR), each RPC of an operation must be sent as often as the
real client's median in rpcs.csv says, or as often as one of its repetitions did, and be as long within 10 % or 100 B, in nine of ten
operations. That table's columns: config, version, mount_options, other_condition, operation, rpc, count_min, count_median, count_max,
reps, bytes_sent_median, bytes_received_median; others aren't looked at. Of PVFS 2 (--type orangefs --dir DIR), each operation's messages
must be those of messages.csv, in number and order, and as long within 10 % or 100 B; its columns: config, op, servers, msgs_up,
msgs_down, bmi_bytes_up, bmi_bytes_down, s2s_segs, s2s_bytes, structure.\n\n", exit_codes!()))]
pub(crate) struct ValidateOps {
    /// Only this journal mode; all three otherwise (XFS has but one)
    #[arg(long, value_enum, value_name = "MODE")]
    journal: Option<Mode>,
    /// The file system
    #[arg(long = "type", value_enum, value_name = "TYPE", default_value = "ext3")]
    family: Type,
    /// Size of the volume; 64 MiB, or 512 MiB of XFS
    #[arg(long, value_name = "SIZE")]
    size: Option<Bytes>,
    /// Size of its journal; XFS has the one that mkfs.xfs makes
    #[arg(long, value_name = "SIZE", default_value = "16 MiB")]
    journal_size: Bytes,
    /// How long the disk takes for each request
    #[arg(long, value_name = "TIME", default_value = "5 ms")]
    each: Duration,
    /// A drive of the catalogue instead, by its name: with its arm, its platters and its cache
    #[arg(long, value_name = "NAME", conflicts_with = "each")]
    drive: Option<String>,
    /// The kernel that is predicted, by its name in the catalogue
    #[arg(long, value_name = "NAME", default_value = "linux-6.18")]
    kernel: String,
    /// The machine that it runs on, by its name in the catalogue
    #[arg(long, value_name = "NAME", default_value = "epyc-9005-2vcpu")]
    machine: String,
    /// How often each operation is carried out on the real kernel; 0 leaves that out
    #[arg(long, value_name = "NUMBER", default_value_t = 5)]
    repetitions: u32,
    /// Judge the tables of this folder (ops.csv, extents.csv, group.csv; rpcs.csv of nfs; messages.csv of orangefs) instead, of ext4, xfs,
    /// nfs or orangefs: nothing is measured here
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// Print the rows as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Mode {
    Ordered,
    #[value(alias = "writeback")]
    WriteBack,
    Journal,
}

#[derive(Clone, Copy, ValueEnum)]
enum Type {
    Ext3,
    Ext4,
    Xfs,
    Nfs,
    Orangefs,
}

impl ValidateOps {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if let Some(dir) = &self.dir {
            return match self.family {
                Type::Nfs => self.judge_rpcs(dir),
                Type::Orangefs => self.judge_messages(dir),
                Type::Ext3 => self.judge(dir, "ext3"),
                Type::Ext4 => self.judge(dir, "ext4"),
                Type::Xfs => self.judge(dir, "xfs"),
            };
        }
        let family = match self.family {
            Type::Ext3 => OpsFamily::Ext3,
            Type::Ext4 => OpsFamily::Ext4,
            Type::Xfs => OpsFamily::Xfs,
            Type::Nfs => return Err(needs_tables("NFS", "rpcs.csv")),
            Type::Orangefs => return Err(needs_tables("OrangeFS", "messages.csv")),
        };
        let journals = match self.journal {
            Some(Mode::Ordered) => vec![JournalMode::Ordered],
            Some(Mode::WriteBack) => vec![JournalMode::WriteBack],
            Some(Mode::Journal) => vec![JournalMode::Journal],
            None => OpsValidation::default().journals,
        };
        let question = OpsValidation {
            family,
            journals,
            size: self.size.unwrap_or(family.usual_size()),
            journal_size: self.journal_size,
            kernel: self.kernel.clone(),
            machine: self.machine.clone(),
            disk: self.drive.clone().map_or(OpsDisk::Constant(self.each), OpsDisk::Drive),
            repetitions: self.repetitions,
        };
        let mut last = String::new();
        let found = validate_ops(&question, |what| {
            let phase = what.split(' ').next().unwrap_or_default();
            if phase != last {
                phase.clone_into(&mut last);
                talk(&format!("{phase} …"));
            }
        })
        .map_err(|error| Failure::new(error, None))?;
        if let Some(reason) = &found.not_measured {
            talk(&format!("note: nothing was measured on this machine: {reason}"));
        }
        let judged = found.judged();
        let help = "is the kernel that --kernel names the one that runs here? uname -r tells";
        if self.json {
            print_json(&found.rows)?;
            return conclude(&judged, true, help);
        }
        let cells: Vec<Vec<String>> = found.rows.iter().map(cells_of).collect();
        print(&table(
            &["operation", "journal", "predicted requests", "ms", "measured requests", "ms", "agree"],
            &cells,
        ))?;
        let measured = found.rows.iter().filter_map(|row| row.measured.as_ref());
        let (agree, all) =
            measured.fold((0, 0), |(agree, all), row| (agree + u32::from(row.agrees), all + 1));
        if all > 0 {
            print(&format!("{agree} of {all} sequences of requests are those of the real kernel\n"))?;
        }
        conclude(&judged, false, help)
    }

    /// What a folder's table says of NFS, played.
    fn judge_rpcs(&self, dir: &Path) -> Result<(), Failure> {
        let found = judge_nfs(&Inputs::here(), dir).map_err(|error| Failure::new(error, None))?;
        let judged = found.judged();
        let help = "petrio validate ops --type nfs --dir DIR --json tells each operation's RPCs";
        if self.json {
            print_json(&found)?;
            return conclude(&judged, true, help);
        }
        for row in found.rows.iter().filter(|row| !row.agrees || !row.as_long) {
            print(&differences(row))?;
        }
        print(&by_config(found.by_config()))?;
        for (what, names) in [
            ("operations that aren't known here", &found.unknown),
            ("conditions that aren't known here", &found.unknown_conditions),
            ("left out, for attributes grew old in the middle of them", &found.left_out),
        ] {
            if !names.is_empty() {
                print(&format!("{what}: {}\n", names.join(", ")))?;
            }
        }
        conclude(&judged, false, help)
    }

    /// What a folder's table says of PVFS 2, played.
    fn judge_messages(&self, dir: &Path) -> Result<(), Failure> {
        let found = judge_messages(&Inputs::here(), dir).map_err(|error| Failure::new(error, None))?;
        let judged = found.judged();
        let help = "petrio validate ops --type orangefs --dir DIR --json tells each operation's messages";
        if self.json {
            print_json(&found)?;
            return conclude(&judged, true, help);
        }
        for row in found.rows.iter().filter(|row| !row.agrees || !row.as_long) {
            print(&message_differences(row))?;
        }
        print(&by_config(found.by_config()))?;
        if !found.unknown.is_empty() {
            print(&format!("operations that aren't known here: {}\n", found.unknown.join(", ")))?;
        }
        conclude(&judged, false, help)
    }

    /// What a folder's tables say, played.
    fn judge(&self, dir: &Path, fs: &str) -> Result<(), Failure> {
        let found = judge_folder((&Inputs::here(), dir), fs, |what| talk(&format!("{what} …")))
            .map_err(|error| Failure::new(error, None))?;
        let judged = found.judged();
        let help = "petrio validate ops --dir DIR --json tells each operation's sequences";
        if self.json {
            print_json(&found)?;
            return conclude(&judged, true, help);
        }
        for row in found.rows.iter().filter(|row| !row.agrees) {
            let OperationRow { operation, size_mib, cache, mount, predicted, measured, share, .. } = row;
            print(&format!(
                "{operation} ({size_mib} MiB, {cache}, {mount})\n  petrio    {predicted}\n  measured  {measured} ({:.0} %)\n",
                share * 100.0
            ))?;
        }
        if !found.extents.is_empty() {
            let as_measured = found.extents.iter().filter(|row| row.differs.is_none()).count();
            print(&format!("{as_measured} of {} extent maps are those measured\n", found.extents.len()))?;
        }
        if !found.groups.is_empty() {
            let headings =
                ["operation", "cache", "threads", "requests measured", "petrio", "a second", "petrio"];
            print(&table(&headings, &found.groups.iter().map(group_cells).collect::<Vec<_>>()))?;
        }
        if !found.unknown.is_empty() {
            print(&format!("not played: {}\n", found.unknown.join(", ")))?;
        }
        if !found.scattered.is_empty() {
            print(&format!("no sequence of a quarter: {}\n", found.scattered.join(", ")))?;
        }
        let agree = found.rows.iter().filter(|row| row.agrees).count();
        print(&format!("{agree} of {} operations send what was measured\n", found.rows.len()))?;
        conclude(&judged, false, help)
    }
}

/// How many operations are as counted, of how many, in each configuration.
fn by_config(configs: Vec<(String, usize, usize)>) -> String {
    let cells =
        configs.into_iter().map(|(config, agree, all)| vec![config, agree.to_string(), all.to_string()]);
    table(&["configuration", "as counted", "operations"], &cells.collect::<Vec<_>>())
}

/// What is judged by tables alone.
fn needs_tables(what: &str, table: &str) -> Failure {
    let help = format!("name a folder with {table}: --dir DIR");
    Failure::new(format!("{what} is judged by measured tables, and none are named"), Some(help))
}

/// Where an operation's messages aren't those counted.
fn message_differences(row: &MessagesRow) -> String {
    let MessagesRow { config, operation, predicted, measured, .. } = row;
    let mut text = format!("{operation} ({config})\n  petrio    {predicted}\n  measured  {measured}\n");
    let bytes = [("of the client", Some(row.bytes_up)), ("to it", Some(row.bytes_down))];
    let between =
        [("between servers", row.bytes_between_servers), ("messages between servers", row.between_servers)];
    for (what, Beside { predicted, measured }) in
        bytes.into_iter().chain(between).filter_map(|(what, beside)| beside.map(|beside| (what, beside)))
    {
        if predicted != measured {
            text += &format!("  {what}: {predicted} predicted, {measured} counted\n");
        }
    }
    text
}

/// Where an operation's RPCs aren't those counted.
fn differences(row: &NfsRow) -> String {
    let NfsRow { config, operation, order, rpcs, .. } = row;
    let mut text = format!("{operation} ({config})\n  petrio    {order}\n");
    for rpc in rpcs {
        let (least, median, most) = rpc.measured;
        if !rpc.agrees() {
            let name = &rpc.rpc;
            text += &format!("  {name}: {} predicted, {median} counted ({least} to {most})\n", rpc.predicted);
        }
        for (way, bytes) in [("call", rpc.sent), ("reply", rpc.received)] {
            if let Some((predicted, measured)) = bytes.filter(|_| !rpc.is_as_long()) {
                text += &format!(
                    "  {}: a {way} of {predicted:.0} B predicted, {measured:.0} B counted\n",
                    rpc.rpc
                );
            }
        }
    }
    text
}

fn group_cells(row: &GroupRow) -> Vec<String> {
    let (least, most) = row.measured_requests;
    vec![
        row.operation.clone(),
        row.cache.clone(),
        row.threads.to_string(),
        format!("{least:.3} to {most:.3}"),
        format!("{:.3}", row.requests),
        format!("{:.1}", row.expected_per_second),
        format!("{:.1}", row.per_second),
    ]
}

fn cells_of(row: &ComparedOperation) -> Vec<String> {
    let measured = row.measured.as_ref();
    vec![
        row.operation.to_owned(),
        word(row.journal).to_owned(),
        row.requests.clone(),
        format!("{:.1}", row.time_ms),
        measured.map_or("–".to_owned(), |found| found.requests.clone()),
        measured.map_or("–".to_owned(), |found| format!("{:.1}", found.time_ms)),
        measured.map_or("–", |found| if found.agrees { "yes" } else { "no" }).to_owned(),
    ]
}
