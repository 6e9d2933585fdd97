//! A host with one file system on a device that takes 5 ms for everything, and a list of what reaches it.

use crate::file_system::{Family, FileSystemParameters, JournalMode, Volume};
use crate::kernel_profile::KernelParameters;
use crate::machine::MachineParameters;
use crate::xfs::XfsParameters;
use crate::{
    Format, HostError, HostParameters, LaidOut, LayoutOf, LogDevice, Mount, PreparedFile, host_page,
};
use petrio_block::queue::{QueueParameters, queue_page};
use petrio_block::scheduler::SchedulerParameters;
use petrio_colours::{BlockRequest, Direction, Failure, FileId, FileOp, Operation, Status};
use petrio_device::DeviceFeatures;
use petrio_device::constant_rate::{ConstantRateParameters, constant_rate_page};
use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, Time};
use std::ops::Range;

const KERNEL: &str = include_str!("../../../../../catalogue/kernels/linux-6.18.toml");
const MACHINE: &str = include_str!("../../../../../catalogue/machines/epyc-9005-2vcpu.toml");

pub(super) struct Rig {
    run: Simulation,
    operations: Place<FileOp>,
    completions: Place<FileOp>,
    down: Place<BlockRequest>,
    log_down: Place<BlockRequest>,
    journal: Range<u64>,
    next: u64,
    seen: usize,
    seen_in_log: usize,
}

pub(super) fn host() -> HostParameters {
    host_with(KERNEL)
}

/// A host with another kernel, by its file in the catalogue.
pub(super) fn host_with(kernel: &str) -> HostParameters {
    let machine: MachineParameters = toml::from_str(MACHINE).unwrap();
    let kernel: KernelParameters = toml::from_str(kernel).unwrap();
    HostParameters {
        machine,
        kernel,
        memory: None,
        dirty_background: None,
        dirty_limit: None,
        anonymous: None,
        swap: None,
        swappiness: 60,
    }
}

/// A file of the test directory.
pub(super) fn file(number: u32, size: u64, cached: bool) -> PreparedFile {
    PreparedFile { file: FileId(number), parent: DIRECTORY, directory: false, size, cached }
}

pub(super) const DIRECTORY: FileId = FileId(1);

/// What the device can't do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Broken {
    Nothing,
    /// Reads of anything but the log.
    Reads,
    /// Writes of anything but the log.
    Writes,
    /// Writes of the log.
    Log,
}

impl Broken {
    fn breaks(self, request: &BlockRequest, journal: &Range<u64>) -> bool {
        let logs = journal.contains(&request.address);
        match self {
            Self::Nothing => false,
            Self::Reads => request.direction == Direction::Read && !logs,
            Self::Writes => request.direction == Direction::Write && !logs,
            Self::Log => request.direction == Direction::Write && logs,
        }
    }
}

/// A file system of so many blocks of 4 KiB with these files in the test directory, mounted.
pub(super) fn mount(
    (format, blocks): (&Format, u64),
    host: &HostParameters,
    files: &[PreparedFile],
    [requests, completions]: [Place<BlockRequest>; 2],
) -> Mount {
    let directory =
        PreparedFile { file: DIRECTORY, parent: FileId::ROOT, directory: true, size: 0, cached: true };
    let watch = petrio_kernel::Watch::default();
    let of = LayoutOf::new((host, true), "fs", format, blocks * 8, 1);
    let laid_out = LaidOut::new(of, &watch, |tell| -> Result<(), HostError> {
        [&[directory], files].concat().into_iter().for_each(tell);
        Ok(())
    });
    Mount {
        watch,
        name: "fs".to_owned(),
        position: 0,
        largest_request: 1 << 20,
        read_ahead: host.kernel.read_ahead.max,
        queue_requests: None,
        dirty_limit: None,
        believed_rate: None,
        takes_discards: false,
        laid_out: std::sync::Arc::new(laid_out.unwrap()),
        requests,
        completions,
        log: None,
    }
}

/// Carries an operation out, which gets this number; how it came back.
pub(super) fn ends(
    run: &mut Simulation,
    number: u64,
    op: &FileOp,
    (operations, completions): (Place<FileOp>, Place<FileOp>),
) -> FileOp {
    let now = run.now();
    let op = FileOp { id: petrio_colours::RequestId(number), issued: now, ..op.clone() };
    run.inject(operations, op, now).unwrap();
    for _ in 0..10_000_000 {
        run.run_firings(1).unwrap();
        let done = run.drain(completions).next();
        if let Some(done) = done {
            run.check_conservation().unwrap();
            return done;
        }
    }
    panic!("the operation doesn't come back");
}

impl Rig {
    pub(super) fn new(
        family: Family,
        journal: JournalMode,
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        Self::with(Broken::Nothing, (family, journal), host, files)
    }

    /// On a file system with further parameters.
    pub(super) fn on(
        parameters: FileSystemParameters,
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        Self::made(Broken::Nothing, parameters, host, files)
    }

    /// Behind a queue of this scheduler, which takes the device for a disk without a queue of its own.
    pub(super) fn scheduled(
        scheduler: &str,
        (family, journal): (Family, JournalMode),
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        let parameters = FileSystemParameters { journal: journal.into(), ..FileSystemParameters::of(family) };
        Self::behind((scheduler, 1, true), Broken::Nothing, parameters, host, files)
    }

    /// With a device that can't do everything.
    pub(super) fn with(
        broken: Broken,
        (family, journal): (Family, JournalMode),
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        let parameters = FileSystemParameters { journal: journal.into(), ..FileSystemParameters::of(family) };
        Self::made(broken, parameters, host, files)
    }

    fn made(
        broken: Broken,
        parameters: FileSystemParameters,
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        Self::behind(("none", 128, false), broken, parameters, host, files)
    }

    /// Behind a queue of a scheduler, of so many requests at a time, before a device that turns or doesn't.
    fn behind(
        (scheduler, depth, rotational): (&str, u32, bool),
        broken: Broken,
        parameters: FileSystemParameters,
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        let parameters = FileSystemParameters { journal_size: Some("64 MiB".parse().unwrap()), ..parameters };
        let area = Volume::format(&parameters, 256 << 10).unwrap().journal();
        let log_apart = parameters.journal.on.is_some();
        let queue = (scheduler, depth, rotational);
        Self::of_kind(queue, broken, (parameters.into(), 256 << 10, area, log_apart), host, files)
    }

    /// On XFS of 4 GiB.
    pub(super) fn xfs(parameters: XfsParameters, host: &HostParameters, files: &[PreparedFile]) -> Self {
        let area = parameters.geometry(1 << 20).unwrap().log;
        let log_apart = parameters.log.is_some();
        let kind = (parameters.into(), 1 << 20, area, log_apart);
        Self::of_kind(("none", 128, false), Broken::Nothing, kind, host, files)
    }

    /// On a file system of so many blocks of 4 KiB, with its log there or on a device of its own.
    fn of_kind(
        (scheduler, depth, rotational): (&str, u32, bool),
        broken: Broken,
        (format, blocks, area, log_apart): (Format, u64, Range<u64>, bool),
        host: &HostParameters,
        files: &[PreparedFile],
    ) -> Self {
        let mut net = NetBuilder::new("rig");
        let mut page = net.top();
        let (operations, completions) = (page.fifo("operations"), page.fifo("completions"));
        let (requests, back) = (page.fifo("requests"), page.fifo("back"));
        let (down, up) = (page.fifo("down"), page.fifo("up"));
        let log_down = page.fifo("log-down");
        let log = log_apart.then(|| (page.fifo("log-requests"), page.fifo("log-back")));
        let log_device =
            log.map(|(requests, completions)| LogDevice { blocks: 16 << 10, requests, completions });
        let mount = Mount { log: log_device, ..mount((&format, blocks), host, files, [requests, back]) };
        host_page(&mut page, "h", host, &[mount], operations, completions).unwrap();
        let features = DeviceFeatures { write_cache: true, ..DeviceFeatures::default() };
        let scheduler = SchedulerParameters::named(scheduler);
        let queue =
            QueueParameters::of_kernel(&host.kernel.block, scheduler, features, depth, rotational).unwrap();
        queue_page(&mut page, "queue", &queue, (requests, back), (down, up));
        if let Some(log) = log {
            let log_up = page.fifo("log-up");
            queue_page(&mut page, "log-queue", &queue, log, (log_down, log_up));
            // What has gone to the log is seen behind it, before it comes back.
            let log_sound = page.fifo("log-sound");
            passes(&mut page, log_down, log_sound);
            constant_rate_page(&mut page, "log-device", &five_ms(64 << 11), log_sound, log_up);
        }
        let device = five_ms(blocks * 8);
        let sound = page.fifo("sound");
        let journal = area.start * 8..area.end * 8;
        let mut pass = page.transition("pass");
        let request = pass.take(down);
        let (through, failed) = (pass.may_put(sound, 1), pass.may_put(up, 1));
        let logs = journal.clone();
        pass.action(move |f| {
            let request = f.take(request);
            if broken.breaks(&request, &logs) {
                f.put(failed, BlockRequest { status: Status::Failed(Failure::Device), ..request });
            } else {
                f.put(through, request);
            }
        });
        constant_rate_page(&mut page, "device", &device, sound, up);
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        for place in [down, log_down] {
            run.observe(place, Vec::<BlockRequest>::new(), |seen, _, request| seen.push(request.clone()));
        }
        Self { run, operations, completions, down, log_down, journal, next: 0, seen: 0, seen_in_log: 0 }
    }

    /// Carries an operation out; how long it took.
    pub(super) fn does(&mut self, op: &FileOp) -> Time {
        let now = self.run.now();
        let done = self.ends(op);
        let took = self.run.now() - now;
        assert_eq!(done.ledger.total(), took, "{done:?}");
        assert_eq!(done.status.failure(), None, "{done:?}");
        took
    }

    /// Carries an operation out; how it came back.
    pub(super) fn ends(&mut self, op: &FileOp) -> FileOp {
        self.next += 1;
        ends(&mut self.run, self.next, op, (self.operations, self.completions))
    }

    /// Carries operations out that begin together; when each came back, in that order: its position, and how long it took.
    pub(super) fn together(&mut self, ops: &[FileOp]) -> Vec<(usize, Time)> {
        let (now, first) = (self.run.now(), self.next + 1);
        for op in ops {
            self.next += 1;
            let op = FileOp { id: petrio_colours::RequestId(self.next), issued: now, ..op.clone() };
            self.run.inject(self.operations, op, now).unwrap();
        }
        let mut back = Vec::new();
        for _ in 0..10_000_000 {
            self.run.run_firings(1).unwrap();
            let took = self.run.now() - now;
            back.extend(self.run.drain(self.completions).map(|done| ((done.id.0 - first) as usize, took)));
            self.run.check_conservation().unwrap();
            if back.len() == ops.len() {
                return back;
            }
        }
        panic!("of {} operations {} come back", ops.len(), back.len())
    }

    /// Carries operations out that begin each at a time from now on; when each came back, from its beginning, in their order.
    pub(super) fn timed(&mut self, ops: &[(Time, FileOp)]) -> Vec<Time> {
        let (now, first) = (self.run.now(), self.next + 1);
        for (after, op) in ops {
            self.next += 1;
            let at = now + *after;
            let op = FileOp { id: petrio_colours::RequestId(self.next), issued: at, ..op.clone() };
            self.run.inject(self.operations, op, at).unwrap();
        }
        let mut back = vec![None; ops.len()];
        for _ in 0..10_000_000 {
            self.run.run_firings(1).unwrap();
            let now = self.run.now();
            for done in self.run.drain(self.completions) {
                back[(done.id.0 - first) as usize] = Some(now - done.issued);
            }
            if back.iter().all(Option::is_some) {
                self.run.check_conservation().unwrap();
                return back.into_iter().flatten().collect();
            }
        }
        panic!("not all come back: {back:?}")
    }

    /// KiB outside of the log that have reached the device since the last look at its requests.
    pub(super) fn kib_of_data(&mut self) -> u64 {
        let requests = self.requests();
        let kib = |word: &str| word.strip_prefix('W')?.strip_suffix('D')?.parse::<u64>().ok();
        requests.split(' ').filter_map(kib).sum()
    }

    /// Lets time pass.
    pub(super) fn rests(&mut self, span: Time) {
        let until = self.run.now() + span;
        self.run.run_until(until).unwrap();
    }

    /// What has reached the device since the last look: `W4D` and so on.
    pub(super) fn requests(&mut self) -> String {
        let all = self.run.observed::<BlockRequest, Vec<BlockRequest>>(self.down).unwrap();
        let words: Vec<String> = all[self.seen..].iter().map(|request| self.word(request)).collect();
        self.seen = all.len();
        words.join(" ")
    }

    /// What has reached the device that is the log since the last look.
    pub(super) fn log_requests(&mut self) -> String {
        let all = self.run.observed::<BlockRequest, Vec<BlockRequest>>(self.log_down).unwrap();
        let words: Vec<String> = all[self.seen_in_log..].iter().map(|request| self.word(request)).collect();
        self.seen_in_log = all.len();
        words.join(" ")
    }

    fn word(&self, request: &BlockRequest) -> String {
        let size = request.bytes() as f64 / 1_024.0;
        let place = if self.journal.contains(&request.address) { "J" } else { "D" };
        match request.direction {
            Direction::Flush => "F".to_owned(),
            Direction::Discard => format!("D{}+{}", request.address, request.blocks),
            Direction::Read => format!("R{size}{place}"),
            Direction::Write => format!("W{size}{place}"),
        }
    }
}

/// A device that takes 5 ms for everything.
fn five_ms(blocks: u64) -> ConstantRateParameters {
    ConstantRateParameters {
        name: "5 ms".to_owned(),
        source: String::new(),
        cost: Default::default(),
        reliability: Default::default(),
        blocks: petrio_units::Blocks(blocks),
        latency: "5 ms".parse().unwrap(),
        part: None,
        rate: None,
        write_cache: true,
        flush: Some("5 ms".parse().unwrap()),
    }
}

pub(super) fn op(operation: Operation, number: u32) -> FileOp {
    FileOp { operation, file: FileId(number), parent: DIRECTORY, process: 1, ..FileOp::default() }
}

pub(super) fn access(operation: Operation, number: u32, offset: u64, length: u64) -> FileOp {
    FileOp { offset, length, ..op(operation, number) }
}

/// Lets requests through, where they are seen.
fn passes(page: &mut PageBuilder<'_>, from: Place<BlockRequest>, to: Place<BlockRequest>) {
    let mut pass = page.transition("pass to log");
    let (request, through) = (pass.take(from), pass.put(to));
    pass.action(move |f| {
        let request = f.take(request);
        f.put(through, request);
    });
}
