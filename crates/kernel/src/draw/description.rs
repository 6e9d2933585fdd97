//! A net as plain data.

use crate::arc::ArcKind;
use crate::net::Net;
use crate::place::Discipline;
use crate::structure::PortDirection;
use serde::Serialize;

/// A net.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NetDescription {
    /// Its name.
    pub name: String,
    /// Pages; the first is the outermost, and a page comes before those below it.
    pub pages: Vec<PageDescription>,
    /// Places.
    pub places: Vec<PlaceDescription>,
    /// Transitions.
    pub transitions: Vec<TransitionDescription>,
}

/// A page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PageDescription {
    /// Its path; empty for the outermost.
    pub path: String,
    /// The rest of the path below that of the page it stands on.
    pub name: String,
    /// The page above, by index.
    pub parent: Option<usize>,
    /// How tokens cross its border.
    pub ports: Vec<PortDescription>,
}

/// A port of a page.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PortDescription {
    /// Its name on the page.
    pub name: String,
    /// The place, by index.
    pub place: usize,
    /// Which way tokens go.
    pub direction: PortDirection,
}

/// A place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlaceDescription {
    /// Its path.
    pub path: String,
    /// The rest of the path below that of the page it stands on.
    pub name: String,
    /// The page that owns it, by index.
    pub page: usize,
    /// How its tokens are ordered.
    pub discipline: Discipline,
    /// Most tokens, where bounded.
    pub capacity: Option<u32>,
    /// The type of its tokens, without the names of modules.
    pub colour: String,
    /// Tokens at the start.
    pub initial_tokens: usize,
    /// What serves its tokens, where it is a queueing place.
    pub station: Option<StationDescription>,
}

/// What makes a place a queueing place.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct StationDescription {
    /// In which order it serves.
    pub discipline: String,
    /// Servers; `None` for infinitely many.
    pub servers: Option<u32>,
}

/// A transition.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TransitionDescription {
    /// Its path.
    pub path: String,
    /// The rest of the path below that of the page it stands on.
    pub name: String,
    /// Its page, by index.
    pub page: usize,
    /// The lower, the more urgent.
    pub priority: i32,
    /// Whether a guard decides.
    pub guarded: bool,
    /// Its arcs in the order of declaration.
    pub arcs: Vec<ArcDescription>,
}

/// An arc.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ArcDescription {
    /// The place, by index.
    pub place: usize,
    /// What the arc means.
    pub kind: ArcKind,
    /// Tokens; of an inhibitor, the number at which it forbids.
    pub weight: u32,
    /// An inscription.
    pub label: Option<String>,
}

/// What was declared.
pub fn describe(net: &Net) -> NetDescription {
    let name_on = |page: u32, path: &str| {
        let page = net.structure.pages[page as usize].path.as_str();
        let below =
            path.strip_prefix(page).filter(|_| !page.is_empty()).and_then(|rest| rest.strip_prefix('/'));
        below.unwrap_or(path).to_owned()
    };
    NetDescription {
        name: net.name.clone(),
        pages: net
            .structure
            .pages
            .iter()
            .map(|page| PageDescription {
                path: page.path.clone(),
                name: page.parent.map_or_else(String::new, |parent| name_on(parent, &page.path)),
                parent: page.parent.map(|parent| parent as usize),
                ports: page
                    .ports
                    .iter()
                    .map(|port| PortDescription {
                        name: port.name.clone(),
                        place: port.place as usize,
                        direction: port.direction,
                    })
                    .collect(),
            })
            .collect(),
        places: net
            .structure
            .places
            .iter()
            .map(|place| PlaceDescription {
                path: place.path.clone(),
                name: name_on(place.page, &place.path),
                page: place.page as usize,
                discipline: place.discipline,
                capacity: place.capacity,
                colour: short_type(place.colour),
                initial_tokens: place.initial,
                station: place.station.map(|(discipline, servers)| StationDescription {
                    discipline: discipline.to_owned(),
                    servers,
                }),
            })
            .collect(),
        transitions: net
            .transitions
            .iter()
            .map(|transition| &transition.spec)
            .map(|transition| TransitionDescription {
                path: transition.path.clone(),
                name: name_on(transition.page, &transition.path),
                page: transition.page as usize,
                priority: transition.priority,
                guarded: transition.guarded,
                arcs: transition
                    .arcs
                    .iter()
                    .map(|arc| ArcDescription {
                        place: arc.place as usize,
                        kind: arc.kind,
                        weight: arc.weight,
                        label: arc.label.map(str::to_owned),
                    })
                    .collect(),
            })
            .collect(),
    }
}

/// A type's name without modules: `alloc::vec::Vec<net::Message>` is `Vec<Message>`.
fn short_type(name: &str) -> String {
    let mut short = String::new();
    let mut word = String::new();
    let mut rest = name.chars().peekable();
    while let Some(letter) = rest.next() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
        } else if letter == ':' && rest.peek() == Some(&':') {
            rest.next();
            word.clear();
        } else {
            short.push_str(&word);
            word.clear();
            short.push(letter);
        }
    }
    short + &word
}

#[cfg(test)]
mod tests {
    use super::short_type;

    #[test]
    fn types_lose_their_modules_and_keep_their_arguments() {
        for (name, short) in [
            ("()", "()"),
            ("u64", "u64"),
            ("some_crate::inner::Request", "Request"),
            ("alloc::vec::Vec<net::Message>", "Vec<Message>"),
            ("core::option::Option<(u32, a::b::C)>", "Option<(u32, C)>"),
            ("[a::B; 4]", "[B; 4]"),
            ("&str", "&str"),
        ] {
            assert_eq!(short_type(name), short);
        }
    }
}
