//! A graph in layers, and an order in each of them with few crossings of links.

/// An item of a layer: a node, or an edge passing through.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Item {
    Node(usize),
    Lane(usize),
}

/// Layers, and the links between items of neighbouring layers.
pub(super) struct Layers {
    pub(super) layers: Vec<Vec<Item>>,
    /// Of layer i to layer i + 1: (position of item in its layer's first order, same in the next, weight); kept by item
    /// number.
    pub(super) links: Vec<Vec<(usize, usize, f64)>>,
    pub(super) heights: Vec<f64>,
    /// Item numbers of each layer in order.
    pub(super) order: Vec<Vec<usize>>,
}

/// Sweeps to and fro, ordering each layer by the mean position of its neighbours; the best order seen is kept.
pub(super) fn reduce_crossings(layers: &mut Layers) {
    let count = layers.order.len();
    let mut best = (crossings(layers), layers.order.clone());
    for sweep in 0..24 {
        let rightward = sweep % 2 == 0;
        for step in 1..count {
            let layer = if rightward { step } else { count - 1 - step };
            let fixed = if rightward { layer - 1 } else { layer + 1 };
            let links = &layers.links[layer.min(fixed)];
            let position: std::collections::BTreeMap<usize, usize> =
                layers.order[fixed].iter().enumerate().map(|(position, item)| (*item, position)).collect();
            let mut keyed: Vec<(f64, usize, usize)> = layers.order[layer]
                .iter()
                .enumerate()
                .map(|(at, item)| {
                    let (mut sum, mut weight) = (0.0, 0.0);
                    for &(left, right, _) in links {
                        let (own, other) = if rightward { (right, left) } else { (left, right) };
                        if own == *item {
                            sum += position[&other] as f64;
                            weight += 1.0;
                        }
                    }
                    // Without neighbours on that side, it stays about where it is.
                    let scale = layers.order[fixed].len() as f64 / layers.order[layer].len() as f64;
                    (if weight > 0.0 { sum / weight } else { at as f64 * scale }, at, *item)
                })
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            layers.order[layer] = keyed.into_iter().map(|(_, _, item)| item).collect();
        }
        exchange_neighbours(layers);
        let found = crossings(layers);
        if found < best.0 {
            best = (found, layers.order.clone());
        }
    }
    layers.order = best.1;
}

/// Swaps neighbours in a layer while that saves crossings.
fn exchange_neighbours(layers: &mut Layers) {
    for layer in 0..layers.order.len() {
        for _ in 0..4 {
            let mut better = false;
            for position in 1..layers.order[layer].len() {
                let before = crossings_around(layers, layer);
                layers.order[layer].swap(position - 1, position);
                if crossings_around(layers, layer) < before {
                    better = true;
                } else {
                    layers.order[layer].swap(position - 1, position);
                }
            }
            if !better {
                break;
            }
        }
    }
}

fn crossings(layers: &Layers) -> usize {
    (0..layers.links.len()).map(|between| crossings_between(layers, between)).sum()
}

fn crossings_around(layers: &Layers, layer: usize) -> usize {
    let left = if layer > 0 { crossings_between(layers, layer - 1) } else { 0 };
    let right = if layer < layers.links.len() { crossings_between(layers, layer) } else { 0 };
    left + right
}

fn crossings_between(layers: &Layers, between: usize) -> usize {
    let position =
        |layer: usize, item: usize| layers.order[layer].iter().position(|other| *other == item).unwrap_or(0);
    let ends: Vec<(usize, usize)> = layers.links[between]
        .iter()
        .map(|&(left, right, _)| (position(between, left), position(between + 1, right)))
        .collect();
    let mut count = 0;
    for (number, a) in ends.iter().enumerate() {
        for b in &ends[..number] {
            if (a.0 < b.0 && a.1 > b.1) || (a.0 > b.0 && a.1 < b.1) {
                count += 1;
            }
        }
    }
    count
}
