//! Nothing that was answered is lost: what the pool believes about what stands where, against what really does.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::layout::{Device, Layout};
use super::parameters::{CephParameters, Erasure};
use super::whereabouts::{Seat, Whereabouts};
use petrio_units::Bytes;
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What happens to a pool.
#[derive(Clone, Copy, Debug)]
enum Step {
    Down(u32),
    Out(u32),
    Up(u32),
    Write(u32),
    Fill,
}

fn steps(osds: u32, objects: u32) -> impl Strategy<Value = Vec<Step>> {
    let one = (0u32..12, 0..osds, 0..objects).prop_map(|(which, osd, object)| match which {
        0 => Step::Down(osd),
        1 => Step::Out(osd),
        2 | 3 => Step::Up(osd),
        4..=7 => Step::Write(object),
        _ => Step::Fill,
    });
    prop::collection::vec(one, 1..120)
}

fn parameters(erasure: Option<(u32, u32)>, size: u32) -> CephParameters {
    let text = "image = \"48 MiB\"\npg_num = 8";
    let parameters: CephParameters = toml::from_str(text).unwrap();
    let erasure = erasure.map(|(data, coding)| Erasure { data, coding, stripe_unit: Bytes(4096) });
    CephParameters { erasure, size, ..parameters }
}

/// Which version of each object really lies at each seat.
type Contents = BTreeMap<(Seat, u32), u64>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn whoever_is_believed_to_have_an_object_has_what_was_written_last(
        steps in steps(6, 12), coded: bool, size in 1u32..4,
    ) {
        let parameters = parameters(coded.then_some((2, 1)), size);
        let devices = [Device { sectors: 1 << 21, turns: false }; 6];
        let layout = Arc::new(Layout::new(&parameters, &devices));
        let counts = (parameters.needed() as usize, parameters.least() as usize);
        let mut there = Whereabouts::new(Arc::clone(&layout), counts);
        let (mut up, mut out) = ([true; 6], [false; 6]);
        let mut really = Contents::new();
        let mut written = [0u64; 12];
        for object in 0..12u32 {
            for seat in there.having(object) {
                really.insert((seat, object), 0);
            }
        }
        for step in steps {
            match step {
                Step::Down(osd) if up[osd as usize] => {
                    up[osd as usize] = false;
                    there.set_up(osd, false);
                }
                Step::Out(osd) if !up[osd as usize] && !out[osd as usize] => {
                    out[osd as usize] = true;
                    there.set_out(osd);
                }
                Step::Up(osd) if !up[osd as usize] => {
                    (up[osd as usize], out[osd as usize]) = (true, false);
                    there.set_up(osd, true);
                }
                Step::Write(object) if there.primary(object).is_some() => {
                    let seats = there.having(object);
                    prop_assert!(seats.len() >= counts.1);
                    there.written(object, &seats);
                    written[object as usize] += 1;
                    for seat in seats {
                        really.insert((seat, object), written[object as usize]);
                    }
                }
                Step::Fill => {
                    let next = there.to_fill().find_map(|(group, seats)| {
                        let object = |seat| there.next_missing(group, seat, 0).map(|object| (object, seat));
                        seats.into_iter().find_map(object)
                    });
                    if let Some((object, seat)) = next {
                        // It is made of what its sources really have.
                        let from = there.sources(object);
                        let versions: Vec<u64> = from.iter().map(|seat| really[&(*seat, object)]).collect();
                        prop_assert!(versions.iter().all(|version| *version == written[object as usize]));
                        really.insert((seat, object), versions[0]);
                        there.filled(object, seat);
                    }
                }
                _ => {}
            }
            for object in 0..12u32 {
                let having = there.having(object);
                for seat in &having {
                    prop_assert!(up[seat.0 as usize], "who is away isn't asked");
                    prop_assert_eq!(really.get(&(*seat, object)), Some(&written[object as usize]));
                }
                if let Some(primary) = there.primary(object) {
                    prop_assert!(having.iter().any(|seat| seat.0 == primary));
                }
            }
        }
        // Once all are back and filled, all is whole again, where CRUSH wants it.
        for osd in (0..6u32).filter(|osd| !up[*osd as usize]).collect::<Vec<_>>() {
            there.set_up(osd, true);
        }
        loop {
            let next = there.to_fill().find_map(|(group, seats)| {
                seats.into_iter().find_map(|seat| there.next_missing(group, seat, 0).map(|object| (object, seat)))
            });
            let Some((object, seat)) = next else { break };
            there.filled(object, seat);
        }
        prop_assert_eq!(there.short(), (0, 0));
        for object in 0..12u32 {
            let home: Vec<u32> = layout.home[layout.group_of[object as usize] as usize].iter().flatten().copied().collect();
            let mut having: Vec<u32> = there.having(object).iter().map(|seat| seat.0).collect();
            having.sort_unstable();
            let mut wanted = home;
            wanted.sort_unstable();
            prop_assert_eq!(having, wanted);
        }
    }
}

#[test]
fn an_osd_that_comes_back_gets_what_was_written_meanwhile_and_one_that_takes_over_gets_all() {
    let parameters = parameters(None, 3);
    let devices = [Device { sectors: 1 << 21, turns: false }; 6];
    let layout = Arc::new(Layout::new(&parameters, &devices));
    let mut there = Whereabouts::new(Arc::clone(&layout), (1, 2));
    let group = layout.group_of[0];
    let osd = layout.home[group as usize][0].unwrap();
    let first = there.primary(0);
    assert_eq!(first, Some(osd));
    there.set_up(osd, false);
    assert_ne!(there.primary(0), first, "another speaks for it");
    let seats = there.having(0);
    assert!(there.is_degraded(&seats));
    there.written(0, &seats);
    there.set_up(osd, true);
    let lacking: Vec<_> = there.to_fill().collect();
    assert_eq!(lacking.len(), 1);
    assert_eq!((lacking[0].0, there.next_missing(group, (osd, 0), 0)), (group, Some(0)));
    assert_eq!(there.next_missing(group, (osd, 0), 1), None, "only what was written");
    // And out: all that lay on it.
    there.set_up(osd, false);
    there.set_out(osd);
    let lay: usize = (layout.home.iter().zip(&layout.objects))
        .filter(|(home, _)| home.contains(&Some(osd)))
        .map(|(_, objects)| objects.len())
        .sum();
    let mut filled = 0;
    while let Some((object, seat)) = {
        let all: Vec<_> = there.to_fill().collect();
        all.into_iter().find_map(|(group, seats)| {
            seats.into_iter().find_map(|seat| there.next_missing(group, seat, 0).map(|object| (object, seat)))
        })
    } {
        there.filled(object, seat);
        filled += 1;
    }
    assert!(filled >= lay, "{filled} of {lay}");
    assert_eq!(there.short(), (0, 0));
}
