//! The collectives carried out by all ranks: whom each hears of, in how many rounds, by how many bytes.

#![allow(clippy::unwrap_used)]
use super::*;
use std::collections::{BTreeMap, VecDeque};

/// What came of an operation that all ranks carried out.
struct Played {
    /// Whose contributions each rank has heard of, in any part of its vector.
    heard: Vec<Vec<bool>>,
    /// Bytes that each rank sent, and received.
    sent: Vec<u64>,
    received: Vec<u64>,
    /// Rounds in which each rank took part.
    rounds: Vec<u32>,
    /// Most new contributions that a message brought, less those that its bytes had room for.
    crowded: bool,
}

/// Carries out an operation with messages that take no time, in the order of MPI: all of a round is posted, then waited for.
/// `block` bytes hold one contribution.
fn play(collective: Collective, ranks: u32, block: u64) -> Played {
    struct Message {
        bytes: u64,
        heard: Vec<bool>,
    }
    let count = ranks as usize;
    let mut rounds: Vec<Rounds> = (0..ranks).map(|rank| collective.rounds(Group { rank, ranks })).collect();
    let mut open: Vec<Option<VecDeque<u32>>> = vec![None; count];
    let mut over = vec![false; count];
    let mut messages: BTreeMap<(u32, u32), VecDeque<Message>> = BTreeMap::new();
    let mut played = Played {
        heard: (0..count).map(|rank| (0..count).map(|other| rank == other).collect()).collect(),
        sent: vec![0; count],
        received: vec![0; count],
        rounds: vec![0; count],
        crowded: false,
    };
    loop {
        let mut moved = false;
        for rank in 0..count {
            if over[rank] {
                continue;
            }
            if open[rank].is_none() {
                moved = true;
                let Some(exchange) = rounds[rank].next() else {
                    over[rank] = true;
                    continue;
                };
                played.rounds[rank] += 1;
                for (to, bytes) in exchange.sends {
                    assert!(to < ranks && to as usize != rank, "{collective:?} of {ranks}: {rank} to {to}");
                    played.sent[rank] += bytes;
                    let heard = played.heard[rank].clone();
                    messages.entry((rank as u32, to)).or_default().push_back(Message { bytes, heard });
                }
                open[rank] = Some(exchange.receives.into());
            }
            let waits = open[rank].as_mut().unwrap();
            while let Some(&from) = waits.front() {
                let Some(message) = messages.get_mut(&(from, rank as u32)).and_then(VecDeque::pop_front)
                else {
                    break;
                };
                waits.pop_front();
                moved = true;
                played.received[rank] += message.bytes;
                let mut new = 0;
                for (knows, heard) in played.heard[rank].iter_mut().zip(message.heard) {
                    new += u64::from(heard && !*knows);
                    *knows |= heard;
                }
                played.crowded |= new * block > message.bytes;
            }
            if waits.is_empty() {
                open[rank] = None;
            }
        }
        if over.iter().all(|over| *over) {
            break;
        }
        assert!(moved, "{collective:?} of {ranks} ranks waits for ever");
    }
    assert!(
        messages.values().all(VecDeque::is_empty),
        "{collective:?} of {ranks}: a message nobody receives"
    );
    played
}

fn all_heard(played: &Played) -> bool {
    played.heard.iter().flatten().all(|heard| *heard)
}

/// Numbers of ranks: all up to 33, so powers of two and their neighbours.
fn sizes() -> impl Iterator<Item = u32> {
    1..=33
}

/// Lengths on each side of all thresholds.
const LENGTHS: [u64; 6] = [1, 8, 300, 3000, 50_000, 1_000_000];

#[test]
fn nobody_leaves_a_barrier_before_all_have_come() {
    for ranks in sizes() {
        let played = play(Collective::Barrier, ranks, 0);
        assert!(all_heard(&played), "{ranks}");
        assert!(played.rounds.iter().all(|rounds| *rounds == levels(ranks)), "{ranks}");
    }
}

#[test]
fn a_broadcast_reaches_all_with_its_bytes() {
    for ranks in sizes() {
        for root in [0, ranks / 2, ranks - 1] {
            for bytes in LENGTHS {
                let played = play(Collective::Broadcast { root, bytes }, ranks, 0);
                for rank in 0..ranks as usize {
                    assert!(played.heard[rank][root as usize], "{ranks} {root} {bytes} {rank}");
                    let is_root = rank == root as usize;
                    assert!(is_root || played.received[rank] >= bytes, "{ranks} {root} {bytes} {rank}");
                }
                let sent: u64 = played.sent.iter().sum();
                if bytes < 12_288 || ranks < 8 {
                    // Each but the root gets the message once; the root sends it to each level of the tree.
                    assert_eq!(sent, bytes * u64::from(ranks - 1));
                    assert_eq!(played.sent[root as usize], bytes * u64::from(levels(ranks)));
                } else {
                    // No rank sends the whole of it more than twice, whatever their number.
                    assert!(played.sent.iter().all(|sent| *sent <= 2 * bytes), "{ranks} {bytes}");
                }
            }
        }
    }
}

#[test]
fn a_reduction_hears_of_all_and_long_ones_send_less_than_the_tree() {
    for ranks in sizes() {
        for root in [0, ranks / 2, ranks - 1] {
            for bytes in LENGTHS {
                let played = play(Collective::Reduce { root, bytes }, ranks, 0);
                assert!(played.heard[root as usize].iter().all(|heard| *heard), "{ranks} {root} {bytes}");
                if bytes <= 2048 {
                    assert_eq!(played.sent.iter().sum::<u64>(), bytes * u64::from(ranks - 1));
                } else if ranks.is_power_of_two() {
                    // (1 - 1/n) of the vector to be scattered, and no more to be gathered.
                    let bound = 2 * (bytes - bytes / u64::from(ranks)) + u64::from(2 * ranks);
                    assert!(played.received.iter().all(|received| *received <= bound), "{ranks} {bytes}");
                }
            }
        }
    }
}

#[test]
fn an_all_reduce_hears_of_all_everywhere_in_the_bytes_of_its_formula() {
    for ranks in sizes() {
        for bytes in LENGTHS {
            let played = play(Collective::AllReduce { bytes }, ranks, 0);
            assert!(all_heard(&played), "{ranks} {bytes}");
            if !ranks.is_power_of_two() {
                continue;
            }
            for sent in &played.sent {
                if bytes <= 2048 {
                    assert_eq!(*sent, bytes * u64::from(levels(ranks)));
                } else {
                    let formula = 2 * (bytes - bytes / u64::from(ranks));
                    assert!(sent.abs_diff(formula) <= u64::from(2 * ranks), "{ranks} {bytes}: {sent}");
                }
            }
        }
    }
}

#[test]
fn a_gather_brings_each_block_and_a_scatter_takes_it() {
    for ranks in sizes() {
        for root in [0, ranks / 3, ranks - 1] {
            let bytes = 24;
            let gathered = play(Collective::Gather { root, bytes }, ranks, bytes);
            assert!(gathered.heard[root as usize].iter().all(|heard| *heard), "{ranks} {root}");
            assert!(!gathered.crowded, "{ranks} {root}");
            assert_eq!(gathered.received[root as usize], bytes * u64::from(ranks - 1));
            let scattered = play(Collective::Scatter { root, bytes }, ranks, 0);
            assert_eq!(scattered.sent[root as usize], bytes * u64::from(ranks - 1));
            for rank in 0..ranks as usize {
                assert!(scattered.heard[rank][root as usize]);
                // What a rank keeps of what it gets is its own block.
                let kept =
                    scattered.received[rank] - if rank == root as usize { 0 } else { scattered.sent[rank] };
                assert_eq!(kept, if rank == root as usize { 0 } else { bytes });
            }
            assert_eq!(gathered.sent, scattered.received);
        }
    }
}

#[test]
fn an_all_gather_brings_all_blocks_to_all_and_no_block_twice() {
    for ranks in sizes() {
        for bytes in [1, 100, 20_000, 1_000_000] {
            let played = play(Collective::AllGather { bytes }, ranks, bytes);
            assert!(all_heard(&played), "{ranks} {bytes}");
            let others = bytes * u64::from(ranks - 1);
            assert!(played.received.iter().all(|received| *received == others), "{ranks} {bytes}");
            // Bruck's last message leaves out what the neighbour has, so contributions heard of say nothing there.
            let bruck = Collective::AllGather { bytes }.algorithm(ranks) == Algorithm::BruckAllGather;
            assert!(bruck || !played.crowded, "{ranks} {bytes}");
            let short = bytes * u64::from(ranks) < 81_920;
            let expected = if short { levels(ranks) } else { ranks - 1 };
            if short || !ranks.is_power_of_two() {
                assert!(played.rounds.iter().all(|rounds| *rounds == expected), "{ranks} {bytes}");
            }
        }
    }
}

#[test]
fn an_all_to_all_brings_something_from_each() {
    for ranks in sizes() {
        for bytes in [4, 1000, 100_000] {
            let collective = Collective::AllToAll { bytes };
            let played = play(collective, ranks, 0);
            assert!(all_heard(&played), "{ranks} {bytes}");
            if ranks == 1 {
                continue;
            }
            match collective.algorithm(ranks) {
                Algorithm::BruckAllToAll => {
                    assert!(played.rounds.iter().all(|rounds| *rounds == levels(ranks)));
                    // Each block makes a hop for each bit of its distance.
                    let hops: u64 = (1..ranks).map(|distance| u64::from(distance.count_ones())).sum();
                    assert!(played.sent.iter().all(|sent| *sent == hops * bytes), "{ranks}");
                }
                Algorithm::AllAtOnce => assert!(played.rounds.iter().all(|rounds| *rounds == 1)),
                _ => {
                    assert!(played.rounds.iter().all(|rounds| *rounds == ranks - 1));
                    assert!(played.sent.iter().all(|sent| *sent == bytes * u64::from(ranks - 1)));
                }
            }
        }
    }
}

#[test]
fn algorithms_change_at_mpichs_thresholds() {
    let broadcast = |bytes, ranks| Collective::Broadcast { root: 0, bytes }.algorithm(ranks);
    assert_eq!(broadcast(12_287, 16), Algorithm::BinomialBroadcast { root: 0 });
    assert_eq!(broadcast(12_288, 7), Algorithm::BinomialBroadcast { root: 0 });
    assert_eq!(broadcast(12_288, 16), Algorithm::ScatterAndAllGather { root: 0, doubling: true });
    assert_eq!(broadcast(12_288, 15), Algorithm::ScatterAndAllGather { root: 0, doubling: false });
    assert_eq!(broadcast(524_288, 16), Algorithm::ScatterAndAllGather { root: 0, doubling: false });
    assert_eq!(Collective::AllReduce { bytes: 2048 }.algorithm(9), Algorithm::RecursiveDoubling);
    assert_eq!(Collective::AllReduce { bytes: 2049 }.algorithm(9), Algorithm::RabenseifnerAllReduce);
    assert_eq!(Collective::AllToAll { bytes: 256 }.algorithm(8), Algorithm::BruckAllToAll);
    assert_eq!(Collective::AllToAll { bytes: 256 }.algorithm(7), Algorithm::AllAtOnce);
    assert_eq!(Collective::AllToAll { bytes: 32_769 }.algorithm(7), Algorithm::Pairwise);
}
