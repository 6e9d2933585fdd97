//! HTML: the only place where it is made. Every word is escaped by the templates; a figure goes in as JSON that can't end its element.

use crate::figure::{Figure, Marks, Quantity};
use crate::page::{Block, Page, Span, Table, Text, Tile};
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// How pages look, and figures in them; the second is built from `web/src/figure`.
const STYLE: &str = concat!(include_str!("page.css"), include_str!("../assets/figure.css"));
/// The component that draws figures, built from `web/src/figure` and packed, and the hashes of what the browser may run: what unpacks it,
/// and itself.
const SCRIPT: &str = include_str!("../assets/figure.js");
const SCRIPT_HASHES: &str = include_str!("../assets/figure.js.sha256");

/// Values of a series where there are no scripts.
const VALUES_MAX: usize = 7;

impl Page {
    /// The page as one file of HTML, which needs no network.
    pub fn html(&self) -> String {
        // The browser itself holds the page to its promise: nothing is loaded, and no script runs but the one that
        // draws.
        let scripts: Vec<String> = SCRIPT_HASHES.lines().map(|hash| format!("'sha256-{hash}'")).collect();
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; script-src {}; base-uri 'none'; form-action 'none'",
            scripts.join(" ")
        );
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (clean(&self.title)) " – petrio" }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        header {
                            h1 { (clean(&self.heading)) }
                            @for line in &self.below { p { (text(line)) } }
                        }
                        (blocks(&self.blocks))
                        footer { "petrio " (env!("CARGO_PKG_VERSION")) " · " (clean(&self.foot)) }
                    }
                    script { (PreEscaped(SCRIPT)) }
                }
            }
        };
        page.into_string() + "\n"
    }
}

/// Characters that HTML forbids, which a name from a file may hold, made visible.
fn clean(words: &str) -> String {
    let is_forbidden = |letter: char| letter.is_control() && !letter.is_whitespace();
    words.chars().map(|letter| if is_forbidden(letter) { '\u{fffd}' } else { letter }).collect()
}

/// Each heading begins a section.
fn blocks(all: &[Block]) -> Markup {
    let is_heading = |block: &Block| matches!(block, Block::Heading(_));
    let first = all.iter().position(is_heading).unwrap_or(all.len());
    let (before, mut rest) = all.split_at(first);
    let mut sections = Vec::new();
    while !rest.is_empty() {
        let end = rest.iter().skip(1).position(is_heading).map_or(rest.len(), |at| at + 1);
        let (section, after) = rest.split_at(end);
        sections.push(section);
        rest = after;
    }
    html! {
        @for one in before { (block(one)) }
        @for section in sections { section { @for one in section { (block(one)) } } }
    }
}

fn block(block: &Block) -> Markup {
    html! {
        @match block {
            Block::Heading(words) => h2 { (clean(words)) },
            Block::Subheading(words) => h3 { (clean(words)) },
            Block::Paragraph(words) => p { (text(words)) },
            Block::Note(words) => p.quiet { (text(words)) },
            Block::Lead(words) => p.lead { (text(words)) },
            Block::Warning(words) => p.warning { strong { "Check this:" } " " (clean(words)) },
            Block::Tiles(tiles) => div.tiles aria-label="Summary" role="group" { @for one in tiles { (tile(one)) } },
            Block::Figures(figures) => div.plots { @for one in figures { (figure(one)) } },
            Block::WideFigures(figures) => div.plots.full { @for one in figures { (figure(one)) } },
            Block::Table(one) => (table(one)),
            Block::Folded(summary, one) => details { summary { (clean(summary)) } (table(one)) },
            Block::Text(words) => pre { (clean(words)) },
            Block::Definitions(all) => dl.who { @for (name, words) in all { dt { (clean(name)) } dd { (text(words)) } } },
            Block::List(all) => ul { @for words in all { li { (text(words)) } } },
        }
    }
}

fn text(words: &Text) -> Markup {
    html! {
        @for span in &words.0 {
            @match span {
                Span::Plain(words) => (clean(words)),
                Span::Strong(words) => strong { (clean(words)) },
                Span::Quiet(words) => span.quiet { (clean(words)) },
                Span::Code(words) => code { (clean(words)) },
                Span::Break => br;,
                Span::Swatch(colour) => span class=(format!("swatch colour-{colour}")) {},
                Span::Meter(part) => span.meter aria-hidden="true" {
                    span style=(format!("width:{:.1}%", part.clamp(0.0, 1.0) * 100.0)) {}
                },
                Span::Better(words) => span.better { (clean(words)) },
                Span::Worse(words) => span.worse { (clean(words)) },
            }
        }
    }
}

fn tile(tile: &Tile) -> Markup {
    html! {
        div.tile {
            div.name { (clean(&tile.name)) }
            div.number { (clean(&tile.figure)) span.unit { " " (clean(&tile.unit)) } }
        }
    }
}

/// A table, in as few letters as HTML allows: a page may have thousands of cells, and what ends one may be left out.
fn table(table: &Table) -> Markup {
    let class = |column: usize| if column > 0 && column < table.words { " class=word" } else { "" };
    let mut html = String::from("<thead><tr>");
    for (column, head) in table.heads.iter().enumerate() {
        html += &format!("<th scope=col{}>{}", class(column), html! { (clean(head)) }.into_string());
    }
    html += "<tbody>";
    for row in &table.rows {
        html += "<tr>";
        for (column, cell) in row.iter().enumerate() {
            let name = if column == 0 { "th" } else { "td" };
            html += &format!("<{name}{}>{}", class(column), text(cell).into_string());
        }
    }
    html! { div.wide { table { (PreEscaped(html)) } } }
}

/// The component finds the data by the element around it and draws the figure there.
fn figure(figure: &Figure) -> Markup {
    html! {
        figure data-figure {
            figcaption { (clean(&figure.title)) }
            script type="application/json" { (PreEscaped(figure.json())) }
            noscript { (values(figure)) }
            @for note in &figure.notes { p.quiet.note { (clean(note)) } }
        }
    }
}

/// The values, for whoever has no scripts: of many, some.
fn values(figure: &Figure) -> Markup {
    html! {
        p { (clean(&figure.alternative)) }
        table {
            tr { th {} td { (clean(&figure.across.name)) ": " (clean(&figure.up.name)) } }
            @for series in &figure.series {
                tr { th { (clean(&series.name)) } td { (clean(&some(values_of(figure, &series.marks)))) } }
            }
        }
    }
}

fn some(values: Vec<(String, String)>) -> String {
    let every = values.len().div_ceil(VALUES_MAX).max(1);
    let last = values.len().saturating_sub(1);
    let kept =
        values.into_iter().enumerate().filter(|(number, _)| number.is_multiple_of(every) || *number == last);
    kept.map(|(_, (x, y))| format!("{x}: {y}")).collect::<Vec<_>>().join("; ")
}

/// What stands at each value across and upwards.
fn values_of(figure: &Figure, marks: &Marks) -> Vec<(String, String)> {
    let (across, up) = (&figure.across, &figure.up);
    let pairs = |x: &[f64], y: &[f64]| -> Vec<(String, String)> {
        x.iter().zip(y).map(|(x, y)| (across.words(*x), up.words(*y))).collect()
    };
    match marks {
        Marks::Line { x, y, .. } | Marks::Steps { x, y, .. } => pairs(x, y),
        Marks::Bars { x, y } => {
            let edges = x.windows(2).zip(y).filter(|(_, y)| **y != 0.0);
            edges
                .map(|(edge, y)| {
                    (format!("{} to {}", across.words(edge[0]), across.words(edge[1])), up.words(*y))
                })
                .collect()
        }
        Marks::Stack { values } => {
            let stands_up = matches!(across.scale, crate::figure::Scale::Names(_));
            let name = |at: usize| if stands_up { across.words(at as f64) } else { up.words(at as f64) };
            let quantity = if stands_up { up.quantity } else { across.quantity };
            let all = values.iter().enumerate().map(|(at, value)| (name(at), quantity.words(*value)));
            all.map(|(name, value)| if stands_up { (name, value) } else { (value, name) }).collect()
        }
        Marks::Strokes { x, low, .. } => pairs(x, low),
        Marks::Intervals { x, low, y, .. } if low.is_empty() => pairs(x, y),
        Marks::Intervals { x, low, y, high, .. } => {
            let all = x.iter().zip(low.iter().zip(y).zip(high));
            all.map(|(x, ((low, y), high))| {
                (across.words(*x), format!("{} ({} to {})", up.words(*y), up.words(*low), up.words(*high)))
            })
            .collect()
        }
        Marks::Rows { low, values, high, .. } => {
            let all = low.iter().zip(values).zip(high).enumerate();
            all.map(|(row, ((low, value), high))| {
                let words = |value: f64| across.words(value);
                (format!("{} ({} to {})", words(*value), words(*low), words(*high)), up.words(row as f64))
            })
            .collect()
        }
        Marks::Cells { columns, rows, values, quantity, .. } => {
            let words = |quantity: Quantity, value: f64| quantity.words(value);
            let all = columns.iter().zip(rows).zip(values);
            all.map(|((column, row), value)| {
                (
                    across.words(*column as f64),
                    format!("{}: {}", up.words(*row as f64), words(*quantity, *value)),
                )
            })
            .collect()
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::figure::{Axis, Series};

    const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"'&<!--\u{0}";

    /// A page with the name in every place where one may stand.
    fn hostile() -> Page {
        let names = Axis::names(HOSTILE, vec![HOSTILE.to_owned()]).with_ends(vec![HOSTILE.to_owned()]);
        let mut figure = Figure::new(HOSTILE, HOSTILE, Axis::new(HOSTILE, Quantity::Share), names);
        figure.push(Series::stack(HOSTILE, vec![0.5]).also(HOSTILE, Quantity::Number, vec![1.0]));
        figure.note(HOSTILE);
        let mut page = Page::new(HOSTILE);
        page.below.push(HOSTILE.into());
        page.foot = HOSTILE.to_owned();
        page.heading(HOSTILE);
        page.warnings([HOSTILE]);
        page.tiles([(HOSTILE.to_owned(), HOSTILE.to_owned())]);
        let spans = [Span::Strong, Span::Quiet, Span::Code, Span::Better, Span::Worse];
        page.lead(Text(spans.map(|span| span(HOSTILE.to_owned())).into()));
        page.figures([figure.clone()]);
        page.wide_figures([figure]);
        let table = Table::new([HOSTILE]).with([vec![HOSTILE]]);
        page.table(table.clone());
        page.blocks.extend([
            Block::Subheading(HOSTILE.to_owned()),
            Block::Folded(HOSTILE.to_owned(), table),
            Block::Text(HOSTILE.to_owned()),
            Block::Definitions(vec![(HOSTILE.to_owned(), HOSTILE.into())]),
            Block::List(vec![HOSTILE.into()]),
        ]);
        page
    }

    #[test]
    fn no_name_becomes_an_element_or_ends_a_script() {
        let html = hostile().html();
        assert!(!html.contains("<img") && !html.contains('\0'));
        // Two figures, and the component.
        assert_eq!(html.matches("<script").count() - SCRIPT.matches("<script").count(), 3);
        assert_eq!(html.matches("</script>").count(), 3);
        assert!(!SCRIPT.contains("</script") && !SCRIPT.contains("<!--"), "the component would end itself");
        for tag in ["figure", "table", "section", "div", "p", "span", "noscript", "details", "li"] {
            let begun = html.matches(&format!("<{tag}>")).count() + html.matches(&format!("<{tag} ")).count();
            assert_eq!(begun, html.matches(&format!("</{tag}>")).count(), "{tag}");
        }
    }

    #[test]
    fn a_page_loads_nothing_and_its_component_is_the_one_that_the_browser_lets_run() {
        let html = hostile().html();
        assert!(html.contains("default-src 'none'") && html.contains("script-src 'sha256-"));
        let without_script = html.replace(SCRIPT, "");
        for outside in ["http://", "https://", " src=\"", "@import", "url("] {
            assert!(!without_script.contains(outside), "{outside}");
        }
        assert!(SCRIPT_HASHES.lines().count() == 2 && SCRIPT_HASHES.lines().all(|hash| hash.len() == 44));
    }

    #[test]
    fn where_there_are_no_scripts_a_figure_is_a_table_of_its_values() {
        let html = hostile().html();
        let table = html.split("<noscript>").nth(1).unwrap().split("</noscript>").next().unwrap();
        assert!(table.contains("50 %") && table.contains("&lt;/script&gt;"));
    }

    #[test]
    fn what_every_page_carries_leaves_room_for_its_content() {
        let bytes = Page::new("").html().len();
        assert!(bytes < 50_000, "{bytes} bytes without any content");
    }
}
