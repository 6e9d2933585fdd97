//! What was written is what is read, and nothing that was damaged is taken for it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot set up has failed")]

use petrio_persist::{Damage, Persist, Reader, SharedParts, Writer};
use proptest::prelude::*;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::sync::Arc;

fn written(value: &impl Persist, known: &SharedParts) -> Vec<u8> {
    let mut to = Writer::new(known);
    value.save(&mut to);
    to.finish().unwrap()
}

fn again<T: Persist>(value: &T) -> T {
    let known = SharedParts::default();
    let bytes = written(value, &known);
    let mut from = Reader::new(&known, &bytes);
    let value = T::load(&mut from).unwrap();
    from.end().unwrap();
    value
}

#[derive(Clone, Debug, PartialEq, Persist)]
enum Shape {
    Point,
    Line(u32, i64),
    Named { name: String, at: Vec<Option<f64>>, r#type: bool },
}

fn shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        Just(Shape::Point),
        (any::<u32>(), any::<i64>()).prop_map(|(from, to)| Shape::Line(from, to)),
        (".*", proptest::collection::vec(proptest::option::of(-1e9..1e9), 0..9), any::<bool>())
            .prop_map(|(name, at, r#type)| Shape::Named { name, at, r#type }),
    ]
}

proptest! {
    #[test]
    fn all_comes_back(
        numbers in (any::<u64>(), any::<u128>(), any::<i8>(), any::<f64>(), any::<char>()),
        shapes in proptest::collection::vec(shape(), 0..20),
        map in proptest::collection::btree_map(any::<u16>(), shape(), 0..20),
        heap in proptest::collection::vec(any::<(u32, u32)>(), 0..40),
    ) {
        let back = again(&numbers);
        prop_assert_eq!((back.0, back.1, back.2, back.3.to_bits(), back.4), (numbers.0, numbers.1, numbers.2, numbers.3.to_bits(), numbers.4));
        prop_assert_eq!(&again(&shapes), &shapes);
        prop_assert_eq!(&again(&map), &map);
        let heap = BinaryHeap::from(heap);
        prop_assert!(again(&heap).iter().eq(heap.iter()), "a heap lies as it lay");
        let mut turned: VecDeque<Shape> = shapes.into();
        turned.rotate_left(turned.len() / 2);
        prop_assert_eq!(again(&turned), turned);
    }

    /// Any byte that is changed or left out gives another value or an error, and never a panic or a reader that goes on for ever.
    #[test]
    fn damage_is_survived(shapes in proptest::collection::vec(shape(), 1..10), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let known = SharedParts::default();
        let mut bytes = written(&shapes, &known);
        let cut = at.index(bytes.len());
        let mut short = Reader::new(&known, &bytes[..cut]);
        prop_assert!(Vec::<Shape>::load(&mut short).is_err(), "cut off at {cut}");
        bytes[cut] = byte;
        let _ = Vec::<Shape>::load(&mut Reader::new(&known, &bytes));
    }
}

/// A part of a System: how it is made is never written.
#[derive(Clone, Persist)]
struct Part {
    #[persist(keep)]
    limit: u64,
    #[persist(shared)]
    rules: Arc<fn(u64) -> u64>,
    #[persist(skip)]
    scratch: Vec<u64>,
    used: u64,
    inodes: Vec<Arc<u64>>,
}

fn part() -> Part {
    Part {
        limit: 7,
        rules: Arc::new(|of| of + 1),
        scratch: Vec::new(),
        used: 0,
        inodes: vec![Arc::new(1), Arc::new(2)],
    }
}

#[test]
fn what_is_the_systems_stays_the_systems() {
    let (first, second) = (part(), part());
    let mut used = first.clone();
    used.used = 3;
    used.scratch.push(9);
    used.inodes[1] = Arc::new(5);
    used.inodes.push(Arc::clone(&used.inodes[1]));
    let bytes = written(&used, &SharedParts::of(&first));

    // Another process builds the System again.
    let known = SharedParts::of(&second);
    let mut back = second.clone();
    back.scratch.push(4);
    let mut from = Reader::new(&known, &bytes);
    back.restore(&mut from).unwrap();
    from.end().unwrap();
    assert_eq!((back.limit, back.used, back.scratch.len(), (back.rules)(1)), (7, 3, 0, 2));
    assert_eq!(back.inodes.iter().map(|inode| **inode).collect::<Vec<_>>(), [1, 5, 5]);
    assert!(Arc::ptr_eq(&back.inodes[0], &second.inodes[0]), "what the System has is pointed to");
    assert!(Arc::ptr_eq(&back.inodes[1], &back.inodes[2]), "what two point to is one");
}

#[test]
fn what_is_no_part_of_the_system_cannot_be_pointed_to() {
    let first = part();
    let nothing = SharedParts::default();
    let mut to = Writer::new(&nothing);
    to.shared(&first.rules);
    let refusal = to.finish().unwrap_err().to_string();
    assert!(refusal.starts_with("a state with a fn(u64) -> u64 of its own"), "{refusal}");
}

#[test]
fn a_part_is_not_made_of_nothing() {
    let known = SharedParts::of(&part());
    let more = vec![part(), part()];
    let bytes = written(&more, &SharedParts::of(&more));
    let mut fewer = vec![part()];
    let damage = fewer.restore(&mut Reader::new(&known, &bytes)).unwrap_err();
    assert!(matches!(damage, Damage::FromNothing(_) | Damage::Part { .. }), "{damage}");
}

#[test]
fn a_map_is_restored_by_its_keys() {
    let mut parts = BTreeMap::from([(1u32, (5u64, String::from("a"))), (3, (6, String::from("b")))]);
    let before = parts.clone();
    let bytes = written(&before, &SharedParts::default());
    parts.remove(&1);
    parts.insert(2, (0, String::new()));
    parts.restore(&mut Reader::new(&SharedParts::default(), &bytes)).unwrap();
    assert_eq!(parts, before);
}
