"""Estimates of runs and builds."""

from __future__ import annotations

import json
from typing import Any, Literal

from .. import _outcrop
from ..exceptions import UsageError
from .engine import Engine
from .graph import Graph, opened
from .parameters import Path, arguments


def estimate(
    graph: Graph | Path | None = None,
    algorithm: str | None = None,
    *,
    vertices: float | None = None,
    edges: float | None = None,
    profile: Literal["social", "web", "road", "kronecker"] | None = None,
    directed: bool | None = None,
    weighted: bool | None = None,
    memory: int | str | None = None,
    threads: int | None = None,
    disk_gbps: float | None = None,
    options: Engine | None = None,
    **parameters: Any,
) -> dict[str, Any]:
    """Estimate memory, disk space and time of a run without running it, for a graph or for a planned graph.

    Parameters
    ----------
    graph : Graph or path, optional
        Graph to run on, or the path of its store.
    algorithm : str, optional
        Name in Python or on the command line. Optional for a planned graph: the estimate then covers the store and its
        build.
    vertices, edges : int
        Size of a planned graph, also as ``3.5e9``.
    profile : str, optional
        Type of the planned graph: ``"social"`` (default), ``"web"``, ``"road"`` or ``"kronecker"``.
    directed, weighted : bool, optional
        Whether the planned graph is directed (default True) and weighted (default False).
    memory, threads, disk_gbps : optional
        The machine for the planned graph: memory as for :func:`open`, number of threads, and disk speed in GB/s.
        Default: this machine. An existing graph uses its own settings.
    options : Engine, optional
        Execution options.
    **parameters
        Parameters of the algorithm.

    Returns
    -------
    dict
        ``minimum``, the smallest sufficient budget in bytes; ``all_in_memory``, the budget with which nothing is read
        twice; ``plan``, the minimum by purpose; ``model`` and ``values_on_disk``, the execution chosen for the memory
        budget; ``temporary_bytes``, the disk space for temporary files; ``others``, the alternatives with their
        minimum; ``outgrown``, if the machine is too small, with the command for Spark. For a planned graph:
        ``store_bytes``, ``build``, ``run`` with all of the above, and ``outgrown``.

    Raises
    ------
    UsageError
        If neither a graph nor a size is given, or both.

    Examples
    --------
    >>> import outcrop as oc
    >>> needs = oc.estimate(oc.build([(1, 2)], "pair.outcrop"), "pagerank")
    >>> needs["minimum"] == sum(needs["plan"].values())
    True
    >>> oc.estimate(algorithm="bfs", vertices=1e6, edges=16e6)["run"]["model"]
    'edge_map'
    """
    planned: dict[str, Any] = {"vertices": vertices, "edges": edges, "profile": profile, "directed": directed}
    planned |= {"weighted": weighted, "memory": memory, "threads": threads, "disk_gbps": disk_gbps}
    if graph is not None:
        for name, value in planned.items():
            if value is not None:
                raise UsageError(f"{name} describes a planned graph and cannot be combined with graph")
        if algorithm is None:
            raise UsageError("algorithm is required for a graph")
        with opened(graph) as own:
            needs = json.loads(own._handle.estimate(algorithm, own._arguments(algorithm, options, parameters)))
        return _by_purpose(needs)
    return _planned(planned, algorithm, options, parameters)


def _planned(
    planned: dict[str, Any], algorithm: str | None, options: Engine | None, parameters: dict[str, Any]
) -> dict[str, Any]:
    """Estimate for a planned graph."""
    for name in ("vertices", "edges"):
        number = planned[name]
        if number is None:
            raise UsageError("pass a graph, or vertices and edges of a planned graph")
        if number != int(number) or number < 0:
            raise UsageError(f"{name} must be an integer such as 3.5e9, not {number}")
        planned[name] = int(number)
    if algorithm is None and (parameters or options):
        raise UsageError("options and parameters need an algorithm")
    if planned["disk_gbps"] is not None and not 0 < planned["disk_gbps"] < float("inf"):
        raise UsageError(f"disk_gbps must be a number above 0, not {planned['disk_gbps']}")
    usual = {"profile": "social", "directed": True, "weighted": False, "memory": "auto"}
    planned |= {name: value for name, value in usual.items() if planned[name] is None}
    given = {} if algorithm is None else arguments(algorithm, vars(options or Engine()) | parameters)
    needs: dict[str, Any] = json.loads(
        _outcrop.capacity(planned | {"memory": str(planned["memory"])}, algorithm, given)
    )
    return needs | ({"run": _by_purpose(needs["run"])} if "run" in needs else {})


def _by_purpose(needs: dict[str, Any]) -> dict[str, Any]:
    return needs | {"plan": {need["purpose"]: need["bytes"] for need in needs["plan"]}}
