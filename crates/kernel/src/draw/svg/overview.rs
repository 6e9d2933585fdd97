//! A net as its pages: a box each, and where tokens go from one to another.

use super::scene::{Line, Link, Scene, Shape, node_of};
use crate::arc::ArcKind;
use crate::draw::description::NetDescription;
use crate::draw::fold::Folded;
use std::collections::{BTreeMap, BTreeSet};

/// More boxes than these are no overview: then pages stand for those below them.
const BOXES_MAX: usize = 48;

/// The boxes and the ways between them.
pub(super) fn scene(folded: &Folded) -> Scene {
    let net = &folded.net;
    let shown = shown(net);
    let mut scene = Scene { nodes: Vec::new(), links: Vec::new() };
    let mut boxes = BTreeMap::new();
    for &page in &shown {
        boxes.insert(page, scene.nodes.len());
        let below =
            net.transitions.iter().filter(|transition| standing_for(net, &shown, transition.page) == page);
        let count = below.count();
        let words = if count == 1 { "1 transition".to_owned() } else { format!("{count} transitions") };
        let path = net.pages[page].path.as_str();
        let name = if path.is_empty() { &net.name } else { path };
        let name = folded.called(page, name);
        scene.nodes.push(node_of(Shape::Page, &name, String::new(), words, 2).at(path));
    }
    for ((from, to), _) in ways(net, &shown) {
        let (Some(&from), Some(&to)) = (boxes.get(&from), boxes.get(&to)) else { continue };
        let back = scene.links.iter_mut().find(|link| (link.from, link.to) == (to, from));
        match back {
            Some(link) => link.line = Line::Both,
            None => scene.links.push(Link { from, to, line: Line::Flow, text: None }),
        }
    }
    scene.grow();
    scene
}

/// The pages that have a box: all that have transitions, or the uppermost where these are too many.
fn shown(net: &NetDescription) -> BTreeSet<usize> {
    let working: BTreeSet<usize> = net.transitions.iter().map(|transition| transition.page).collect();
    let depth = |page: usize| std::iter::successors(Some(page), |&page| net.pages[page].parent).count();
    let deepest = working.iter().map(|&page| depth(page)).max().unwrap_or(1);
    for most in (1..=deepest).rev() {
        let at_most: BTreeSet<usize> = working.iter().map(|&page| above(net, page, most)).collect();
        if at_most.len() <= BOXES_MAX || most <= 2 {
            return at_most.into_iter().take(BOXES_MAX).collect();
        }
    }
    working
}

/// A page, or the one above it at this depth.
fn above(net: &NetDescription, page: usize, most: usize) -> usize {
    let way: Vec<usize> = std::iter::successors(Some(page), |&page| net.pages[page].parent).collect();
    way[way.len().saturating_sub(most).min(way.len() - 1)]
}

/// The page whose box a page is in.
fn standing_for(net: &NetDescription, shown: &BTreeSet<usize>, page: usize) -> usize {
    let mut way = std::iter::successors(Some(page), |&page| net.pages[page].parent);
    way.find(|page| shown.contains(page)).unwrap_or(page)
}

/// Between which boxes tokens go, and by how many places.
fn ways(net: &NetDescription, shown: &BTreeSet<usize>) -> BTreeMap<(usize, usize), usize> {
    let mut puts: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut takes: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for transition in &net.transitions {
        let page = standing_for(net, shown, transition.page);
        for arc in &transition.arcs {
            match arc.kind {
                ArcKind::Put | ArcKind::MayPut => drop(puts.entry(arc.place).or_default().insert(page)),
                ArcKind::Take | ArcKind::Consume => drop(takes.entry(arc.place).or_default().insert(page)),
                _ => {}
            }
        }
    }
    let mut ways = BTreeMap::new();
    for (place, from) in &puts {
        for &to in takes.get(place).into_iter().flatten() {
            for &from in from.iter().filter(|&&from| from != to) {
                *ways.entry((from, to)).or_default() += 1;
            }
        }
    }
    ways
}
