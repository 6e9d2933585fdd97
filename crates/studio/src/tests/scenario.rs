//! The rooms of the scenario: checked, edited, run, drawn.

use super::{HOST, Studio, watched};
use crate::reach::Reach;
use axum::http::{StatusCode, header};
use http_body_util::BodyExt;
use petrio_files::inputs::Inputs;
use petrio_kernel::Watch;
use petrio_kernel::draw;
use petrio_scenario::build::System;
use petrio_scenario::load_from;
use serde_json::{Value, json};

const SCENARIO: &str = "\
# Of one disk.
title = \"Random reads of one disk\"

[disk.d0]                 # the only one
model = \"ibm-ultrastar-18es\"
queue_depth = 1           # the queue decides

[workload.users]
kind = \"synthetic\"
on = \"d0\"
requests = 500

[[workload.users.generators]]
read_fraction = \"66 %\"
inter_arrival = { exponential = { mean = \"20 ms\" } }
size = { constant = \"4 KiB\" }
";

fn of(text: &str) -> Value {
    json!({ "path": "scenario.toml", "text": text })
}

fn edit(text: &str, change: &Value) -> Value {
    json!({ "path": "scenario.toml", "text": text, "changes": [change] })
}

#[tokio::test]
async fn a_complaint_has_its_line_and_its_key() {
    let studio = Studio::open();
    let right = studio.done("scenario/check", of(SCENARIO)).await;
    assert_eq!(right["complaints"], json!([]));
    assert!(right["line"].as_str().unwrap().contains("Ultrastar 18ES"), "{}", right["line"]);
    for (from, to, line, key) in [
        ("18es", "18e", 5, json!(["disk", "d0", "model"])),
        ("queue_depth", "queue_dept", 6, json!(["disk", "d0", "queue_dept"])),
        ("on = \"d0\"", "on = \"d1\"", 10, json!(["workload", "users", "on"])),
        ("on = \"d0\"", "on = [\"d0\", \"d1\"]", 10, json!(["workload", "users", "on", "1"])),
        ("20 ms", "20 m", 15, json!(["workload", "users", "generators", "0", "inter_arrival"])),
    ] {
        let checked = studio.done("scenario/check", of(&SCENARIO.replace(from, to))).await;
        let first = &checked["complaints"][0];
        assert_eq!((&first["line"], &first["error"]), (&json!(line), &json!(true)), "{to}: {first}");
        let found: Vec<_> = first["key"].as_array().unwrap().iter().take(5).cloned().collect();
        assert_eq!(json!(found), key, "{to}: {first}");
        assert_eq!(checked["line"], Value::Null);
        assert!(checked["written"].is_object());
    }
    let broken = studio.done("scenario/check", of(&SCENARIO.replace("\"d0\"", "\"d0"))).await;
    assert_eq!((&broken["written"], &broken["complaints"][0]["line"]), (&Value::Null, &json!(10)));
}

#[tokio::test]
async fn a_change_leaves_all_else_and_a_part_is_renamed_with_what_refers_to_it() {
    let studio = Studio::open();
    let set = json!({ "kind": "set", "path": ["disk", "d0", "queue_depth"], "value": "4" });
    let edited = studio.done("scenario/edit", edit(SCENARIO, &set)).await;
    assert_eq!(edited["text"], json!(SCENARIO.replace("queue_depth = 1", "queue_depth = 4")));
    let rename = json!({ "kind": "rename", "path": ["disk", "d0"], "to": "store" });
    let two = SCENARIO.replace("on = \"d0\"", "on = [\"d0\"]");
    let renamed = studio.done("scenario/edit", edit(&two, &rename)).await;
    assert_eq!(
        renamed["text"],
        json!(two.replace("[disk.d0]", "[disk.store]").replace("\"d0\"", "\"store\""))
    );
    assert_eq!(renamed["complaints"], json!([]));
    let taken = studio.refused(
        "scenario/edit",
        edit(SCENARIO, &json!({ "kind": "add", "path": ["disk", "d0"], "text": "" })),
    );
    assert!(taken.await.contains("disk \"d0\" already"));
    let broken = studio.refused("scenario/edit", edit("title = ", &set)).await;
    assert!(broken.contains("no TOML"), "{broken}");
}

#[tokio::test]
async fn the_forms_are_told_every_key_of_the_schema_and_what_the_catalogue_has() {
    let studio = Studio::open();
    let answer = studio.get(&format!("/{}/api/scenario/keys", studio.token), HOST, "").await;
    let bytes = answer.into_body().collect().await.unwrap().to_bytes();
    let keys: Value = serde_json::from_slice(&bytes).unwrap();
    let schema = petrio_scenario::reference::Of::Scenario.schema().to_value();
    let told: Vec<&str> = keys["scenario"]["keys"]
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["name"].as_str().unwrap())
        .collect();
    let there: Vec<&str> = schema["properties"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(told, there);
    // A shelf is offered where a key's words name it.
    let text = serde_json::to_string(&keys["scenario"]).unwrap();
    for what in ["drive", "machine", "kernel"] {
        assert!(text.contains(&format!("{what} of the catalogue")), "{what}");
        assert!(keys["catalogue"][what].as_array().unwrap().len() > 2, "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_leaves_a_page_in_a_frame_that_reaches_nothing() {
    let studio = Studio::open();
    let begun = studio.done("scenario/run", of(SCENARIO)).await;
    let (event, ran) = watched(&studio, &begun["id"]).await;
    assert_eq!(event, "done", "{ran}");
    assert_eq!((&ran["moving"]["completed"], &ran["stopped"]), (&json!(500), &json!(false)));
    let page = studio.get(&format!("/{}/api/pages/{}", studio.token, ran["page"]), HOST, "").await;
    assert_eq!(page.headers()[header::CONTENT_TYPE], "text/html; charset=utf-8");
    let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap().to_owned();
    assert!(policy.starts_with("default-src 'none'; ") && policy.contains("sandbox "), "{policy}");
    assert!(!policy.contains("allow-same-origin") && !policy.contains("connect-src"), "{policy}");
    let html = page.into_body().collect().await.unwrap().to_bytes();
    assert!(String::from_utf8_lossy(&html).contains("Random reads of one disk"));
    let gone = studio.get(&format!("/{}/api/pages/99", studio.token), HOST, "").await;
    assert_eq!(gone.status(), StatusCode::NOT_FOUND);
    let begun = studio.done("scenario/run", of(&SCENARIO.replace("18es", "18e"))).await;
    let (event, why) = watched(&studio, &begun["id"]).await;
    assert!(event == "failed" && why["error"].as_str().unwrap().contains("scenario.toml:5:9"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_is_stopped_tells_what_had_been_done() {
    let studio = Studio::open();
    let endless = SCENARIO.replace("requests = 500", "requests = 900000000");
    let begun = studio.done("scenario/run", of(&endless)).await;
    let path = format!("/{}/api/runs/{}/events", studio.token, begun["id"]);
    let mut events = studio.get(&path, HOST, "").await.into_body();
    let mut told = String::new();
    // Until something was completed.
    while !told.contains("\"per_s\":[") || told.contains("\"per_s\":[]") {
        let frame = events.frame().await.unwrap().unwrap().into_data().unwrap();
        told = String::from_utf8_lossy(&frame).into_owned();
        assert!(told.starts_with("event: progress") || told.starts_with(':'), "{told}");
    }
    studio.done(&format!("runs/{}/cancel", begun["id"]), json!({})).await;
    let (event, ran) = watched(&studio, &begun["id"]).await;
    assert_eq!((event.as_str(), &ran["stopped"]), ("done", &json!(true)), "{ran}");
    assert!(ran["moving"]["completed"].as_u64().unwrap() > 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_net_is_the_commands_drawing_and_shares_of_time_add_up() {
    let studio = Studio::open();
    let begun = studio.done("scenario/run", of(SCENARIO)).await;
    let (_, ran) = watched(&studio, &begun["id"]).await;
    let mut wanted = of(SCENARIO);
    wanted["stages"] = ran["stages"].clone();
    let all = studio.done("scenario/net", wanted.clone()).await;
    let loaded = load_from("s", SCENARIO, &Inputs::none(), &[], &Watch::default()).unwrap();
    let net = System::build(&loaded).unwrap().driven.net.clone();
    assert_eq!(all["svg"], json!(draw::overview_to_svg(&net)));
    let shares: f64 =
        all["spent"].as_array().unwrap().iter().map(|spent| spent["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9, "{shares}");
    let mechanics = all["spent"].as_array().unwrap().iter().find(|spent| spent["stage"] == "d0/mechanics");
    let pages = &mechanics.unwrap()["pages"];
    assert!(pages.as_array().unwrap().contains(&json!("d0/seek")), "{pages}");
    wanted["page"] = json!("d0");
    let page = studio.done("scenario/net", wanted.clone()).await;
    assert_eq!(page["svg"], json!(draw::page_to_svg(&net, net.find_page("d0").unwrap())));
    let [width, height] = ["width", "height"].map(|side| page[side].as_f64().unwrap());
    for node in page["nodes"].as_array().unwrap() {
        let [x, y, w, h] = ["x", "y", "width", "height"].map(|side| node[side].as_f64().unwrap());
        assert!(x >= 0.0 && y >= 0.0 && x + w <= width && y + h <= height, "{node}");
    }
    wanted["page"] = json!("d9");
    assert!(studio.refused("scenario/net", wanted).await.contains("no page \"d9\""));
}

#[tokio::test(flavor = "multi_thread")]
async fn where_others_reach_the_studio_a_scenario_reads_nothing_from_elsewhere() {
    let all = tempfile::tempdir().unwrap();
    let here = all.path().join("here");
    std::fs::create_dir(&here).unwrap();
    std::fs::write(all.path().join("outside.toml"), "model = \"ibm-ultrastar-18es\"\n").unwrap();
    std::fs::write(here.join("inside.toml"), "model = \"ibm-ultrastar-18es\"\n").unwrap();
    let studio = Studio::within(Reach::within(&here, None).unwrap());
    let using = |file: &str| SCENARIO.replace("model = \"ibm-ultrastar-18es\"", &format!("use = \"{file}\""));
    let checked = studio.done("scenario/check", of(&using("inside.toml"))).await;
    assert_eq!(checked["complaints"], json!([]));
    let outside = all.path().join("outside.toml");
    for file in ["../outside.toml", outside.to_str().unwrap()] {
        let checked = studio.done("scenario/check", of(&using(file))).await;
        let told = checked["complaints"][0]["message"].as_str().unwrap();
        assert!(told.contains("lies outside of"), "{told}");
        let begun = studio.done("scenario/run", of(&using(file))).await;
        assert_eq!(watched(&studio, &begun["id"]).await.0, "failed");
        assert!(studio.refused("scenario/net", of(&using(file))).await.contains("lies outside of"));
    }
    // What is missing is told by the name that was given, and not by where it was looked for.
    let missing = studio.done("scenario/check", of(&using("missing.toml"))).await.to_string();
    assert!(missing.contains("missing.toml") && !missing.contains("mirror"), "{missing}");
}
