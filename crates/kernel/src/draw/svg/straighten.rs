//! Rows of a layered drawing: every item near the mean of its neighbours, none nearer to another than allowed.

use super::layers::Layers;

/// Sweeps over the layers.
const SWEEPS: usize = 40;

/// The vertical centre of each item, by item number. `gap` gives the least distance of two neighbours in a layer.
pub(super) fn place_rows(layers: &Layers, gap: impl Fn(usize, usize) -> f64) -> Vec<f64> {
    let mut rows = vec![0.0; layers.heights.len()];
    for order in &layers.order {
        for pair in order.windows(2) {
            rows[pair[1]] = rows[pair[0]] + gap(pair[0], pair[1]);
        }
        // Each layer starts centred on zero.
        let middle = order.last().map_or(0.0, |last| rows[*last] / 2.0);
        order.iter().for_each(|item| rows[*item] -= middle);
    }
    let count = layers.order.len();
    for sweep in 0..SWEEPS {
        // The first sweeps look one way, the last ones both ways, so that the result is balanced.
        let both = sweep >= SWEEPS / 2;
        for step in 0..count {
            let layer = if sweep % 2 == 0 { step } else { count - 1 - step };
            let order = &layers.order[layer];
            let wanted: Vec<(f64, f64)> = order
                .iter()
                .map(|item| {
                    let (mut sum, mut weight) = (0.0, 0.0);
                    if layer > 0 && (both || sweep % 2 == 0) {
                        for &(left, right, pull) in &layers.links[layer - 1] {
                            if right == *item {
                                sum += pull * rows[left];
                                weight += pull;
                            }
                        }
                    }
                    if layer + 1 < count && (both || sweep % 2 == 1) {
                        for &(left, right, pull) in &layers.links[layer] {
                            if left == *item {
                                sum += pull * rows[right];
                                weight += pull;
                            }
                        }
                    }
                    if weight > 0.0 { (sum / weight, weight) } else { (rows[*item], 0.01) }
                })
                .collect();
            let placed = separate(&wanted, |upper| gap(order[upper], order[upper + 1]));
            order.iter().zip(placed).for_each(|(item, row)| rows[*item] = row);
        }
    }
    rows
}

/// The positions nearest to the wanted ones (by weighted squares) that keep their distances: isotonic regression by
/// pooling adjacent violators.
fn separate(wanted: &[(f64, f64)], gap: impl Fn(usize) -> f64) -> Vec<f64> {
    // Without its distance from the first, each position only has to be no less than the one before.
    let mut offsets = vec![0.0];
    for upper in 0..wanted.len().saturating_sub(1) {
        offsets.push(offsets[upper] + gap(upper));
    }
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    for ((position, weight), offset) in wanted.iter().zip(&offsets) {
        let mut pool = (position - offset, *weight, 1);
        while let Some(last) = pools.last() {
            if last.0 <= pool.0 {
                break;
            }
            let weight = last.1 + pool.1;
            pool = ((last.0 * last.1 + pool.0 * pool.1) / weight, weight, last.2 + pool.2);
            pools.pop();
        }
        pools.push(pool);
    }
    let levels = pools.into_iter().flat_map(|(level, _, count)| std::iter::repeat_n(level, count));
    levels.zip(offsets).map(|(level, offset)| level + offset).collect()
}

#[cfg(test)]
mod tests {
    use super::separate;

    #[test]
    fn positions_keep_their_distance_and_move_as_little_as_possible() {
        let placed = separate(&[(0.0, 1.0), (0.0, 1.0), (100.0, 1.0)], |_| 10.0);
        assert_eq!(placed, [-5.0, 5.0, 100.0]);
        // The heavier one moves less.
        let placed = separate(&[(0.0, 3.0), (0.0, 1.0)], |_| 8.0);
        assert_eq!(placed, [-2.0, 6.0]);
    }
}
