//! A job's options as they are taken, and what is left of them.

use super::ini::{Entry, Section};
use super::values::{size, time};
use super::{FioError, FioRemark};
use petrio_time::Time;

/// Options that change what is written about a run, or how fio does its own work, and nothing of the load.
const WITHOUT_EFFECT: &[&str] = &[
    "group_reporting",
    "new_group",
    "name",
    "description",
    "directory",
    "filename_format",
    "thread",
    "randrepeat",
    "allrandrepeat",
    "randseed",
    "refill_buffers",
    "zero_buffers",
    "scramble_buffers",
    "buffer_pattern",
    "buffer_compress_percentage",
    "dedupe_percentage",
    "fallocate",
    "create_serialize",
    "create_fsync",
    "create_on_open",
    "unlink",
    "write_bw_log",
    "write_lat_log",
    "write_iops_log",
    "write_hist_log",
    "log_avg_msec",
    "log_hist_msec",
    "per_job_logs",
    "disable_lat",
    "disable_clat",
    "disable_slat",
    "disable_bw_measurement",
    "gtod_reduce",
    "clat_percentiles",
    "lat_percentiles",
    "percentile_list",
    "unified_rw_reporting",
    "exitall",
    "exitall_on_error",
    "loops_logged",
    "norandommap_fallback",
    "kb_base",
    "unit_base",
    "significant_figures",
];

/// The options of a job; what is taken is gone from them.
pub(super) struct Options {
    entries: Vec<Entry>,
    /// The section's line, for what stands nowhere.
    pub(super) line: u32,
    kb_base: u64,
}

impl Options {
    pub(super) fn of(section: Section) -> Self {
        let kb_base = section.entries.iter().find(|entry| entry.key == "kb_base");
        let kb_base = kb_base.and_then(|entry| entry.value.parse().ok()).unwrap_or(1024);
        Self { entries: section.entries, line: section.line, kb_base }
    }

    /// An option by any of its names.
    pub(super) fn take(&mut self, names: &[&str]) -> Option<Entry> {
        let mut found = None;
        self.entries.retain(|entry| {
            let is_it = names.contains(&entry.key.as_str());
            if is_it {
                found = Some(entry.clone());
            }
            !is_it
        });
        found
    }

    /// A switch: it stands alone, or with 0 or 1.
    pub(super) fn switch(&mut self, name: &str) -> Result<Option<(bool, u32)>, FioError> {
        let Some(entry) = self.take(&[name]) else { return Ok(None) };
        match entry.value.as_str() {
            "" | "1" | "true" | "yes" => Ok(Some((true, entry.line))),
            "0" | "false" | "no" => Ok(Some((false, entry.line))),
            other => {
                let problem = format!("\"{other}\" is neither 0 nor 1, which {name} takes");
                Err(FioError::at(entry.line, problem))
            }
        }
    }

    pub(super) fn number(&mut self, names: &[&str]) -> Result<Option<(u64, u32)>, FioError> {
        self.read(names, "a whole number", |text| text.parse().ok())
    }

    pub(super) fn size(&mut self, names: &[&str]) -> Result<Option<(u64, u32)>, FioError> {
        let base = self.kb_base;
        self.read(names, "a size such as 64k or 1g", |text| size(text, base))
    }

    pub(super) fn time(&mut self, names: &[&str], bare: u64) -> Result<Option<(Time, u32)>, FioError> {
        self.read(names, "a time such as 30s", |text| time(text, bare))
    }

    pub(super) fn kb_base(&self) -> u64 {
        self.kb_base
    }

    fn read<T>(
        &mut self,
        names: &[&str],
        what: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<(T, u32)>, FioError> {
        let Some(Entry { key, value, line }) = self.take(names) else { return Ok(None) };
        match read(&value) {
            Some(read) => Ok(Some((read, line))),
            None => Err(FioError::at(line, format!("{key}={value}: {what} is needed here"))),
        }
    }

    /// What nobody has taken, as remarks.
    pub(super) fn finish(self, remarks: &mut Vec<FioRemark>) {
        for Entry { key, value, line } in self.entries {
            let is_plain = WITHOUT_EFFECT.contains(&key.as_str()) || key == "invalidate" && value != "0";
            if !is_plain {
                let text = format!("{key} is not taken");
                remarks.push(FioRemark { line, text });
            }
        }
    }
}
