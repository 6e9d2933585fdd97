//! From declarations to a net: checks, tests sorted cheapest first, and the static adjacency.

use super::NetBuilder;
use super::transition::Draft;
use crate::arc::{ARC_LIMIT, ArcKind};
use crate::binding::{Search, SearchArc, Test};
use crate::error::NetError;
use crate::net::{Net, PlaceSpec, Transition};
use crate::place::Discipline;
use crate::worklist::RANK_LIMIT;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub(super) fn compile(builder: NetBuilder) -> Result<Arc<Net>, NetError> {
    if let Some(error) = builder.error {
        return Err(error);
    }
    let places = builder.places;
    for place in &places {
        if let Some(capacity) = place.capacity
            && place.initial > capacity as usize
        {
            return Err(NetError::OverCapacity { place: place.path.clone(), capacity, initial: place.initial });
        }
    }
    let priorities: BTreeSet<i32> = builder.drafts.iter().map(|draft| draft.priority).collect();
    if priorities.len() > RANK_LIMIT {
        return Err(NetError::TooManyPriorities { found: priorities.len(), limit: RANK_LIMIT });
    }
    let ranks: BTreeMap<i32, u8> = priorities.into_iter().zip(0..).collect();

    let mut on_more = vec![BTreeSet::new(); places.len()];
    let mut on_fewer = vec![BTreeSet::new(); places.len()];
    let mut on_change = vec![BTreeSet::new(); places.len()];
    let mut transitions = Vec::new();
    for (index, draft) in builder.drafts.into_iter().enumerate() {
        let index = index as u32;
        let rank = ranks[&draft.priority];
        let transition = compile_transition(draft, rank, &places)?;
        let searching = !transition.searches.is_empty() || transition.guard.is_some();
        for arc in &transition.arcs {
            let place = arc.place as usize;
            match arc.kind {
                ArcKind::Take | ArcKind::Read | ArcKind::Update => {
                    on_more[place].insert(index);
                    if searching {
                        // Another token may come first now, or satisfy the guard.
                        on_fewer[place].insert(index);
                        on_change[place].insert(index);
                    }
                    if arc.kind == ArcKind::Read {
                        on_change[place].insert(index);
                    }
                }
                ArcKind::Inhibit => {
                    on_fewer[place].insert(index);
                }
                ArcKind::Put | ArcKind::MayPut if places[place].capacity.is_some() => {
                    on_fewer[place].insert(index);
                }
                _ => {}
            }
        }
        transitions.push(transition);
    }
    let conserved = check_conserved(builder.conserved, &transitions, &places)?;
    let boxed = |sets: Vec<BTreeSet<u32>>| sets.into_iter().map(|set| set.into_iter().collect()).collect();
    Ok(Arc::new(Net {
        name: builder.name,
        pages: builder.pages,
        capacities: places.iter().map(|place| place.capacity.unwrap_or(u32::MAX)).collect(),
        places,
        transitions,
        streams: builder.streams,
        probes: builder.probes,
        conserved,
        starters: builder.starters,
        on_more: boxed(on_more),
        on_fewer: boxed(on_fewer),
        on_change: boxed(on_change),
    }))
}

fn compile_transition(draft: Draft, rank: u8, places: &[PlaceSpec]) -> Result<Transition, NetError> {
    let Draft { path, page, priority, arcs, inputs, outputs, inhibitors, guard, action } = draft;
    let Some(action) = action else { return Err(NetError::NoAction { transition: path }) };
    for (count, direction) in [(inputs.len(), "input"), (outputs.len(), "output")] {
        if count > ARC_LIMIT {
            return Err(NetError::TooManyArcs { transition: path, direction, limit: ARC_LIMIT });
        }
    }
    let weight_error = |place: u32, weight| NetError::Weight {
        transition: path.clone(),
        place: places[place as usize].path.clone(),
        weight,
    };
    let discipline_error = |place: u32, what| NetError::WrongDiscipline {
        transition: path.clone(),
        place: places[place as usize].path.clone(),
        what,
        discipline: format!("{:?}", places[place as usize].discipline).to_lowercase(),
    };

    let mut needs: BTreeMap<u32, u32> = BTreeMap::new();
    let mut takes = Vec::new();
    let mut takes_packed = 0u128;
    let mut changes = Vec::new();
    for (arc, (place, kind, weight, search)) in inputs.iter().enumerate() {
        let (place, weight) = (*place, *weight);
        let discipline = places[place as usize].discipline;
        if !(1..=255).contains(&weight) || (search.is_some() && weight != 1) {
            return Err(weight_error(place, weight));
        }
        match kind {
            ArcKind::Take => {
                if discipline == Discipline::State {
                    return Err(discipline_error(place, "take the resident of"));
                }
                *needs.entry(place).or_default() += weight;
                takes.push((arc as u8, place, weight));
                takes_packed |= u128::from(weight) << (8 * arc);
            }
            ArcKind::Update if discipline == Discipline::Priority => {
                return Err(discipline_error(place, "update a token of"));
            }
            ArcKind::Update => changes.push(place),
            _ => {}
        }
        if discipline == Discipline::Keyed && search.is_none() {
            return Err(discipline_error(place, "take without a key from"));
        }
        needs.entry(place).and_modify(|least| *least = (*least).max(1)).or_insert(1);
    }

    let mut puts_packed = 0u128;
    let mut puts_mask = 0u128;
    let mut growth: BTreeMap<u32, i64> = BTreeMap::new();
    for (arc, (place, kind, weight)) in outputs.iter().enumerate() {
        let (place, weight) = (*place, *weight);
        let discipline = places[place as usize].discipline;
        match kind {
            ArcKind::Put | ArcKind::MayPut if discipline == Discipline::State => {
                return Err(discipline_error(place, "put another resident into"));
            }
            ArcKind::Put => {
                if !(1..=255).contains(&weight) {
                    return Err(weight_error(place, weight));
                }
                puts_packed |= u128::from(weight) << (8 * arc);
                puts_mask |= 0xff << (8 * arc);
                *growth.entry(place).or_default() += i64::from(weight);
            }
            ArcKind::MayPut => *growth.entry(place).or_default() += i64::from(weight),
            ArcKind::Complete if discipline != Discipline::Station => {
                return Err(discipline_error(place, "complete a token of"));
            }
            _ => {}
        }
    }
    for (_, place, weight) in &takes {
        if let Some(growth) = growth.get_mut(place) {
            *growth -= i64::from(*weight);
        }
    }

    let mut tests: Vec<Test> = inhibitors.iter().map(|(place, limit)| Test::Below { place: *place, limit: *limit }).collect();
    tests.extend(needs.iter().map(|(place, least)| Test::Ready { place: *place, least: *least }));
    tests.extend(growth.iter().filter(|(place, more)| **more > 0 && places[**place as usize].capacity.is_some()).map(
        |(place, more)| Test::Room { place: *place, more: u32::try_from(*more).unwrap_or(u32::MAX) },
    ));

    let (searches, shares_places) = searches(inputs, guard.is_some(), places);
    Ok(Transition {
        path,
        page,
        priority,
        arcs,
        guarded: guard.is_some(),
        action,
        rank,
        tests: tests.into(),
        searches: searches.into(),
        guard,
        takes: takes.into(),
        takes_packed,
        puts_packed,
        puts_mask,
        changes: changes.into(),
        shares_places,
    })
}

/// The arcs that must bind a token before firing, and whether two of them share a place.
fn searches(
    inputs: Vec<(u32, ArcKind, u32, Option<Search>)>,
    guarded: bool,
    places: &[PlaceSpec],
) -> (Vec<SearchArc>, bool) {
    let shared = |place: u32| inputs.iter().filter(|(other, ..)| *other == place).count() > 1;
    let any_search = guarded || inputs.iter().any(|(.., search)| search.is_some());
    let sharing: Vec<bool> = inputs.iter().map(|(place, ..)| any_search && shared(*place)).collect();
    let shares_places = sharing.contains(&true);
    let searches = inputs
        .into_iter()
        .zip(sharing)
        .enumerate()
        .filter_map(|(arc, ((place, _, _, search), shares))| {
            let search = match search {
                Some(search) => search,
                None if shares => Search::Any,
                None if guarded && places[place as usize].discipline == Discipline::Bag => Search::Any,
                // The discipline's first needs no slot.
                None => return None,
            };
            Some(SearchArc { arc: arc as u8, place, search })
        })
        .collect();
    (searches, shares_places)
}

/// Completes the conserved quantities with their initial values, after checking every transition against them.
fn check_conserved(
    mut conserved: Vec<crate::net::Conserved>,
    transitions: &[Transition],
    places: &[PlaceSpec],
) -> Result<Vec<crate::net::Conserved>, NetError> {
    for quantity in &mut conserved {
        let weights: BTreeMap<u32, i64> = quantity.places.iter().copied().collect();
        quantity.initial =
            weights.iter().map(|(place, weight)| weight * places[*place as usize].initial as i64).sum();
        for transition in transitions {
            let change: i64 = transition
                .arcs
                .iter()
                .map(|arc| {
                    let weight = weights.get(&arc.place).copied().unwrap_or(0);
                    match arc.kind {
                        ArcKind::Take => -weight * i64::from(arc.weight),
                        ArcKind::Put => weight * i64::from(arc.weight),
                        _ => 0,
                    }
                })
                .sum();
            // What an arc only may do is known when it is done: the check of the marking covers it.
            let certain = transition.arcs.iter().all(|arc| {
                !weights.contains_key(&arc.place)
                    || !matches!(arc.kind, ArcKind::MayPut | ArcKind::Cancel | ArcKind::Reset | ArcKind::Complete)
            });
            if certain && change != 0 {
                let (quantity, transition) = (quantity.path.clone(), transition.path.clone());
                return Err(NetError::NotConserved { quantity, transition, change });
            }
        }
    }
    Ok(conserved)
}
