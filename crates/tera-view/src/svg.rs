//! Pictures as SVG, drawn without any other program.
//!
//! Nodes stand where [`crate::layout`] puts them. An edge is a straight line when nothing is in the
//! way and a bow around it otherwise; edges that lead back are bows beside the spine. Of two graphs
//! that are compared, what is gone is red and dashed, what is new green, the rest grey; a pointer to what is gone
//! is red and solid.

use std::fmt::Write as _;

use crate::graph::{Change, Edge, Graph, Node, Picture};
use crate::layout::{Layout, Sizes, layout};

/// Fill and border by signature; pale enough for black text.
pub(crate) const PALETTE: [(&str, &str); 10] = [
    ("#cfe3f7", "#4a83bd"),
    ("#fbe0c3", "#c9813a"),
    ("#d7efcf", "#5d9d4c"),
    ("#f3d3e3", "#b8608e"),
    ("#e3dcf5", "#7c68b8"),
    ("#f7efbf", "#ad9a2a"),
    ("#cdeeea", "#3f9a90"),
    ("#f6d0cc", "#c25b51"),
    ("#e4e4d0", "#8a8a58"),
    ("#dbe2ea", "#64788e"),
];
pub(crate) const QUIET: (&str, &str) = ("#f6f6f6", "#a8a8a8");
pub(crate) const ADDED: &str = "#1a8f3c";
pub(crate) const REMOVED: &str = "#d0302b";
const UNCHANGED: &str = "#9a9a9a";
const PLAIN: &str = "#444444";

const FONT: &str = "Helvetica, Arial, 'DejaVu Sans', sans-serif";
const MARGIN: f64 = 18.0;
const PANEL_GAP: f64 = 46.0;
const ROW_WIDTH: f64 = 1500.0;
const TITLE_HEIGHT: f64 = 26.0;

type Point = (f64, f64);

/// The picture as an SVG document.
pub fn svg(picture: &Picture) -> String {
    let panels: Vec<Panel> = if picture.same_places {
        picture.graphs.chunks(2).flat_map(shared_panels).collect()
    } else {
        picture.graphs.iter().map(|g| Panel::new(g, &layout(g, &sizes(g)), &sizes(g))).collect()
    };
    // Rows of panels, like words of a paragraph.
    let mut body = String::new();
    let (mut x, mut y, mut row_height, mut width) = (MARGIN, MARGIN, 0.0f64, 0.0f64);
    for panel in &panels {
        if x > MARGIN && x + panel.width > ROW_WIDTH {
            (x, y, row_height) = (MARGIN, y + row_height + PANEL_GAP, 0.0);
        }
        let title = if panel.title.is_empty() { 0.0 } else { TITLE_HEIGHT };
        if title > 0.0 {
            let _ = writeln!(
                body,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"14\" font-weight=\"bold\" fill=\"#555\">{}</text>",
                x,
                y + 14.0,
                escape(&panel.title)
            );
        }
        let _ = writeln!(
            body,
            "<g transform=\"translate({:.1},{:.1})\">\n{}</g>",
            x - panel.left,
            y + title - panel.top,
            panel.body
        );
        width = width.max(x + panel.width);
        row_height = row_height.max(panel.height + title);
        x += panel.width + PANEL_GAP;
    }
    let (width, height) = (width + MARGIN, y + row_height + MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.1} {height:.1}\" font-family=\"{FONT}\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{body}</svg>\n"
    )
}

/// Both graphs drawn over the layout of what they have together.
fn shared_panels(graphs: &[Graph]) -> Vec<Panel> {
    let mut union = graphs[0].clone();
    for graph in &graphs[1..] {
        let mut place = Vec::new();
        for node in &graph.nodes {
            let known = union.nodes.iter().position(|n| n.name == node.name);
            place.push(known.unwrap_or_else(|| {
                union.nodes.push(node.clone());
                union.nodes.len() - 1
            }));
        }
        for edge in &graph.edges {
            let (from, to) = (place[edge.from], place[edge.to]);
            if !union.edges.iter().any(|e| (e.from, e.to, &e.label) == (from, to, &edge.label)) {
                // A new edge must not move what was there before.
                let bends = graph.nodes[edge.to].change != Change::Added;
                union.edges.push(Edge { from, to, back: edge.back || bends, ..edge.clone() });
            }
        }
    }
    let mut union_sizes = sizes(&union);
    for graph in &graphs[1..] {
        for (node, size) in graph.nodes.iter().zip(sizes(graph)) {
            let i = union.nodes.iter().position(|n| n.name == node.name).expect("it was put there");
            union_sizes[i] = (union_sizes[i].0.max(size.0), union_sizes[i].1.max(size.1));
        }
    }
    let whole = layout(&union, &union_sizes);
    let panel = |graph: &Graph| {
        let place = |n: &Node| union.nodes.iter().position(|u| u.name == n.name).expect("it was put there");
        let of: Vec<usize> = graph.nodes.iter().map(place).collect();
        let centres = of.iter().map(|&i| whole.centres[i]).collect();
        let own = of.iter().map(|&i| union_sizes[i]).collect();
        let mut panel = Panel::new(graph, &Layout { centres, ..whole.clone() }, &own);
        // The same frame for both.
        panel.include((0.0, 0.0));
        panel.include((whole.width, whole.height));
        panel
    };
    graphs.iter().map(panel).collect()
}

fn sizes(graph: &Graph) -> Sizes {
    graph.nodes.iter().map(node_size).collect()
}

fn node_size(node: &Node) -> (f64, f64) {
    let scale = if node.quiet { 0.85 } else { 1.0 };
    let longest = rows(node).iter().map(|(text, ..)| text_width(text)).fold(0.0, f64::max);
    let width = (longest + 20.0).max(34.0);
    (width * scale, (rows(node).len() as f64 * 15.0 + 11.0) * scale)
}

fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 6.9 } else { 9.0 }).sum()
}

/// Lines of a node: its name, then its values.
fn rows(node: &Node) -> Vec<(String, Change, bool)> {
    let mut rows = vec![(node.name.clone(), Change::None, true)];
    rows.extend(node.lines.iter().map(|(l, c)| (l.clone(), *c, false)));
    rows
}

fn colour(change: Change) -> &'static str {
    match change {
        Change::None => PLAIN,
        Change::Unchanged => UNCHANGED,
        Change::Added => ADDED,
        Change::Removed | Change::Dead => REMOVED,
    }
}

fn is_marked(change: Change) -> bool {
    matches!(change, Change::Added | Change::Removed | Change::Dead)
}

fn dash(is_gone: bool) -> &'static str {
    if is_gone { " stroke-dasharray=\"5 3\"" } else { "" }
}

/// One drawn graph and the box that it fills.
struct Panel {
    title: String,
    body: String,
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Panel {
    fn new(graph: &Graph, layout: &Layout, sizes: &Sizes) -> Panel {
        let mut panel = Panel {
            title: graph.title.clone(),
            body: String::new(),
            left: 0.0,
            top: 0.0,
            width: layout.width.max(20.0),
            height: layout.height.max(12.0),
        };
        let boxes: Vec<Rect> = layout
            .centres
            .iter()
            .zip(sizes)
            .map(|(&c, &s)| Rect { centre: c, half: (s.0 / 2.0, s.1 / 2.0) })
            .collect();
        let edges = merged(&graph.edges);
        for edge in &edges {
            panel.edge(edge, &edges, &boxes, graph.vertical);
        }
        for (node, rect) in graph.nodes.iter().zip(&boxes) {
            panel.node(node, rect);
        }
        if graph.nodes.is_empty() {
            panel.include((60.0, 20.0));
            panel.body += "<text x=\"4\" y=\"14\" fill=\"#999\">nothing to draw</text>\n";
        }
        panel
    }

    fn include(&mut self, (x, y): Point) {
        let (right, bottom) = (self.left + self.width, self.top + self.height);
        self.left = self.left.min(x);
        self.top = self.top.min(y);
        self.width = right.max(x) - self.left;
        self.height = bottom.max(y) - self.top;
    }

    fn node(&mut self, node: &Node, rect: &Rect) {
        let (fill, border) = if node.quiet { QUIET } else { PALETTE[node.colour % PALETTE.len()] };
        let changed = is_marked(node.change);
        let border = if changed { colour(node.change) } else { border };
        let (x, y) = (rect.centre.0 - rect.half.0, rect.centre.1 - rect.half.1);
        let _ = writeln!(
            self.body,
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"6\" fill=\"{fill}\" \
             stroke=\"{border}\" stroke-width=\"{}\"{}/>",
            rect.half.0 * 2.0,
            rect.half.1 * 2.0,
            if changed { 2.0 } else { 1.2 },
            dash(matches!(node.change, Change::Removed | Change::Dead))
        );
        let size = if node.quiet { 10.5 } else { 12.0 };
        let step = if node.quiet { 12.75 } else { 15.0 };
        let rows = rows(node);
        let mut line = rect.centre.1 - step * (rows.len() as f64 - 1.0) / 2.0 + size * 0.35;
        for (text, change, is_name) in rows {
            let fill = match change {
                _ if is_marked(change) => colour(change),
                _ if node.quiet => "#777",
                _ => "#222",
            };
            let bold = if is_name && !node.quiet || is_marked(change) { " font-weight=\"bold\"" } else { "" };
            let struck = if change == Change::Removed { " text-decoration=\"line-through\"" } else { "" };
            let _ = writeln!(
                self.body,
                "<text x=\"{:.1}\" y=\"{line:.1}\" font-size=\"{size}\" text-anchor=\"middle\" fill=\"{fill}\"\
                 {bold}{struck}>{}</text>",
                rect.centre.0,
                escape(&text)
            );
            line += step;
        }
        if !node.tags.is_empty() {
            // A parameter hangs on the upper left corner like a flag.
            let text = node.tags.join(", ");
            let width = text_width(&text) * 0.9 + 8.0;
            let (x, y) = (x - 6.0, y - 9.0);
            let _ = writeln!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"15\" rx=\"3\" fill=\"#4d4d4d\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10.5\" fill=\"white\">{}</text>",
                x + 4.0,
                y + 11.0,
                escape(&text)
            );
            self.include((x, y));
        }
    }

    fn edge(&mut self, edge: &Edge, all: &[Edge], boxes: &[Rect], vertical: bool) {
        // Edges that lead back repeat what others say: they stand behind.
        let quiet = edge.back && edge.change == Change::None;
        let stroke = if quiet { UNCHANGED } else { colour(edge.change) };
        let width = if is_marked(edge.change) { 2.0 } else { 1.3 };
        let (path, points, label_at) = if edge.from == edge.to {
            self_loop(
                &boxes[edge.from],
                all.iter().any(|e| e.from == edge.from && e.to == e.from && e.label < edge.label),
            )
        } else {
            route(edge, all, boxes, vertical)
        };
        let _ = writeln!(
            self.body,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"{}/>",
            dash(edge.change == Change::Removed)
        );
        let end = points[points.len() - 1];
        let before = points.iter().rev().find(|p| distance(**p, end) > 7.0).copied().unwrap_or(points[0]);
        let _ = writeln!(self.body, "{}", arrow_head(before, end, stroke));
        for point in points {
            self.include(point);
        }
        let half = text_width(&edge.label) * 0.9 / 2.0;
        let (x, y) = label_at;
        let _ = writeln!(
            self.body,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"13\" rx=\"2\" fill=\"white\" fill-opacity=\"0.85\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" fill=\"{stroke}\">{}</text>",
            x - half - 1.0,
            y - 6.5,
            half * 2.0 + 2.0,
            y + 3.8,
            escape(&edge.label)
        );
        self.include((x - half - 2.0, y - 7.0));
        self.include((x + half + 2.0, y + 7.0));
    }
}

/// Edges between the same nodes that differ in nothing but the label become one.
fn merged(edges: &[Edge]) -> Vec<Edge> {
    let mut all: Vec<Edge> = Vec::new();
    for edge in edges {
        let loops = edge.from == edge.to;
        let same = |e: &&mut Edge| {
            (e.from, e.to, e.change, e.back || loops) == (edge.from, edge.to, edge.change, edge.back || loops)
        };
        match all.iter_mut().find(same) {
            Some(known) => known.label = format!("{}, {}", known.label, edge.label),
            None => all.push(edge.clone()),
        }
    }
    all
}

#[derive(Clone, Copy)]
struct Rect {
    centre: Point,
    half: (f64, f64),
}

impl Rect {
    fn contains(&self, (x, y): Point, slack: f64) -> bool {
        (x - self.centre.0).abs() < self.half.0 + slack && (y - self.centre.1).abs() < self.half.1 + slack
    }

    /// Where the ray from the centre to `target` leaves the box.
    fn border(&self, target: Point, slack: f64) -> Point {
        let (dx, dy) = (target.0 - self.centre.0, target.1 - self.centre.1);
        let reach = |half: f64, d: f64| if d.abs() < 1e-9 { f64::INFINITY } else { (half + slack) / d.abs() };
        let t = reach(self.half.0, dx).min(reach(self.half.1, dy));
        if t.is_finite() { (self.centre.0 + dx * t, self.centre.1 + dy * t) } else { self.centre }
    }
}

/// The path of an edge, points along it, and where its label stands.
fn route(edge: &Edge, all: &[Edge], boxes: &[Rect], vertical: bool) -> (String, Vec<Point>, Point) {
    let (a, b) = (&boxes[edge.from], &boxes[edge.to]);
    let reverse = all.iter().position(|e| (e.from, e.to) == (edge.to, edge.from));
    let parallel = all.iter().filter(|e| (e.from, e.to) == (edge.from, edge.to)).count() > 1;
    let me = all.iter().position(|e| std::ptr::eq(e, edge)).unwrap_or(0);
    let blocked = |points: &[Point]| {
        let hits = |(i, r): (usize, &Rect)| {
            i != edge.from && i != edge.to && points.iter().any(|p| r.contains(*p, 5.0))
        };
        boxes.iter().enumerate().any(hits)
    };
    let length = distance(a.centre, b.centre).max(1.0);
    // To the right of the direction of travel; for edges that lead back this is the far side.
    let normal = ((a.centre.1 - b.centre.1) / length, (b.centre.0 - a.centre.0) / length);
    let bows = |bow: f64| {
        let middle = ((a.centre.0 + b.centre.0) / 2.0, (a.centre.1 + b.centre.1) / 2.0);
        let control = (middle.0 + normal.0 * bow, middle.1 + normal.1 * bow);
        let (start, end) = (a.border(control, 0.0), b.border(control, 1.5));
        let at = |t: f64| {
            let u = 1.0 - t;
            (
                u * u * start.0 + 2.0 * u * t * control.0 + t * t * end.0,
                u * u * start.1 + 2.0 * u * t * control.1 + t * t * end.1,
            )
        };
        let points: Vec<Point> = (0..=32).map(|i| at(i as f64 / 32.0)).collect();
        (start, control, end, points)
    };
    // Of a pair of opposite edges the one that leads back is bent, or both a little.
    let bent_pair = reverse.map(|r| {
        if edge.back {
            1.0
        } else if all[r].back {
            0.0
        } else {
            0.5
        }
    });
    let first = match bent_pair {
        Some(share) => share * 44.0,
        None if parallel => {
            let rank = all[..me].iter().filter(|e| (e.from, e.to) == (edge.from, edge.to)).count();
            rank as f64 * 44.0
        }
        None => 0.0,
    };
    let scale = (length / 3.0).max(50.0);
    let tries = [first, scale, -scale, 1.8 * scale, -1.8 * scale, 2.6 * scale, -2.6 * scale];
    let bow = tries.into_iter().find(|&bow| !blocked(&bows(bow).3)).unwrap_or(first);
    let (start, control, end, points) = bows(bow);
    let path = if bow == 0.0 {
        format!("M{:.1},{:.1} L{:.1},{:.1}", start.0, start.1, end.0, end.1)
    } else {
        format!("M{:.1},{:.1} Q{:.1},{:.1} {:.1},{:.1}", start.0, start.1, control.0, control.1, end.0, end.1)
    };
    let middle = points[points.len() / 2];
    // Beside the line rather than on it, above where the line is level.
    let level = (end.1 - start.1).abs() < 8.0;
    let label_at = if bow == 0.0 && level && !vertical { (middle.0, middle.1 - 8.0) } else { middle };
    (path, points, label_at)
}

fn self_loop(rect: &Rect, outer: bool) -> (String, Vec<Point>, Point) {
    let grow = if outer { 16.0 } else { 0.0 };
    let (x, y) = (rect.centre.0 + rect.half.0, rect.centre.1 - rect.half.1);
    let (start, end) = ((x - 16.0, y), (x + 1.5, y + 12.0));
    let (c1, c2) = ((x - 12.0, y - 30.0 - grow), (x + 36.0 + grow, y - 6.0));
    let at = |t: f64| {
        let u = 1.0 - t;
        let f = |s: f64, a: f64, b: f64, e: f64| {
            u * u * u * s + 3.0 * u * u * t * a + 3.0 * u * t * t * b + t * t * t * e
        };
        (f(start.0, c1.0, c2.0, end.0), f(start.1, c1.1, c2.1, end.1))
    };
    let points: Vec<Point> = (0..=24).map(|i| at(i as f64 / 24.0)).collect();
    let path = format!(
        "M{:.1},{:.1} C{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}",
        start.0, start.1, c1.0, c1.1, c2.0, c2.1, end.0, end.1
    );
    let label_at = (points[11].0 + 8.0, points[11].1 - 6.0);
    (path, points, label_at)
}

fn arrow_head(from: Point, tip: Point, fill: &str) -> String {
    let length = distance(from, tip).max(1e-6);
    let (ux, uy) = ((tip.0 - from.0) / length, (tip.1 - from.1) / length);
    let base = (tip.0 - ux * 8.0, tip.1 - uy * 8.0);
    format!(
        "<polygon points=\"{:.1},{:.1} {:.1},{:.1} {:.1},{:.1}\" fill=\"{fill}\"/>",
        tip.0,
        tip.1,
        base.0 - uy * 3.4,
        base.1 + ux * 3.4,
        base.0 + uy * 3.4,
        base.1 - ux * 3.4
    )
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
