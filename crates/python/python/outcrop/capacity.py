"""Needs of runs, on graphs that are there and on others."""

from __future__ import annotations

import json
from typing import Any, Literal

from . import _outcrop
from .engine import Engine
from .exceptions import UsageError
from .graph import Graph
from .parameters import arguments


def estimate(
    graph: Graph | None = None,
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
    """Return what a run needs, without running it; or what a graph will need that is not there.

    Parameters
    ----------
    graph : Graph, optional
        The graph.
    algorithm : str, optional
        Its name here or on the command line. Without a graph it may be left out: the store and its build remain.
    vertices, edges : int
        In place of a graph: the size of one that is not there, also as ``3.5e9``.
    profile : str, optional
        Its kind: ``"social"`` if not given, ``"web"``, ``"road"`` or ``"kronecker"``.
    directed, weighted : bool, optional
        Whether its edges have a direction, as they have if not given; and weights, which they then have not.
    memory, threads, disk_gbps : optional
        The machine for it: memory as for :func:`open`, threads, and the speed of its disk in GB a second; those of this
        one if not given. Of a graph that is there, its own count.
    options : Engine, optional
        How the run would go about its work.
    **parameters
        Those of the algorithm, by their names on the command line with underscores; ``normalized``, and ``weight``.

    Returns
    -------
    dict
        ``minimum``, the least budget that the run fits, in bytes; ``all_in_memory``, the budget with which nothing
        is read twice; ``plan``, the minimum by purpose; ``model`` and ``values_on_disk``, how the run goes with the
        graph's memory; ``temporary_bytes``, the room that it needs on disk; ``others``, the other ways with their
        minimum; ``outgrown``, if the machine is too small, with the command for Spark. For a graph that is not there:
        ``store_bytes``, ``build``, ``run``, which has all of that, and ``outgrown``.

    Raises
    ------
    UsageError
        There is neither a graph nor a size, or both.

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
                raise UsageError(f"{name} is of a graph that is not there, and one is given")
        if algorithm is None:
            raise UsageError("name the algorithm that is to run on the graph")
        needs = json.loads(graph._handle.estimate(algorithm, graph._arguments(algorithm, options, parameters)))
        return _by_purpose(needs)
    return _planned(planned, algorithm, options, parameters)


def _planned(
    planned: dict[str, Any], algorithm: str | None, options: Engine | None, parameters: dict[str, Any]
) -> dict[str, Any]:
    """Plan for a graph that is not there."""
    for name in ("vertices", "edges"):
        number = planned[name]
        if number is None:
            raise UsageError("give a graph, or vertices and edges of one that is not there")
        if number != int(number) or number < 0:
            raise UsageError(f"{name} is a whole number, such as 3.5e9, not {number}")
        planned[name] = int(number)
    if algorithm is None and (parameters or options):
        raise UsageError("options and parameters go with an algorithm")
    if planned["disk_gbps"] is not None and not 0 < planned["disk_gbps"] < float("inf"):
        raise UsageError(f"disk_gbps is a number above 0, not {planned['disk_gbps']}")
    usual = {"profile": "social", "directed": True, "weighted": False, "memory": "auto"}
    planned |= {name: value for name, value in usual.items() if planned[name] is None}
    given = {} if algorithm is None else arguments(algorithm, vars(options or Engine()) | parameters)
    needs: dict[str, Any] = json.loads(_outcrop.capacity(planned | {"memory": str(planned["memory"])}, algorithm, given))
    return needs | ({"run": _by_purpose(needs["run"])} if "run" in needs else {})


def _by_purpose(needs: dict[str, Any]) -> dict[str, Any]:
    return needs | {"plan": {need["purpose"]: need["bytes"] for need in needs["plan"]}}
