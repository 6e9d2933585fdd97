//! Tables of distributions that stand in files: what `cumulative-table = { file = "sizes.csv" }` names is read, and stands in
//! the tree as its lines from then on.

use super::file::text_of;
use super::tree::Value;
use super::{Problem, Sources};
use petrio_files::inputs::Inputs;
use std::borrow::Cow;
use std::path::Path;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The families whose points may stand in a file.
const FAMILIES: [&str; 2] = ["cumulative-table", "density-table"];

/// Reads the tables that a tree in a folder names, and what is wrong with them. Without a place to look for files nothing is
/// read.
pub(crate) fn read_tables(
    root: &mut DeTable<'_>,
    folder: &Path,
    (inputs, sources): (&Inputs, &Sources),
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let of = (folder, inputs, sources);
    root.iter_mut().for_each(|(key, value)| below(key.get_ref(), value, of, &mut problems));
    problems
}

/// The folder that files are relative to, what is read, and where it stands.
type Of<'a> = (&'a Path, &'a Inputs, &'a Sources);

fn below(key: &str, value: &mut Value<'_>, of: Of<'_>, problems: &mut Vec<Problem>) {
    match value.get_mut() {
        DeValue::Table(table) => {
            if FAMILIES.contains(&key) {
                problems.extend(lines_of(table, of));
            }
            table.iter_mut().for_each(|(key, value)| below(key.get_ref(), value, of, problems));
        }
        DeValue::Array(values) => values.iter_mut().for_each(|value| below("", value, of, problems)),
        _ => {}
    }
}

/// Puts the lines of a table's file into it.
fn lines_of(table: &mut DeTable<'_>, (folder, inputs, sources): Of<'_>) -> Option<Problem> {
    let file = table.get("file")?;
    let (name, span) = (file.get_ref().as_str()?.to_owned(), file.span());
    let name = folder.join(name);
    if !inputs.may_be_read(&name) {
        return None;
    }
    match text_of(inputs, &name) {
        Ok(text) => {
            let lines = Spanned::new(span.clone(), DeValue::String(Cow::Owned(text)));
            table.insert(Spanned::new(span, Cow::Borrowed("lines")), lines);
            None
        }
        Err(problem) => Some(sources.error(span, problem.message())),
    }
}
