# %% [markdown]
# # Ten questions
#
# Ten common questions about graphs, each answered in a few lines. The people, families and events are real data that
# comes with NetworkX. The roads are those of Iceland.

# %%
import sys
from itertools import pairwise
from math import cos, hypot, radians
from pathlib import Path

import networkx as nx
import polars as pl

import outcrop as oc

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path("work")
folder.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## 1. Which communities are there?
#
# The 34 members of a karate club and their friendships (Zachary, 1977); `weight=False` ignores how strong these are.
# Leiden finds groups with many edges inside and few to other groups. A community is named after its smallest ID.

# %%
karate = nx.karate_club_graph()
club = oc.build(karate, folder / "club.outcrop", weight=False, overwrite=True)
communities = oc.leiden(club)
print(communities)

# %% [markdown]
# ## 2. Which products are similar to this one?
#
# Purchases are edges between customers and products, and two products are similar if they have customers in common.
# Here the customers are 18 women and the products 14 social events, which they attended (Davis, Gardner and Gardner,
# 1941). The graph is undirected, so the neighbors of an event are its guests. The event most similar to E8 is E9: 9 of
# their 17 guests attended both.

# %%
events = oc.build(nx.davis_southern_women_graph(), folder / "events.outcrop", overwrite=True)
print(oc.similarity(events, "E8").top(3))
guests, others = set(events.neighbors("E8")), set(events.neighbors("E9"))
print(f"{len(guests & others)} of {len(guests | others)} guests attended both")

# %% [markdown]
# ## 3. Which roads cut off places if they are closed?
#
# The main roads of Iceland with 30 places along them, simplified: smaller roads and places are missing. The weight of a
# road is the straight distance between its ends. Positions are in degrees, north and east, most of them from
# [GeoNames](https://www.geonames.org) (CC BY 4.0).
#
# A bridge is an edge whose removal divides the graph. On this map, each bridge is the only road to a town on the coast.
# The ring road, which is the first one of the list, has no bridge.

# %%
ROADS = """
Reykjavík Selfoss Hvolsvöllur Vík Höfn Fáskrúðsfjörður Reyðarfjörður Egilsstaðir Reykjahlíð Akureyri Varmahlíð \
Blönduós Staðarskáli Borgarnes Reykjavík
Borgarnes Búðardalur Þingeyri Ísafjörður
Búðardalur Hólmavík Ísafjörður Bolungarvík
Hólmavík Staðarskáli
Varmahlíð Sauðárkrókur Siglufjörður Dalvík Akureyri
Akureyri Húsavík Vopnafjörður Egilsstaðir
Húsavík Reykjahlíð
Egilsstaðir Bakkagerði
Egilsstaðir Seyðisfjörður
Reyðarfjörður Eskifjörður Neskaupstaður
Reykjavík Keflavík Þorlákshöfn Selfoss
"""
PLACES = """
Akureyri 65.68 -18.09, Bakkagerði 65.53 -13.81, Blönduós 65.66 -20.28, Bolungarvík 66.16 -23.25, Borgarnes 64.54 -21.92
Búðardalur 65.11 -21.77, Dalvík 65.97 -18.53, Egilsstaðir 65.27 -14.39, Eskifjörður 65.07 -14.02
Fáskrúðsfjörður 64.93 -14.02, Hólmavík 65.70 -21.68, Húsavík 66.04 -17.34, Hvolsvöllur 63.75 -20.22, Höfn 64.25 -15.21
Keflavík 64.00 -22.56, Neskaupstaður 65.15 -13.68, Reyðarfjörður 65.03 -14.22, Reykjahlíð 65.64 -16.91
Reykjavík 64.14 -21.90, Sauðárkrókur 65.75 -19.64, Selfoss 63.93 -21.00, Seyðisfjörður 65.26 -14.01
Siglufjörður 66.15 -18.91, Staðarskáli 65.14 -21.07, Varmahlíð 65.55 -19.45, Vík 63.42 -19.01, Vopnafjörður 65.76 -14.83
Þingeyri 65.88 -23.49, Þorlákshöfn 63.86 -21.38, Ísafjörður 66.07 -23.13
"""
rows = [row.split() for row in PLACES.strip().replace(",", "\n").splitlines()]
position = {name: (float(north), float(east)) for name, north, east in rows}


def kilometers(one: str, other: str) -> int:
    (north, east), (north2, east2) = position[one], position[other]
    return round(111.2 * hypot(north - north2, (east - east2) * cos(radians((north + north2) / 2))))


sections = [section for road in ROADS.strip().splitlines() for section in pairwise(road.split())]
lengths = [kilometers(one, other) for one, other in sections]
roads = oc.build(sections, folder / "roads.outcrop", weight=lengths, directed=False, overwrite=True)
cuts = oc.bridges(roads).to_polars()
print(cuts.filter(pl.col("bridge").is_not_null()).select("bridge", "node"))

# %% [markdown]
# ## 4. Who connects two people?
#
# Characters of "Les Misérables" are neighbors if they appear in the same chapter (Knuth, 1993). A shortest path has the
# fewest steps.

# %%
novel = oc.build(nx.les_miserables_graph(), folder / "novel.outcrop", weight=False, overwrite=True)
print(oc.shortest_path(novel, "Napoleon", "Gavroche"))

# %% [markdown]
# ## 5. Who is important?
#
# The PageRank of a member is high if the friends have a high PageRank. The betweenness is high if many shortest paths
# between other members pass through the member. Both find the same two: 0 is the instructor of the club, 33 its
# president.

# %%
ranks = oc.pagerank(club)
print(ranks.top(2))
print(oc.betweenness_centrality(club).top(2))

# %% [markdown]
# ## 6. Who is close to everyone?
#
# Marriages between families of Renaissance Florence (Breiger and Pattison, 1986). Harmonic centrality adds 1 for each
# family at distance 1, 1/2 for each at distance 2, and so on. Closeness is the inverse of the mean distance. The Medici
# are first in both. Without `exact=True`, the values are estimates, which take far less time in large graphs.

# %%
florence = oc.build(nx.florentine_families_graph(), folder / "florence.outcrop", overwrite=True)
print(oc.harmonic_centrality(florence, exact=True).top(3))
print(oc.closeness_centrality(florence, exact=True).top(3))

# %% [markdown]
# ## 7. Which group is the densest?
#
# In the innermost core, every vertex has a large number of neighbors within the core. In the novel, these are the
# rebels of the barricade.

# %%
cores = oc.core_number(novel).to_polars()
core = cores.filter(pl.col("core_number") == pl.col("core_number").max())
least, names = core["core_number"][0], core["node"].to_list()
print(f"{len(names)} characters with at least {least} neighbors in the core: {', '.join(names)}")

# %% [markdown]
# ## 8. In which order can tasks be done?
#
# A Python package is installed after those that it requires; here are some of seaborn's. Packages of the same level can
# be installed at the same time.

# %%
REQUIRED = {
    "contourpy": ["numpy"],
    "matplotlib": ["contourpy", "kiwisolver", "numpy", "pillow", "python-dateutil"],
    "pandas": ["numpy", "python-dateutil"],
    "python-dateutil": ["six"],
    "seaborn": ["matplotlib", "numpy", "pandas"],
}
tasks = [(before, package) for package, required in REQUIRED.items() for before in required]
order = oc.topological_sort(oc.build(tasks, folder / "tasks.outcrop", overwrite=True)).to_polars()
for level, packages in order.sort("position").group_by("level", maintain_order=True).agg("node").rows():
    print(level, ", ".join(packages))

# %% [markdown]
# If six required pandas, there would be no such order. The packages of the cycle are in one strong component; `cyclic`
# also counts the packages that require one of them.

# %%
circular = oc.build([*tasks, ("pandas", "six")], folder / "circular.outcrop", overwrite=True)
print(oc.topological_sort(circular).stats["values"])
components = oc.strongly_connected_components(circular).to_polars()
print("cycle:", components.filter(pl.len().over("component") > 1)["node"].to_list())

# %% [markdown]
# ## 9. What is the cheapest network that connects everything?
#
# A minimum spanning forest has the roads to clear first after snow: they connect all places and have the smallest total
# length. Each row is a road: a place, its parent on the way to the first place, Akureyri, and the length.

# %%
forest = oc.spanning_forest(roads)
values = forest.stats["values"]
print(f"{values['edges']} of {roads.num_edges} roads, {values['total_weight']:,.0f} of {sum(lengths):,} km")
print(forest.to_polars().sort("weight", descending=True, nulls_last=True).head(3))

# %% [markdown]
# ## 10. How do I add the answers to a table of my own?
#
# `join` adds the values of a result to a data frame of pandas or Polars. The club later split between the instructor
# ("Mr. Hi") and the president ("Officer"). Only community 8 has members on both sides: one of its 12 followed the
# instructor. `plot` draws the distribution of a value.

# %%
table = pl.DataFrame({"member": list(karate), "side": [side for _, side in karate.nodes(data="club")]})
table = ranks.join(communities.join(table, on="member"), on="member")
print(table.sort("pagerank", descending=True).head(3))
print(table.group_by("community", "side").len().sort("community", "side"))
ranks.plot().figure.savefig(folder / "ranks.png")
