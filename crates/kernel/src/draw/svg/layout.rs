//! Layered layout of a directed graph (after Sugiyama, Tagawa and Toda 1981): layers from left to right, few crossings,
//! straight edges. Deterministic: the same graph gives the same picture.

use super::layers::{Item, Layers, reduce_crossings};
use super::straighten::place_rows;

/// A graph to be laid out.
#[derive(Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Size>,
    pub(super) edges: Vec<Edge>,
}

/// The size of a node, pixels.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub(super) width: f64,
    pub(super) height: f64,
    /// Nodes of low rank are where the flow begins.
    pub(super) rank: u32,
}

/// An edge; the heavier, the straighter.
#[derive(Clone, Copy)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) weight: f64,
    /// Room for text between the layers, pixels.
    pub(super) label_width: f64,
}

/// Where everything is, pixels.
pub(super) struct Layout {
    /// Centres of the nodes.
    pub(super) centres: Vec<(f64, f64)>,
    /// Points on the way of each edge, from its `from` to its `to`, in columns strictly between theirs.
    pub(super) bends: Vec<Vec<(f64, f64)>>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Horizontal room between layers.
const COLUMN_GAP: f64 = 54.0;
/// Vertical room between nodes.
const ROW_GAP: f64 = 26.0;
/// Vertical room around an edge that passes a layer.
const LANE: f64 = 14.0;

pub(super) fn lay_out(graph: &Graph) -> Layout {
    let reversed = reversals(graph);
    let layer_of = assign_layers(graph, &reversed);
    let (mut layers, lanes) = split(graph, &reversed, &layer_of);
    reduce_crossings(&mut layers);
    let rows = place_rows(&layers, |a, b| gap(&layers, a, b));

    // Columns: as wide as the widest node, with room for the labels of the edges between.
    let count = layers.layers.len();
    let mut widths = vec![0.0f64; count];
    let mut gaps = vec![COLUMN_GAP; count];
    for (node, layer) in layer_of.iter().enumerate() {
        widths[*layer] = widths[*layer].max(graph.nodes[node].width);
    }
    for edge in &graph.edges {
        let layer = layer_of[edge.from].min(layer_of[edge.to]);
        gaps[layer] = gaps[layer].max(edge.label_width + 36.0);
    }
    let mut columns = Vec::with_capacity(count);
    let mut x = 0.0;
    for layer in 0..count {
        columns.push(x + widths[layer] / 2.0);
        x += widths[layer] + gaps[layer];
    }
    let width = x - gaps.last().copied().unwrap_or(0.0);

    let mut centres = vec![(0.0, 0.0); graph.nodes.len()];
    let mut bends = vec![Vec::new(); graph.edges.len()];
    let mut items = Vec::new();
    let mut number = 0;
    for (layer, content) in layers.layers.iter().enumerate() {
        for item in content {
            items.push((layer, *item, rows[number]));
            number += 1;
        }
    }
    for (layer, item, row) in items {
        match item {
            Item::Node(node) => centres[node] = (columns[layer], row),
            Item::Lane(edge) => {
                // Through the whole width of the column, so that no node of it is touched.
                let half = widths[layer] / 2.0;
                bends[edge].push((columns[layer] - half, row));
                bends[edge].push((columns[layer] + half, row));
            }
        }
    }
    for edge in 0..graph.edges.len() {
        if lanes[edge] {
            bends[edge].reverse();
        }
    }
    let top = (0..number).map(|item| rows[item] - layers.heights[item] / 2.0).fold(f64::INFINITY, f64::min);
    let bottom = (0..number).map(|item| rows[item] + layers.heights[item] / 2.0).fold(0.0, f64::max);
    let top = if top.is_finite() { top } else { 0.0 };
    centres.iter_mut().for_each(|centre| centre.1 -= top);
    bends.iter_mut().flatten().for_each(|point| point.1 -= top);
    Layout { centres, bends, width, height: bottom - top }
}

/// The least distance between the centres of two neighbours.
fn gap(layers: &Layers, upper: usize, lower: usize) -> f64 {
    let lane = |item: usize| layers.heights[item] <= LANE;
    let room = if lane(upper) && lane(lower) {
        2.0
    } else {
        ROW_GAP / if lane(upper) || lane(lower) { 2.0 } else { 1.0 }
    };
    (layers.heights[upper] + layers.heights[lower]) / 2.0 + room
}

/// Which edges must be turned round so that no cycle is left: those that lead back on a depth-first walk which starts
/// where the flow begins.
fn reversals(graph: &Graph) -> Vec<bool> {
    let count = graph.nodes.len();
    let mut outgoing = vec![Vec::new(); count];
    let mut incoming = vec![0usize; count];
    for (number, edge) in graph.edges.iter().enumerate() {
        outgoing[edge.from].push(number);
        incoming[edge.to] += 1;
    }
    let mut roots: Vec<usize> = (0..count).collect();
    roots.sort_by_key(|node| (graph.nodes[*node].rank, incoming[*node] > 0, *node));
    let mut reversed = vec![false; graph.edges.len()];
    // 0 unseen, 1 on the walk, 2 done.
    let mut state = vec![0u8; count];
    for root in roots {
        if state[root] != 0 {
            continue;
        }
        let mut walk = vec![(root, 0usize)];
        state[root] = 1;
        while let Some((node, next)) = walk.last_mut() {
            let Some(edge) = outgoing[*node].get(*next).copied() else {
                state[*node] = 2;
                walk.pop();
                continue;
            };
            *next += 1;
            let target = graph.edges[edge].to;
            match state[target] {
                0 => {
                    state[target] = 1;
                    walk.push((target, 0));
                }
                1 => reversed[edge] = true,
                _ => {}
            }
        }
    }
    reversed
}

/// Longest paths from the left, then every node as near to its neighbours as it can be.
fn assign_layers(graph: &Graph, reversed: &[bool]) -> Vec<usize> {
    let count = graph.nodes.len();
    let edges: Vec<(usize, usize, f64)> = graph
        .edges
        .iter()
        .zip(reversed)
        .filter(|(edge, _)| edge.from != edge.to)
        .map(
            |(edge, back)| {
                if *back { (edge.to, edge.from, edge.weight) } else { (edge.from, edge.to, edge.weight) }
            },
        )
        .collect();
    let mut layer = vec![0usize; count];
    // No cycle is left, so this ends after at most `count` rounds.
    for _ in 0..count {
        let mut moved = false;
        for &(from, to, _) in &edges {
            if layer[to] <= layer[from] {
                layer[to] = layer[from] + 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let last = layer.iter().copied().max().unwrap_or(0);
    for _ in 0..8 {
        for node in 0..count {
            let before = edges.iter().filter(|edge| edge.1 == node).map(|edge| (layer[edge.0] + 1, edge.2));
            let after = edges.iter().filter(|edge| edge.0 == node).map(|edge| (layer[edge.1], edge.2));
            let least = before.clone().map(|(layer, _)| layer).max();
            let most = after.clone().map(|(layer, _)| layer - 1).min();
            let pull: f64 =
                after.map(|(_, weight)| weight).sum::<f64>() - before.map(|(_, weight)| weight).sum::<f64>();
            layer[node] = match (least, most) {
                (Some(least), Some(most)) => {
                    if pull > 0.0 {
                        most
                    } else {
                        least
                    }
                }
                (None, Some(most)) => most,
                (Some(least), None) => least,
                (None, None) => layer[node].min(last),
            };
        }
    }
    let first = layer.iter().copied().min().unwrap_or(0);
    layer.iter_mut().for_each(|layer| *layer -= first);
    layer
}

/// Puts nodes and passing edges into layers; says which edges run from right to left.
fn split(graph: &Graph, reversed: &[bool], layer_of: &[usize]) -> (Layers, Vec<bool>) {
    let count = layer_of.iter().copied().max().map_or(0, |last| last + 1);
    let mut content: Vec<Vec<Item>> = vec![Vec::new(); count];
    // Nodes in the order of a walk along the edges, so that what belongs together starts together.
    let mut seen = vec![false; graph.nodes.len()];
    let mut order = Vec::new();
    for start in 0..graph.nodes.len() {
        let mut pending = vec![start];
        while let Some(node) = pending.pop() {
            if std::mem::replace(&mut seen[node], true) {
                continue;
            }
            order.push(node);
            let neighbours = graph.edges.iter().filter_map(|edge| {
                if edge.from == node {
                    Some(edge.to)
                } else if edge.to == node {
                    Some(edge.from)
                } else {
                    None
                }
            });
            pending.extend(neighbours.collect::<Vec<_>>().into_iter().rev());
        }
    }
    for node in order {
        content[layer_of[node]].push(Item::Node(node));
    }
    let mut lanes = vec![false; graph.edges.len()];
    for (number, edge) in graph.edges.iter().enumerate() {
        let (left, right) =
            (layer_of[edge.from].min(layer_of[edge.to]), layer_of[edge.from].max(layer_of[edge.to]));
        lanes[number] = reversed[number] || layer_of[edge.from] > layer_of[edge.to];
        for layer in content.iter_mut().take(right).skip(left + 1) {
            layer.push(Item::Lane(number));
        }
    }
    // Items are numbered layer by layer.
    let mut first = Vec::new();
    let mut heights = Vec::new();
    for layer in &content {
        first.push(heights.len());
        for item in layer {
            heights.push(match item {
                Item::Node(node) => graph.nodes[*node].height,
                Item::Lane(_) => LANE,
            });
        }
    }
    let find = |layer: usize, item: Item| {
        content[layer].iter().position(|other| *other == item).map(|position| first[layer] + position)
    };
    let mut links = vec![Vec::new(); count.saturating_sub(1)];
    for (number, edge) in graph.edges.iter().enumerate() {
        let (a, b) = (layer_of[edge.from], layer_of[edge.to]);
        let (left, right, start, end) =
            if a <= b { (a, b, edge.from, edge.to) } else { (b, a, edge.to, edge.from) };
        for (layer, links) in links.iter_mut().enumerate().take(right).skip(left) {
            let from = find(layer, if layer == left { Item::Node(start) } else { Item::Lane(number) });
            let to = find(layer + 1, if layer + 1 == right { Item::Node(end) } else { Item::Lane(number) });
            if let (Some(from), Some(to)) = (from, to) {
                // Long edges are kept straight.
                let weight = edge.weight * if right - left > 1 { 2.0 } else { 1.0 };
                links.push((from, to, weight));
            }
        }
    }
    let order =
        first.iter().zip(&content).map(|(first, layer)| (*first..first + layer.len()).collect()).collect();
    (Layers { layers: content, links, heights, order }, lanes)
}
