//! One bar of parts beside the whole that they must fit: memory by purpose, and the budget.

use super::figure::figure;
use super::frame::{WIDTH, picture};
use crate::page::markup::{element, escape, table, tooltip};
use crate::page::units::{Quantity, count, share};
use outcrop_types::{MemoryNeed, MemoryPlan};

const TOP: f64 = 20.0;
const BAR: f64 = 30.0;
/// The bar of what was held at once, below the parts.
const ONCE: f64 = TOP + BAR + 4.0;
const ONCE_BAR: f64 = 8.0;
/// A budget of more than so many times what was reserved is not drawn to scale.
const FAR: f64 = 5.0;

/// The figure of `memory`, with the budget as a line.
pub(crate) fn stack(memory: &MemoryPlan, budget: u64, peak: u64) -> String {
    let title = "Memory by purpose";
    let (sum, limit) = (Quantity::Bytes(memory.total()), Quantity::Bytes(budget));
    let far = limit.drawn() > sum.drawn() * FAR;
    let apart = if sum.drawn() > peak as f64 { " The peaks occur at different times." } else { "" };
    let seen = match (far, sum.drawn() > 0.0) {
        (_, false) => "Nothing was reserved.".to_owned(),
        (true, true) => {
            let times = count((limit.drawn() / sum.drawn()) as u64);
            format!("The budget is off the scale: {times} times the width of the chart.")
        }
        (false, true) => "The line is the budget.".to_owned(),
    };
    let caption = format!(
        "Peak reservation by purpose. Peak in total: {}, {} of the budget of {} (gray bar).{apart} {seen}",
        Quantity::Bytes(peak).short(),
        share(peak as f64, budget as f64),
        limit.short(),
    );
    let key = |(place, need): (usize, &MemoryNeed)| {
        (colour(place), format!("{} {}", need.purpose.name(), Quantity::Bytes(need.bytes).short()))
    };
    let once = ("once", format!("peak {}", Quantity::Bytes(peak).short()));
    let legend: Vec<_> = memory.needs().iter().enumerate().map(key).chain([once]).collect();
    let drawn = match memory.needs() {
        [] => element("p class=\"nothing\"", "Nothing was reserved."),
        needs => drawing(title, needs, [sum, limit, Quantity::Bytes(peak)], far),
    };
    figure(
        title,
        &caption,
        &legend,
        &drawn,
        &numbers(memory.needs(), &[("all purposes", sum), ("at once", Quantity::Bytes(peak)), ("budget", limit)]),
    )
}

fn drawing(title: &str, needs: &[MemoryNeed], [sum, limit, peak]: [Quantity; 3], far: bool) -> String {
    let whole = if far { sum.drawn() } else { sum.drawn().max(limit.drawn()) };
    let scale = (WIDTH - if far { 24.0 } else { 2.0 }) / whole.max(1.0);
    let mut x = 0.0;
    let mut parts = format!("<rect class=\"rest\" x=\"0\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{BAR}\"/>");
    for (place, need) in needs.iter().enumerate() {
        let width = need.bytes as f64 * scale;
        let text = format!("{}: {}", need.purpose.name(), Quantity::Bytes(need.bytes).both());
        parts += &format!(
            "<rect class=\"part {}\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{BAR}\">{}</rect>\n",
            colour(place),
            tooltip(&text)
        );
        x += width;
    }
    parts += &once(peak, scale);
    parts += &budget(limit, if far { WIDTH - 1.0 } else { limit.drawn() * scale }, far);
    let label = format!("{title}: {} purposes; budget {}", needs.len(), limit.short());
    picture(&label, ONCE + ONCE_BAR + 6.0, &parts)
}

fn once(peak: Quantity, scale: f64) -> String {
    let (text, width) = (tooltip(&format!("peak: {}", peak.both())), (peak.drawn() * scale).min(WIDTH));
    format!("<rect class=\"once\" x=\"0\" y=\"{ONCE}\" width=\"{width:.1}\" height=\"{ONCE_BAR}\">{text}</rect>\n")
}

fn budget(limit: Quantity, x: f64, far: bool) -> String {
    let (text, dash) = (format!("budget: {}", limit.both()), if far { " far" } else { "" });
    let (low, high) = (ONCE + ONCE_BAR + 4.0, TOP - 4.0);
    // The name stands on the side where there is room.
    let (anchor, at) = if x > WIDTH / 2.0 { ("end", x) } else { ("start", x) };
    let arrow = if far { " →" } else { "" };
    let name = escape(&format!("budget {}{arrow}", limit.short()));
    format!(
        "<line class=\"mark{dash}\" x1=\"{x:.1}\" y1=\"{high}\" x2=\"{x:.1}\" y2=\"{low}\">{}</line>\
         <text class=\"tick\" x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{name}</text>\n",
        tooltip(&text),
        high - 3.0
    )
}

/// Purposes are ten at most; colours come again after eight.
fn colour(place: usize) -> &'static str {
    const COLOURS: [&str; 8] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
    COLOURS[place % COLOURS.len()]
}

fn numbers(needs: &[MemoryNeed], sums: &[(&str, Quantity)]) -> String {
    let row = |name: &str, bytes: Quantity| vec![name.to_owned(), bytes.short(), bytes.exact()];
    let mut rows: Vec<_> = needs.iter().map(|need| row(need.purpose.name(), Quantity::Bytes(need.bytes))).collect();
    rows.extend(sums.iter().map(|(name, bytes)| row(name, *bytes)));
    table(&["purpose", "about", "exactly"].map(str::to_owned), &rows)
}
