//! What things cost on the command line: in every form of a report, compared, searched for, and beside what each change brings.

use crate::support::{Folder, figure, petrio_at_root, unwrapped};

/// Four drives of which the catalogue knows price and power.
const ARRAY: &str = r#"
title = "an array"

[disk.d]
model = "seagate-exos-x16-16tb"
count = 4

[raid.r]
level = 5
on = "d*"

[workload.w]
kind = "synthetic"
on = "r"
requests = 500
generators = [{ read_fraction = 0.8, inter_arrival = { exponential = { mean = "12 ms" } }, size = "8 KiB" }]
"#;

#[test]
fn every_form_of_a_report_tells_what_the_system_costs_draws_and_holds() {
    let folder = Folder::with(ARRAY);
    let answer = folder.petrio(&[
        "run",
        "scenario.toml",
        "--no-what-if",
        "--json",
        "r.json",
        "--html",
        "r.html",
        "--csv",
        "r.csv",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = unwrapped(&answer.out);
    assert!(text.contains("2,440 USD to buy") && text.contains("W (20.0 W idle, 40.0 W at work)"), "{text}");
    assert!(text.contains("usable of"), "{text}");
    let report = folder.json("r.json");
    assert_eq!(report["costs"][0]["name"], "all");
    assert!((figure(&report, "/costs/0/over_months") - 2440.0).abs() < 1e-9);
    assert!(report["costs"][0]["prices"][0].as_str().unwrap().contains("2019-06"), "a price has its date");
    let page = folder.text("r.html");
    assert!(page.contains("2,440 USD to buy") && page.contains("Techgage"));
    let rows = folder.text("r.csv");
    assert!(rows.lines().any(|line| line.contains(",cost,all,USD,cost,2440,,money")), "{rows}");
}

#[test]
fn compare_and_sweep_take_cost_watts_and_capacity_for_measures() {
    let folder = Folder::with(ARRAY);
    let answer = folder.petrio(&[
        "compare",
        "scenario.toml",
        "scenario.toml@disk.d.count=6",
        "--replications",
        "2",
        "--measure",
        "cost",
        "--json",
        "c.json",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let text = unwrapped(&answer.out);
    assert!(text.contains("2,440") && text.contains("3,660"), "{text}");
    let swept = folder.petrio(&[
        "sweep",
        "scenario.toml",
        "--vary",
        "disk.d.count=4,5,6",
        "--measure",
        "cost",
        "--measure",
        "watts",
        "--measure",
        "capacity",
        "--replications",
        "1",
        "--out",
        "study",
    ]);
    assert_eq!(swept.code, Some(0), "{}", swept.talk);
    let rows = folder.petrio(&["sweep", "show", "study", "--csv", "rows.csv", "--quiet"]);
    assert_eq!(rows.code, Some(0), "{}", rows.talk);
    let rows = folder.text("rows.csv");
    let mut lines = rows.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let heads = lines.next().unwrap();
    let column = |name: &str| heads.iter().position(|head| head.starts_with(name)).unwrap();
    let (cost, watts, capacity) = (column("cost"), column("watts"), column("capacity"));
    let cells: Vec<[f64; 3]> =
        lines.map(|line| [cost, watts, capacity].map(|at| line[at].parse().unwrap())).collect();
    assert!(
        cells.windows(2).all(|pair| (0..3).all(|at| pair[0][at] < pair[1][at])),
        "more of all with more disks: {rows}"
    );
    assert!((cells[0][0] - 2440.0).abs() < 1e-6, "{rows}");
    // The first measure is what is searched for: the cheapest case is named first.
    let best = unwrapped(&folder.petrio(&["sweep", "show", "study"]).out);
    assert!(best.contains("2,440"), "{best}");
}

#[test]
fn a_comparison_without_a_sum_names_the_part_without_a_price() {
    let folder = Folder::with(ARRAY);
    let refused = folder.petrio(&[
        "compare",
        "scenario.toml",
        "scenario.toml@disk.d.model=hp-c3323a",
        "--replications",
        "2",
        "--measure",
        "cost",
    ]);
    assert_eq!(refused.code, Some(2), "{}", refused.talk);
    let talk = unwrapped(&refused.talk);
    assert!(
        talk.contains("B (") && talk.contains("no sum of costs: no price of any of its parts is known"),
        "{talk}"
    );
    let euro = "scenario.toml@disk.d.drive.cost.price=500 EUR";
    let refused =
        folder.petrio(&["compare", "scenario.toml", euro, "--replications", "2", "--measure", "cost"]);
    let talk = unwrapped(&refused.talk);
    assert!(refused.code == Some(2) && talk.contains("in USD and those of B in EUR"), "{talk}");
}

#[test]
fn explain_tells_what_each_change_costs_and_what_a_hundred_brings() {
    let folder = Folder::with(&ARRAY.replace("12 ms", "9 ms"));
    let answer = folder.petrio(&[
        "explain",
        "scenario.toml",
        "--replications",
        "2",
        "--json",
        "e.json",
        "--html",
        "e.html",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.talk);
    let found = folder.json("e.json");
    let all: Vec<_> =
        ["better", "worse", "pairs"].iter().flat_map(|which| found[*which].as_array().unwrap()).collect();
    let twice = all.iter().find(|tried| {
        tried["change"]["settings"][0][0] == "disk.d.count"
            && tried["change"]["settings"].as_array().unwrap().len() == 1
    });
    let twice = twice.expect("twice as many disks change something");
    assert!((figure(twice, "/cost/price") - 2440.0).abs() < 1e-6, "{twice}");
    let faster =
        all.iter().find(|tried| tried["change"]["settings"][0][0].as_str().unwrap().contains("rotation"));
    assert!(
        faster.is_none_or(|tried| tried["cost"].is_null()),
        "nobody sells a drive that turns twice as fast"
    );
    assert!(answer.out.contains("costs") && answer.out.contains("not known"), "{}", answer.out);
    assert!(unwrapped(&answer.out).contains("+2,440 USD"), "{}", answer.out);
    assert!(folder.text("e.html").contains("+2,440 USD"));
}

#[test]
fn the_catalogue_lists_prices_and_shows_their_sources() {
    let list = petrio_at_root(&["catalogue", "list"]).out;
    let line =
        |name: &str| list.lines().find(|line| line.starts_with(&format!("{name} "))).unwrap().to_owned();
    assert!(
        line("seagate-exos-x16-16tb").contains("610 USD")
            && line("seagate-exos-x16-16tb").contains("5 W / 10 W")
    );
    assert!(line("gp3").contains("8.00 USD a month"), "{}", line("gp3"));
    let shown = petrio_at_root(&["catalogue", "show", "seagate-exos-x16-16tb"]).out;
    assert!(shown.contains("[cost.price]") && shown.contains("Techgage"));
    assert!(petrio_at_root(&["catalogue", "list", "adapters"]).out.contains("70.1 USD a month"), "m5.large");
    assert!(petrio_at_root(&["catalogue", "list", "machines"]).out.contains("55 USD"));
}

#[test]
fn the_documents_examples_of_costs_are_in_order() {
    let text = std::fs::read_to_string(crate::support::root().join("docs/cost.md")).unwrap();
    let scenario = text.split("```toml").nth(1).unwrap().split("```").next().unwrap();
    let folder = Folder::with(scenario);
    let checked = folder.petrio(&["check", "scenario.toml"]);
    assert_eq!(checked.code, Some(0), "{}", checked.talk);
    let report = folder.report(&[]);
    let all = &report["costs"][0];
    for (path, words) in [("/costs/0/price", "1,665"), ("/costs/0/idle_w", "")] {
        assert!(figure(&report, path) > 0.0 && text.contains(words), "{all}");
    }
    assert!((figure(&report, "/costs/0/price") - 1665.0).abs() < 1e-6, "{all}");
}
