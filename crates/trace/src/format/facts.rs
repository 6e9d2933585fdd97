//! The table of formats.

use super::parser::{Facts, Parser};
use super::{
    alibaba, biosnoop, blkparse, blktrace, cloudphysics_csv, darshan_dxt, disksim_ascii, etw, events_csv,
    fio_iolog, fiu, hp_srt, measured, mqsim, msr, native, oracle_general, petrio, requests, spc, strace,
    systor, tencent, thesios, trace_events, vscsi,
};
use crate::format_name::FormatName;

impl FormatName {
    /// Whether it is a trace of calls on files and of nothing else, which no device can be asked for.
    pub const fn is_of_calls(self) -> bool {
        matches!(self.facts().parser, Parser::File(_))
    }

    pub(crate) const fn facts(self) -> &'static Facts {
        match self {
            Self::Petrio => &petrio::FACTS,
            Self::DisksimAscii => &disksim_ascii::FACTS,
            Self::Measured => &measured::FACTS,
            Self::CloudphysicsCsv => &cloudphysics_csv::FACTS,
            Self::Vscsi => &vscsi::FACTS,
            Self::Mqsim => &mqsim::FACTS,
            Self::Spc => &spc::FACTS,
            Self::Msr => &msr::FACTS,
            Self::Blkparse => &blkparse::FACTS,
            Self::TraceEvents => &trace_events::FACTS,
            Self::Native => &native::FACTS,
            Self::Strace => &strace::FACTS,
            Self::Blktrace => &blktrace::FACTS,
            Self::OracleGeneral => &oracle_general::FACTS,
            Self::HpSrt => &hp_srt::FACTS,
            Self::FioIolog => &fio_iolog::FACTS,
            Self::DarshanDxt => &darshan_dxt::FACTS,
            Self::Requests => &requests::FACTS,
            Self::EventsCsv => &events_csv::FACTS,
            Self::Alibaba => &alibaba::FACTS,
            Self::Tencent => &tencent::FACTS,
            Self::Fiu => &fiu::FACTS,
            Self::Systor => &systor::FACTS,
            Self::Thesios => &thesios::FACTS,
            Self::Biosnoop => &biosnoop::FACTS,
            Self::Etw => &etw::FACTS,
            Self::PerfTrace => &strace::PERF_TRACE_FACTS,
        }
    }
}
