//! Links given one by one: shortest ways by search, latencies, several links to a host, and what can't be.

use super::*;

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn cable(one: &str, other: &str) -> LinkParameters {
    LinkParameters { between: [one.to_owned(), other.to_owned()], rate: None, latency: None, lanes: 1 }
}

fn slow(one: &str, other: &str, latency: &str) -> LinkParameters {
    LinkParameters { latency: Some(latency.parse().unwrap()), ..cable(one, other) }
}

fn failing(hosts: &[&str], links: &[LinkParameters]) -> String {
    Wiring::of_links(&names(hosts), links).unwrap_err().to_string()
}

#[test]
fn what_is_no_host_is_a_switch() {
    let links = read(
        "{ kind = \"links\", links = [{ between = [\"client\", \"edge\"], rate = \"125 MB/s\" }, \
         { between = [\"edge\", \"core\"], lanes = 4, latency = \"1 us\" }, { between = [\"core\", \"server\"] }] }",
    );
    let wiring = Wiring::of_named(&links, &names(&["client", "server"])).unwrap();
    assert_eq!((wiring.hosts(), wiring.switches(), wiring.links().len()), (2, 2, 6));
    check_links(&wiring);
    hosts_are_connected(&wiring, 3);
    let [up, trunk] = [0, 2].map(|link| &wiring.links()[link]);
    assert_eq!((up.kind, up.rate, up.rate_factor), (LinkKind::Host, Rate::new(125e6), 1.0));
    assert_eq!((trunk.kind, trunk.latency, trunk.rate_factor), (LinkKind::Trunk, "1 us".parse().ok(), 4.0));
    assert_eq!(Wiring::new(&links, 2).unwrap_err(), TopologyError::NoNames);
}

#[test]
fn of_ways_with_equally_many_links_the_fastest_is_taken_and_then_the_first() {
    let square = |left: &str, right: &str| {
        let links = [
            cable("a", "s"),
            slow("s", "left", left),
            slow("s", "right", right),
            slow("left", "t", left),
            slow("right", "t", right),
            cable("t", "b"),
        ];
        walk(&Wiring::of_links(&names(&["a", "b"]), &links).unwrap(), 0, 1, 0, &|_| 0)
    };
    assert_eq!(square("1 us", "2 us"), [0, 2, 6, 10]);
    assert_eq!(square("2 us", "1 us"), [0, 4, 8, 10]);
    assert_eq!(square("1 us", "1 us"), [0, 2, 6, 10]);
    // Fewer links count more than any latency.
    let links = [cable("a", "s"), slow("s", "t", "1 s"), cable("s", "u"), cable("u", "t"), cable("t", "b")];
    assert_eq!(walk(&Wiring::of_links(&names(&["a", "b"]), &links).unwrap(), 0, 1, 0, &|_| 0), [0, 2, 8]);
}

#[test]
fn hosts_may_have_several_links_and_links_to_each_other() {
    // Two networks and a direct cable: each destination by whichever link is nearest.
    let hosts = names(&["a", "b", "c", "d"]);
    let links = [
        cable("a", "one"),
        cable("a", "two"),
        cable("a", "b"),
        cable("b", "one"),
        cable("b", "two"),
        cable("c", "one"),
        cable("d", "two"),
        cable("one", "two"),
    ];
    let wiring = Wiring::of_links(&hosts, &links).unwrap();
    check_links(&wiring);
    hosts_are_connected(&wiring, 3);
    assert_eq!(walk(&wiring, 0, 1, 0, &|_| 0), [4]);
    assert_eq!(walk(&wiring, 0, 3, 0, &|_| 0), [2, 13]);
    let pair = Wiring::of_links(&names(&["a", "b"]), &[cable("a", "b")]).unwrap();
    hosts_are_connected(&pair, 1);
}

#[test]
fn hosts_that_cannot_reach_each_other_are_named() {
    let apart = [cable("a", "s"), cable("b", "t")];
    assert_eq!(
        failing(&["a", "b"], &apart),
        "no way leads from \"b\" to \"a\" (hosts pass nothing on); connect their switches by a link"
    );
    // A host between them passes nothing on.
    let through = [cable("a", "s"), cable("b", "s"), cable("b", "t"), cable("c", "t")];
    let text = failing(&["a", "b", "c"], &through);
    assert!(text.contains("\"a\"") && text.contains("\"c\""), "{text}");
    let through = [cable("a", "b"), cable("b", "c")];
    assert!(failing(&["a", "b", "c"], &through).contains("no way leads"));
}

#[test]
fn links_that_make_no_sense_are_refused() {
    assert!(failing(&["a", "b"], &[cable("a", "s")]).contains("no link leads to the host \"b\""));
    assert!(failing(&["a"], &[cable("s", "s")]).contains("\"s\" with itself"));
    assert!(failing(&["a", "a"], &[cable("a", "s")]).contains("two hosts are named \"a\""));
    let none = LinkParameters { lanes: 0, ..cable("a", "s") };
    assert!(failing(&["a"], &[none]).contains("`lanes` is zero"));
    assert_eq!(Wiring::of_links(&[], &[]).unwrap_err(), TopologyError::NoHosts);
}

#[test]
fn too_many_routes_are_refused_before_they_are_made() {
    // As many switches as hosts, and each with one: a table of both.
    let hosts: Vec<String> = (0..5000).map(|host| format!("h{host}")).collect();
    let mut links: Vec<LinkParameters> =
        (0..5000).map(|h| cable(&format!("h{h}"), &format!("s{h}"))).collect();
    links.extend((1..5000).map(|switch| cable("s0", &format!("s{switch}"))));
    let text = Wiring::of_links(&hosts, &links).unwrap_err().to_string();
    assert!(text.contains("10000 hosts and switches with 5000 destinations"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn ways_are_the_shortest_or_there_are_none(
        hosts in 1_usize..6,
        cables in prop::collection::vec((0_usize..12, 0_usize..12), 1..30),
    ) {
        let hosts: Vec<String> = (0..hosts).map(|host| format!("n{host}")).collect();
        let links: Vec<LinkParameters> =
            cables.iter().map(|(one, other)| cable(&format!("n{one}"), &format!("n{other}"))).collect();
        match Wiring::of_links(&hosts, &links) {
            Ok(wiring) => {
                check_links(&wiring);
                hosts_are_connected(&wiring, 20);
            }
            Err(TopologyError::Unreachable { from, to }) => {
                // The same links with the two hosts alone, the others still being hosts in name: search finds no way.
                let number = |name: &String| hosts.iter().position(|host| host == name).unwrap();
                let edges: Vec<(usize, usize)> =
                    cables.iter().flat_map(|(one, other)| [(*one, *other), (*other, *one)]).collect();
                let (mut reached, mut waiting) = (vec![number(&from)], vec![number(&from)]);
                while let Some(node) = waiting.pop() {
                    for (_, next) in edges.iter().filter(|(before, _)| *before == node) {
                        if !reached.contains(next) {
                            reached.push(*next);
                            if *next >= hosts.len() {
                                waiting.push(*next);
                            }
                        }
                    }
                }
                prop_assert!(!reached.contains(&number(&to)));
            }
            Err(TopologyError::NoLink(_)) => {
                prop_assert!((0..hosts.len()).any(|host| cables.iter().all(|(a, b)| *a != host && *b != host)));
            }
            Err(TopologyError::ToItself(_)) => prop_assert!(cables.iter().any(|(one, other)| one == other)),
            Err(error) => prop_assert!(false, "{}", error),
        }
    }
}
