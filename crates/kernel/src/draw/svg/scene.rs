//! What one page shows: its places and transitions, the pages below it as boxes, and the places of other pages that it
//! touches.

use super::layout::Size;
use super::text::{shortened, width};
use super::words::colour;
use crate::arc::ArcKind;
use crate::draw::description::{NetDescription, PlaceDescription};
use crate::draw::fold::Folded;
use crate::place::Discipline;
use crate::structure::PortDirection;
use std::collections::BTreeMap;

/// The height of a place or a transition with few arcs, pixels.
const HEIGHT: f64 = 34.0;
/// Room for a line of text above a shape, and for one below.
const NOTE: f64 = 15.0;
/// The longest name that is shown whole.
const LONGEST: usize = 30;
/// Width of the waiting-line symbol.
pub(super) const SYMBOL: f64 = 36.0;

pub(super) enum Shape {
    Place { state: bool, station: bool, foreign: bool, tokens: usize },
    Transition,
    Page,
}

pub(super) struct Node {
    pub(super) shape: Shape,
    pub(super) name: String,
    /// Above: what serves, what bounds, which port.
    pub(super) above: String,
    pub(super) is_port: bool,
    /// Below: the colour, the guard.
    pub(super) below: String,
    /// Of the shape itself.
    pub(super) width: f64,
    pub(super) height: f64,
    /// Its path in the net.
    pub(super) path: String,
    rank: u32,
}

/// How an arc is drawn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Line {
    /// Tokens flow.
    Flow,
    /// Tokens may flow.
    MayFlow,
    /// Taken and put back, or changed in place.
    Both,
    Read,
    Peek,
    Inhibit,
    /// Cancels or resets.
    Clear,
}

pub(super) struct Link {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) line: Line,
    pub(super) text: Option<String>,
}

pub(super) struct Scene {
    pub(super) nodes: Vec<Node>,
    pub(super) links: Vec<Link>,
}

/// A thing of the page that touches places.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unit {
    Transition(usize),
    Page(usize),
}

/// What a page below does with a place.
#[derive(Clone, Copy, Default)]
struct Touch {
    takes: bool,
    puts: bool,
    looks: bool,
}

impl Scene {
    pub(super) fn of(folded: &Folded, page: usize) -> Self {
        let net = &folded.net;
        let touches = touches_of_pages_below(net, page);
        let shown = shown_places(net, page, &touches);
        let mut scene = Self { nodes: Vec::new(), links: Vec::new() };
        let mut place_nodes = BTreeMap::new();
        for place in shown {
            place_nodes.insert(place, scene.nodes.len());
            scene.nodes.push(place_node(net, page, place));
        }
        for (index, transition) in
            net.transitions.iter().enumerate().filter(|(_, transition)| transition.page == page)
        {
            let above = if transition.priority == 0 {
                String::new()
            } else {
                format!("priority {}", transition.priority)
            };
            let below = if transition.guarded { "[guard]".to_owned() } else { String::new() };
            let node = scene.nodes.len();
            let shape = node_of(Shape::Transition, &transition.name, above, below, 2);
            scene.nodes.push(shape.at(&transition.path));
            scene.link_arcs(net, index, node, &place_nodes);
        }
        for child in (0..net.pages.len()).filter(|child| net.pages[*child].parent == Some(page)) {
            let mine: Vec<(usize, Touch)> = touches
                .iter()
                .filter(|((unit, place), _)| *unit == child && place_nodes.contains_key(place))
                .map(|((_, place), touch)| (*place, *touch))
                .collect();
            let node = scene.nodes.len();
            let name = folded.called(child, &net.pages[child].name);
            let shape = node_of(Shape::Page, &name, String::new(), String::new(), 2);
            scene.nodes.push(shape.at(&net.pages[child].path));
            for (place, touch) in mine {
                scene.link_page(node, place_nodes[&place], touch);
            }
        }
        scene.grow();
        scene
    }

    /// Links of a transition: one for each place and meaning; what is taken and put back is one line with two heads.
    fn link_arcs(
        &mut self,
        net: &NetDescription,
        transition: usize,
        node: usize,
        places: &BTreeMap<usize, usize>,
    ) {
        let arcs = &net.transitions[transition].arcs;
        let plain = |place: usize, kinds: [ArcKind; 2]| {
            arcs.iter().any(|arc| {
                arc.place == place && kinds.contains(&arc.kind) && arc.weight == 1 && arc.label.is_none()
            })
        };
        let mut seen: Vec<(usize, usize, Line, Option<String>)> = Vec::new();
        for arc in arcs {
            let place = places[&arc.place];
            let returned = plain(arc.place, [ArcKind::Take, ArcKind::Consume])
                && plain(arc.place, [ArcKind::Put, ArcKind::Put])
                && arc.weight == 1
                && arc.label.is_none();
            let (from, to, line) = match arc.kind {
                ArcKind::Take | ArcKind::Consume | ArcKind::Put if returned => (place, node, Line::Both),
                ArcKind::Take | ArcKind::Consume => (place, node, Line::Flow),
                ArcKind::Update => (place, node, Line::Both),
                ArcKind::Read => (place, node, Line::Read),
                ArcKind::Peek => (place, node, Line::Peek),
                ArcKind::Inhibit => (place, node, Line::Inhibit),
                ArcKind::Put => (node, place, Line::Flow),
                ArcKind::MayPut => (node, place, Line::MayFlow),
                ArcKind::Cancel | ArcKind::Reset => (node, place, Line::Clear),
            };
            let link = (from, to, line, arc.inscription());
            if !seen.contains(&link) {
                seen.push(link);
            }
        }
        self.links.extend(seen.into_iter().map(|(from, to, line, text)| Link { from, to, line, text }));
    }

    fn link_page(&mut self, page: usize, place: usize, touch: Touch) {
        let mut add = |from, to, line| self.links.push(Link { from, to, line, text: None });
        match (touch.takes, touch.puts) {
            (true, true) => add(place, page, Line::Both),
            (true, false) => add(place, page, Line::Flow),
            (false, true) => add(page, place, Line::Flow),
            (false, false) if touch.looks => add(place, page, Line::Read),
            (false, false) => {}
        }
    }

    /// Shapes with many arcs are taller, so that each arc has its own end.
    pub(super) fn grow(&mut self) {
        let mut degree = vec![0usize; self.nodes.len()];
        for link in &self.links {
            degree[link.from] += 1;
            degree[link.to] += 1;
        }
        for (node, degree) in self.nodes.iter_mut().zip(degree) {
            node.height = node.height.max(7.0 * degree as f64 + 6.0);
        }
    }

    /// The room that a node needs, with its texts.
    pub(super) fn extent(&self, node: usize) -> Size {
        let node = &self.nodes[node];
        let texts = width(&node.above, 10.0).max(width(&node.below, 10.0));
        Size { width: node.width.max(texts), height: node.height + 2.0 * NOTE, rank: node.rank }
    }
}

/// What the pages below do with which places, by page and place. What a page declares as its ports counts; where it
/// declares nothing, its arcs do.
fn touches_of_pages_below(net: &NetDescription, page: usize) -> BTreeMap<(usize, usize), Touch> {
    let mut touches: BTreeMap<(usize, usize), Touch> = BTreeMap::new();
    for transition in &net.transitions {
        let Some(child) = child_towards(net, page, transition.page) else { continue };
        for arc in &transition.arcs {
            let touch = touches.entry((child, arc.place)).or_default();
            match arc.kind {
                ArcKind::Take | ArcKind::Consume => touch.takes = true,
                ArcKind::Put | ArcKind::MayPut => touch.puts = true,
                ArcKind::Update => (touch.takes, touch.puts) = (true, true),
                ArcKind::Read | ArcKind::Peek | ArcKind::Inhibit | ArcKind::Cancel | ArcKind::Reset => {
                    touch.looks = true;
                }
            }
        }
    }
    for child in (0..net.pages.len()).filter(|child| net.pages[*child].parent == Some(page)) {
        for port in &net.pages[child].ports {
            let touch = touches.entry((child, port.place)).or_default();
            match port.direction {
                PortDirection::In => *touch = Touch { takes: true, puts: false, looks: false },
                PortDirection::Out => *touch = Touch { takes: false, puts: true, looks: false },
                PortDirection::Shared => touch.looks = true,
            }
        }
    }
    touches
}

/// The page directly below `page` through which `target` is reached.
fn child_towards(net: &NetDescription, page: usize, target: usize) -> Option<usize> {
    let mut at = target;
    loop {
        let parent = net.pages[at].parent?;
        if parent == page {
            return Some(at);
        }
        at = parent;
    }
}

/// The places that a page shows: its own, those that its transitions touch, and those by which the pages below are
/// joined to each other or to the outside.
fn shown_places(net: &NetDescription, page: usize, touches: &BTreeMap<(usize, usize), Touch>) -> Vec<usize> {
    let mut units: Vec<Vec<Unit>> = vec![Vec::new(); net.places.len()];
    for (index, transition) in
        net.transitions.iter().enumerate().filter(|(_, transition)| transition.page == page)
    {
        for arc in &transition.arcs {
            units[arc.place].push(Unit::Transition(index));
        }
    }
    for (child, place) in touches.keys() {
        units[*place].push(Unit::Page(*child));
    }
    let shows = |place: &usize| {
        let (place, owner) = (*place, net.places[*place].page);
        if owner == page || units[place].iter().any(|unit| matches!(unit, Unit::Transition(_))) {
            return true;
        }
        let owner_below = child_towards(net, page, owner);
        units[place].iter().any(|unit| owner_below.is_none_or(|below| *unit != Unit::Page(below)))
    };
    (0..net.places.len()).filter(shows).collect()
}

fn place_node(net: &NetDescription, page: usize, index: usize) -> Node {
    let place = &net.places[index];
    let foreign = place.page != page;
    let port = net.pages[page].ports.iter().find(|port| port.place == index);
    let mut above: Vec<String> = Vec::new();
    if let Some(port) = port {
        above.push(match port.direction {
            PortDirection::In => format!("▸ in: {}", port.name),
            PortDirection::Out => format!("out: {} ▸", port.name),
            PortDirection::Shared => format!("◂ shared: {} ▸", port.name),
        });
    }
    above.extend(notes(place));
    let rank = match port.map(|port| port.direction) {
        Some(PortDirection::In) => 0,
        Some(PortDirection::Out) => 4,
        Some(PortDirection::Shared) => 3,
        None if place.discipline == Discipline::State => 3,
        None if place.initial_tokens > 0 => 1,
        None => 2,
    };
    let state = place.discipline == Discipline::State;
    let shape = Shape::Place {
        state,
        station: place.station.is_some(),
        foreign,
        tokens: if state || foreign { 0 } else { place.initial_tokens },
    };
    let name = if foreign { relative(net, page, place) } else { place.name.clone() };
    let below = shortened(&colour(&place.colour), 26);
    let mut node = node_of(shape, &name, above.join(" · "), below, rank).at(&place.path);
    node.is_port = port.is_some();
    node
}

/// What serves a place, how it is ordered, and what bounds it.
fn notes(place: &PlaceDescription) -> Vec<String> {
    let mut notes = Vec::new();
    match (&place.station, place.discipline) {
        (Some(station), _) => notes.push(match station.servers {
            Some(1) | None => station.discipline.clone(),
            Some(u32::MAX) => format!("{} × any number", station.discipline),
            Some(servers) => format!("{} × {servers}", station.discipline),
        }),
        (None, Discipline::Fifo | Discipline::State | Discipline::Station) => {}
        (None, discipline) => notes.push(format!("{discipline:?}").to_lowercase()),
    }
    // As many as can be counted are any number.
    if let Some(capacity) = place.capacity.filter(|capacity| *capacity < u32::MAX) {
        notes.push(format!("at most {capacity}"));
    }
    notes
}

/// The path of a place of another page, as short as it can be said here: the name alone for a place of the page above
/// (its dashed outline says that it is another page's), the rest of the path for a place below.
fn relative(net: &NetDescription, page: usize, place: &PlaceDescription) -> String {
    if net.pages[page].parent == Some(place.page) {
        return place.name.clone();
    }
    let here = net.pages[page].path.as_str();
    let below = if here.is_empty() { Some(place.path.as_str()) } else { place.path.strip_prefix(here) };
    match below.map(|rest| rest.strip_prefix('/').unwrap_or(rest)) {
        Some(rest) if here.is_empty() || place.path.len() > here.len() + rest.len() => rest.to_owned(),
        _ => place.path.clone(),
    }
}

impl Node {
    pub(super) fn at(self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self }
    }
}

pub(super) fn node_of(shape: Shape, name: &str, above: String, below: String, rank: u32) -> Node {
    let name = shortened(name, LONGEST);
    let text = width(&name, 12.0);
    let width = match &shape {
        Shape::Place { station: true, .. } => text + SYMBOL + 26.0,
        Shape::Place { .. } => (text + 26.0).max(48.0),
        Shape::Transition | Shape::Page => (text + 20.0).max(40.0),
    };
    Node { shape, name, above, is_port: false, below, width, height: HEIGHT, path: String::new(), rank }
}
