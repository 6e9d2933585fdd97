//! Max-min fairness: shares of several resources such that nobody's can grow but at the cost of one that is no larger.

/// Finds max-min fair rates by progressive filling (Bertsekas and Gallager, Data Networks, 1992, section 6.5.2): all
/// rates grow alike until a resource is used up or a cap is reached, which fixes those of its users; the others grow
/// on.
///
/// ```
/// use petrio_kernel::MaxMin;
/// // Two links of 1 and 2; one flow over both, one over each.
/// let shares = MaxMin::new(&[1.0, 2.0]);
/// let mut rates = Vec::new();
/// let flows: [&[usize]; 3] = [&[0, 1], &[0], &[1]];
/// shares.rates(flows.into_iter().map(|over| (over.iter().copied(), f64::INFINITY)), &mut rates);
/// assert_eq!(rates, [0.5, 0.5, 1.5]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct MaxMin {
    capacities: Vec<f64>,
}

impl MaxMin {
    /// Over resources of these capacities.
    pub fn new(capacities: &[f64]) -> Self {
        Self { capacities: capacities.to_vec() }
    }

    /// Adds the rates of flows to `rates`, each of which uses some resources (by position; one that isn't there is
    /// none) and has a cap. A flow that uses none gets its cap.
    pub fn rates<R: IntoIterator<Item = usize>>(
        &self,
        flows: impl IntoIterator<Item = (R, f64)>,
        rates: &mut Vec<f64>,
    ) {
        let mut left = self.capacities.clone();
        let mut users = vec![0u32; left.len()];
        // What each flow uses ends there in `over`; its cap.
        let mut all: Vec<(usize, f64)> = Vec::new();
        let (mut over, mut open, mut full) = (Vec::<usize>::new(), Vec::new(), Vec::new());
        for (uses, cap) in flows {
            let begin = over.len();
            over.extend(uses.into_iter().filter(|&resource| resource < left.len()));
            over[begin..].iter().for_each(|&resource| users[resource] += 1);
            open.push(all.len());
            all.push((over.len(), cap.max(0.0)));
        }
        let base = rates.len();
        rates.resize(base + all.len(), 0.0);
        let of = |flow: usize| if flow == 0 { 0..all[0].0 } else { all[flow - 1].0..all[flow].0 };
        let mut level = 0.0;
        while !open.is_empty() {
            let shares = left.iter().zip(&users).filter(|&(_, &users)| users > 0);
            let by_resource =
                shares.map(|(left, &users)| left / f64::from(users)).fold(f64::INFINITY, f64::min);
            let by_cap = open.iter().map(|&flow| all[flow].1 - level).fold(f64::INFINITY, f64::min);
            let growth = by_resource.min(by_cap).max(0.0);
            let below = level;
            level += growth;
            let is_full = |left: f64, users: u32| left <= growth * f64::from(users) * (1.0 + 1e-12);
            full.clear();
            full.extend(left.iter().zip(&users).map(|(&left, &users)| is_full(left, users)));
            for (left, &users) in left.iter_mut().zip(&users) {
                *left = (*left - growth * f64::from(users)).max(0.0);
            }
            open.retain(|&flow| {
                let capped = all[flow].1 - below <= growth;
                let ends = capped || over[of(flow)].iter().any(|&resource| full[resource]);
                if ends {
                    rates[base + flow] = if capped { all[flow].1 } else { level };
                    over[of(flow)].iter().for_each(|&resource| users[resource] -= 1);
                }
                !ends
            });
        }
    }
}
