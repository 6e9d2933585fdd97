//! What a System costs, draws and holds: sums that leave nothing out, and what must be so whatever the prices are.

use crate::common::{loaded, once, once_of, problem};
use petrio_scenario::catalogue::devices;
use petrio_scenario::costs::{CostDifference, Costs};
use petrio_scenario::report::{CostFigures, Report};
use petrio_scenario::{Override, load_text};

const LOAD: &str = "[workload.w]\nkind = \"synthetic\"\nrequests = 600\ngenerators = [{ read_fraction = 0.7, \
                    inter_arrival = { exponential = { mean = \"20 ms\" } }, size = \"16 KiB\" }]\n";

fn on(what: &str) -> String {
    LOAD.replace("requests", &format!("on = \"{what}\"\nrequests"))
}

/// An array of so many drives with a price and watts, or the drives themselves.
fn array(level: &str, count: u32) -> String {
    let disks = format!("[disk.d]\nmodel = \"seagate-exos-x16-16tb\"\ncount = {count}\n");
    match level {
        "" => disks + &on("d*"),
        level => disks + &format!("[raid.r]\nlevel = {level}\non = \"d*\"\n") + &on("r"),
    }
}

fn all(report: &Report) -> &CostFigures {
    report.costs.iter().find(|costs| costs.name == "all").unwrap()
}

fn difference(text: &str, changes: &[&str]) -> Option<CostDifference> {
    let sets: Vec<Override> = changes.iter().map(|set| set.parse().unwrap()).collect();
    let changed = load_text("test.toml", text, None, &sets).unwrap_or_else(|problems| panic!("{problems:?}"));
    Costs::of(&loaded(text)).difference(&Costs::of(&changed))
}

#[test]
fn more_disks_cost_more_and_redundancy_takes_of_what_can_be_used() {
    let terabytes = 16_000_900_661_248_u64;
    let mut before = 0.0;
    for count in [4, 5, 8] {
        let report = once(&array("5", count));
        let costs = all(&report);
        let (price, usable) = (costs.over_months.unwrap(), costs.usable_bytes.unwrap());
        assert!((price - 610.0 * f64::from(count)).abs() < 1e-6 && price > before, "{price}");
        before = price;
        assert_eq!(costs.raw_bytes.unwrap(), terabytes * u64::from(count));
        let data = u64::from(count - 1) * terabytes;
        assert!(usable <= data && usable > data - (1 << 30), "{usable} of {data}");
        let each = costs.per_mb_per_s.unwrap().value * report.served.throughput_bytes_per_s.value / 1e6;
        assert!((each / price - 1.0).abs() < 1e-9, "what each MB/s costs is what all of them cost");
    }
    let usable = |level: &str| all(&once(&array(level, 6))).usable_bytes.unwrap();
    assert!(usable("6") < usable("5") && usable("5") < usable("0"));
    assert!(usable("10") < usable("6") && usable("0") <= 6 * terabytes);
    assert_eq!(usable(""), 6 * terabytes, "disks by themselves are used whole");
}

#[test]
fn spares_partitions_and_parts_in_common_are_not_counted_twice() {
    let disks = "[disk.d]\nmodel = \"seagate-exos-x16-16tb\"\ncount = 5\n";
    let usable = |text: &str| all(&once(&[disks, text].concat())).usable_bytes.unwrap();
    let four = usable(&("[raid.r]\nlevel = 5\nspares = 1\non = \"d*\"\n".to_owned() + &on("r")));
    let five = usable(&("[raid.r]\nlevel = 5\non = \"d*\"\n".to_owned() + &on("r")));
    assert!(four < five, "a spare holds nothing");
    let halves = "[disk.d]\nmodel = \"seagate-exos-x16-16tb\"\n[partition.one]\non = \"d\"\nsize = \"50 %\"\n\
                  [partition.two]\non = \"d\"\nfrom = \"50 %\"\nsize = \"50 %\"\n";
    let report = once(&[halves, &on("one"), &on("two").replace(".w]", ".v]")].concat());
    let costs = all(&report);
    let (raw, parted) = (costs.raw_bytes.unwrap(), costs.usable_bytes.unwrap());
    assert!(
        parted <= raw && parted > raw - (1 << 20),
        "two halves are no more than the whole: {parted} of {raw}"
    );
}

#[test]
fn watts_lie_between_idle_and_at_work_and_follow_the_load() {
    let watts = |gap: &str| {
        let report = once(&array("5", 4).replace("20 ms", gap));
        let costs = all(&report).clone();
        let (idle, drawn, active) =
            (costs.idle_w.unwrap(), costs.drawn_w.unwrap().value, costs.active_w.unwrap());
        assert!((idle - 20.0).abs() < 1e-9 && (active - 40.0).abs() < 1e-9, "{idle} {active}");
        assert!(idle < drawn && drawn < active, "{idle} {drawn} {active}");
        drawn
    };
    let (calm, busy) = (watts("200 ms"), watts("25 ms"));
    assert!(busy > calm * 1.05, "{busy} {calm}");
}

#[test]
fn without_a_price_of_one_part_there_is_no_sum() {
    let text = array("5", 4) + "[disk.old]\nmodel = \"hp-c3323a\"\n" + &on("old").replace(".w]", ".v]");
    let report = once(&text);
    let costs = all(&report);
    assert_eq!((costs.over_months, costs.per_mb_per_s), (None, None));
    assert!(costs.without_price[0].starts_with("1 × HP C3323A"), "{:?}", costs.without_price);
    // With a price of its own in the scenario there is one.
    let priced = once(&text.replace("\"hp-c3323a\"\n", "\"hp-c3323a\"\ndrive.cost.price = \"100 USD\"\n"));
    assert!((all(&priced).over_months.unwrap() - 2540.0).abs() < 1e-6);
    assert!(all(&priced).prices.iter().any(|price| price.ends_with("100 USD (as the scenario says)")));
    // Two currencies are no sum.
    let mixed = once(&text.replace("\"hp-c3323a\"\n", "\"hp-c3323a\"\ndrive.cost.price = \"100 EUR\"\n"));
    assert_eq!(all(&mixed).over_months, None);
    assert!(all(&mixed).without_price[0].contains("USD and EUR"), "{:?}", all(&mixed).without_price);
    // Where nothing is known of any part, nothing is said.
    let nothing = once(&("[disk.old]\nmodel = \"hp-c3323a\"\n".to_owned() + &on("old")));
    assert!(nothing.costs.is_empty());
}

#[test]
fn a_drive_whose_figures_are_changed_is_no_longer_the_one_that_is_sold() {
    let faster = array("", 2).replace("count", "drive.mechanics.rotation = \"15000 rpm\"\ncount");
    let report = once(
        &faster.replace("count = 2", "count = 2\ndrive.cost.power = { idle = \"9 W\", active = \"9 W\" }"),
    );
    let costs = all(&report);
    assert!(
        costs.without_price[0].ends_with("(the scenario changes its figures)"),
        "{:?}",
        costs.without_price
    );
    assert!((costs.drawn_w.unwrap().value - 18.0).abs() < 1e-9, "what it draws is given");
    let priced = once(&faster.replace("count = 2", "count = 2\ndrive.cost.price = \"900 USD\""));
    assert!((all(&priced).over_months.unwrap() - 1800.0).abs() < 1e-6);
}

#[test]
fn volumes_cost_by_size_and_what_is_provisioned_and_months_are_told() {
    let volume = |more: &str| format!("[disk.v]\nmodel = \"gp3\"\n{more}\n") + &on("v");
    let month = |more: &str| all(&once(&volume(more))).month.unwrap();
    assert!((month("drive.size = \"200 GiB\"") - 16.0).abs() < 1e-9);
    assert!((month("drive.size = \"200 GiB\"\ndrive.iops = 6000") - 31.0).abs() < 1e-9);
    let report = once(&(volume("drive.size = \"200 GiB\"") + "[measure]\nmonths = 12\n"));
    let costs = all(&report);
    assert!((costs.over_months.unwrap() - 192.0).abs() < 1e-9 && costs.months == 12);
    // What is rented is nobody's to feed.
    assert_eq!((costs.drawn_w, costs.without_power.len()), (None, 0));
    let io2 =
        "[disk.v]\nmodel = \"io2\"\ndrive.size = \"200 GiB\"\ndrive.iops = 64000\n".to_owned() + &on("v");
    // Nothing else is known of, and so nothing is told.
    assert!(once(&io2).costs.is_empty());
}

#[test]
fn an_instance_pays_for_its_machine() {
    let text = include_str!("../../../../examples/database-on-a-cloud-volume.toml");
    let report = once(&text.replace("operations = 1000", "operations = 50"));
    let costs = all(&report);
    let month = 0.10 * 100.0 + 0.096 * 730.0;
    assert!((costs.month.unwrap() - month).abs() < 1e-6 && costs.price == Some(0.0), "{costs:?}");
    let gp3 = difference(text, &["disk.v.model=gp3"]).unwrap();
    assert!((gp3.month + 2.0).abs() < 1e-9, "as the example says, gp3 costs less: {gp3:?}");
}

#[test]
fn what_a_change_costs_is_known_where_prices_follow_it() {
    let text = array("", 4);
    let more = difference(&text, &["disk.d.count=8"]).unwrap();
    assert!((more.price - 2440.0).abs() < 1e-6 && more.month == 0.0);
    let free = difference(&text, &["disk.d.scheduler=sptf"]).unwrap();
    assert!(free.price == 0.0 && free.month == 0.0);
    let cached = difference(&text, &["disk.d.write_cache=off"]).unwrap();
    assert!(cached.price == 0.0, "a switch of the same drive");
    assert_eq!(difference(&text, &["disk.d.drive.mechanics.rotation=15000 rpm"]), None, "nobody sells that");
    // Parts without a price are no hindrance as long as they stay what they are.
    let beside = text.clone() + "[disk.old]\nmodel = \"hp-c3323a\"\n" + &on("old").replace(".w]", ".v]");
    assert!((difference(&beside, &["disk.d.count=8"]).unwrap().price - 2440.0).abs() < 1e-6);
    assert_eq!(difference(&beside, &["disk.old.drive.mechanics.rotation=9000 rpm"]), None);
    assert_eq!(difference(&beside, &["disk.old.count=2"]), None);
}

#[test]
fn every_price_and_power_of_the_catalogue_has_its_source_and_makes_sense() {
    let (mut priced, mut rented) = (0, 0);
    for (key, device) in devices().unwrap() {
        let cost = device.parameters().cost();
        assert_eq!(cost.objection(), None, "{key}");
        if let Some(price) = &cost.price {
            priced += 1;
            assert!(price.date.is_some() && price.source.is_some() && price.amount.amount() > 0.0, "{key}");
        }
        if let Some(rent) = &cost.rent {
            rented += 1;
            assert!(rent.date.is_some() && rent.source.is_some(), "{key}");
            let report = once(&(format!("[disk.v]\nmodel = \"{key}\"\n") + &on("v")));
            // Of a size without a price there is none; of all others the price is what the sheet's own rule makes.
            if let Some(costs) = report.costs.first() {
                assert!(costs.over_months.unwrap() > 0.0 && costs.usable_bytes == costs.raw_bytes, "{key}");
            }
        }
        if let Some(power) = &cost.power {
            assert!(power.source.is_some() && power.idle.watts() > 0.0, "{key}");
        }
    }
    assert!(priced >= 8 && rented >= 14, "{priced} {rented}");
}

#[test]
fn what_makes_no_sense_of_costs_is_refused_at_its_place() {
    for (more, words) in [
        ("drive.cost.price = \"610\"", "no amount of money"),
        ("drive.cost.price = 610", "price such as \"329 USD\""),
        ("drive.cost.price = { amount = \"610 USD\", day = \"2019\" }", "day"),
        ("drive.cost.power = { idle = \"5 W\", active = \"3 W\" }", "less than the 5 W that it draws idle"),
        ("drive.cost.power = { idle = \"5\" }", "no unit"),
        ("drive.cost.rent = { date = \"2020\" }", "its rent has no price"),
        ("drive.cost.rent = { month = \"1 USD\", hour = \"1 EUR\" }", "write one currency"),
        ("drive.cost.prise = \"1 USD\"", "prise"),
    ] {
        let told = problem(&(format!("[disk.d]\nmodel = \"seagate-exos-x16-16tb\"\n{more}\n") + &on("d")));
        assert!(told.contains(words), "{more}: {told}");
    }
    assert!(problem(&(array("", 1) + "[measure]\nmonths = 0\n")).contains("over 0 months"));
}

#[test]
fn switches_and_adapters_count_by_how_many_there_are() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/nfs.toml");
    let sets = [
        "network.lan.cost.switch.price=40 USD",
        "network.lan.cost.adapter.price=10 USD",
        "host.desk.count=3",
    ];
    let sets: Vec<Override> = sets.iter().map(|set| set.parse().unwrap()).collect();
    let loaded = petrio_scenario::load(&path, &sets).unwrap_or_else(|problems| panic!("{problems:?}"));
    let report = once_of(&loaded);
    let networks = report.costs.iter().find(|costs| costs.name == "networks").unwrap();
    assert_eq!(networks.parts, 1 + 4);
    assert!((networks.over_months.unwrap() - 80.0).abs() < 1e-9, "{networks:?}");
    // What else there is has no price, and so all together have none.
    let costs = all(&report);
    assert!(
        costs.over_months.is_none() && costs.without_price.iter().any(|part| part.starts_with("4 × ")),
        "{costs:?}"
    );
}

#[test]
fn of_every_example_no_more_can_be_used_than_there_is_and_no_change_costs_nothing() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut count = 0;
    for folder in [folder.clone(), folder.join("architectures"), folder.join("choosing")] {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "toml") {
                continue;
            }
            let loaded = petrio_scenario::load(&path, &[]).unwrap_or_else(|problems| panic!("{problems:?}"));
            let costs = Costs::of(&loaded);
            let (raw, usable) = costs.capacity();
            assert!(usable <= raw && (usable > 0 || raw == 0), "{}: {usable} of {raw}", path.display());
            if let Some(none) = costs.difference(&Costs::of(&loaded)) {
                assert!(none.price == 0.0 && none.month == 0.0, "{}: {none:?}", path.display());
            }
            count += 1;
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn copies_and_shards_of_a_pool_hold_their_data_once() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/ceph-rbd.toml");
    let pool = |set: &str| {
        let loaded = petrio_scenario::load(&path, &[set.parse().unwrap()]);
        Costs::of(&loaded.unwrap_or_else(|problems| panic!("{problems:?}"))).capacity()
    };
    let (raw, copies) = pool("ceph.rbd.size=3");
    let near = |usable: u64, part: f64| (usable as f64 / raw as f64 / part - 1.0).abs() < 1e-6;
    assert!(near(copies, 1.0 / 3.0), "{copies} of {raw}, of which the image is little");
    assert!(near(pool("ceph.rbd.size=2").1, 0.5));
    let coded = pool("ceph.rbd.erasure={ data = 2, coding = 1 }").1;
    assert!(near(coded, 2.0 / 3.0), "two of three shards are data: {coded}");
}

#[test]
fn a_state_rests_on_nothing_that_parts_cost() {
    let plain = array("5", 4);
    let priced = plain.replace("count", "drive.cost.price = \"1 USD\"\ncount");
    assert_eq!(loaded(&plain).rests_on(), loaded(&priced).rests_on());
    let slower = plain.replace("count", "drive.mechanics.rotation = \"5400 rpm\"\ncount");
    assert_ne!(loaded(&plain).rests_on(), loaded(&slower).rests_on());
}

#[test]
fn the_example_of_an_array_says_what_each_costs_and_how_quick_it_is() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/cheapest-array.toml");
    let of = |level: u32, count: u32| {
        let sets = [format!("raid.r.level={level}"), format!("disk.d.count={count}")];
        let sets: Vec<Override> = sets.iter().map(|set| set.parse().unwrap()).collect();
        let loaded = petrio_scenario::load(&path, &sets).unwrap_or_else(|problems| panic!("{problems:?}"));
        let report = once_of(&loaded);
        let costs = all(&report);
        assert_eq!(costs.usable_bytes.unwrap() / 1_000_000_000_000, 48, "RAID {level} of {count}");
        let p99 = report.served.latency.as_ref().unwrap().p99_ms.value;
        (costs.over_months.unwrap(), p99, costs.drawn_w.unwrap().value)
    };
    let [(five, slow, _), (six, no_quicker, _), (ten, quick, watts)] = [of(5, 4), of(6, 5), of(10, 6)];
    assert_eq!([five, six, ten].map(|cost| cost.round() as u32), [2440, 3050, 3660]);
    assert!(slow > 80.0 && no_quicker > 70.0 && (quick - 30.0).abs() < 2.0, "{slow} {no_quicker} {quick}");
    assert!((watts - 40.0).abs() < 1.0, "{watts}");
}
