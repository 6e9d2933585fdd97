//! `petrio trace characterise`

use super::summary::summary;
use crate::failure::Failure;
use crate::output::print;
use crate::results::Results;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use petrio_files::inputs::Inputs;
use petrio_study::characterise::{Question, characterise_file, write_html, write_json};
use petrio_trace::TraceOptions;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Say what a trace is like: sizes, lifetimes, sequentiality, think times, working set, LRU miss ratio and more
#[derive(Args)]
pub(crate) struct Characterise {
    /// The trace, in any format that petrio reads, compressed or not
    #[arg(value_name = "FILE", value_parser = crate::streams::input)]
    trace: PathBuf,
    #[command(flatten)]
    results: Results,
    /// Characterise only what one device was asked for, by its number, or major and minor number such as 8,16
    #[arg(long, value_name = "DEVICE")]
    only_device: Option<String>,
    /// Hours that local time was ahead of UTC where the trace was made, for its hours of the day
    #[arg(long, value_name = "HOURS", default_value_t = 0.0, allow_negative_numbers = true)]
    utc_offset: f64,
    /// Don't print the summary
    #[arg(long, short)]
    quiet: bool,
}

const SECONDS_AN_HOUR: f64 = 3_600.0;
/// No place on earth is further from UTC.
const UTC_OFFSET_MAX: f64 = 14.0;

impl Characterise {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        if !(-UTC_OFFSET_MAX..=UTC_OFFSET_MAX).contains(&self.utc_offset) {
            let message = format!("--utc-offset {} is no difference of a time zone", self.utc_offset);
            return Err(Failure::new(message, Some("give hours from -14 to 14, such as 5.5".to_owned())));
        }
        let inputs = Inputs::here();
        self.results.check(&inputs, &[&self.trace])?;
        #[expect(clippy::cast_possible_truncation, reason = "a day has few seconds")]
        let question = Question {
            options: TraceOptions { only_device: self.only_device.clone(), ..TraceOptions::default() },
            utc_offset_s: (self.utc_offset * SECONDS_AN_HOUR) as i64,
        };
        let mut progress = Progress::new();
        let found = characterise_file(&inputs, &self.trace, &question, |events| progress.update(events));
        progress.bar.finish_and_clear();
        let found = found?;
        if let Some(path) = &self.results.json {
            write_json(&found, path, &inputs)?;
        }
        if let Some(path) = &self.results.html {
            write_html(&found, path, &inputs)?;
        }
        if !self.quiet && !self.results.to_output() {
            print(&summary(&found))?;
        }
        self.results.say_written();
        Ok(())
    }
}

/// A sign of life after the first second.
struct Progress {
    bar: ProgressBar,
    began: Instant,
    shown: bool,
}

impl Progress {
    fn new() -> Self {
        Self { bar: ProgressBar::hidden(), began: Instant::now(), shown: false }
    }

    fn update(&mut self, events: u64) {
        if !self.shown && self.began.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar = ProgressBar::new_spinner();
            if let Ok(style) = ProgressStyle::with_template("{spinner} {human_pos} events ({elapsed})") {
                self.bar.set_style(style);
            }
        }
        self.bar.set_position(events);
    }
}
