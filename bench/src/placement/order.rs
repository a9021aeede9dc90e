//! Orders in the form that the product accepts.

use super::gorder::{gorder, gorder_bytes, gorder_in_parts};
use crate::opened::Opened;
use crate::output::remark;
use outcrop::{Error, GivenOrder, Order, OrderParameters, Result};
use outcrop_placement::locality::PAGE_BYTES;
use outcrop_placement::order::{norder, norder_bytes, norder_roots, random};
use outcrop_store::layout::StoredLists;
use outcrop_types::{Direction, Permutation, SplitMix64, VertexId, VertexValues, number_from};

/// Computes the Gorder of the store `opened`, over the whole graph if that fits in memory, otherwise over parts of its
/// Norder. The window is the mean number of lists per page.
///
/// # Errors
/// Returns an error if the budget is too small, if a read fails or finds damage, or on interruption.
pub(crate) fn gorder_of(opened: &Opened) -> Result<GivenOrder> {
    let Opened { store, workers, budget, .. } = opened;
    let manifest = store.manifest();
    let arcs = manifest.arcs(Direction::Out).ok_or_else(|| Error::corrupt(store.folder(), "it has no out-lists"))?;
    let bytes = StoredLists::bytes_on_disk(store, Direction::Out).max(1);
    let window = ((PAGE_BYTES as f64 * f64::from(manifest.graph.vertices) / bytes as f64) as u32).max(1);
    let whole = gorder_bytes(manifest.graph.vertices, arcs);
    let order = if whole.saturating_add(opened.reading(Direction::Out)) <= budget.available() {
        gorder(&opened.lists(Direction::Out, whole)?, window, workers, budget)?
    } else {
        let start = norder_of(opened)?;
        // Longer parts are worth more than a page cache.
        let (order, parts) = gorder_in_parts(&opened.lists(Direction::Out, u64::MAX)?, start, window, workers, budget)?;
        remark(&format!("the graph does not fit in --memory; gorder reorders {parts} parts of the norder order"));
        order
    };
    let parameters = OrderParameters { window: Some(window), ..OrderParameters::default() };
    Ok(GivenOrder { name: Order::Gorder, parameters, new_ids: Permutation::from_order(&order) })
}

fn norder_of(opened: &Opened) -> Result<VertexValues<VertexId>> {
    let Opened { workers, budget, .. } = opened;
    let (into, out) = (opened.degrees(Direction::In)?, opened.degrees(Direction::Out)?);
    let roots = norder_roots(&into, &out, workers, budget)?;
    drop((into, out));
    norder(&opened.lists(Direction::Out, norder_bytes(opened.vertices()))?, &roots, workers, budget)
}

/// Shuffles about `percent` percent of `vertices` vertices among themselves; the others keep their positions.
pub(crate) fn partly_random(vertices: u32, percent: u32, seed: u64) -> GivenOrder {
    let parameters = OrderParameters { seed: Some(seed), percent: Some(percent), ..OrderParameters::default() };
    GivenOrder { name: Order::Random, parameters, new_ids: shuffled(vertices, percent, seed) }
}

fn shuffled(vertices: u32, percent: u32, seed: u64) -> Permutation {
    let numbers = SplitMix64::new(seed, 1);
    let chosen = |vertex: &VertexId| numbers.up_to(u64::from(*vertex), 99) < percent;
    let places: Vec<VertexId> = (0..vertices).filter(chosen).collect();
    let drawn = random(number_from(places.len()), seed);
    let mut order: Vec<VertexId> = (0..vertices).collect();
    for (place, other) in places.iter().zip(drawn.as_slice()) {
        order[*place as usize] = places[*other as usize];
    }
    Permutation::from_order(&order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_shuffled_and_the_rest_stays() {
        let moved = |percent: u32| {
            let order = shuffled(10_000, percent, 3);
            assert!(Permutation::from_new_ids(order.as_slice().to_vec()).is_some());
            (0..).zip(order.as_slice()).filter(|(old, new)| old != *new).count()
        };
        assert_eq!(moved(0), 0);
        assert!((1900..2100).contains(&moved(20)), "{}", moved(20));
        assert!(moved(100) > 9980);
    }
}
