//! A distribution fitted to loaded values: what `petrio fit` does.

use super::{Answer, Desk, aside};
use crate::body::{Admitted, Wanted};
use crate::quantity::{Quantity, plain_draw};
use crate::refusal::Refusal;
use axum::extract::State;
use petrio_distribution::fit::{FitFamily, FitOptions};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

#[derive(Deserialize)]
pub(crate) struct FitRequest {
    quantity: Quantity,
    data: u64,
    /// One of [`families`]; left out, the best of all by BIC.
    family: Option<String>,
    /// How many gamma or exponential stages; left out, the best number by BIC.
    stages: Option<usize>,
}

impl Wanted for FitRequest {}

#[derive(Serialize)]
pub(crate) struct FitAnswer {
    label: String,
    plain: Value,
    notes: Vec<String>,
}

/// The families that can be fitted.
pub(crate) fn families() -> Vec<&'static str> {
    FitFamily::ALL.iter().map(|family| family.name()).collect()
}

/// `POST /api/fit`
pub(crate) async fn fit(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<FitRequest>,
) -> Answer<FitAnswer> {
    let data = desk
        .data
        .get(request.data)
        .ok_or_else(|| Refusal::new("these values are no longer there; load them again"))?;
    aside(move || {
        let _room = room;
        let families = match &request.family {
            None => FitFamily::ALL.to_vec(),
            Some(name) => FitFamily::ALL.into_iter().filter(|family| family.name() == name).collect(),
        };
        if families.is_empty() {
            let name = request.family.unwrap_or_default();
            return Err(Refusal::new(format!(
                "\"{name}\" can't be fitted; there are {}",
                self::families().join(", ")
            )));
        }
        let options = FitOptions { families, stages: request.stages, ..FitOptions::default() };
        let report = petrio_distribution::fit::fit(data.sorted(), &options, &|_| {})
            .map_err(|error| Refusal::of(&error))?;
        let chosen = report.chosen();
        let plain = plain_draw(&chosen.draw::<f64>()).map_err(Refusal::new)?;
        let forms = request.quantity.of_plain(plain).map_err(Refusal::new)?;
        Ok(FitAnswer { label: chosen.label.clone(), plain: forms.plain, notes: report.notes() })
    })
    .await
}
