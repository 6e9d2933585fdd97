//! Placements are those of Ceph 16.2.15 itself (`oracle/README.md` says how these were made).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::crush::{IN, Map};
use super::layout::{group_of_name, number_of};

const CRUSH: &str = include_str!("oracle/crush.txt");
const OBJECTS: &str = include_str!("oracle/objects.txt");

fn whole(tib: &[f64]) -> Vec<u32> {
    tib.iter().map(|tib| (tib * 65_536.0) as u32).collect()
}

#[test]
fn crush_places_as_crushtool_does() {
    let hosts: [&[f64]; 5] =
        [&[1.0, 1.0, 2.0], &[1.0, 1.0, 1.0], &[4.0, 2.0, 1.0], &[0.5, 1.0, 1.0], &[1.0, 1.0, 1.0, 1.0]];
    let map = Map::new(&hosts.map(whole));
    let mut cases = 0;
    for line in CRUSH.lines() {
        let mut words = line.split_whitespace();
        let (rule, count, state) = (words.next().unwrap(), words.next().unwrap(), words.next().unwrap());
        let count: usize = count.parse().unwrap();
        let mut weights = vec![IN; 16];
        if state == "out" {
            (weights[4], weights[7], weights[9]) = (0, IN / 2, 0);
        }
        for (number, expected) in (0u32..).zip(words) {
            let osds = match rule {
                "firstn" => map.firstn(number, count, &weights).into_iter().map(Some).collect(),
                _ => map.indep(number, count, &weights),
            };
            let told = |osd: Option<u32>| osd.map_or("-".to_owned(), |osd| osd.to_string());
            let found: Vec<String> = osds.into_iter().map(told).collect();
            assert_eq!(found.join(","), expected, "{rule} {count} {state}, number {number}");
            cases += 1;
        }
    }
    assert_eq!(cases, 6 * 800);
}

#[test]
fn objects_lie_where_osdmaptool_says() {
    let map = Map::new(&[vec![58], vec![58], vec![58]]);
    for line in OBJECTS.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, pool, group, osds] = words[..] else { panic!("{line}") };
        let pool: u32 = pool.parse().unwrap();
        let found = group_of_name(name, 32);
        assert_eq!(found, u32::from_str_radix(group, 16).unwrap(), "{name}");
        let size = osds.split(',').count();
        let found: Vec<String> = (map.firstn(number_of(found, 32, pool), size, &[IN; 3]))
            .into_iter()
            .map(|osd| osd.to_string())
            .collect();
        assert_eq!(found.join(","), osds, "{name} of pool {pool}");
    }
}
