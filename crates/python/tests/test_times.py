"""Windows of edges with times, and updates with names."""

from datetime import UTC, date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import outcrop as oc


def _mails(count: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    seconds = rng.integers(0, 30 * 86_400, count)
    ends = rng.integers(0, 200, (count, 2))
    times = [datetime.fromtimestamp(int(second), UTC).replace(tzinfo=None) for second in seconds]
    return pl.DataFrame({"source": ends[:, 0], "target": ends[:, 1], "time": times, "second": seconds})


def _day(number):
    return f"1970-01-{number:02}"


@pytest.mark.parametrize("kind", ["frame", "parquet", "csv", "seconds"])
def test_a_window_is_the_graph_of_its_edges(tmp_path, kind):
    mails = _mails(3000, 1)
    options = {"time": "time"}
    if kind == "frame":
        edges = mails
    elif kind == "seconds":
        edges, options = mails, {"time": "second", "time_unit": "s"}
    elif kind == "parquet":
        edges = tmp_path / "mails.parquet"
        pq.write_table(mails.to_arrow(), edges)
    else:
        edges = tmp_path / "mails.csv"
        mails.write_csv(edges, datetime_format="%Y-%m-%dT%H:%M:%S")
    g = oc.build(edges, tmp_path / "g.outcrop", **options)
    assert g.info()["times"]["kind"] == "instant"
    dates = date(1970, 1, 3), pd.Timestamp(1970, 1, 9)
    assert g.between(*dates).num_edges == g.between(_day(3), _day(9)).num_edges
    for first, last in ((3, 9), (12, 13), (1, 31)):
        window = g.between(_day(first), _day(last))
        inside = mails.filter((pl.col("second") >= (first - 1) * 86_400) & (pl.col("second") < (last - 1) * 86_400))
        expected = oc.build(inside.select("source", "target"))
        assert window.num_edges == len(inside)
        assert oc.weakly_connected_components(window).to_dict() == oc.weakly_connected_components(expected).to_dict()
        assert oc.core_number(window).to_dict() == oc.core_number(expected).to_dict()
    sizes = {start: w.num_edges for start, w in g.windows("5d", step="5d")}
    assert sum(sizes.values()) == 3000
    assert list(sizes)[:2] == ["1970-01-01", "1970-01-06"]


def test_times_follow_updates(tmp_path):
    first, more = _mails(1000, 2), _mails(100, 3)
    g = oc.build(first, tmp_path / "g.outcrop", time="time")
    with pytest.raises(oc.UsageError, match="has timestamps, but the inserted edges have none"):
        g.update(add=[(1, 2)])
    record = g.update(add=more, time="time", id="more")
    assert record["generation"] == 1
    with pytest.warns(oc.OutcropWarning, match="an update with the ID 'more' was applied before, as generation 1; nothing"):
        assert g.update(add=more, time="time", id="more")["made_before"] == 1
    assert g.between("1970-01-01", "1970-02-01").num_edges == 1100
    gone = first.select("source", "target").unique().head(5)
    g.update(remove=gone)
    both = pl.concat([first, more]).join(gone, on=["source", "target"], how="anti")
    assert g.between("1970-01-01", "1970-02-01").num_edges == len(both) == g.num_edges


def test_windows_begin_at_units_of_the_calendar(tmp_path):
    days = ["2024-01-09T10:15:00", "2024-02-29T23:59:59", "2024-03-01T00:00:00", "2024-05-01T00:00:00"]
    mails = pl.DataFrame({"source": [1, 2, 3, 4], "target": [2, 3, 4, 5], "time": days})
    g = oc.build(mails, tmp_path / "g.outcrop", time=True)
    assert [start for start, _ in g.windows("1month")] == ["2024-01-01", "2024-02-01", "2024-03-01", "2024-05-01"]
    assert [start for start, _ in g.windows("30d")] == ["2024-01-09", "2024-02-08", "2024-04-08"]
    assert next(g.windows("1week"))[0] == "2024-01-08"
    assert [(start, w.num_edges) for start, w in g.windows("1year")] == [("2024-01-01", 4)]
    numbers = pl.DataFrame({"source": [1, 2], "target": [2, 3], "time": [-7, 3]})
    g = oc.build(numbers, tmp_path / "numbers.outcrop", time=True)
    assert [start for start, _ in g.windows(5)] == ["-7", "3"]
    assert g.between(-7, 0).num_edges == 1
    oc.bfs(g.between(-7, 4), 1)


def test_what_makes_no_sense_is_refused(tmp_path):
    g = oc.build(_mails(10, 4).select("source", "target"), tmp_path / "plain.outcrop")
    with pytest.raises(oc.UsageError, match="no times"):
        g.between(1, 2)
    with pytest.raises(oc.UsageError, match="no times"):
        next(g.windows("1d"))
    with pytest.raises(TypeError, match="have no times"):
        oc.build([(1, 2)], tmp_path / "rows.outcrop", time=True)
    g = oc.build(_mails(10, 4), tmp_path / "g.outcrop", time="time")
    with pytest.raises(oc.UsageError, match="has no edges with"):
        g.between("2020-01-01", "2020-01-02")
    with pytest.raises(oc.UsageError, match="expected an integer and a unit"):
        next(g.windows(5))
    texts = pa.table({"source": [1], "target": [2], "time": ["soon"]})
    with pytest.raises(oc.BadInputError, match="expected a date as the time"):
        oc.build(texts, tmp_path / "soon.outcrop", time=True)
    assert not (tmp_path / "soon.outcrop").exists()


def test_an_update_for_another_generation_is_not_made(tmp_path):
    g = oc.build([(1, 2)], tmp_path / "g.outcrop")
    g.update(add=[(2, 3)], if_generation=0)
    with pytest.raises(oc.GenerationError) as raised:
        g.update(add=[(3, 4)], if_generation=0)
    assert (raised.value.expected, raised.value.found) == (0, 1)
    assert g.num_edges == 2


SECONDS = [1704067200, 1704067205]


@pytest.mark.parametrize("library", [pa.table, pd.DataFrame, pl.DataFrame, pl.LazyFrame])
@pytest.mark.parametrize(("unit", "factor"), [("s", 1), ("ms", 1000), ("us", 10**6), ("ns", 10**9)])
def test_times_of_an_update_have_the_unit_of_the_store(tmp_path, library, unit, factor):
    def edges(start, times):
        columns = {"source": [start, start + 1], "target": [start + 1, start + 2], "time": times}
        return library(columns)

    integers = [second * factor for second in SECONDS]
    dates = [datetime.fromtimestamp(second, UTC) for second in SECONDS]
    graph = oc.build(edges(1, integers), tmp_path / "a.outcrop", time=True, time_unit=unit)
    graph.update(add=edges(11, [time + factor for time in integers]), time=True)
    graph.update(add=edges(21, [second + 2 for second in SECONDS]), time=True, time_unit="s")
    graph.update(add=edges(31, dates), time="time")
    times = graph.info()["times"]
    assert (times["from"], times["to"]) == ("2024-01-01", "2024-01-01T00:00:07Z")

    with oc.build(edges(1, dates), tmp_path / "dates.outcrop", time=True) as graph:
        with pytest.raises((oc.UsageError, oc.BadInputError, TypeError), match="integers|instants"):
            graph.update(add=edges(11, integers), time=True)
        assert graph.info()["times"]["to"] == "2024-01-01T00:00:05Z"
    with oc.build(edges(1, [5, 6]), tmp_path / "numbers.outcrop", time=True) as graph:
        for times, given in ((dates, None), (SECONDS, "s"), ([str(date) for date in dates], None)):
            with pytest.raises((oc.UsageError, oc.BadInputError, TypeError), match="integer"):
                graph.update(add=edges(11, times), time=True, time_unit=given)
        assert graph.info()["times"]["to"] == "6"
