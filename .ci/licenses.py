"""Writes the licenses of the crates in the Python package to crates/python/LICENSE-THIRD-PARTY."""

import collections
import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = ("LICEN[CS]E*", "COPYING*", "NOTICE*", "COPYRIGHT*")


def cargo(*words):
    return subprocess.run(["cargo", *words], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


tree = cargo("tree", "-p", "outcrop-python", "-e", "normal,no-proc-macro", "--prefix", "none", "--format", "{p}")
used = {tuple(line.split()[:2]) for line in tree.splitlines()}
crates = collections.defaultdict(list)
for package in json.loads(cargo("metadata", "--format-version", "1"))["packages"]:
    name, version, source = package["name"], package["version"], package["source"]
    if source and (name, f"v{version}") in used:
        folder = pathlib.Path(package["manifest_path"]).parent
        files = sorted({file for pattern in NAMES for file in folder.glob(pattern) if file.is_file()})
        # Of two licenses to choose from, one is enough.
        files = [file for file in files if "APACHE" not in file.name or not any("MIT" in other.name for other in files)]
        texts = [file.read_text(encoding="utf-8", errors="replace").strip() for file in files]
        for text in texts or [f"{package['license']} (the crate contains no text)"]:
            crates[text].append(f"{name} {version}")
parts = [", ".join(sorted(names)) + "\n\n" + text for text, names in sorted(crates.items(), key=lambda part: sorted(part[1]))]
page = "Licenses of the third-party crates in this package\n\n" + f"\n\n{'=' * 80}\n\n".join(parts) + "\n"
(ROOT / "crates/python/LICENSE-THIRD-PARTY").write_text(page, encoding="utf-8")
print(f"licenses: {len(parts)} texts")
