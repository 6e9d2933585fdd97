//! Types of users in a trace: which program, or which user, is at work.

use super::chain::Calls;
use super::used::{Irregular, Session};
use crate::usage::is_login;
use petrio_trace::event::{Event, EventKind};

/// Most types of a specification; the sessions of all others are of one.
const TYPES_MAX: usize = 12;
/// The name of that one.
const OTHERS: &str = "others";

/// What makes sessions of one type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypesBy {
    /// Nothing: all are of one type.
    #[default]
    Nothing,
    /// The program that the process executes; an exec begins a session.
    Program,
    /// The user, by the directory that he looks at when he logs in.
    User,
}

impl TypesBy {
    /// The type of what follows an event, where it tells.
    pub(super) fn named_by(self, event: &Event) -> Option<String> {
        match self {
            Self::Program if event.kind == EventKind::Exec => program(event),
            Self::User if is_login(event) => program(event),
            _ => None,
        }
    }
}

/// The last name of an event's path, as that of a program or a user.
pub(super) fn program(event: &Event) -> Option<String> {
    let path = event.path.as_deref()?.trim_end_matches('/');
    path.rsplit('/').next().filter(|name| !name.is_empty()).map(name_of)
}

/// As a name in a specification: letters, digits, `-` and `_`.
fn name_of(text: &str) -> String {
    text.chars().map(|character| if character.is_ascii_alphanumeric() { character } else { '-' }).collect()
}

/// What was seen of the users of a type.
#[derive(Clone, Debug, Default)]
pub(super) struct OfType {
    pub(super) name: String,
    pub(super) calls: Calls,
    /// Accesses of files whose accesses differ.
    pub(super) accesses: Irregular,
    /// Accesses that moved bytes.
    pub(super) moved: u64,
    /// Calls of kinds that users don't make.
    pub(super) unmade: u64,
    pub(super) sessions: Vec<Session>,
}

impl OfType {
    pub(super) fn named(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    fn join(&mut self, other: Self) {
        self.calls.join(&other.calls);
        self.accesses.join(&other.accesses);
        self.moved += other.moved;
        self.unmade += other.unmade;
        self.sessions.extend(other.sessions);
    }
}

/// Those that had sessions with accesses, the most frequent first; the rest as one.
pub(super) fn most_frequent(mut types: Vec<OfType>) -> Vec<OfType> {
    let (mut told, untold): (Vec<_>, Vec<_>) =
        types.drain(..).partition(|kind| !kind.sessions.is_empty() && kind.moved > 0);
    // Ties by name, so that the same trace always gives the same specification.
    told.sort_by(|a, b| b.sessions.len().cmp(&a.sessions.len()).then_with(|| a.name.cmp(&b.name)));
    let mut others = OfType::named(OTHERS);
    let kept = if told.len() > TYPES_MAX { TYPES_MAX - 1 } else { told.len() };
    told.drain(kept..).chain(untold).for_each(|kind| others.join(kind));
    if !others.sessions.is_empty() && others.moved > 0 {
        told.push(others);
    } else if let Some(first) = told.first_mut() {
        // Sessions that only looked: too little for a type of their own.
        first.join(others);
    }
    told
}
