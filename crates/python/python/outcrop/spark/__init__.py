"""Algorithms on Spark, for graphs that exceed one machine.

A graph returned by :func:`open` is an :class:`outcrop.Graph`: ``outcrop.pagerank(g)`` and other functions accept it,
with the same parameters, definitions and columns. They run as joins and aggregates of DataFrames on the Spark cluster.

>>> import outcrop as oc
>>> import outcrop.spark
>>> g = oc.spark.open("hdfs:///edges", session, tmp_dir="hdfs:///tmp")  # doctest: +SKIP
>>> oc.pagerank(g).write("hdfs:///ranks.parquet")  # doctest: +SKIP
"""

try:
    import pyspark as _pyspark  # noqa: F401
except ImportError as error:
    raise ImportError("outcrop.spark needs PySpark: pip install 'outcrop[spark]'") from error

from .graph import Graph, open, run
from .programs import pregel
from .result import Result

__all__ = ["Graph", "Result", "open", "pregel", "run"]
