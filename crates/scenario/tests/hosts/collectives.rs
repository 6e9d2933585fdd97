//! How long MPI's collective operations take: against the closed forms of their algorithms (Thakur, Rabenseifner and Gropp 2005,
//! section 3), whose terms are messages between two ranks as the same run measures them.
//!
//! ```text
//!  one(n)    half a round trip of a message of n bytes       alpha + n beta of the paper, headers and hosts' costs among it
//!  both(n)   a message of n bytes to and from a partner      the same where both directions of a link are used
//!  broadcast, binomial:  ⌈log2 P⌉ one(n)        ring:  (P − 1) both(n)        recursive doubling:  Σ both(2^k n)
//! ```

use crate::support::run_of;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// Hosts of a rank each on a switch, which has more room and speed than they need.
const HOSTS: &str = r#"
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
eager = "EAGER B"

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
    eager: u64,
}

impl Cluster {
    fn phases(self, steps: &[String]) -> BTreeMap<String, f64> {
        let text = HOSTS
            .replace("HOSTS", &self.ranks.to_string())
            .replace("RATE", &format!("{} Mbit/s", self.mbit))
            .replace("LATENCY", &format!("{} us", self.latency_us))
            .replace("EAGER", &self.eager.to_string())
            .replace("STEPS", &steps.join(", "));
        let report = run_of(&text, &[]);
        report.jobs[0].phases.iter().map(|phase| (phase.name.clone(), phase.seconds)).collect()
    }

    /// How long a step takes that all ranks begin at the same time, which they do only at the beginning: who leaves a barrier
    /// knows that all have come, and not that they leave.
    fn seconds(self, step: &str) -> f64 {
        self.phases(&[format!(r#"{{ repeat = {{ times = 1, measure = "it", steps = [{step}] }} }}"#)])["it"]
    }

    /// The terms of closed forms.
    fn terms(self, terms: &BTreeSet<Term>) -> BTreeMap<Term, f64> {
        terms.iter().map(|term| (*term, term.seconds(self.phases(&[term.step()])[&term.name()]))).collect()
    }
}

/// Rounds of a tree over so many ranks.
fn levels(ranks: u32) -> u32 {
    (0..).find(|level| 1u32 << level >= ranks).unwrap()
}

#[test]
fn explore() {
    for ranks in [2u32, 4, 8, 16, 3, 5, 7, 12] {
        for bytes in [8u64, 200, 3000, 20_000, 100_000, 1_000_000] {
            let cluster = Cluster { ranks, mbit: 1000, latency_us: 5, eager: 65536 };
            let l = levels(ranks);
            let p = u64::from(ranks);
            let e = ranks.is_power_of_two();
            let bcast: Vec<Term> = if bytes < 12288 || ranks < 8 { (0..l).map(|_| One(bytes)).collect() } else {
                let sc = (1..=l).map(|k| One(bytes >> k));
                if e && bytes < 524288 { sc.chain((1..=l).map(|k| Both(bytes >> k))).collect() } else { sc.chain((1..p).map(|_| Both(bytes / p))).collect() }
            };
            let lf = ranks.ilog2();
            let fold = |n: usize| std::iter::repeat_n(One(bytes), if e { 0 } else { n });
            let reduce: Vec<Term> = if bytes <= 2048 { (0..l).map(|_| One(bytes)).collect() } else {
                fold(1).chain((1..=lf).map(|k| Both(bytes >> k))).chain((1..=lf).map(|k| One(bytes >> k))).collect() };
            let allreduce: Vec<Term> = if bytes <= 2048 { fold(2).chain((0..lf).map(|_| Both(bytes))).collect() } else {
                fold(2).chain((1..=lf).map(|k| Both(bytes >> k))).chain((1..=lf).map(|k| Both(bytes >> k))).collect() };
            let gather: Vec<Term> = (0..l).map(|k| One(bytes * (1u64 << k).min(p - (1u64 << k)))).collect();
            let total = bytes * p;
            let allgather: Vec<Term> = if e && total < 524288 { (0..l).map(|k| Both(bytes << k)).collect() }
              else if total < 81920 { (0..l).map(|k| Both(bytes * (1u64 << k).min(p - (1u64 << k)))).collect() }
              else { (1..p).map(|_| Both(bytes)).collect() };
            let a2a: Vec<Term> = if bytes <= 256 && ranks >= 8 { (0..l).map(|k| Both(bytes * (1..p).filter(|i| i >> k & 1 == 1).count() as u64)).collect() }
              else { (1..p).map(|_| Both(bytes)).collect() };
            let barrier: Vec<Term> = (0..l).map(|_| Both(0)).collect();
            let b = format!("bytes = \"{bytes} B\"");
            let all = [
              ("\"barrier\"".to_owned(), barrier),
              (format!("{{ broadcast = {{ {b} }} }}"), bcast),
              (format!("{{ reduce = {{ {b} }} }}"), reduce),
              (format!("{{ all-reduce = {{ {b} }} }}"), allreduce),
              (format!("{{ gather = {{ {b} }} }}"), gather.clone()),
              (format!("{{ scatter = {{ {b} }} }}"), gather),
              (format!("{{ all-gather = {{ {b} }} }}"), allgather),
              (format!("{{ all-to-all = {{ {b} }} }}"), a2a)];
            let terms: BTreeSet<Term> = all.iter().flat_map(|a| a.1.clone()).collect();
            let t = cluster.terms(&terms);
            let took: Vec<f64> = all.iter().map(|a| cluster.seconds(&a.0)).collect();
            let mut line = format!("P {ranks} n {bytes}: ");
            for ((name, f), took) in all.iter().zip(took) {
                let want: f64 = f.iter().map(|x| t[x]).sum();
                write!(line, "{} {:.3}  ", name.trim_matches(['{', ' ', '"']).split(' ').next().unwrap(), took / want).unwrap();
            }
            println!("{line}");
        }
    }
}
