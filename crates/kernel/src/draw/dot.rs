//! A net in the language of Graphviz: a cluster a page.

use super::description::{ArcDescription, NetDescription, PlaceDescription, describe};
use crate::arc::ArcKind;
use crate::net::Net;
use crate::place::Discipline;
use std::fmt::Write;

/// The net in Graphviz's language, one cluster a page. `dot -Tsvg` lays it out.
pub fn to_dot(net: &Net) -> String {
    let net = describe(net);
    let mut out = String::new();
    let _ = writeln!(out, "digraph {} {{", quoted(&net.name));
    out.push_str("  rankdir=LR;\n  node [fontname=\"sans-serif\", fontsize=11];\n  edge [fontname=\"sans-serif\", fontsize=9];\n");
    cluster(&net, 0, 1, &mut out);
    for (number, transition) in net.transitions.iter().enumerate() {
        for arc in &transition.arcs {
            let _ = writeln!(out, "  {}", edge(number, arc));
        }
    }
    out.push_str("}\n");
    out
}

/// A page's places and transitions, and the pages below it.
fn cluster(net: &NetDescription, page: usize, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    for (number, place) in net.places.iter().enumerate().filter(|(_, place)| place.page == page) {
        let _ = writeln!(out, "{indent}p{number} [{}];", place_style(place));
    }
    for (number, transition) in
        net.transitions.iter().enumerate().filter(|(_, transition)| transition.page == page)
    {
        let mut label = transition.name.clone();
        if transition.guarded {
            label.push_str("\n[guard]");
        }
        if transition.priority != 0 {
            let _ = write!(label, "\npriority {}", transition.priority);
        }
        let _ = writeln!(out, "{indent}t{number} [shape=box, label={}];", quoted(&label));
    }
    for (number, child) in net.pages.iter().enumerate().filter(|(_, child)| child.parent == Some(page)) {
        let _ = writeln!(out, "{indent}subgraph cluster_{number} {{");
        let _ =
            writeln!(out, "{indent}  label={}; color=grey; fontname=\"sans-serif\";", quoted(&child.path));
        cluster(net, number, depth + 1, out);
        let _ = writeln!(out, "{indent}}}");
    }
}

fn place_style(place: &PlaceDescription) -> String {
    let mut label = format!("{}\n{}", place.name, place.colour);
    if let Some(station) = &place.station {
        let _ = write!(label, "\n{}", station.discipline);
        if let Some(servers) = station.servers.filter(|servers| *servers != 1) {
            let _ = write!(label, " × {servers}");
        }
    }
    if let Some(capacity) = place.capacity {
        let _ = write!(label, "\nat most {capacity}");
    }
    if place.initial_tokens > 0 && place.discipline != Discipline::State {
        let _ = write!(label, "\n● {}", place.initial_tokens);
    }
    let shape = match place.discipline {
        Discipline::State => "shape=ellipse, peripheries=2",
        Discipline::Station => "shape=Mrecord, style=rounded",
        _ => "shape=ellipse",
    };
    format!("{shape}, label={}", quoted(&label))
}

fn edge(transition: usize, arc: &ArcDescription) -> String {
    let (transition, place) = (format!("t{transition}"), format!("p{}", arc.place));
    let (from, to, mut style) = match arc.kind {
        ArcKind::Take | ArcKind::Consume => (place, transition, String::new()),
        ArcKind::Read => (place, transition, "style=dashed, arrowhead=none".to_owned()),
        ArcKind::Peek => (place, transition, "style=dotted, arrowhead=none".to_owned()),
        ArcKind::Update => (place, transition, "dir=both".to_owned()),
        ArcKind::Inhibit => (place, transition, "arrowhead=odot".to_owned()),
        ArcKind::Put => (transition, place, String::new()),
        ArcKind::MayPut => (transition, place, "arrowhead=empty".to_owned()),
        ArcKind::Cancel | ArcKind::Reset => (transition, place, "style=dashed, arrowhead=box".to_owned()),
    };
    if let Some(text) = arc.inscription() {
        let separator = if style.is_empty() { "" } else { ", " };
        let _ = write!(style, "{separator}label={}", quoted(&text));
    }
    if style.is_empty() { format!("{from} -> {to};") } else { format!("{from} -> {to} [{style}];") }
}

impl ArcDescription {
    /// What stands beside the arc: its label, or its weight where that is not one.
    pub(super) fn inscription(&self) -> Option<String> {
        let weight = match self.kind {
            ArcKind::MayPut if self.weight == u32::MAX => Some("any number".to_owned()),
            ArcKind::MayPut if self.weight > 1 => Some(format!("≤ {}", self.weight)),
            ArcKind::Inhibit if self.weight > 1 => Some(format!("< {}", self.weight)),
            _ if self.weight > 1 => Some(self.weight.to_string()),
            _ => None,
        };
        match (&self.label, weight) {
            (Some(label), Some(weight)) => Some(format!("{weight}‘{label}")),
            (Some(label), None) => Some(label.clone()),
            (None, weight) => weight,
        }
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
