//! Facts and charts of shards and values of edges.

use super::Part;
use super::chart::{Chart, Half, Series, Shape, strip};
use super::columns::{Column, Columns};
use super::facts::Fact;
use super::units::{Quantity, count, share};
use crate::record::GasRecord;
use outcrop_types::GasStepFigures;

/// The section of a run in the model `gas`.
pub(super) fn gas_part(record: &GasRecord) -> Part {
    let figures = &record.figures;
    let number = |name, count| Fact::number(name, Quantity::Count(count));
    let bytes = |name, bytes| Fact::number(name, Quantity::Bytes(bytes));
    let facts = vec![
        Fact::text("shards", &*record.shards),
        Fact::text("dynamic below, of the edges", share(record.updated_share, 1.0)),
        bytes("delay buffer, before a shadow iteration", record.delay_buffer),
        bytes("delay buffer, at the most", figures.peak_delay_bytes),
        number("arcs", figures.arcs),
        number("intervals", figures.intervals.into()),
        bytes("shards written before the run", figures.prepared_bytes),
        Fact::number("seconds of writing them", Quantity::Seconds(record.seconds_preparing)),
        number("times that dynamic shards were made", figures.dynamic_sets.into()),
        number("shadow iterations", figures.shadows.into()),
        bytes("values of edges and dynamic shards, read", figures.bytes_read),
        bytes("values of edges and dynamic shards, written", figures.bytes_written),
        Fact::text("read by shadow iterations", of_all(figures.shadow_bytes_read, |step| step.bytes_read, record)),
        Fact::text(
            "written by shadow iterations",
            of_all(figures.shadow_bytes_written, |step| step.bytes_written, record),
        ),
        bytes("temporary files, at the most at once", figures.peak_disk_bytes),
    ];
    Part { name: "Shards", facts }
}

/// Share of `part` in what all steps moved.
fn of_all(part: u64, of: impl Fn(&GasStepFigures) -> u64, record: &GasRecord) -> String {
    share(part as f64, record.figures.steps.iter().map(of).sum::<u64>() as f64)
}

/// The charts of such a run: which arcs were needed and which were gone over, and what that moved.
pub(super) fn gas_charts(record: &GasRecord) -> Vec<String> {
    let mut passed = 0;
    let columns = Columns::named(&record.figures.steps, |part| {
        let column = name(part, passed);
        passed += iterations(part);
        column
    });
    vec![arcs(&columns), shadows(&columns), traffic(&columns)]
}

/// Steps that are counted as iterations.
fn iterations(part: &[GasStepFigures]) -> u32 {
    part.iter().map(|step| u32::from(!step.shadow)).sum()
}

/// The name of a column before which `passed` iterations were. The first iteration, in which vertices begin, has the number 0.
fn name(part: &[GasStepFigures], passed: u32) -> Column {
    let first = passed.saturating_sub(u32::from(part.first().is_some_and(|step| step.shadow)));
    let last = (passed + iterations(part)).saturating_sub(1);
    let name = match part {
        [step] if step.shadow => format!("shadow iteration after iteration {}", count(first.into())),
        [_] => format!("iteration {}", count(first.into())),
        _ => format!("mean of iterations {} to {}", count(first.into()), count(last.into())),
    };
    Column { first, name }
}

fn series(
    name: &'static str,
    colour: &'static str,
    columns: &Columns<'_, GasStepFigures>,
    of: impl Fn(&GasStepFigures) -> Quantity,
) -> Series {
    Series { name, colour, values: columns.means(of) }
}

fn arcs(columns: &Columns<'_, GasStepFigures>) -> String {
    Chart {
        title: "Arcs of the shards, and updated arcs",
        caption:
            "Arcs that an iteration went over, and arcs that it gave a value: what ideal shards of the next would hold."
                .to_owned(),
        shape: Shape::Lines,
        columns: columns.names(),
        series: vec![
            series("arcs of the shards", "c1", columns, |step| Quantity::Count(step.arcs)),
            series("updated arcs", "c2", columns, |step| Quantity::Count(step.updated_arcs)),
        ],
        mark: None,
    }
    .figure()
}

fn shadows(columns: &Columns<'_, GasStepFigures>) -> String {
    let shadow = Half {
        names: ["shadow iteration", "iteration"],
        colours: ["c4", "c1"],
        shares: columns.shares(|step| step.shadow),
    };
    let delays = Half {
        names: ["changes delayed", "none delayed"],
        colours: ["c3", "c2"],
        shares: columns.shares(|step| step.delayed > 0),
    };
    let caption =
        "Shadow iterations take up delayed changes on all shards; whether changes were left in the delay buffer.";
    strip("Shadow iterations", caption, columns.names(), &[shadow, delays])
}

fn traffic(columns: &Columns<'_, GasStepFigures>) -> String {
    Chart {
        title: "Shards and values of edges",
        caption: "Bytes that each iteration moved.".to_owned(),
        shape: Shape::Bars,
        columns: columns.names(),
        series: vec![
            series("bytes read", "c1", columns, |step| Quantity::Bytes(step.bytes_read)),
            series("bytes written", "c4", columns, |step| Quantity::Bytes(step.bytes_written)),
        ],
        mark: None,
    }
    .figure()
}
