//! What a page tells the report about itself: a stage is a queue, a server, a delay, or a station of the net, and its
//! row follows from what it is.

use crate::function::Profile;
use petrio_kernel::{PlaceId, Probe};

/// One row of a report's stage table. Built by what it is: [`Stage::queue`], [`Stage::server`], [`Stage::station`],
/// [`Stage::delay`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stage {
    /// Its path in the net, such as `d0/mechanics`.
    pub name: String,
    /// Equal parts' stages have one class, such as `d*/mechanics`; of a part that has no equal, the stage's own name.
    pub class: String,
    /// Places whose arrivals are the stage's: each request that the stage sees comes to one of them, once. None, where
    /// all are counted that it has served and that wait for it.
    pub entrances: Vec<PlaceId>,
    /// Places whose departures are what the stage is done with, where that isn't what came but for what is there.
    pub exits: Vec<PlaceId>,
    /// Places in which requests wait for it.
    pub waiting: Vec<PlaceId>,
    /// What it does for them.
    pub work: Work,
    /// Where it records the seconds in which it works of its own accord, for no request: a drive that reads ahead.
    pub own_work: Option<Probe>,
    /// Where it records the bytes that it moves.
    pub moved: Option<Probe>,
    /// Where it records the bytes of what it drops.
    pub dropped: Option<Probe>,
    /// Where it records what it is used for, of processors.
    pub profile: Option<Profile>,
    /// Parts of its service, each on a page of its own whose speed can be changed: the word of the report ("seeks") and
    /// the page's path.
    pub parts: Vec<(&'static str, String)>,
}

/// What a stage does for requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Work {
    /// Nothing: they only wait there.
    Queue,
    /// Each is served by itself, in one of these places after the other, by so many servers.
    Server(Vec<PlaceId>, u32),
    /// All that are in these places take their time side by side.
    Delay(Vec<PlaceId>),
    /// One server serves them, and records the seconds for which each keeps it busy; nothing lies in a place meanwhile.
    Recorded(Probe, PlaceId),
    /// Several servers, each of which one at a time has, and who has had one records for how many seconds; they are free in
    /// these places.
    Had(Probe, Vec<PlaceId>),
    /// A station of the net serves them, whose servers they may share; what they wait and are served is the station's
    /// to say.
    Station(PlaceId),
}

impl Work {
    /// The places in which it is done, where tokens lie there meanwhile.
    pub fn places(&self) -> &[PlaceId] {
        match self {
            Self::Queue | Self::Recorded(..) | Self::Had(..) => &[],
            Self::Server(places, _) | Self::Delay(places) => places,
            Self::Station(place) => std::slice::from_ref(place),
        }
    }
}

impl Stage {
    fn new(name: String, entrances: &[PlaceId], waiting: &[PlaceId], work: Work) -> Self {
        Self {
            class: name.clone(),
            name,
            entrances: entrances.to_vec(),
            exits: Vec::new(),
            waiting: waiting.to_vec(),
            work,
            own_work: None,
            moved: None,
            dropped: None,
            profile: None,
            parts: Vec::new(),
        }
    }

    /// Requests wait in these places, and come to each of them once.
    pub fn queue(name: String, waiting: &[PlaceId]) -> Self {
        Self::new(name, waiting, waiting, Work::Queue)
    }

    /// `servers` serve requests in these places, and each request comes to the first of them.
    pub fn server(name: String, servers: u32, serving: &[PlaceId]) -> Self {
        Self::new(name, &serving[..serving.len().min(1)], &[], Work::Server(serving.to_vec(), servers.max(1)))
    }

    /// Requests spend a time in this place that doesn't depend on how many there are.
    pub fn delay(name: String, place: PlaceId) -> Self {
        Self::new(name, &[place], &[], Work::Delay(vec![place]))
    }

    /// A queueing place: its servers are those of its station.
    pub fn station(name: String, place: PlaceId) -> Self {
        Self::new(name, &[place], &[], Work::Station(place))
    }

    /// A server to which requests come from a place in which they wait, and which records the seconds that it is busy: a
    /// link, which a train has left before its end has.
    pub fn recorded(name: String, queue: PlaceId, busy: Probe) -> Self {
        Self::new(name, &[queue], &[queue], Work::Recorded(busy, queue))
    }

    /// The same, where what comes needn't wait there: as many came as it has served, and as wait.
    pub fn passed(name: String, queue: PlaceId, busy: Probe) -> Self {
        Self::new(name, &[], &[queue], Work::Recorded(busy, queue))
    }

    /// Something that is had by one at a time, in each of these places, and comes back there.
    pub fn had(name: String, busy: Probe, free: &[PlaceId]) -> Self {
        Self::new(name, free, &[], Work::Had(busy, free.to_vec()))
    }

    /// It records here what it is used for.
    #[must_use]
    pub fn with_profile(self, profile: Profile) -> Self {
        Self { profile: Some(profile), ..self }
    }

    /// Requests come to these places, each to one of them, once.
    #[must_use]
    pub fn entered_by(self, entrances: &[PlaceId]) -> Self {
        Self { entrances: entrances.to_vec(), ..self }
    }

    /// Requests that leave these places are done.
    #[must_use]
    pub fn left_by(self, exits: &[PlaceId]) -> Self {
        Self { exits: exits.to_vec(), ..self }
    }

    /// Whether requests count when they come to its servers, and not before they wait.
    pub fn comes_to_servers(&self) -> bool {
        let serving = self.work.places();
        self.entrances.iter().all(|place| serving.contains(place))
    }

    /// Requests wait for it in these places.
    #[must_use]
    pub fn waited_for_in(self, waiting: &[PlaceId]) -> Self {
        Self { waiting: waiting.to_vec(), ..self }
    }

    /// Parts of its service, each a word and the path of a page.
    #[must_use]
    pub fn with_parts(self, parts: Vec<(&'static str, String)>) -> Self {
        Self { parts, ..self }
    }

    /// Where it records the bytes that it moves.
    #[must_use]
    pub fn moving(self, probe: Probe) -> Self {
        Self { moved: Some(probe), ..self }
    }

    /// Where it records the bytes of what it drops.
    #[must_use]
    pub fn dropping(self, probe: Option<Probe>) -> Self {
        Self { dropped: probe, ..self }
    }

    /// Where it records what it does of its own accord, seconds.
    #[must_use]
    pub fn with_own_work(self, probe: Probe) -> Self {
        Self { own_work: Some(probe), ..self }
    }
}
