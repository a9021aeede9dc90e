"""Edges, IDs and numbers of other libraries, and conversions to their graphs."""
