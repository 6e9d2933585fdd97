//! The uncoloured skeleton of a net in PNML (ISO/IEC 15909-2:2011, grammar of 2009), for other Petri-net tools.
//!
//! A place/transition net in PNML knows pages, places with a number of initial tokens, transitions, and weighted arcs,
//! and nothing else. So colours, delays, guards, priorities, capacities, inhibitors and resets are left out; a test
//! (read, peek, update) becomes a pair of arcs; what a transition only may put is drawn as if it always did. Arcs that
//! cross a page border go by reference places, as the standard wants.

use super::description::{ArcDescription, NetDescription, describe};
use super::escaped;
use crate::arc::ArcKind;
use crate::net::Net;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The net's uncoloured skeleton as a PNML document.
pub fn to_pnml(net: &Net) -> String {
    let net = describe(net);
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    out.push_str("<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">\n");
    out.push_str("  <net id=\"net\" type=\"http://www.pnml.org/version-2009/grammar/ptnet\">\n");
    let _ = writeln!(out, "    <name><text>{}</text></name>", escaped(&net.name));
    page(&net, 0, 2, &mut out);
    out.push_str("  </net>\n</pnml>\n");
    out
}

fn page(net: &NetDescription, number: usize, depth: usize, out: &mut String) {
    let indent = "  ".repeat(depth);
    let name = |text: &str| format!("<name><text>{}</text></name>", escaped(text));
    let title = if number == 0 { &net.name } else { &net.pages[number].name };
    let _ = writeln!(out, "{indent}<page id=\"page{number}\">");
    let _ = writeln!(out, "{indent}  {}", name(title));
    for (index, place) in net.places.iter().enumerate().filter(|(_, place)| place.page == number) {
        let _ = write!(out, "{indent}  <place id=\"p{index}\">{}", name(&place.name));
        if place.initial_tokens > 0 {
            let _ = write!(out, "<initialMarking><text>{}</text></initialMarking>", place.initial_tokens);
        }
        out.push_str("</place>\n");
    }
    let here = || net.transitions.iter().enumerate().filter(|(_, transition)| transition.page == number);
    let foreign: BTreeSet<usize> = here()
        .flat_map(|(_, transition)| &transition.arcs)
        .filter(|arc| net.places[arc.place].page != number && !ends(arc).is_empty())
        .map(|arc| arc.place)
        .collect();
    for place in &foreign {
        let text = name(&net.places[*place].path);
        let _ = writeln!(
            out,
            "{indent}  <referencePlace id=\"r{number}_{place}\" ref=\"p{place}\">{text}</referencePlace>"
        );
    }
    for (index, transition) in here() {
        let _ =
            writeln!(out, "{indent}  <transition id=\"t{index}\">{}</transition>", name(&transition.name));
    }
    for (index, transition) in here() {
        for (arc_number, arc) in transition.arcs.iter().enumerate() {
            let place = if foreign.contains(&arc.place) {
                format!("r{number}_{}", arc.place)
            } else {
                format!("p{}", arc.place)
            };
            for inward in ends(arc) {
                let id = format!("a{index}_{arc_number}{}", if *inward { "i" } else { "o" });
                let transition = format!("t{index}");
                let (source, target) = if *inward { (&place, &transition) } else { (&transition, &place) };
                let _ = write!(out, "{indent}  <arc id=\"{id}\" source=\"{source}\" target=\"{target}\">");
                if arc.weight > 1 {
                    let _ = write!(out, "<inscription><text>{}</text></inscription>", arc.weight);
                }
                out.push_str("</arc>\n");
            }
        }
    }
    for child in (0..net.pages.len()).filter(|child| net.pages[*child].parent == Some(number)) {
        page(net, child, depth + 1, out);
    }
    let _ = writeln!(out, "{indent}</page>");
}

/// The plain arcs that stand for an arc: into the transition (true), out of it (false).
fn ends(arc: &ArcDescription) -> &'static [bool] {
    match arc.kind {
        ArcKind::Take | ArcKind::Consume => &[true],
        ArcKind::Read | ArcKind::Peek | ArcKind::Update => &[true, false],
        ArcKind::Put | ArcKind::MayPut => &[false],
        ArcKind::Inhibit | ArcKind::Cancel | ArcKind::Reset => &[],
    }
}
