//! Clusters whose tests lose what they please: whatever clients ask for, and whenever one looks, what was sent has been answered or is
//! under way, and so are its bytes; and a protocol that loses an answer or a byte is found out.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use petrio_colours::{AccessFlags, FileId, FileOp, Message, Operation, Parcel, RequestId, Status};
use petrio_host::machine::MachineParameters;
use petrio_kernel::{Colour, NetBuilder, PageBuilder, Place, RunError, Simulation, Time};
use petrio_network::topology::{TopologyParameters, Wiring};
use petrio_network::{Network, NetworkParameters, Port};
use petrio_stage::processor::Processors;
use proptest::prelude::*;
use std::sync::Arc;

/// What happens to what somebody is sent: nothing, or it is changed or lost.
pub(super) type Fault<T> = fn(T) -> Option<T>;

/// A cluster while its net is built: hosts on a star, with a processor or two each.
pub(super) struct Building<'p, 'n> {
    pub(super) page: &'p mut PageBuilder<'n>,
    pub(super) network: Network,
    pub(super) processors: Vec<Processors>,
    pub(super) names: Vec<String>,
    pub(super) completions: Place<FileOp>,
}

impl Building<'_, '_> {
    /// A port at which what is received of a type is as the fault has it.
    pub(super) fn port<T: Colour>(&mut self, host: u32, service: &str, fault: Fault<T>) -> Port {
        let port = self.network.port(self.page, host, service);
        let received = self.page.fifo(&format!("{service} of {host} as received"));
        let mut receive = self.page.transition(&format!("{service} of {host}"));
        let message = receive.take(port.received);
        let put = receive.may_put(received, 1);
        receive.action(move |f| {
            let mut message: Box<Message> = f.take(message);
            let payload = std::mem::replace(&mut message.payload, Parcel::new(Box::new(())));
            message.payload = match payload.get::<T>() {
                Some(own) => match fault(own.clone()) {
                    Some(changed) => Parcel::new(Box::new(changed)),
                    None => return,
                },
                None => payload,
            };
            f.put(put, message);
        });
        Port { received, ..port }
    }

    /// A file system, or a device, that takes a time for everything.
    pub(super) fn storage<T: Colour>(&mut self, name: &str, done: fn(&mut T)) -> (Place<T>, Place<T>) {
        let (asked, answered) =
            (self.page.fifo(&format!("{name} asked")), self.page.fifo(&format!("{name} answered")));
        let mut work = self.page.transition(name);
        let (token, put) = (work.take(asked), work.put(answered));
        work.action(move |f| {
            let mut token = f.take(token);
            done(&mut token);
            f.put_after(put, token, Time::from_micros(70));
        });
        (asked, answered)
    }

    pub(super) fn files(&mut self, name: &str) -> (Place<FileOp>, Place<FileOp>) {
        self.storage(name, |op: &mut FileOp| op.status = Status::Done)
    }
}

/// A cluster that runs: where each client's operations go.
pub(super) struct Cluster {
    run: Simulation,
    operations: Vec<Place<FileOp>>,
    pub(super) completions: Place<FileOp>,
}

impl Cluster {
    pub(super) fn new(
        level: &str,
        hosts: u32,
        build: impl FnOnce(&mut Building<'_, '_>) -> Vec<Place<FileOp>>,
    ) -> Self {
        let mut net = NetBuilder::new("cluster");
        let mut page = net.top();
        let names: Vec<String> = (0..hosts).map(|host| format!("h{host}")).collect();
        let refs: Vec<&str> = names.iter().map(String::as_str).collect();
        let text = format!("level = \"{level}\"\nlink = {{ rate = \"1 Gbit/s\", latency = \"5 us\" }}");
        let parameters: NetworkParameters = toml::from_str(&text).unwrap();
        let wiring = Arc::new(Wiring::new(&TopologyParameters::Star, hosts).unwrap());
        let network = Network::new(&mut page, "lan", &parameters, wiring, &refs);
        let processors = refs.iter().map(|name| Processors::new(&mut page.page(name), 2)).collect();
        let completions = page.fifo("completions");
        let mut building =
            Building { page: &mut page, network, processors, names: names.clone(), completions };
        let operations = build(&mut building);
        let Building { network, mut processors, .. } = building;
        let by_number: Vec<usize> = (0..hosts as usize).collect();
        network.finish(&mut page, &mut processors, &by_number);
        for (name, processors) in names.iter().zip(processors) {
            processors.finish(&mut page.reopen(name));
        }
        let run = Simulation::new(&net.build().unwrap(), 1, 0);
        Self { run, operations, completions }
    }

    /// Runs to the end, and looks at every instant if that is wanted; how many operations were completed.
    pub(super) fn run(&mut self, operations: &[FileOp], looks: bool) -> Result<usize, RunError> {
        for (number, op) in (0..).zip(operations) {
            let client = op.process as usize % self.operations.len();
            let op = FileOp { id: RequestId(number), ..op.clone() };
            self.run.inject(self.operations[client], op.clone(), op.issued).unwrap();
        }
        while let Some(next) = self.run.next_time()? {
            self.run.run_until(next)?;
            if looks {
                self.run.check_conservation()?;
            }
        }
        self.run.check_conservation()?;
        Ok(self.run.drain(self.completions).filter(|op| !op.is_word).count())
    }
}

/// Reads and writes of a few files by a few processes.
pub(super) fn operations() -> impl Strategy<Value = Vec<FileOp>> {
    let op = (0u32..6, 0u8..8, 0u64..400_000, 0u64..300_000, 0u64..3_000, any::<bool>());
    let op = op.prop_map(|(process, kind, offset, length, at, sync)| FileOp {
        process,
        operation: match kind {
            0..3 => Operation::Write,
            3..6 => Operation::Read,
            6 => Operation::Fsync,
            _ => Operation::Stat,
        },
        file: FileId(1 + process % 2),
        offset,
        length: if kind < 6 { length } else { 0 },
        flags: AccessFlags { sync: sync && kind < 3, ..AccessFlags::default() },
        issued: Time::from_micros(at),
        ..FileOp::default()
    });
    prop::collection::vec(op, 1..16)
}

pub(super) fn one(operation: Operation, length: u64) -> [FileOp; 1] {
    [FileOp { operation, file: FileId(1), length, ..FileOp::default() }]
}

pub(super) fn level() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["ideal", "train", "packet", "fluid"])
}

/// Whether a run was ended because this sum isn't what it was.
pub(super) fn is_found(ran: Result<usize, RunError>, sum: &str) -> bool {
    matches!(ran, Err(RunError::Conservation { what, .. }) if what.contains(&format!("/{sum}\"")))
}

/// A machine of the catalogue.
pub(super) fn machine() -> MachineParameters {
    toml::from_str(include_str!("../../../catalogue/machines/poweredge-1850.toml")).unwrap()
}
