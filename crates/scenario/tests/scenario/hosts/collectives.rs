//! How long MPI's collective operations take: against the closed forms of their algorithms (Thakur, Rabenseifner and Gropp 2005,
//! section 3), whose terms are messages between two ranks as the same run measures them.
//!
//! ```text
//!  one(n)    half a round trip of a message of n bytes       alpha + n beta of the paper, headers and hosts' costs among it
//!  both(n)   a message of n bytes to and from a partner      the same where both directions of a link are used
//!  broadcast, binomial:  ⌈log2 P⌉ one(n)        ring:  (P − 1) both(n)        recursive doubling:  Σ both(2^k n)
//! ```

use crate::hosts::support::run_of;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

/// Hosts of a rank each on a switch. Trains are short, so that words don't wait for what is on a link, and messages that are sent
/// unasked fit into one, so that none of them shares its link with the next one.
const HOSTS: &str = r#"
[network.lan]
costs = { send = "0 s", receive = "0 s", send_kib = "0 s", receive_kib = "0 s" }
train = "2 KiB"

[network.lan.link]
rate = "RATE"
latency = "LATENCY"

[host.h]
count = HOSTS
machine = "epyc-9005-2vcpu"
kernel = "linux-6.18"

[host.h.disk.d]
model = "constant-rate"
drive.latency = "1 us"
drive.rate = "10 GB/s"

[host.h.fs.work]
type = "ext4"
on = "d"

[mpi.m]
hosts = "h*"
eager = "1 KiB"

[workload.w]
kind = "parallel"
on = "h*/work"
ranks = HOSTS
program = { kind = "steps", steps = [STEPS] }
"#;

/// A term of a closed form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    One(u64),
    Both(u64),
}
use Term::{Both, One};

impl Term {
    fn name(self) -> String {
        format!("{self:?}")
    }

    /// So many times a message there and back, or both at once.
    fn step(self) -> String {
        let sends = match self {
            One(bytes) => format!(
                r#"{{ send = [{{ from = 0, to = 1, bytes = "{bytes} B" }}] }}, {{ send = [{{ from = 1, to = 0, bytes = "{bytes} B" }}] }}"#
            ),
            Both(bytes) => format!(
                r#"{{ send = [{{ from = 0, to = 1, bytes = "{bytes} B" }}, {{ from = 1, to = 0, bytes = "{bytes} B" }}] }}"#
            ),
        };
        format!(r#"{{ repeat = {{ times = {TIMES}, measure = "{}", steps = [{sends}] }} }}"#, self.name())
    }

    const fn bytes(self) -> u64 {
        let (One(bytes) | Both(bytes)) = self;
        bytes
    }

    fn seconds(self, all: f64) -> f64 {
        match self {
            One(_) => all / f64::from(2 * TIMES),
            Both(_) => all / f64::from(TIMES),
        }
    }
}

const TIMES: u32 = 4;

/// A cluster as a case has it.
#[derive(Clone, Copy, Debug)]
struct Cluster {
    ranks: u32,
    mbit: u32,
    latency_us: u32,
}

impl Cluster {
    fn text(self, steps: &str) -> String {
        HOSTS
            .replace("HOSTS", &self.ranks.to_string())
            .replace("RATE", &format!("{} Mbit/s", self.mbit))
            .replace("LATENCY", &format!("{} us", self.latency_us))
            .replace("STEPS", steps)
    }

    /// How long each phase of a program took.
    fn phases(self, steps: &str) -> BTreeMap<String, f64> {
        let report = run_of(&self.text(steps), &[]);
        report.jobs[0].phases.iter().map(|phase| (phase.name.clone(), phase.seconds)).collect()
    }

    /// How long a step takes that all ranks begin at the same time, which they do only at the beginning: who leaves a barrier
    /// knows that all have come, and not that they leave.
    fn seconds(self, step: &str) -> f64 {
        self.phases(&format!(r#"{{ repeat = {{ times = 1, measure = "it", steps = [{step}] }} }}"#))["it"]
    }

    /// The terms of closed forms.
    fn terms(self, terms: &BTreeSet<Term>) -> BTreeMap<Term, f64> {
        terms.iter().map(|term| (*term, term.seconds(self.phases(&term.step())[&term.name()]))).collect()
    }
}

/// MPI's operations, of vectors or parts of so many bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Barrier,
    Broadcast,
    Reduce,
    AllReduce,
    Gather,
    Scatter,
    AllGather,
    AllToAll,
}

const OPERATIONS: [Operation; 8] = [
    Operation::Barrier,
    Operation::Broadcast,
    Operation::Reduce,
    Operation::AllReduce,
    Operation::Gather,
    Operation::Scatter,
    Operation::AllGather,
    Operation::AllToAll,
];

/// A closed form: what is added up, and whether it is all that it can be, or the most: of trees over ranks that are no power of
/// two no rank may be as deep as the formula says, and of messages that are posted together others are on their way.
struct Form {
    algorithm: &'static str,
    terms: Vec<Term>,
    is_exact: bool,
}

impl Operation {
    fn step(self, bytes: u64) -> String {
        let name = match self {
            Self::Barrier => return "\"barrier\"".to_owned(),
            Self::Broadcast => "broadcast",
            Self::Reduce => "reduce",
            Self::AllReduce => "all-reduce",
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::AllGather => "all-gather",
            Self::AllToAll => "all-to-all",
        };
        format!("{{ {name} = {{ bytes = \"{bytes} B\" }} }}")
    }

    /// What of its bytes one rank's link has to carry one way, at least.
    fn carried(self, ranks: u32, bytes: u64) -> u64 {
        match self {
            Self::Barrier => 0,
            Self::Broadcast | Self::Reduce | Self::AllReduce => bytes,
            Self::Gather | Self::Scatter | Self::AllGather | Self::AllToAll => u64::from(ranks - 1) * bytes,
        }
    }

    /// The paper's section 3, with its thresholds.
    fn form(self, ranks: u32, n: u64) -> Form {
        let p = u64::from(ranks);
        let (up, down) = (ranks.next_power_of_two().ilog2(), ranks.ilog2());
        let even = up == down;
        let halves = |levels: u32| (1..=levels).map(move |level| n >> level);
        let of_tree = || (0..up).map(|level| One(n * (1 << level).min(p - (1 << level))));
        let fold = |times: usize| std::iter::repeat_n(One(n), if even { 0 } else { times });
        let times = |term: Term, times: u64| (0..times).map(move |_| term);
        let (algorithm, is_exact, terms): (_, _, Vec<Term>) = match self {
            Self::Barrier => ("dissemination", true, times(Both(0), up.into()).collect()),
            Self::Broadcast if n < 12_288 || ranks < 8 => ("tree", even, times(One(n), up.into()).collect()),
            Self::Broadcast => {
                let scatter = halves(up).map(One);
                if even && n < 524_288 {
                    ("scatter and doubling", even, scatter.chain(halves(up).map(Both)).collect())
                } else {
                    // Of ranks that are no power of two, a part of the tree has no more than the rest of the parts.
                    let most = (1..=up).map(|level| One(n.div_ceil(p) << (up - level)));
                    ("scatter and ring", false, most.chain(times(Both(n.div_ceil(p)), p - 1)).collect())
                }
            }
            Self::Reduce if n <= 2048 => ("tree", even, times(One(n), up.into()).collect()),
            Self::Reduce => {
                let all = fold(1).chain(halves(down).map(Both)).chain(halves(down).map(One));
                ("reduce-scatter and gather", even, all.collect())
            }
            Self::AllReduce if n <= 2048 => {
                ("doubling", even, fold(2).chain(times(Both(n), down.into())).collect())
            }
            Self::AllReduce => {
                let all = fold(2).chain(halves(down).map(Both)).chain(halves(down).map(Both));
                ("reduce-scatter and allgather", even, all.collect())
            }
            Self::Gather | Self::Scatter => ("tree", even, of_tree().collect()),
            Self::AllGather if even && n * p < 524_288 => {
                ("doubling", true, (0..up).map(|level| Both(n << level)).collect())
            }
            Self::AllGather if n * p < 81_920 => {
                ("Bruck", true, (0..up).map(|level| Both(n * (1 << level).min(p - (1 << level)))).collect())
            }
            Self::AllGather => ("ring", true, times(Both(n), p - 1).collect()),
            Self::AllToAll if n <= 256 && ranks >= 8 => {
                let with_bit = |bit: u32| (1..p).filter(|distance| distance >> bit & 1 == 1).count() as u64;
                ("Bruck", true, (0..up).map(|bit| Both(n * with_bit(bit))).collect())
            }
            Self::AllToAll if n <= 32_768 => ("at once", ranks == 2, times(Both(n), p - 1).collect()),
            Self::AllToAll => ("pairs", true, times(Both(n), p - 1).collect()),
        };
        Form { algorithm, terms, is_exact }
    }
}

/// From a byte to a mebibyte, as many short ones as long ones.
fn sizes() -> impl Strategy<Value = u64> {
    (0u32..20, 0.0..1.0f64)
        .prop_map(|(exponent, part)| (1u64 << exponent) + (part * f64::from(1 << exponent)) as u64)
}

fn clusters() -> impl Strategy<Value = Cluster> {
    (2u32..17, 100u32..10_000, 1u32..50).prop_map(|(ranks, mbit, latency_us)| Cluster {
        ranks,
        mbit,
        latency_us,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_collective_operation_takes_what_its_algorithm_adds_up_to(
        cluster in clusters(),
        bytes in sizes(),
        operation in proptest::sample::select(OPERATIONS.to_vec()),
    ) {
        let form = operation.form(cluster.ranks, bytes);
        let is_long = |term: &&Term| term.bytes() > 1024 - 64;
        // Who comes late to an exchange, as who was handed something before it does, has the other's data before him on their way
        // when he is told that his own may come.
        let late: Vec<Term> = match cluster.ranks.is_power_of_two() {
            true => Vec::new(),
            false => form.terms.iter().filter(is_long).map(|term| One(term.bytes())).collect(),
        };
        let terms: BTreeSet<Term> = form.terms.iter().chain(&late).copied().chain([One(0)]).collect();
        let measured = cluster.terms(&terms);
        let adds_up: f64 = form.terms.iter().map(|term| measured[term]).sum();
        let took = cluster.seconds(&operation.step(bytes));
        let said = format!("{took} s of {adds_up} s: {}, {:?}", form.algorithm, form.terms);
        // Who sends several long messages hears of each that it is there, before the next one goes.
        let long = form.terms.iter().filter(is_long).count();
        let words = long as f64 * measured[&One(0)];
        let before = late.iter().map(|term| measured[term]).sum::<f64>();
        prop_assert!(took <= 1.02 * adds_up + words + before, "{}", said);
        let least = operation.carried(cluster.ranks, bytes) as f64 * 8.0 / (f64::from(cluster.mbit) * 1e6);
        prop_assert!(took >= least, "{least} s at least: {}", said);
        prop_assert!(!form.is_exact || took >= 0.98 * adds_up, "{}", said);
    }

    #[test]
    fn more_ranks_more_bytes_and_a_slower_link_never_make_it_faster(
        cluster in clusters(),
        bytes in sizes(),
        operation in proptest::sample::select(OPERATIONS.to_vec()),
    ) {
        let took = cluster.seconds(&operation.step(bytes));
        // The same up to what frames are filled with.
        let slower = 0.999 * took;
        let half = Cluster { mbit: cluster.mbit / 2, ..cluster };
        prop_assert!(half.seconds(&operation.step(bytes)) >= slower, "a slower link");
        // Where another algorithm begins it is taken because it is faster.
        let form = operation.form(cluster.ranks, bytes);
        let same = |other: Form| other.algorithm == form.algorithm;
        let (more, larger) = (Cluster { ranks: cluster.ranks + 1, ..cluster }, bytes + bytes / 2 + 1);
        if same(operation.form(cluster.ranks, larger)) {
            prop_assert!(cluster.seconds(&operation.step(larger)) >= slower, "more bytes: {}", form.algorithm);
        }
        // The parts of a vector are smaller with more ranks, and rounds of a folded one may be fewer.
        let cuts = matches!(operation, Operation::Reduce | Operation::AllReduce) || form.algorithm.starts_with("scatter");
        if !cuts && same(operation.form(more.ranks, bytes)) {
            prop_assert!(more.seconds(&operation.step(bytes)) >= slower, "more ranks: {}", form.algorithm);
        }
    }
}

/// As networks are unless told otherwise: trains of 64 KiB, messages up to 64 KiB without asking. A word may wait for a train
/// there, of half a millisecond at 1 Gbit/s.
#[test]
fn with_usual_trains_a_word_waits_for_one_at_most() {
    let cluster = Cluster { ranks: 8, mbit: 1000, latency_us: 5 };
    let usual = |steps: &str| {
        let text = cluster.text(steps).replace("train = \"2 KiB\"\n", "").replace("eager = \"1 KiB\"\n", "");
        run_of(&text, &[]).jobs[0].phases[0].seconds
    };
    let seconds =
        |step: &str| usual(&format!(r#"{{ repeat = {{ times = 1, measure = "it", steps = [{step}] }} }}"#));
    let bytes = 1_000_000;
    for (operation, rounds) in [
        (Operation::Scatter, 3.0),
        (Operation::Broadcast, 10.0),
        (Operation::AllReduce, 6.0),
        (Operation::AllToAll, 7.0),
    ] {
        let adds_up: f64 =
            operation.form(8, bytes).terms.iter().map(|term| term.seconds(usual(&term.step()))).sum();
        let took = seconds(&operation.step(bytes));
        let trains = rounds * 65_536.0 * 8.0 / 1e9 * 1538.0 / 1448.0;
        assert!(
            took >= 0.98 * adds_up && took <= 1.01 * adds_up + trains,
            "{operation:?} {took} of {adds_up}"
        );
    }
}
