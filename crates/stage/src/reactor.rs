//! A protocol's state that takes a token and gives others.
//!
//! ```text
//!  a place ─▶ transition ─▶ (state takes it; what it knows of others may change) ─┬─▶ a place for each kind
//!                                                                                 └─▶ of what it gives
//! ```
//!
//! Clients and servers of file services, message passing, lock managers and SCSI's two ends each are a state without net and
//! time, which a test can drive by itself. What it has ready after a step lies in lists of its own; where each list goes is
//! declared once, here, and every transition that works with the state has the arcs for it. Lists keep their room, so that
//! nothing is allocated while a net runs.
//!
//! It stands in this crate because SCSI lies in the block layer, below the clusters.

use crate::MANY;
use petrio_kernel::{Colour, Firing, PageBuilder, Place, Put, Time, TransitionBuilder, Update};
use std::fmt;

/// Puts what one list of a state holds.
type Leave<S> = Box<dyn Fn(&mut Firing<'_>, Update<S>) + Send + Sync>;
/// Declares the arc for that.
type Exit<S> = Box<dyn Fn(&mut TransitionBuilder<'_>) -> Leave<S>>;

/// Where the state lies, perhaps one that it shares with the rest of its protocol, and where what it gives goes.
///
/// ```
/// use petrio_kernel::{NetBuilder, Simulation, Time};
/// use petrio_persist::Persist;
/// use petrio_stage::reactor::Reactor;
///
/// /// Answers every second request.
/// #[derive(Clone, Default, Persist)]
/// struct Server {
///     requests: u32,
///     replies: Vec<u32>,
/// }
///
/// let mut net = NetBuilder::new("server");
/// let mut page = net.top();
/// let (requests, replies) = (page.fifo::<u32>("requests"), page.fifo::<u32>("replies"));
/// let server = page.state("server", Server::default());
/// let reactor = Reactor::new(server).gives(|server| &mut server.replies, replies);
/// reactor.hears(&mut page, "serve", requests, |server, request, _| {
///     server.requests += 1;
///     if server.requests % 2 == 0 {
///         server.replies.push(request);
///     }
///     Ok(())
/// });
/// page.initial(requests, [10, 20, 30, 40]);
/// let mut run = Simulation::new(&net.build()?, 1, 0);
/// run.run_until(Time::ZERO)?;
/// assert_eq!(run.drain(replies).collect::<Vec<_>>(), [20, 40]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reactor<S, K = ()> {
    state: Place<S>,
    shared: K,
    exits: Vec<Exit<S>>,
}

/// Whether what a state takes makes sense to it; if not, what is wrong, which ends the run.
pub type Heard = Result<(), &'static str>;

/// What a state shares: nothing, or a place.
pub trait Shared: Copy {
    /// The arc to it.
    type Arc: Copy + Send + Sync + 'static;
    /// Declares that.
    fn declare(self, transition: &mut TransitionBuilder<'_>) -> Self::Arc;
}

impl Shared for () {
    type Arc = ();
    fn declare(self, _: &mut TransitionBuilder<'_>) {}
}

impl<K: Colour> Shared for Place<K> {
    type Arc = Update<K>;
    /// What a transition of a client waits for is its own; what all share would else have those of all others tested again.
    fn declare(self, transition: &mut TransitionBuilder<'_>) -> Update<K> {
        transition.update_unseen(self)
    }
}

impl<S, K> fmt::Debug for Reactor<S, K> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a reactor at {:?} with {} exits", self.state, self.exits.len())
    }
}

impl<S: Colour> Reactor<S> {
    /// Of a state that shares nothing.
    pub fn new(state: Place<S>) -> Self {
        Self { state, shared: (), exits: Vec::new() }
    }

    /// A transition in which it takes what comes to a place.
    pub fn hears<T: Colour>(
        &self,
        page: &mut PageBuilder<'_>,
        name: &str,
        from: Place<T>,
        hear: impl Fn(&mut S, T, Time) -> Heard + Send + Sync + 'static,
    ) {
        let hear =
            move |arcs: &Arcs<S>, f: &mut Firing<'_>, token| arcs.react(f, |own, now| hear(own, token, now));
        self.takes(page, name, from, hear);
    }
}

impl<S: Colour, K: Colour> Reactor<S, Place<K>> {
    /// Of a state, and of one that others of its protocol change as well.
    pub fn sharing(state: Place<S>, shared: Place<K>) -> Self {
        Self { state, shared, exits: Vec::new() }
    }

    /// A transition in which it takes what comes to a place.
    pub fn hears<T: Colour>(
        &self,
        page: &mut PageBuilder<'_>,
        name: &str,
        from: Place<T>,
        hear: impl Fn(&mut S, &mut K, T, Time) -> Heard + Send + Sync + 'static,
    ) {
        let hear = move |arcs: &Arcs<S, Update<K>>, f: &mut Firing<'_>, token| {
            arcs.react(f, |own, shared, now| hear(own, shared, token, now))
        };
        self.takes(page, name, from, hear);
    }
}

impl<S: Colour, K: Shared> Reactor<S, K> {
    /// What lies in a list goes to a place.
    #[must_use]
    pub fn gives<T: Colour>(self, list: fn(&mut S) -> &mut Vec<T>, to: Place<T>) -> Self {
        self.gives_as(list, to, |token| token)
    }

    /// What lies in a list goes to a place, as something else.
    #[must_use]
    pub fn gives_as<T: 'static, U: Colour>(
        self,
        list: fn(&mut S) -> &mut Vec<T>,
        to: Place<U>,
        into: impl Fn(T) -> U + Clone + Send + Sync + 'static,
    ) -> Self {
        self.gives_among(list, [to], move |token| Some((0, into(token), Time::ZERO)))
    }

    /// What lies in a list goes to one of several places, by its position, as something else, after a time; or nowhere.
    #[must_use]
    pub fn gives_among<T: 'static, U: Colour>(
        mut self,
        list: fn(&mut S) -> &mut Vec<T>,
        to: impl IntoIterator<Item = Place<U>>,
        into: impl Fn(T) -> Option<(usize, U, Time)> + Clone + Send + Sync + 'static,
    ) -> Self {
        let to: Vec<Place<U>> = to.into_iter().collect();
        self.exits.push(Box::new(move |transition| {
            let to: Vec<Put<U>> = to.iter().map(|&place| transition.may_put(place, MANY)).collect();
            let into = into.clone();
            Box::new(move |f, state| {
                if list(f.update(state)).is_empty() {
                    return;
                }
                let mut ready = std::mem::take(list(f.update(state)));
                for (way, token, after) in ready.drain(..).filter_map(&into) {
                    if after == Time::ZERO {
                        f.put(to[way], token);
                    } else {
                        f.put_after(to[way], token, after);
                    }
                }
                *list(f.update(state)) = ready;
            })
        }));
        self
    }

    /// What lies in a list goes to a place, each after its time, which no speed factor touches.
    #[must_use]
    pub fn gives_at_pace<T: Colour>(mut self, list: fn(&mut S) -> &mut Vec<(T, Time)>, to: Place<T>) -> Self {
        self.exits.push(Box::new(move |transition| {
            let to = transition.may_put(to, MANY);
            Box::new(move |f, state| {
                if list(f.update(state)).is_empty() {
                    return;
                }
                let mut ready = std::mem::take(list(f.update(state)));
                for (token, after) in ready.drain(..) {
                    f.put_at_pace(to, token, after);
                }
                *list(f.update(state)) = ready;
            })
        }));
        self
    }

    /// The arcs of a transition that does more than take one token.
    pub fn arcs(&self, transition: &mut TransitionBuilder<'_>) -> Arcs<S, K::Arc> {
        let state = transition.update(self.state);
        let shared = self.shared.declare(transition);
        Arcs { state, shared, exits: self.exits.iter().map(|exit| exit(transition)).collect() }
    }

    fn takes<T: Colour>(
        &self,
        page: &mut PageBuilder<'_>,
        name: &str,
        from: Place<T>,
        hear: impl Fn(&Arcs<S, K::Arc>, &mut Firing<'_>, T) -> Heard + Send + Sync + 'static,
    ) {
        let mut transition = page.transition(name);
        let token = transition.take(from);
        let arcs = self.arcs(&mut transition);
        transition.action(move |f| {
            let token = f.take(token);
            if let Err(wrong) = hear(&arcs, f, token) {
                f.fail(wrong);
            }
        });
    }
}

/// The arcs of a transition that works with a reactor's state.
pub struct Arcs<S, A = ()> {
    /// To the state.
    pub state: Update<S>,
    /// To what it shares; no guard may look at that.
    pub shared: A,
    exits: Vec<Leave<S>>,
}

impl<S, A> fmt::Debug for Arcs<S, A> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "arcs of a reactor with {} exits", self.exits.len())
    }
}

impl<S: Colour, A> Arcs<S, A> {
    fn leave<R>(&self, f: &mut Firing<'_>, came: R) -> R {
        self.exits.iter().for_each(|exit| exit(f, self.state));
        came
    }
}

impl<S: Colour> Arcs<S> {
    /// Works with the state at the clock's time, then puts what it gives.
    pub fn react<R>(&self, f: &mut Firing<'_>, react: impl FnOnce(&mut S, Time) -> R) -> R {
        let now = f.now();
        let came = react(f.update(self.state), now);
        self.leave(f, came)
    }
}

impl<S: Colour, K: Colour> Arcs<S, Update<K>> {
    /// Works with the state and with what it shares at the clock's time, then puts what it gives.
    pub fn react<R>(&self, f: &mut Firing<'_>, react: impl FnOnce(&mut S, &mut K, Time) -> R) -> R {
        let now = f.now();
        let (state, shared) = f.update_two(self.state, self.shared);
        let came = react(state, shared, now);
        self.leave(f, came)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use petrio_kernel::{NetBuilder, Simulation};
    use petrio_persist::Persist;

    /// Sends odd numbers on the one way and even ones on the other, late; refuses what isn't new.
    #[derive(Clone, Default, Persist)]
    struct Sorter {
        sorted: Vec<u32>,
    }

    fn sorting(numbers: &[u32]) -> (Simulation, [Place<u64>; 2]) {
        let mut net = NetBuilder::new("sorter");
        let mut page = net.top();
        let (from, ways) = (page.fifo::<u32>("from"), ["odd", "even"].map(|name| page.fifo::<u64>(name)));
        let (sorter, last) = (page.state("sorter", Sorter::default()), page.state("last", 0u32));
        let reactor = Reactor::sharing(sorter, last).gives_among(
            |sorter| &mut sorter.sorted,
            ways,
            |number| {
                let (way, after) = if number % 2 == 0 { (1, Time::from_millis(1)) } else { (0, Time::ZERO) };
                (number < 100).then(|| (way, u64::from(number), after))
            },
        );
        reactor.hears(&mut page, "sort", from, |sorter, last, number, _| {
            let is_new = number > std::mem::replace(last, number);
            sorter.sorted.push(number);
            is_new.then_some(()).ok_or("a number comes twice: a mistake in the model")
        });
        page.initial(from, numbers.iter().copied());
        (Simulation::new(&net.build().unwrap(), 1, 0), ways)
    }

    #[test]
    fn what_a_state_gives_goes_where_it_is_sent_after_its_time_or_nowhere() {
        let (mut run, [odd, even]) = sorting(&[1, 2, 3, 101]);
        run.run_until(Time::ZERO).unwrap();
        assert_eq!((run.drain(odd).collect::<Vec<_>>(), run.drain(even).count()), (vec![1, 3], 0));
        run.run_until(Time::from_millis(1)).unwrap();
        assert_eq!(run.drain(even).collect::<Vec<_>>(), [2]);
    }

    #[test]
    fn what_a_state_refuses_ends_the_run_and_says_why() {
        let (mut run, _) = sorting(&[1, 1]);
        let error = run.run_until(Time::ZERO).unwrap_err().to_string();
        assert!(error.contains("\"sort\"") && error.contains("comes twice"), "{error}");
    }
}
