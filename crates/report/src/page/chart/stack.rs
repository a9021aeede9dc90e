//! Stacked bar of memory by purpose, compared with the budget.

use super::figure::figure;
use super::frame::{WIDTH, picture};
use crate::page::markup::{escape, table, tooltip};
use crate::page::units::{Quantity, share};
use outcrop_types::{MemoryNeed, MemoryPlan};

const TOP: f64 = 20.0;
const BAR: f64 = 30.0;
/// Top of the bar of peak memory, below the parts.
const ONCE: f64 = TOP + BAR + 4.0;
const ONCE_BAR: f64 = 8.0;
/// Multiple of the reserved memory above which the budget is not drawn.
const FAR: f64 = 5.0;

/// Returns the figure of `memory`, with the budget as a line if it is close; `None` if nothing was reserved.
pub(crate) fn stack(memory: &MemoryPlan, budget: u64, peak: u64) -> Option<String> {
    let title = "Memory by purpose";
    let (sum, limit) = (Quantity::Bytes(memory.total()), Quantity::Bytes(budget));
    if sum.drawn() <= 0.0 {
        return None;
    }
    let far = limit.drawn() > sum.drawn() * FAR;
    let apart = if sum.drawn() > peak as f64 { " The peaks of the purposes occur at different times." } else { "" };
    let line = if far { "" } else { " The line is the budget." };
    let caption = format!(
        "Peak reservation by purpose. Used at once: {}, {} of the budget of {} (gray bar).{apart}{line}",
        Quantity::Bytes(peak).short(),
        share(peak as f64, budget as f64),
        limit.short(),
    );
    let key = |(place, need): (usize, &MemoryNeed)| {
        (color(place), format!("{} {}", need.purpose.name(), Quantity::Bytes(need.bytes).short()))
    };
    let once = ("once", format!("used at once {}", Quantity::Bytes(peak).short()));
    let legend: Vec<_> = memory.needs().iter().enumerate().map(key).chain([once]).collect();
    let drawn = drawing(title, memory.needs(), [sum, limit, Quantity::Bytes(peak)], far);
    let sums = [("all purposes", sum), ("used at once", Quantity::Bytes(peak)), ("budget", limit)];
    Some(figure(title, &caption, &legend, &drawn, &numbers(memory.needs(), &sums)))
}

fn drawing(title: &str, needs: &[MemoryNeed], [sum, limit, peak]: [Quantity; 3], far: bool) -> String {
    let whole = if far { sum.drawn() } else { sum.drawn().max(limit.drawn()) };
    let scale = (WIDTH - 2.0) / whole.max(1.0);
    let mut x = 0.0;
    let mut parts = format!("<rect class=\"rest\" x=\"0\" y=\"{TOP}\" width=\"{WIDTH}\" height=\"{BAR}\"/>");
    for (place, need) in needs.iter().enumerate() {
        let width = need.bytes as f64 * scale;
        let text = format!("{}: {}", need.purpose.name(), Quantity::Bytes(need.bytes).both());
        parts += &format!(
            "<rect class=\"part {}\" x=\"{x:.1}\" y=\"{TOP}\" width=\"{width:.1}\" height=\"{BAR}\">{}</rect>\n",
            color(place),
            tooltip(&text)
        );
        x += width;
    }
    parts += &once(peak, scale);
    if !far {
        parts += &budget(limit, limit.drawn() * scale);
    }
    let label = format!("{title}: {} purposes; budget {}", needs.len(), limit.short());
    picture(&label, ONCE + ONCE_BAR + 6.0, &parts)
}

fn once(peak: Quantity, scale: f64) -> String {
    let (text, width) = (tooltip(&format!("used at once: {}", peak.both())), (peak.drawn() * scale).min(WIDTH));
    format!("<rect class=\"once\" x=\"0\" y=\"{ONCE}\" width=\"{width:.1}\" height=\"{ONCE_BAR}\">{text}</rect>\n")
}

fn budget(limit: Quantity, x: f64) -> String {
    let text = format!("budget: {}", limit.both());
    let (low, high) = (ONCE + ONCE_BAR + 4.0, TOP - 4.0);
    // Put the name on the side with more room.
    let anchor = if x > WIDTH / 2.0 { "end" } else { "start" };
    let name = escape(&format!("budget {}", limit.short()));
    format!(
        "<line class=\"mark\" x1=\"{x:.1}\" y1=\"{high}\" x2=\"{x:.1}\" y2=\"{low}\">{}</line>\
         <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{name}</text>\n",
        tooltip(&text),
        high - 3.0
    )
}

/// Returns the color of a purpose; colors repeat after eight.
fn color(place: usize) -> &'static str {
    const COLORS: [&str; 8] = ["c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"];
    COLORS[place % COLORS.len()]
}

fn numbers(needs: &[MemoryNeed], sums: &[(&str, Quantity)]) -> String {
    let row = |name: &str, bytes: Quantity| vec![name.to_owned(), bytes.short(), bytes.exact()];
    let mut rows: Vec<_> = needs.iter().map(|need| row(need.purpose.name(), Quantity::Bytes(need.bytes))).collect();
    rows.extend(sums.iter().map(|(name, bytes)| row(name, *bytes)));
    table(&["purpose", "about", "exactly"].map(str::to_owned), &rows)
}
