//! What each format looks like, for lists and for whoever wonders what a file is.

use crate::format_name::FormatName;

impl FormatName {
    /// What it is a trace of, whose it is, and what its records say.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Petrio => "requests, petrio's own table (docs/trace-format.md)",
            Self::DisksimAscii => "requests, DiskSim: ms, device, block, blocks, 1 = read",
            Self::Measured => "requests measured on a drive, one at a time",
            Self::CloudphysicsCsv => "requests, CloudPhysics' table",
            Self::Vscsi => "requests, VMware's SCSI traces (binary)",
            Self::Mqsim => "requests, MQSim and SSDsim: ns, device, block, blocks, 1 = read",
            Self::Spc => "requests, Storage Performance Council (Financial, WebSearch)",
            Self::Msr => "requests, MSR Cambridge",
            Self::Blkparse => "requests, what blkparse prints",
            Self::TraceEvents => "requests, block events of perf script, trace-cmd report, ftrace",
            Self::Native => "calls and requests, petrio's own file (Parquet)",
            Self::Strace => "calls, what strace prints (best -f -y -ttt -T)",
            Self::Blktrace => "requests, what blktrace records (binary)",
            Self::OracleGeneral => "requests, libCacheSim (binary)",
            Self::HpSrt => "requests, HP Labs' SRT (binary)",
            Self::FioIolog => "calls, fio's write_iolog",
            Self::DarshanDxt => "calls, Darshan's extended traces",
            Self::Requests => "accesses without times, iozone's offsets or a table",
            Self::EventsCsv => "calls and requests, petrio's own table",
            Self::Alibaba => "requests, Alibaba Cloud 2020: device, R or W, offset, bytes, us",
            Self::Tencent => "requests, Tencent CBS 2018: s, block, blocks, 0 or 1, volume",
            Self::Fiu => "requests, FIU: ns, process, name, block, blocks, R or W, device",
            Self::Systor => "requests, SYSTOR '17: s, response, R or W, unit, offset, bytes",
            Self::Thesios => "reads and writes of files, Google's storage servers (Thesios)",
            Self::Biosnoop => "requests, what bcc's biosnoop prints",
            Self::Etw => "requests, Windows' xperf (Microsoft's production servers, SNIA)",
            Self::PerfTrace => "calls, what perf trace prints",
        }
    }

    /// A line of it; `None` where it is binary.
    pub const fn example(self) -> Option<&'static str> {
        Some(match self {
            Self::Petrio => "time_us,operation,address_blocks,length_blocks",
            Self::DisksimAscii => "13.191135 30 0 5 1",
            Self::Measured => "R Hit 11392096 12 1686.0 40961.0",
            Self::CloudphysicsCsv => "1,5633898,2a,512,42932745",
            Self::Mqsim => "938513000 4 264719034 16 0",
            Self::Spc => "0,20941264,8192,W,0.551706",
            Self::Msr => "128166372003061629,hm,1,Read,383496192,32768,113736",
            Self::Blkparse => "8,0  3  1  0.000000000  697  Q  W 223490 + 8 [kjournald]",
            Self::TraceEvents => "dd 10700 [001] 2123.07: block:block_rq_issue: 8,0 WS 4096 () 5428 + 8 [dd]",
            Self::Strace => "7 1795223276.000500 pread64(3</x/a>, \"\"..., 4096, 0) = 4096 <0.000020>",
            Self::FioIolog => "fio version 3 iolog",
            Self::DarshanDxt => "# DXT, file_id: 77, file_name: /data/one",
            Self::Requests => "offset_bytes,length_bytes,operation",
            Self::EventsCsv => "time_ps,kind,process,path,offset,length",
            Self::Alibaba => "419,W,8792731648,16384,1577808144360767",
            Self::Tencent => "1538323199,105352008,584,1,1576",
            Self::Fiu => "0 4892 syslogd 904265560 8 W 6 0 531e779c",
            Self::Systor => "1456095145.133076000,0.000806000,R,0,8990561280,131072",
            Self::Thesios => "filename,application,file_offset,c_time,…,op_type,…,start_time,…",
            Self::Etw => {
                "DiskRead, 8612, xperf.exe (3984), 11844, 0xffffe288b23f1b20, 0x018f0b8000, 0x00001000, 283, 0"
            }
            Self::PerfTrace => {
                "0.021 ( 0.004 ms): cat/1834 pread64(fd: 3</x/a>, buf: 0x7ffe, count: 832, pos: 64) = 832"
            }
            Self::Biosnoop => "0.000004  supervise  1950  xvda1  W  13092560  4096  0.74",
            Self::Vscsi | Self::Native | Self::Blktrace | Self::OracleGeneral | Self::HpSrt => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::{EventReader, TraceOptions};

    #[test]
    fn a_line_that_is_shown_of_a_format_is_told_to_be_of_it() {
        // Of the others the line is one of several that it takes, or could be of two.
        let whole = [
            FormatName::CloudphysicsCsv,
            FormatName::Spc,
            FormatName::Msr,
            FormatName::Blkparse,
            FormatName::Strace,
            FormatName::FioIolog,
            FormatName::Alibaba,
            FormatName::Tencent,
            FormatName::Fiu,
            FormatName::Systor,
            FormatName::Biosnoop,
            FormatName::Etw,
            FormatName::PerfTrace,
        ];
        for format in whole {
            let line = format!("{}\n", format.example().unwrap()).into_bytes();
            let reader =
                EventReader::from_reader("shown", std::io::Cursor::new(line), &TraceOptions::default())
                    .unwrap();
            assert_eq!(reader.format(), format);
        }
    }
}
