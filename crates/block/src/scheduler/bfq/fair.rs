//! Which queue is served next: B-WF2Q+, worst-case fair weighted fair queueing with budgets.
//!
//! Source: block/bfq-wf2q.c of Linux 6.18; Valente and Avanzini, "Evolution of the BFQ Storage I/O Scheduler", MST
//! 2015; Bennett and Zhang, "Hierarchical packet fair queueing algorithms", IEEE/ACM Transactions on Networking 5(5),
//! 1997. Virtual time passes by the service given over the sum of weights. A queue that becomes busy gets a start and,
//! by its budget and weight, a finish in virtual time; of the queues whose start has come the one with the first finish
//! is served. Leaves out: groups. Searching is linear in the busy queues of a class, where the kernel has an augmented
//! tree.

use petrio_persist::Persist;
use std::collections::BTreeSet;

/// Virtual time is counted in 2^22 to a block and a weight of one (WFQ_SERVICE_SHIFT). Wide, so that it never wraps.
const SHIFT: u32 = 22;

fn virtual_span(service: u64, weight: u64) -> u128 {
    (u128::from(service) << SHIFT) / u128::from(weight.max(1))
}

/// Where an entity is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Persist)]
enum EntityState {
    /// Nowhere: its past doesn't count any longer.
    Forgotten,
    /// It waits to be served.
    Active,
    /// It isn't busy, but had more service than its share: that isn't forgotten yet.
    Resting,
    /// It is being served.
    InService,
}

/// What a queue is to the scheduler (bfq_entity).
#[derive(Clone, Copy, Debug, Persist)]
pub(super) struct Entity {
    class: usize,
    weight: u64,
    start: u128,
    finish: u128,
    place: EntityState,
    /// Its number among those with the same finish.
    number: u64,
    /// How much service it may get in its turn, in device blocks.
    pub(super) budget: u64,
    /// How much it has got.
    pub(super) service: u64,
}

impl Entity {
    /// An entity of a class (0 before 1 before 2) with a weight.
    pub(super) fn new(class: usize, weight: u64) -> Self {
        Self {
            class,
            weight,
            start: 0,
            finish: 0,
            place: EntityState::Forgotten,
            number: 0,
            budget: 0,
            service: 0,
        }
    }

    /// Its class.
    pub(super) fn class(&self) -> usize {
        self.class
    }

    /// Its weight.
    pub(super) fn weight(&self) -> u64 {
        self.weight
    }

    /// What is left of its budget.
    pub(super) fn left(&self) -> u64 {
        self.budget.saturating_sub(self.service)
    }
}

/// Finish, number, entity.
type Key = (u128, u64, usize);

/// The entities of a class (bfq_service_tree).
#[derive(Clone, Debug, Default, Persist)]
struct Class {
    time: u128,
    /// The sum of weights of all that aren't forgotten.
    weights: u64,
    active: BTreeSet<Key>,
    resting: BTreeSet<Key>,
}

/// All entities that matter, by class. Who holds it has the entities themselves, and finds them by number.
#[derive(Clone, Debug, Default, Persist)]
pub(super) struct Fair {
    classes: [Class; 3],
    number: u64,
}

/// Something that has entities.
pub(super) trait Entities {
    /// An entity.
    fn entity(&mut self, index: usize) -> &mut Entity;
}

impl Fair {
    fn insert_active(&mut self, entity: &mut Entity, index: usize) {
        entity.number = self.number;
        self.number += 1;
        entity.place = EntityState::Active;
        self.classes[entity.class].active.insert((entity.finish, entity.number, index));
    }

    /// An entity that isn't busy becomes so (__bfq_activate_entity). `continues`: it was expected to ask again and did
    /// so in time, so it takes up where it stopped. Between turns it may have another class or weight.
    pub(super) fn activate(
        &mut self,
        all: &mut impl Entities,
        index: usize,
        continues: bool,
        (class, weight): (usize, u64),
    ) {
        let entity = all.entity(index);
        let of = &mut self.classes[entity.class];
        let mut back = continues && of.time > entity.finish;
        let least = if back { entity.finish } else { of.time };
        if entity.place == EntityState::Resting {
            of.resting.remove(&(entity.finish, entity.number, index));
            entity.start = least.max(entity.finish);
        } else {
            entity.start = least;
            of.weights += entity.weight;
        }
        of.weights -= entity.weight;
        if class != entity.class {
            entity.start = self.classes[class].time;
            back = false;
        }
        (entity.class, entity.weight) = (class, weight);
        let of = &mut self.classes[class];
        of.weights += weight;
        entity.finish = entity.start + virtual_span(entity.budget, weight);
        if back && of.time > entity.finish {
            // Not so far back that the others would have to stand behind for long.
            let late = of.time - entity.finish;
            entity.start += late;
            entity.finish += late;
        }
        let mut copy = *entity;
        self.insert_active(&mut copy, index);
        *all.entity(index) = copy;
    }

    /// A busy entity's budget has changed, or its turn is over while it stays busy (__bfq_requeue_entity). From now on it has
    /// this weight.
    pub(super) fn requeue(&mut self, all: &mut impl Entities, index: usize, weight: u64) {
        let mut entity = *all.entity(index);
        if entity.place == EntityState::InService {
            entity.start += virtual_span(entity.service, entity.weight);
        } else {
            self.classes[entity.class].active.remove(&(entity.finish, entity.number, index));
        }
        self.weigh(&mut entity, weight);
        entity.finish = entity.start + virtual_span(entity.budget, entity.weight);
        self.insert_active(&mut entity, index);
        *all.entity(index) = entity;
    }

    /// The entity in service has another weight from now on (bfq_update_wr_data).
    pub(super) fn reweigh(&mut self, all: &mut impl Entities, index: usize, weight: u64) {
        let mut entity = *all.entity(index);
        self.weigh(&mut entity, weight);
        *all.entity(index) = entity;
    }

    fn weigh(&mut self, entity: &mut Entity, weight: u64) {
        let of = &mut self.classes[entity.class];
        of.weights = of.weights - entity.weight + weight;
        entity.weight = weight;
    }

    /// An entity is no longer busy: the one in service, or one whose last request was served in another's turn
    /// (__bfq_deactivate_entity).
    pub(super) fn deactivate(&mut self, all: &mut impl Entities, index: usize) {
        let entity = all.entity(index);
        let of = &mut self.classes[entity.class];
        if entity.place == EntityState::InService {
            entity.finish = entity.start + virtual_span(entity.service, entity.weight);
        } else {
            of.active.remove(&(entity.finish, entity.number, index));
        }
        if entity.finish > of.time {
            entity.number = self.number;
            self.number += 1;
            entity.place = EntityState::Resting;
            of.resting.insert((entity.finish, entity.number, index));
        } else {
            of.weights -= entity.weight;
            entity.place = EntityState::Forgotten;
        }
    }

    /// An entity gets service, in device blocks (bfq_bfqq_served).
    pub(super) fn serve(&mut self, all: &mut impl Entities, index: usize, service: u64) {
        let entity = all.entity(index);
        entity.service += service;
        let class = entity.class;
        let of = &mut self.classes[class];
        of.time += virtual_span(service, of.weights);
        self.forget(all, class);
    }

    /// Forgets one entity whose finish has come (bfq_forget_idle).
    fn forget(&mut self, all: &mut impl Entities, class: usize) {
        let of = &mut self.classes[class];
        if of.active.is_empty()
            && let Some(&(last, ..)) = of.resting.last()
            && last <= of.time
        {
            of.time = last;
        }
        let Some(&key) = of.resting.first().filter(|key| key.0 <= of.time) else { return };
        of.resting.remove(&key);
        let entity = all.entity(key.2);
        of.weights -= entity.weight;
        entity.place = EntityState::Forgotten;
    }

    /// Takes the entity of a class that is to be served next (bfq_get_next_queue). Only while none is in service.
    pub(super) fn take(&mut self, all: &mut impl Entities, class: usize) -> Option<usize> {
        let first_start = self.classes[class].active.iter().map(|key| all.entity(key.2).start).min()?;
        if first_start > self.classes[class].time {
            self.classes[class].time = first_start;
            self.forget(all, class);
        }
        let of = &mut self.classes[class];
        let key = *of.active.iter().find(|key| all.entity(key.2).start <= of.time)?;
        of.active.remove(&key);
        all.entity(key.2).place = EntityState::InService;
        Some(key.2)
    }

    /// Those that wait to be served, of the first class first, and of a class in the order of their finish.
    pub(super) fn waiting(&self) -> impl Iterator<Item = usize> {
        self.classes.iter().flat_map(|class| class.active.iter().map(|key| key.2))
    }

    /// Whether an entity's past counts: it is busy, or had more service than its share.
    pub(super) fn counts(&self, entity: &Entity) -> bool {
        entity.place != EntityState::Forgotten
    }

    /// The weights of all that count, of a class and of those before it: each of an upper class weighs as `levels` of the next
    /// (bfqq_request_over_limit).
    pub(super) fn weights_to(&self, class: usize, levels: u64) -> u64 {
        self.classes.iter().take(class + 1).fold(0, |sum, class| sum * levels + class.weights)
    }

    /// Whether an entity of a class waits to be served.
    pub(super) fn waits(&self, class: usize) -> bool {
        !self.classes[class].active.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Entities for Vec<Entity> {
        fn entity(&mut self, index: usize) -> &mut Entity {
            &mut self[index]
        }
    }

    fn busy(weights: &[u64], budget: u64) -> (Fair, Vec<Entity>) {
        let mut fair = Fair::default();
        let mut all: Vec<Entity> = weights.iter().map(|&weight| Entity::new(1, weight)).collect();
        for (index, &weight) in weights.iter().enumerate() {
            all[index].budget = budget;
            fair.activate(&mut all, index, false, (1, weight));
        }
        (fair, all)
    }

    /// Serves turns of a whole budget each; gives who was served.
    fn turns(fair: &mut Fair, all: &mut Vec<Entity>, count: usize) -> Vec<usize> {
        let turn = |_| {
            let Some(index) = fair.take(all, 1) else { panic!("nobody is busy") };
            let budget = all[index].budget;
            fair.serve(all, index, budget);
            let weight = all[index].weight;
            fair.requeue(all, index, weight);
            all[index].service = 0;
            index
        };
        (0..count).map(turn).collect()
    }

    #[test]
    fn service_is_shared_by_weight_and_never_in_bursts() {
        let (mut fair, mut all) = busy(&[30, 10, 10, 10], 100);
        let order = turns(&mut fair, &mut all, 600);
        for round in order.chunks(6) {
            assert_eq!(round.iter().filter(|&&index| index == 0).count(), 3, "{round:?}");
        }
        // Plain weighted fair queueing serves the first three times in a row; here it waits until its start has come.
        assert!(order.windows(3).all(|three| three != [0, 0, 0]), "{:?}", &order[..12]);
    }

    #[test]
    fn no_entity_is_ever_more_than_a_budget_behind_its_share() {
        let weights = [80, 40, 20, 10, 10];
        let (mut fair, mut all) = busy(&weights, 100);
        let mut served = [0.0; 5];
        for (turn, index) in (1..=2_000).zip(turns(&mut fair, &mut all, 2_000)) {
            served[index] += 100.0;
            for (weight, got) in weights.iter().zip(&served) {
                let share = 100.0 * f64::from(turn) * *weight as f64 / 160.0;
                assert!(got + 100.5 >= share, "turn {turn}: {got} of {share}");
            }
        }
    }

    #[test]
    fn a_smaller_budget_is_served_sooner_but_not_more() {
        let (mut fair, mut all) = busy(&[10, 10], 1_000);
        all[1].budget = 100;
        fair.requeue(&mut all, 1, 10);
        let order = turns(&mut fair, &mut all, 110);
        assert_eq!(order[0], 1);
        let service = |wanted, each| order.iter().filter(|&&index| index == wanted).count() * each;
        assert!(service(0, 1_000).abs_diff(service(1, 100)) <= 1_000);
    }

    #[test]
    fn resting_saves_nothing_up() {
        let (mut fair, mut all) = busy(&[10, 10], 100);
        // The second rests while the first is served a hundred times; then they take turns.
        let Some(first) = fair.take(&mut all, 1) else { panic!("nobody is busy") };
        fair.deactivate(&mut all, first);
        turns(&mut fair, &mut all, 100);
        fair.activate(&mut all, first, false, (1, 10));
        let order = turns(&mut fair, &mut all, 100);
        assert_eq!(order.iter().filter(|&&index| index == first).count(), 50);
    }
}
