//! `file` and `files` are taken alike, wherever a workload names what it plays.
//!
//! Some workloads play one file and some merge several. Whoever writes one name means the same by both words, so the
//! tree is brought to the workload's own word before it is read.

use crate::text::tree::{Value, entry};
use crate::text::{Problem, Sources};
use serde_json::{Map, json};
use std::borrow::Cow;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Which of the two a kind of workload reads.
fn own_word(kind: &str) -> Option<(&'static str, &'static str)> {
    match kind {
        "trace" => Some(("files", "file")),
        "events" | "file-trace" => Some(("file", "files")),
        _ => None,
    }
}

/// Brings each workload's word for its file, or files, to its own.
pub(crate) fn files_alike(root: &mut Spanned<DeTable<'_>>, sources: &Sources) -> Vec<Problem> {
    let workloads = root.get_mut().get_mut("workload").map(Spanned::get_mut);
    let Some(DeValue::Table(workloads)) = workloads else { return Vec::new() };
    let tables = workloads.iter_mut().filter_map(|(_, workload)| match workload.get_mut() {
        DeValue::Table(table) => Some(table),
        _ => None,
    });
    tables.filter_map(|table| alike(table, sources).err()).collect()
}

fn alike(table: &mut DeTable<'_>, sources: &Sources) -> Result<(), Problem> {
    let kind = entry(table, "kind").and_then(|(_, kind)| kind.get_ref().as_str());
    let Some((own, other)) = kind.and_then(own_word) else { return Ok(()) };
    if let (Some(_), Some((span, _))) = (entry(table, own), entry(table, other)) {
        let problem = sources.error(span, "\"file\" and \"files\" stand here both");
        return Err(problem.help("name all files in one of them"));
    }
    let written = if table.contains_key(other) { other } else { own };
    let Some((key, value)) = table.remove_entry(written) else { return Ok(()) };
    let key_span = key.span();
    let value = if own == "files" { as_list(value) } else { as_one(value, sources)? };
    table.insert(Spanned::new(key_span, Cow::Borrowed(own)), value);
    Ok(())
}

fn as_list(value: Value<'_>) -> Value<'_> {
    match value.get_ref() {
        DeValue::String(_) => Spanned::new(value.span(), DeValue::Array([value].into_iter().collect())),
        _ => value,
    }
}

fn as_one<'i>(value: Value<'i>, sources: &Sources) -> Result<Value<'i>, Problem> {
    let DeValue::Array(items) = value.get_ref() else { return Ok(value) };
    match items.iter().collect::<Vec<_>>().as_slice() {
        [one] => Ok((*one).clone()),
        items => {
            let message = format!("{} files stand here, and this kind of workload plays one", items.len());
            let help = "merge them with petrio trace merge, or write a workload for each";
            Err(sources.error(value.span(), message).help(help))
        }
    }
}

/// The other word beside a workload's own, in its JSON schema.
pub(crate) fn with_both_words(properties: &mut Map<String, serde_json::Value>) -> Option<&'static str> {
    let is = |key: &str, kind: &str| properties.get(key).is_some_and(|value| value["type"] == kind);
    let (has_one, has_many) = (is("file", "string"), is("files", "array"));
    let (own, other, schema) = match (has_one, has_many) {
        (true, false) => {
            ("file", "files", json!({ "type": "array", "items": { "type": "string" }, "maxItems": 1 }))
        }
        (false, true) => ("files", "file", json!({ "type": "string" })),
        _ => return None,
    };
    let mut schema = schema;
    schema["description"] = format!("The same as `{own}`.").into();
    properties.insert(other.to_owned(), schema);
    Some(other)
}
