//! Studies of the scenario as it stands in a page: what a load does, what changes do, keys varied, candidates compared.
//!
//! ```text
//!  the page's text ─ Standing ─ a study of crates/study ─ findings ─┬─ what the room shows itself, as JSON
//!                                                                   └─ the page that the command writes with --html
//! ```
//!
//! Each is begun, watched and cancelled as a run is (`runs`).

mod compare;
mod explain;
mod keys;
mod load;
mod studies;
mod sweep;

pub(super) use studies::Studies;

use super::Desk;
use super::standing::Standing;
use crate::refusal::Refusal;
use axum::Router;
use axum::routing::post;
use petrio_page::page::Page;
use serde::Serialize;
use std::sync::Arc;

/// Replications of anything at most; more are a night's work, for the command.
const REPLICATIONS_MAX: u32 = 1_000;

pub(super) fn routes() -> Router<Arc<Desk>> {
    Router::new()
        .route("/answers/keys", post(keys::keys))
        .route("/answers/load", post(load::start))
        .route("/answers/explain", post(explain::start))
        .route("/answers/sweep/plan", post(sweep::plan))
        .route("/answers/sweep", post(sweep::start))
        .route("/answers/sweep/open", post(sweep::open))
        .route("/answers/sweep/case", post(sweep::case))
        .route("/answers/sweep/save", post(sweep::save))
        .route("/answers/compare", post(compare::start))
}

/// How far a study is.
#[derive(Serialize)]
struct Far {
    what: String,
    done: u64,
    of: u64,
}

/// What is told of a study: its findings, and the page that has all of them.
#[derive(Serialize)]
struct Answered<T> {
    /// The number of the page.
    page: u64,
    #[serde(flatten)]
    found: T,
}

/// A sentence with its label.
type Said = (&'static str, String);

/// What a page hears of a study that is done.
fn answered<T: Serialize>(desk: &Desk, standing: &Standing, page: &Page, found: T) -> Arc<str> {
    let page = desk.pages.keep(standing.named(&page.html()));
    let text = serde_json::to_string(&Answered { page, found }).unwrap_or_default();
    standing.named(&text).into()
}

/// That a number is none that the studio takes.
fn within(what: &str, number: u32, (least, most): (u32, u32)) -> Result<(), Refusal> {
    if (least..=most).contains(&number) {
        return Ok(());
    }
    let help = format!("ask for {least} to {most}; the command takes more");
    Err(Refusal::new(format!("{number} {what} are none that the studio runs")).help(Some(help)))
}
