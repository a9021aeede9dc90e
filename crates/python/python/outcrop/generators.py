"""Generated graphs."""

from __future__ import annotations

import os

from . import _outcrop
from .parameters import Path
from .progress import Progress, listener


def generate(
    kind: str,
    path: Path,
    *,
    scale: int | None = None,
    edge_factor: int = 16,
    vertices: int | None = None,
    edges: int | None = None,
    rows: int | None = None,
    columns: int | None = None,
    seed: int = 1,
    weights: str | None = None,
    overwrite: bool = False,
    progress: Progress = None,
) -> int:
    """Write the edges of a generated graph to a file.

    Parameters
    ----------
    kind : {"kronecker", "uniform", "web", "grid"}
        Graph500's Kronecker graph with 2**``scale`` vertices and ``edge_factor`` edges a vertex; ``edges`` edges
        between ``vertices`` vertices drawn at random; so many links between pages that are numbered host by host, most
        of which lead nearby; a grid of ``rows`` by ``columns`` with each vertex joined to
        its four neighbours, each edge once.
    path : path
        ``.bin`` (binary), ``.el``, ``.txt``, ``.csv`` or ``.tsv``, the texts also with ``.gz`` or ``.zst``.
    scale, edge_factor, vertices, edges, rows, columns : int
        See ``kind``.
    seed : int
        The same seed gives the same edges.
    weights : str, optional
        ``"uniform"`` (over 0 to 1) or a range of whole numbers such as ``"1..255"``; without it, none.
    overwrite : bool
        Replace a file that stands there.
    progress : None, True or callable
        See :data:`outcrop.progress.Progress`.

    Returns
    -------
    int
        The number of edges.

    Examples
    --------
    >>> import outcrop as oc
    >>> oc.generate("kronecker", "edges.bin", scale=8)
    4096
    """
    arguments = {
        "kind": kind,
        "scale": scale,
        "edge_factor": edge_factor,
        "vertices": vertices,
        "edges": edges,
        "rows": rows,
        "columns": columns,
        "seed": seed,
        "weights": weights,
    }
    return _outcrop.generate(arguments, os.fspath(path), overwrite, listener(progress))
