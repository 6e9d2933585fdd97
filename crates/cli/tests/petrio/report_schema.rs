//! The JSON of every form of a report is as its schema says.

use crate::support::{Folder, petrio_at_root};
use serde_json::Value;

#[test]
fn each_form_of_a_report_is_valid_by_its_schema() {
    let schema: Value = serde_json::from_str(&petrio_at_root(&["schema", "report"]).out).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let mut forms = 0;
    for (example, settings) in [
        ("load-on-one-disk", &[][..]),
        ("mail-server", &[]),
        ("with-confidence", &["measure.stop.requests=500"]),
        ("copies-of-files", &[]),
        ("backup-beside-a-file-server", &[]),
        ("shelf-of-io-nodes", &["measure.stages=all"]),
        ("captured-requests", &[]),
        ("random-read", &["measure.replications=2"]),
    ] {
        let file = format!("examples/{example}.toml");
        let mut arguments = vec!["run", &file, "--json", "-"];
        arguments.extend(settings.iter().flat_map(|setting| ["--set", setting]));
        let answer = petrio_at_root(&arguments);
        assert_eq!(answer.code, Some(0), "{example}: {}", answer.talk);
        let report: Value = serde_json::from_str(&answer.out).unwrap();
        assert_eq!(report["version"], 3, "{example}");
        let wrong: Vec<String> = validator.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{example}: {wrong:#?}");
        forms += 1;
    }
    assert!(forms >= 8);
    let mut wrong: Value = serde_json::json!({ "version": 3, "title": 5 });
    assert!(!validator.is_valid(&wrong));
    wrong["title"] = "a".into();
    assert!(!validator.is_valid(&wrong), "most of it is missing");
}

#[test]
fn a_report_of_another_form_is_not_compared() {
    let folder = Folder::with(crate::support::RANDOM);
    folder.report(&[]);
    let text = folder.text("report.json");
    assert!(text.starts_with("{\n  \"version\": 3,"), "{}", &text[..40]);
    folder.write("later.json", text.replacen("\"version\": 3", "\"version\": 4", 1));
    folder.write("earlier.json", text.replacen("\"version\": 3,\n", "", 1));
    // Of form 2 assumptions were words alone.
    let mut second: Value = serde_json::from_str(&text).unwrap();
    second["version"] = 2.into();
    second["assumptions"] = serde_json::json!(["a drive: its seeks"]);
    folder.write("second.json", second.to_string());
    let answer = folder.petrio(&["compare", "report.json", "later.json"]);
    assert_eq!(answer.code, Some(2));
    assert!(answer.talk.contains("form 4"), "{}", answer.talk);
    for before in ["earlier.json", "second.json"] {
        let answer = folder.petrio(&["compare", "report.json", before]);
        assert!(answer.code == Some(0) && !answer.talk.contains("form"), "{before}: {}", answer.talk);
    }
}
