//! Lists of any layout behind one type: programs of this model are compiled once, and not once for each layout. What is called through it
//! reads many lists.

use super::batch::CopyLists;
use outcrop_store::access::{AccessFigures, Adjacency, ListPage};
use outcrop_types::{Direction, Error, Result, VertexId, VertexSet};

/// The lists that are open.
pub struct OpenLists<'g> {
    source: Box<dyn Source + 'g>,
    open: [bool; 2],
    undirected: bool,
}

/// What is asked of lists.
trait Source: Sync {
    fn select(&self, direction: Direction, set: &VertexSet, copy: &CopyLists<'_>) -> Result<()>;

    fn list_page(&self, direction: Direction, vertex: VertexId) -> Option<ListPage>;

    fn arcs(&self) -> u64;

    fn figures(&self) -> AccessFigures;
}

/// Lists of one layout.
struct OfLayout<'g, A> {
    out: Option<&'g A>,
    into: Option<&'g A>,
}

impl<'g, A> OfLayout<'g, A> {
    const fn of(&self, direction: Direction) -> Option<&'g A> {
        match direction {
            Direction::Out => self.out,
            Direction::In => self.into,
        }
    }

    fn is_one(&self) -> bool {
        matches!((self.out, self.into), (Some(out), Some(into)) if std::ptr::eq(out, into))
    }
}

impl<A: Adjacency> Source for OfLayout<'_, A> {
    fn select(&self, direction: Direction, set: &VertexSet, copy: &CopyLists<'_>) -> Result<()> {
        match self.of(direction) {
            Some(lists) => copy.select(lists, set),
            None => Err(Error::Usage(format!("this needs {}-lists", direction.name()))),
        }
    }

    fn list_page(&self, direction: Direction, vertex: VertexId) -> Option<ListPage> {
        self.of(direction)?.list_page(vertex)
    }

    fn arcs(&self) -> u64 {
        self.out.or(self.into).map_or(0, Adjacency::num_arcs)
    }

    fn figures(&self) -> AccessFigures {
        let of = |lists: Option<&A>| lists.map(|lists| lists.statistics().figures()).unwrap_or_default();
        if self.is_one() { of(self.out) } else { of(self.out) + of(self.into) }
    }
}

impl<'g> OpenLists<'g> {
    /// The out-lists and the in-lists, where they are open; of an undirected graph they are the same.
    pub fn new<A: Adjacency>(out: Option<&'g A>, into: Option<&'g A>) -> Self {
        let source = OfLayout { out, into };
        let (open, undirected) = ([out.is_some(), into.is_some()], source.is_one());
        Self { source: Box::new(source), open, undirected }
    }

    /// Whether out- and in-lists are the same.
    pub(in crate::messages) const fn undirected(&self) -> bool {
        self.undirected
    }

    /// Whether the lists of `direction` are open.
    pub(in crate::messages) const fn is_open(&self, direction: Direction) -> bool {
        match direction {
            Direction::Out => self.open[0],
            Direction::In => self.open[1],
        }
    }

    /// Copies the lists of the members of `set`.
    pub(in crate::messages) fn select(
        &self,
        direction: Direction,
        set: &VertexSet,
        copy: &CopyLists<'_>,
    ) -> Result<()> {
        self.source.select(direction, set, copy)
    }

    /// The page in which a list begins ([`Adjacency::list_page`]).
    pub(in crate::messages) fn list_page(&self, direction: Direction, vertex: VertexId) -> Option<ListPage> {
        self.source.list_page(direction, vertex)
    }

    /// Entries of all lists of a direction.
    pub(in crate::messages) fn arcs(&self) -> u64 {
        self.source.arcs()
    }

    /// Counts of all reads so far.
    pub(in crate::messages) fn figures(&self) -> AccessFigures {
        self.source.figures()
    }
}
