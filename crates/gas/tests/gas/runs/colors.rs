//! A program whose vertices need all of their in-edges.

use crate::graphs::Arcs;
use crate::interpreter::interpret;
use crate::programs::Colors;
use crate::setting::{KINDS, Setting, Way, run, ways};
use outcrop_gas::ShardKind;
use outcrop_types::Error;

#[test]
fn static_shards_show_all_edges() {
    let graph = Arcs::symmetric(500, 1200, 31);
    let expected = interpret(&Colors, &graph, 1000);
    assert!(
        graph.arcs.iter().all(|(one, other, _)| { expected.values[*one as usize] != expected.values[*other as usize] })
    );
    let fixed = ways(&[0, 100], false).into_iter().filter(|way| way.options.shards == ShardKind::Static);
    for way in fixed.chain([Way::new(ShardKind::Auto, 1.0, 0)]) {
        let came = run(&Colors, &graph, way, 1000);
        assert!(came.values == expected.values && came.iterations == expected.iterations, "{way:?}");
    }
}

#[test]
fn dynamic_shards_are_refused_and_it_is_said_why() {
    for kind in KINDS.into_iter().filter(|kind| *kind != ShardKind::Static) {
        let mut setting = Setting::new(&Arcs::symmetric(500, 1200, 31), Way::new(kind, 0.3, 0));
        setting.furnish::<Colors>();
        let error = setting.run(&Colors, 1000).unwrap_err();
        let Error::Usage(message) = &error else { panic!("{error}") };
        assert!(message.contains("in-edges") && message.contains("static"), "{message}");
        assert_eq!(setting.budget.available(), setting.budget.limit());
    }
}
