//! Changes to a specification's text, in which every comment stays that isn't about something taken away.

mod items;

use crate::refusal::Refusal;
use serde::Deserialize;
use toml_edit::{Decor, DocumentMut, Item, Key, Table, TableLike, Value};

/// One change.
#[derive(Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Change {
    /// Sets a key to a TOML value; without one, takes it away.
    Set { path: Vec<String>, value: Option<String> },
    /// Adds a table that isn't there yet, behind its like; `text` holds its keys.
    Add { path: Vec<String>, text: String },
    /// Puts another table behind those of a list; `text` holds its keys.
    Append { path: Vec<String>, text: String },
    /// Takes a key or a table away, with all that is in it.
    Remove { path: Vec<String> },
    /// Gives a table another name, and whatever refers to it too.
    Rename { path: Vec<String>, to: String },
}

impl Change {
    /// Makes it.
    pub(crate) fn apply(&self, document: &mut DocumentMut) -> Result<(), Refusal> {
        if items::changed(document, self)? {
            return Ok(());
        }
        match self {
            Self::Set { path, value: Some(value) } => set(document, path, value),
            Self::Set { path, value: None } | Self::Remove { path } => remove(document, path),
            Self::Add { path, text } => add(document, path, text),
            Self::Append { path, text } => items::append(document, path, text),
            Self::Rename { path, to } => rename(document, path, to),
        }
    }
}

fn ends(path: &[String]) -> Result<(&str, &[String]), Refusal> {
    path.split_last()
        .map(|(last, above)| (last.as_str(), above))
        .ok_or_else(|| Refusal::new("a change needs a path"))
}

fn no_table(path: &[String]) -> Refusal {
    Refusal::new(format!("{} is no table", path.join(".")))
}

fn not_toml(text: &str) -> impl FnOnce(toml_edit::TomlError) -> Refusal {
    move |error| Refusal::new(format!("{text}: {}", error.message()))
}

/// The table at a path; those that aren't there are made.
fn entered<'a>(document: &'a mut DocumentMut, path: &[String]) -> Result<&'a mut Item, Refusal> {
    let mut item = document.as_item_mut();
    for (depth, key) in path.iter().enumerate() {
        let table = item.as_table_like_mut().ok_or_else(|| no_table(&path[..depth]))?;
        // A table that is only passed through needs no head of its own.
        item = table.entry(key).or_insert_with(|| {
            let mut passed = Table::new();
            passed.set_implicit(true);
            Item::Table(passed)
        });
    }
    if item.is_table_like() { Ok(item) } else { Err(no_table(path)) }
}

/// What stands around the last value of a table that is written in one line.
fn end(item: &mut Item) -> Option<&mut Decor> {
    item.as_inline_table_mut()?.iter_mut().last().map(|(_, value)| value.decor_mut())
}

/// Changes which keys a table has; what stands before the brace of one in one line stays there, whatever comes last
/// then.
fn with_its_end<T>(item: &mut Item, change: impl FnOnce(&mut dyn TableLike) -> T) -> Option<T> {
    let before = end(item).and_then(|decor| {
        let blank = decor.suffix().cloned();
        if blank.is_some() {
            decor.set_suffix("");
        }
        blank
    });
    let changed = item.as_table_like_mut().map(change);
    if let (Some(blank), Some(decor)) = (before, end(item)) {
        decor.set_suffix(blank);
    }
    changed
}

/// What is at a path, if it is there.
fn found<'a>(document: &'a mut DocumentMut, path: &[String]) -> Option<&'a mut Item> {
    let mut item = document.as_item_mut();
    for key in path {
        item = item.as_table_like_mut()?.get_mut(key)?;
    }
    Some(item)
}

fn set(document: &mut DocumentMut, path: &[String], text: &str) -> Result<(), Refusal> {
    let (last, above) = ends(path)?;
    let mut value = text.parse::<Value>().map_err(not_toml(text))?;
    let item = entered(document, above)?;
    // What stands around the old value, a comment behind it for one, stays.
    match item.get_mut(last).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            with_its_end(item, |table| table.insert(last, Item::Value(value)));
        }
    }
    Ok(())
}

fn add(document: &mut DocumentMut, path: &[String], text: &str) -> Result<(), Refusal> {
    let (last, above) = ends(path)?;
    named(last)?;
    let mut keys: Table = text.parse::<DocumentMut>().map_err(not_toml(text))?.as_table().clone();
    keys.set_position(None);
    let item = entered(document, above)?;
    with_its_end(item, |table| {
        if table.contains_key(last) {
            return Err(taken(above, last));
        }
        // As its like are written: in one line each, or with a head each.
        let in_lines = !table.is_empty() && table.iter().all(|(_, item)| item.is_value());
        let added = if in_lines { Item::Value(keys.into_inline_table().into()) } else { Item::Table(keys) };
        table.insert(last, added);
        Ok(())
    })
    .unwrap_or_else(|| Err(no_table(above)))
}

fn named(name: &str) -> Result<(), Refusal> {
    if name.trim().is_empty() { Err(Refusal::new("a name is needed")) } else { Ok(()) }
}

fn taken(above: &[String], name: &str) -> Refusal {
    Refusal::new(format!("there is {} \"{name}\" already", above.join(".")))
        .help(Some("take another name".to_owned()))
}

/// Above a table or a key, what is parted from it by a blank line is about something else.
fn about_something_else(decor: &Decor) -> Option<String> {
    let above = decor.prefix()?.as_str()?;
    let (others, _) = above.rsplit_once("\n\n")?;
    others.contains('#').then(|| others.to_owned())
}

fn remove(document: &mut DocumentMut, path: &[String]) -> Result<(), Refusal> {
    let (last, above) = ends(path)?;
    let Some(item) = found(document, above) else { return Ok(()) };
    let of_parent = item.as_table().and_then(Table::position);
    let Some(table) = item.as_table_like() else { return Ok(()) };
    let of_key = table.key(last).and_then(|key| about_something_else(key.leaf_decor()));
    let next = {
        let mut following = table.iter().skip_while(|(key, _)| *key != last).skip(1);
        following.find(|(_, item)| item.is_value()).map(|(key, _)| key.to_owned())
    };
    let Some(removed) = with_its_end(item, |table| table.remove(last)).flatten() else { return Ok(()) };
    // A comment about something else goes on to what follows.
    let (stays, position) = match &removed {
        Item::Table(table) => (about_something_else(table.decor()), table.position()),
        _ => (of_key, of_parent),
    };
    let Some(stays) = stays else { return Ok(()) };
    if let (false, Some(next)) = (removed.is_table(), next)
        && let Some(mut key) = item.as_table_like_mut().and_then(|table| table.key_mut(&next))
    {
        put_above(key.leaf_decor_mut(), &stays);
        return Ok(());
    }
    let mut heads = Vec::new();
    heads_below(document.as_table(), &[], &mut heads);
    let after = heads.into_iter().filter(|(at, _)| Some(*at) > position).min();
    match after.and_then(|(_, path)| found(document, &path)).and_then(Item::as_table_mut) {
        Some(after) => put_above(after.decor_mut(), &stays),
        None => {
            let end = document.trailing().as_str().unwrap_or_default();
            let all = format!("{}{stays}\n{end}", if stays.starts_with('\n') { "" } else { "\n" });
            document.set_trailing(all);
        }
    }
    Ok(())
}

fn put_above(decor: &mut Decor, comment: &str) {
    let there = decor.prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default().to_owned();
    let between = if there.starts_with('\n') { "\n" } else { "\n\n" };
    decor.set_prefix(format!("{comment}{between}{there}"));
}

/// Where every table with a head of its own stands in the text, and its path.
fn heads_below(table: &Table, path: &[String], into: &mut Vec<(isize, Vec<String>)>) {
    for (key, item) in table {
        let Item::Table(inner) = item else { continue };
        let path = [path, &[key.to_owned()]].concat();
        if let (false, Some(position)) = (inner.is_implicit() || inner.is_dotted(), inner.position()) {
            into.push((position, path.clone()));
        }
        heads_below(inner, &path, into);
    }
}

fn rename(document: &mut DocumentMut, path: &[String], to: &str) -> Result<(), Refusal> {
    let (from, above) = ends(path)?;
    named(to)?;
    if from == to {
        return Ok(());
    }
    renamed(document, above, from, to)?;
    match above {
        [kind] if kind == "category" => {
            for user in names(document, "user") {
                renamed_if_there(document, &["user", &user, "uses"], from, to)?;
            }
        }
        [kind] if kind == "user" => {
            for population in names(document, "population") {
                renamed_if_there(document, &["population", &population], from, to)?;
            }
            for user in names(document, "user") {
                let like = ["user".to_owned(), user, "like".to_owned()];
                if found(document, &like).is_some_and(|item| item.as_str() == Some(from)) {
                    set(document, &like, &Value::from(to).to_string())?;
                }
            }
        }
        _ => {}
    }
    Ok(())
}

/// The names in a table of tables.
fn names(document: &DocumentMut, of: &str) -> Vec<String> {
    let table = document.get(of).and_then(Item::as_table_like);
    table.map(|table| table.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
}

fn renamed_if_there(document: &mut DocumentMut, at: &[&str], from: &str, to: &str) -> Result<(), Refusal> {
    let at: Vec<String> = at.iter().map(|&key| key.to_owned()).collect();
    let table = found(document, &at).and_then(|item| item.as_table_like_mut());
    if table.is_some_and(|table| table.contains_key(from)) {
        renamed(document, &at, from, to)
    } else {
        Ok(())
    }
}

/// Gives a key of a table another name, in its place.
fn renamed(document: &mut DocumentMut, at: &[String], from: &str, to: &str) -> Result<(), Refusal> {
    let item = found(document, at).ok_or_else(|| no_table(at))?;
    let table = item.as_table_like().ok_or_else(|| no_table(at))?;
    if !table.contains_key(from) {
        return Err(Refusal::new(format!("there is no {} \"{from}\"", at.join("."))));
    }
    if table.contains_key(to) {
        return Err(taken(at, to));
    }
    let keys: Vec<String> = table.iter().map(|(key, _)| key.to_owned()).collect();
    let name = |old: Key| {
        if old.get() != from {
            return old;
        }
        Key::new(to).with_leaf_decor(old.leaf_decor().clone()).with_dotted_decor(old.dotted_decor().clone())
    };
    // A map keeps the order in which its keys came, so all of them come anew.
    for key in keys {
        match item {
            Item::Table(table) => {
                if let Some((key, item)) = table.remove_entry(&key) {
                    table.insert_formatted(&name(key), item);
                }
            }
            Item::Value(Value::InlineTable(table)) => {
                if let Some((key, value)) = table.remove_entry(&key) {
                    table.insert_formatted(&name(key), value);
                }
            }
            _ => return Err(no_table(at)),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "\
# of 1991

# what it stands for
title = \"T\" # short

[category.read]
share = 1 # all

# of the users' own
[category.write]
share = 2

# Types of users.

# as table 5.4 has it
[user.a]
think = \"5 ms\" # long

[user.a.uses.read]
share = 1

[user.a.uses.write]
share = 1

[user.b]
like = \"a\" # nearly

[population]
# the first
\"all of a\" = { a = 1 }
both = { b = 0.5, a = 0.5 } # half and half
";

    fn path(keys: &[&str]) -> Vec<String> {
        keys.iter().map(|&key| key.to_owned()).collect()
    }

    fn tried(change: &Change) -> Result<String, String> {
        let mut document: DocumentMut = TEXT.parse().unwrap();
        change.apply(&mut document).map_err(|refusal| refusal.error)?;
        Ok(document.to_string())
    }

    fn set_to(keys: &[&str], value: Option<&str>) -> String {
        tried(&Change::Set { path: path(keys), value: value.map(str::to_owned) }).unwrap()
    }

    fn named_anew(keys: &[&str], to: &str) -> Result<String, String> {
        tried(&Change::Rename { path: path(keys), to: to.to_owned() })
    }

    fn without(keys: &[&str]) -> String {
        tried(&Change::Remove { path: path(keys) }).unwrap()
    }

    fn with(keys: &[&str], text: &str) -> Result<String, String> {
        tried(&Change::Add { path: path(keys), text: text.to_owned() })
    }

    #[test]
    fn an_edit_changes_one_value_and_keeps_every_comment() {
        assert_eq!(set_to(&["user", "a", "think"], Some("\"6 ms\"")), TEXT.replace("5 ms", "6 ms"));
        assert_eq!(set_to(&["user", "a", "think"], None), TEXT.replace("think = \"5 ms\" # long\n", ""));
        assert_eq!(
            set_to(&["population", "both", "a"], Some("0.7")),
            TEXT.replace("b = 0.5, a = 0.5", "b = 0.5, a = 0.7")
        );
        assert_eq!(
            set_to(&["population", "all of a", "b"], Some("0.7")),
            TEXT.replace("{ a = 1 }", "{ a = 1, b = 0.7 }")
        );
        assert_eq!(set_to(&["population", "both", "a"], None), TEXT.replace(", a = 0.5 }", " }"));
        let added = set_to(&["user", "b", "uses", "read", "files"], Some("2"));
        assert_eq!(
            added,
            TEXT.replace("# nearly\n", "# nearly\n\n[user.b.uses.read]\nfiles = 2\n"),
            "{added}"
        );
    }

    #[test]
    fn a_category_is_renamed_with_all_its_uses_and_in_its_place() {
        let wanted = TEXT.replace("category.read]", "category.\"to read\"]");
        let wanted = wanted.replace("uses.read]", "uses.\"to read\"]");
        assert_eq!(named_anew(&["category", "read"], "to read").unwrap(), wanted);
    }

    #[test]
    fn a_type_is_renamed_where_others_are_like_it_and_in_populations() {
        let wanted = TEXT.replace("user.a", "user.c").replace("like = \"a\"", "like = \"c\"");
        let wanted = wanted.replace("{ a = 1 }", "{ c = 1 }").replace("5, a = ", "5, c = ");
        assert_eq!(named_anew(&["user", "a"], "c").unwrap(), wanted);
        let wanted = TEXT.replace("both = ", "\"half of each\" = ");
        assert_eq!(named_anew(&["population", "both"], "half of each").unwrap(), wanted);
    }

    #[test]
    fn a_name_that_is_taken_or_empty_or_not_there_is_refused() {
        assert!(named_anew(&["user", "a"], "b").unwrap_err().contains("user \"b\" already"));
        assert!(named_anew(&["user", "a"], " ").unwrap_err().contains("name is needed"));
        assert!(named_anew(&["user", "z"], "y").unwrap_err().contains("no user \"z\""));
        assert!(with(&["category", "read"], "share = 1").unwrap_err().contains("already"));
        assert!(with(&["category", "x"], "share = ").unwrap_err().contains("share = :"));
        assert_eq!(named_anew(&["user", "a"], "a").unwrap(), TEXT);
    }

    #[test]
    fn what_is_added_stands_behind_its_like_and_is_written_like_it() {
        let category = with(&["category", "new"], "owner = \"user\"\nshare = 3").unwrap();
        let wanted = "share = 2\n\n[category.new]\nowner = \"user\"\nshare = 3\n\n# Types";
        assert!(category.contains(wanted), "{category}");
        let population = with(&["population", "all of b"], "b = 1").unwrap();
        assert_eq!(population, format!("{TEXT}\"all of b\" = {{ b = 1 }}\n"));
        let used = with(&["user", "b", "uses", "read"], "share = 1").unwrap();
        assert!(used.contains("# nearly\n\n[user.b.uses.read]\nshare = 1\n\n[population]"), "{used}");
    }

    #[test]
    fn what_is_removed_takes_only_what_is_said_of_it_along() {
        let write = "# of the users' own\n[category.write]\nshare = 2\n\n";
        assert_eq!(without(&["category", "write"]), TEXT.replace(write, ""));
        let without_a = without(&["user", "a"]);
        let from = TEXT.find("\n# as table").unwrap();
        let to = TEXT.find("\n[user.b]").unwrap();
        assert_eq!(without_a, format!("{}{}", &TEXT[..from], &TEXT[to..]));
        let untitled = TEXT.replace("# what it stands for\ntitle = \"T\" # short\n\n", "");
        assert_eq!(without(&["title"]), untitled);
        assert_eq!(
            without(&["population", "both"]),
            TEXT.replace(TEXT.lines().last().unwrap(), "").trim_end().to_owned() + "\n"
        );
        assert_eq!(without(&["no", "such"]), TEXT);
        // The first use of a type, and a comment above it.
        let noted = TEXT.replace("[user.a.uses.read]", "# Uses.\n\n[user.a.uses.read]");
        let mut document: DocumentMut = noted.parse().unwrap();
        Change::Remove { path: path(&["user", "a", "uses", "read"]) }.apply(&mut document).unwrap();
        assert_eq!(document.to_string(), noted.replace("[user.a.uses.read]\nshare = 1\n\n", ""));
        // And the last of all tables.
        let mut document: DocumentMut = "a = 1\n\n# Last.\n\n[b]\nc = 1\n".parse().unwrap();
        Change::Remove { path: path(&["b"]) }.apply(&mut document).unwrap();
        assert_eq!(document.to_string(), "a = 1\n\n# Last.\n");
    }
}
