//! A net in which equal parts stand once: what readers are shown of thousands of hosts.
//!
//! Pages on the same page are equal if their names differ in numbers alone and so does all that is on and below them: places,
//! transitions, and what their arcs lead to. The first of them stays, with the number of all; arcs that lead to another lead
//! to the same thing of the first. Places elsewhere that such pages have each for itself stand once, too.

use super::description::{ArcDescription, NetDescription, PageDescription, TransitionDescription};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// A net of which equal parts stand once.
pub(super) struct Folded {
    pub(super) net: NetDescription,
    /// For how many each page stands, itself among them.
    pub(super) copies: Vec<usize>,
}

impl Folded {
    /// Every part as it is.
    pub(super) fn nothing(net: NetDescription) -> Self {
        Self { copies: vec![1; net.pages.len()], net }
    }

    /// What a page is called that may stand for others.
    pub(super) fn called(&self, page: usize, name: &str) -> String {
        match self.copies.get(page) {
            Some(&copies) if copies > 1 => format!("{name} × {copies}"),
            _ => name.to_owned(),
        }
    }
}

/// Numbers of a name, each as one sign.
fn without_numbers(name: &str) -> String {
    let mut plain = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter.is_ascii_digit() {
            true if plain.ends_with('#') => {}
            true => plain.push('#'),
            false => plain.push(letter),
        }
    }
    plain
}

/// What is on each page, in order.
struct Contents {
    children: Vec<Vec<usize>>,
    places: Vec<Vec<usize>>,
    transitions: Vec<Vec<usize>>,
}

impl Contents {
    fn of(net: &NetDescription) -> Self {
        let none = vec![Vec::new(); net.pages.len()];
        let mut all = Self { children: none.clone(), places: none.clone(), transitions: none };
        for (number, page) in net.pages.iter().enumerate() {
            page.parent.into_iter().for_each(|parent| all.children[parent].push(number));
        }
        net.places.iter().enumerate().for_each(|(number, place)| all.places[place.page].push(number));
        net.transitions.iter().enumerate().for_each(|(number, own)| all.transitions[own.page].push(number));
        all
    }
}

/// What each page looks like, as a number: equal ones have the same.
fn looks(net: &NetDescription, contents: &Contents) -> Vec<usize> {
    let paths: Vec<String> = net.places.iter().map(|place| without_numbers(&place.path)).collect();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut looks = vec![0; net.pages.len()];
    // A page comes before those below it.
    for page in (0..net.pages.len()).rev() {
        let mut text = without_numbers(&net.pages[page].name);
        let ports: BTreeSet<String> = (net.pages[page].ports.iter())
            .map(|port| format!("{} {:?} {}", without_numbers(&port.name), port.direction, paths[port.place]))
            .collect();
        let _ = write!(text, "|{ports:?}");
        for &place in &contents.places[page] {
            let own = &net.places[place];
            let _ = write!(
                text,
                "|{} {:?} {:?} {} {} {:?}",
                paths[place], own.discipline, own.capacity, own.colour, own.initial_tokens, own.station
            );
        }
        for &transition in &contents.transitions[page] {
            let TransitionDescription { path, priority, guarded, arcs, .. } = &net.transitions[transition];
            let arcs: BTreeSet<String> = (arcs.iter())
                .map(|arc| format!("{} {:?} {} {:?}", paths[arc.place], arc.kind, arc.weight, arc.label))
                .collect();
            let _ = write!(text, "|{} {priority} {guarded} {arcs:?}", without_numbers(path));
        }
        let mut below: Vec<usize> = contents.children[page].iter().map(|&child| looks[child]).collect();
        below.sort_unstable();
        let _ = write!(text, "|{below:?}");
        let next = known.len();
        looks[page] = *known.entry(text).or_insert(next);
    }
    looks
}

/// What stands for what: itself, or the same thing of an equal page, which something else may stand for.
struct Standing<'c> {
    net: &'c NetDescription,
    contents: &'c Contents,
    looks: &'c [usize],
    pages: Vec<usize>,
    places: Vec<usize>,
}

impl Standing<'_> {
    /// A page, which is equal to another, is stood for by it, and so is all that is on and below it.
    fn pair(&mut self, page: usize, by: usize) {
        self.pages[page] = by;
        for (&own, &other) in self.contents.places[page].iter().zip(&self.contents.places[by]) {
            self.places[own] = other;
        }
        let net = self.net;
        for (&own, &other) in self.contents.transitions[page].iter().zip(&self.contents.transitions[by]) {
            let arcs = net.transitions[own].arcs.iter().zip(&net.transitions[other].arcs);
            arcs.for_each(|(own, other)| self.pair_places(own.place, other.place));
        }
        for (own, other) in net.pages[page].ports.iter().zip(&net.pages[by].ports) {
            self.pair_places(own.place, other.place);
        }
        let in_order = |page: usize| {
            let mut below = self.contents.children[page].clone();
            below.sort_by_key(|&child| (self.looks[child], child));
            below
        };
        for (own, other) in in_order(page).into_iter().zip(in_order(by)) {
            self.pair(own, other);
        }
    }
}

impl Standing<'_> {
    /// Two pages, of which one stands for the other, have each one of these places elsewhere: as long as they differ in
    /// numbers alone, one stands for the other, too.
    fn pair_places(&mut self, place: usize, by: usize) {
        let last =
            std::iter::successors(Some(by), |&at| Some(self.places[at]).filter(|&next| next != at)).last();
        let (own, other) = (&self.net.places[place], &self.net.places[by]);
        let are_equal = own.page == other.page && without_numbers(&own.path) == without_numbers(&other.path);
        // Where they stand in a ring, one has to begin.
        if self.places[place] == place && are_equal && last != Some(place) {
            self.places[place] = by;
        }
    }
}

/// What stands in the end for each.
fn resolved(stands: &[usize]) -> Vec<usize> {
    let last = |at: usize| {
        let mut at = at;
        while stands[at] != at {
            at = stands[at];
        }
        at
    };
    (0..stands.len()).map(last).collect()
}

/// The net with equal parts once.
#[expect(clippy::too_many_lines, reason = "a net is rewritten part by part: pages, places, transitions")]
pub(super) fn fold(net: &NetDescription) -> Folded {
    let contents = Contents::of(net);
    let looks = looks(net, &contents);
    let (pages, places) = ((0..net.pages.len()).collect(), (0..net.places.len()).collect());
    let mut standing = Standing { net, contents: &contents, looks: &looks, pages, places };
    for page in 0..net.pages.len() {
        // Those of a page that is stood for are, too.
        if standing.pages[page] != page {
            continue;
        }
        let mut first: BTreeMap<usize, usize> = BTreeMap::new();
        for &child in &contents.children[page] {
            match first.get(&looks[child]) {
                Some(&by) => standing.pair(child, by),
                None => drop(first.insert(looks[child], child)),
            }
        }
    }
    let (pages, places) = (resolved(&standing.pages), resolved(&standing.places));
    let touched = |kept: bool| -> BTreeSet<usize> {
        let transitions = net.transitions.iter().filter(|own| !kept || pages[own.page] == own.page);
        let arcs = transitions.flat_map(|own| own.arcs.iter().map(|arc| arc.place));
        let ports = net.pages.iter().enumerate().filter(|(page, _)| !kept || pages[*page] == *page);
        arcs.chain(ports.flat_map(|(_, page)| page.ports.iter().map(|port| port.place)))
            .map(|place| places[place])
            .collect()
    };
    let (before, after) = (touched(false), touched(true));
    let stays = |place: usize| {
        let there = places[place] == place && pages[net.places[place].page] == net.places[place].page;
        there && (after.contains(&place) || !before.contains(&place))
    };
    let numbers = |count: usize, stays: &dyn Fn(usize) -> bool| -> BTreeMap<usize, usize> {
        (0..count).filter(|&one| stays(one)).enumerate().map(|(new, old)| (old, new)).collect()
    };
    let page_of = numbers(net.pages.len(), &|page| pages[page] == page);
    let place_of = numbers(net.places.len(), &stays);
    let place = |old: usize| place_of.get(&places[old]).copied();
    let mut copies = vec![0; page_of.len()];
    pages.iter().filter_map(|page| page_of.get(page)).for_each(|&page| copies[page] += 1);
    let net = NetDescription {
        name: net.name.clone(),
        pages: page_of
            .keys()
            .map(|&old| {
                let PageDescription { path, name, parent, ports } = net.pages[old].clone();
                let mut ports: Vec<_> = (ports.into_iter())
                    .filter_map(|port| Some(super::PortDescription { place: place(port.place)?, ..port }))
                    .collect();
                let mut seen = BTreeSet::new();
                ports.retain(|port| seen.insert((port.place, format!("{:?}", port.direction))));
                let parent = parent.and_then(|parent| page_of.get(&parent).copied());
                PageDescription { path, name, parent, ports }
            })
            .collect(),
        places: place_of
            .keys()
            .filter_map(|&old| {
                let place = net.places[old].clone();
                Some(super::PlaceDescription { page: *page_of.get(&place.page)?, ..place })
            })
            .collect(),
        transitions: (net.transitions.iter())
            .filter_map(|own| {
                let page = *page_of.get(&own.page)?;
                let mut arcs: Vec<ArcDescription> = Vec::new();
                for arc in &own.arcs {
                    let Some(place) = place(arc.place) else { continue };
                    let arc = ArcDescription { place, ..arc.clone() };
                    if !arcs.contains(&arc) {
                        arcs.push(arc);
                    }
                }
                Some(TransitionDescription { page, arcs, ..own.clone() })
            })
            .collect(),
    };
    Folded { net, copies }
}
