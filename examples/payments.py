# %% [markdown]
# # Payments with times and weights
#
# Which accounts pass money in circles, who receives the most, and how that changes from week to week.

# %%
import sys
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl

import outcrop as oc

folder = Path(sys.argv[1]) if len(sys.argv) == 2 else Path("work")
folder.mkdir(parents=True, exist_ok=True)

# %% [markdown]
# ## Data
#
# 400 accounts make 3,000 payments in eight weeks. Five of them pay each other in a ring, in the sixth week only.

# %%
random = np.random.default_rng(1)
start = datetime(2024, 1, 1)
payers = random.integers(0, 400, 3_000)
payees = (payers + random.integers(1, 400, 3_000)) % 400
upward = np.minimum(payers, payees), np.maximum(payers, payees)
rows = [
    (f"acc-{payer:03}", f"acc-{payee:03}", float(amount), start + timedelta(minutes=int(minute)))
    for payer, payee, amount, minute in zip(
        *upward, random.integers(5, 500, 3_000), random.integers(0, 8 * 7 * 24 * 60, 3_000), strict=True
    )
]
ring = ["acc-010", "acc-090", "acc-170", "acc-250", "acc-330"]
begin = start + timedelta(days=37)
rows += [(ring[i], ring[(i + 1) % 5], 900.0, begin + timedelta(hours=i)) for i in range(5)]
payments = pl.DataFrame(rows, schema=["source", "target", "amount", "time"], orient="row")
payments.write_parquet(folder / "payments.parquet")

# %% [markdown]
# ## Build
#
# Every payment is an edge with an amount and a time. Several payments between the same accounts are added up.

# %%
g = oc.build(
    folder / "payments.parquet",
    folder / "payments.outcrop",
    weight="amount",
    time="time",
    dedup="sum",
    memory="128MiB",
    overwrite=True,
    progress=False,
)
print(g)

# %% [markdown]
# ## Who receives the most?
#
# The product of the adjacency matrix and a vector of ones sums the incoming amounts. PageRank also counts who pays.

# %%
received = oc.spmv(g)
print(received.top(3))
print(oc.pagerank(g).top(3))

# %% [markdown]
# ## Circles by week
#
# A strong component with more than one account contains a circle. A window is a graph of its own, with all algorithms.

# %%
for week, window in g.windows("1w"):
    components = oc.strongly_connected_components(window).to_polars()
    circles = components.filter(pl.len().over("component") > 1)
    print(week, f"{window.num_edges} edges, accounts in circles:", circles["node"].to_list())

# %% [markdown]
# ## New payments
#
# An update is atomic. The next run starts from the previous result.

# %%
previous = folder / "components"
before = oc.weakly_connected_components(g, incremental=previous).to_polars()
new = pl.DataFrame({"source": ["acc-900"], "target": ["acc-901"], "amount": [10.0], "time": [datetime(2024, 3, 1)]})
print(g.update(add=new, weight="amount", time="time", progress=False)["added"], "payment added")
after = oc.weakly_connected_components(g, incremental=previous).to_polars()
print(before["component"].n_unique(), "components before,", after["component"].n_unique(), "after")
