//! Claims about layouts.
#![allow(clippy::unwrap_used)]

use super::{Layout, LayoutError, Track};
use crate::disk::parameters::{GeometryParameters, Sparing, TrackOrder, ZoneParameters};
use petrio_kernel::Time;
use std::collections::BTreeSet;

const REVOLUTION: Time = Time::from_millis(12);

fn zone(first: u32, last: u32, sectors: u32) -> ZoneParameters {
    ZoneParameters {
        first_cylinder: first,
        last_cylinder: last,
        sectors_per_track: sectors,
        track_skew_sectors: 2.0,
        cylinder_skew_sectors: 3.0,
        first_sector_angle_sectors: 0.0,
        reserved_sectors: 0,
        spares: 0,
        slips: Vec::new(),
        remaps: Vec::new(),
    }
}

/// Two zones on three surfaces: cylinders 0–5 with 12 sectors a track, 7–11 with 8; cylinder 6 holds nothing.
fn geometry(order: TrackOrder, sparing: Sparing, spares: u64, slips: &[u64]) -> GeometryParameters {
    let mut zones = vec![zone(0, 5, 12), zone(7, 11, 8)];
    for zone in &mut zones {
        zone.spares = spares;
        zone.slips = slips.to_vec();
    }
    GeometryParameters {
        surfaces: 3,
        cylinders: 12,
        blocks: None,
        order,
        sparing,
        skew_scale: 1.0,
        physical_sector: petrio_units::Blocks(1),
        zones,
    }
}

fn every_geometry() -> Vec<GeometryParameters> {
    let sparings = [
        (Sparing::None, 0, vec![0, 13, 14, 40]),
        (Sparing::TracksPerZone, 3, vec![2, 3, 9]),
        (Sparing::SectorsPerTrack, 2, vec![0, 8, 31]),
        (Sparing::SectorsPerCylinder { at_front: false, slip_to_end: false }, 4, vec![1, 2, 30, 31]),
        (Sparing::SectorsPerCylinder { at_front: true, slip_to_end: false }, 4, vec![1, 2, 30, 31]),
        (Sparing::SectorsPerCylinder { at_front: true, slip_to_end: true }, 4, vec![1, 2, 30, 31]),
        (Sparing::SectorsPerCylinderRange { cylinders: 2 }, 5, vec![7, 8, 60]),
        (Sparing::SectorsPerZone { slip_to_end: false }, 9, vec![0, 50, 51]),
        (Sparing::SectorsPerZone { slip_to_end: true }, 9, vec![0, 50, 51]),
        (Sparing::SectorsAtEnd, 0, vec![5, 6, 7, 100]),
    ];
    let orders = [
        TrackOrder::Cylinder,
        TrackOrder::Serpentine,
        TrackOrder::SerpentineAcrossZones,
        TrackOrder::Bands(1),
        TrackOrder::Bands(4),
    ];
    sparings
        .iter()
        .flat_map(|(sparing, spares, slips)| orders.map(|order| geometry(order, *sparing, *spares, slips)))
        .collect()
}

#[test]
fn every_block_has_a_place_of_its_own_and_the_place_gives_the_block_back() {
    for geometry in every_geometry() {
        let layout = Layout::new(&geometry, REVOLUTION).unwrap();
        let mut taken = BTreeSet::new();
        for block in 0..layout.blocks() {
            let place = layout.place(block);
            let key = (place.track.cylinder, place.track.surface, place.sector);
            assert!(taken.insert(key), "{geometry:?}: block {block} at {key:?}");
            assert_eq!(layout.block_at(place.track, place.sector), Some(block), "{geometry:?}");
        }
        assert_eq!(layout.block_at(Track { cylinder: 6, surface: 0 }, 0), None);
    }
}

#[test]
fn slipped_and_spare_sectors_hold_no_block() {
    for geometry in every_geometry() {
        let layout = Layout::new(&geometry, REVOLUTION).unwrap();
        let mut held = 0;
        for cylinder in 0..12 {
            for surface in 0..3 {
                for sector in 0..12 {
                    held += u64::from(layout.block_at(Track { cylinder, surface }, sector).is_some());
                }
            }
        }
        assert_eq!(held, layout.blocks(), "{geometry:?}");
    }
}

#[test]
fn runs_follow_each_other_over_the_tracks_and_lose_no_block() {
    for geometry in every_geometry() {
        let layout = Layout::new(&geometry, REVOLUTION).unwrap();
        for limit in [1, 3, 100] {
            let mut block = 0;
            while block < layout.blocks() {
                let run = layout.run(block, limit);
                assert!((1..=limit).contains(&run.blocks));
                let (first, end) = layout.track_blocks(block);
                assert!((first..end).contains(&block), "{geometry:?}: {block} not in {first}..{end}");
                let last = layout.place(block + run.blocks - 1);
                assert_eq!(last.track, run.place.track, "{geometry:?}");
                assert_eq!(last.sector, run.place.sector + run.sectors - 1, "{geometry:?}");
                if run.blocks < limit && block + run.blocks < layout.blocks() {
                    assert_eq!(block + run.blocks, end, "{geometry:?}: cut short on the track");
                }
                block += run.blocks;
            }
        }
    }
}

#[test]
fn a_serpentine_changes_cylinder_on_the_same_surface() {
    let layout = Layout::new(&geometry(TrackOrder::Serpentine, Sparing::None, 0, &[]), REVOLUTION).unwrap();
    let surfaces: Vec<u32> = (0..6).map(|row| layout.place(row * 12).track.surface).collect();
    assert_eq!(surfaces, [0, 1, 2, 2, 1, 0]);
}

#[test]
fn bands_go_along_a_surface_and_back_along_the_next() {
    let layout = Layout::new(&geometry(TrackOrder::Bands(4), Sparing::None, 0, &[]), REVOLUTION).unwrap();
    let track = |row: u64| {
        let Track { cylinder, surface } = layout.place(row * 12).track;
        (cylinder, surface)
    };
    let first: Vec<_> = (0..12).map(track).collect();
    let there = |surface| (0..4).map(move |cylinder| (cylinder, surface));
    let expected: Vec<_> = there(0).chain(there(1).rev()).chain(there(2)).collect();
    assert_eq!(first, expected);
    // The zone's second band has two cylinders, and begins where the first has ended.
    assert_eq!((12..18).map(track).collect::<Vec<_>>(), [(4, 2), (5, 2), (5, 1), (4, 1), (4, 0), (5, 0)]);
    // The skew of a track alone, two sectors of 1 ms, from one to the next.
    let angle = |row: u64| layout.angle(layout.place(row * 12)).as_millis();
    assert_eq!([angle(0), angle(1), angle(3), angle(4)], [0.0, 2.0, 6.0, 8.0]);
    assert!(matches!(
        Layout::new(&geometry(TrackOrder::Bands(0), Sparing::None, 0, &[]), REVOLUTION),
        Err(LayoutError::None("order.bands"))
    ));
}

#[test]
fn skews_turn_each_track_against_the_one_before() {
    let layout = Layout::new(&geometry(TrackOrder::Cylinder, Sparing::None, 0, &[]), REVOLUTION).unwrap();
    // A sector takes 1 ms. Two sectors of track skew, three of cylinder skew.
    let angle = |block| layout.angle(layout.place(block)).as_millis();
    assert_eq!([angle(0), angle(5), angle(12), angle(24), angle(36)], [0.0, 5.0, 2.0, 4.0, 7.0]);
    assert_eq!(layout.sector_time(0, 12), REVOLUTION);
}

#[test]
fn a_remapped_sector_lies_apart_and_ends_the_run_before_it() {
    let mut geometry = geometry(TrackOrder::Cylinder, Sparing::SectorsPerZone { slip_to_end: false }, 6, &[]);
    geometry.zones[0].remaps = vec![[4, 212]];
    let layout = Layout::new(&geometry, REVOLUTION).unwrap();
    let place = layout.place(4);
    assert!(place.remapped);
    assert_eq!((place.track, place.sector), (Track { cylinder: 5, surface: 2 }, 8));
    assert_eq!(layout.block_at(place.track, 8), Some(4));
    assert_eq!([layout.run(0, 12).blocks, layout.run(4, 12).blocks, layout.run(5, 12).blocks], [4, 1, 7]);
}

#[test]
fn a_geometry_that_cannot_be_is_refused_with_its_zone() {
    let base = || geometry(TrackOrder::Cylinder, Sparing::SectorsPerTrack, 1, &[]);
    let refused = |change: &dyn Fn(&mut GeometryParameters)| {
        let mut geometry = base();
        change(&mut geometry);
        Layout::new(&geometry, REVOLUTION).unwrap_err()
    };
    assert_eq!(refused(&|g| g.surfaces = 0), LayoutError::None("surfaces"));
    assert!(matches!(refused(&|g| g.zones[1].first_cylinder = 3), LayoutError::Cylinders { zone: 1, .. }));
    assert!(matches!(refused(&|g| g.zones[1].last_cylinder = 12), LayoutError::Cylinders { zone: 1, .. }));
    assert!(matches!(refused(&|g| g.zones[0].sectors_per_track = 0), LayoutError::Sectors { zone: 0, .. }));
    assert!(matches!(
        refused(&|g| g.zones[0].slips = vec![0, 1]),
        LayoutError::TooManySlips { slips: 2, .. }
    ));
    assert!(matches!(refused(&|g| g.zones[0].slips = vec![9999]), LayoutError::OutsideZone { .. }));
    assert!(matches!(refused(&|g| g.zones[0].spares = 12), LayoutError::NoRoom { .. }));
    assert!(matches!(refused(&|g| g.blocks = Some(1 << 20)), LayoutError::TooFewBlocks { .. }));
    assert!(matches!(refused(&|g| g.zones[0].track_skew_sectors = f64::NAN), LayoutError::Skew { .. }));
}
