//! fio's engines `net`, `netsplice` and `rdma`: two jobs that are the halves of one stream of messages.
//!
//! ```text
//!  [sender]    hostname=…, rw=write ─┐
//!                                    ├─ the same port ─▶ a stream (`parallel`'s program) between two hosts
//!  [receiver]  listen, rw=read ──────┘
//! ```
//!
//! Source: fio's HOWTO (network engines' options) and engines/net.c, engines/rdma.c: a `net` job is a reader or a writer; `verb` is the
//! client's alone, which names a `hostname`. A TCP sender may be as far ahead as a socket has room for: Linux lets that grow to 4 MiB
//! (net.ipv4.tcp_wmem), and `window_size` sets it. Left out: datagrams that are lost, and groups of receivers.

use super::ini::Section;
use super::options::Options;
use super::sizes::records;
use super::{FioError, FioRemark, FioWork};
use crate::parallel::programs::{StreamParameters, StreamVerb};
use petrio_units::{Bytes, Duration};

/// Bytes that a TCP sender may be ahead of its receiver (net.ipv4.tcp_wmem's last number).
const WINDOW_BYTES: u64 = 4 << 20;
/// More messages than this aren't kept under way: their time is the link's long before.
const IN_FLIGHT_MAX: u64 = 1024;
/// A stream is alike from its beginning to its end: so many messages of it are played.
const MESSAGES_MAX: u64 = 1 << 18;
const SECOND: u64 = 1_000_000_000_000;

/// What carries the messages of two hosts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FioWire {
    /// TCP, or what else goes through sockets.
    Sockets,
    /// Adapters that write and read memory for each other.
    Rdma,
}

/// One end of a stream.
pub(super) struct Half {
    name: String,
    line: u32,
    wire: FioWire,
    port: String,
    sends: bool,
    /// Whether it names the other end, and so says what is done.
    is_client: bool,
    several: bool,
    verb: Option<StreamVerb>,
    pairs: u32,
    in_flight: u64,
    parameters: StreamParameters,
    played: Option<FioRemark>,
}

/// Whether a section is of an engine whose jobs are halves of streams.
pub(super) fn is_half(section: &Section) -> bool {
    section.entries.iter().any(|entry| entry.key == "ioengine" && wire(&entry.value).is_some())
}

fn wire(engine: &str) -> Option<FioWire> {
    match engine {
        "net" | "netsplice" => Some(FioWire::Sockets),
        "rdma" => Some(FioWire::Rdma),
        _ => None,
    }
}

/// Reads such a section.
pub(super) fn half(section: Section, remarks: &mut Vec<FioRemark>) -> Result<Half, FioError> {
    let (name, line) = (section.name.clone(), section.line);
    let mut options = Options::of(section)?;
    let mut own = Vec::new();
    let mut remark = |line: u32, text: &str| own.push(FioRemark { line, text: text.to_owned() });
    let engine = options.take(&["ioengine"]).map(|entry| entry.value).unwrap_or_default();
    let wire = wire(&engine).unwrap_or(FioWire::Sockets);
    let sends = writes(&mut options, line)?;
    let (reads, written) = records(&mut options, &mut remark)?;
    let sizes = if sends { written } else { reads };
    let (low, bytes) = sizes.bounds();
    if low != bytes {
        remark(line, "all messages have one size here: the largest of the job");
    }
    let host = options.take(&["hostname"]);
    let listens = options.is_on("listen")?;
    let verb = verb(&mut options, &mut remark)?;
    let (in_flight, ping_pong) = flight(&mut options, (wire, bytes), &mut remark)?;
    let duration = options.time(&["runtime", "timeout"], SECOND)?.map(|(time, _)| Duration::from(time));
    options.switch("time_based")?;
    if let Some(entry) = options.take(&["startdelay"]) {
        remark(entry.line, "startdelay is not taken: both halves are there from the beginning");
    }
    let size = options.size(&["io_size", "io_limit"])?.or(options.size(&["size"])?);
    options.size(&["size"])?;
    let total = match (size, duration) {
        (Some((bytes, _)), _) if bytes > 0 => bytes,
        (_, Some(_)) => u64::MAX,
        _ => return Err(FioError::at(line, "the job says no size").with_help("write size=1g")),
    };
    let pairs = options.number(&["numjobs"])?.map_or(1, |(number, _)| number);
    let pairs = u32::try_from(pairs).ok().filter(|pairs| (1..=1 << 16).contains(pairs));
    let pairs = pairs.ok_or_else(|| FioError::at(line, "numjobs is 1 to 65536"))?;
    let port = options.take(&["port"]).map(|entry| entry.value).unwrap_or_default();
    let messages = total.div_ceil(bytes);
    let played = (messages > MESSAGES_MAX).then(|| FioRemark {
        line,
        text: format!(
            "a stream is alike from its beginning to its end: its first {MESSAGES_MAX} messages are played, which gives the same rate; \
             program.total in the scenario says more"
        ),
    });
    options.finish(&mut own);
    remarks.append(&mut own);
    let parameters = StreamParameters {
        bytes: Bytes(bytes),
        total: Bytes(total.min(bytes.saturating_mul(MESSAGES_MAX))),
        in_flight: 1,
        verb: StreamVerb::Write,
        ping_pong,
        duration: duration.filter(|_| !ping_pong),
    };
    let several = host.as_ref().is_some_and(|host| is_group(&host.value));
    let is_client = host.is_some() && !listens;
    Ok(Half { name, line, wire, port, sends, is_client, several, verb, pairs, in_flight, parameters, played })
}

/// Whether it sends: such a job only reads or only writes (engines/net.c refuses others).
fn writes(options: &mut Options, line: u32) -> Result<bool, FioError> {
    let Some(entry) = options.take(&["rw", "readwrite"]) else { return Ok(false) };
    match entry.value.as_str() {
        "read" | "randread" => Ok(false),
        "write" | "randwrite" => Ok(true),
        other => {
            Err(FioError::at(entry.line.max(line), format!("rw={other}: a network's job reads or writes"))
                .with_help("write rw=write for the sender and rw=read for the receiver"))
        }
    }
}

/// What the client does: `recv` is what a server does.
fn verb(options: &mut Options, remark: &mut dyn FnMut(u32, &str)) -> Result<Option<StreamVerb>, FioError> {
    let Some(entry) = options.take(&["verb"]) else { return Ok(None) };
    match entry.value.as_str() {
        "write" => Ok(Some(StreamVerb::Write)),
        "read" => Ok(Some(StreamVerb::Read)),
        "send" | "recv" => {
            remark(
                entry.line,
                "a send is played as a write to memory: what its receiver posts and reaps isn't counted",
            );
            Ok(Some(StreamVerb::Write))
        }
        blank if blank.starts_with('[') => {
            remark(entry.line, "verb stands for one to be chosen: write is taken, fio's own");
            Ok(Some(StreamVerb::Write))
        }
        other => Err(FioError::at(entry.line, format!("verb={other} is not known"))
            .with_help("it is write, read, send or recv")),
    }
}

/// How many messages are under way at a time, and whether each is answered.
fn flight(
    options: &mut Options,
    (wire, bytes): (FioWire, u64),
    remark: &mut dyn FnMut(u32, &str),
) -> Result<(u64, bool), FioError> {
    let depth = options.number(&["iodepth"])?.map_or(1, |(depth, _)| depth);
    let window = options.size(&["window_size"])?.map_or(WINDOW_BYTES, |(window, _)| window);
    let ping_pong = options.is_on("pingpong")?;
    if let Some(entry) = options.take(&["protocol", "proto"]) {
        match entry.value.as_str() {
            "udp" | "udpv6" => remark(
                entry.line,
                "datagrams are played as messages of TCP: none is lost, and none outruns its receiver",
            ),
            "vsock" | "unix" => remark(
                entry.line,
                "what stays in one machine here goes over the network: a machine's guests and sockets of its own have no link",
            ),
            _ => {}
        }
    }
    let in_flight = match wire {
        FioWire::Rdma => depth,
        FioWire::Sockets => window / bytes,
    };
    Ok((in_flight.clamp(1, IN_FLIGHT_MAX), ping_pong))
}

/// Whether an address is of a group (224.0.0.0 to 239.255.255.255).
fn is_group(host: &str) -> bool {
    host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_multicast())
}

impl Half {
    /// Its name, its line, and what it is.
    pub(super) const fn place(&self) -> (&String, u32) {
        (&self.name, self.line)
    }

    /// Whether the two are ends of one stream.
    pub(super) fn fits(&self, other: &Self) -> bool {
        self.wire == other.wire && self.port == other.port && self.sends != other.sends
    }

    /// The stream between the two, under the name of who leads it: the client says which messages, of a socket whoever sends.
    pub(super) fn joined(self, other: Self, remarks: &mut Vec<FioRemark>) -> (String, u32, FioWork) {
        let leads = match self.wire {
            FioWire::Sockets => self.sends,
            FioWire::Rdma => self.is_client || !other.is_client,
        };
        let (first, second) = if leads { (self, other) } else { (other, self) };
        let mut parameters = first.parameters;
        parameters.total = parameters.total.min(second.parameters.total);
        if first.several {
            remarks.push(FioRemark {
                line: first.line,
                text: "a group's receivers get the same messages at the same time: one of them is played"
                    .to_owned(),
            });
        } else {
            parameters.ping_pong &= second.parameters.ping_pong;
        }
        parameters.verb = first.verb.unwrap_or_default();
        parameters.ping_pong &= first.wire == FioWire::Sockets;
        parameters.in_flight =
            if parameters.ping_pong { 1 } else { u32::try_from(first.in_flight).unwrap_or(1) };
        remarks.extend(first.played);
        let pairs = first.pairs.min(second.pairs);
        let work = FioWork::Messages { parameters: Box::new(parameters), pairs, wire: first.wire };
        (first.name, first.line, work)
    }

    /// What is missing where nobody is at the other end.
    pub(super) fn alone(&self) -> FioError {
        let Self { name, line, port, wire, .. } = self;
        let (engine, own, other) = match (wire, self.sends) {
            (FioWire::Sockets, true) => ("net", "sends", "[receiver] with listen and rw=read"),
            (FioWire::Sockets, false) => ("net", "receives", "[sender] with hostname=… and rw=write"),
            (FioWire::Rdma, true) => ("rdma", "sends", "[receiver] with rw=read"),
            (FioWire::Rdma, false) => ("rdma", "receives", "[sender] with hostname=…, verb=… and rw=write"),
        };
        let at = if port.is_empty() { String::new() } else { format!(" at port {port}") };
        let problem = format!("job \"{name}\" {own} messages{at}, and no job is at the other end");
        let help = format!(
            "add its other half to the file: {other}, the same ioengine={engine} and port; of two files one is made: cat client.fio server.fio > both.fio"
        );
        FioError::at(*line, problem).with_help(help)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::fio::{FioFile, FioJob};

    fn read(text: &str) -> FioFile {
        text.parse().unwrap_or_else(|error: FioError| panic!("{error} in\n{text}"))
    }

    fn stream(job: &FioJob) -> (&StreamParameters, u32, FioWire) {
        let FioWork::Messages { parameters, pairs, wire } = &job.work else { panic!("it sends messages") };
        (parameters, *pairs, *wire)
    }

    #[test]
    fn a_sender_and_its_listener_are_one_stream_under_the_senders_name() {
        for order in [
            "[to]\nlisten\nrw=read\n[by]\nhostname=h\nrw=write\n",
            "[by]\nhostname=h\nrw=write\n[to]\nlisten\nrw=read\n",
        ] {
            let file =
                read(&format!("[global]\nioengine=net\nport=8888\nbs=64k\nsize=8m\nnumjobs=3\n{order}"));
            assert_eq!(file.jobs.len(), 1);
            let (parameters, pairs, wire) = stream(&file.jobs[0]);
            assert_eq!((file.jobs[0].name.as_str(), pairs, wire), ("by", 3, FioWire::Sockets));
            assert_eq!((parameters.bytes, parameters.total), (Bytes(64 << 10), Bytes(8 << 20)));
            // What a socket has room for.
            assert_eq!(parameters.in_flight, 64);
        }
    }

    #[test]
    fn ports_tell_streams_apart_and_stonewalls_put_them_behind_each_other() {
        let end = |name: &str, port: u32, rest: &str| format!("[{name}]\nport={port}\n{rest}\n");
        let text = [
            end("a", 1, "rw=write\nhostname=h"),
            end("b", 2, "rw=write\nhostname=h"),
            end("c", 2, "listen\nrw=read"),
            end("d", 1, "listen\nrw=read"),
            "[e]\nport=3\nstonewall\nlisten\nrw=read\n[f]\nport=3\nrw=write\nhostname=h\n".to_owned(),
        ];
        let file = read(&format!("[global]\nioengine=net\nsize=1m\n{}", text.concat()));
        let named: Vec<_> = file.jobs.iter().map(|job| (job.name.as_str(), job.after.clone())).collect();
        assert_eq!(named, [("b", vec![]), ("a", vec![]), ("f", vec![0, 1])]);
    }

    #[test]
    fn the_client_of_rdma_says_verb_and_depth() {
        let of = |verb: &str| {
            let file = read(&format!(
                "[global]\nioengine=rdma\nport=1\nbs=1m\nsize=1g\n[client]\nhostname=h\nverb={verb}\nrw=write\niodepth=4\n[server]\nrw=read\niodepth=16\n"
            ));
            let (parameters, pairs, wire) = stream(&file.jobs[0]);
            assert_eq!((pairs, wire, parameters.in_flight), (1, FioWire::Rdma, 4));
            (parameters.verb, file.remarks.len())
        };
        assert_eq!(of("write"), (StreamVerb::Write, 0));
        assert_eq!(of("read"), (StreamVerb::Read, 0));
        // What of it isn't as it is there is told.
        assert_eq!(of("send"), (StreamVerb::Write, 1));
        assert_eq!(of("[read/write/send/recv]"), (StreamVerb::Write, 1));
    }

    #[test]
    fn half_a_stream_is_answered_with_what_is_missing() {
        let refused = |text: &str| {
            let error = text.parse::<FioFile>().unwrap_err();
            format!("{error} {}", error.help.clone().unwrap_or_default())
        };
        let sender = refused("[s]\nioengine=net\nport=8888\nhostname=h\nrw=write\nsize=1m\n");
        assert!(
            sender.contains("at port 8888") && sender.contains("[receiver] with listen and rw=read"),
            "{sender}"
        );
        let server = refused("[s]\nioengine=rdma\nport=9\nrw=read\nsize=1m\n");
        assert!(server.contains("[sender] with hostname"), "{server}");
        assert!(refused("[s]\nioengine=net\nrw=rw\nsize=1m\n").contains("reads or writes"));
        assert!(refused("[s]\nioengine=net\nrw=write\nhostname=h\n").contains("no size"));
        // Others of the file are played.
        let file = read("[s]\nioengine=net\nport=1\nrw=read\nlisten\nsize=1m\n[f]\nrw=read\nsize=1m\n");
        assert_eq!(file.jobs.len(), 1);
        assert!(file.remarks.iter().any(|remark| remark.text.contains("job \"s\" is left out")));
    }

    #[test]
    fn what_is_long_is_cut_and_what_is_answered_goes_one_by_one() {
        let long = read(
            "[global]\nioengine=net\nport=1\nsize=100g\n[r]\nlisten\nrw=read\n[s]\nhostname=h\nrw=write\n",
        );
        assert_eq!(stream(&long.jobs[0]).0.total, Bytes(4096 * MESSAGES_MAX));
        assert!(long.remarks.iter().any(|remark| remark.text.contains("alike")));
        let answered = "[global]\nioengine=net\nport=1\nsize=1m\npingpong=1\n[r]\nlisten\nrw=read\n[s]\nhostname=h\nrw=write\n";
        let answered = read(answered);
        let (parameters, ..) = stream(&answered.jobs[0]);
        assert!(parameters.ping_pong && parameters.in_flight == 1);
    }
}
