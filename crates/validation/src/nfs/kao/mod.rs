//! Kao's measurements of Sun's NFS (CRHC-91-19, table 5.3 and §5.2): one to six users of a workload generator on one workstation.
//!
//! ```text
//!   the split of the parts (sun.toml) ─▶ one factor, fitted to one user's response time ─▶ five response times, predicted
//!                                                                                       └▶ figures 5.6 to 5.12: what §5.2 says of them
//! ```
//!
//! The figures have captions only: each sentence about them is a claim.

use crate::verdict::Judged;
use serde::Serialize;

/// The workstation, the server and what is between them; one factor is missing.
pub const SCENARIO: &str = include_str!("sun.toml");

/// The users: those of tables 5.1, 5.2 and 5.4, under the name that the scenario has for them.
pub const SPECIFICATION: (&str, &str) =
    ("thesis.toml", include_str!("../../../../../examples/users/thesis.toml"));

/// Table 5.3, by number of users: mean and standard deviation of bytes of an access, and of its response time in µs.
const TABLE: [[f64; 4]; 6] = [
    [946.71, 956.76, 1_284.83, 4_201.52],
    [936.06, 945.16, 1_716.26, 7_026.62],
    [932.80, 946.87, 2_120.99, 13_308.12],
    [956.12, 965.49, 2_447.55, 16_834.38],
    [947.98, 948.53, 2_960.32, 16_197.86],
    [928.66, 935.09, 3_494.30, 30_059.28],
];

/// One user's mean response time, in µs, which the factor is fitted to.
pub const FITTED_US: f64 = TABLE[0][2];

/// How far predictions may be off, per cent.
const BOUND_PERCENT: f64 = 10.0;

/// What costs the workstation's processor, in µs (of copying, MB/s).
const CALL_US: f64 = 430.0;
const COPY_MB: f64 = 4.6;
const RPC_US: f64 = 575.0;
const DATA_US: f64 = 560.0;
const SLEEP_US: f64 = 1_040.0;
const TIMED_US: f64 = 260.0;

/// The scenario's settings with a factor on all that costs the workstation's processor.
pub fn settings(factor: f64) -> Vec<String> {
    let us = |path: &str, us: f64| format!("{path}=\"{:.3} us\"", us * factor);
    vec![
        us("unix.ws.call", CALL_US),
        format!("unix.ws.copy=\"{:.4} MB/s\"", COPY_MB / factor),
        us("nfs.home.costs.call", RPC_US),
        us("nfs.home.costs.answer", RPC_US),
        us("nfs.home.costs.data_kib", DATA_US),
        us("workload.users.sleep", SLEEP_US),
        us("workload.users.compute", TIMED_US),
    ]
}

/// What so many users found.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KaoPoint {
    /// Users at work.
    pub users: u32,
    /// Mean bytes of an access, and their standard deviation.
    pub bytes: (f64, f64),
    /// Mean response time in µs, and its standard deviation.
    pub response_us: (f64, f64),
    /// Response time for each byte, in µs.
    pub us_per_byte: f64,
}

/// What a population of users found, by their number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KaoFigure {
    /// The population.
    pub population: String,
    /// By number of users.
    pub points: Vec<KaoPoint>,
    /// Response time a byte grows by so much with each user, in µs, and how much of its variance a straight line explains.
    pub line: (f64, f64),
}

/// A row of table 5.3 beside its prediction.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct KaoRow {
    /// Users at work.
    pub users: u32,
    /// Bytes of an access: measured and predicted.
    pub bytes: (f64, f64),
    /// Mean response time in µs: measured and predicted.
    pub response_us: (f64, f64),
    /// Its standard deviation: measured and predicted.
    pub deviation_us: (f64, f64),
    /// How far the response time is off, per cent.
    pub error_percent: f64,
}

/// Table 5.3 beside what heavy users found.
pub fn rows(heavy: &[KaoPoint]) -> Vec<KaoRow> {
    let row = |(point, measured): (&KaoPoint, &[f64; 4])| KaoRow {
        users: point.users,
        bytes: (measured[0], point.bytes.0),
        response_us: (measured[2], point.response_us.0),
        deviation_us: (measured[3], point.response_us.1),
        error_percent: 100.0 * (point.response_us.0 / measured[2] - 1.0),
    };
    heavy.iter().zip(&TABLE).map(row).collect()
}

/// The five predictions, and what §5.2 says of figures 5.6 to 5.12: of the population whose members never think (5.6), the others in the order
/// of the figures (5.7 to 5.11), and response times a byte by access size (5.12), µs.
pub fn judge(
    rows: &[KaoRow],
    (extreme, others): (&KaoFigure, &[KaoFigure]),
    sizes: &[(u64, f64)],
) -> Vec<Judged> {
    let mut judged: Vec<Judged> = (rows.iter().skip(1))
        .map(|row| {
            let what = format!("table 5.3, response time of {} users", row.users);
            Judged::percent(what, row.error_percent, BOUND_PERCENT, None)
        })
        .collect();
    let growth = |of: fn(&KaoRow) -> f64| match (rows.first(), rows.last()) {
        (Some(first), Some(last)) => {
            (of(last) - of(first)) / f64::from(last.users.saturating_sub(first.users).max(1))
        }
        _ => f64::NAN,
    };
    let (measured, predicted) = (growth(|row| row.response_us.0), growth(|row| row.response_us.1));
    let what = format!("table 5.3, growth with each user: {predicted:.0} us, measured {measured:.0} us");
    judged.push(Judged::percent(what, 100.0 * (predicted / measured - 1.0), 2.0 * BOUND_PERCENT, None));
    let worst = rows
        .iter()
        .map(|row| 100.0 * (row.bytes.1 / row.bytes.0 - 1.0))
        .max_by(|a, b| a.abs().total_cmp(&b.abs()));
    judged.push(Judged::percent(
        "table 5.3, bytes of an access".to_owned(),
        worst.unwrap_or(f64::NAN),
        5.0,
        None,
    ));
    judged.extend(claims((extreme, others), rows, sizes));
    judged
}

fn claims(
    (extreme, others): (&KaoFigure, &[KaoFigure]),
    rows: &[KaoRow],
    sizes: &[(u64, f64)],
) -> Vec<Judged> {
    let (slope, r_squared) = extreme.line;
    let steepest = others.iter().map(|figure| figure.line.0).fold(f64::NEG_INFINITY, f64::max);
    let mean = |figure: &KaoFigure| {
        figure.points.iter().map(|point| point.us_per_byte).sum::<f64>() / figure.points.len().max(1) as f64
    };
    let means: Vec<f64> = others.iter().map(mean).collect();
    let most = means.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let least = means.iter().copied().fold(f64::INFINITY, f64::min);
    let (heavy, light) =
        (means.first().copied().unwrap_or(f64::NAN), means.last().copied().unwrap_or(f64::NAN));
    let deviation =
        rows.iter().map(|row| row.deviation_us.1 / row.response_us.1).fold(f64::INFINITY, f64::min);
    let steps = sizes.windows(2).map(|pair| pair[1].1 / pair[0].1).fold(0.0, f64::max);
    vec![
        Judged::at_least(
            "figure 5.6: with users who never think, response time has a linear relation to their number"
                .to_owned(),
            format!("a straight line explains {:.1} % of its variance, at least 95 %", 100.0 * r_squared),
            (r_squared, 0.95),
            None,
        ),
        Judged::at_most(
            "figures 5.7 to 5.11: the slopes are not as large as in figure 5.6".to_owned(),
            format!("{steepest:.3} us a byte and user at most, figure 5.6 has {slope:.3}"),
            (steepest, slope),
            None,
        ),
        Judged::at_most(
            "figures 5.7 to 5.11: the average response times are similar".to_owned(),
            format!("{least:.2} to {most:.2} us a byte, at most 1.5 times as much"),
            (most / least, 1.5),
            None,
        ),
        Judged::at_most(
            "figures 5.7 and 5.11: a think time of 5 ms is not much different from one of 20 ms".to_owned(),
            format!("{heavy:.2} and {light:.2} us a byte, at most 1.5 times as much"),
            (heavy / light, 1.5),
            None,
        ),
        Judged::at_least(
            "table 5.3: the standard deviation of response times is large".to_owned(),
            format!("{deviation:.1} times the mean at least, as in the table more than it"),
            (deviation, 1.0),
            None,
        ),
        Judged::at_most(
            "figure 5.12: it is better to have large accesses".to_owned(),
            format!(
                "with accesses twice as large a byte takes {steps:.2} times as long at most, less than 1"
            ),
            (steps, 1.0 - 1e-9),
            None,
        ),
    ]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::verdict::Judgement;

    fn point(users: u32, response: f64) -> KaoPoint {
        let bytes = (940.0, 945.0);
        KaoPoint { users, bytes, response_us: (response, 4.0 * response), us_per_byte: response / bytes.0 }
    }

    fn figure(population: &str, line: (f64, f64), responses: [f64; 6]) -> KaoFigure {
        let points = (1..).zip(responses).map(|(users, response)| point(users, response)).collect();
        KaoFigure { population: population.to_owned(), points, line }
    }

    #[test]
    fn the_thesis_own_table_holds_what_the_thesis_says_and_a_flat_one_doesnt() {
        let measured: [f64; 6] = TABLE.map(|row| row[2]);
        let heavy = figure("heavy", (0.45, 0.99), measured);
        let extreme = figure("extreme", (1.3, 0.99), measured.map(|response| 2.0 * response));
        let sizes = [(128, 5.0), (256, 3.0), (512, 2.0)];
        let all = rows(&heavy.points);
        let others = [heavy.clone(), heavy.clone()];
        let held = judge(&all, (&extreme, &others), &sizes);
        assert!(held.iter().all(|judged| judged.verdict == Judgement::Holds), "{held:?}");
        let flat = figure("heavy", (0.0, 0.0), [TABLE[0][2]; 6]);
        let rising = [(128, 5.0), (256, 6.0)];
        let wrong = judge(&rows(&flat.points), (&flat, &others), &rising);
        assert_eq!(
            wrong.iter().filter(|judged| judged.verdict == Judgement::Misses).count(),
            5 + 1 + 2 + 1,
            "{wrong:?}"
        );
    }

    #[test]
    fn a_factor_of_one_changes_nothing() {
        let settings = settings(1.0);
        for setting in &settings {
            let (path, value) = setting.split_once('=').unwrap();
            let number: f64 = value.trim_matches('"').split(' ').next().unwrap().parse().unwrap();
            let (table, key) = path.rsplit_once('.').unwrap();
            let table = table.trim_end_matches(".costs");
            let below = SCENARIO.split(&format!("[{table}]")).nth(1).unwrap();
            let written = below.split(&format!("{key} = \"")).nth(1).unwrap();
            let written: f64 = written.split(' ').next().unwrap().parse().unwrap();
            assert!((number - written).abs() < 1e-6, "{path}: {number} and {written}");
        }
    }
}
