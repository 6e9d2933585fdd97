//! The names of the formats.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The formats of traces that petrio reads: of requests to devices, and of calls on files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FormatName {
    /// petrio's own columns with units in their names.
    Petrio,
    /// DiskSim's ASCII format: arrival in ms, device, block, length, flags in hexadecimal (1 = read).
    DisksimAscii,
    /// Requests measured one at a time on a real drive: `R|W`, buffer action, block, length, access µs, idle µs.
    Measured,
    /// `CloudPhysics` CSV: version, time in s, SCSI opcode, bytes, block.
    CloudphysicsCsv,
    /// VMware SCSI trace, binary: records of 32 bytes (version 1) or 40 bytes (version 2).
    Vscsi,
    /// MQSim and SSDsim: arrival in ns, device, block, length, 1 = read or 0 = write.
    Mqsim,
    /// Storage Performance Council: unit, block, bytes, `R|W`, time in s.
    Spc,
    /// MSR Cambridge CSV: Windows file time, host, disk, `Read|Write`, offset, bytes, response in 100 ns.
    Msr,
    /// The text that `blkparse` prints.
    Blkparse,
    /// Block events as `perf script`, `trace-cmd report` or the kernel's `trace` file print them.
    TraceEvents,
    /// petrio's own trace file of calls and requests: Parquet, a row an event.
    Native,
    /// Calls on files as strace prints them: best by `-f -y -ttt -T`; with `-tt`, `-r` or no times, too.
    Strace,
    /// What `blktrace` records, binary.
    Blktrace,
    /// libCacheSim's `oracleGeneral`: records of 24 bytes, all of them reads.
    OracleGeneral,
    /// HP Labs' SRT traces, binary, versions 1 to 4.
    HpSrt,
    /// fio's I/O logs, versions 2 and 3.
    FioIolog,
    /// Darshan's extended traces, as `darshan-dxt-parser` prints them.
    DarshanDxt,
    /// Requests without arrival times: iozone's offset files, or columns such as `offset_bytes,length_bytes,operation`.
    Requests,
    /// petrio's own columns of events, as comma-separated values.
    EventsCsv,
    /// Alibaba Cloud's block traces: device, `R|W`, offset, bytes, µs since 1970.
    Alibaba,
    /// Tencent's cloud block storage: s since 1970, block, blocks, 0 = read or 1 = write, volume.
    Tencent,
    /// Florida International University: ns, process, name, block, blocks, `R|W`, major, minor, hash.
    Fiu,
    /// A virtual desktop (SYSTOR '17): s since 1970, response in s, `R|W`, unit, offset, bytes.
    Systor,
    /// Google's storage servers (Thesios, 2024): a table of reads and writes of files.
    Thesios,
    /// What bcc's `biosnoop` prints.
    Biosnoop,
    /// Disk events as Windows' xperf prints them: Microsoft's production servers, and any `.etl`.
    Etw,
    /// Calls as `perf trace` prints them.
    PerfTrace,
}

impl FormatName {
    /// Every format.
    pub const ALL: [Self; 27] = [
        Self::Petrio,
        Self::DisksimAscii,
        Self::Measured,
        Self::CloudphysicsCsv,
        Self::Vscsi,
        Self::Mqsim,
        Self::Spc,
        Self::Msr,
        Self::Blkparse,
        Self::TraceEvents,
        Self::Native,
        Self::Strace,
        Self::Blktrace,
        Self::OracleGeneral,
        Self::HpSrt,
        Self::FioIolog,
        Self::DarshanDxt,
        Self::Requests,
        Self::EventsCsv,
        Self::Alibaba,
        Self::Tencent,
        Self::Fiu,
        Self::Systor,
        Self::Thesios,
        Self::Biosnoop,
        Self::Etw,
        Self::PerfTrace,
    ];

    /// The word that names it in a scenario.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Petrio => "petrio",
            Self::DisksimAscii => "disksim-ascii",
            Self::Measured => "measured",
            Self::CloudphysicsCsv => "cloudphysics-csv",
            Self::Vscsi => "vscsi",
            Self::Mqsim => "mqsim",
            Self::Spc => "spc",
            Self::Msr => "msr",
            Self::Blkparse => "blkparse",
            Self::TraceEvents => "trace-events",
            Self::Native => "native",
            Self::Strace => "strace",
            Self::Blktrace => "blktrace",
            Self::OracleGeneral => "oracle-general",
            Self::HpSrt => "hp-srt",
            Self::FioIolog => "fio-iolog",
            Self::DarshanDxt => "darshan-dxt",
            Self::Requests => "requests",
            Self::EventsCsv => "events-csv",
            Self::Alibaba => "alibaba",
            Self::Tencent => "tencent",
            Self::Fiu => "fiu",
            Self::Systor => "systor",
            Self::Thesios => "thesios",
            Self::Biosnoop => "biosnoop",
            Self::Etw => "etw",
            Self::PerfTrace => "perf-trace",
        }
    }

    /// Whether its records name the process or initiator that asked.
    pub const fn tells_processes(self) -> bool {
        matches!(
            self,
            Self::Petrio
                | Self::Msr
                | Self::Blkparse
                | Self::TraceEvents
                | Self::Native
                | Self::Blktrace
                | Self::Fiu
                | Self::Biosnoop
                | Self::Etw
        )
    }
}

impl fmt::Display for FormatName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn names_in_a_scenario_are_the_names_in_messages() {
        for name in FormatName::ALL {
            assert_eq!(serde_json::to_string(&name).unwrap(), format!("\"{name}\""));
        }
    }
}
