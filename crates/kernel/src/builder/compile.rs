//! From declarations to a net: checks, tests sorted cheapest first, and the static adjacency.

use super::draft::Draft;
use super::net::NetBuilder;
use crate::adjacency::{Adjacency, Condition};
use crate::agenda::RANK_LIMIT;
use crate::arc::{ARC_LIMIT, ArcKind, ArcNumber, arc_number};
use crate::binding::{Search, SearchArc};
use crate::error::NetError;
use crate::net::{Conserved, Net, Transition};
use crate::place::Discipline;
use crate::structure::{ArcSpec, PlaceSpec, Structure, TransitionSpec};
use petrio_time::numbers::as_number;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

impl NetBuilder {
    /// Compiles the net.
    ///
    /// # Errors
    /// The first thing about the net that makes no sense: see [`NetError`].
    pub fn build(self) -> Result<Arc<Net>, NetError> {
        compile(self)
    }
}

fn compile(builder: NetBuilder) -> Result<Arc<Net>, NetError> {
    if let Some(error) = builder.error {
        return Err(error);
    }
    let places = builder.places;
    for place in &places {
        if let Some(capacity) = place.capacity
            && place.initial > capacity as usize
        {
            return Err(NetError::OverCapacity {
                place: place.path.clone(),
                capacity,
                initial: place.initial,
            });
        }
    }
    let priorities: BTreeSet<i32> = builder.drafts.iter().map(|draft| draft.priority).collect();
    if priorities.len() > RANK_LIMIT {
        return Err(NetError::TooManyPriorities { found: priorities.len(), limit: RANK_LIMIT });
    }
    let ranks: BTreeMap<i32, u8> = priorities.into_iter().zip(0..).collect();

    let mut drafts: Vec<AdjacencyDraft> = Vec::new();
    drafts.resize_with(places.len(), AdjacencyDraft::default);
    let count = builder.drafts.len();
    let (mut transitions, mut changes) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for (index, draft) in builder.drafts.into_iter().enumerate() {
        let rank = ranks[&draft.priority];
        let (transition, tests, changed) = compile_transition(draft, rank, &places)?;
        note_adjacency(as_number(index), &transition.spec, &tests, &mut drafts);
        transitions.push(transition);
        changes.push(changed);
    }
    for (transition, changed) in transitions.iter_mut().zip(changes) {
        let readers = changed.iter().flat_map(|&place| &drafts[place as usize].on_change);
        transition.spec.notifies = readers.copied().collect();
    }
    let conserved = check_conserved(builder.conserved, &transitions, &places)?;
    let adjacency: Vec<Adjacency> = drafts.into_iter().map(AdjacencyDraft::finish).collect();
    Ok(Arc::new(Net {
        name: builder.name,
        structure: Structure {
            pages: builder.pages,
            places,
            streams: builder.streams,
            probes: builder.probes,
            sums: builder.sums.into(),
            adjacency,
        },
        transitions,
        conserved,
        starters: builder.starters,
        kinds: builder.kinds,
        names: builder.names,
    }))
}

/// A condition on the number of tokens of a place.
enum Test {
    /// At least so many ready.
    Ready { place: u32, least: u32 },
    /// Fewer than so many in the place.
    Below { place: u32, limit: u32 },
    /// Never: more is asked for than the place can ever hold.
    Never,
}

#[derive(Default)]
struct AdjacencyDraft {
    ready: Vec<Condition>,
    below: Vec<Condition>,
    particular: BTreeSet<u32>,
    on_change: BTreeSet<u32>,
}

impl AdjacencyDraft {
    fn finish(self) -> Adjacency {
        Adjacency {
            ready: self.ready.into(),
            below: self.below.into(),
            particular: self.particular.into_iter().collect(),
        }
    }
}

fn note_adjacency(index: u32, transition: &TransitionSpec, tests: &[Test], drafts: &mut [AdjacencyDraft]) {
    for test in tests {
        match *test {
            Test::Ready { place, least } => {
                drafts[place as usize].ready.push(Condition { transition: index, threshold: least });
            }
            Test::Below { place, limit } => {
                drafts[place as usize].below.push(Condition { transition: index, threshold: limit });
            }
            Test::Never => {}
        }
    }
    let searching = !transition.searches.is_empty() || transition.guard.is_some();
    for arc in &transition.arcs {
        let draft = &mut drafts[arc.place as usize];
        match arc.kind {
            _ if arc.unseen => {}
            ArcKind::Take | ArcKind::Consume | ArcKind::Update if searching => {
                // Another token may come first now, or satisfy the guard.
                draft.particular.insert(index);
                draft.on_change.insert(index);
            }
            ArcKind::Read => {
                draft.on_change.insert(index);
                if searching {
                    draft.particular.insert(index);
                }
            }
            _ => {}
        }
    }
}

/// A transition that doesn't know yet whom it notifies, its tests, and the places whose tokens it changes without
/// taking them.
type Compiled = (Transition, Vec<Test>, Vec<u32>);

fn compile_transition(draft: Draft, rank: u8, places: &[PlaceSpec]) -> Result<Compiled, NetError> {
    let Draft { path, page, priority, arcs, inputs, outputs, inhibitors, guard, action } = draft;
    let Some(action) = action else { return Err(NetError::NoAction { transition: path }) };
    if inputs.len() > ARC_LIMIT {
        return Err(NetError::TooManyArcs { transition: path, limit: ARC_LIMIT });
    }
    let refused = Refused { transition: &path, places };
    // Of other places another token may come first at any time, which conditions may have to know.
    let of_tokens = |arc: &&ArcSpec| arc.unseen && places[arc.place as usize].discipline != Discipline::State;
    if let Some(arc) = arcs.iter().find(of_tokens) {
        return Err(refused.discipline(arc.place, "change unseen a token of"));
    }
    let Taken { needs, takes, consumes, changes } = Taken::by(&inputs, &refused)?;
    let Given { puts, mut growth } = Given::by(&outputs, &refused)?;
    for (place, weight) in &takes {
        if let Some(growth) = growth.get_mut(place) {
            *growth -= i64::from(*weight);
        }
    }

    let mut tests: Vec<Test> =
        inhibitors.iter().map(|(place, limit)| Test::Below { place: *place, limit: *limit }).collect();
    tests.extend(needs.iter().map(|(place, least)| Test::Ready { place: *place, least: *least }));
    for (place, more) in growth {
        // What the same firing takes out makes room, so only the net growth must fit.
        if let (Some(capacity), Ok(more @ 1..)) = (places[place as usize].capacity, u32::try_from(more)) {
            tests.push(match capacity.checked_sub(more) {
                Some(most) => Test::Below { place, limit: most + 1 },
                None => Test::Never,
            });
        }
    }

    let number_of_inputs = arc_number(inputs.len());
    let (searches, shares_places) = searches(&path, inputs, guard.is_some(), places)?;
    let simple = searches.is_empty() && guard.is_none();
    let spec = TransitionSpec {
        path,
        page,
        priority,
        arcs: arcs.into(),
        guarded: guard.is_some(),
        rank,
        conditions: as_number(tests.len()),
        binds: !searches.is_empty(),
        searches: searches.into(),
        guard,
        simple,
        takes: takes.iter().map(|(_, weight)| weight).sum::<u32>()
            - consumes.iter().map(|(_, _, weight)| weight).sum::<u32>(),
        consumes: consumes.into(),
        inputs: number_of_inputs,
        puts,
        notifies: Box::default(),
        shares_places,
    };
    Ok((Transition { action, spec }, tests, changes))
}

/// Why an arc of a transition can't be.
struct Refused<'d> {
    transition: &'d str,
    places: &'d [PlaceSpec],
}

impl Refused<'_> {
    fn weight(&self, place: u32, weight: u32) -> NetError {
        let (transition, place) = (self.transition.to_owned(), self.places[place as usize].path.clone());
        NetError::Weight { transition, place, weight }
    }

    fn discipline(&self, place: u32, what: &'static str) -> NetError {
        let PlaceSpec { path, discipline, .. } = &self.places[place as usize];
        let discipline = format!("{discipline:?}").to_lowercase();
        NetError::WrongDiscipline {
            transition: self.transition.to_owned(),
            place: path.clone(),
            what,
            discipline,
        }
    }
}

/// What the input arcs of a transition want.
#[derive(Default)]
struct Taken {
    /// How many tokens must be ready in each place.
    needs: BTreeMap<u32, u32>,
    /// Places and the tokens that leave them, by arc.
    takes: Vec<(u32, u32)>,
    /// The same of those whose tokens the action doesn't see.
    consumes: Vec<(ArcNumber, u32, u32)>,
    /// Places of which a token is changed.
    changes: Vec<u32>,
}

impl Taken {
    fn by(inputs: &[(u32, ArcKind, u32, Option<Search>)], refused: &Refused<'_>) -> Result<Self, NetError> {
        let mut taken = Self::default();
        let mut looks = BTreeSet::new();
        for (arc, &(place, kind, weight, ref search)) in inputs.iter().enumerate() {
            let discipline = refused.places[place as usize].discipline;
            if weight == 0 || (search.is_some() && weight != 1) {
                return Err(refused.weight(place, weight));
            }
            match kind {
                ArcKind::Take | ArcKind::Consume => {
                    if discipline == Discipline::State {
                        return Err(refused.discipline(place, "take the resident of"));
                    }
                    *taken.needs.entry(place).or_default() += weight;
                    taken.takes.push((place, weight));
                    if kind == ArcKind::Consume {
                        taken.consumes.push((arc_number(arc), place, weight));
                    }
                }
                ArcKind::Update if discipline == Discipline::Priority => {
                    return Err(refused.discipline(place, "update a token of"));
                }
                ArcKind::Update => taken.changes.push(place),
                _ => {}
            }
            if discipline == Discipline::Keyed && search.is_none() {
                return Err(refused.discipline(place, "take without a key from"));
            }
            // What is looked at is another token than those consumed; several arcs may look at the same one.
            if !kind.consumes() && looks.insert(place) {
                *taken.needs.entry(place).or_default() += 1;
            }
        }
        Ok(taken)
    }
}

/// What the output arcs of a transition give.
struct Given {
    /// Tokens that every firing puts somewhere.
    puts: u32,
    /// The most by which each place grows.
    growth: BTreeMap<u32, i64>,
}

impl Given {
    fn by(outputs: &[(u32, ArcKind, u32)], refused: &Refused<'_>) -> Result<Self, NetError> {
        let mut puts = 0;
        let mut growth: BTreeMap<u32, i64> = BTreeMap::new();
        for &(place, kind, weight) in outputs {
            let discipline = refused.places[place as usize].discipline;
            match kind {
                ArcKind::Put | ArcKind::MayPut if discipline == Discipline::State => {
                    return Err(refused.discipline(place, "put another resident into"));
                }
                ArcKind::Put if weight == 0 => return Err(refused.weight(place, weight)),
                ArcKind::Put => {
                    puts += weight;
                    *growth.entry(place).or_default() += i64::from(weight);
                }
                ArcKind::MayPut => *growth.entry(place).or_default() += i64::from(weight),
                _ => {}
            }
        }
        Ok(Self { puts, growth })
    }
}

/// The arcs that must bind a token before firing, and whether two of them share a place.
fn searches(
    path: &str,
    inputs: Vec<(u32, ArcKind, u32, Option<Search>)>,
    guarded: bool,
    places: &[PlaceSpec],
) -> Result<(Vec<SearchArc>, bool), NetError> {
    let any_search = guarded || inputs.iter().any(|(.., search)| search.is_some());
    // Arcs of each place, and how many of them consume.
    let mut of_place: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for (place, kind, ..) in &inputs {
        let (arcs, consuming) = of_place.entry(*place).or_default();
        *arcs += 1;
        *consuming += usize::from(kind.consumes());
    }
    let sharing: Vec<bool> = inputs
        .iter()
        .map(|(place, ..)| {
            let (arcs, consuming) = of_place[place];
            // Without a search, arcs that only consume take one token after another.
            arcs > 1 && (any_search || (0 < consuming && consuming < arcs))
        })
        .collect();
    let shares_places = sharing.contains(&true);
    let mut searches = Vec::new();
    for (arc, ((place, kind, weight, search), shares)) in inputs.into_iter().zip(sharing).enumerate() {
        let spec = &places[place as usize];
        let search = match search {
            Some(search) => search,
            None if shares => Search::Any,
            // A guard can't speak of what is consumed unseen.
            None if guarded && spec.discipline == Discipline::Bag && kind != ArcKind::Consume => Search::Any,
            // The discipline's first needs no slot.
            None => continue,
        };
        let (transition, place_path) = (path.to_owned(), spec.path.clone());
        if weight != 1 {
            return Err(NetError::Weight { transition, place: place_path, weight });
        }
        if shares && spec.discipline == Discipline::Priority {
            let (what, discipline) = ("tell apart two tokens of", "priority".to_owned());
            return Err(NetError::WrongDiscipline { transition, place: place_path, what, discipline });
        }
        searches.push(SearchArc { arc: arc_number(arc), place, consumes: kind.consumes(), search });
    }
    Ok((searches, shares_places))
}

/// Completes the conserved quantities with their initial values, after checking every transition against them.
fn check_conserved(
    mut conserved: Vec<Conserved>,
    transitions: &[Transition],
    places: &[PlaceSpec],
) -> Result<Vec<Conserved>, NetError> {
    // Who has an arc to each conserved place, so that a quantity of one part doesn't ask the transitions of thousands
    // of others.
    let mut around: HashMap<u32, BTreeSet<usize>> = conserved
        .iter()
        .flat_map(|quantity| quantity.places.iter().map(|(place, _)| (*place, BTreeSet::new())))
        .collect();
    for (index, transition) in transitions.iter().enumerate() {
        for arc in &transition.spec.arcs {
            if let Some(around) = around.get_mut(&arc.place) {
                around.insert(index);
            }
        }
    }
    for quantity in &mut conserved {
        let weights: BTreeMap<u32, i64> = quantity.places.iter().copied().collect();
        quantity.initial =
            weights.iter().map(|(place, weight)| weight * places[*place as usize].initial as i64).sum();
        // In the order of their declaration: the first that breaks it is named.
        let concerned: BTreeSet<usize> = weights.keys().flat_map(|place| &around[place]).copied().collect();
        for transition in concerned.into_iter().map(|index| &transitions[index].spec) {
            let change: i64 = transition
                .arcs
                .iter()
                .map(|arc| {
                    let weight = weights.get(&arc.place).copied().unwrap_or(0);
                    match arc.kind {
                        ArcKind::Take | ArcKind::Consume => -weight * i64::from(arc.weight),
                        ArcKind::Put => weight * i64::from(arc.weight),
                        _ => 0,
                    }
                })
                .sum();
            // What an arc only may do is known when it is done: the check of the marking covers it.
            let certain = transition.arcs.iter().all(|arc| {
                !weights.contains_key(&arc.place)
                    || !matches!(arc.kind, ArcKind::MayPut | ArcKind::Cancel | ArcKind::Reset)
            });
            if certain && change != 0 {
                let (quantity, transition) = (quantity.path.clone(), transition.path.clone());
                return Err(NetError::NotConserved { quantity, transition, change });
            }
        }
    }
    Ok(conserved)
}
