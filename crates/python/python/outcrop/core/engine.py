# Generated from the table of algorithms by crates/outcrop/tests/generated: `make generated` rewrites it.
"""Execution options."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .parameters import Path


@dataclass(frozen=True, kw_only=True)
class Engine:
    """Execution options, which change how a run works but not its result.

    Pass them to an algorithm, or to :func:`outcrop.open` as the default of all runs. An option for certain models
    selects such a model, and is refused if the algorithm supports none of them.

    Examples
    --------
    >>> import outcrop as oc
    >>> g = oc.build([("a", "b")], "letters.outcrop")
    >>> oc.bfs(g, "a", options=oc.Engine(model="messages", delivery="async")).stats["model"]
    'messages'
    """

    model: Literal["auto", "edge_map", "interval", "messages", "gas"] | None = None
    """Execution model; auto is the preferred model of the algorithm, or one that fits in memory. Default:
    ``"auto"``."""

    values: Literal["auto", "memory", "disk"] | None = None
    """Location of vertex values; auto is memory if they fit, otherwise disk (models interval, messages and gas).
    Default: ``"auto"``."""

    layout: Literal["chunked", "compact", "csr", "sliding"] | None = None
    """Layout to read; the run fails if the store has another. Default: the layout of the store."""

    schedule: Literal["auto", "select", "sweep"] | None = None
    """Read the lists of active vertices (select) or all lists (sweep); auto is the cheaper, chosen per iteration.
    Default: ``"auto"``."""

    delivery: Literal["sync", "async"] | None = None
    """Deliver messages in the next superstep (sync) or, where possible, in the same (async). Default: ``"sync"``. Only
    in the model ``"messages"``."""

    edge_log: Literal["on", "off"] | None = None
    """Log the lists of vertices that are likely to be active, if their pages contain few others. Default: ``"on"``.
    Only in the model ``"messages"``."""

    shards: Literal["auto", "static", "ads", "ods", "edge-list"] | None = None
    """Read all edges (static), build shards per iteration (ads) or in shadow iterations (ods), or stream edges; auto is
    static for bp and for pagerank without ``delta``, otherwise ods. Default: ``"auto"``. Only in the model
    ``"gas"``."""

    updated_share: float | str | None = None
    """Read only changed edges (dynamic shards) once an iteration changes less than this fraction of all edges. Default:
    0.15. Only in the model ``"gas"``."""

    delay_buffer: int | str | None = None
    """Read all edges again when changes of vertices whose edges were not read exceed this size. Default: 100KiB; 0 (no
    delays) for heat, for pagerank without ``delta``, and with ``iterations``. Only in the model ``"gas"``."""

    arrivals: Path | None = None
    """Edges that arrive during bfs, sssp, wcc or pagerank ``delta``; the store does not change. Only in the model
    ``"gas"``."""

    arrive_after: int | None = None
    """Iteration after which the edges of ``arrivals`` arrive; 0 is after initialization. Default: 0. Only in the model
    ``"gas"``. Needs ``arrivals``."""
