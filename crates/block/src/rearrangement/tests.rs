//! What is written is read again, whatever moves meanwhile; and what is used comes together.

#![allow(clippy::unwrap_used)]
use super::state::{Arrangement, Outcome};
use super::*;
use petrio_colours::{Direction, Status};
use petrio_device::analytic_disk::{AnalyticDiskParameters, analytic_disk_page};
use petrio_device::disk::parameters::QueueDiscipline;
use petrio_kernel::{NetBuilder, Simulation, Time};
use petrio_units::{Bytes, Duration};
use proptest::prelude::*;

fn parameters(traffic: CopyTraffic, every_ms: u64) -> RearrangementParameters {
    RearrangementParameters {
        piece: Bytes(4096),
        every: Duration::new(Time::from_millis(every_ms)),
        traffic,
        ..RearrangementParameters::default()
    }
}

/// A device that keeps what is written: for each block, by whom it was written last.
struct Content {
    blocks: Vec<u64>,
    /// What the two reads of a move have found.
    found: Vec<Vec<u64>>,
}

impl Content {
    /// Serves a request; what a read finds.
    fn serve(&mut self, part: &BlockRequest) -> Vec<u64> {
        let range = part.address as usize..part.end() as usize;
        let of_move = part.tag == u64::MAX;
        match (part.direction, of_move) {
            (Direction::Read, true) => {
                let found = self.blocks[range].to_vec();
                self.found.push(found);
            }
            (Direction::Write, true) => {
                let found = self.found.remove(0);
                self.blocks[range].copy_from_slice(&found);
            }
            (Direction::Write, false) => self.blocks[range].fill(u64::from(part.process)),
            _ => return self.blocks[range].to_vec(),
        }
        Vec::new()
    }
}

/// One request after the other, or several at once where they don't touch the same blocks.
fn what_is_read(
    requests: &[(bool, u64, u32, u8)],
    traffic: CopyTraffic,
    depth: usize,
) -> Result<(), TestCaseError> {
    let pieces = 12;
    let mut arrangement = Arrangement::new(&parameters(traffic, 3), pieces * 8).unwrap();
    // Each block holds its own number at first.
    let mut content = Content { blocks: (0..pieces * 8).collect(), found: Vec::new() };
    let mut model: Vec<u64> = content.blocks.clone();
    let (mut now, mut flying, mut waiting) = (Time::ZERO, Vec::<BlockRequest>::new(), Vec::new());
    let mut read = std::collections::BTreeMap::<u64, Vec<(u64, Vec<u64>)>>::new();
    let mut coming = requests.iter().zip(1000u64..);
    let (mut asked, mut answered, mut moves) = (0, 0, 0);
    loop {
        now += Time::from_micros(700);
        let next = if asked - answered < depth as u64 { coming.next() } else { None };
        if let Some(((write, at, blocks, _), number)) = next {
            let direction = if *write { Direction::Write } else { Direction::Read };
            let blocks = (*blocks).min((pieces * 8 - at) as u32);
            let request = BlockRequest {
                direction,
                address: *at,
                blocks,
                process: number as u32,
                tag: number,
                ..BlockRequest::default()
            };
            asked += 1;
            let mut outcome = arrangement.arrive(request, now);
            waiting.extend(outcome.waits.take());
            prop_assert!(!outcome.ends && outcome.complete.is_none());
            flying.extend(outcome.down);
        } else if flying.is_empty() {
            break;
        }
        // One of those under way is done, whichever.
        let which = requests.get(answered as usize % requests.len()).map_or(0, |request| request.3 as usize);
        if flying.is_empty() {
            continue;
        }
        let part = flying.remove(which % flying.len());
        let found = content.serve(&part);
        if part.tag != u64::MAX && part.direction == Direction::Read {
            read.entry(u64::from(part.process)).or_default().push((part.id.0, found));
        }
        let ended = BlockRequest { status: Status::Done, ..part };
        let Outcome { down, complete, ends, release, .. } = arrangement.end(&ended, now).unwrap();
        flying.extend(down);
        moves += u32::from(ends);
        for request in waiting.drain(..release as usize) {
            flying.extend(arrangement.release(request, now).down);
        }
        if let Some(request) = complete {
            answered += 1;
            let range = request.address as usize..request.end() as usize;
            prop_assert_eq!(request.tag, u64::from(request.process), "its maker's tag came back");
            if request.direction == Direction::Write {
                model[range].fill(request.tag);
            } else {
                let mut parts = read.remove(&request.tag).unwrap();
                parts.sort_by_key(|(id, _)| *id);
                let found: Vec<u64> = parts.into_iter().flat_map(|(_, found)| found).collect();
                if depth == 1 {
                    prop_assert_eq!(&found[..], &model[range]);
                }
            }
        }
    }
    prop_assert_eq!(asked, answered);
    prop_assert_eq!(asked as usize, requests.len());
    prop_assert!(waiting.is_empty());
    if traffic == CopyTraffic::Magic {
        prop_assert_eq!(moves, 0);
    }
    Ok(())
}

proptest! {
    #[test]
    fn what_was_written_is_read_wherever_it_lies(
        requests in proptest::collection::vec((any::<bool>(), 0u64..90, 1u32..20, any::<u8>()), 1..120),
        at_once: bool,
        depth in 1usize..4,
    ) {
        let traffic = if at_once { CopyTraffic::AtOnce } else { CopyTraffic::Simulated };
        what_is_read(&requests, traffic, depth)?;
    }
}

/// Reads here and there on a disk of 1990, some pieces much more often than others; the mean time of the second half,
/// ms, and the rows.
fn time_of_a_read(rearranged: Option<RearrangementParameters>) -> (f64, Vec<Stage>) {
    let disk =
        include_str!("../../../../catalogue/devices/hp-7937.toml").replace("kind = \"analytic-disk\"", "");
    let disk: AnalyticDiskParameters = toml::from_str(&disk).unwrap();
    let blocks = disk.blocks.get();
    let mut net = NetBuilder::new("test");
    let mut page = net.top();
    let place = |page: &mut PageBuilder<'_>, name: &str| page.fifo::<BlockRequest>(name);
    let (down, up) = (place(&mut page, "down"), place(&mut page, "up"));
    analytic_disk_page(&mut page, "d", (&disk, QueueDiscipline::default()), down, up);
    let (requests, completions, stages) = match rearranged {
        None => (down, up, Vec::new()),
        Some(parameters) => {
            let (requests, completions) = (place(&mut page, "requests"), place(&mut page, "completions"));
            let ports = RearrangementPorts { requests, completions, down, up };
            let stages = rearrangement_page(&mut page, "by-use", &parameters, blocks, ports).unwrap();
            (requests, completions, stages)
        }
    };
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    let (mut total, mut count, mut draw) = (0.0, 0, 12345u64);
    for number in 0..4000u32 {
        draw = draw.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Twenty places all over the device have nine tenths of the uses.
        let r = draw >> 33;
        let piece = if r % 10 == 0 { (r / 10) % (blocks / 16) } else { (r / 10) % 20 * (blocks / 16 / 20) };
        let at = run.now() + Time::from_millis(40);
        let request = BlockRequest { address: piece * 16, blocks: 16, issued: at, ..BlockRequest::default() };
        run.inject(requests, request, at).unwrap();
        run.run_until(at + Time::from_millis(200)).unwrap();
        let done = run.drain(completions).next().unwrap();
        if number >= 2000 {
            total += done.ledger.total().as_seconds();
            count += 1;
        }
    }
    (total / f64::from(count) * 1e3, stages)
}

#[test]
fn the_arm_moves_less_where_what_is_used_lies_together() {
    let by_use = |traffic, order| RearrangementParameters {
        piece: Bytes(8192),
        every: Duration::new(Time::from_millis(100_000)),
        order,
        traffic,
        ..RearrangementParameters::default()
    };
    let (plain, _) = time_of_a_read(None);
    let (magic, none) = time_of_a_read(Some(by_use(CopyTraffic::Magic, PieceOrder::OrganPipe)));
    let (moved, stages) = time_of_a_read(Some(by_use(CopyTraffic::Simulated, PieceOrder::OrganPipe)));
    let (front, _) = time_of_a_read(Some(by_use(CopyTraffic::Magic, PieceOrder::Front)));
    assert!(magic < 0.8 * plain, "{magic} ms by magic, {plain} as it was");
    assert!(front < 0.8 * plain, "{front} ms at the front, {plain} as it was");
    // What is moved between requests is in nobody's way; at most one part of a move is.
    assert!(moved < magic * 1.15 && moved > magic * 0.99, "{moved} ms moved, {magic} by magic");
    assert!(none.is_empty());
    assert_eq!(stages.len(), 2);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let refused = |change: fn(&mut RearrangementParameters)| {
        let mut parameters = RearrangementParameters::default();
        change(&mut parameters);
        Arrangement::new(&parameters, 1 << 50).unwrap_err().to_string()
    };
    assert!(refused(|p| p.piece = Bytes(5000)).contains("4 KiB"));
    assert!(refused(|p| p.every = Duration::new(Time::ZERO)).contains("every 0 s"));
    assert!(refused(|_| {}).contains("larger ones"));
}

#[test]
fn a_long_rest_is_one_interval_and_takes_no_time_to_pass() {
    let every = Duration::new(Time::from_nanos(1));
    let parameters = RearrangementParameters { every, ..parameters(CopyTraffic::Magic, 1) };
    let mut arrangement = Arrangement::new(&parameters, 800).unwrap();
    for at in [1, 90_000_000] {
        let request = BlockRequest { blocks: 8, ..BlockRequest::default() };
        let outcome = arrangement.arrive(request, Time::from_millis(at));
        assert_eq!(outcome.down.len(), 1);
    }
}
