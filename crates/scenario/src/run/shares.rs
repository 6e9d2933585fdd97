//! How evenly parts share the load: what each client got, what each server moved, what links dropped, and what passed them that they
//! couldn't have passed.

use crate::build::{ClientHosts, System};
use crate::claim::{Claim, Sentence};
use crate::report::{MemberRate, Rates};
use crate::run::stages::{bytes_moved, dropped, recorded};
use crate::site::UnheldLink;
use petrio_kernel::{Marking, Time};
use petrio_models::Stage;
use petrio_page::numbers::{bytes, counted, grouped, significant};
use petrio_units::numbers::whole_part;

/// A link that would be busy for more than all the time by more than this part would have held its receiver up.
const PAST: f64 = 0.02;

/// What each host's programs got.
pub(super) struct Clients<'s> {
    hosts: &'s ClientHosts,
    begin: Time,
    sums: Vec<Option<Sum>>,
}

#[derive(Clone, Copy)]
struct Sum {
    bytes: u64,
    first: Time,
    last: Time,
}

impl<'s> Clients<'s> {
    pub(super) fn of(hosts: &'s ClientHosts) -> Self {
        // One host alone has nobody to be compared with.
        let sums = if hosts.names.len() > 1 { vec![None; hosts.names.len()] } else { Vec::new() };
        Self { hosts, begin: Time::ZERO, sums }
    }

    /// The warm-up is over.
    pub(super) fn restart(&mut self, begin: Time) {
        self.begin = begin;
        self.sums.fill(None);
    }

    /// An operation of a process has completed.
    pub(super) fn record(&mut self, process: u32, (issued, completed): (Time, Time), bytes: u64) {
        if self.sums.is_empty() {
            return;
        }
        let host = self.hosts.of_processes.get(process as usize).copied();
        let Some(sum) = host.and_then(|host| self.sums.get_mut(host)) else { return };
        let first = issued.max(self.begin);
        let sum = sum.get_or_insert(Sum { bytes: 0, first, last: completed });
        sum.bytes += bytes;
        (sum.first, sum.last) = (sum.first.min(first), sum.last.max(completed));
    }

    /// Of several hosts, what each got over its own span.
    pub(super) fn rates(&self) -> Option<Rates> {
        let member = |(name, sum): (&String, &Option<Sum>)| {
            let Sum { bytes, first, last } = (*sum)?;
            Some(member(name, bytes, (last - first).as_seconds()))
        };
        let members: Vec<MemberRate> = self.hosts.names.iter().zip(&self.sums).filter_map(member).collect();
        together("clients", members)
    }
}

fn member(name: &str, bytes: u64, seconds: f64) -> MemberRate {
    let value = if seconds > 0.0 { bytes as f64 / seconds } else { 0.0 };
    MemberRate { name: name.to_owned(), bytes, bytes_per_s: value.into() }
}

/// Rates of one thing say nothing that the report doesn't, and those of what moved nothing are none.
fn together(of: &str, members: Vec<MemberRate>) -> Option<Rates> {
    let is_worth = members.len() > 1 && members.iter().any(|member| member.bytes > 0);
    is_worth.then(|| Rates { of: of.to_owned(), members })
}

/// What each of several servers moved in the measured part of a run.
pub(super) fn servers(stages: &[Stage], marking: &Marking, span: Time) -> Option<Rates> {
    // Of those that have no equal, such as a manager, only those that moved something.
    let moving = stages.iter().filter(|stage| {
        stage.moved.is_some() && (stage.class != stage.name || bytes_moved(stage, marking) > 0.0)
    });
    // The page of a server is named, not what waits there.
    let name =
        |stage: &Stage| stage.name.rsplit_once('/').map_or(stage.name.clone(), |(page, _)| page.to_owned());
    let members =
        moving.map(|stage| member(&name(stage), whole_part(bytes_moved(stage, marking)), span.as_seconds()));
    together("servers", members.collect())
}

/// What a run's links dropped, and what passed them that couldn't have.
pub(super) fn of_links(system: &System, marking: &Marking, span: Time) -> Vec<Sentence> {
    let past = past_the_wire(&system.unheld, marking, span);
    drops(&system.stages, marking).into_iter().chain(past).collect()
}

/// What links dropped, for who reads the report.
fn drops(stages: &[Stage], marking: &Marking) -> Option<Sentence> {
    let each: Vec<(&Stage, (u64, f64))> = stages
        .iter()
        .map(|stage| (stage, dropped(stage, marking)))
        .filter(|(_, (count, _))| *count > 0)
        .collect();
    let (worst, (at_worst, _)) = each.iter().max_by_key(|(_, (count, _))| *count)?;
    let (count, size) = each.iter().fold((0, 0.0), |sum, (_, one)| (sum.0 + one.0, sum.1 + one.1));
    Some(Claim::Dropped.says(format!(
        "{} ({}) dropped for want of room before links, {} at {}: what is lost is sent again, late",
        counted(count, "frame", "frames"),
        bytes(whole_part(size)),
        grouped(*at_worst),
        worst.name
    )))
}

/// What hosts received beyond what their links pass, for who reads the report: the worst of them.
fn past_the_wire(links: &[UnheldLink], marking: &Marking, span: Time) -> Option<Sentence> {
    let busy = |link: &UnheldLink| recorded(link.busy, marking) / span.as_seconds();
    let past = links.iter().map(|link| (link, busy(link))).filter(|(_, busy)| *busy > 1.0 + PAST);
    let (UnheldLink { network, host, .. }, busy) = past.max_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Claim::PastTheWire.says(format!(
        "\"{host}\" received {} times what its link passes: at the level \"ideal\" of the network \"{network}\" only senders wait for \
         their links; \"train\", \"packet\" and \"fluid\" hold receivers to theirs (network.{network}.level)",
        significant(busy)
    )))
}
