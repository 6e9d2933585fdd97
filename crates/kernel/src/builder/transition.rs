//! A transition under construction.

use super::draft::Draft;
use super::net::NetBuilder;
use crate::arc::{ARC_LIMIT, ArcKind, ArcNumber, Cancel, Put, Read, Reset, Take, Update, arc_number};
use crate::binding::{Binding, Search, select_key, store_of};
use crate::firing::Firing;
use crate::place::{Colour, Key, Place};
use crate::store::{Slot, View};
use crate::structure::ArcSpec;

/// Declares a transition's arcs. Arc handles are small and `Copy`; move them into guard and action.
///
/// ```
/// use petrio_kernel::{NetBuilder, Simulation, Time};
/// let mut net = NetBuilder::new("one step");
/// let mut page = net.top();
/// let from = page.fifo::<u32>("from");
/// let to = page.fifo::<u32>("to");
/// page.initial(from, [20, 22]);
///
/// let mut add = page.transition("add");
/// let pair = add.take_many(from, 2);
/// let sum = add.put(to);
/// add.action(move |f| {
///     let total = f.take(pair) + f.take(pair);
///     f.put_after(sum, total, Time::from_millis(1));
/// });
///
/// let net = net.build()?;
/// let mut run = Simulation::new(&net, 1, 0);
/// run.run_until(Time::from_millis(5))?;
/// assert_eq!(run.drain(to).collect::<Vec<_>>(), [42]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use = "a transition without an action can't be built"]
pub struct TransitionBuilder<'n> {
    pub(super) net: &'n mut NetBuilder,
    pub(super) index: usize,
}

impl TransitionBuilder<'_> {
    fn draft(&mut self) -> &mut Draft {
        &mut self.net.drafts[self.index]
    }

    fn input(&mut self, place: u32, kind: ArcKind, weight: u32, search: Option<Search>) -> ArcNumber {
        let draft = self.draft();
        draft.arcs.push(ArcSpec { place, kind, weight, label: None, unseen: false });
        draft.inputs.push((place, kind, weight, search));
        // Beyond the limit the number is never used: building fails.
        arc_number((draft.inputs.len() - 1).min(ARC_LIMIT))
    }

    fn output(&mut self, place: u32, kind: ArcKind, weight: u32) {
        let draft = self.draft();
        draft.arcs.push(ArcSpec { place, kind, weight, label: None, unseen: false });
        draft.outputs.push((place, kind, weight));
    }

    /// Lower fires first among transitions that are enabled at the same time; 0 unless set.
    pub fn priority(&mut self, priority: i32) {
        self.draft().priority = priority;
    }

    /// An inscription for the arc declared last, shown in drawings.
    pub fn label(&mut self, label: &'static str) {
        if let Some(arc) = self.draft().arcs.last_mut() {
            arc.label = Some(label);
        }
    }

    /// Consumes the token that the place's discipline brings first; with a guard, from a bag, any token that satisfies
    /// it. The action must take it ([`Firing::take`]); where nobody looks at the token, use
    /// [`consume`](Self::consume).
    pub fn take<T: Colour>(&mut self, place: Place<T>) -> Take<T> {
        self.take_many(place, 1)
    }

    /// Consumes `weight` tokens.
    pub fn take_many<T: Colour>(&mut self, place: Place<T>, weight: u32) -> Take<T> {
        Take::new(self.input(place.index, ArcKind::Take, weight, None), place.index)
    }

    /// Consumes the first token without showing it to the action: a permit, a free server, a tick.
    pub fn consume<T: Colour>(&mut self, place: Place<T>) {
        self.consume_many(place, 1);
    }

    /// Consumes `weight` tokens without showing them to the action.
    pub fn consume_many<T: Colour>(&mut self, place: Place<T>, weight: u32) {
        self.input(place.index, ArcKind::Consume, weight, None);
    }

    /// Consumes the first token, in the order of the discipline, for which `filter` holds. The filter sees the arcs
    /// declared before this one.
    pub fn take_where<T: Colour>(
        &mut self,
        place: Place<T>,
        filter: impl Fn(&T, &Binding<'_>) -> bool + Send + Sync + 'static,
    ) -> Take<T> {
        let index = place.index;
        let filter = move |binding: &Binding<'_>, slot: u32| {
            store_of::<T>(&*binding.stores[index as usize])
                .ready
                .get(slot)
                .is_some_and(|token| filter(token, binding))
        };
        Take::new(self.input(index, ArcKind::Take, 1, Some(Search::Filter(Box::new(filter)))), index)
    }

    /// Consumes the oldest token with a key computed from the arcs declared before this one; the place is `keyed` or
    /// `ordered`.
    pub fn take_key<T: Colour>(
        &mut self,
        place: Place<T>,
        key: impl Fn(&Binding<'_>) -> Key + Send + Sync + 'static,
    ) -> Take<T> {
        let search = Search::Select(select_key::<T>(place.index, key));
        Take::new(self.input(place.index, ArcKind::Take, 1, Some(search)), place.index)
    }

    /// Consumes the token that a function selects from all that are ready, knowing the arcs declared before this one:
    /// how a queue discipline picks the next request. `None` disables the transition.
    pub fn take_selected<T: Colour>(
        &mut self,
        place: Place<T>,
        select: impl Fn(&View<'_, T>, &Binding<'_>) -> Option<Slot> + Send + Sync + 'static,
    ) -> Take<T> {
        let index = place.index;
        let search = Search::Select(Box::new(move |binding| {
            let view = View { store: store_of::<T>(&*binding.stores[index as usize]) };
            select(&view, binding).map(|slot| slot.0)
        }));
        Take::new(self.input(index, ArcKind::Take, 1, Some(search)), index)
    }

    /// Needs a token and leaves it. When a transition changes the token in place, this one is tested again (*notify*).
    pub fn read<T: Colour>(&mut self, place: Place<T>) -> Read<T> {
        Read::new(self.input(place.index, ArcKind::Read, 1, None), place.index)
    }

    /// Looks at a token that another page publishes, without being tested again when it changes (*peek*).
    pub fn peek<T: Colour>(&mut self, place: Place<T>) -> Read<T> {
        Read::new(self.input(place.index, ArcKind::Peek, 1, None), place.index)
    }

    /// Changes the first token of a place where it lies (of a `state` place, its resident). The change must leave the
    /// key alone where the place has keys.
    pub fn update<T: Colour>(&mut self, place: Place<T>) -> Update<T> {
        Update::new(self.input(place.index, ArcKind::Update, 1, None), place.index)
    }

    /// The same of a `state` place whose resident no condition of this transition looks at: neither its guard nor how its other
    /// arcs find their tokens. Whoever changes the resident needn't have it tested again, so that a state which the transitions of
    /// thousands of parts change costs no more than one of a few.
    pub fn update_unseen<T: Colour>(&mut self, place: Place<T>) -> Update<T> {
        let update = self.update(place);
        if let Some(arc) = self.draft().arcs.last_mut() {
            arc.unseen = true;
        }
        update
    }

    /// Lets the transition fire only while the place holds no token.
    pub fn inhibit<T: Colour>(&mut self, place: Place<T>) {
        self.inhibit_from(place, 1);
    }

    /// Lets the transition fire only while the place holds fewer than `limit` tokens, delayed ones included.
    pub fn inhibit_from<T: Colour>(&mut self, place: Place<T>, limit: u32) {
        let draft = self.draft();
        draft.arcs.push(ArcSpec {
            place: place.index,
            kind: ArcKind::Inhibit,
            weight: limit,
            label: None,
            unseen: false,
        });
        draft.inhibitors.push((place.index, limit));
    }

    /// Puts exactly one token.
    pub fn put<T: Colour>(&mut self, place: Place<T>) -> Put<T> {
        self.put_many(place, 1)
    }

    /// Puts exactly `weight` tokens.
    pub fn put_many<T: Colour>(&mut self, place: Place<T>, weight: u32) -> Put<T> {
        self.output(place.index, ArcKind::Put, weight);
        Put::new(1, place.index)
    }

    /// Puts up to `most` tokens, as the action decides (routing, splitting). A place with a capacity must have room
    /// for `most`.
    pub fn may_put<T: Colour>(&mut self, place: Place<T>, most: u32) -> Put<T> {
        self.output(place.index, ArcKind::MayPut, most);
        Put::new(0, place.index)
    }

    /// May cancel delayed tokens of a place by their timers.
    pub fn cancels<T: Colour>(&mut self, place: Place<T>) -> Cancel<T> {
        self.output(place.index, ArcKind::Cancel, 1);
        Cancel::new(place.index)
    }

    /// May remove tokens of a place: all, a key, a range of keys.
    pub fn resets<T: Colour>(&mut self, place: Place<T>) -> Reset<T> {
        self.output(place.index, ArcKind::Reset, 1);
        Reset::new(place.index)
    }

    /// Lets the transition fire only with tokens for which `guard` holds. From bags, every combination is tried.
    pub fn guard(&mut self, guard: impl Fn(&Binding<'_>) -> bool + Send + Sync + 'static) {
        self.draft().guard = Some(Box::new(guard));
    }

    /// What firing does, and the end of the declaration.
    pub fn action(mut self, action: impl Fn(&mut Firing<'_>) + Send + Sync + 'static) {
        self.draft().action = Some(Box::new(action));
    }
}
