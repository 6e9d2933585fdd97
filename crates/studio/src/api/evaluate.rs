//! A distribution at every point of an axis, its moments, and its distance from loaded values.

use super::{Answer, Desk, aside};
use crate::body::{Admitted, Wanted};
use crate::quantity::{Forms, Quantity};
use crate::refusal::Refusal;
use axum::Json;
use axum::extract::State;
use petrio_distribution::Distribution;
use petrio_distribution::fit::Distances;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Points of an axis.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Axis {
    from: f64,
    to: f64,
    points: usize,
    #[serde(default)]
    log: bool,
}

/// More points than a screen has columns show nothing more.
const POINTS_MAX: usize = 8_192;

impl Axis {
    /// Its points, in even steps, or in even factors where it is logarithmic and can be.
    pub(crate) fn points(&self) -> Vec<f64> {
        let n = self.points.clamp(2, POINTS_MAX);
        let at = |i: usize| i as f64 / (n - 1) as f64;
        if self.log && self.from > 0.0 && self.to > self.from {
            let (from, to) = (libm::log(self.from), libm::log(self.to));
            (0..n).map(|i| libm::exp(from + at(i) * (to - from))).collect()
        } else {
            (0..n).map(|i| self.from + at(i) * (self.to - self.from)).collect()
        }
    }
}

#[derive(Deserialize)]
pub(crate) struct EvaluateRequest {
    quantity: Quantity,
    draw: Value,
    axis: Option<Axis>,
    /// Loaded values to compare with.
    data: Option<u64>,
}

impl Wanted for EvaluateRequest {}

/// Mean and what follows; infinite ones are absent.
#[derive(Serialize)]
pub(crate) struct Shape {
    mean: f64,
    deviation: f64,
    skewness: f64,
    kurtosis: f64,
    median: f64,
    p90: f64,
    p99: f64,
}

impl Shape {
    fn of(distribution: &Distribution) -> Self {
        let (mean, variance) = (distribution.mean(), distribution.variance());
        let deviation = variance.max(0.0).sqrt();
        let raw = [1, 2, 3, 4].map(|k| distribution.moment(k));
        let third = raw[2] - 3.0 * mean * raw[1] + 2.0 * mean * mean * mean;
        let fourth =
            raw[3] - 4.0 * mean * raw[2] + 6.0 * mean * mean * raw[1] - 3.0 * mean * mean * mean * mean;
        Self {
            mean,
            deviation,
            skewness: third / (variance * deviation),
            kurtosis: fourth / (variance * variance) - 3.0,
            median: distribution.quantile(0.5),
            p90: distribution.quantile(0.9),
            p99: distribution.quantile(0.99),
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Evaluated {
    x: Vec<f64>,
    density: Vec<f64>,
    cdf: Vec<f64>,
    shape: Shape,
    /// Where most of it lies.
    range: [f64; 2],
    has_atoms: bool,
    goodness: Option<Distances>,
    plain: Value,
    toml: String,
}

/// `POST /api/evaluate`
pub(crate) async fn evaluate(
    State(desk): State<Arc<Desk>>,
    Admitted(request, room): Admitted<EvaluateRequest>,
) -> Answer<Evaluated> {
    let data = request.data.and_then(|id| desk.data.get(id));
    aside(move || {
        let _room = room;
        let Forms { distribution, plain, toml } =
            request.quantity.of_plain(request.draw).map_err(Refusal::new)?;
        let x = request.axis.map(|axis| axis.points()).unwrap_or_default();
        Ok(Evaluated {
            density: x.iter().map(|&x| distribution.density(x)).collect(),
            cdf: x.iter().map(|&x| distribution.cdf(x)).collect(),
            shape: Shape::of(&distribution),
            range: [distribution.quantile(0.001), distribution.quantile(0.995)],
            has_atoms: distribution.has_atoms(),
            goodness: data.map(|data| Distances::between(data.sorted(), &distribution)),
            plain,
            toml: toml.to_string().trim().to_owned(),
            x,
        })
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct TextRequest {
    quantity: Quantity,
    text: String,
}

impl Wanted for TextRequest {}

#[derive(Serialize)]
pub(crate) struct Read {
    plain: Value,
    toml: String,
}

/// `POST /api/text`: a distribution from the text that a specification or a scenario has.
pub(crate) async fn text(Admitted(request, _room): Admitted<TextRequest>) -> Answer<Read> {
    let forms = request.quantity.of_text(&request.text).map_err(Refusal::new)?;
    Ok(Json(Read { plain: forms.plain, toml: forms.toml.to_string().trim().to_owned() }))
}
