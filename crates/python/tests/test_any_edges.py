"""Random edges in random forms: each form gives the edges that are in it, and invalid IDs are refused.

``make fuzz`` runs many more examples than ``make test``, from a random seed.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import outcrop as oc

EXAMPLES = int(os.environ.get("OUTCROP_FUZZ_EXAMPLES", "0"))
Column = list[Any]
Form = Callable[[st.DataObject, Column, Column], Any]


def fuzzed(examples: int) -> Callable[[Any], Any]:
    """Decorate a test with its number of examples in ``make test``; ``make fuzz`` sets another."""
    checks = [HealthCheck.too_slow, HealthCheck.filter_too_much]
    chosen = settings(deadline=None, derandomize=not EXAMPLES, suppress_health_check=checks)
    return settings(chosen, max_examples=EXAMPLES or examples, database=None)


def built(edges: Any, **options: Any) -> list[tuple[Any, ...]]:
    """Build a store of the edges and return what is in it; an error leaves nothing behind."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            graph = oc.build(edges, Path(folder) / "a.outcrop", directed=True, **options)
        except Exception:
            assert list(Path(folder).iterdir()) == []
            raise
        with graph:
            graph.check()
            stream = graph.edges(weights=graph.weighted)
            return [tuple(row.values()) for batch in stream for row in batch]


INTEGERS = st.one_of(st.integers(0, 9), st.integers(0, 2**63 - 1), st.integers(0, 2**64 - 1))
SMALL = st.integers(0, 100)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=5).filter(str.strip)


@st.composite
def endpoints(draw: Any, ids: Any) -> tuple[Column, Column]:
    """Sources and targets, of which there are as many."""
    rows = draw(st.lists(st.tuples(ids, ids), min_size=1, max_size=20))
    return [source for source, _ in rows], [target for _, target in rows]


def numpy_column(data: st.DataObject, values: Column) -> Any:
    """An array of any type that holds the values, in any order of bytes, strides and place."""
    if isinstance(values[0], str):
        found = np.array(values, dtype=data.draw(st.sampled_from(["U", object, np.dtypes.StringDType()])))
    else:
        kinds = [
            kind
            for kind in ("i1", "u1", "i2", ">u2", "i4", ">i4", "u8", ">u8", "i8")
            if max(values) <= np.iinfo(kind).max
        ]
        found = np.array(values, dtype=data.draw(st.sampled_from([*kinds, object])))
    turn = data.draw(st.sampled_from(["plain", "reversed", "strided", "read-only"]))
    if turn == "reversed":
        found = found[::-1].copy()[::-1]
    elif turn == "strided":
        found = np.repeat(found, 3)[1::3]
    elif turn == "read-only":
        found.flags.writeable = False
    return found


def arrow_column(data: st.DataObject, values: Column) -> Any:
    """An array of any type that holds the values, in chunks, with an offset or as a dictionary."""
    if isinstance(values[0], str):
        kind = data.draw(st.sampled_from([pa.string(), pa.large_string(), pa.string_view()]))
    else:
        sizes = [pa.uint8(), pa.int32(), pa.int64(), pa.uint64()]
        kind = data.draw(
            st.sampled_from([size for size in sizes if max(values) < 1 << (size.bit_width - 1)] or [pa.uint64()])
        )
    array = pa.array([values[0], *values], kind).slice(1)
    if kind != pa.string_view() and data.draw(st.booleans()):
        return array.dictionary_encode()
    cut = data.draw(st.integers(0, len(values)))
    return pa.chunked_array([array.slice(0, cut), array.slice(cut)])


def pandas_column(data: st.DataObject, values: Column) -> Any:
    """A column of any type that holds the values, with any index."""
    texts = isinstance(values[0], str)
    # PyArrow does not convert larger integers in columns of objects.
    small = texts or max(values) < 1 << 63
    kind = data.draw(st.sampled_from(["string" if texts else "UInt64", "category", *(["object"] if small else [])]))
    return pd.Series(values, dtype=kind, index=range(7, 7 + len(values)))


def polars_column(data: st.DataObject, values: Column) -> Any:
    """A column of any type that holds the values."""
    if isinstance(values[0], str):
        return pl.Series(values, dtype=data.draw(st.sampled_from([pl.String, pl.Categorical])))
    return pl.Series(values, dtype=pl.UInt64)


def rows(data: st.DataObject, source: Column, target: Column) -> Any:
    kind = data.draw(st.sampled_from([list, tuple, iter]))
    return kind(list(zip(source, target, strict=True)))


def lists(data: st.DataObject, source: Column, target: Column) -> Any:
    return [list(row) for row in zip(source, target, strict=True)]


def columns(data: st.DataObject, source: Column, target: Column) -> Any:
    makers = [numpy_column, arrow_column, pandas_column, polars_column, lambda _, values: values]
    return tuple(data.draw(st.sampled_from(makers))(data, values) for values in (source, target))


def pairs(data: st.DataObject, source: Column, target: Column) -> Any:
    array = np.column_stack([np.array(source, dtype=object), np.array(target, dtype=object)])
    if not isinstance(source[0], str) and max(*source, *target) < 1 << 63:
        array = array.astype(data.draw(st.sampled_from(["i8", ">u8"])))
    return np.asfortranarray(array) if data.draw(st.booleans()) else array


def arrow_table(data: st.DataObject, source: Column, target: Column) -> Any:
    table = pa.table(
        {"extra": [None] * len(source), "target": arrow_column(data, target), "source": arrow_column(data, source)}
    )
    return table.to_reader(data.draw(st.integers(1, 5))) if data.draw(st.booleans()) else table


def pandas_table(data: st.DataObject, source: Column, target: Column) -> Any:
    return pd.DataFrame({"source": pandas_column(data, source), "target": pandas_column(data, target)})


def polars_table(data: st.DataObject, source: Column, target: Column) -> Any:
    table = pl.DataFrame({"target": polars_column(data, target), "source": polars_column(data, source)})
    return table.lazy() if data.draw(st.booleans()) else table


FORMS: list[Form] = [rows, lists, columns, pairs, arrow_table, pandas_table, polars_table]


def is_ambiguous(source: Column, target: Column) -> bool:
    """Whether two rows of lists can be two columns, which other tests cover."""
    return len(source) == 2


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), ends=st.one_of(endpoints(INTEGERS), endpoints(TEXTS)))
@fuzzed(60)
def test_edges_are_those_of_the_form(form: Form, data: st.DataObject, ends: tuple[Column, Column]) -> None:
    source, target = ends
    edges = form(data, source, target)
    assume(not (form is lists and is_ambiguous(source, target)))
    assert built(edges) == sorted(zip(source, target, strict=True))


@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), ends=endpoints(SMALL))
@fuzzed(60)
def test_weights_are_those_of_the_form(data: st.DataObject, ends: tuple[Column, Column]) -> None:
    source, target = ends
    numbers = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 2**53).map(float))
    weights = data.draw(st.lists(numbers, min_size=len(source), max_size=len(source)))
    expected = sorted(zip(source, target, weights, strict=True))
    makers: list[Callable[[Column], Any]] = [
        *(list, np.array, pa.array, pd.Series, pl.Series),
        lambda values: np.array(values, ">f8")[::-1].copy()[::-1],
    ]
    made = data.draw(st.sampled_from(makers))(weights)
    edges, weight = data.draw(
        st.sampled_from(
            [
                (np.column_stack([source, target]), made),
                ((source, target), made),
                (pd.DataFrame({"source": source, "target": target, "w": list(made)}), "w"),
                (pa.table({"source": source, "target": target, "w": pa.array(weights)}), "w"),
                (list(zip(source, target, weights, strict=True)), True),
            ]
        )
    )
    assert sorted(built(edges, weight=weight, weight_type="f64")) == expected


@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), ends=endpoints(SMALL))
@fuzzed(40)
def test_entries_of_matrices_are_edges(data: st.DataObject, ends: tuple[Column, Column]) -> None:
    source, target = ends
    kind = data.draw(st.sampled_from(["coo_array", "csr_array", "csc_matrix", "lil_array", "dok_array"]))
    values = np.ones(len(source), data.draw(st.sampled_from(["?", "i4", "f8"])))
    matrix = scipy.sparse.coo_array((values, (source, target)), shape=(101, 101)).asformat(kind[:3])
    coordinates = matrix.tocoo()
    coordinates.sum_duplicates()
    found = built(matrix, weight=False)
    assert [row[:2] for row in found] == sorted(zip(coordinates.row.tolist(), coordinates.col.tolist(), strict=True))


INVALID = [
    None,
    -1,
    2**64,
    1.5,
    float("nan"),
    True,
    "",
    "a\nb",
    "\ud800",
    b"x",
    object(),
    Decimal(1),
    np.datetime64("2000-01-01"),
]


@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), ends=st.one_of(endpoints(INTEGERS), endpoints(TEXTS)), invalid=st.sampled_from(INVALID))
@fuzzed(150)
def test_invalid_ids_are_refused_with_their_row(data: st.DataObject, ends: tuple[Column, Column], invalid: Any) -> None:
    source, target = ends
    row = data.draw(st.integers(0, len(source) - 1))
    data.draw(st.sampled_from([source, target]))[row] = invalid
    assume(len(source) > 3)
    forms: list[Callable[[], Any]] = [
        lambda: list(zip(source, target, strict=True)),
        lambda: zip(source, target, strict=True),
        lambda: (source, target),
        lambda: (np.array(source, dtype=object), np.array(target, dtype=object)),
        lambda: np.column_stack([np.array(source, dtype=object), np.array(target, dtype=object)]),
    ]
    with pytest.raises((TypeError, ValueError), match=r"row \d+\b") as raised:
        built(data.draw(st.sampled_from(forms))())
    # An invalid ID in the first row decides the type of the others.
    found = int(str(raised.value).partition("row ")[2].split()[0].rstrip(":"))
    assert found == row or (row == 0 and found == 1)


@pytest.mark.filterwarnings("ignore")
@given(data=st.data(), ends=st.one_of(endpoints(INTEGERS), endpoints(TEXTS)), invalid=st.sampled_from(INVALID))
@fuzzed(100)
def test_tables_with_invalid_ids_are_refused(data: st.DataObject, ends: tuple[Column, Column], invalid: Any) -> None:
    source, target = ends
    target[data.draw(st.integers(0, len(target) - 1))] = invalid
    makers: list[Callable[[Column], Any]] = [lambda values: pd.DataFrame({"source": source, "target": values})]
    for library, column in [(pa.table, pa.array), (pl.DataFrame, pl.Series)]:
        try:
            made = column(target)
            ends_of_table = {"source": column(source), "target": made}
        except (pa.ArrowException, TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
            continue
        if str(made.dtype if library is pl.DataFrame else made.type).lower().startswith("int") and invalid is True:
            # The library has made it the integer 1.
            continue
        makers.append(lambda _, library=library, ends_of_table=ends_of_table: library(ends_of_table))
    with pytest.raises((TypeError, ValueError)):
        built(data.draw(st.sampled_from(makers))(target))


def broken_texts(data: st.DataObject) -> Any:
    """Strings with bytes that are not UTF-8, or offsets that decrease."""
    count = data.draw(st.integers(1, 8))
    content = data.draw(st.binary(min_size=count, max_size=count))
    inner = data.draw(st.lists(st.integers(-1, count + 1), min_size=count - 1, max_size=count - 1))
    buffers = [None, pa.py_buffer(np.array([0, *inner, count], "i4").tobytes()), pa.py_buffer(content)]
    return pa.Array.from_buffers(pa.string(), count, buffers)


def broken_dictionaries(data: st.DataObject) -> Any:
    """Indices of which some have no value."""
    places = data.draw(st.lists(st.integers(-3, 4), min_size=1, max_size=8))
    return pa.DictionaryArray.from_arrays(pa.array(places, pa.int32()), pa.array(["a", "b"]), safe=False)


@pytest.mark.filterwarnings("ignore")
@given(data=st.data())
@fuzzed(100)
def test_damaged_arrow_data_is_refused(data: st.DataObject) -> None:
    damaged = data.draw(st.sampled_from([broken_texts, broken_dictionaries]))(data)
    try:
        damaged.validate(full=True)
        expected = damaged.to_pylist()
        assume(all(expected) and not any(set(text) & set("\n\r\0") for text in expected))
    except (ValueError, IndexError):
        expected = None
    valid = pa.array(["x"] * len(damaged))
    edges = data.draw(st.sampled_from([pa.table({"source": valid, "target": damaged}), (valid, damaged)]))
    if expected is None:
        with pytest.raises(oc.BadInputError):
            built(edges)
    else:
        assert built(edges) == sorted(("x", text) for text in expected)


class Pretender:
    """An object with the methods of a table or an array, which return something else."""

    def __init__(self, name: str, value: Any) -> None:
        self.name, self.value = name, value

    def __getattr__(self, name: str) -> Any:
        if name != self.name:
            raise AttributeError(name)

        def answer(*_: Any, **__: Any) -> Any:
            if isinstance(self.value, Exception):
                raise self.value
            return self.value

        return answer


def consumed() -> Any:
    capsule = pa.table({"source": [1], "target": [2]}).__arrow_c_stream__()
    pa.RecordBatchReader._import_from_c_capsule(capsule).read_all()
    return capsule


OTHER_VALUES = [
    None, 7, "text", b"bytes", [], object(), LookupError("none"), TypeError("none"), consumed(), np.array([1]),
    np.array([[1.5, 2]]), pa.array([1]).__arrow_c_array__()[0], pa.schema([]).__arrow_c_schema__(),
]  # fmt: skip


@pytest.mark.parametrize(
    "name", ["__arrow_c_stream__", "__arrow_c_array__", "__array__", "__dlpack__", "tocoo", "scanner", "__iter__"]
)
@pytest.mark.parametrize("value", OTHER_VALUES, ids=range(len(OTHER_VALUES)))
def test_objects_that_are_no_tables_are_refused(name: str, value: Any) -> None:
    with pytest.raises((TypeError, ValueError, AttributeError, LookupError)):
        built(Pretender(name, value))
