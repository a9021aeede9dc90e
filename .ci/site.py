"""Hooks of the documentation site: examples become pages, and links to files outside docs/ lead to the repository."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(\]\()((?:\.\./)+[^)#\s]*)")


def on_files(files, config):
    """Add a page for each example in cells (`# %%`)."""
    for example in sorted((ROOT / "examples").glob("*.py")):
        if example.read_text().startswith("# %%"):
            files.append(File.generated(config, f"examples/{example.stem}.md", content=page_of(example)))
    return files


def page_of(example):
    head, *cells = re.split(r"^# %%(.*)\n", example.read_text(), flags=re.MULTILINE)
    assert not head, f"{example} does not begin with a cell"
    parts = []
    for kind, cell in zip(cells[::2], cells[1::2]):
        text = cell.strip("\n")
        parts.append(re.sub(r"^# ?", "", text, flags=re.MULTILINE) if "markdown" in kind else f"```python\n{text}\n```")
    return "\n\n".join([*parts, f"[Source](../../examples/{example.name})"])


def on_page_markdown(markdown, page, config, **_):
    """Replace links to files outside docs/."""
    folder = (ROOT / "docs" / page.file.src_uri).parent

    def replaced(link):
        target = (folder / link[2]).resolve()
        if target.is_relative_to(ROOT / "docs"):
            return link[0]
        kind = "tree" if target.is_dir() else "blob"
        return f"{link[1]}{config.extra['repository']}/{kind}/main/{target.relative_to(ROOT)}"

    return LINK.sub(replaced, markdown)


def on_page_content(html, **_):
    """Replace escaped bars in code, which Markdown of GitHub needs in tables."""
    return re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace(r"\|", "|"), html)
