//! Every discipline against a naive model of it.

use petrio_kernel::{NetBuilder, PageBuilder, Place, Simulation, Time};
use proptest::prelude::*;
use std::collections::{BTreeMap, VecDeque};

/// A token: its key, and a number of its own.
type Token = (u8, u32);

fn key(token: &Token) -> u128 {
    u128::from(token.0)
}

#[derive(Clone, Debug)]
enum Action {
    Arrive(u8),
    Leave,
    /// Take a key, or look at one.
    Key(u8),
}

fn steps() -> impl Strategy<Value = Vec<Action>> {
    let step = prop_oneof![
        4 => (0u8..12).prop_map(Action::Arrive),
        2 => Just(Action::Leave),
        2 => (0u8..12).prop_map(Action::Key),
    ];
    prop::collection::vec(step, 0..200)
}

/// One place, and a transition that takes a key from it where the place can.
struct Bench {
    run: Simulation,
    place: Place<Token>,
    asked: Place<u8>,
    found: Place<Token>,
    numbers: u32,
}

impl Bench {
    fn new(place: impl FnOnce(&mut PageBuilder<'_>) -> Place<Token>, keyed: bool) -> Self {
        let mut net = NetBuilder::new("bench");
        let mut page = net.top();
        let place = place(&mut page);
        let asked = page.fifo::<u8>("asked");
        let found = page.fifo::<Token>("found");
        if keyed {
            let mut take = page.transition("take");
            let wanted = take.take(asked);
            let token = take.take_key(place, move |binding| u128::from(*binding.get(wanted)));
            let to = take.put(found);
            take.action(move |f| {
                let _ = f.take(wanted);
                let token = f.take(token);
                f.put(to, token);
            });
        }
        let mut give_up = page.transition("give up");
        give_up.priority(1);
        give_up.consume(asked);
        give_up.action(|_| {});
        let net = net.build().unwrap();
        Self { run: Simulation::new(&net, 1, 0), place, asked, found, numbers: 0 }
    }

    fn arrive(&mut self, key: u8) -> Token {
        self.numbers += 1;
        let token = (key, self.numbers);
        self.run.inject(self.place, token, Time::ZERO).unwrap();
        token
    }

    fn leave(&mut self) -> Option<Token> {
        self.run.drain(self.place).next()
    }

    fn take_key(&mut self, key: u8) -> Option<Token> {
        self.run.inject(self.asked, key, Time::ZERO).unwrap();
        self.run.run_until(Time::ZERO).unwrap();
        self.run.drain(self.found).next()
    }
}

proptest! {
    #[test]
    fn fifo_is_a_queue(steps in steps()) {
        let mut bench = Bench::new(|page| page.fifo("place"), false);
        let mut model = VecDeque::new();
        for step in steps {
            match step {
                Action::Arrive(key) => model.push_back(bench.arrive(key)),
                Action::Leave | Action::Key(_) => prop_assert_eq!(bench.leave(), model.pop_front()),
            }
            prop_assert_eq!(bench.run.marking().len(bench.place), model.len());
        }
    }

    #[test]
    fn a_bag_gives_back_what_was_put_in(steps in steps()) {
        let mut bench = Bench::new(|page| page.bag("place"), false);
        let mut model = std::collections::BTreeSet::new();
        for step in steps {
            match step {
                Action::Arrive(key) => prop_assert!(model.insert(bench.arrive(key))),
                Action::Leave | Action::Key(_) => match bench.leave() {
                    Some(token) => prop_assert!(model.remove(&token)),
                    None => prop_assert!(model.is_empty()),
                },
            }
        }
    }

    #[test]
    fn priority_brings_the_least_key_and_the_oldest_of_it(steps in steps()) {
        let mut bench = Bench::new(|page| page.priority("place", key), false);
        let mut model = BTreeMap::new();
        for step in steps {
            match step {
                Action::Arrive(key) => {
                    let token = bench.arrive(key);
                    model.insert(token, ());
                }
                Action::Leave | Action::Key(_) => {
                    prop_assert_eq!(bench.leave(), model.pop_first().map(|(token, ())| token));
                }
            }
        }
    }

    #[test]
    fn keys_take_turns_and_of_each_the_oldest_goes(steps in steps()) {
        let mut bench = Bench::new(|page| page.in_turn("place", key), false);
        let mut lines: BTreeMap<u8, VecDeque<Token>> = BTreeMap::new();
        let mut turns: VecDeque<u8> = VecDeque::new();
        for step in steps {
            match step {
                Action::Arrive(key) => {
                    let line = lines.entry(key).or_default();
                    if line.is_empty() {
                        turns.push_back(key);
                    }
                    line.push_back(bench.arrive(key));
                }
                Action::Leave | Action::Key(_) => {
                    let turn = turns.pop_front();
                    let line = turn.and_then(|key| lines.get_mut(&key));
                    let expected = line.and_then(VecDeque::pop_front);
                    if let Some(key) = turn.filter(|key| !lines[key].is_empty()) {
                        turns.push_back(key);
                    }
                    prop_assert_eq!(bench.leave(), expected);
                }
            }
            prop_assert_eq!(bench.run.marking().len(bench.place), lines.values().map(VecDeque::len).sum::<usize>());
        }
    }

    /// Of keys that always have tokens none is ahead of another by more than a turn and the largest token.
    #[test]
    fn turns_by_a_measure_give_each_key_as_much(sizes in prop::collection::vec(1u64..100, 4), turn in 1u64..300) {
        let of = sizes.clone();
        let takes = move |token: &Token| of[usize::from(token.0)];
        let mut bench = Bench::new(|page| page.in_turn_by("place", key, takes, turn), false);
        for key in 0..4 {
            bench.arrive(key);
            bench.arrive(key);
        }
        let mut had = [0; 4];
        for _ in 0..400 {
            let key = bench.leave().unwrap().0;
            had[usize::from(key)] += sizes[usize::from(key)];
            bench.arrive(key);
            let apart = had.iter().max().unwrap() - had.iter().min().unwrap();
            prop_assert!(apart <= turn + 2 * sizes.iter().max().unwrap(), "{:?} by {}: {:?}", sizes, turn, had);
        }
    }

    #[test]
    fn ordered_answers_neighbours_and_takes_by_key(steps in steps()) {
        let mut bench = Bench::new(|page| page.ordered("place", key), true);
        let mut model: BTreeMap<Token, ()> = BTreeMap::new();
        for step in steps {
            match step {
                Action::Arrive(key) => {
                    let token = bench.arrive(key);
                    model.insert(token, ());
                }
                Action::Leave => prop_assert_eq!(bench.leave(), model.pop_first().map(|(token, ())| token)),
                Action::Key(wanted) => {
                    {
                        let view = bench.run.marking().view(bench.place);
                        let token = |slot: Option<_>| slot.and_then(|slot| view.get(slot)).copied();
                        let from = u128::from(wanted);
                        prop_assert_eq!(
                            token(view.at_or_after(from)),
                            model.range((wanted, 0)..).next().map(|(token, ())| *token)
                        );
                        // Of equal keys before, the youngest.
                        prop_assert_eq!(
                            token(view.before(from)),
                            model.range(..(wanted, 0)).next_back().map(|(token, ())| *token)
                        );
                        prop_assert_eq!(token(view.last()), model.last_key_value().map(|(token, ())| *token));
                        prop_assert_eq!(token(view.first()), model.first_key_value().map(|(token, ())| *token));
                        let walked: Vec<Token> = view.iter().map(|(_, token)| *token).collect();
                        prop_assert_eq!(walked, model.keys().copied().collect::<Vec<_>>());
                    }
                    let expected = model.range((wanted, 0)..).next().map(|(token, ())| *token).filter(|token| token.0 == wanted);
                    prop_assert_eq!(bench.take_key(wanted), expected);
                    if let Some(token) = expected {
                        model.remove(&token);
                    }
                }
            }
        }
    }

    #[test]
    fn keyed_finds_the_oldest_of_a_key(steps in steps()) {
        let mut bench = Bench::new(|page| page.keyed("place", key), true);
        let mut model: BTreeMap<u8, VecDeque<Token>> = BTreeMap::new();
        for step in steps {
            match step {
                Action::Arrive(key) => {
                    let token = bench.arrive(key);
                    model.entry(key).or_default().push_back(token);
                }
                Action::Leave => {
                    // Which one goes is the place's affair, but it is one of those there.
                    match bench.leave() {
                        Some(token) => {
                            let queue = model.get_mut(&token.0).unwrap();
                            let at = queue.iter().position(|other| *other == token);
                            prop_assert!(at.is_some());
                            queue.remove(at.unwrap());
                        }
                        None => prop_assert!(model.values().all(VecDeque::is_empty)),
                    }
                }
                Action::Key(wanted) => {
                    let expected = model.get_mut(&wanted).and_then(VecDeque::pop_front);
                    let view = bench.run.marking().view(bench.place);
                    let seen = view.with_key(u128::from(wanted)).and_then(|slot| view.get(slot)).copied();
                    prop_assert_eq!(seen, expected);
                    prop_assert_eq!(bench.take_key(wanted), expected);
                }
            }
            let mut count = 0;
            bench.run.for_each_token(bench.place, |_| count += 1);
            prop_assert_eq!(count, model.values().map(VecDeque::len).sum::<usize>());
        }
    }
}

#[test]
fn a_state_keeps_its_one_resident() {
    let mut net = NetBuilder::new("state");
    let mut page = net.top();
    let head = page.state("head", 7u32);
    let moves = page.fifo::<u32>("moves");
    page.initial(moves, [3, 9]);
    let mut go = page.transition("go");
    let (to, head_arc) = (go.take(moves), go.update(head));
    go.action(move |f| {
        let to = f.take(to);
        *f.update(head_arc) = to;
    });
    let net = net.build().unwrap();
    let mut run = Simulation::new(&net, 1, 0);
    run.run_to_end().unwrap();
    assert_eq!(run.marking().view(head).iter().map(|(_, resident)| *resident).collect::<Vec<_>>(), [9]);
    assert_eq!(run.marking().len(head), 1);
    run.check_conservation().unwrap();
}
