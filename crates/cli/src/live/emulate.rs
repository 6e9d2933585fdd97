//! `petrio emulate`

use super::emulated_end::{End, Ending};
use super::emulated_guest::GuestArguments;
use super::emulated_told::{conclude, described, told_of};
use crate::failure::Failure;
use crate::output::{print, print_json, talk};
use crate::outputs::{Outputs, cannot_write, is_own_trace};
use crate::results::say_written;
use clap::{ArgGroup, Args, ValueEnum};
use petrio_capture::launch;
use petrio_emulate::faults::{FaultProfile, PowerCut};
use petrio_emulate::nbd::NbdServer;
use petrio_emulate::{DeviceSpec, EmulateError, Emulator, Handle, Medium, Options, Tolerance};
use petrio_files::inputs::Inputs;
use petrio_files::shown;
use petrio_files::temporary::TemporaryFolder;
use petrio_files::whole_file::WholeFile;
use petrio_live::emulation::guest::Kit;
use petrio_live::emulation::{DeviceFiles, FileSystemKind, MountedDevice, medium_with, users_of};
use petrio_live::rig::RigError;
use petrio_scenario::{EmulatedParts, Loaded, Override, load_faults, load_parts};
use petrio_trace::native::{About, EventWriter};
use petrio_units::{Bytes, Duration, Fraction};
use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGUSR1, SIGUSR2};
use signal_hook::iterator::{Handle as Signalled, Signals};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Make the simulated device or array a real one: programs, file systems and kernels work on it, and wait as long as it says
///
/// Each request comes back when the model's clock says so, which is the wall's. How late each came back is told at the end, and a run whose
/// requests were too late is marked invalid. A scenario needs no workload for this; it may have one.
///
/// With a command behind --, it runs that and ends with it; otherwise it goes on until Ctrl-C, or --until. SIGUSR1 cuts the devices'
/// power, SIGUSR2 brings it back.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
#[command(group = ArgGroup::new("as").required(true).multiple(true).args(["nbd", "file", "mount", "kernel"]))]
pub(crate) struct Emulate {
    /// The scenario file
    #[arg(value_name = "SCENARIO", value_parser = crate::streams::input)]
    scenario: PathBuf,
    /// Change a value of the scenario, such as disk.d.model=NAME; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    overrides: Vec<Override>,
    /// Where random numbers begin, instead of the scenario's seed
    #[arg(long, value_name = "NUMBER")]
    seed: Option<u64>,
    /// Which part, by its name; all for each disk; may be repeated. Left out where one part lies on all others
    #[arg(long, value_name = "NAME")]
    device: Vec<String>,
    /// Serve it to clients of the Network Block Device protocol, on a Unix socket
    #[arg(long, value_name = "SOCKET")]
    nbd: Option<PathBuf>,
    /// Show it as a file of this empty directory, under its name (FUSE; without root by fusermount3)
    #[arg(long, value_name = "DIR")]
    file: Option<PathBuf>,
    /// Mount a real file system on it, on this empty directory (needs root)
    #[arg(long, value_name = "DIR", requires = "file_system")]
    mount: Option<PathBuf>,
    /// Which file system; it is made anew unless --keep
    #[arg(long = "type", value_enum, value_name = "TYPE", id = "file_system")]
    file_system: Option<Type>,
    /// How large the file system is that is made; 8 GiB where the device has more
    #[arg(long, value_name = "SIZE", requires = "mount")]
    size: Option<Bytes>,
    /// Mount options, such as data=journal
    #[arg(short, value_name = "OPTIONS", id = "mount_options", requires = "mount")]
    options: Option<String>,
    /// Mount the file system that is on the image, instead of making one
    #[arg(long, requires = "mount", requires = "image")]
    keep: bool,
    /// Where what is written stays: a file, made if it isn't there; of several devices NAME=FILE, repeated. Left out, it is in memory
    /// and goes at the end
    #[arg(long, value_name = "FILE")]
    image: Vec<String>,
    /// How it misbehaves on purpose: a profile (petrio schema faults)
    #[arg(long, value_name = "FILE", value_parser = crate::streams::input)]
    faults: Option<PathBuf>,
    /// Cut its power at this time, beside what the profile says: what no flush had made durable is lost
    #[arg(long, value_name = "TIME")]
    cut_after: Option<Duration>,
    /// Write a row for each request as Parquet: when it came, when it was to come back and when it did
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    log: Option<PathBuf>,
    /// Write each request as a trace, for petrio trace or another scenario to replay
    #[arg(long, value_name = "FILE", value_parser = crate::streams::output)]
    trace: Option<PathBuf>,
    /// How late a request may come back, as a part of the time that it was to take (100 us are always allowed)
    #[arg(long, value_name = "PART", default_value = "5 %")]
    tolerance: Fraction,
    /// Which share of the requests is to be within that
    #[arg(long, value_name = "PART", default_value = "99 %")]
    on_time: Fraction,
    /// End after this time
    #[arg(long, value_name = "TIME")]
    until: Option<Duration>,
    /// Print how it went as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    guest: GuestArguments,
    /// A command to run on it; $PETRIO_NBD, $PETRIO_FILE and $PETRIO_MOUNT tell it where it is
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

const EXAMPLES: &str = "\
Examples:
  petrio emulate examples/emulated-disk.toml --nbd disk.sock
  petrio emulate examples/emulated-disk.toml --nbd disk.sock -- fio --name=j --ioengine=nbd --uri='nbd+unix:///?socket=disk.sock' --rw=randread --runtime=5 --time_based
  petrio emulate examples/emulated-disk.toml --file mnt --until '10 s'
  petrio emulate examples/emulated-disk.toml --mount mnt --type ext3 -o data=journal -- cp -r src mnt
  petrio emulate examples/emulated-disk.toml --nbd disk.sock --image disk.img --faults examples/faults/lying-disk.toml
  petrio emulate examples/emulated-disk.toml --mount mnt --type ext3 --image disk.img --cut-after '12 s' -- my-test mnt
  petrio emulate examples/emulated-disk.toml --kernel --module ext4 -- sh -c 'mkfs.ext4 -q /dev/vda 1G && mount /dev/vda /mnt && df /mnt'

Exit codes: 0 done and on time, 1 too late or a file that can't be written, 2 bad input; the command's own where that isn't 0.";

/// A file system of a whole disk of today would be long in the making.
const USUAL_SIZE: Bytes = Bytes::from_mib(8 << 10);

#[derive(Clone, Copy, ValueEnum)]
enum Type {
    Ext2,
    Ext3,
    Ext4,
    Xfs,
}

impl From<Type> for FileSystemKind {
    fn from(kind: Type) -> Self {
        match kind {
            Type::Ext2 => Self::Ext2,
            Type::Ext3 => Self::Ext3,
            Type::Ext4 => Self::Ext4,
            Type::Xfs => Self::Xfs,
        }
    }
}

impl From<RigError> for Failure {
    fn from(error: RigError) -> Self {
        Self::of(&error)
    }
}

impl From<EmulateError> for Failure {
    fn from(error: EmulateError) -> Self {
        match error {
            EmulateError::Log(error) => error.into(),
            other => Self::of(&other),
        }
    }
}

impl Emulate {
    pub(crate) fn execute(&self) -> Result<(), Failure> {
        let inputs = Inputs::here();
        let mut overrides = self.overrides.clone();
        overrides.extend(self.seed.map(|seed| Override::new("seed", &seed.to_string())));
        let loaded = load_parts(&inputs, &self.scenario, &overrides)?;
        for warning in &loaded.warnings {
            talk(&format!("{:?}", miette::Report::new(warning.clone())));
        }
        let parts = loaded.parts_named(&self.device).map_err(|message| {
            Failure::new(message, Some("name it: --device NAME, or --device all for each disk".to_owned()))
        })?;
        let EmulatedParts { driven, devices, cautions } = loaded.emulated(&parts)?;
        for caution in &cautions {
            talk(&format!("warning: {caution}"));
        }
        if self.mount.is_some() && devices.len() > 1 {
            let help = "name one: --device NAME; --file shows several".to_owned();
            return Err(Failure::new("a file system is mounted on one device alone", Some(help)));
        }
        let options = self.options(&inputs, &loaded, &devices)?;
        let images = self.images(&devices)?;
        let told: Vec<String> = devices.iter().map(|device| described(&loaded, device)).collect();
        let kit = self.guest.kit()?;
        let media = (devices.into_iter().zip(images))
            .map(|(device, image)| Ok((device.clone(), self.medium(&device, image.as_deref())?)))
            .collect::<Result<Vec<_>, Failure>>()?;
        let ending = Ending::begin();
        let emulator = Emulator::start(&driven, media, options)?;
        let signalled = power_by_signals(emulator.handle())?;
        let end = self.serve(&emulator, (&ending, kit), &told);
        signalled.close();
        drop(ending);
        // What can't be written by now is no mistake of whoever asked.
        let outcome = emulator.finish().map_err(|error| match error {
            EmulateError::System { .. } => Failure::Output(error.to_string()),
            other => other.into(),
        })?;
        let end = end?;
        if self.json {
            print_json(&outcome)?;
        } else {
            print(&told_of(&outcome, self.tolerance))?;
        }
        say_written([&self.log, &self.trace].into_iter().flatten());
        conclude(end, &outcome)
    }

    /// How it goes on.
    fn options(&self, inputs: &Inputs, loaded: &Loaded, devices: &[DeviceSpec]) -> Result<Options, Failure> {
        let sizes: Vec<(String, Bytes)> =
            devices.iter().map(|device| (device.name.clone(), Bytes(device.bytes()))).collect();
        let faults = self.faults.as_deref().map(|path| load_faults(inputs, path, &sizes));
        let mut faults: FaultProfile = faults.transpose()?.unwrap_or_default();
        if let Some(at) = self.cut_after {
            faults.cut = Some(PowerCut { at: Some(at), ..faults.cut.unwrap_or_default() });
        }
        is_own_trace(self.trace.as_deref())?;
        Outputs::of([("--log", &self.log), ("--trace", &self.trace)]).check(inputs, [])?;
        let log = self
            .log
            .as_ref()
            .map(|path| WholeFile::create(path, inputs).map_err(|cause| cannot_write(path, cause)));
        let about = About { command: format!("emulated: {}", loaded.scenario.title), ..About::default() };
        let trace = self.trace.as_ref().map(|path| EventWriter::create(path, inputs, &about));
        let tolerance = Tolerance { relative: self.tolerance, share: self.on_time, ..Tolerance::default() };
        let seed = loaded.scenario.seed;
        Ok(Options { faults, seed, tolerance, log: log.transpose()?, trace: trace.transpose()? })
    }

    /// The image of each device, where it has one.
    fn images(&self, devices: &[DeviceSpec]) -> Result<Vec<Option<PathBuf>>, Failure> {
        let mut images = vec![None; devices.len()];
        for word in &self.image {
            let named = word.split_once('=').and_then(|(name, file)| {
                Some((devices.iter().position(|device| device.name == name)?, file))
            });
            let (number, file) = match (named, devices.len()) {
                (Some(named), _) => named,
                (None, 1) => (0, word.as_str()),
                (None, _) => {
                    let help = "write NAME=FILE, such as --image d0=d0.img".to_owned();
                    let message = format!("--image {word}: of which of the {} devices?", devices.len());
                    return Err(Failure::new(message, Some(help)));
                }
            };
            if images[number].replace(PathBuf::from(file)).is_some() {
                let message = format!("\"{}\" has two images", devices[number].name);
                return Err(Failure::new(message, Some("give each device one".to_owned())));
            }
        }
        Ok(images)
    }

    /// What a device lies on, with the file system that is to be on it.
    fn medium(&self, device: &DeviceSpec, image: Option<&Path>) -> Result<Medium, Failure> {
        let size = Bytes(device.bytes());
        if let (Some(kind), false, true) = (self.file_system, self.keep, self.mount.is_some()) {
            let wanted = self.size.or((size > USUAL_SIZE).then_some(USUAL_SIZE));
            if wanted.is_some_and(|wanted| wanted > size) {
                let message = format!("--size is more than the {size} of \"{}\"", device.name);
                return Err(Failure::new(message, Some("leave it out, or make it smaller".to_owned())));
            }
            return medium_with(kind.into(), (size, wanted), image).map_err(|error| Failure::of(&error));
        }
        match image {
            None => Ok(Medium::in_memory()),
            Some(path) => Medium::image(path, size).map_err(|error| Failure::of(&error)),
        }
    }

    /// Serves until it ends; nothing is left mounted then.
    fn serve(
        &self,
        emulator: &Emulator,
        (ending, kit): (&Ending, Option<Kit>),
        told: &[String],
    ) -> Result<End, Failure> {
        let mut places = Vec::new();
        // A guest needs a socket, whether somebody else does or not.
        let own = kit.is_some().then(TemporaryFolder::new).transpose();
        let own = own.map_err(|error| Failure::Output(format!("no folder for a socket: {error}")))?;
        let socket = self.nbd.clone().or_else(|| Some(own.as_ref()?.path().join("nbd")));
        let nbd = socket.as_deref().map(|path| listening(path, emulator)).transpose()?;
        if let Some(path) = &self.nbd {
            places.push(("PETRIO_NBD", absolute(path)));
        }
        let shown = self.show(emulator, &mut places)?;
        for device in told {
            talk(device);
        }
        if !emulator.is_real_time() {
            talk(
                "warning: this user may not be served before other programs (SCHED_FIFO): on a busy machine requests come back late",
            );
        }
        let (mut guest, mut command) = (None, None);
        match (kit, &socket) {
            (Some(kit), Some(socket)) => {
                let devices = emulator.devices();
                guest = Some(self.guest.start(kit, (socket, &devices), &self.command, ending.teller())?);
            }
            _ => command = self.run_command(ending, &places)?,
        }
        let end = ending.wait(self.until.map(wall));
        if let (Some(command), false) = (command, matches!(end, End::Command(_))) {
            // It would keep what is to be unmounted.
            let _ = kill_process(command, Signal::TERM);
            ending.wait(Some(PATIENCE));
        }
        if shown.as_ref().is_some_and(|(_, mounted)| mounted.is_some()) {
            talk("unmounting …");
        }
        // What lies on top first.
        drop(guest);
        if let Some((files, mounted)) = shown {
            if let Some(mounted) = &mounted {
                tell_users(mounted.directory());
            }
            drop(mounted);
            drop(files);
        }
        drop(nbd);
        Ok(end)
    }

    /// Shows the devices as files, and mounts what is to be mounted.
    fn show(&self, emulator: &Emulator, places: &mut Vec<(&str, PathBuf)>) -> Result<Option<Shown>, Failure> {
        let files = match (&self.file, &self.mount) {
            (Some(directory), _) => DeviceFiles::on(directory, emulator.devices())?,
            (None, Some(_)) => DeviceFiles::apart(emulator.devices())?,
            (None, None) => return Ok(None),
        };
        let devices = emulator.devices();
        let Some(first) = devices.first().map(|device| files.file(&device.spec().name)) else {
            return Ok(None);
        };
        places.push(("PETRIO_FILE", first.clone()));
        let (Some(directory), Some(kind)) = (&self.mount, self.file_system) else {
            return Ok(Some((files, None)));
        };
        let mounted = MountedDevice::on(&first, directory, (kind.into(), self.options.as_deref()))?;
        places.push(("PETRIO_MOUNT", mounted.directory().to_owned()));
        Ok(Some((files, Some(mounted))))
    }

    /// Starts the command, if there is one.
    fn run_command(&self, ending: &Ending, places: &[(&str, PathBuf)]) -> Result<Option<Pid>, Failure> {
        let Some((program, arguments)) = self.command.split_first() else {
            if self.until.is_none() {
                talk("until Ctrl-C …");
            }
            return Ok(None);
        };
        // It ends with this process, however that does.
        let mut command = launch::command(program, Signal::TERM);
        command.args(arguments).envs(places.iter().map(|(name, place)| (name, place)));
        let mut child = command.spawn().map_err(|error| {
            let message = format!("{} can't be started: {error}", program.to_string_lossy());
            Failure::new(message, Some("what stands behind -- is a program with its arguments".to_owned()))
        })?;
        let process = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        let tell = ending.teller();
        std::thread::spawn(move || drop(tell.send(End::Command(child.wait()))));
        Ok(process)
    }
}

/// Devices as files, and a file system that is mounted from one.
type Shown = (DeviceFiles, Option<MountedDevice>);

/// How long a command may take to end once it is told.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(2);

/// By the wall clock.
const fn wall(span: Duration) -> std::time::Duration {
    std::time::Duration::from_nanos(span.time().as_picos() / 1_000)
}

/// A server of all devices at a socket.
fn listening(path: &Path, emulator: &Emulator) -> Result<NbdServer, Failure> {
    NbdServer::start(path, emulator.devices()).map_err(|cause| {
        let help = "name a socket in a directory that you may write to".to_owned();
        Failure::new(format!("{} can't be listened at: {cause}", shown::path(path)), Some(help))
    })
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// SIGUSR1 cuts the power, SIGUSR2 brings it back.
fn power_by_signals(handle: Handle) -> Result<Signalled, Failure> {
    let mut signals = Signals::new([SIGUSR1, SIGUSR2])
        .map_err(|error| Failure::Output(format!("signals can't be listened to: {error}")))?;
    let closing = signals.handle();
    std::thread::spawn(move || {
        for signal in signals.forever() {
            match signal {
                SIGUSR1 => handle.cut(),
                _ => handle.bring_back(),
            }
        }
    });
    Ok(closing)
}

/// Says who still uses what is unmounted now.
fn tell_users(directory: &Path) {
    let users = users_of(directory);
    if !users.is_empty() {
        let place = directory.display();
        talk(&format!(
            "{place} is still in use by {}: what they have written is on the device, and they find nothing there any more",
            users.join(", ")
        ));
    }
}
