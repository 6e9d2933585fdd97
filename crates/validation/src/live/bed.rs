//! A part of a scenario as a real device, served by a petrio of its own: whoever measures on it may wait for it.

use petrio_capture::launch::{self, Signal};
use petrio_files::temporary::TemporaryFolder;
use petrio_kernel::Time;
use petrio_trace::{TraceError, TraceOptions, TraceReader};
use rustix::process::{Pid, kill_process};
use serde::Deserialize;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use thiserror::Error;

/// How long the server may take to begin.
const PATIENCE: Duration = Duration::from_secs(60);

/// Why there is no device.
#[derive(Debug, Error)]
pub enum BedError {
    /// Nothing here can start itself as the server.
    #[error("petrio can't start itself here")]
    NoProgram,
    /// The system refuses.
    #[error("{what}: {cause}")]
    System {
        /// What was tried.
        what: &'static str,
        /// Why it can't be.
        cause: io::Error,
    },
    /// The server ended, and said this.
    #[error("the emulated device: {0}")]
    Server(String),
}

fn system(what: &'static str) -> impl FnOnce(io::Error) -> BedError {
    move |cause| BedError::System { what, cause }
}

/// How an emulation went, as `petrio emulate --json` says it.
#[derive(Clone, Debug, Deserialize)]
pub struct Emulated {
    /// Requests that came back.
    pub requests: u64,
    /// Those of them that were late.
    pub late: u64,
    /// How late they came back: the median.
    pub late_median_us: f64,
    /// Whether enough were on time.
    pub valid: bool,
    /// How long they were to take, at the mean.
    pub mean_target_us: f64,
    /// How long they took.
    pub mean_actual_us: f64,
}

/// A request as an emulated device had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Served {
    /// When it came, from the beginning of the emulation.
    pub arrived: Time,
    /// Until it had been answered.
    pub took: Time,
    /// Its first block of 512 bytes.
    pub address: u64,
}

/// A device that is emulated; it ends when this is dropped.
#[derive(Debug)]
pub struct Bed {
    server: Child,
    file: PathBuf,
    image: PathBuf,
    told: PathBuf,
    trace: PathBuf,
    _folder: TemporaryFolder,
}

impl Bed {
    /// The part `device` of a scenario, on an image in memory that `prepare` may fill before.
    ///
    /// # Errors
    /// As of [`BedError`], or what `prepare` fails with.
    pub fn start(
        scenario: &str,
        device: (&str, u64),
        prepare: impl FnOnce(&Path) -> io::Result<()>,
    ) -> Result<Self, BedError> {
        let program = launch::program().ok_or(BedError::NoProgram)?;
        let folder = TemporaryFolder::new_in(Path::new("/dev/shm")).map_err(system("a folder in memory"))?;
        let place = |name: &str| folder.path().join(name);
        let (text, image, files) = (place("emulated.toml"), place("image"), place("files"));
        let (told, errors, trace) = (place("told"), place("errors"), place("trace.parquet"));
        let (name, size) = device;
        fs::write(&text, scenario).map_err(system("the scenario"))?;
        fs::create_dir(&files).map_err(system("a folder for the device"))?;
        let made = File::create(&image).and_then(|image| image.set_len(size));
        made.and_then(|()| prepare(&image)).map_err(system("the image"))?;
        let output = |path: &Path| File::create(path).map_err(system("the server's output"));
        let mut command = launch::command(program, Signal::TERM);
        command.args(["emulate".as_ref(), text.as_os_str(), "--device".as_ref(), name.as_ref()]);
        command.args(["--image".as_ref(), image.as_os_str(), "--file".as_ref(), files.as_os_str()]);
        command
            .args(["--json".as_ref(), "--trace".as_ref(), trace.as_os_str()])
            .stdin(Stdio::null())
            .stdout(output(&told)?)
            .stderr(output(&errors)?);
        let server = command.spawn().map_err(system("start the server"))?;
        let mut bed = Self { server, file: files.join(name), image, told, trace, _folder: folder };
        let begin = Instant::now();
        while !bed.file.exists() {
            let ended = bed.server.try_wait().map_err(system("the server"))?.is_some();
            if ended || begin.elapsed() > PATIENCE {
                return Err(BedError::Server(fs::read_to_string(&errors).unwrap_or_default()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(bed)
    }

    /// The device, as a file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// What is on its medium, as a file.
    pub fn image(&self) -> &Path {
        &self.image
    }

    fn signal(&self, signal: Signal) {
        if let Some(process) = i32::try_from(self.server.id()).ok().and_then(Pid::from_raw) {
            let _ = kill_process(process, signal);
        }
    }

    /// Cuts its power, and waits until everything that is asked of it fails.
    pub fn cut(&self) {
        self.signal(Signal::USR1);
        let begin = Instant::now();
        let asks = || File::open(&self.file).and_then(|mut file| file.read(&mut [0; 4_096]));
        while asks().is_ok() && begin.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Ends, and says how it went; what is mounted from it must be unmounted before.
    ///
    /// # Errors
    /// [`BedError::Server`].
    pub fn end(mut self) -> Result<Emulated, BedError> {
        self.ended()
    }

    /// The same, and what it was asked for, in the order in which that came back.
    ///
    /// # Errors
    /// [`BedError::Server`], a trace that can't be read.
    pub fn end_with_requests(mut self) -> Result<(Emulated, Vec<Served>), BedError> {
        let emulated = self.ended()?;
        let unreadable = |error: TraceError| BedError::Server(error.to_string());
        let mut served = Vec::new();
        for record in TraceReader::open(&self.trace, &TraceOptions::default()).map_err(unreadable)? {
            let record = record.map_err(unreadable)?;
            served.push(Served {
                arrived: record.time,
                took: record.measured.unwrap_or_default(),
                address: record.address,
            });
        }
        Ok((emulated, served))
    }

    fn ended(&mut self) -> Result<Emulated, BedError> {
        self.signal(Signal::TERM);
        self.server.wait().map_err(system("wait for the server"))?;
        let told = fs::read_to_string(&self.told).unwrap_or_default();
        serde_json::from_str(&told).map_err(|error| BedError::Server(format!("{error}: {told}")))
    }
}

impl Drop for Bed {
    fn drop(&mut self) {
        if let Ok(None) = self.server.try_wait() {
            self.signal(Signal::TERM);
            let _ = self.server.wait();
        }
    }
}
