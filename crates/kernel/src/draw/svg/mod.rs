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
use scene::{Scene, Shape};
use serde::Serialize;
use std::fmt::Write;

/// Room around a page's drawing, pixels.
const MARGIN: f64 = 28.0;
/// Room for a page's title, pixels.
const TITLE: f64 = 40.0;

/// The whole net: its pages as boxes, then all of them that show anything, one below another, and a legend. Equal parts are
/// drawn once, with their number.
pub fn to_svg(net: &Net) -> String {
    let folded = fold(&describe(net));
    document(&folded, true, &(0..folded.net.pages.len()).collect::<Vec<_>>()).svg
}

/// The net's pages as boxes, and where tokens go from one to another; equal parts as one, with their number.
pub fn overview_to_svg(net: &Net) -> String {
    overview(net).svg
}

/// As [`overview_to_svg`], with what is drawn where.
pub fn overview(net: &Net) -> Picture {
    document(&fold(&describe(net)), true, &[])
}

/// One page of a net, by index (see [`Net::find_page`]); a page that doesn't exist is empty.
pub fn page_to_svg(net: &Net, page: usize) -> String {
    picture(net, page).svg
}

/// As [`page_to_svg`], with what is drawn where.
pub fn picture(net: &Net, page: usize) -> Picture {
    document(&Folded::nothing(describe(net)), false, &[page])
}

/// A drawing, and what is drawn where in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Picture {
    /// The drawing.
    pub svg: String,
    /// Its width, pixels.
    pub width: f64,
    /// Its height, pixels.
    pub height: f64,
    /// Everything that has a name.
    pub nodes: Vec<DrawnNode>,
}

/// A page, a place or a transition in a drawing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrawnNode {
    /// Which of them.
    pub kind: NodeKind,
    /// Its path in the net; of equal parts that are drawn once, that of the first.
    pub path: String,
    /// The left edge of its shape, pixels.
    pub x: f64,
    /// The upper edge, pixels.
    pub y: f64,
    /// The width of its shape, pixels.
    pub width: f64,
    /// The height, pixels.
    pub height: f64,
}

/// What a net is drawn of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// A page below.
    Page,
    /// A place.
    Place,
    /// A transition.
    Transition,
}

/// Where the nodes of a scene are that is drawn `down` pixels below the top.
fn drawn(scene: &Scene, centres: &[(f64, f64)], down: f64) -> impl Iterator<Item = DrawnNode> {
    scene.nodes.iter().zip(centres).map(move |(node, (x, y))| DrawnNode {
        kind: match node.shape {
            Shape::Page => NodeKind::Page,
            Shape::Place { .. } => NodeKind::Place,
            Shape::Transition => NodeKind::Transition,
        },
        path: node.path.clone(),
        x: MARGIN + x - node.width / 2.0,
        y: down + y - node.height / 2.0,
        width: node.width,
        height: node.height,
    })
}

fn document(folded: &Folded, overview: bool, pages: &[usize]) -> Picture {
    let net = &folded.net;
    let mut body = String::new();
    let (mut width, mut y) = (legend::WIDTH, 0.0);
    let mut nodes = Vec::new();
    let pages = pages.iter().filter(|page| **page < net.pages.len());
    let scenes = pages.map(|&page| (folded.called(page, &net.pages[page].path), Scene::of(folded, page)));
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
        nodes.extend(drawn(&scene, &drawing.centres, y + TITLE));
        y += TITLE + drawing.height + MARGIN;
    }
    let _ = write!(body, "<g transform=\"translate({MARGIN},{y:.1})\">\n{}</g>\n", legend::draw());
    y += legend::HEIGHT;
    let (width, height) = (width + 2.0 * MARGIN, y + MARGIN / 2.0);
    let svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, 'DejaVu Sans', sans-serif\" role=\"img\">\n\
         <title>{}</title>\n<style>{STYLE}</style>\n\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n{body}</svg>\n",
        escaped(&net.name)
    );
    Picture { svg, width: width.round(), height: height.round(), nodes }
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
