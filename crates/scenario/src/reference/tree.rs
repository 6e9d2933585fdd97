//! A JSON schema as a tree of keys.

use super::shape::{default_as_toml, is_random, one_line, scalar};
use serde::Serialize;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// A key of a file, or the whole file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Key {
    /// The key itself; of a whole file the word for it.
    pub name: String,
    /// What it does.
    pub about: String,
    /// What is written behind it, in words.
    pub takes: String,
    /// What it is where it is left out, as TOML.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
    /// Whether it can't be left out.
    pub required: bool,
    /// Whether names of one's own stand below it: `[fs.NAME]`.
    pub named: bool,
    /// Whether it is a list of tables: `[[…]]`.
    pub list: bool,
    /// The words that it may be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<Word>,
    /// The keys below it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keys: Vec<Key>,
    /// The sorts of table that it may be, each with keys of its own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// Other parts that it may own: `[host.NAME.disk.NAME]`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub owns: Vec<String>,
}

/// A word that a key may be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Word {
    /// As it is written, in TOML.
    pub word: String,
    /// What it means.
    pub about: String,
}

/// One sort of table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Variant {
    /// The key that says which it is, mostly `kind`.
    pub by: String,
    /// The word for it, behind that key.
    pub word: String,
    /// What it is.
    pub about: String,
    /// Its keys.
    pub keys: Vec<Key>,
}

type Object = Map<String, Value>;

/// Makes keys of a schema's objects.
pub(super) struct Reader<'s> {
    root: Option<&'s Object>,
    /// The keys of the parts, where parts may own others: what they own is told once, at the root.
    parts: Vec<&'s str>,
    /// The definitions that are being told, outermost first: one that holds itself is told once.
    within: RefCell<Vec<&'s str>>,
}

impl<'s> Reader<'s> {
    pub(super) fn of(schema: &'s Value) -> Self {
        let root = schema.as_object();
        let is_box = |parts: &&Object| parts.contains_key("box");
        let parts = root.and_then(|root| root.get("properties")).and_then(Value::as_object).filter(is_box);
        let of_names = |(key, value): (&'s String, &'s Value)| {
            value.get("additionalProperties").is_some_and(Value::is_object).then_some(key.as_str())
        };
        let parts = parts.map(|parts| parts.iter().filter_map(of_names).collect()).unwrap_or_default();
        Self { root, parts, within: RefCell::default() }
    }

    /// The whole file.
    pub(super) fn whole(&self, word: &str) -> Key {
        let mut key = Key { name: word.to_owned(), ..Key::default() };
        if let Some(root) = self.root {
            self.fill(&mut key, root, true);
        }
        key.takes = "a TOML file".to_owned();
        key
    }

    /// The definition behind a `$ref`, by its name.
    fn behind(&self, object: &Object) -> Option<(&'s str, &'s Object)> {
        let name = object.get("$ref")?.as_str()?.strip_prefix("#/$defs/")?;
        let (name, behind) = self.root?.get("$defs")?.as_object()?.get_key_value(name)?;
        Some((name, behind.as_object()?))
    }

    fn key(&self, name: &str, value: &Value) -> Key {
        let mut key = Key { name: name.to_owned(), ..Key::default() };
        let Some(object) = value.as_object() else { return key };
        self.fill(&mut key, object, false);
        // The keys of a table say theirs; what may be a word as well has one of its own.
        if key.keys.is_empty() || !key.words.is_empty() {
            key.default = object.get("default").and_then(default_as_toml).or(key.default);
        }
        key
    }

    /// What a key is, from its schema and those that it refers to.
    fn fill(&self, key: &mut Key, object: &Object, whole: bool) {
        if key.about.is_empty() {
            key.about = about(object);
        }
        if is_random(object) {
            key.takes = "a distribution, or a quantity that never changes".to_owned();
            return;
        }
        if let Some((name, behind)) = self.behind(object) {
            if self.within.borrow().contains(&name) {
                key.takes = "what this stands in".to_owned();
                return;
            }
            self.within.borrow_mut().push(name);
            self.fill(key, behind, whole);
            self.within.borrow_mut().pop();
        }
        if let Some(properties) = object.get("properties").and_then(Value::as_object) {
            self.fill_table(key, object, properties, whole);
        } else if let Some(below) = object.get("additionalProperties").filter(|below| below.is_object()) {
            let inner = self.key("NAME", below);
            key.named = true;
            key.takes = match inner.keys.is_empty() && inner.variants.is_empty() && inner.owns.is_empty() {
                true => format!("a table of names, each with {}", inner.takes),
                false => "a table for each name".to_owned(),
            };
            if !inner.about.is_empty() && !whole && !key.about.contains(&inner.about) {
                key.about = format!("{} {}", key.about, inner.about).trim().to_owned();
            }
            (key.keys, key.variants, key.words, key.owns) =
                (inner.keys, inner.variants, inner.words, inner.owns);
        }
        if let Some(items) = object.get("items").or_else(|| object.get("prefixItems")?.get(0)) {
            let inner = self.key("", items);
            let table = !inner.keys.is_empty() || !inner.variants.is_empty();
            key.list = table;
            let each = if table { "tables".to_owned() } else { inner.takes };
            key.takes = format!("a list of {each}");
            (key.keys, key.variants, key.words) = (inner.keys, inner.variants, inner.words);
        }
        for choices in ["oneOf", "anyOf"].iter().filter_map(|either| object.get(*either)?.as_array()) {
            self.fill_choices(key, choices);
        }
        if let Some(word) = object.get("const") {
            add_word(key, word, "");
        }
        if key.takes.is_empty() {
            key.takes = scalar(object);
        }
        for word in object.get("enum").and_then(Value::as_array).into_iter().flatten() {
            add_word(key, word, "");
        }
    }

    fn fill_table(&self, key: &mut Key, object: &Object, properties: &Object, whole: bool) {
        let needed = required(object);
        for (name, value) in properties {
            let holds_parts = value.get("additionalProperties").is_some_and(Value::is_object);
            if !whole && holds_parts && self.parts.contains(&name.as_str()) {
                key.owns.push(name.clone());
                continue;
            }
            let mut inner = self.key(name, value);
            inner.required = needed.contains(&name.as_str());
            match key.keys.iter_mut().find(|known| known.name == *name) {
                Some(known) => *known = inner,
                None => key.keys.push(inner),
            }
        }
        key.takes = "a table".to_owned();
    }

    /// One of several: words, sorts of table, or forms of a quantity.
    fn fill_choices(&self, key: &mut Key, choices: &[Value]) {
        let mut forms: Vec<String> = Vec::new();
        for choice in choices.iter().filter_map(Value::as_object) {
            if let Some(word) = choice.get("const") {
                add_word(key, word, &about(choice));
                continue;
            }
            let is_nothing = choice.get("type").and_then(Value::as_str) == Some("null");
            if is_nothing || choice.len() == 1 && choice.contains_key("required") {
                continue;
            }
            let mut inner = Key { about: about(choice), ..Key::default() };
            self.fill(&mut inner, choice, false);
            match told_by(&inner) {
                Some((by, word)) => {
                    inner.keys.retain(|known| known.name != by || by == word);
                    let Key { about, keys, .. } = inner;
                    key.variants.push(Variant { by, word, about, keys });
                }
                None => {
                    if !inner.takes.is_empty() && inner.takes != "a table" && inner.words.is_empty() {
                        forms.push(inner.takes);
                    }
                    key.words.extend(inner.words);
                    key.variants.extend(inner.variants);
                    key.keys.extend(inner.keys);
                    key.list |= inner.list;
                }
            }
        }
        forms.dedup();
        let words = match (key.words.is_empty(), key.variants.is_empty()) {
            (true, true) => (!key.keys.is_empty() && key.takes.is_empty()).then_some("a table"),
            (false, true) if key.keys.is_empty() => Some("a word"),
            (false, true) => Some("a word, or a table"),
            (false, false) => Some("a word, or a table"),
            (true, false) => Some("a table"),
        };
        // A scheduler is a name, or a table of that kind: one row says both.
        key.words.retain(|known| key.variants.iter().all(|one| known.word != format!("\"{}\"", one.word)));
        let all: Vec<&str> = words.into_iter().chain(forms.iter().map(String::as_str)).collect();
        if !all.is_empty() {
            key.takes = all.join(", or ");
        }
    }
}

/// The key that tells a sort of table from others, and its word: one with a single word, or the only one.
fn told_by(key: &Key) -> Option<(String, String)> {
    let single = key.keys.iter().find(|inner| inner.words.len() == 1 && inner.takes == "a word");
    if let Some(inner) = single {
        return Some((inner.name.clone(), inner.words[0].word.trim_matches('"').to_owned()));
    }
    match key.keys.as_slice() {
        [only] if only.required => Some((only.name.clone(), only.name.clone())),
        _ => None,
    }
}

/// The keys that can't be left out. A part that a file describes needs none of them, which the schema says beside.
fn required(object: &Object) -> Vec<&str> {
    let listed = object.get("required").or_else(|| {
        let all = object.get("anyOf")?.as_array()?;
        all.iter().find_map(|choice| choice.get("required"))
    });
    listed.and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
}

fn about(object: &Object) -> String {
    one_line(object.get("description").and_then(Value::as_str).unwrap_or_default())
}

fn add_word(key: &mut Key, word: &Value, about: &str) {
    let word = match word {
        Value::String(text) => format!("\"{text}\""),
        other => other.to_string(),
    };
    if key.words.iter().all(|known| known.word != word) {
        key.words.push(Word { word, about: about.to_owned() });
    }
    if key.takes.is_empty() {
        key.takes = "a word".to_owned();
    }
}
