//! All keys as one page of Markdown: `docs/reference.md`.

use super::Of;
use super::text::short;
use super::tree::{Key, Variant, Word};
use crate::report::figures_table;

const HEAD: &str = "# Reference of all keys

Made of the schemas by `petrio schema --markdown`; `petrio schema fs.journal` tells the same of one key, and `petrio schema` has it as JSON
schema. How files fit together is told in [the guide](guide.md).

Quantities carry their unit in the text (`\"64 KiB\"`, `\"5 ms\"`); a *distribution* is any of those in
[distributions.md](distributions.md). Keys of a table within a table are written with a dot: `stop.time`, or `time` below
`[measure.stop]`.
";

const FIGURES: &str = "
## Figures of a report

What the rows of a report's CSV tell (`part`, `quantity`, `unit`), and `compare` by the same names; which way is better is said where one
way is. Where programs of both sorts ran, some parts stand a second time, behind `beside`.

";

/// The page.
pub fn markdown() -> String {
    let mut page = HEAD.to_owned();
    page.push('\n');
    for of in Of::ALL {
        page.push_str(&format!("- [{}](#{})\n", of.title(), of.title().to_lowercase().replace(' ', "-")));
    }
    for of in Of::ALL {
        let whole = of.key();
        page.push_str(&format!("\n## {}\n", of.title()));
        paragraph(&mut page, &whole.about);
        let (parts, plain): (Vec<&Key>, Vec<&Key>) =
            whole.keys.iter().partition(|key| key.named || key.list || key.name == "measure");
        table(&mut page, &plain);
        variants(&mut page, &whole.variants);
        for part in parts {
            section(&mut page, part);
        }
    }
    page.push_str(FIGURES);
    page.push_str(&figures_table());
    page
}

/// A part, or a table of the file.
fn section(page: &mut String, key: &Key) {
    let head = match (key.named, key.list) {
        (true, _) => format!("[{}.NAME]", key.name),
        (false, true) => format!("[[{}]]", key.name),
        (false, false) => format!("[{}]", key.name),
    };
    page.push_str(&format!("\n### `{head}`\n"));
    paragraph(page, &key.about);
    if !key.owns.is_empty() {
        paragraph(page, &format!("It may own other parts: {}.", key.owns.join(", ")));
    }
    if key.keys.is_empty() && key.variants.is_empty() {
        paragraph(page, &format!("It is {}.", key.takes));
    }
    table(page, &key.keys.iter().collect::<Vec<_>>());
    variants(page, &key.variants);
}

fn variants(page: &mut String, variants: &[Variant]) {
    for Variant { by, word, about, keys } in variants {
        page.push_str(&format!("\n#### `{by} = \"{word}\"`\n"));
        paragraph(page, about);
        table(page, &keys.iter().collect::<Vec<_>>());
    }
}

fn paragraph(page: &mut String, words: &str) {
    if !words.is_empty() {
        page.push_str(&format!("\n{}\n", escaped(words)));
    }
}

fn table(page: &mut String, keys: &[&Key]) {
    if keys.is_empty() {
        return;
    }
    page.push_str("\n| key | takes | default | what it does |\n| --- | --- | --- | --- |\n");
    for key in keys {
        rows(page, "", key);
    }
}

/// A key's row, and those of the keys in its table.
fn rows(page: &mut String, before: &str, key: &Key) {
    let name = if key.named { format!("{before}{}.NAME", key.name) } else { format!("{before}{}", key.name) };
    let name = if key.list { format!("{name}[]") } else { name };
    let default = match &key.default {
        Some(default) => format!("`{default}`"),
        None if key.required => "needed".to_owned(),
        None => String::new(),
    };
    let mut about = escaped(&key.about);
    let words = key.words.iter().map(said).chain(key.variants.iter().map(|variant| {
        let Variant { by, word, about, .. } = variant;
        let word = if by == word { format!("{{ {by} = … }}") } else { format!("{{ {by} = \"{word}\" }}") };
        said(&Word { word, about: about.clone() })
    }));
    let words: Vec<String> = words.collect();
    if !words.is_empty() {
        about.push_str(&format!("<br>{}", words.join("<br>")));
    }
    page.push_str(&format!("| `{name}` | {} | {default} | {about} |\n", escaped(&short(&key.takes))));
    let within = format!("{name}.");
    for inner in &key.keys {
        rows(page, &within, inner);
    }
    for variant in &key.variants {
        for inner in &variant.keys {
            rows(page, &format!("{within}({}).", variant.word), inner);
        }
    }
}

/// A word with its meaning.
fn said(word: &Word) -> String {
    match word.about.as_str() {
        "" => format!("`{}`", word.word),
        about => format!("`{}`: {}", word.word, escaped(about)),
    }
}

/// As text of a table's cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
