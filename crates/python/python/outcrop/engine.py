# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` writes it anew.
"""Options of the engines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .parameters import Path


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Options of the engines: ways in which runs go about their work to the same answer.

    Given to an algorithm, or to :func:`outcrop.open` for all runs that are given none. An option of some models only is
    refused where the algorithm is written in none of them, and chooses a model that takes it where none is asked for.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b")], "letters.outcrop")
    >>> oc.bfs(g, "a", options=oc.Engine(model="messages", delivery="async")).stats["model"]
    'messages'
    """

    model: Literal["auto", "edge_map", "interval", "messages", "gas"] | None = None
    """How values flow along edges; auto is the algorithm's own where memory holds it, else one that it does hold. If not
    given: ``"auto"``."""

    values: Literal["auto", "memory", "disk"] | None = None
    """Where the values of vertices are kept: in memory, on disk (in the models interval, messages and gas), or in memory
    where it holds them. If not given: ``"auto"``."""

    layout: Literal["chunked", "compact", "csr", "sliding"] | None = None
    """The layout to read; an error where the store has another. If not given: the one that the store has."""

    schedule: Literal["auto", "select", "sweep"] | None = None
    """Whether the lists of active vertices are selected, or all are swept over; auto is what is estimated to take less, in
    each iteration. If not given: ``"auto"``."""

    delivery: Literal["sync", "async"] | None = None
    """Deliver messages in the next superstep, or where possible in the same. If not given: ``"sync"``. Only in the model
    ``"messages"``."""

    edge_log: Literal["on", "off"] | None = None
    """Log lists of vertices that are likely to be active, where pages hold little else. If not given: ``"on"``. Only in
    the model ``"messages"``."""

    shards: Literal["static", "ads", "ods", "edge-list"] | None = None
    """Whole shards in each iteration, dynamic ones made in each (ads) or in shadow iterations (ods), or streams of edges.
    If not given: ``"ods"``. Only in the model ``"gas"``."""

    updated_share: float | str | None = None
    """Make dynamic shards once an iteration updates less than this share of the edges: 30% or 0.3. If not given: 0.3. Only
    in the model ``"gas"``."""

    delay_buffer: int | str | None = None
    """Let a shadow iteration take up delayed changes once they take more than this. If not given: 100KiB; 0 where each
    iteration counts: with ``iterations``, and of pagerank without ``delta`` and heat. Only in the model ``"gas"``."""

    arrivals: Path | None = None
    """Edges between vertices of the graph that come while bfs, sssp, wcc or pagerank with ``delta`` run; the store stays
    as it is. Only in the model ``"gas"``."""

    arrive_after: int | None = None
    """The iteration after which these edges come; after 0 all vertices have their first value. If not given: 0. Only in
    the model ``"gas"``. Only together with ``arrivals``."""
