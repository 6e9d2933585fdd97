//! Changes within a list of tables, `[[…]]` or in one line: each is a change of one of its tables, by its number.

use super::{Change, not_toml};
use crate::refusal::Refusal;
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value};

/// The name under which a table of a list is changed by itself.
const ALONE: &str = "item";

/// How many keys of a path lead to a list of tables; nothing where they lead into none.
fn list_at(document: &DocumentMut, path: &[String]) -> Option<usize> {
    let mut item = document.as_item();
    for (depth, key) in path.iter().enumerate() {
        if is_list(item) {
            return key.parse::<usize>().is_ok().then_some(depth);
        }
        item = item.as_table_like()?.get(key)?;
    }
    None
}

fn is_list(item: &Item) -> bool {
    item.is_array_of_tables()
        || item.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(Value::is_inline_table))
}

/// Makes a change that is one within a list of tables; says whether it was.
pub(super) fn changed(document: &mut DocumentMut, change: &Change) -> Result<bool, Refusal> {
    let path = match change {
        Change::Set { path, .. } | Change::Add { path, .. } | Change::Append { path, .. } => path,
        Change::Remove { path } | Change::Rename { path, .. } => path,
    };
    let Some(depth) = list_at(document, path) else { return Ok(false) };
    let (to_list, rest) = path.split_at(depth);
    let number: usize = rest[0].parse().unwrap_or(usize::MAX);
    let Some(list) = super::found(document, to_list) else { return Ok(false) };
    let trailing = if rest.len() == 1 {
        whole(list, number, change)?;
        String::new()
    } else {
        inside(list, number, &rest[1..], change)?
    };
    if matches!(change, Change::Remove { .. }) && super::found(document, to_list).is_some_and(is_empty) {
        super::remove(document, to_list)?;
    }
    // A comment about something else, which stood above what is gone, stays.
    if !trailing.trim().is_empty() {
        let end = document.trailing().as_str().unwrap_or_default();
        let all = format!("{trailing}{end}");
        document.set_trailing(all);
    }
    Ok(true)
}

/// Puts another table behind those of a list, which may be the first.
pub(super) fn append(document: &mut DocumentMut, path: &[String], text: &str) -> Result<(), Refusal> {
    let (last, above) = super::ends(path)?;
    let keys = keys(text)?;
    let item = super::entered(document, above)?;
    let in_one_line = item.is_inline_table();
    match item.get_mut(last).filter(|there| !there.is_none()) {
        Some(Item::ArrayOfTables(tables)) => tables.push(keys),
        Some(Item::Value(Value::Array(items))) => {
            let table: InlineTable = keys.into_inline_table();
            items.push(table);
        }
        Some(_) => return Err(Refusal::new(format!("{} is no list", path.join(".")))),
        // In a table that is written in one line, a list is, too.
        None if in_one_line => {
            let items = Array::from_iter([Value::from(keys.into_inline_table())]);
            super::with_its_end(item, |table| table.insert(last, Item::Value(items.into())));
        }
        None => {
            let tables = Item::ArrayOfTables(ArrayOfTables::from_iter([keys]));
            super::with_its_end(item, |table| table.insert(last, tables));
        }
    }
    Ok(())
}

fn is_empty(item: &mut Item) -> bool {
    item.as_array_of_tables().is_some_and(ArrayOfTables::is_empty)
        || item.as_array().is_some_and(Array::is_empty)
}

fn keys(text: &str) -> Result<Table, Refusal> {
    let mut keys = text.parse::<DocumentMut>().map_err(not_toml(text))?.as_table().clone();
    keys.set_position(None);
    Ok(keys)
}

fn no_such(number: usize) -> Refusal {
    Refusal::new(format!("there is no table number {} in this list", number.saturating_add(1)))
}

/// A table of the list as a whole.
fn whole(list: &mut Item, number: usize, change: &Change) -> Result<(), Refusal> {
    match (change, list) {
        (Change::Remove { .. } | Change::Set { value: None, .. }, Item::ArrayOfTables(tables))
            if number < tables.len() =>
        {
            drop(tables.remove(number));
        }
        (Change::Remove { .. } | Change::Set { value: None, .. }, Item::Value(Value::Array(items)))
            if number < items.len() =>
        {
            drop(items.remove(number));
        }
        (Change::Rename { .. }, _) => return Err(Refusal::new("a table of a list has no name")),
        _ => return Err(no_such(number)),
    }
    Ok(())
}

/// What is in a table of the list: it is changed by itself, and put back where it was. What was to stand after it.
fn inside(list: &mut Item, number: usize, rest: &[String], change: &Change) -> Result<String, Refusal> {
    let path: Vec<String> = std::iter::once(ALONE.to_owned()).chain(rest.iter().cloned()).collect();
    let change = match change.clone() {
        Change::Set { value, .. } => Change::Set { path, value },
        Change::Add { text, .. } => Change::Add { path, text },
        Change::Append { text, .. } => Change::Append { path, text },
        Change::Remove { .. } => Change::Remove { path },
        Change::Rename { to, .. } => Change::Rename { path, to },
    };
    let mut alone = DocumentMut::new();
    match list {
        Item::ArrayOfTables(tables) => {
            let table = tables.get_mut(number).ok_or_else(|| no_such(number))?;
            alone.insert(ALONE, Item::Table(table.clone()));
            change.apply(&mut alone)?;
            if let Some(Item::Table(changed)) = alone.remove(ALONE) {
                *table = changed;
            }
        }
        Item::Value(Value::Array(items)) => {
            let value = items.get_mut(number).ok_or_else(|| no_such(number))?;
            alone.insert(ALONE, Item::Value(value.clone()));
            change.apply(&mut alone)?;
            if let Some(Item::Value(changed)) = alone.remove(ALONE) {
                *value = changed;
            }
        }
        _ => return Err(no_such(number)),
    }
    Ok(alone.trailing().as_str().unwrap_or_default().to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const TEXT: &str = "\
[workload.w]
on = \"d\" # one

# The first.
[[workload.w.generators]]
size = \"4 KiB\" # small
reads = \"66 %\"

[[workload.w.generators]]
size = \"8 KiB\"

[other]
steps = [{ at = 1 }, { at = 2, to = 3 }] # in a line
";

    fn path(dotted: &str) -> Vec<String> {
        dotted.split('.').map(str::to_owned).collect()
    }

    fn tried(change: &Change) -> Result<String, String> {
        let mut document: DocumentMut = TEXT.parse().unwrap();
        change.apply(&mut document).map_err(|refusal| refusal.error)?;
        Ok(document.to_string())
    }

    fn set(at: &str, value: Option<&str>) -> String {
        tried(&Change::Set { path: path(at), value: value.map(str::to_owned) }).unwrap()
    }

    #[test]
    fn a_key_in_a_table_of_a_list_is_changed_in_its_place() {
        assert_eq!(set("workload.w.generators.0.size", Some("\"1 KiB\"")), TEXT.replace("4 KiB", "1 KiB"));
        assert_eq!(
            set("workload.w.generators.1.reads", Some("\"1 %\"")),
            TEXT.replace("size = \"8 KiB\"\n", "size = \"8 KiB\"\nreads = \"1 %\"\n")
        );
        assert_eq!(set("workload.w.generators.0.reads", None), TEXT.replace("reads = \"66 %\"\n", ""));
        assert_eq!(set("other.steps.1.to", Some("4")), TEXT.replace("to = 3", "to = 4"));
        assert_eq!(set("other.steps.1.to", None), TEXT.replace(", to = 3", ""));
    }

    #[test]
    fn tables_are_added_behind_the_others_and_removed() {
        let add =
            |at: &str, text: &str| tried(&Change::Append { path: path(at), text: text.to_owned() }).unwrap();
        let three = add("workload.w.generators", "size = \"1 KiB\"");
        let wanted = "size = \"8 KiB\"\n\n[[workload.w.generators]]\nsize = \"1 KiB\"\n";
        assert!(three.contains(wanted), "{three}");
        let inline = add("other.steps", "at = 3");
        assert!(inline.contains("{ at = 2, to = 3 }, { at = 3 }] # in a line"), "{inline}");
        let first = add("other.phases", "");
        assert!(first.contains("[[other.phases]]"), "{first}");
        let within = add("other.steps.1.more", "x = 1");
        assert!(within.contains("{ at = 2, to = 3, more = [{ x = 1 }] }] # in a line"), "{within}");
        let removed = tried(&Change::Remove { path: path("workload.w.generators.1") }).unwrap();
        assert_eq!(removed, TEXT.replace("\n[[workload.w.generators]]\nsize = \"8 KiB\"\n", ""));
        let mut document: DocumentMut = TEXT.parse().unwrap();
        for _ in 0..2 {
            Change::Remove { path: path("other.steps.0") }.apply(&mut document).unwrap();
        }
        assert!(!document.to_string().contains("steps"), "{document}");
    }

    #[test]
    fn what_a_list_has_not_is_refused() {
        let remove = |at: &str| tried(&Change::Remove { path: path(at) }).unwrap_err();
        assert_eq!(remove("workload.w.generators.7"), "there is no table number 8 in this list");
        let rename = Change::Rename { path: path("workload.w.generators.0"), to: "x".to_owned() };
        assert!(tried(&rename).unwrap_err().contains("no name"));
    }
}
