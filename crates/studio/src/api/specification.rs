//! A user specification: read, checked, edited key by key with its comments kept, and saved whole.
//!
//! The page holds the text; the studio holds none. Files are read and written only where the page names them, which is where its user did.

use super::{Answer, Complaint, Desk, Refusal, aside, complaints};
use axum::Json;
use axum::extract::State;
use petrio_scenario::load_users_text;
use petrio_scenario::report::write_text;
use petrio_workload::users::{Expected, UserSpecification};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::sync::Arc;
use toml_edit::{DocumentMut, Item, Table};

#[derive(Deserialize)]
pub(crate) struct OpenRequest {
    path: PathBuf,
}

/// A specification's text, and what can be said about it.
#[derive(Serialize)]
pub(crate) struct Viewed {
    path: PathBuf,
    text: String,
    /// What it says; nothing where it is wrong.
    specification: Option<UserSpecification>,
    complaints: Vec<Complaint>,
    /// What a session of each type does with each category.
    expected: Vec<Expected>,
    /// Where distributions and shares stand.
    places: Vec<PlaceOfDraw>,
}

/// A distribution or a share of the specification.
#[derive(Serialize)]
struct PlaceOfDraw {
    path: Vec<String>,
    quantity: &'static str,
    /// As it is written; empty where it isn't.
    text: String,
}

fn viewed(path: PathBuf, text: String) -> Viewed {
    let name = path.file_name().map_or_else(|| "specification".into(), |name| name.to_string_lossy());
    let (specification, complaints) = match load_users_text(&name, &text, &[]) {
        Ok(specification) => (Some(specification), vec![]),
        Err(problems) => (None, complaints(&problems)),
    };
    let expected = specification.as_ref().and_then(|one| one.expected().ok()).unwrap_or_default();
    let places = text.parse::<DocumentMut>().map(|document| places(&document)).unwrap_or_default();
    Viewed { path, text, specification, complaints, expected, places }
}

/// Everywhere where a distribution stands or can stand, and shares, whose text the page shows as it is written too.
fn places(document: &DocumentMut) -> Vec<PlaceOfDraw> {
    let mut found = Vec::new();
    let mut add = |item: &Item, path: &[&str], quantity| {
        let at = item.get(path[path.len() - 1]);
        let text = at.map(|at| at.to_string().trim().to_owned()).unwrap_or_default();
        found.push(PlaceOfDraw { path: path.iter().map(|&key| key.to_owned()).collect(), quantity, text });
    };
    let tables = |item: Option<&Item>| -> Vec<(String, Item)> {
        let table = item.and_then(Item::as_table_like);
        table
            .map(|table| table.iter().map(|(key, item)| (key.to_owned(), item.clone())).collect())
            .unwrap_or_default()
    };
    for (name, category) in tables(document.get("category")) {
        add(&category, &["category", &name, "share"], "share");
        add(&category, &["category", &name, "size"], "bytes");
    }
    for (name, user) in tables(document.get("user")) {
        for (key, quantity) in [("think", "duration"), ("access", "bytes"), ("pause", "duration")] {
            add(&user, &["user", &name, key], quantity);
        }
        for (category, used) in tables(user.get("uses")) {
            let keys = [("share", "share"), ("files", "number"), ("size", "bytes"), ("accesses", "number")];
            for (key, quantity) in keys {
                add(&used, &["user", &name, "uses", &category, key], quantity);
            }
        }
    }
    found
}

/// `POST /api/specification/open`
pub(crate) async fn open(State(desk): State<Arc<Desk>>, Json(request): Json<OpenRequest>) -> Answer<Viewed> {
    aside(move || {
        let text = std::fs::read_to_string(desk.file(&request.path)?)
            .map_err(|cause| Refusal::new(format!("{} can't be read: {cause}", request.path.display())))?;
        Ok(viewed(request.path, text))
    })
    .await
}

#[derive(Deserialize)]
pub(crate) struct CheckRequest {
    path: PathBuf,
    text: String,
}

/// `POST /api/specification/check`
pub(crate) async fn check(Json(request): Json<CheckRequest>) -> Answer<Viewed> {
    aside(move || Ok(viewed(request.path, request.text))).await
}

#[derive(Deserialize)]
pub(crate) struct Change {
    path: Vec<String>,
    /// A TOML value; `None` takes the key away.
    value: Option<String>,
}

#[derive(Deserialize)]
pub(crate) struct EditRequest {
    path: PathBuf,
    text: String,
    changes: Vec<Change>,
}

/// `POST /api/specification/edit`
pub(crate) async fn edit(Json(request): Json<EditRequest>) -> Answer<Viewed> {
    aside(move || {
        let mut document: DocumentMut =
            request.text.parse().map_err(|error: toml_edit::TomlError| Refusal::new(error.message()))?;
        for change in &request.changes {
            apply(&mut document, change)?;
        }
        Ok(viewed(request.path, document.to_string()))
    })
    .await
}

fn apply(document: &mut DocumentMut, change: &Change) -> Result<(), Refusal> {
    let Some((last, above)) = change.path.split_last() else {
        return Err(Refusal::new("a change needs a path"));
    };
    let value = change.value.as_deref().map(|text| {
        text.parse::<toml_edit::Value>().map_err(|error| Refusal::new(format!("{text}: {}", error.message())))
    });
    let value = value.transpose()?;
    let mut table: &mut dyn toml_edit::TableLike = document.as_table_mut();
    for key in above {
        // A table that is only passed through needs no head of its own.
        let item = table.entry(key).or_insert_with(|| {
            let mut passed = Table::new();
            passed.set_implicit(true);
            Item::Table(passed)
        });
        table = item
            .as_table_like_mut()
            .ok_or_else(|| Refusal::new(format!("{} is no table", change.path.join("."))))?;
    }
    match value {
        None => {
            table.remove(last);
        }
        // What stands around the old value, a comment behind it for one, stays.
        Some(mut value) => match table.get_mut(last).and_then(Item::as_value_mut) {
            Some(old) => {
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            None => {
                table.insert(last, Item::Value(value));
            }
        },
    }
    Ok(())
}

#[derive(Deserialize)]
pub(crate) struct SaveRequest {
    path: PathBuf,
    text: String,
    /// The text that was read; a file that has changed since isn't overwritten. Absent for a new file.
    before: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Saved {
    path: PathBuf,
}

/// `POST /api/specification/save`
pub(crate) async fn save(State(desk): State<Arc<Desk>>, Json(request): Json<SaveRequest>) -> Answer<Saved> {
    aside(move || {
        let SaveRequest { path, text, before } = request;
        let file = desk.file(&path)?;
        let there = match std::fs::read_to_string(&file) {
            Ok(there) => Some(there),
            Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => None,
            Err(cause) => return Err(Refusal::new(format!("{} can't be read: {cause}", path.display()))),
        };
        if there.is_some() && there != before {
            let help = "open it again, or save under another name";
            return Err(Refusal::new(format!("{} has changed since it was opened", path.display()))
                .help(Some(help.to_owned())));
        }
        write_text(&file, &text).map_err(Refusal::new)?;
        Ok(Saved { path })
    })
    .await
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str =
        "# of 1991\ntitle = \"T\"\n\n[user.a]\nthink = \"5 ms\" # long\n\n[user.a.uses.read]\nshare = 1\n";

    fn changed(path: &[&str], value: Option<&str>) -> String {
        let mut document: DocumentMut = TEXT.parse().unwrap();
        let path = path.iter().map(|&key| key.to_owned()).collect();
        apply(&mut document, &Change { path, value: value.map(str::to_owned) }).unwrap();
        document.to_string()
    }

    #[test]
    fn an_edit_changes_one_value_and_keeps_every_comment() {
        assert_eq!(changed(&["user", "a", "think"], Some("\"6 ms\"")), TEXT.replace("5 ms", "6 ms"));
        assert_eq!(changed(&["user", "a", "think"], None), TEXT.replace("think = \"5 ms\" # long\n", ""));
        let added = changed(&["user", "b", "uses", "read", "files"], Some("{ constant = 2 }"));
        assert!(
            added.starts_with(TEXT) && added.ends_with("[user.b.uses.read]\nfiles = { constant = 2 }\n"),
            "{added}"
        );
    }
}
