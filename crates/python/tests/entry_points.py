"""The entry points of the package, where it is not installed: NetworkX finds its backends by them."""

from __future__ import annotations

import re
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"


def write(folder: Path) -> Path:
    """Make a folder that tells of an installed package, to be on the path; it is returned."""
    sections = re.findall(r'\[project\.entry-points\."(.+)"\]\n((?:.+\n)+)', PROJECT.read_text())
    assert sections
    metadata = folder / "outcrop-0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: outcrop\nVersion: 0\n")
    texts = (f"[{group}]\n" + entries.replace('"', "") for group, entries in sections)
    (metadata / "entry_points.txt").write_text("\n".join(texts))
    return folder
