//! A capture that goes on for days: its process is watched by another, and started anew when it crashes.
//!
//! As Ivy's was (§3.2): half a minute after a crash a new one begins, with the next numbered file, and a log keeps all
//! such events. A capture that can't work on this machine isn't tried again.

use crate::recorder::CaptureError;
use crate::recorder::interrupt::{is_ending, while_running};
use petrio_files::shown;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Between a crash and the next start (Ivy §3.2).
pub const RESTART_AFTER: Duration = Duration::from_secs(30);

/// How often the watched process is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// A log beside a trace: lines of time and text.
#[derive(Clone, Debug)]
pub struct Log(PathBuf);

impl Log {
    /// "trace.parquet" has "trace.log".
    pub fn beside(trace: &Path) -> Self {
        Self(trace.with_extension("log"))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Opens it, for this user alone; a link isn't followed, and another user's file isn't written to.
    fn open(&self) -> io::Result<File> {
        let follow_nothing = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600).custom_flags(follow_nothing.bits().cast_signed());
        let file = options.open(&self.0)?;
        let there = file.metadata()?;
        if !there.is_file() || there.uid() != rustix::process::geteuid().as_raw() || there.nlink() != 1 {
            return Err(io::Error::other("it is no file of this user's own"));
        }
        // One from before may have been everybody's.
        file.set_permissions(Permissions::from_mode(there.mode() & 0o700))?;
        Ok(file)
    }

    /// Looks whether it can be written, before a capture of days begins.
    ///
    /// # Errors
    /// It is a link, somebody else's, or can't be made.
    pub fn check(&self) -> Result<(), CaptureError> {
        let failed = |source: io::Error| {
            let log = shown::path(&self.0);
            CaptureError::Setting {
                message: format!("the log beside the trace, {log}, can't be written: {source}"),
            }
        };
        self.open().map(drop).map_err(failed)
    }

    /// Adds a line. A log that can't be written stops no capture.
    pub fn say(&self, text: &str) {
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        if let Ok(mut file) = self.open() {
            let _ = writeln!(file, "{} {text}", utc(seconds));
        }
    }
}

/// Seconds since 1970 as a date and time of day, in UTC.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days to a date of the Gregorian calendar in eras of 400 years (Hinnant, "chrono-compatible low-level date
    // algorithms").
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hours, minutes, seconds) = (rest / 3_600, rest / 60 % 60, rest % 60);
    format!("{year}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}Z")
}

/// Runs `program` (this program with arguments that make it capture) until it ends by itself, until `time` is over, or
/// until this process is told to end; starts it anew after a crash. `arguments` gets the time that is left.
///
/// # Errors
/// It can't be started at all, or says by its exit code 2 that it can't work here.
pub fn supervise(
    program: &Path,
    arguments: impl Fn(Option<Duration>) -> Vec<std::ffi::OsString>,
    time: Option<Duration>,
    restart_after: Duration,
    log: &Log,
) -> Result<u32, CaptureError> {
    while_running(|| {
        let began = Instant::now();
        let mut restarts = 0;
        loop {
            let left = time.map(|time| time.saturating_sub(began.elapsed()));
            let ended = watch(program, &arguments(left))?;
            if ended.success() {
                log.say("ended");
                return Ok(restarts);
            }
            if ended.code() == Some(2) {
                log.say("can't work here");
                let message = "the capture can't work here (see above)".to_owned();
                return Err(CaptureError::Setting { message });
            }
            let how = match (ended.code(), ended.signal()) {
                (Some(code), _) => format!("with exit code {code}"),
                (_, Some(signal)) => format!("by signal {signal}"),
                _ => "somehow".to_owned(),
            };
            if is_ending() || time.is_some_and(|time| began.elapsed() + restart_after >= time) {
                log.say(&format!("ended {how}"));
                return Ok(restarts);
            }
            log.say(&format!("crashed {how}; starts again in {} s", restart_after.as_secs()));
            let resume = Instant::now() + restart_after;
            while Instant::now() < resume && !is_ending() {
                std::thread::sleep(LOOK);
            }
            restarts += 1;
            log.say("started again");
        }
    })
}

/// Runs it once, and passes on that it is to end.
fn watch(program: &Path, arguments: &[std::ffi::OsString]) -> Result<ExitStatus, CaptureError> {
    let failed = |source| CaptureError::Command { program: program.to_string_lossy().into_owned(), source };
    // In a process group of its own, so that the terminal's signal reaches it once, from here.
    let mut child = Command::new(program).args(arguments).process_group(0).spawn().map_err(failed)?;
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            return Ok(status);
        }
        if is_ending() && !is_told {
            is_told = true;
            if let Some(process) = rustix::process::Pid::from_raw(child.id().cast_signed()) {
                let _ = rustix::process::kill_process(process, rustix::process::Signal::TERM);
            }
        }
        std::thread::sleep(LOOK);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn the_log_beside_a_trace_follows_no_link_and_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::beside(&folder.path().join("trace.parquet"));
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "as it was").unwrap();
        std::os::unix::fs::symlink(&victim, log.path()).unwrap();
        assert!(log.check().unwrap_err().to_string().contains("can't be written"));
        log.say("written");
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "as it was");
        std::fs::remove_file(log.path()).unwrap();
        std::fs::hard_link(&victim, log.path()).unwrap();
        assert!(log.check().is_err());
        std::fs::remove_file(log.path()).unwrap();
        log.check().unwrap();
        log.say("written");
        assert_eq!(std::fs::metadata(log.path()).unwrap().mode() & 0o777, 0o600);
        assert!(std::fs::read_to_string(log.path()).unwrap().ends_with("written\n"));
    }

    #[test]
    fn what_crashes_starts_again_and_what_cannot_work_does_not() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::beside(&folder.path().join("trace.parquet"));
        let mark = folder.path().join("mark").to_string_lossy().into_owned();
        // Killed the first time, content the second.
        let script = format!("if [ -e {mark} ]; then exit 0; fi; touch {mark}; kill -9 $$");
        let run = |script: &str| {
            let script = script.to_owned();
            let arguments = move |_| vec!["-c".into(), script.clone().into()];
            supervise(Path::new("/bin/sh"), arguments, None, Duration::from_millis(10), &log)
        };
        assert_eq!(run(&script).unwrap(), 1);
        assert!(run("exit 2").is_err());
        let text = std::fs::read_to_string(log.path()).unwrap();
        assert!(text.contains("crashed by signal 9"), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
    }
}
