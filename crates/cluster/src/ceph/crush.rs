//! CRUSH: which OSDs a placement group lies on, over a root of hosts that hold OSDs, one on each host. Pure.
//!
//! Source: S. A. Weil, S. A. Brandt, E. L. Miller and C. Maltzahn, "CRUSH: controlled, scalable, decentralized placement of replicated
//! data" (SC 2006), and Ceph 16.2 src/crush/mapper.c (`crush_choose_firstn`, `crush_choose_indep`, `is_out`) with the tunables of
//! "jewel" (choose_total_tries 50, chooseleaf_descend_once, chooseleaf_vary_r and chooseleaf_stable 1) and the rules that Ceph
//! makes: "chooseleaf firstn 0 type host" of a replicated pool, and "set_chooseleaf_tries 5, set_choose_tries 100, chooseleaf
//! indep 0 type host" of an erasure-coded one (src/osd/OSDMap.cc, src/erasure-code/ErasureCode.cc). Held against `crushtool` in
//! `oracle_tests.rs`.
//!
//! Leaves out other buckets than straw2, other levels than root and host, device classes, and `upmap`.

use super::rjenkins;
use super::straw2::{Item, choose};

/// All that an OSD may have of what is placed on it (65536ths).
pub(super) const IN: u32 = 0x1_0000;
/// Tries of a replicated pool's rule (choose_total_tries, and one), and of an erasure-coded one's and of each host in it.
const FIRSTN_TRIES: u32 = 51;
const INDEP_TRIES: u32 = 100;
const INDEP_LEAF_TRIES: u32 = 5;
/// The number of the root, and of the hosts in the order in which they came: each takes two numbers, one for its device class's.
const fn number_of_host(host: usize) -> i32 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        reason = "there are fewer hosts than 2³⁰"
    )]
    let host = host as i32;
    -3 - 2 * host
}

/// A root of hosts, each with OSDs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    root: Vec<Item>,
    hosts: Vec<Vec<Item>>,
}

impl Map {
    /// Of hosts whose OSDs have such weights (65536ths of a TiB), numbered in order.
    pub(super) fn new(hosts: &[Vec<u32>]) -> Self {
        let mut next = 0;
        let mut of_host = |weights: &Vec<u32>| {
            let items: Vec<Item> = weights.iter().zip(next..).map(|(&weight, osd)| (osd, weight)).collect();
            next += items.iter().map(|_| 1).sum::<i32>();
            items
        };
        let hosts: Vec<Vec<Item>> = hosts.iter().map(&mut of_host).collect();
        let sum = |items: &Vec<Item>| items.iter().map(|(_, weight)| *weight).fold(0, u32::saturating_add);
        let root = hosts.iter().enumerate().map(|(host, items)| (number_of_host(host), sum(items))).collect();
        Self { root, hosts }
    }

    /// The OSDs of a host, by its number in the map.
    fn osds(&self, host: i32) -> &[Item] {
        let at = usize::try_from((-3 - host) / 2).unwrap_or(usize::MAX);
        self.hosts.get(at).map_or(&[], Vec::as_slice)
    }

    /// The OSDs, at most so many, on which a replicated pool puts what has this number; `weights` says how far each OSD takes part.
    pub(super) fn firstn(&self, number: u32, count: usize, weights: &[u32]) -> Vec<u32> {
        let (mut hosts, mut found) = (Vec::new(), Vec::new());
        for replica in (0u32..).take(count) {
            for failed in 0..FIRSTN_TRIES {
                let draw = replica + failed;
                let Some(host) = choose(&self.root, number, draw) else { return found };
                if hosts.contains(&host) {
                    continue;
                }
                // Within a host one draw, of the same number.
                let leaf = choose(self.osds(host), number, draw).and_then(|osd| u32::try_from(osd).ok());
                if let Some(osd) = leaf.filter(|&osd| is_in(weights, osd, number)) {
                    hosts.push(host);
                    found.push(osd);
                    break;
                }
            }
        }
        found
    }

    /// The OSD of each shard of an erasure-coded pool, if there is one for it.
    pub(super) fn indep(&self, number: u32, count: usize, weights: &[u32]) -> Vec<Option<u32>> {
        let mut hosts: Vec<Option<i32>> = vec![None; count];
        let mut found: Vec<Option<u32>> = vec![None; count];
        let each = u32::try_from(count).unwrap_or(u32::MAX);
        for failed in 0..INDEP_TRIES {
            for (shard, position) in (0..count).zip(0u32..) {
                if hosts[shard].is_some() {
                    continue;
                }
                let draw = position + each * failed;
                let Some(host) = choose(&self.root, number, draw) else { return found };
                if hosts.contains(&Some(host)) {
                    continue;
                }
                let leaf = |again: u32| {
                    let osd = choose(self.osds(host), number, position + draw + each * again)?;
                    u32::try_from(osd).ok().filter(|&osd| is_in(weights, osd, number))
                };
                if let Some(osd) = (0..INDEP_LEAF_TRIES).find_map(leaf) {
                    hosts[shard] = Some(host);
                    found[shard] = Some(osd);
                }
            }
        }
        found
    }
}

/// Whether an OSD takes part in what is placed under this number.
fn is_in(weights: &[u32], osd: u32, number: u32) -> bool {
    match weights.get(osd as usize) {
        None | Some(0) => false,
        Some(&weight) if weight >= IN => true,
        Some(&weight) => rjenkins::of_two(number, osd) & 0xffff < weight,
    }
}
