//! Pages: instantiated any number of times, joined by ports, named by paths.

use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, StationSpec, Time};

/// A server page: requests in, replies out, a served counter shared by all.
fn server(
    mut page: PageBuilder<'_>,
    requests: Place<u32>,
    replies: Place<u32>,
    total: Place<u32>,
    milliseconds: u64,
) {
    page.port_in("requests", requests);
    page.port_out("replies", replies);
    page.shared("total", total);
    let station = page
        .station("station", StationSpec::first_come(1, move |_: &u32, _| Time::from_millis(milliseconds)));
    let mut accept = page.transition("accept");
    let (request, serve) = (accept.take(requests), accept.put(station));
    accept.action(move |f| {
        let request = f.take(request);
        f.put(serve, request);
    });
    let mut answer = page.transition("answer");
    let (request, count, reply) = (answer.take(station), answer.update(total), answer.put(replies));
    answer.action(move |f| {
        let request = f.take(request);
        *f.update(count) += 1;
        f.put(reply, request);
    });
}

#[test]
fn a_page_can_be_instantiated_any_number_of_times() {
    let mut net = NetBuilder::new("cluster");
    let mut page = net.top();
    let total = page.state("total", 0u32);
    let replies = page.fifo::<u32>("replies");
    let inputs: Vec<Place<u32>> = (0..50u64)
        .map(|number| {
            let requests = page.fifo::<u32>(&format!("requests{number}"));
            page.initial(requests, [number as u32; 3]);
            server(page.page(&format!("server{number}")), requests, replies, total, number + 1);
            requests
        })
        .collect();
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    run.check_conservation().unwrap();

    // Each served three of its own; nobody else's; the slowest ended last.
    assert_eq!(run.now(), Time::from_millis(150));
    assert_eq!(run.marking().view(total).iter().next().map(|(_, count)| *count), Some(150));
    assert!(inputs.iter().all(|place| run.marking().is_empty(*place)));
    let mut counts = [0; 50];
    run.drain(replies).for_each(|number| counts[number as usize] += 1);
    assert_eq!(counts, [3; 50]);
    for number in [0, 7, 49] {
        let place = net.find_place(&format!("server{number}/station")).unwrap();
        assert_eq!(run.marking().station_at(place).unwrap().completions, 3);
        let answer = net.find_transition(&format!("server{number}/answer")).unwrap();
        assert_eq!(run.marking().firings(answer), 3);
    }
    assert_eq!(net.page_paths().count(), 51);
    assert_eq!(net.find_place("server50/station"), None);
}

#[test]
fn names_are_paths() {
    let mut net = NetBuilder::new("client");
    let mut page = net.top();
    let mut client = page.page("client3");
    let mut fs = client.page("fs");
    let mut cache = fs.page("page-cache");
    assert_eq!(cache.path(), "client3/fs/page-cache");
    cache.fifo::<u32>("dirty");
    cache.transition("lookup").action(|_| {});
    let net = net.build().unwrap();
    assert_eq!(net.place_paths().collect::<Vec<_>>(), ["client3/fs/page-cache/dirty"]);
    assert_eq!(net.transition_paths().collect::<Vec<_>>(), ["client3/fs/page-cache/lookup"]);
    assert_eq!(net.page_paths().collect::<Vec<_>>(), ["", "client3", "client3/fs", "client3/fs/page-cache"]);
    assert_eq!(net.find_page("client3/fs"), Some(2));
}

#[test]
fn a_fusion_place_notifies_the_pages_that_read_it() {
    // One page owns the credit; two others wait for it to reach their need.
    let mut net = NetBuilder::new("credit");
    let mut page = net.top();
    let credit = page.state("credit", 0u32);
    let log = page.fifo::<(String, u64)>("log");
    for (name, need) in [("big", 7u32), ("small", 3)] {
        let mut page = page.page(name);
        page.shared("credit", credit);
        let wish = page.fifo::<()>("wish");
        page.initial(wish, [()]);
        let mut go = page.transition("go");
        go.consume(wish);
        let (credit, to) = (go.read(credit), go.put(log));
        go.guard(move |binding| *binding.get(credit) >= need);
        let name = if need == 7 { "big" } else { "small" };
        go.action(move |f| f.put(to, (name.to_owned(), f.now().as_millis() as u64)));
    }
    let mut bank = page.page("bank");
    bank.shared("credit", credit);
    let pay = bank.fifo::<()>("pay");
    for day in 1..=9 {
        bank.initial_after(pay, (), Time::from_millis(day));
    }
    let mut earn = bank.transition("earn");
    earn.consume(pay);
    let credit = earn.update(credit);
    earn.action(move |f| *f.update(credit) += 1);
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    assert_eq!(run.drain(log).collect::<Vec<_>>(), [("small".to_owned(), 3), ("big".to_owned(), 7)]);
}
