"""Profile, run history, checks and pinned lists of a store."""

from __future__ import annotations

import json
from typing import Any

from .facts import Facts


class Upkeep(Facts):
    """Profile, run history, checks and pinned lists of a store."""

    def profile(self, *, sources: int = 256, wedges: int = 10000, seed: int = 1) -> dict[str, Any]:
        """Measure degrees, components, clustering and distances of the graph.

        Clustering and distances of larger graphs are estimated from samples. All steps run within the memory of the
        graph, and do not appear in the run history.

        Parameters
        ----------
        sources
            Number of randomly chosen source vertices from which distances are measured.
        wedges
            Number of random vertices to sample for the clustering, each with one pair of neighbors.
        seed
            Random seed.

        Returns
        -------
        dict
            The profile, with the keys of ``outcrop profile --json``.

        Raises
        ------
        BudgetError
            If the memory budget is too small.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2), (2, 3), (3, 1), (3, 4)], "profile.outcrop", directed=False)
        >>> profile = g.profile()
        >>> profile["degrees"]["both"]["max"], profile["components"]["count"], profile["distances"]["pairs"]
        (3, 1, [8, 4])
        """
        profile: dict[str, Any] = json.loads(self._handle.profile(sources, wedges, seed, self._progress))
        return profile

    def runs(self) -> list[dict[str, Any]]:
        """Return the run history of the store, oldest run first.

        Every run writes a small file to the folder ``runs`` of the store, unless the environment variable
        ``OUTCROP_NO_HISTORY`` was set when the graph was opened; the latest 1,000 are kept. ``outcrop runs STORE RUN``
        shows more about a run.

        Returns
        -------
        list of dict
            ``id``, ``started`` in seconds since 1970, ``algorithm``, given ``parameters``, ``exit`` (status: ``ok``,
            ``not_converged``, ``cancelled`` or ``failed``), ``uuid`` and ``generation`` of the store, ``seconds``,
            and ``iterations``, ``bytes_read`` and ``memory_peak``, which are ``None`` for unfinished runs;
            ``error`` for failed runs. pandas and Polars can convert the list to a data frame.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(1, 2)], "pair.outcrop")
        >>> ranks = oc.pagerank(g, iterations=3)
        >>> [(run["algorithm"], run["iterations"]) for run in g.runs()]
        [('pagerank', 3)]
        """
        runs: list[dict[str, Any]] = json.loads(self._handle.runs())
        return runs

    def check(self) -> None:
        """Verify the checksums and the structure of the store.

        Raises
        ------
        CorruptStoreError
            If the store is damaged; names the first error.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").check()
        """
        self._handle.check(self._progress)

    def cache(
        self,
        size: int | str = "20%",
        *,
        select: str = "observed",
        rounds: int | None = None,
        seed: int | None = None,
        keep: bool = False,
    ) -> dict[str, Any]:
        """Choose adjacency lists to pin in memory, and save the selection in the store if searches read less with it.

        Parameters
        ----------
        size
            Total size of the pinned lists: a percentage of the lists per direction, or a size such as ``"200MiB"``.
        select
            ``"observed"``: lists on pages of which sample searches use little else; ``"gvs"``: greedy choice by the
            cost model of BASC (USENIX ATC 2019), without searches.
        rounds
            Number of times that ``"gvs"`` recomputes priorities. Default: after every list.
        seed
            Random seed of ``"observed"``.
        keep
            Save the selection without measuring sample searches.

        Returns
        -------
        dict
            The selection record, with the keys of ``outcrop cache --json``; without ``kept``, the store is unchanged.

        Raises
        ------
        BudgetError
            If the memory budget is too small.

        Examples
        --------
        >>> import outcrop as oc
        >>> g = oc.build([(i, 7 * i % 50) for i in range(50)] * 4, "wheel.outcrop")
        >>> [selection["direction"] for selection in g.cache("50%", keep=True)["selections"]]
        ['out', 'in']
        """
        parameters = (rounds, seed)
        record: dict[str, Any] = json.loads(self._handle.select(str(size), select, parameters, keep, self._progress))
        self._forget_info()
        return record

    def remove_cache(self) -> None:
        """Remove the pinned lists chosen by :meth:`cache`, if there are any.

        Examples
        --------
        >>> import outcrop as oc
        >>> oc.build([(1, 2)], "pair.outcrop").remove_cache()
        """
        self._handle.forget_selections(self._progress)
        self._forget_info()
