"""The keys of JSON output, beside the page that lists them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_command import run

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "records.md").read_text(encoding="utf-8")
PARTS = re.split(r"^(?=## |Keys of (?:an iteration|a file|`input`|`messages`|`gas`))", PAGE, flags=re.MULTILINE)
DETAILS = {
    ("## Run record", "iterations_detail"): "Keys of an iteration",
    ("## Run record", "messages"): "Keys of `messages`",
    ("## Run record", "gas"): "Keys of `gas`",
    ("## Build record", "input"): "Keys of `input`",
    ("Keys of `input`", "files"): "Keys of a file",
    ("## Update record", "added_from"): "Keys of a file",
}
"""Objects in a record, and where the page lists their keys."""
ELSEWHERE = {"parameters", "summary", "order_parameters", "settings", "levels"}
"""Objects whose keys are names, or are listed elsewhere."""

RUNS = [
    "pagerank g.outcrop --top 3",
    "pagerank g.outcrop --model messages --values disk --edge-log on",
    "bfs g.outcrop --source 1 --columns all --model interval --values disk",
    "wcc g.outcrop --model gas --shards ods",
    "diameter g.outcrop",
    "bfs g.outcrop --source 1 --checkpoint-dir saved",
    "wcc g.outcrop --incremental last",
    "wcc g.outcrop --incremental last",
    "wcc timed.outcrop --between 2024-01-01 2024-01-03",
]
COMMANDS = [
    ("## Build record", "build edges.csv g.outcrop --weight weight --json"),
    ("## Build record", "build edges.csv csr.outcrop --layout csr --order auto --json"),
    ("## Build record", "build edges.csv compact.outcrop --layout compact --order degree --json"),
    ("## Build record", "build edges.csv sliding.outcrop --layout sliding --order random --json"),
    ("## Build record", "build timed.csv timed.outcrop --time time --json"),
    ("## Build record", "build bad.csv bad.outcrop --weight weight --on-error skip --weight-type u8 --json"),
    *(("## Run record", f"run {words} --json") for words in RUNS),
    ("## Runs", "runs g.outcrop --json"),
    ("## Pinned lists", "cache g.outcrop --json"),
    ("## Update record", "update g.outcrop --add more.csv --merge-above never --id first --json"),
    ("## Update record", "update g.outcrop --add more.csv --id first --json"),
    *(("## Store", f"info {name}.outcrop --json") for name in ("g", "csr", "compact", "sliding", "timed")),
    ("## Store", "info g.outcrop --locality --json"),
    ("## Estimates", "estimate pagerank g.outcrop --json"),
    ("## Estimates", "estimate wcc --vertices 4e9 --edges 1e13 --json"),
    ("## Algorithms", "algorithms --json"),
    ("## Calibration", "calibrate --size 1MiB --json"),
]


def listed(title: str) -> set[str]:
    """Keys that a part of the page lists."""
    [part] = [part for part in PARTS if part.startswith(title)]
    return set(re.findall(r"`([a-z_0-9]+)`", part))


def keys(value: Any, title: str) -> Iterator[tuple[str, str]]:
    """Keys of an object and of the objects in it, each with the part of the page that lists it."""
    if isinstance(value, list):
        for item in value:
            yield from keys(item, title)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield title, key
            if key not in ELSEWHERE or title == "## Algorithms":
                yield from keys(inner, DETAILS.get((title, key), title))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with edges."""
    edges = [(n % 40, n * n % 40) for n in range(1, 200)]
    (tmp_path / "edges.csv").write_text("a,b,weight\n" + "".join(f"{a},{b},{a + 1}\n" for a, b in edges))
    (tmp_path / "more.csv").write_text("a,b,weight\n1,900,2\n1,901,3\n")
    (tmp_path / "bad.csv").write_text("# 3 vertices\n\na,b,weight\n1,2,0.25\n1,2,1\n1\n2,3,7.5\n3,3,2\n")
    days = "".join(f"{a},{b},2024-01-0{a % 5 + 1}\n" for a, b in edges)
    (tmp_path / "timed.csv").write_text("a,b,time\n" + days)
    return tmp_path


def test_the_page_lists_all_keys(folder: Path) -> None:
    missing = {}
    for title, words in COMMANDS:
        for place, key in keys(json.loads(run(folder, *words.split()).stdout), title):
            if key not in listed(place):
                missing[place, key] = words
    assert not missing


def test_the_page_lists_the_keys_of_events(folder: Path) -> None:
    run(folder, "build", "edges.csv", "g.outcrop")
    words = "run pagerank g.outcrop --tol 1e-9 --max-iter 1000 --progress json"
    events = [json.loads(line) for line in run(folder, *words.split()).stderr.splitlines() if line.startswith("{")]
    assert {"progress", "iteration"} <= {event["event"] for event in events}
    for event in events:
        record = event.pop("record", {})
        assert event.keys() <= listed("## Progress"), event
        assert record.keys() <= listed("Keys of an iteration"), record


def test_passes_that_are_not_iterations(folder: Path) -> None:
    run(folder, "build", "edges.csv", "g.outcrop")
    (folder / "start.csv").write_text("1,0.5\n")
    for words, more in {
        "wcc --model gas": 1,
        "heat --model gas --vector start.csv": 2,
        "cdlp --model messages": 0,
        "pagerank --model messages": 1,
        "bfs --source 1 --model messages": 0,
        "bfs --source 1 --columns all --model interval": 1,
        "sssp --source 1 --columns all": 1,
        "sssp --source 1": 0,
    }.items():
        algorithm, *options = words.split()
        record = json.loads(run(folder, "run", algorithm, "g.outcrop", *options, "--json").stdout)
        assert len(record["iterations_detail"]) == record["iterations"] + more, words
