//! A sign of life on long work, where somebody watches.

use indicatif::{ProgressBar, ProgressStyle};
use petrio_kernel::Progress;
use std::time::Duration;

/// Shows how far a run has come. Nothing appears within the first second, or where standard error is no terminal.
pub(crate) struct RunProgress {
    bar: ProgressBar,
    shown: bool,
    began: std::time::Instant,
}

impl RunProgress {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::hidden();
        Self { bar, shown: false, began: std::time::Instant::now() }
    }

    pub(crate) fn update(&mut self, progress: Progress) {
        if !self.shown && self.began.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            self.bar = ProgressBar::new_spinner();
            if let Ok(style) =
                ProgressStyle::with_template("{spinner} {pos} requests, {msg} of model time ({elapsed})")
            {
                self.bar.set_style(style);
            }
        }
        if self.shown {
            self.bar.set_position(progress.completed);
            self.bar.set_message(progress.now.to_string());
        }
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Counts up to a known number, where somebody watches. Nothing appears within the first second.
pub(crate) struct CountProgress {
    bar: ProgressBar,
    whole: u64,
    what: &'static str,
    shown: bool,
    began: std::time::Instant,
}

impl CountProgress {
    /// Of so many; of none, it only counts.
    pub(crate) fn new(whole: u64, what: &'static str) -> Self {
        Self { bar: ProgressBar::hidden(), whole, what, shown: false, began: std::time::Instant::now() }
    }

    pub(crate) fn update(&mut self, done: u64) {
        if !self.shown && self.began.elapsed() > Duration::from_secs(1) {
            self.shown = true;
            let (bar, template) = match self.whole {
                0 => (ProgressBar::new_spinner(), "{spinner} {human_pos} {msg} ({elapsed})"),
                whole => {
                    (ProgressBar::new(whole), "{wide_bar} {human_pos} of {human_len} {msg} ({eta} left)")
                }
            };
            self.bar = bar;
            if let Ok(style) = ProgressStyle::with_template(template) {
                self.bar.set_style(style);
            }
            self.bar.set_message(self.what);
        }
        self.bar.set_position(done);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar of this template, which ticks by itself; its length comes with what is told.
pub(crate) fn bar(template: &str) -> ProgressBar {
    let bar = ProgressBar::no_length();
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}
