//! Which disks copies go to, and what has to have happened to a file before it gets any.

use super::*;

/// Requests that each disk has served.
fn served(bench: &Bench, disks: usize) -> Vec<u64> {
    let place = |number| bench.run.net().find_place(&format!("disk{number}/queue"));
    (0..disks).filter_map(place).map(|place| bench.run.marking().statistics_at(place).arrivals).collect()
}

fn placed(first: Choice, others: Choice, policy: PolicyParameters) -> ReplicationParameters {
    ReplicationParameters { placement: Placement { first: Some(first), others }, ..magic(policy) }
}

#[test]
fn first_copies_go_where_the_parameter_says_whatever_the_policy_does() {
    let of = |first| {
        let mut bench = Bench::new(&placed(first, Choice::Random, PolicyParameters::Scatter), 4);
        for file in 0..400 {
            bench.ask(Direction::Write, 10 + file, 0, 16, f64::from(file));
        }
        bench.until(500.0);
        served(&bench, 4)
    };
    assert_eq!(of(Choice::InOrder), [400, 0, 0, 0]);
    // By use and by load each disk has its turn; by chance the standard deviation is 9.
    assert_eq!(of(Choice::ByUse), [100; 4]);
    assert_eq!(of(Choice::ByLoad), [100; 4]);
    let random = of(Choice::Random);
    assert!(random.iter().all(|count| (70..130).contains(count)) && random != [100; 4], "{random:?}");
}

#[test]
fn a_second_copy_goes_to_the_disk_that_did_least() {
    let slots = |others| {
        let policy = PolicyParameters::CutBack(Trigger::default());
        let parameters = ReplicationParameters { copies: Some(2), ..placed(Choice::InOrder, others, policy) };
        let mut bench = Bench::new(&parameters, 3);
        // The first disk has the masters. Of the others one gets the copy of the first file, and does something for it.
        let make = |bench: &mut Bench, file, at: f64| {
            bench.tell(Operation::Create, file, 0, at);
            bench.tell(Operation::Write, file, 8_192, at);
            bench.ask(Direction::Write, file, u64::from(file) * 1_000, 16, at);
            bench.until(at + 70.0);
        };
        make(&mut bench, 1, 0.0);
        for number in 0..40 {
            bench.ask(Direction::Read, 1, 1_000, 16, 71.0 + f64::from(number) / 1e3);
        }
        bench.until(80.0);
        make(&mut bench, 2, 80.0);
        [1, 2].map(|file| bench.replicas(|all| all.slots_of(FileId(file)).iter().collect::<Vec<_>>()))
    };
    for others in [Choice::ByUse, Choice::ByLoad] {
        let [first, second] = slots(others);
        assert_eq!((first.len(), second.len()), (2, 2));
        assert_ne!(first[1], second[1], "{others:?}: the other one has served nothing");
    }
    assert_eq!(slots(Choice::InOrder), [[0, 1], [0, 1]]);
}

#[test]
fn by_load_what_is_on_its_way_counts_before_what_was_served() {
    let parameters = magic(PolicyParameters::Scatter);
    let mut replicas = Replicas::new(&parameters, vec![true; 3], (1 << 20, Default::default())).unwrap();
    for _ in 0..5 {
        replicas.counted[1].sent(Time::ZERO);
        replicas.counted[1].came_back(Time::from_millis(1));
    }
    replicas.counted[2].sent(Time::ZERO);
    let mut first = |_| 0;
    assert_eq!(replicas.choose(Choice::ByLoad, &[1, 2], &mut first), Some(1));
    assert_eq!(replicas.choose(Choice::ByUse, &[1, 2], &mut first), Some(2));
    assert_eq!(replicas.choose(Choice::ByUse, &[], &mut first), None);
}

#[test]
fn copies_wait_for_openings_that_miss_and_never_come_to_files_that_are_opened_for_writing_too_often() {
    let copies = |trigger: Trigger, misses: u32, writes: u32| {
        let mut bench = Bench::new(&magic(PolicyParameters::CutBack(trigger)), 4);
        bench.tell(Operation::Create, 1, 0, 0.0);
        for number in 0..writes {
            bench.tell(Operation::Open, 1, 0, 1.0 + f64::from(number));
            bench.tell(Operation::Write, 1, 8_192, 1.5 + f64::from(number));
        }
        bench.ask(Direction::Write, 1, 0, 16, 20.0);
        for number in 0..3 {
            let at = 30.0 + f64::from(number);
            bench.tell(Operation::Open, 1, 0, at);
            bench.tell(Operation::Read, 1, 10, at + 0.2);
            if number < misses {
                bench.ask(Direction::Read, 1, 0, 16, at + 0.3);
            }
        }
        bench.until(400.0);
        bench.copies(1)
    };
    let trigger = |misses, most_writes| Trigger { misses, most_writes, ..Trigger::default() };
    assert_eq!(copies(trigger(0, None), 0, 1), 4);
    assert_eq!(copies(trigger(2, None), 1, 1), 1, "it was read three times, and missed once");
    assert_eq!(copies(trigger(2, None), 2, 1), 4);
    assert_eq!(copies(trigger(0, Some(2)), 0, 2), 4);
    assert_eq!(copies(trigger(0, Some(2)), 0, 3), 1);
}
