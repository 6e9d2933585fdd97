//! Drawings of a net, page by page, as self-contained SVG.
//!
//! Places are rounded, transitions square, in the convention of coloured Petri nets; queueing places carry the symbol
//! of a waiting line and a server, state places a double outline. Pages below are boxes with a double outline, as
//! substitution transitions are. A place of another page is dashed. The flow runs from left to right.

mod layers;
mod layout;
mod legend;
mod overview;
mod render;
mod scene;
mod straighten;
mod text;
mod words;

use super::description::describe;
use super::escaped;
use super::fold::{Folded, fold};
use crate::net::Net;
use std::fmt::Write;

/// Room around a page's drawing, pixels.
const MARGIN: f64 = 28.0;
/// Room for a page's title, pixels.
const TITLE: f64 = 40.0;

/// The whole net: its pages as boxes, then all of them that show anything, one below another, and a legend. Equal parts are
/// drawn once, with their number.
pub fn to_svg(net: &Net) -> String {
    let folded = fold(&describe(net));
    document(&folded, true, &(0..folded.net.pages.len()).collect::<Vec<_>>())
}

/// The net's pages as boxes, and where tokens go from one to another; equal parts as one, with their number.
pub fn overview_to_svg(net: &Net) -> String {
    document(&fold(&describe(net)), true, &[])
}

/// One page of a net, by index (see [`Net::find_page`]); a page that doesn't exist is empty.
pub fn page_to_svg(net: &Net, page: usize) -> String {
    document(&Folded::nothing(describe(net)), false, &[page])
}

fn document(folded: &Folded, overview: bool, pages: &[usize]) -> String {
    let net = &folded.net;
    let mut body = String::new();
    let (mut width, mut y) = (legend::WIDTH, 0.0);
    let pages = pages.iter().filter(|page| **page < net.pages.len());
    let scenes =
        pages.map(|&page| (folded.called(page, &net.pages[page].path), scene::Scene::of(folded, page)));
    let overview = overview.then(|| ("pages".to_owned(), overview::scene(folded)));
    for (path, scene) in overview.into_iter().chain(scenes) {
        if scene.nodes.is_empty() {
            continue;
        }
        let drawing = render::draw(&scene);
        width = f64::max(width, drawing.width);
        let title = if path.is_empty() { &net.name } else { &path };
        let _ = write!(
            body,
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{:.1}\">{}</text>\n<g transform=\"translate({MARGIN},{:.1})\">\n{}</g>\n",
            y + 28.0,
            escaped(title),
            y + TITLE,
            drawing.content,
        );
        y += TITLE + drawing.height + MARGIN;
    }
    let _ = write!(body, "<g transform=\"translate({MARGIN},{y:.1})\">\n{}</g>\n", legend::draw());
    y += legend::HEIGHT;
    let (width, height) = (width + 2.0 * MARGIN, y + MARGIN / 2.0);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(&net.name)
    )
}

/// Colours of figure and ground, for light and for dark surroundings. No meaning hangs on a colour alone.
const STYLE: &str = "
.paper{fill:#fff}
.place,.transition,.page{stroke:#1f2933;stroke-width:1.3}
.place{fill:#eef4fb}.transition{fill:#fdf3e1}.page{fill:#eef7ee}
.foreign{stroke-dasharray:5 3}
.inner{fill:none;stroke:#1f2933;stroke-width:1}
.arc{fill:none;stroke:#5a6b7b;stroke-width:1.2}
.dashed{stroke-dasharray:6 3}.dotted{stroke-dasharray:1.5 3}
.head{fill:#5a6b7b;stroke:#5a6b7b;stroke-width:1}.hollow{fill:#fff}
.token{fill:#1f2933}.count{fill:#fff;font-size:9px;font-weight:600;text-anchor:middle}
text{fill:#1f2933;font-size:12px}
.name{text-anchor:middle}.note{font-size:10px;fill:#5a6b7b;text-anchor:middle}
.port{font-size:10px;font-weight:600;fill:#245a8d;text-anchor:middle}
.inscription{font-size:10px;text-anchor:middle;paint-order:stroke;stroke:#fff;stroke-width:3px}
.title{font-size:15px;font-weight:600}
.key{font-size:10.5px;fill:#5a6b7b}
@media (prefers-color-scheme: dark){
.paper{fill:#14181d}
.place,.transition,.page,.inner{stroke:#cfd8e3}
.place{fill:#1d2a38}.transition{fill:#3a2f1a}.page{fill:#1d3122}
.arc{stroke:#93a4b5}.head{fill:#93a4b5;stroke:#93a4b5}.hollow{fill:#14181d}
.token{fill:#cfd8e3}.count{fill:#14181d}
text{fill:#e4eaf1}.note,.key{fill:#93a4b5}.port{fill:#7fb4ea}
.inscription{stroke:#14181d}
}
";
