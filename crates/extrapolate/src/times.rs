//! How long something takes on another number of ranks: a part that is the same on any, and one that they share.

/// `same + shared / ranks`, in picoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    same: f64,
    shared: f64,
}

impl Times {
    /// By least squares, neither part below zero; from means by number of ranks.
    pub(crate) fn of(means: &[(u32, f64)]) -> Self {
        let count = means.len() as f64;
        let mean = means.iter().map(|(_, time)| time).sum::<f64>() / count.max(1.0);
        let part = means.iter().map(|(ranks, _)| 1.0 / f64::from(*ranks)).sum::<f64>() / count.max(1.0);
        let (mut over, mut under, mut through) = (0.0, 0.0, (0.0, 0.0));
        for (ranks, time) in means {
            let share = 1.0 / f64::from(*ranks);
            over += (share - part) * (time - mean);
            under += (share - part) * (share - part);
            through = (through.0 + share * time, through.1 + share * share);
        }
        let shared = if under > 0.0 { over / under } else { 0.0 };
        let same = mean - shared * part;
        if shared <= 0.0 {
            return Self { same: mean, shared: 0.0 };
        }
        if same < 0.0 {
            return Self { same: 0.0, shared: through.0 / through.1 };
        }
        Self { same, shared }
    }

    pub(crate) fn on(self, ranks: u32) -> f64 {
        self.same + self.shared / f64::from(ranks)
    }
}

#[cfg(test)]
mod tests {
    use super::Times;

    #[test]
    fn what_ranks_share_takes_less_on_more_of_them() {
        let times = Times::of(&[(4, 1_000.0), (9, 1_000.0 * 4.0 / 9.0)]);
        assert!((times.on(16) - 250.0).abs() < 1e-6, "{times:?}");
        let times = Times::of(&[(4, 10.0), (9, 12.0)]);
        assert!((times.on(16) - 11.0).abs() < 1e-9);
    }
}
