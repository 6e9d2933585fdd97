//! Whether two workloads are alike, as a table.

use crate::table::table;
use petrio_study::users::alike::{Alike, AlikeTest};

/// The tests of two workloads.
pub(crate) fn alike_table(found: &Alike) -> String {
    let p = |value: f64| if value < 1e-4 { "< 0.0001".to_owned() } else { format!("{value:.4}") };
    let row = |test: &AlikeTest| {
        let (statistic, effect) = test.method.words();
        vec![
            test.of.clone(),
            format!("{} and {}", test.counts.0, test.counts.1),
            format!("{statistic} {:.3}", test.statistic),
            p(test.p),
            p(test.p_of_all),
            format!("{effect} {:+.3}", test.effect),
            test.verdict.words().to_owned(),
        ]
    };
    let rows: Vec<Vec<String>> = found.tests.iter().map(row).collect();
    let heads = ["", "values", "test", "p", "p of all", "effect", ""];
    let mut text = table(&heads, &rows);
    for untested in &found.untested {
        text.push_str(&format!("not tested, for want of values: {untested}\n"));
    }
    text.push_str(&format!("\n  {}\n", found.sentence()));
    text
}
