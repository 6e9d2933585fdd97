//! dev
#![allow(clippy::unwrap_used, clippy::print_stdout)]
use petrio_trace::event::*;
use petrio_trace::native::NativeReader;
use std::collections::BTreeMap;

fn read(path: &str) -> Vec<Event> {
    NativeReader::open(std::path::Path::new(&format!("{path}/recording.parquet"))).unwrap().collect::<Result<_, _>>().unwrap()
}
type Sums = BTreeMap<String, (u64, u64)>;
fn sums(events: &[Event], path: &str) -> Sums {
    let mut all = Sums::new();
    for event in events {
        let Some(more) = &event.recorded else { continue };
        let Some(rank) = more.rank else { continue };
        if event.error != 0 { continue; }
        let key = if event.kind.is_of_messages() {
            if event.kind == EventKind::Wait { continue; }
            format!("{rank} {} {:?} {:?} {:?} {:?}", event.kind.name(), more.peer, more.tag, more.collective, more.members)
        } else if event.path.as_ref().is_some_and(|p| p.contains(path) && !p.contains("/raw/")) && event.kind != EventKind::Exec {
            format!("{rank} {} {} {:?} {}", event.kind.name(), event.path.as_ref().unwrap(), event.offset, event.length)
        } else { continue };
        let one = all.entry(key).or_default();
        *one = (one.0 + 1, one.1 + event.length);
    }
    all
}

#[test]
fn dev() {
    let Ok(words) = std::env::var("REC") else { return };
    let words: Vec<&str> = words.split(' ').collect();
    let (real, from) = words.split_last().unwrap();
    let recordings: Vec<Vec<Event>> = from.iter().map(|path| read(path)).collect();
    let slices: Vec<&[Event]> = recordings.iter().map(Vec::as_slice).collect();
    let real = read(real);
    let ranks = real.iter().filter_map(|event| event.recorded.as_ref()?.rank).max().unwrap() + 1;
    let since = std::time::Instant::now();
    let made = petrio_extrapolate::extrapolate(&slices, ranks, &[]);
    println!("{:?}", since.elapsed());
    let made = match made { Ok(made) => made, Err(unfit) => { println!("UNFIT {unfit}"); return } };
    let (a, b) = (sums(&made, "rec/"), sums(&real, "rec/"));
    let mut bad = 0;
    for (key, value) in &a { if b.get(key) != Some(value) { bad += 1; if bad < 8 { println!("foretold {key} {value:?} real {:?}", b.get(key)); } } }
    for (key, value) in &b { if !a.contains_key(key) { bad += 1; if bad < 16 { println!("real {key} {value:?} missing"); } } }
    let compute = |events: &[Event]| events.iter().filter_map(|e| e.recorded.as_ref().filter(|m| m.rank.is_some())?.compute).map(|t| t.as_picos() as f64/1e9).sum::<f64>();
    println!("{} keys {} real {bad} differ; compute {:.1} ms against {:.1}", a.len(), b.len(), compute(&made), compute(&real));
}
