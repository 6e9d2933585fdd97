//! What is declared of a transition, before it is compiled.

use crate::arc::ArcKind;
use crate::binding::{Guard, Search};
use crate::net::Action;
use crate::structure::ArcSpec;

/// What is declared of a transition so far.
pub(super) struct Draft {
    pub(super) path: String,
    pub(super) page: u32,
    pub(super) priority: i32,
    pub(super) arcs: Vec<ArcSpec>,
    /// Searches by input-arc number; `None`: the discipline's first.
    pub(super) inputs: Vec<(u32, ArcKind, u32, Option<Search>)>,
    pub(super) outputs: Vec<(u32, ArcKind, u32)>,
    pub(super) inhibitors: Vec<(u32, u32)>,
    pub(super) guard: Option<Guard>,
    pub(super) action: Option<Action>,
}

impl Draft {
    pub(super) fn new(path: String, page: u32) -> Self {
        Self {
            path,
            page,
            priority: 0,
            arcs: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            inhibitors: Vec::new(),
            guard: None,
            action: None,
        }
    }
}
