//! Drawing a scene: shapes, arcs between them, and their texts.

use super::layout::{Edge, Graph, Layout, lay_out};
use super::scene::{Line, Link, Node, SYMBOL, Scene, Shape};
use super::text::width;
use crate::draw::escaped;
use std::collections::BTreeMap;
use std::fmt::Write;

pub(super) struct Drawing {
    pub(super) content: String,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The middle of each node.
    pub(super) centres: Vec<(f64, f64)>,
}

/// The longest arrowhead.
const HEAD: f64 = 8.0;

pub(super) fn draw(scene: &Scene) -> Drawing {
    let graph = Graph {
        nodes: (0..scene.nodes.len()).map(|node| scene.extent(node)).collect(),
        edges: scene
            .links
            .iter()
            .map(|link| Edge {
                from: link.from,
                to: link.to,
                weight: if matches!(link.line, Line::Flow) { 3.0 } else { 1.0 },
                label_width: link.text.as_ref().map_or(0.0, |text| width(text, 10.0)),
            })
            .collect(),
    };
    let layout = lay_out(&graph);
    let mut content = String::new();
    for ((link, ends), bends) in scene.links.iter().zip(ends(scene, &layout)).zip(&layout.bends) {
        arc(link, ends, bends, &mut content);
    }
    for (node, (x, y)) in scene.nodes.iter().zip(&layout.centres) {
        shape(node, *x, *y, &mut content);
    }
    Drawing { content, width: layout.width, height: layout.height, centres: layout.centres }
}

type Point = (f64, f64);
/// A node, and whether its right side is meant.
type Side = (usize, bool);
/// The height of what an arc leads to, its link, and whether this is the link's start.
type Reach = (f64, usize, bool);

/// Where each link leaves its first node and reaches its second: on the sides that face each other, spread so that no
/// two meet.
fn ends(scene: &Scene, layout: &Layout) -> Vec<(Point, Point)> {
    let mut sides: BTreeMap<Side, Vec<Reach>> = BTreeMap::new();
    for (number, link) in scene.links.iter().enumerate() {
        let (from, to) = (layout.centres[link.from], layout.centres[link.to]);
        let rightward = from.0 <= to.0;
        let bends = &layout.bends[number];
        let next = bends.first().map_or(to.1, |point| point.1);
        let last = bends.last().map_or(from.1, |point| point.1);
        sides.entry((link.from, rightward)).or_default().push((next, number, true));
        sides.entry((link.to, !rightward)).or_default().push((last, number, false));
    }
    let mut found = vec![((0.0, 0.0), (0.0, 0.0)); scene.links.len()];
    for ((node, right), mut members) in sides {
        members.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (centre, shape) = (layout.centres[node], &scene.nodes[node]);
        let step = if members.len() > 1 {
            ((shape.height - 12.0) / (members.len() - 1) as f64).min(11.0)
        } else {
            0.0
        };
        for (position, (_, link, start)) in members.iter().enumerate() {
            let offset = (position as f64 - (members.len() - 1) as f64 / 2.0) * step;
            let reach = boundary(shape, offset);
            let point = (centre.0 + if right { reach } else { -reach }, centre.1 + offset);
            if *start { found[*link].0 = point } else { found[*link].1 = point }
        }
    }
    found
}

/// How far the outline is from the centre, sideways, at a height.
fn boundary(node: &Node, offset: f64) -> f64 {
    let half = node.width / 2.0;
    match node.shape {
        Shape::Place { .. } => {
            let radius = radius(node);
            let beyond = (offset.abs() - (node.height / 2.0 - radius)).max(0.0);
            half - radius + (radius * radius - beyond * beyond).max(0.0).sqrt()
        }
        Shape::Transition | Shape::Page => half,
    }
}

fn radius(node: &Node) -> f64 {
    (node.height / 2.0).min(17.0)
}

fn arc(link: &Link, (start, end): (Point, Point), bends: &[Point], out: &mut String) {
    let direction = |from: Point, to: Point| if to.0 >= from.0 { 1.0 } else { -1.0 };
    let first = bends.first().copied().unwrap_or(end);
    let last = bends.last().copied().unwrap_or(start);
    let (leaving, arriving) = (direction(start, first), direction(last, end));
    // The line stops where the head begins, so that hollow heads stay hollow.
    let length = match link.line {
        Line::Read | Line::Peek => 0.0,
        Line::Inhibit => 8.0,
        _ => HEAD,
    };
    let tail = if link.line == Line::Both { HEAD } else { 0.0 };
    let points: Vec<Point> = std::iter::once((start.0 + leaving * tail, start.1))
        .chain(bends.iter().copied())
        .chain([(end.0 - arriving * length, end.1)])
        .collect();
    let mut path = format!("M{:.1} {:.1}", points[0].0, points[0].1);
    for pair in points.windows(2) {
        let ((x0, y0), (x1, y1)) = (pair[0], pair[1]);
        if (y1 - y0).abs() < 0.05 {
            let _ = write!(path, "H{x1:.1}");
        } else {
            let middle = (x0 + x1) / 2.0;
            let _ = write!(path, "C{middle:.1} {y0:.1} {middle:.1} {y1:.1} {x1:.1} {y1:.1}");
        }
    }
    let class = match link.line {
        Line::Read | Line::Clear => "arc dashed",
        Line::Peek => "arc dotted",
        _ => "arc",
    };
    let _ = writeln!(out, "<path class=\"{class}\" d=\"{path}\"/>");
    head(link.line, end, arriving, out);
    if link.line == Line::Both {
        head(Line::Flow, start, -leaving, out);
    }
    if let Some(text) = &link.text {
        let (x, y) = ((points[0].0 + points[1].0) / 2.0, (points[0].1 + points[1].1) / 2.0);
        let _ = writeln!(
            out,
            "<text class=\"inscription\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            y - 4.0,
            escaped(text)
        );
    }
}

/// The end of an arc at `tip`, pointing right (1) or left (−1).
pub(super) fn head(line: Line, tip: Point, direction: f64, out: &mut String) {
    let (x, y) = tip;
    let back = |length: f64| x - direction * length;
    let arrow = |at: f64, class: &str| {
        format!(
            "<path class=\"{class}\" d=\"M{at:.1} {y:.1}L{:.1} {:.1}L{:.1} {:.1}Z\"/>\n",
            at - direction * HEAD,
            y - 3.5,
            at - direction * HEAD,
            y + 3.5
        )
    };
    match line {
        Line::Flow | Line::Both => out.push_str(&arrow(x, "head")),
        Line::MayFlow => out.push_str(&arrow(x, "head hollow")),
        Line::Clear => {
            out.push_str(&arrow(x, "head"));
            out.push_str(&arrow(back(5.0), "head"));
        }
        Line::Inhibit => {
            let _ = writeln!(
                out,
                "<circle class=\"head hollow\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\"/>",
                back(4.0)
            );
        }
        Line::Read | Line::Peek => {}
    }
}

pub(super) fn shape(node: &Node, x: f64, y: f64, out: &mut String) {
    let (left, top) = (x - node.width / 2.0, y - node.height / 2.0);
    let rectangle = |class: &str, inset: f64, corner: f64| {
        format!(
            "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{corner:.1}\"/>\n",
            left + inset,
            top + inset,
            node.width - 2.0 * inset,
            node.height - 2.0 * inset
        )
    };
    let mut text_x = x;
    match &node.shape {
        Shape::Place { state, station, foreign, tokens } => {
            let class = if *foreign { "place foreign" } else { "place" };
            out.push_str(&rectangle(class, 0.0, radius(node)));
            if *state {
                out.push_str(&rectangle("inner", 3.5, radius(node) - 3.5));
            }
            if *station {
                waiting_line(left + 13.0, y, out);
                text_x += SYMBOL / 2.0;
            }
            if *tokens > 0 {
                let text = if *tokens < 1_000 { tokens.to_string() } else { "…".to_owned() };
                let half = (width(&text, 9.0) / 2.0 + 3.5).max(7.0);
                let (right, middle) = (left + node.width - 8.0, top + 1.0);
                let _ = writeln!(
                    out,
                    "<rect class=\"token\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"14\" rx=\"7\"/><text class=\"count\" x=\"{right:.1}\" y=\"{:.1}\">{text}</text>",
                    right - half,
                    middle - 7.0,
                    2.0 * half,
                    middle + 3.2
                );
            }
        }
        Shape::Transition => out.push_str(&rectangle("transition", 0.0, 1.5)),
        Shape::Page => {
            out.push_str(&rectangle("page", 0.0, 1.5));
            out.push_str(&rectangle("inner", 3.5, 1.0));
        }
    }
    let _ = writeln!(
        out,
        "<text class=\"name\" x=\"{text_x:.1}\" y=\"{:.1}\">{}</text>",
        y + 4.2,
        escaped(&node.name)
    );
    if !node.above.is_empty() {
        let class = if node.is_port { "port" } else { "note" };
        let _ = writeln!(
            out,
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
            top - 4.5,
            escaped(&node.above)
        );
    }
    if !node.below.is_empty() {
        let below = top + node.height + 11.5;
        let _ = writeln!(
            out,
            "<text class=\"note\" x=\"{x:.1}\" y=\"{below:.1}\">{}</text>",
            escaped(&node.below)
        );
    }
}

/// The symbol of a queueing place: a waiting line, open to the left, and a server.
fn waiting_line(left: f64, y: f64, out: &mut String) {
    let right = left + 18.0;
    let _ = writeln!(
        out,
        "<path class=\"inner\" d=\"M{left:.1} {:.1}H{right:.1}V{:.1}H{left:.1}M{:.1} {:.1}V{:.1}M{:.1} {:.1}V{:.1}\"/><circle class=\"inner\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"6\"/>",
        y - 6.0,
        y + 6.0,
        left + 6.0,
        y - 6.0,
        y + 6.0,
        left + 12.0,
        y - 6.0,
        y + 6.0,
        right + 6.0
    );
}
