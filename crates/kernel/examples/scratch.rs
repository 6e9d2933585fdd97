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
    t.consume(tick);
    let (again, job) = (t.put(tick), t.put(queue));
    t.action(move |f| {
        let gap = exponential(f.random(arrivals), 1.0 / 0.8);
        let now = f.now().as_picos();
        f.put(job, now);
        f.put_after(again, (), Time::from_seconds(gap));
    });
    let mut t = page.transition("start");
    let job = t.take(queue); t.consume(idle);
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
    let only: Option<u64> = std::env::args().nth(1).and_then(|a| a.parse().ok());
    if let Some(n) = only { let mut run = Simulation::new(&net, 1, 0); run.run_firings(n).unwrap(); return; }
    for _ in 0..3 {
        let mut run = Simulation::new(&net, 1, 0);
        let start = Instant::now();
        run.run_firings(15_000_000).unwrap();
        let e = start.elapsed().as_secs_f64();
        println!("{:.1} M firings/s  W={:.3}", 15.0 / e, run.marking().probe(w).tally().mean());
    }
    {
        use std::collections::*; use std::cmp::Reverse;
        let mut a = petrio_kernel::random::generator(1,0,"","arrivals");
        let mut b = petrio_kernel::random::generator(1,0,"","services");
        let start = Instant::now();
        let mut heap: BinaryHeap<Reverse<(u64,u64,u8)>> = BinaryHeap::new();
        let mut order=0u64; let mut q: VecDeque<u64> = VecDeque::new(); let mut busy: Option<u64>=None; let mut w=statistics::Tally::default();
        heap.push(Reverse((0,0,0)));
        let n = 5_000_000;
        while w.count() < n {
            let Reverse((now,_,kind)) = heap.pop().unwrap();
            if kind==0 {
                let g=Time::from_seconds(exponential(&mut a,1.0/0.8)).as_picos(); order+=1;
                heap.push(Reverse((now+g,order,0)));
                if busy.is_none() { busy=Some(now); let s=Time::from_seconds(exponential(&mut b,1.0)).as_picos(); order+=1; heap.push(Reverse((now+s,order,1))); } else { q.push_back(now); }
            } else {
                let at=busy.take().unwrap(); w.record((now-at) as f64/1e12);
                if let Some(at)=q.pop_front() { busy=Some(at); let s=Time::from_seconds(exponential(&mut b,1.0)).as_picos(); order+=1; heap.push(Reverse((now+s,order,1))); }
            }
        }
        let e = start.elapsed().as_secs_f64();
        println!("hand {:.1} M jobs/s {:.1} ns/job  W={:.3}", n as f64/1e6/e, e*1e9/n as f64, w.mean());
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
