//! The Petri net of the scenario as it stands, a page at a time, and where in it a run's time was spent.

use crate::api::standing::Standing;
use crate::api::{Answer, Desk, aside};
use crate::body::{Admitted, Wanted};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_kernel::Watch;
use petrio_kernel::draw::{self, NetDescription, Picture};
use petrio_scenario::build::System;
use petrio_scenario::report::StageFigures;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

#[derive(Deserialize)]
pub(crate) struct NetRequest {
    path: PathBuf,
    text: String,
    /// The page, by its path; left out, all of them as boxes.
    page: Option<String>,
    /// The stages of a run's report, where there was one.
    #[serde(default)]
    stages: Vec<StageFigures>,
}

impl Wanted for NetRequest {}

#[derive(Serialize)]
pub(crate) struct Drawn {
    /// The page that is drawn; nothing of the overview.
    page: Option<String>,
    #[serde(flatten)]
    picture: Picture,
    /// Every page of the net: one comes before those below it, and the first has the empty path.
    pages: Vec<PageOfNet>,
    /// Where the time was spent, the most first.
    spent: Vec<Spent>,
}

#[derive(Serialize)]
struct PageOfNet {
    path: String,
    /// By its number.
    parent: Option<usize>,
    places: usize,
    transitions: usize,
}

/// A stage, and which part of all requests' time is spent in it.
#[derive(Debug, Serialize)]
struct Spent {
    stage: String,
    /// Of the time in all stages, 0 to 1.
    share: f64,
    /// The part of the time in which it is busy, 0 to 1, where it serves.
    utilisation: Option<f64>,
    /// The paths of the places that make it up, and of the pages on which it works.
    places: BTreeSet<String>,
    pages: BTreeSet<String>,
}

/// `POST /api/scenario/net`
pub(crate) async fn net(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<NetRequest>,
) -> Answer<Drawn> {
    aside(move || {
        let _room = room;
        let standing = Standing::of(&desk, &request.path, request.text)?;
        let loaded = standing.load(&[], &Watch::default());
        let loaded = loaded.map_err(|problems| standing.naming(Refusal::from(&problems)))?;
        let system = System::build(&loaded).map_err(|failure| standing.naming(Refusal::of(&failure)))?;
        let net = &system.driven.net;
        let picture = match &request.page {
            None => draw::overview(net),
            Some(path) => {
                let page = net.find_page(path);
                draw::picture(net, page.ok_or_else(|| no_page(path))?)
            }
        };
        let description = draw::describe(net);
        let spent = spent(&system, &description, &request.stages);
        Ok(Drawn { page: request.page, picture, pages: pages(&description), spent })
    })
    .await
}

fn no_page(path: &str) -> Refusal {
    Refusal::new(format!("the net has no page \"{path}\" now"))
        .help(Some("go back to all pages; the scenario has changed".to_owned()))
}

fn pages(net: &NetDescription) -> Vec<PageOfNet> {
    let mut all: Vec<PageOfNet> = (net.pages.iter())
        .map(|page| PageOfNet { path: page.path.clone(), parent: page.parent, places: 0, transitions: 0 })
        .collect();
    net.places.iter().for_each(|place| all[place.page].places += 1);
    net.transitions.iter().for_each(|transition| all[transition.page].transitions += 1);
    all
}

/// Which places and pages make up each stage of which the report has a row. A row of a class is about all of it.
fn spent(system: &System, net: &NetDescription, rows: &[StageFigures]) -> Vec<Spent> {
    let all: f64 = rows.iter().map(StageFigures::present).sum();
    let mut spent: Vec<Spent> = rows
        .iter()
        .filter(|row| row.present() > 0.0)
        .map(|row| {
            let stages =
                || system.stages.iter().filter(|stage| stage.name == row.name || stage.class == row.name);
            let places = || {
                let of = stages().flat_map(|stage| stage.waiting.iter().chain(stage.work.places()));
                of.filter_map(|place| net.places.get(place.index()))
            };
            let of_parts = stages().flat_map(|stage| stage.parts.iter().map(|(_, page)| page.clone()));
            Spent {
                stage: row.name.clone(),
                share: row.present() / all,
                utilisation: row.most(),
                places: places().map(|place| place.path.clone()).collect(),
                pages: places().map(|place| net.pages[place.page].path.clone()).chain(of_parts).collect(),
            }
        })
        .collect();
    spent.sort_by(|a, b| b.share.total_cmp(&a.share));
    spent
}
