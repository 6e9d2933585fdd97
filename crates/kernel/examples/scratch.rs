use petrio_kernel::*;
use petrio_kernel::random::exponential;
use std::time::Instant;
fn main() {
    let mut net = NetBuilder::new("mm1");
    let mut page = net.top();
    let arrivals = page.stream("arrivals");
    let services = page.stream("services");
    let tick = page.fifo::<()>("tick");
    let queue = page.fifo::<u64>("queue");
    let idle = page.fifo::<()>("idle");
    let busy = page.fifo::<u64>("busy");
    page.initial(tick, [()]);
    page.initial(idle, [()]);
    let mut t = page.transition("arrive");
    t.take(tick);
    let (again, job) = (t.put(tick), t.put(queue));
    t.action(move |f| {
        let gap = exponential(f.random(arrivals), 1.0 / 0.8);
        let now = f.now().as_picos();
        f.put(job, now);
        f.put_after(again, (), Time::from_seconds(gap));
    });
    let mut t = page.transition("start");
    let (job, _s) = (t.take(queue), t.take(idle));
    let out = t.put(busy);
    t.action(move |f| {
        let j = f.take(job);
        let s = exponential(f.random(services), 1.0);
        f.put_after(out, j, Time::from_seconds(s));
    });
    let w = page.probe("w");
    let mut t = page.transition("finish");
    let job = t.take(busy);
    let s = t.put(idle);
    t.action(move |f| {
        let j = f.take(job);
        let d = f.now().as_picos() - j;
        f.record(w, d as f64 / 1e12);
        f.put(s, ());
    });
    let net = net.build().unwrap();
    for _ in 0..3 {
        let mut run = Simulation::new(&net, 1, 0);
        let start = Instant::now();
        run.run_firings(15_000_000).unwrap();
        let e = start.elapsed().as_secs_f64();
        println!("{:.1} M firings/s  W={:.3}", 15.0 / e, run.marking().probe(w).tally().mean());
    }
    // hold
    for n in [1_000u64, 10_000, 100_000, 1_000_000] {
        let mut net = NetBuilder::new("hold");
        let mut page = net.top();
        let s = page.stream("s");
        let p = page.fifo::<u64>("p");
        page.initial(p, 0..n);
        let mut t = page.transition("t");
        let i = t.take(p);
        let o = t.put(p);
        t.action(move |f| { let x = f.take(i); let d = exponential(f.random(s), 1.0); f.put_after(o, x, Time::from_seconds(d)); });
        let net = net.build().unwrap();
        let mut run = Simulation::new(&net, 1, 0);
        run.run_firings(3 * n).unwrap();
        let k = 3_000_000.max(n);
        let start = Instant::now();
        run.run_firings(k).unwrap();
        let e = start.elapsed().as_secs_f64();
        println!("hold {n}: {:.1} ns/firing", e * 1e9 / k as f64);
    }
}
