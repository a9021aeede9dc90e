//! Executes programs one vertex after the other.

use crate::graphs::Graph;
use outcrop_messages::{MessageProgram, MessageRequirements, Mutation, Next, Outbox, Superstep, TOTALS, Vertex};

/// Way in which messages get to vertices.
#[derive(Clone, Copy, Debug, Default)]
pub struct How {
    /// Vertices after this many consecutive ones get messages in the same superstep: asynchronous delivery.
    pub at_once_after: Option<u32>,
    /// True if messages are combined.
    pub combines: bool,
    /// True if the last message comes first.
    pub turned: bool,
}

impl How {
    pub const SYNCHRONOUS: [Self; 2] = [
        Self { at_once_after: None, combines: true, turned: false },
        Self { at_once_after: None, combines: false, turned: true },
    ];
    pub const ALL: [Self; 4] = [
        Self::SYNCHRONOUS[0],
        Self::SYNCHRONOUS[1],
        Self { at_once_after: Some(1), combines: true, turned: true },
        Self { at_once_after: Some(17), combines: false, turned: false },
    ];
}

/// State that is left in the end.
pub struct Ended<P: MessageProgram> {
    pub values: Vec<P::Value>,
    pub records: Vec<(u32, P::Record)>,
    pub supersteps: u32,
    /// Number of times that each vertex was computed.
    pub computed: Vec<u32>,
}

/// Messages, totals and records that a vertex sends.
struct Sent<P: MessageProgram> {
    messages: Vec<(u32, P::Message)>,
    totals: [f64; TOTALS],
    records: Vec<(u32, P::Record)>,
}

impl<P: MessageProgram> Outbox<P::Message, P::Record> for Sent<P> {
    fn send(&mut self, to: &[u32], message: P::Message) {
        self.messages.extend(to.iter().map(|to| (*to, message)));
    }

    fn contribute(&mut self, number: usize, amount: f64) {
        self.totals[number] += amount;
    }

    fn record(&mut self, key: u32, record: P::Record) {
        self.records.push((key, record));
    }

    fn change(&mut self, mutation: Mutation) {
        panic!("{mutation:?}");
    }
}

/// Runs `program` on `values`, beginning with the `active` vertices.
pub fn execute<P: MessageProgram>(
    (graph, requirements): (&Graph, &MessageRequirements),
    program: &P,
    mut values: Vec<P::Value>,
    active: &[u32],
    how: How,
) -> Ended<P> {
    assert_eq!(requirements.value_bytes, size_of::<P::Value>() as u64);
    assert_eq!((requirements.message_bytes, requirements.combines), (size_of::<P::Message>() as u64, P::COMBINES));
    let count = graph.vertices as usize;
    let [mut inbox, mut next]: [Vec<Vec<P::Message>>; 2] = std::array::from_fn(|_| vec![Vec::new(); count]);
    let mut is_active = vec![false; count];
    active.iter().for_each(|vertex| is_active[*vertex as usize] = true);
    let mut superstep = Superstep { number: 0, vertices: graph.vertices, totals: [0.0; TOTALS] };
    let mut sent = Sent::<P> { messages: Vec::new(), totals: [0.0; TOTALS], records: Vec::new() };
    let mut computed = vec![0; count];
    let edges_of = |id: u32| graph.edges_of(id, requirements.sides, requirements.weighted);
    let mut words: Vec<_> = (0..graph.vertices).map(|id| vec![0; edges_of(id).len() * P::EDGE_WORDS]).collect();
    while is_active.contains(&true) || inbox.iter().any(|messages| !messages.is_empty()) {
        for id in 0..graph.vertices {
            let at = id as usize;
            let mut messages = std::mem::take(&mut inbox[at]);
            if messages.is_empty() && !is_active[at] {
                continue;
            }
            if how.turned {
                messages.reverse();
            }
            if P::COMBINES && how.combines {
                messages = messages.into_iter().reduce(|one, other| program.combine(one, other)).into_iter().collect();
            }
            let mut vertex =
                Vertex::<P>::new(id, superstep, (&mut values[at], &mut messages, &mut words[at]), &mut sent);
            if program.receive(&mut vertex) == Next::Compute {
                program.compute(&mut vertex, &edges_of(id));
                computed[at] += 1;
            }
            is_active[at] = vertex.stays_active();
            for (to, message) in sent.messages.drain(..) {
                let later = how.at_once_after.is_some_and(|block| to / block > id / block);
                let box_of_all = if later { &mut inbox } else { &mut next };
                box_of_all[to as usize].push(message);
            }
        }
        std::mem::swap(&mut inbox, &mut next);
        let ended = Superstep { totals: std::mem::take(&mut sent.totals), ..superstep };
        superstep = Superstep { number: ended.number + 1, ..ended };
        assert!(superstep.number < 100_000, "no end");
        if !program.continues(&ended) {
            break;
        }
    }
    Ended { values, records: sent.records, supersteps: superstep.number, computed }
}
