//! The studio as a browser meets it, without a network: requests into its router, answers out of it.

#![allow(clippy::unwrap_used)]

mod scenario;

use crate::api::{Begins, Desk};
use crate::entrance::Entrance;
use crate::guard::Guard;
use crate::reach::Reach;
use crate::server::router;
use crate::token::Token;
use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use axum::response::Response;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tower::ServiceExt;

const HOST: &str = "127.0.0.1:4711";
const THESIS: &str = include_str!("../../../examples/users/thesis.toml");

struct Studio {
    router: Router,
    token: String,
}

impl Studio {
    fn open() -> Self {
        Self::within(Reach::Everything)
    }

    fn within(reach: Reach) -> Self {
        Self::of(reach, Duration::from_secs(60))
    }

    fn of(reach: Reach, grace: Duration) -> Self {
        let token = Token::random().unwrap();
        let entrance = Entrance::default();
        let guard = Guard { token: token.clone(), address: HOST.parse().unwrap(), entrance };
        let desk = Arc::new(Desk::new(Begins::default(), reach, grace));
        Self { router: router(guard, desk), token: token.as_str().to_owned() }
    }

    async fn send(&self, request: Request<Body>) -> Response {
        self.router.clone().oneshot(request).await.unwrap()
    }

    async fn get(&self, path: &str, host: &str, encoding: &str) -> Response {
        let request = Request::get(path).header(header::HOST, host).header(header::ACCEPT_ENCODING, encoding);
        self.send(request.body(Body::empty()).unwrap()).await
    }

    async fn post(&self, path: &str, body: Value) -> (StatusCode, Value) {
        let request = Request::post(format!("/{}/api/{path}", self.token))
            .header(header::HOST, HOST)
            .header(header::CONTENT_TYPE, "application/json");
        let answer = self.send(request.body(Body::from(body.to_string())).unwrap()).await;
        let status = answer.status();
        let bytes = answer.into_body().collect().await.unwrap().to_bytes();
        (status, serde_json::from_slice(&bytes).unwrap_or(Value::Null))
    }

    async fn done(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.post(path, body).await;
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }

    async fn refused(&self, path: &str, body: Value) -> String {
        let (status, answer) = self.post(path, body).await;
        assert_eq!(status, StatusCode::UNPROCESSABLE_ENTITY, "{path}: {answer}");
        answer["error"].as_str().unwrap().to_owned()
    }

    /// What is wrong with a run, which its page hears of once it has begun.
    async fn failed(&self, body: Value) -> String {
        let begun = self.done("runs", body).await;
        let (event, data) = watched(self, &begun["id"]).await;
        assert_eq!(event, "failed", "{data}");
        data["error"].as_str().unwrap().to_owned()
    }
}

#[tokio::test]
async fn nobody_without_the_token_or_under_another_name_gets_anything() {
    let studio = Studio::open();
    let (own, other) = (format!("/{}/", studio.token), format!("/{}/", "0".repeat(studio.token.len())));
    assert_eq!(studio.get(&own, HOST, "").await.status(), StatusCode::OK);
    let api = format!("{own}api/start");
    assert_eq!(studio.get(&api, HOST, "").await.status(), StatusCode::OK);
    for (path, host) in [
        ("/", HOST),
        ("/index.html", HOST),
        ("/api/start", HOST),
        (other.as_str(), HOST),
        (&format!("{other}api/start"), HOST),
        (&own[..own.len() - 2], HOST),
        (own.as_str(), "evil.example:4711"),
        (api.as_str(), "evil.example:4711"),
        (api.as_str(), "127.0.0.1:4712"),
    ] {
        let answer = studio.get(path, host, "").await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{path} at {host}");
        assert!(answer.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN).is_none());
    }
    let without_host = Request::get(&own).body(Body::empty()).unwrap();
    assert_eq!(studio.send(without_host).await.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn pages_come_compressed_with_a_policy_that_lets_nothing_foreign_in() {
    let studio = Studio::open();
    let page = format!("/{}/", studio.token);
    let plain = studio.get(&page, HOST, "identity").await;
    assert!(plain.headers().get(header::CONTENT_ENCODING).is_none());
    let plain = plain.into_body().collect().await.unwrap().to_bytes();
    let packed = studio.get(&page, HOST, "br, gzip").await;
    assert_eq!(packed.headers()[header::CONTENT_ENCODING], "gzip");
    assert_eq!(packed.headers()[header::VARY], "Accept-Encoding");
    let policy = packed.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let packed = packed.into_body().collect().await.unwrap().to_bytes();
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(&packed[..]).read_to_end(&mut unpacked).unwrap();
    assert_eq!(unpacked, plain);
    let missing = format!("/{}/nothing.js", studio.token);
    assert_eq!(studio.get(&missing, HOST, "").await.status(), StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn what_has_no_end_is_not_read() {
    let studio = Studio::open();
    for path in ["specification/open", "data", "runs"] {
        let body = json!({ "path": "/dev/zero", "quantity": "bytes", "scenario": "/dev/zero", "text": null });
        let (status, answer) = studio.post(path, body).await;
        assert!(status.is_client_error(), "{path}: {answer}");
    }
    let opened = studio.refused("specification/open", json!({ "path": "/dev/zero" })).await;
    assert_eq!(opened, "/dev/zero is no file");
    let negative = studio.refused("data", json!({ "text": "1\n-5", "quantity": "duration" })).await;
    assert_eq!(negative, "-5 is below zero, which a time can't be");
    let loaded = studio.refused("data", json!({ "path": "/dev/zero", "quantity": "bytes" })).await;
    assert_eq!(loaded, "/dev/zero is no file");
}

#[tokio::test]
async fn values_are_loaded_shown_fitted_and_compared() {
    let studio = Studio::open();
    // Quantiles of an exponential distribution of mean 5 ms.
    let values: Vec<String> =
        (0..500).map(|i| (-5.0 * (1.0 - (f64::from(i) + 0.5) / 500.0).ln()).to_string()).collect();
    let text = format!("think\n{}", values.join("\n"));
    let load = json!({ "quantity": "duration", "unit": "ms", "text": text });
    let data = studio.done("data", load).await;
    assert_eq!((data["count"].as_u64(), data["left_out"].as_u64()), (Some(500), Some(1)));
    assert!((data["mean"].as_f64().unwrap() - 0.005).abs() < 1e-4);
    let axis = json!({ "from": 0, "to": 0.04, "points": 41 });
    let view = studio.done("data/view", json!({ "id": data["id"], "axis": axis })).await;
    let shares: f64 = view["density"].as_array().unwrap().iter().map(|d| d.as_f64().unwrap() * 0.001).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let wanted = json!({ "quantity": "duration", "data": data["id"], "family": "exponential" });
    let fitted = studio.done("fit", wanted).await;
    let evaluate =
        |draw: &Value| json!({ "quantity": "duration", "draw": draw, "axis": axis, "data": data["id"] });
    let near = studio.done("evaluate", evaluate(&fitted["plain"])).await;
    assert!(near["goodness"]["kolmogorov_smirnov"].as_f64().unwrap() < 0.01, "{}", near["goodness"]);
    assert!(near["toml"].as_str().unwrap().contains("exponential = "), "{}", near["toml"]);
    let far = studio.done("evaluate", evaluate(&json!({ "exponential": { "mean": 0.05 } }))).await;
    assert!(far["goodness"]["kolmogorov_smirnov"].as_f64().unwrap() > 0.5);
    let (mean, skewness) =
        (far["shape"]["mean"].as_f64().unwrap(), far["shape"]["skewness"].as_f64().unwrap());
    assert!((mean - 0.05).abs() < 1e-12 && (skewness - 2.0).abs() < 1e-9, "{skewness}");
    assert!((far["density"][0].as_f64().unwrap() - 20.0).abs() < 1e-9);
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_with_its_reason() {
    let studio = Studio::open();
    let nothing = studio.refused("data", json!({ "quantity": "bytes", "text": "a b c" })).await;
    assert!(nothing.contains("no numbers"), "{nothing}");
    let unit = studio.refused("data", json!({ "quantity": "bytes", "unit": "ms", "text": "1" })).await;
    assert!(unit.contains("ms"), "{unit}");
    let path = studio.refused("data", json!({ "quantity": "bytes", "path": "there/is/no/such.csv" })).await;
    assert!(path.contains("no/such.csv"), "{path}");
    let draw = json!({ "gamma": { "stages": [{ "shape": 0, "scale": 1 }] } });
    let shape = studio.refused("evaluate", json!({ "quantity": "number", "draw": draw })).await;
    assert!(shape.contains("stages.0.shape"), "{shape}");
    let gone = studio.refused("fit", json!({ "quantity": "number", "data": 99, "family": "gamma" })).await;
    assert!(gone.contains("load them again"), "{gone}");
}

#[tokio::test]
async fn a_specification_is_edited_with_its_comments_and_saved_unless_it_has_changed() {
    let studio = Studio::open();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("users.toml");
    std::fs::write(&path, THESIS).unwrap();
    let opened = studio.done("specification/open", json!({ "path": path })).await;
    assert_eq!(opened["complaints"], json!([]));
    assert_eq!(opened["written"]["category"]["user-temp"]["share"], json!("38.2 %"));
    assert!(opened["places"].as_array().unwrap().len() > 30);
    let change =
        json!({ "kind": "set", "path": ["user", "heavy", "think"], "value": "{ constant = \"7 ms\" }" });
    let edit = json!({ "path": path, "text": opened["text"], "changes": [change] });
    let edited = studio.done("specification/edit", edit).await;
    let wanted = THESIS.replacen(
        "think = { exponential = { mean = \"5 ms\" } }",
        "think = { constant = \"7 ms\" }",
        1,
    );
    assert_eq!(edited["text"], json!(wanted));
    let wrong =
        json!({ "path": path, "text": THESIS.replace("[files]\ncount = 1000", "[files]\ncount = 0") });
    let checked = studio.done("specification/check", wrong).await;
    assert!(
        checked["complaints"][0]["message"].as_str().unwrap().contains("files.count"),
        "{}",
        checked["complaints"]
    );
    let save = |before: &str| json!({ "path": path, "text": wanted, "before": before });
    let stale = studio.refused("specification/save", save("something else")).await;
    assert!(stale.contains("has changed"), "{stale}");
    studio.done("specification/save", save(THESIS)).await;
    assert_eq!(std::fs::read_to_string(&path).unwrap(), wanted);
}

/// The last event of a run, and how many there were.
async fn watched(studio: &Studio, id: &Value) -> (String, Value) {
    let path = format!("/{}/api/runs/{id}/events", studio.token);
    let answer = studio.get(&path, HOST, "").await;
    assert_eq!(answer.headers()[header::CONTENT_TYPE], "text/event-stream");
    let text = String::from_utf8(answer.into_body().collect().await.unwrap().to_bytes().to_vec()).unwrap();
    let last = text.trim_end().rsplit("\n\n").next().unwrap().to_owned();
    let (event, data) = last.split_once('\n').unwrap();
    let data = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
    (event.strip_prefix("event: ").unwrap().to_owned(), data)
}

#[tokio::test(flavor = "multi_thread")]
async fn users_run_and_their_use_of_files_is_analysed() {
    let studio = Studio::open();
    let run = |sessions: u32| json!({ "text": THESIS, "users": 1, "sessions": sessions });
    let begun = studio.done("runs", run(3)).await;
    let (event, data) = watched(&studio, &begun["id"]).await;
    assert_eq!(event, "done", "{data}");
    assert_eq!(data["usage"]["sessions"].as_array().unwrap().len(), 3);
    assert!(data["usage"]["accesses"]["bytes_mean"].as_f64().unwrap() > 100.0);
    let begun = studio.done("runs", run(100_000)).await;
    studio.done(&format!("runs/{}/cancel", begun["id"]), json!({})).await;
    assert_eq!(watched(&studio, &begun["id"]).await.0, "cancelled");
    let wrong = studio.failed(json!({ "text": "title = 1", "users": 1, "sessions": 1 })).await;
    assert!(wrong.contains("wrong type"), "{wrong}");
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_are_measured_for_every_population_and_access_size() {
    let studio = Studio::open();
    let wanted = |users: u32, sessions: u32| json!({ "make": "figures", "text": THESIS, "users": users, "sessions": sessions });
    let begun = studio.done("runs", wanted(2, 1)).await;
    let (event, data) = watched(&studio, &begun["id"]).await;
    assert_eq!(event, "done", "{data}");
    let populations = data["populations"].as_array().unwrap();
    assert_eq!(populations.len(), 6);
    assert_eq!(populations[0]["population"], "all extremely heavy");
    assert!(populations.iter().all(|one| one["points"].as_array().unwrap().len() == 2));
    assert!(populations[0]["points"][1]["response_us_per_byte"].as_f64().unwrap() > 0.0);
    assert_eq!(data["access_sizes"].as_array().unwrap().len(), 5);
    let begun = studio.done("runs", wanted(1, 100_000)).await;
    studio.done(&format!("runs/{}/cancel", begun["id"]), json!({})).await;
    assert_eq!(watched(&studio, &begun["id"]).await.0, "cancelled");
}

/// So many sessions that laying them out takes minutes.
fn endless() -> Value {
    json!({ "text": THESIS, "users": 30, "sessions": 300_000 })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_being_prepared_keeps_nobody_waiting_and_ends_at_once_when_cancelled() {
    let studio = Studio::open();
    let began = Instant::now();
    let mut ids = Vec::new();
    for make in ["usage", "figures"] {
        let mut run = endless();
        run["make"] = json!(make);
        ids.push(studio.done("runs", run).await["id"].clone());
    }
    assert!(studio.refused("runs", endless()).await.contains("2 runs are going on"));
    studio.done("specification/check", json!({ "path": "a", "text": THESIS })).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    for id in &ids {
        studio.done(&format!("runs/{id}/cancel"), json!({})).await;
        assert_eq!(watched(&studio, id).await.0, "cancelled");
    }
    // Minutes, unless it ends early: no measure of speed.
    assert!(began.elapsed() < Duration::from_secs(20), "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_when_nobody_watches_it_and_goes_on_when_its_page_comes_back() {
    let studio = Studio::of(Reach::Everything, Duration::from_millis(400));
    let events = |id: &Value| format!("/{}/api/runs/{id}/events", studio.token);
    // Nobody ever comes.
    let left = studio.done("runs", endless()).await["id"].clone();
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(watched(&studio, &left).await.0, "cancelled");
    // One stays away for a moment, again and again, for longer than the grace in all.
    let kept = studio.done("runs", endless()).await["id"].clone();
    for _ in 0..6 {
        let mut page = studio.get(&events(&kept), HOST, "").await.into_body();
        let first = page.frame().await.unwrap().unwrap().into_data().unwrap();
        assert!(first.starts_with(b"event: progress"), "{first:?}");
        drop(page);
        tokio::time::sleep(Duration::from_millis(150)).await;
    }
    let page = studio.get(&events(&kept), HOST, "").await;
    tokio::time::sleep(Duration::from_millis(600)).await;
    drop(page);
    tokio::time::sleep(Duration::from_millis(700)).await;
    assert_eq!(watched(&studio, &kept).await.0, "cancelled");
}

#[tokio::test]
async fn what_the_machine_has_no_memory_for_is_refused_with_the_figure() {
    let studio = Studio::open();
    let refused = studio
        .failed(json!({ "text": THESIS, "users": 4_000_000_000_u32, "sessions": 4_000_000_000_u32 }))
        .await;
    assert!(
        refused.contains("the figures of 16000000000000000000 sessions are too many: at least "),
        "{refused}"
    );
}

#[tokio::test]
async fn the_secret_of_the_entrance_leads_to_the_token_once() {
    let token = Token::random().unwrap();
    let guard = Guard { token: token.clone(), address: HOST.parse().unwrap(), entrance: Entrance::default() };
    let entrance = guard.entrance.clone();
    let desk = Arc::new(Desk::new(Begins::default(), Reach::Everything, Duration::ZERO));
    let studio = Studio { router: router(guard, desk), token: token.as_str().to_owned() };
    let page = std::fs::read_to_string(entrance.make("http://x").unwrap()).unwrap();
    assert!(!page.contains(&studio.token));
    let way = page.split("http://x").nth(1).unwrap().split('"').next().unwrap();
    assert_eq!(studio.get(way, "evil.example:4711", "").await.status(), StatusCode::FORBIDDEN);
    assert_eq!(studio.get(&format!("{way}0"), HOST, "").await.status(), StatusCode::FORBIDDEN);
    let answer = studio.get(way, HOST, "").await;
    assert_eq!(answer.status(), StatusCode::SEE_OTHER);
    assert_eq!(answer.headers()[header::LOCATION].to_str().unwrap(), format!("/{}/", studio.token));
    assert_eq!(answer.headers()[header::REFERRER_POLICY], "no-referrer");
    assert_eq!(studio.get(way, HOST, "").await.status(), StatusCode::FORBIDDEN);
}

#[tokio::test]
async fn a_studio_that_others_reach_serves_only_what_lies_below_its_folder() {
    let all = tempfile::tempdir().unwrap();
    let (here, outside) = (all.path().join("here"), all.path().join("outside.toml"));
    std::fs::create_dir(&here).unwrap();
    std::fs::write(here.join("users.toml"), THESIS).unwrap();
    std::fs::write(&outside, THESIS).unwrap();
    std::os::unix::fs::symlink(&outside, here.join("link.toml")).unwrap();
    let names_outside = "[workload.users]\nkind = \"users\"\nspecification = \"../outside.toml\"\n";
    std::fs::write(here.join("scenario.toml"), names_outside).unwrap();
    let studio = Studio::within(Reach::within(&here, None).unwrap());
    studio.done("specification/open", json!({ "path": "users.toml" })).await;
    studio.done("specification/save", json!({ "path": "new.toml", "text": THESIS })).await;
    assert_eq!(std::fs::read_to_string(here.join("new.toml")).unwrap(), THESIS);
    let load = |path: &str| json!({ "quantity": "number", "path": path });
    let run = |path: &str| json!({ "text": THESIS, "users": 1, "sessions": 1, "scenario": path });
    let save = |path: &str| json!({ "path": path, "text": "", "before": THESIS });
    for path in ["../outside.toml", "link.toml", outside.to_str().unwrap()] {
        for (at, body) in [
            ("data", load(path)),
            ("specification/open", json!({ "path": path })),
            ("specification/save", save(path)),
        ] {
            let refused = studio.refused(at, body).await;
            assert!(refused.starts_with(&format!("{path} lies outside of ")), "{at}: {refused}");
        }
        let refused = studio.failed(run(path)).await;
        assert!(refused.starts_with(&format!("{path} lies outside of ")), "{refused}");
    }
    let refused = studio.failed(run("scenario.toml")).await;
    assert!(refused.contains("outside.toml lies outside of "), "{refused}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), THESIS);
}
