//! A key in words, for the terminal.

use super::Of;
use super::find::Answer;
use super::tree::{Key, Variant, Word};

/// What an answer says, in lines of a width.
pub fn text(answer: &Answer, width: usize) -> String {
    let key = &answer.key;
    let mut text = match (answer.of, answer.path.as_str()) {
        (of, "") => format!("{}\n", of.title()),
        (Of::Scenario, path) => format!("{path}\n"),
        (of, path) => format!("{path}, of {}{}\n", of.title()[..1].to_lowercase(), &of.title()[1..]),
    };
    let mut say = |indent: usize, words: &str| paragraph(&mut text, indent, words, width);
    say(2, &key.about);
    say(0, "");
    row(&mut text, "takes", &key.takes, width);
    if let Some(default) = &key.default {
        row(&mut text, "default", default, width);
    } else if key.required {
        row(&mut text, "default", "none: it is needed", width);
    }
    if !answer.within.is_empty() {
        row(&mut text, "where", &format!("in tables with {}", answer.within.join(", ")), width);
    }
    if !key.owns.is_empty() {
        let own: Vec<&str> = key.owns.iter().map(String::as_str).collect();
        row(&mut text, "may own", &own.join(", "), width);
    }
    words(&mut text, &key.words, width);
    if !key.keys.is_empty() {
        text.push('\n');
        keys(&mut text, &key.keys, width);
    }
    if key.keys.is_empty() && key.variants.len() > 1 && key.variants.iter().all(|one| one.by != one.word) {
        return summary(text, answer, width);
    }
    for Variant { by, word, about, keys: inner } in &key.variants {
        let head = if by == word { format!("{{ {by} = … }}") } else { format!("{by} = \"{word}\"") };
        text.push_str(&format!("\n  {head}\n"));
        paragraph(&mut text, 4, about, width);
        keys(&mut text, inner, width);
    }
    text
}

/// The sorts of table that it may be, each in a line; whoever wants one asks for it.
fn summary(mut text: String, answer: &Answer, width: usize) -> String {
    let variants = &answer.key.variants;
    let rows = variants.iter().map(|one| vec![format!("{} = \"{}\"", one.by, one.word), one.about.clone()]);
    text.push('\n');
    columns(&mut text, &rows.collect::<Vec<_>>(), width);
    let path = answer.path.replace(".NAME", "");
    let path = if answer.of == Of::Scenario { path } else { format!("{}.{path}", answer.of.word()) };
    if let Some(first) = variants.first() {
        text.push_str(&format!("\n  petrio schema {path}.{} has the keys of one of them\n", first.word));
    }
    text
}

fn row(text: &mut String, name: &str, words: &str, width: usize) {
    let lines = lines(words, width.saturating_sub(12));
    for (number, line) in lines.iter().enumerate() {
        let name = if number == 0 { name } else { "" };
        text.push_str(&format!("  {name:<8}  {line}\n"));
    }
}

fn words(text: &mut String, words: &[Word], width: usize) {
    if words.is_empty() {
        return;
    }
    text.push('\n');
    if words.iter().all(|word| word.about.is_empty()) {
        let all: Vec<&str> = words.iter().map(|word| word.word.as_str()).collect();
        return row(text, "one of", &all.join(", "), width);
    }
    let rows = words.iter().map(|word| vec![word.word.clone(), word.about.clone()]);
    columns(text, &rows.collect::<Vec<_>>(), width);
}

fn keys(text: &mut String, keys: &[Key], width: usize) {
    let row = |key: &Key| {
        let mut about = key.about.clone();
        if key.required {
            about.push_str(" (needed)");
        } else if let Some(default) = &key.default {
            about.push_str(&format!(" (default: {default})"));
        }
        vec![key.name.clone(), short(&key.takes), about]
    };
    columns(text, &keys.iter().map(row).collect::<Vec<_>>(), width);
}

/// Without the units and the example, which a row of many has no room for.
pub(super) fn short(takes: &str) -> String {
    let mut takes = takes.to_owned();
    while let Some(begin) = takes.find(" with its unit") {
        let end = takes[begin..].find(", or ").map_or(takes.len(), |end| begin + end);
        takes.replace_range(begin..end, "");
    }
    takes
}

/// Rows of cells; the last cell of each is broken into lines.
fn columns(text: &mut String, rows: &[Vec<String>], width: usize) {
    let count = rows.first().map_or(0, Vec::len);
    let widest =
        |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0).min(28);
    let before: Vec<usize> = (0..count.saturating_sub(1)).map(widest).collect();
    let indent = 4 + before.iter().map(|width| width + 2).sum::<usize>();
    for row in rows {
        let last = row.last().map_or("", String::as_str);
        let mut line = "    ".to_owned();
        for (cell, width) in row.iter().zip(&before) {
            let pad = width.saturating_sub(cell.chars().count()) + 2;
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', pad));
        }
        // A long cell pushes the last one to a line of its own.
        let fits = line.chars().count() <= indent;
        if !fits {
            text.push_str(line.trim_end());
            text.push('\n');
        }
        for (number, words) in lines(last, width.saturating_sub(indent)).iter().enumerate() {
            let begin = if number == 0 && fits { line.clone() } else { " ".repeat(indent) };
            text.push_str(format!("{begin}{words}").trim_end());
            text.push('\n');
        }
    }
}

fn paragraph(text: &mut String, indent: usize, words: &str, width: usize) {
    for line in lines(words, width.saturating_sub(indent)) {
        text.push_str(format!("{}{line}", " ".repeat(indent)).trim_end());
        text.push('\n');
    }
}

/// Words in lines of a width; no words are one empty line.
fn lines(words: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in words.split_whitespace() {
        let Some(line) = lines.last_mut() else { break };
        if line.is_empty() {
            line.push_str(word);
        } else if line.chars().count() + 1 + word.chars().count() <= width.max(24) {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
}
