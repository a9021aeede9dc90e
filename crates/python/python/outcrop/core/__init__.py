"""Graphs, runs and results; :mod:`outcrop` lists the public names."""
