"""Generated graphs."""

from __future__ import annotations

import os

from .. import _outcrop
from ..progress import Progress, listener
from .parameters import Path


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
    """Generate a synthetic graph and write its edges to a file.

    Parameters
    ----------
    kind : {"kronecker", "uniform", "web", "grid"}
        Kronecker graph of Graph500 with 2**``scale`` vertices and ``edge_factor`` edges per vertex; ``edges`` edges
        between ``vertices`` uniformly random vertices; a web graph of ``vertices`` pages ordered by host and ``edges``
        mostly local links; a grid of ``rows`` by ``columns`` in which every vertex has up to four neighbors, each edge
        listed once.
    path : path
        Output file: ``.bin`` (binary), ``.el``, ``.txt``, ``.csv`` or ``.tsv``; text also with ``.gz`` or ``.zst``.
    scale, edge_factor, vertices, edges, rows, columns : int
        See ``kind``.
    seed : int
        Random seed.
    weights : str, optional
        ``"uniform"`` (from 0 to 1) or a range of integers such as ``"1..255"``. Default: no weights.
    overwrite : bool
        Overwrite an existing file.
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
