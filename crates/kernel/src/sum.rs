//! Sums over a net's tokens that never change: what conservation means where a token stands for more than itself.

use crate::binding::store_of;
use crate::place::{Colour, Place};
use crate::store::{AnyStore, PlaceStore};
use std::any::Any;
use std::fmt;

/// What tokens of these places come to.
type Measure = Box<dyn Fn(&[Box<dyn AnyStore>]) -> i64 + Send + Sync>;

/// A sum over tokens, for [`PageBuilder::conserve_sum`](crate::PageBuilder::conserve_sum).
///
/// ```
/// use petrio_kernel::{NetBuilder, Simulation, Sum, Time};
/// // A desk that knows how many it has sent off: as many as have come back and are on their way.
/// let mut net = NetBuilder::new("desk");
/// let mut page = net.top();
/// let (calls, way) = (page.fifo::<()>("calls"), page.fifo::<()>("way"));
/// let desk = page.state("desk", 0i64);
/// page.initial(calls, vec![(); 5]);
/// let mut send = page.transition("send");
/// send.consume(calls);
/// let (sent, off) = (send.update(desk), send.put(way));
/// send.action(move |f| {
///     *f.update(sent) += 1;
///     f.put_after(off, (), Time::from_millis(1));
/// });
/// let mut receive = page.transition("receive");
/// receive.consume(way);
/// receive.action(|_| {});
/// page.conserve_sum("calls", Sum::new().of(desk, |sent| *sent).tokens(way, -1).taken(way, -1));
/// let mut run = Simulation::new(&net.build()?, 1, 0);
/// run.run_until(Time::from_millis(2))?;
/// run.check_conservation()?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Sum {
    measured: Vec<Measure>,
    taken: Vec<(u32, i64)>,
}

impl fmt::Debug for Sum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "a sum over {} sets of tokens", self.measured.len() + self.taken.len())
    }
}

impl Sum {
    /// Nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A number of things as sums count them; what is beyond them counts as the most.
    pub fn count(number: impl TryInto<i64>) -> i64 {
        number.try_into().unwrap_or(i64::MAX)
    }

    /// And what each token of a place counts, wherever in the place it is: ready, delayed, waiting, in service.
    #[must_use]
    pub fn of<T: Colour>(
        mut self,
        place: Place<T>,
        counts: impl Fn(&T) -> i64 + Send + Sync + 'static,
    ) -> Self {
        self.measured.push(Box::new(move |stores| {
            let mut sum = 0;
            store_of::<T>(&*stores[place.index as usize]).for_each(&mut |token| sum += counts(token));
            sum
        }));
        self
    }

    /// And what each token of a colour counts, in whichever place of the net it is: what pages hand to each other, wherever it is
    /// under way.
    #[must_use]
    pub fn everywhere<T: Colour>(self, counts: impl Fn(&T) -> i64 + Send + Sync + 'static) -> Self {
        self.everywhere_given(|(), _: &T| {}, move |(), token| counts(token))
    }

    /// The same, where what a token counts depends on others of its colour: all are looked at first.
    #[must_use]
    pub fn everywhere_given<T: Colour, L: Default>(
        mut self,
        look: impl Fn(&mut L, &T) + Send + Sync + 'static,
        counts: impl Fn(&L, &T) -> i64 + Send + Sync + 'static,
    ) -> Self {
        self.measured.push(Box::new(move |stores| {
            let of_colour = || stores.iter().filter_map(|store| (&**store as &dyn Any).downcast_ref());
            let (mut seen, mut sum) = (L::default(), 0);
            of_colour().for_each(|store: &PlaceStore<T>| store.for_each(&mut |token| look(&mut seen, token)));
            of_colour()
                .for_each(|store: &PlaceStore<T>| store.for_each(&mut |token| sum += counts(&seen, token)));
            sum
        }));
        self
    }

    /// And so much for each token of a place.
    #[must_use]
    pub fn tokens<T: Colour>(self, place: Place<T>, weight: i64) -> Self {
        self.of(place, move |_| weight)
    }

    /// And so much for each token that was ever taken out of a place.
    #[must_use]
    pub fn taken<T: Colour>(mut self, place: Place<T>, weight: i64) -> Self {
        self.taken.push((place.index, weight));
        self
    }

    /// What it comes to, but for what was taken before the statistics were reset.
    pub(crate) fn value(&self, stores: &[Box<dyn AnyStore>]) -> i64 {
        self.measured.iter().map(|measure| measure(stores)).sum::<i64>() + self.taken_since(stores)
    }

    /// What has been taken since the statistics were reset.
    pub(crate) fn taken_since(&self, stores: &[Box<dyn AnyStore>]) -> i64 {
        let departures =
            |&(place, weight): &(u32, i64)| weight * stores[place as usize].level().departures as i64;
        self.taken.iter().map(departures).sum()
    }
}

/// A sum by its name.
pub(crate) struct NamedSum {
    pub(crate) path: String,
    pub(crate) sum: Sum,
}
