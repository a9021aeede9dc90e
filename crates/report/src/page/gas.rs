//! Facts and charts of shards and edge values.

use super::chart::{Chart, Curve, Half, Shape, strip};
use super::columns::{Column, Columns};
use super::document::Part;
use super::facts::Fact;
use super::units::{Quantity, count, share};
use crate::record::GasRecord;
use outcrop_types::GasStepFigures;

/// Returns the section of a run with the model `gas`.
pub(super) fn gas_part(record: &GasRecord) -> Part {
    let figures = &record.figures;
    let facts = vec![
        Fact::text("shards", &*record.shards),
        Fact::text("threshold of dynamic shards", share(record.updated_share, 1.0)),
        Fact::bytes("delay buffer before a shadow iteration", record.delay_buffer),
        Fact::bytes("delay buffer, peak", figures.peak_delay_bytes),
        Fact::count("arcs", figures.arcs),
        Fact::count("intervals", figures.intervals.into()),
        Fact::bytes("shards written before the run", figures.prepared_bytes),
        Fact::seconds("seconds writing shards", record.seconds_preparing),
        Fact::count("dynamic shard builds", figures.dynamic_sets.into()),
        Fact::count("shadow iterations", figures.shadows.into()),
        Fact::bytes("edge values and dynamic shards, read", figures.bytes_read),
        Fact::bytes("edge values and dynamic shards, written", figures.bytes_written),
        Fact::text("read by shadow iterations", of_all(figures.shadow_bytes_read, |step| step.bytes_read, record)),
        Fact::text(
            "written by shadow iterations",
            of_all(figures.shadow_bytes_written, |step| step.bytes_written, record),
        ),
        Fact::bytes("temporary files, peak", figures.peak_disk_bytes),
    ];
    Part { name: "Shards", facts }
}

/// Returns the share of `part` in the total over all steps.
fn of_all(part: u64, of: impl Fn(&GasStepFigures) -> u64, record: &GasRecord) -> String {
    share(part as f64, record.figures.steps.iter().map(of).sum::<u64>() as f64)
}

/// Returns the charts of such a run: required and scanned arcs, and the resulting I/O.
pub(super) fn gas_charts(record: &GasRecord) -> impl Iterator<Item = String> {
    let mut passed = 0;
    let columns = Columns::named(&record.figures.steps, |part| {
        let column = name(part, passed);
        passed += iterations(part);
        column
    });
    [arcs(&columns), shadows(&columns), traffic(&columns)].into_iter().flatten()
}

/// Returns the number of steps that are counted as iterations.
fn iterations(part: &[GasStepFigures]) -> u32 {
    part.iter().map(|step| u32::from(!step.shadow)).sum()
}

/// Returns the name of a column that follows `passed` iterations. The first iteration, which initializes the vertices,
/// has the number 0.
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

fn arcs(columns: &Columns<'_, GasStepFigures>) -> Option<String> {
    let caption =
        "Arcs processed by an iteration, and arcs updated by it, which ideal shards of the next iteration contain.";
    let curves: &[Curve<'_, GasStepFigures>] = &[
        ("arcs of the shards", "c1", &|step| Quantity::Count(step.arcs)),
        ("updated arcs", "c2", &|step| Quantity::Count(step.updated_arcs)),
    ];
    Chart::new(Shape::Lines, "Arcs of the shards, and updated arcs", caption, columns, curves).figure()
}

fn shadows(columns: &Columns<'_, GasStepFigures>) -> Option<String> {
    let shadow = Half {
        names: ["shadow iteration", "iteration"],
        colors: ["c4", "c1"],
        shares: columns.shares(|step| step.shadow),
    };
    let delays = Half {
        names: ["changes delayed", "none delayed"],
        colors: ["c3", "c2"],
        shares: columns.shares(|step| step.delayed > 0),
    };
    let caption =
        "Shadow iterations apply delayed changes on all shards; the chart shows whether the delay buffer has changes.";
    strip("Shadow iterations", caption, columns.names(), &[shadow, delays])
}

fn traffic(columns: &Columns<'_, GasStepFigures>) -> Option<String> {
    let curves: &[Curve<'_, GasStepFigures>] = &[
        ("bytes read", "c1", &|step| Quantity::Bytes(step.bytes_read)),
        ("bytes written", "c4", &|step| Quantity::Bytes(step.bytes_written)),
    ];
    let caption = "Bytes read and written by each iteration.";
    Chart::new(Shape::Bars, "Shards and edge values", caption, columns, curves).figure()
}
