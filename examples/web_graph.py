# %% [markdown]
# # A web graph
#
# Ranks, communities and the effect of the vertex order, on a generated web graph. Replace the first cell by your own
# links.

# %%
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import polars as pl

import outcrop as oc

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path("work")
folder.mkdir(parents=True, exist_ok=True)
links = folder / "links.parquet"
oc.generate("web", links, vertices=20_000, edges=200_000, overwrite=True)

# %% [markdown]
# ## Build
#
# The generator numbers pages by host, as a crawler does, so neighbors have nearby IDs and `order="auto"` keeps the
# order.

# %%
g = oc.build(links, folder / "links.outcrop", dedup="first", self_loops="drop", memory="64MiB", overwrite=True)
print(g)
print(f"order {g.info()['order']}, {g.info()['bytes'] / g.num_edges:.1f} bytes per link for both directions")

# %% [markdown]
# ## Ranks
#
# A few pages have far more rank than all others.

# %%
ranks = oc.pagerank(g)
print(ranks)
ordered = ranks.to_polars().sort("pagerank", descending=True)["pagerank"]
print(f"the first 1% of the pages have {100 * ordered.head(len(g) // 100).sum():.0f}% of the rank")
plt.loglog(range(1, len(g) + 1), ordered)
plt.xlabel("page")
plt.ylabel("PageRank")
plt.savefig(folder / "ranks.png")

# %% [markdown]
# ## Communities
#
# Label propagation finds groups of pages that link to each other. Strong components are pages that reach each other.

# %%
labels = oc.label_propagation(g).to_polars()
sizes = labels.group_by("label").len().sort("len", "label", descending=[True, False])
print(f"{len(sizes):,} communities; the largest:", sizes["len"].head(5).to_list())
components = oc.strongly_connected_components(g)
print(components)

# %% [markdown]
# ## Around a page
#
# Queries read a few lists. `ego` returns the links among all pages within two clicks of the highest-ranked one.

# %%
best = int(ranks.top(1)[0]["node"])
around = g.ego(best, 2).to_polars()
print(f"page {best}: {g.degree(best, direction='in')} links to it, {len(around):,} links within two clicks")

# %% [markdown]
# ## Vertex order
#
# In a random order, neighbors are on different pages of the disk, and a search with little cache reads more.

# %%
rows: list[dict[str, object]] = []
for order in ("original", "degree", "norder", "random"):
    with g.convert(folder / f"{order}.outcrop", order=order, overwrite=True) as store:
        with oc.open(folder / f"{order}.outcrop", memory="64MiB", page_cache="64KiB", threads=1) as little:
            search = oc.bfs(little, best, options=oc.Engine(schedule="select")).stats
        rows.append({"order": order, "KiB": store.info()["bytes"] // 1024, "KiB read": search["bytes_read"] // 1024})
print(pl.DataFrame(rows))
