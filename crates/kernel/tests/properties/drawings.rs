//! The net as data: everything declared is there, every text is well formed, and drawings can be read.

use petrio_kernel::{ArcKind, Discipline, Net, NetBuilder, Place, PortDirection, StationSpec, Time, draw};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Two pages, every kind of arc, awkward names.
fn everything() -> Arc<Net> {
    let mut net = NetBuilder::new("every <kind> & \"more\"");
    let mut page = net.top();
    let requests = page.fifo::<Vec<u32>>("requests");
    let timers = page.priority::<u32>("timers", |token| u128::from(*token));
    let mut inner = page.page("server");
    inner.port_in("requests", requests);
    let station = inner.station("station", StationSpec::first_come(3, |_: &Vec<u32>, _| Time::ZERO));
    let state = inner.state("state", 0u64);
    let buffer = inner.bag::<u32>("buffer");
    inner.shared("timers", timers);
    inner.port_out("served", station);
    inner.capacity(buffer, 8);
    inner.initial(buffer, [1, 2]);
    let mut accept = inner.transition("accept & hold");
    accept.priority(-4);
    accept.take(requests);
    accept.consume_many(buffer, 2);
    accept.label("pair");
    accept.read(timers);
    accept.peek(state);
    accept.inhibit_from(station, 5);
    accept.put(station);
    accept.may_put(buffer, 3);
    accept.cancels(timers);
    accept.guard(|_| true);
    accept.action(|_| {});
    let mut clean = inner.transition("clean");
    clean.update(state);
    clean.resets(buffer);
    clean.action(|_| {});
    net.build().unwrap()
}

/// Opening and closing tags match, and nothing stands outside them.
fn assert_well_formed(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let end = start + rest[start..].find('>').expect("a tag ends");
        let tag = &rest[start + 1..end];
        assert!(!rest[..start].contains('>'), "a bare > before <{tag}>");
        rest = &rest[end + 1..];
        if tag.starts_with('?') || tag.ends_with('/') {
            continue;
        }
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else {
            assert_eq!(tag.matches('"').count() % 2, 0, "<{tag}>");
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

/// Values of an attribute, in order.
fn values<'a>(text: &'a str, attribute: &str) -> Vec<&'a str> {
    let key = format!(" {attribute}=\"");
    text.match_indices(&key).map(|(at, _)| text[at + key.len()..].split('"').next().unwrap()).collect()
}

#[test]
fn a_description_says_everything_that_was_declared() {
    let description = draw::describe(&everything());
    let server = &description.pages[1];
    assert_eq!((server.path.as_str(), server.parent), ("server", Some(0)));
    let directions: Vec<PortDirection> = server.ports.iter().map(|port| port.direction).collect();
    assert_eq!(directions, [PortDirection::In, PortDirection::Shared, PortDirection::Out]);
    let place = |path: &str| description.places.iter().find(|place| place.path == path).unwrap();
    assert_eq!(place("requests").colour, "Vec<u32>");
    let station = place("server/station");
    assert_eq!(station.discipline, Discipline::Station);
    assert_eq!(station.station.as_ref().unwrap().servers, Some(3));
    let buffer = place("server/buffer");
    assert_eq!((buffer.name.as_str(), buffer.capacity, buffer.initial_tokens), ("buffer", Some(8), 2));
    let accept = &description.transitions[0];
    assert_eq!((accept.name.as_str(), accept.priority, accept.guarded), ("accept & hold", -4, true));
    let kinds: Vec<ArcKind> = accept.arcs.iter().map(|arc| arc.kind).collect();
    use ArcKind::{Cancel, Consume, Inhibit, MayPut, Peek, Put, Read, Take};
    assert_eq!(kinds, [Take, Consume, Read, Peek, Inhibit, Put, MayPut, Cancel]);
    assert_eq!(accept.arcs[1].label.as_deref(), Some("pair"));
    assert_eq!(accept.arcs[4].weight, 5);
}

#[test]
fn json_holds_the_description() {
    let net = everything();
    let value: serde_json::Value = serde_json::from_str(&draw::to_json(&net)).unwrap();
    assert_eq!(value, serde_json::to_value(draw::describe(&net)).unwrap());
    assert_eq!(value["transitions"][0]["arcs"][6]["kind"], "may-put");
    assert_eq!(value["places"][0]["discipline"], "fifo");
}

#[test]
fn pnml_is_a_skeleton_that_other_tools_can_read() {
    let text = draw::to_pnml(&everything());
    assert_well_formed(&text);
    assert!(text.contains("<pnml xmlns=\"http://www.pnml.org/version-2009/grammar/pnml\">"));
    assert!(text.contains("type=\"http://www.pnml.org/version-2009/grammar/ptnet\""));
    let ids = values(&text, "id");
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(unique.len(), ids.len(), "identifiers are unique");
    for end in values(&text, "source").into_iter().chain(values(&text, "target")).chain(values(&text, "ref"))
    {
        assert!(unique.contains(end), "{end} is defined");
    }
    // Every arc joins a place (or a reference to one) and a transition, both on the arc's page.
    for (source, target) in values(&text, "source").into_iter().zip(values(&text, "target")) {
        assert_eq!(
            [source, target].iter().filter(|end| end.starts_with('t')).count(),
            1,
            "{source} → {target}"
        );
    }
    assert!(text.contains("<initialMarking><text>2</text></initialMarking>"));
    assert!(text.contains("<inscription><text>2</text></inscription>"));
    assert_eq!(text.matches("<page ").count(), 2);
}

#[test]
fn dot_has_a_cluster_for_each_page_and_an_edge_for_each_arc() {
    let net = everything();
    let text = draw::to_dot(&net);
    assert_eq!(
        text.matches(" -> ").count(),
        draw::describe(&net).transitions.iter().map(|t| t.arcs.len()).sum::<usize>()
    );
    assert_eq!(text.matches("subgraph cluster_").count(), 1);
    assert_eq!(text.matches('{').count(), text.matches('}').count());
    assert!(text.starts_with("digraph \"every <kind> & \\\"more\\\"\" {"));
}

#[test]
fn svg_names_everything_and_stands_alone() {
    let net = everything();
    let text = draw::to_svg(&net);
    assert_well_formed(&text);
    for name in [
        ">accept &amp; hold<",
        ">clean<",
        ">station<",
        ">state<",
        ">▸ in: requests<",
        ">[guard]<",
        "first-come × 3<",
    ] {
        assert!(text.contains(name), "{name}");
    }
    assert!(!text.contains("href"), "nothing is fetched from elsewhere");
    assert!(text.contains("prefers-color-scheme: dark"));
    // One page alone shows less than all of them.
    let inner = draw::page_to_svg(&net, net.find_page("server").unwrap());
    assert_well_formed(&inner);
    assert!(inner.len() < text.len() && inner.contains(">clean<"));
    assert!(!draw::page_to_svg(&net, 0).contains(">clean<"));
    assert_well_formed(&draw::page_to_svg(&net, 99));
}

/// Clients with a buffer each that send to one server of all, which answers; the last one has two buffers.
fn clients(count: usize) -> Arc<Net> {
    let mut net = NetBuilder::new("clients");
    let mut page = net.top();
    let sent = page.fifo::<u32>("sent");
    let mut answers = Vec::new();
    for number in 0..count {
        let answered = page.fifo::<u32>(&format!("answers{number}"));
        answers.push(answered);
        let mut client = page.page(&format!("client{number}"));
        let mut buffers = client.page("buffers");
        let buffer = buffers.fifo::<u32>("buffer");
        if number + 1 == count {
            buffers.fifo::<u32>("spare");
        }
        let mut fill = buffers.transition("fill");
        fill.consume(answered);
        fill.put(buffer);
        fill.action(|_| {});
        let mut send = client.transition("send");
        send.consume(buffer);
        send.put(sent);
        send.action(|_| {});
    }
    let mut answer = page.transition("answer");
    answer.consume(sent);
    for answered in answers {
        answer.may_put(answered, 1);
    }
    answer.action(|_| {});
    net.build().unwrap()
}

#[test]
fn equal_parts_are_drawn_once_with_their_number() {
    for drawing in [draw::to_svg, draw::overview_to_svg] {
        let text = drawing(&clients(12));
        assert_well_formed(&text);
        assert!(text.contains(">client0 × 11<") || text.contains(">client0/buffers × 11<"), "{text}");
        assert!(
            !text.contains(">client1<") && text.contains(">client11"),
            "what differs has a drawing of its own"
        );
        // Three times as many cost nothing more.
        let more = drawing(&clients(36)).len();
        assert!(more < text.len() + 200, "{more} {}", text.len());
    }
    // One page alone shows all that is on it.
    let net = clients(9);
    assert!(draw::page_to_svg(&net, 0).contains(">client7<"));
}

/// Left, top, right, bottom of all shapes.
fn shapes(svg: &str) -> Vec<[f64; 4]> {
    svg.lines()
        .filter(|line| {
            ["place", "transition", "page"]
                .iter()
                .any(|class| line.starts_with(&format!("<rect class=\"{class}")))
        })
        .map(|line| {
            let number = |attribute| values(line, attribute)[0].parse::<f64>().unwrap();
            let (x, y) = (number("x"), number("y"));
            [x, y, x + number("width"), y + number("height")]
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Whatever the net, no two shapes overlap, everything lies on the paper, and the picture is always the same.
    #[test]
    fn shapes_keep_their_distance(arcs in prop::collection::vec((0usize..12, 0usize..9, any::<bool>()), 0..50)) {
        let mut net = NetBuilder::new("random");
        let mut page = net.top();
        let places: Vec<Place<()>> = (0..12).map(|number| page.fifo(&format!("a place called {number}"))).collect();
        for number in 0..9 {
            let mut t = page.transition(&format!("transition {number}"));
            let mut sides = [0; 2];
            for &(place, _, inward) in arcs.iter().filter(|arc| arc.1 == number) {
                let side = &mut sides[usize::from(inward)];
                *side += 1;
                if *side > 16 {
                    continue;
                }
                if inward { t.consume(places[place]) } else { t.put(places[place]); }
            }
            t.action(|_| {});
        }
        let net = net.build().unwrap();
        let svg = draw::page_to_svg(&net, 0);
        prop_assert_eq!(&svg, &draw::page_to_svg(&net, 0));
        prop_assert!(draw::to_svg(&net).contains("transitions</text>"), "the page is a box of the overview");
        let shapes = shapes(&svg);
        prop_assert_eq!(shapes.len(), 21);
        let width: f64 = values(&svg, "width")[0].parse().unwrap();
        for (number, a) in shapes.iter().enumerate() {
            prop_assert!(a[0] >= 0.0 && a[1] >= 0.0 && a[2] <= width);
            for b in &shapes[..number] {
                let apart = a[2] + 5.0 < b[0] || b[2] + 5.0 < a[0] || a[3] + 5.0 < b[1] || b[3] + 5.0 < a[1];
                prop_assert!(apart, "{a:?} and {b:?}");
            }
        }
    }
}
