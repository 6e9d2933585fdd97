//! Disks and what is made of them.

use crate::checker::{Checker, DISK, HOLDERS, PlannedHolder, WithinHolder, each_name};
use crate::holder::{InnerNetwork, Objection, Over, Stands};
use crate::scenario::Scenario;
use crate::schema::Names;
use petrio_units::numbers::as_number;

/// So many disks of one part are a data centre, and more are a slip of the finger.
const DISKS_MAX: u32 = 100_000;

impl Checker<'_, '_> {
    pub(super) fn disks(&mut self, scenario: &Scenario) {
        if scenario.disk.is_empty() {
            self.error("", "the scenario has no disk", "add a part: [disk.d0] and below it model = \"…\"");
        }
        for (part, disk) in &scenario.disk {
            let path = format!("disk.{part}");
            self.name(&path, part);
            if disk.count == 0 || disk.count > DISKS_MAX {
                let message = format!("a part has between 1 and {DISKS_MAX} disks, not {}", disk.count);
                self.error(&format!("{path}.count"), message, "leave the part out if there is none");
                continue;
            }
            if disk.queue_depth == Some(0) {
                let path = format!("{path}.queue_depth");
                self.error(&path, "a disk with a queue depth of 0 accepts no command", "write 1 or more");
            }
            for number in 0..disk.count {
                let name = if disk.count == 1 { part.clone() } else { format!("{part}{number}") };
                let help = "parts with a count number their disks from 0; rename one part";
                self.take_name(&path, &name, "disk", help);
                self.disks.push((name, part.clone()));
            }
        }
    }

    /// What lies between who asks and the disks, and what it is made of.
    pub(super) fn holders(&mut self, scenario: &Scenario) {
        let disk = |(name, _): &(String, String)| PlannedHolder {
            name: name.clone(),
            key: DISK,
            over: Vec::new(),
            stands: Stands::Below,
        };
        self.holders = self.disks.iter().map(disk).collect();
        for (key, name, part) in scenario.holders.iter() {
            let path = format!("{key}.{name}");
            self.name(&path, name);
            self.take_name(&path, name, key, "rename one of them");
            self.holders.push(PlannedHolder {
                name: name.to_owned(),
                key,
                over: Vec::new(),
                stands: part.stands(),
            });
        }
        for (number, (key, name, part)) in (self.disks.len()..).zip(scenario.holders.iter()) {
            let path = format!("{key}.{name}");
            let at = format!("{path}.on");
            let over = match part.over() {
                Over::One(on) => self.only(&at, on, key).into_iter().collect(),
                Over::Several(names) => {
                    self.not_itself((key, name), names, &at);
                    self.named_once(names, &at, "a disk can't be two members");
                    let pool = self.pool();
                    let mut members = self.find(&at, names, &pool, HOLDERS);
                    // A pattern such as "*" doesn't mean the part itself.
                    members.retain(|&member| member as usize != number);
                    members
                }
            };
            let own = |objection: &Objection| {
                let span = self.places.value(&format!("{path}.{}", objection.key));
                self.sources.is_own(&span, &self.places.key(&path))
            };
            let idle: Vec<Objection> = part.without_effect().into_iter().filter(own).collect();
            for Objection { key: at, message, help } in part.check(over.len()).into_iter().chain(idle) {
                if at.is_empty() {
                    let message = format!("the {key} \"{name}\" can't be made: {message}");
                    let problem = self.sources.error(self.places.key(&path), message);
                    self.problems.push(problem.maybe_help(help));
                } else {
                    let span = self.places.value(&format!("{path}.{at}"));
                    self.problems.push(self.sources.error(span, message).maybe_help(help));
                }
            }
            for &member in &over {
                if !(part.shares() && self.shared.contains(&member)) {
                    self.claim(member, &format!("the {key} \"{name}\""), &at);
                }
                if part.shares() {
                    self.shared.insert(member);
                }
                let below = self.holders[member as usize].clone();
                if below.stands == Stands::BeforeQueue {
                    let message =
                        format!("the {key} \"{name}\" lies on the {} \"{}\"", below.key, below.name);
                    let help = "a throttle charges requests before the queue merges them, so it lies directly under who asks";
                    self.error(&at, message, help);
                }
            }
            if let Some(network) = part.inner_network() {
                self.inner_network((key, name), &network, &over);
            }
            self.holders[number].over = over;
        }
        self.circles();
        self.bottom_up();
    }

    /// A part's members, and itself, are the ends of a network that connects nothing else.
    fn inner_network(&mut self, (key, name): (&str, &str), inner: &InnerNetwork<'_>, over: &[u32]) {
        let InnerNetwork { network, key: own, each } = *inner;
        let path = format!("{key}.{name}.{own}");
        let members =
            over.iter().step_by(each.max(1)).map(|&member| self.holders[member as usize].name.clone());
        let ends = std::iter::once(name.to_owned()).chain(members).collect();
        let is_new = match self.inner_networks.get(network) {
            Some(WithinHolder { holder, .. }) => {
                let message =
                    format!("the network \"{network}\" is between the nodes of \"{holder}\" already");
                self.error(&path, message, "give each one of its own");
                false
            }
            None => true,
        };
        if is_new {
            let within = WithinHolder { holder: name.to_owned(), path, ends };
            self.inner_networks.insert(network.to_owned(), within);
        }
    }

    /// No part is made of itself.
    fn not_itself(&mut self, (key, name): (&str, &str), names: &Names, at: &str) {
        for (written, path) in each_name(names, at) {
            if written == name {
                let message = format!("the {key} \"{name}\" is made of itself");
                self.error(&path, message, "name the disks that it is made of");
            }
        }
    }

    /// Puts what something lies on before it. There are no circles.
    fn bottom_up(&mut self) {
        let count = self.holders.len();
        let mut order: Vec<usize> = Vec::with_capacity(count);
        let mut placed = vec![false; count];
        for start in 0..count {
            // What is to be placed, each after what it lies on.
            let mut path = vec![start];
            while let Some(&last) = path.last() {
                let below = self.holders[last].over.iter().map(|&number| number as usize);
                match below.into_iter().find(|&below| !placed[below]) {
                    Some(below) => path.push(below),
                    None => {
                        path.pop();
                        if !std::mem::replace(&mut placed[last], true) {
                            order.push(last);
                        }
                    }
                }
            }
        }
        let mut number_of = vec![0; count];
        for (number, &was) in (0..).zip(&order) {
            number_of[was] = number;
        }
        let renumber = |number: u32| number_of[number as usize];
        self.holders = order.iter().map(|&was| self.holders[was].clone()).collect();
        for holder in &mut self.holders {
            holder.over.iter_mut().for_each(|below| *below = renumber(*below));
        }
        // Names stand for other numbers from here on.
        self.pool = None;
        let users = std::mem::take(&mut self.users);
        self.users = users.into_iter().map(|(number, user)| (renumber(number), user)).collect();
        self.shared = self.shared.iter().map(|&number| renumber(number)).collect();
    }

    /// Arrays of each other have no disk under them.
    fn circles(&mut self) {
        let made_of_itself = |start: u32| {
            let (mut next, mut seen) = (vec![start], Vec::new());
            while let Some(number) = next.pop() {
                for &below in &self.holders[number as usize].over {
                    if below == start {
                        return true;
                    }
                    if !seen.contains(&below) {
                        seen.push(below);
                        next.push(below);
                    }
                }
            }
            false
        };
        let count = as_number(self.holders.len());
        let Some(number) = (as_number(self.disks.len())..count).find(|&number| made_of_itself(number)) else {
            return;
        };
        let PlannedHolder { name, key, .. } = self.holders[number as usize].clone();
        let message = format!("the {key} \"{name}\" is made of itself");
        self.error(&format!("{key}.{name}.on"), message, "name the disks that it is made of");
        // What follows may rely on an end.
        self.holders.iter_mut().for_each(|holder| holder.over.clear());
    }
}
