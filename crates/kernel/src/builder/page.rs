//! One page of a net under construction: its places, its transitions, the pages below it.

use super::draft::Draft;
use super::net::NetBuilder;
use super::transition::TransitionBuilder;
use crate::Time;
use crate::error::NetError;
use crate::monitor::Probe;
use crate::net::Conserved;
use crate::place::{Colour, Discipline, Key, KeyOf, Place};
use crate::station::{Station, StationSpec};
use crate::store::{AnyStore, PlaceStore};
use crate::structure::{Page, PageId, PlaceSpec, Port, PortDirection, ProbeSpec, Prototype, Stream};
use crate::sum::{NamedSum, Sum};
use crate::tokens::{Ready, Turn};
use petrio_persist::Kinds;
use petrio_random::{Generator, generator};
use petrio_time::numbers::as_number;
use std::sync::Arc;

impl NetBuilder {
    /// The outermost page. Its path is empty: names on it are whole paths.
    pub fn top(&mut self) -> PageBuilder<'_> {
        PageBuilder { net: self, page: 0 }
    }
}

/// Adds to one page of a net. A page-building function takes one of these and the places that are its ports; calling it
/// is what CPN calls a substitution transition, and it may be called any number of times.
pub struct PageBuilder<'n> {
    net: &'n mut NetBuilder,
    page: u32,
}

impl PageBuilder<'_> {
    /// The page's path; empty for the outermost page.
    pub fn path(&self) -> &str {
        &self.net.pages[self.page as usize].path
    }

    /// The page, for transitions of other pages that begin what takes time on it.
    pub fn id(&self) -> PageId {
        PageId(self.page)
    }

    fn child_path(&self, name: &str) -> String {
        match self.path() {
            "" => name.to_owned(),
            // Of just its length, unlike what is formatted: a large net has millions of paths.
            path => [path, "/", name].concat(),
        }
    }

    /// A page below this one.
    pub fn page(&mut self, name: &str) -> PageBuilder<'_> {
        let path = self.child_path(name);
        let page = as_number(self.net.pages.len());
        let NetBuilder { pages, names, .. } = &mut *self.net;
        if !names.pages.insert(&path, page, |page| &pages[page as usize].path) {
            self.net.fail(NetError::Duplicate { kind: "page", path: path.clone() });
        }
        self.net.pages.push(Page { path, parent: Some(self.page), ports: Vec::new() });
        PageBuilder { net: self.net, page }
    }

    /// The page of that name below this one, to add to it once more; made where there is none. Pages that refer to each
    /// other's places are built so: first the places of all, then their transitions.
    pub fn reopen(&mut self, name: &str) -> PageBuilder<'_> {
        let path = self.child_path(name);
        match self.net.names.pages.find(&path, |page| &self.net.pages[page as usize].path) {
            Some(page) => PageBuilder { page, net: self.net },
            None => self.page(name),
        }
    }

    fn place<T: Colour>(&mut self, name: &str, discipline: Discipline, prototype: Prototype) -> Place<T> {
        let path = self.child_path(name);
        let NetBuilder { places, names, .. } = &mut *self.net;
        let number = as_number(places.len());
        if !names.places.insert(&path, number, |place| &places[place as usize].path) {
            self.net.fail(NetError::Duplicate { kind: "place", path: path.clone() });
        }
        self.net.places.push(PlaceSpec {
            path,
            page: self.page,
            discipline,
            capacity: None,
            colour: std::any::type_name::<T>(),
            initial: 0,
            station: None,
            prototype,
            stream: 0,
            encode: None,
        });
        Place::new(number)
    }

    /// A place whose tokens are taken first in, first out.
    pub fn fifo<T: Colour>(&mut self, name: &str) -> Place<T> {
        self.place(name, Discipline::Fifo, made(|| Box::new(PlaceStore::<T>::new(Ready::fifo(), None))))
    }

    /// A place from which any token may be taken: a guard is tried on each.
    pub fn bag<T: Colour>(&mut self, name: &str) -> Place<T> {
        self.place(name, Discipline::Bag, made(|| Box::new(PlaceStore::<T>::new(Ready::bag(), None))))
    }

    /// A place that brings the token of least key first, equal keys in order of arrival.
    pub fn priority<T: Colour>(
        &mut self,
        name: &str,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
    ) -> Place<T> {
        let key_of: KeyOf<T> = Arc::new(key);
        let ready = Ready::priority(key_of);
        self.place(name, Discipline::Priority, copied(ready, None))
    }

    /// A place ordered by key that answers neighbour and range queries (elevators, truncation).
    pub fn ordered<T: Colour>(
        &mut self,
        name: &str,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
    ) -> Place<T> {
        let ready = Ready::ordered(Arc::new(key));
        self.place(name, Discipline::Ordered, copied(ready, None))
    }

    /// A place whose tokens are found by key in constant time (a reply finds its request).
    pub fn keyed<T: Colour>(
        &mut self,
        name: &str,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
    ) -> Place<T> {
        let ready = Ready::keyed(Arc::new(key));
        self.place(name, Discipline::Keyed, copied(ready, None))
    }

    /// A place whose keys take turns, one token each, and of each key the oldest token first: a link's connections, a
    /// server's clients.
    pub fn in_turn<T: Colour>(
        &mut self,
        name: &str,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
    ) -> Place<T> {
        let ready = Ready::in_turn(Arc::new(key), Turn::ONE);
        self.place(name, Discipline::InTurn, copied(ready, None))
    }

    /// The same, where a turn is so much of what tokens take each, and what a key takes beyond its turn counts against its
    /// next one. A turn should be as large as the largest token.
    pub fn in_turn_by<T: Colour>(
        &mut self,
        name: &str,
        key: impl Fn(&T) -> Key + Send + Sync + 'static,
        takes: impl Fn(&T) -> u64 + Send + Sync + 'static,
        turn: u64,
    ) -> Place<T> {
        let turn = Turn { takes: Some(Arc::new(takes)), each: turn };
        let ready = Ready::in_turn(Arc::new(key), turn);
        self.place(name, Discipline::InTurn, copied(ready, None))
    }

    /// A place with one resident token that transitions update in place (a clock hand, a position, a set of permits).
    pub fn state<T: Colour>(&mut self, name: &str, resident: T) -> Place<T> {
        let place = self.state_without_resident(name);
        self.initial(place, [resident]);
        place
    }

    fn state_without_resident<T: Colour>(&mut self, name: &str) -> Place<T> {
        self.place(name, Discipline::State, made(|| Box::new(PlaceStore::<T>::new(Ready::state(), None))))
    }

    /// A [state](Self::state) whose resident is drawn for each marking, from a random stream of this page with this purpose: what
    /// differs between replications though it isn't drawn while they run.
    pub fn drawn_state<T: Colour>(
        &mut self,
        name: &str,
        purpose: &str,
        resident: impl Fn(&mut Generator) -> T + Send + Sync + 'static,
    ) -> Place<T> {
        let place = self.state_without_resident(name);
        self.net.places[place.index as usize].initial += 1;
        let (index, path, purpose) = (place.index, self.path().to_owned(), purpose.to_owned());
        self.net.starters.push(Box::new(move |net, marking, (seed, replication)| {
            let mut random = generator(seed, replication, &path, &purpose);
            marking.insert(net, index, resident(&mut random), 0, false);
        }));
        place
    }

    /// A queueing place: tokens wait, are served, and are then ready.
    pub fn station<T: Colour>(&mut self, name: &str, station: StationSpec<T>) -> Place<T> {
        let (kind, servers) = (station.name, station.servers());
        let place = self.place(name, Discipline::Station, copied(Ready::fifo(), Some(station.prototype)));
        let path = self.child_path(name);
        let stream = self.net.add_stream(path, "service");
        let spec = &mut self.net.places[place.index as usize];
        spec.station = Some((kind, servers));
        spec.stream = stream;
        place
    }

    /// Bounds the number of tokens in a place. A full place disables the transitions that would put more into it.
    pub fn capacity<T>(&mut self, place: Place<T>, tokens: u32) {
        self.net.places[place.index as usize].capacity = Some(tokens);
    }

    /// Tokens that the place starts with.
    pub fn initial<T: Colour>(&mut self, place: Place<T>, tokens: impl IntoIterator<Item = T>) {
        for token in tokens {
            self.initial_after(place, token, Time::ZERO);
        }
    }

    /// A token that arrives at the place at a time after the start.
    pub fn initial_after<T: Colour>(&mut self, place: Place<T>, token: T, at: Time) {
        self.net.places[place.index as usize].initial += 1;
        let index = place.index;
        self.net.starters.push(Box::new(move |net, marking, _| {
            if !at.is_never() {
                marking.insert(net, index, token.clone(), at.as_picos(), false);
            }
        }));
    }

    /// Lets the place's tokens be serialised and hashed with their marking (for state spaces).
    pub fn encodable<T: Colour + serde::Serialize>(&mut self, place: Place<T>) {
        self.net.places[place.index as usize].encode = Some(crate::encode::encode_store::<T>);
    }

    /// Values of this type are passed on by tokens of this net whose own type doesn't say so.
    pub fn carries<T: Colour>(&mut self) {
        self.net.kinds.add::<T>();
    }

    /// The same of values of these types.
    pub fn carries_all(&mut self, kinds: &Kinds) {
        self.net.kinds.extend(kinds);
    }

    /// A random stream of this page; the same page and purpose give the same stream.
    pub fn stream(&mut self, purpose: &str) -> Stream {
        let path = self.path().to_owned();
        Stream(self.net.add_stream(path, purpose))
    }

    /// A probe: actions feed it values.
    pub fn probe(&mut self, name: &str) -> Probe {
        let path = self.child_path(name);
        self.net.probes.push(ProbeSpec { path });
        Probe(as_number(self.net.probes.len() - 1))
    }

    /// Declares that tokens enter this page through a place.
    pub fn port_in<T>(&mut self, name: &str, place: Place<T>) {
        self.port(name, place.index, PortDirection::In);
    }

    /// Declares that tokens leave this page through a place.
    pub fn port_out<T>(&mut self, name: &str, place: Place<T>) {
        self.port(name, place.index, PortDirection::Out);
    }

    /// Declares a fusion place: another page owns it, this one updates or reads it.
    pub fn shared<T>(&mut self, name: &str, place: Place<T>) {
        self.port(name, place.index, PortDirection::Shared);
    }

    fn port(&mut self, name: &str, place: u32, direction: PortDirection) {
        let name = name.to_owned();
        self.net.pages[self.page as usize].ports.push(Port { name, place, direction });
    }

    /// Declares that the weighted number of tokens in these places never changes. Transitions are checked against it
    /// when the net is built, and markings by
    /// [`Simulation::check_conservation`](crate::Simulation::check_conservation).
    pub fn conserve(&mut self, name: &str, places: &[(PlaceId, i64)]) {
        let path = self.child_path(name);
        let places = places.iter().map(|(place, weight)| (place.0, *weight)).collect();
        self.net.conserved.push(Conserved { path, places, initial: 0 });
    }

    /// Declares that a sum over tokens never changes, whatever these stand for. Markings are checked against it as against
    /// [`conserve`](Self::conserve).
    pub fn conserve_sum(&mut self, name: &str, sum: Sum) {
        let path = self.child_path(name);
        self.net.sums.push(NamedSum { path, sum });
    }

    /// A transition. Declare its arcs, then give it an action.
    pub fn transition(&mut self, name: &str) -> TransitionBuilder<'_> {
        let path = self.child_path(name);
        let NetBuilder { drafts, names, .. } = &mut *self.net;
        let number = as_number(drafts.len());
        if !names.transitions.insert(&path, number, |draft| &drafts[draft as usize].path) {
            self.net.fail(NetError::Duplicate { kind: "transition", path: path.clone() });
        }
        self.net.drafts.push(Draft::new(path, self.page));
        let index = self.net.drafts.len() - 1;
        TransitionBuilder { net: self.net, index }
    }
}

/// For places that all begin alike.
fn made(make: fn() -> Box<dyn AnyStore>) -> Prototype {
    Prototype::Made(make)
}

fn copied<T: Colour>(ready: Ready<T>, station: Option<Box<dyn Station<T>>>) -> Prototype {
    Prototype::Copied(Box::new(PlaceStore::new(ready, station)))
}

/// A place without its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceId(pub(crate) u32);

impl PlaceId {
    /// The place's number in its net.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl<T> Place<T> {
    /// The place without its colour, for lists of places of different colours.
    pub fn id(self) -> PlaceId {
        PlaceId(self.index)
    }
}
