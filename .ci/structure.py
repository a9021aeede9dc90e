#!/usr/bin/env python3
"""Gates on the shape of the source: `structure.py` prints every figure and fails where one is worse than allowed.

Circles: files that import each other in a loop, each name followed through `pub use` to the file that defines it.
Folders: source files in one folder. Functions: code lines from `fn` to the closing brace, without tests.
Doc comments: first lines that begin with a question word. Comments: lines that are too wide. Defaults: what is absent is taken for a default, and no comment says why. Pages: paths and identifiers that they name exist. Tuples: parameters such as `(a, b): (A, B)`. `--circles`, `--functions`, `--tuples` and `--code` list what is counted.
"""

import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
MOST_FILES = 12
MOST_MEDIAN, MOST_P90 = 6, 20
QUESTION = re.compile(r"(What|Where|Which|How|Whether|Why|When|Who|Whose|Whom)\b")
ITEM = re.compile(
    r"^\s*(?:pub(?:\([^)]*\))?\s+)?(?:default\s+|async\s+|const\s+|unsafe\s+|extern\s+\"C\"\s+)*"
    r"(fn|struct|enum|trait|type|const|static|union|macro_rules!)\s+(?:mut\s+)?(\w+)"
)
PAGES = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "docs/papers.md", "docs/reliability.md"]
MOST_OF_ARCHITECTURE = 10_240
WIDEST_COMMENT = 120
IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:::\w+)+|\b[A-Z]\w*[a-z]\w*\b|\b\w+(?=\(\))|\b[a-z]+(?:_[a-z0-9]+)+\b")
PAGES_OF_CODE = ["ARCHITECTURE.md", "CONTRIBUTING.md", "docs/papers.md"]
LABORATORY = "bench"
# A default for what is absent, which needs a reason; and the lines above it in which the reason may stand.
DEFAULTED = re.compile(r"unwrap_or_default\(\)|unwrap_or\([A-Za-z0-9_:]*MAX\)")
REASON, REACH = "// Default: ", 4
MOST_TUPLES = 26
# Items and methods that the crate publishes; the lint `unreachable_pub` finds those that nobody can reach.
PUBLIC = re.compile(r"^\s*pub (?:const |unsafe )*(?:fn|struct|enum|trait|type|const|static|mod)\b", re.M)
MOST_PUBLIC = {"store": 431}
FUNCTION = re.compile(r"\bfn (\w+)")
SIBLINGS = ["edge_map", "interval"]


class Module:
    """A source file: its place in the crate, what it defines, and the paths that it names."""

    def __init__(self, file, path):
        self.file, self.path = file, path
        self.items, self.aliases, self.globs, self.uses = set(), {}, [], []


def without_strings(line):
    return re.sub(r'"(?:[^"\\]|\\.)*"', '""', line)


def production_lines(file):
    """Lines without the tests of a file: its last module, or modules in files of their own."""
    kept, lines, at = [], file.read_text().splitlines(), 0
    while at < len(lines):
        after = at + 1
        while after < len(lines) and lines[after].startswith("#["):
            after += 1
        if lines[at].startswith("#[cfg(test)]") and after < len(lines) and "mod " in lines[after]:
            if not lines[after].endswith(";"):
                break
            at = after
        else:
            kept.append(lines[at])
        at += 1
    return kept


def code_lines(lines):
    return [line for line in lines if line.strip() and not line.strip().startswith("//")]


def leaves(tree):
    """Paths of a `use` tree, as (segments, name it is known by)."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        path, _, alias = tree.partition(" as ")
        parts = [part.strip() for part in path.split("::") if part.strip()]
        return [(parts, alias.strip() or (parts[-1] if parts else ""))] if parts else []
    prefix = [part.strip() for part in tree[:brace].split("::") if part.strip()]
    inner, depth, start, parts = tree[brace + 1 : tree.rindex("}")], 0, 0, []
    for index, char in enumerate(inner + ","):
        depth += {"{": 1, "}": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(inner[start:index])
            start = index + 1
    found = []
    for part in parts:
        for path, alias in leaves(part):
            path = prefix + path
            if path[-1] == "self":
                path = path[:-1]
                alias = path[-1] if alias == "self" else alias
            found.append((path, alias))
    return found


def module_of(source, file):
    parts = list(file.relative_to(source).with_suffix("").parts)
    if parts[-1] in ("mod", "lib", "main"):
        parts = parts[:-1]
    return tuple(parts)


def crate_modules(source):
    modules = {}
    for file in sorted(source.rglob("*.rs")):
        if "tests" in file.relative_to(source).parts or file.name in ("tests.rs",):
            continue
        module = Module(file, module_of(source, file))
        modules[module.path] = module
        text = "\n".join(line for line in production_lines(file) if not line.strip().startswith("//"))
        for line in text.splitlines():
            item = ITEM.match(line)
            if item and not line.startswith(" "):
                module.items.add(item.group(2))
        for public, tree in re.findall(r"(?m)^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", text):
            for path, alias in leaves(" ".join(tree.split())):
                if path[-1] == "*":
                    module.globs.append(path[:-1])
                else:
                    module.aliases[alias] = path
                module.uses.append(path)
        body = re.sub(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", "", text)
        body = re.sub(r"pub\(in [\w:]+\)", "pub", body)
        body = "\n".join(without_strings(line) for line in body.splitlines())
        for path in re.findall(r"\b((?:crate|super|self)(?:::\w+)+)", body):
            module.uses.append(path.split("::"))
        for path in re.findall(r"(?<![\w:])([a-z]\w*(?:::\w+)+)", body):
            module.uses.append(path.split("::"))
    return modules


def absolute(module, path, modules):
    """The path from the root of the crate, or None for another crate's."""
    path = list(path)
    if path[0] == "crate":
        return tuple(path[1:])
    at = module.path
    if path[0] in ("self", "super"):
        while path and path[0] in ("self", "super"):
            if path[0] == "super":
                at = at[:-1]
            path = path[1:]
        return at + tuple(path)
    if at + (path[0],) in modules:
        return at + tuple(path)
    if path[0] in module.aliases and module.aliases[path[0]][0] != path[0]:
        target = absolute(module, module.aliases[path[0]], modules)
        return None if target is None else target + tuple(path[1:])
    return None


def resolve(path, modules, depth=0):
    """The file that defines what a path names: through modules, and through names handed on."""
    at = ()
    for index, segment in enumerate(path):
        if at + (segment,) in modules:
            at += (segment,)
            continue
        module = modules.get(at)
        if module is None:
            return None
        if segment in module.items or depth > 8:
            return module
        if segment in module.aliases:
            target = absolute(module, module.aliases[segment], modules)
            if target is not None:
                return resolve(target + tuple(path[index + 1 :]), modules, depth + 1)
            return None
        for glob in module.globs:
            target = absolute(module, glob, modules)
            if target is not None:
                found = resolve(target + tuple(path[index:]), modules, depth + 1)
                if found is not None:
                    return found
        return module if index > 0 or at == () else None
    return modules.get(at)


def imports(modules):
    arrows = collections.defaultdict(lambda: collections.defaultdict(set))
    for module in modules.values():
        for path in module.uses:
            if path[-1] == "*":
                path = path[:-1]
            target = absolute(module, path, modules) if path else None
            found = resolve(target, modules) if target else None
            if found is not None and found is not module:
                arrows[module.file][found.file].add(path[-1])
    return arrows


def circles(arrows):
    """Strongly connected components of two files or more (Tarjan), without recursion."""
    number, low, stack, on, found, count = {}, {}, [], set(), [], 0
    for root in list(arrows):
        if root in number:
            continue
        work = [(root, iter(sorted(arrows.get(root, ()))))]
        number[root] = low[root] = count
        count += 1
        stack.append(root)
        on.add(root)
        while work:
            node, following = work[-1]
            step = next(following, None)
            if step is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[node])
                if low[node] == number[node]:
                    members = []
                    while True:
                        member = stack.pop()
                        on.discard(member)
                        members.append(member)
                        if member == node:
                            break
                    if len(members) > 1:
                        found.append(sorted(members))
            elif step not in number:
                number[step] = low[step] = count
                count += 1
                stack.append(step)
                on.add(step)
                work.append((step, iter(sorted(arrows.get(step, ())))))
            elif step in on:
                low[node] = min(low[node], number[step])
    return sorted(found, key=len, reverse=True)


def functions(file):
    """(code lines, name, line) of every function outside of tests."""
    lines, found, at = production_lines(file), [], 0
    while at < len(lines):
        item = ITEM.match(lines[at])
        if not item or item.group(1) != "fn":
            at += 1
            continue
        depth, opened, end = 0, False, at
        while end < len(lines):
            line = without_strings(re.sub(r"'(?:[{}]|\\.)'", "' '", lines[end])).split("//")[0]
            depth += line.count("{") - line.count("}")
            opened = opened or "{" in line
            if (opened and depth <= 0) or (not opened and line.rstrip().endswith(";")):
                break
            end += 1
        if opened:
            found.append((len(code_lines(lines[at : end + 1])), item.group(2), at + 1))
        at = at + 1 if depth > 0 or not opened else end + 1
    return found


def closing(text, start):
    """The place of the bracket that closes the one at `start`; arrows close nothing."""
    depth = 0
    for at in range(start, len(text)):
        if text[at] in "([{<":
            depth += 1
        elif text[at] in ")]}" or (text[at] == ">" and text[at - 1] not in "-="):
            depth -= 1
            if depth == 0:
                return at
    return len(text)


def parameters(text):
    """The parameters between the brackets of a function."""
    start, at, found = 0, 0, []
    while at < len(text):
        if text[at] in "([{<":
            at = closing(text, at)
        elif text[at] == ",":
            found.append(text[start:at].strip())
            start = at + 1
        at += 1
    return [one for one in [*found, text[start:].strip()] if one]


def tuples(file):
    """Parameters such as `(a, b): (A, B)`: a function that takes too many arguments hides how many it takes."""
    text = "\n".join("" if line.strip().startswith("//") else without_strings(line) for line in production_lines(file))
    for item in FUNCTION.finditer(text):
        at = item.end()
        if text[at : at + 1] == "<":
            at = closing(text, at) + 1
        if text[at : at + 1] != "(":
            continue
        for one in parameters(text[at + 1 : closing(text, at)]):
            if one.startswith("(") and re.match(r"\s*:\s*\((?!\s*\))", one[closing(one, 0) + 1 :]):
                yield text.count("\n", 0, item.start()) + 1, item.group(1), " ".join(one.split())


def heads(file):
    """Doc comments whose first line begins with a question word."""
    inside = False
    for number, line in enumerate(file.read_text().splitlines(), 1):
        doc = re.match(r"\s*//[/!] ?(.*)", line)
        if doc and not inside and QUESTION.match(doc.group(1)):
            yield number, line.strip()
        inside = doc is not None


def silent_defaults(file):
    """Lines that take a default for what is absent, and do not say why that is right."""
    lines = production_lines(file)
    for number, line in enumerate(lines):
        reasons = lines[max(0, number - REACH) : number + 1]
        if DEFAULTED.search(line) and not any(REASON in each for each in reasons):
            yield line.strip()


def missing_paths(page):
    """Paths in backquotes, from the root or below `crates/`, that are not there; `<name>` and `*` stand for anything."""
    for path in re.findall(r"`([\w.-]+/[\w./<>*-]*)`", page.read_text()):
        pattern = re.sub(r"<\w+>", "*", path).rstrip("/")
        if not any(any(base.glob(pattern)) for base in (ROOT, ROOT / "crates", page.parent)):
            yield path


def source_words():
    """Every word of the sources, of which identifiers in pages are made."""
    folders = [(ROOT / "crates", "*.rs"), (ROOT / "bench", "*.rs"), (ROOT / "crates", "*.toml"), (ROOT / "crates/python/python", "*.py"), (ROOT / ".ci", "*")]
    files = [file for folder, pattern in folders for file in folder.rglob(pattern) if file.is_file()]
    return {word for file in files for word in re.findall(r"\w+", file.read_text(errors="replace"))}


def missing_names(page, known):
    """Identifiers in backquotes that no source has: paths with `::`, types, functions, and names with underscores."""
    for text in re.findall(r"`([^`\n]+)`", page.read_text()):
        for name in IDENTIFIER.findall(text):
            yield from (f"{part} in `{text}`" for part in name.split("::") if part not in known)


def relative(file):
    return str(file.relative_to(ROOT))


def main():
    listed, failures = set(sys.argv[1:]), []
    sources = sorted(ROOT.glob("crates/*/src")) + [ROOT / "bench/src"]
    every = [file for source in sources for file in sorted(source.rglob("*.rs"))]
    production = [file for file in every if "tests" not in file.parts and file.name != "tests.rs"]

    total, found = 0, []
    for source in sources:
        arrows = imports(crate_modules(source))
        for members in circles(arrows):
            found.append((members, arrows))
            total += len(members)
    print(f"circles     {len(found)} of {total} files")
    if found:
        failures.append("files import each other in circles (--circles lists them)")
    if "--circles" in listed:
        for members, arrows in found:
            print(f"  {len(members)} files")
            for member in members:
                for target in sorted(arrows[member]):
                    if target in members:
                        print(f"    {relative(member)} -> {relative(target)}: {', '.join(sorted(arrows[member][target]))}")

    folders = collections.Counter(file.parent for file in ROOT.rglob("*.rs") if "target" not in file.relative_to(ROOT).parts)
    full = [(count, relative(folder)) for folder, count in folders.items() if count > MOST_FILES]
    print(f"folders     {max(folders.values())} files in the fullest, {len(full)} with more than {MOST_FILES}")
    failures += [f"{folder} has {count} files, more than {MOST_FILES}" for count, folder in sorted(full)]

    lengths = sorted((length, relative(file), line, name) for file in production for length, name, line in functions(file))
    median, p90 = lengths[len(lengths) // 2][0], lengths[len(lengths) * 9 // 10][0]
    print(f"functions   {len(lengths)}: median {median} lines, 90% at most {p90}, longest {lengths[-1][0]}")
    if median > MOST_MEDIAN or p90 > MOST_P90:
        failures.append(f"functions are longer than a median of {MOST_MEDIAN} and 90% within {MOST_P90} lines")
    if "--functions" in listed:
        for length, file, line, name in lengths[-60:]:
            print(f"  {length} {file}:{line} {name}")

    riddles = [f"{relative(file)}:{number}: {line}" for file in every for number, line in heads(file)]
    print(f"doc heads   {len(riddles)} begin with a question word")
    failures += [f"a doc comment begins with a question word: {riddle}" for riddle in riddles]

    texts = every + [file for folder in ("crates", "bench", "examples", ".ci") for file in sorted((ROOT / folder).rglob("*.py"))] \
        + sorted(file for tests in (*ROOT.glob("crates/*/tests"), ROOT / "bench/tests") for file in tests.rglob("*.rs"))
    wide = [f"{relative(file)}:{number}" for file in texts for number, line in enumerate(file.read_text().splitlines(), 1)
            if len(line) > WIDEST_COMMENT and re.match(r"\s*(//(?!.*\|$)|# )", line)]
    print(f"comments    {len(wide)} lines with more than {WIDEST_COMMENT} columns")
    failures += [f"a comment has more than {WIDEST_COMMENT} columns: {place}" for place in wide]

    pairs = [f"{relative(file)}: {name}({one})" for file in production for _, name, one in tuples(file)]
    print(f"tuples      {len(pairs)} parameters that are patterns of tuples")
    if len(pairs) > MOST_TUPLES:
        failures.append(f"{len(pairs)} parameters are patterns of tuples, more than {MOST_TUPLES} (--tuples lists them)")
    if "--tuples" in listed:
        for pair in pairs:
            print(f"  {pair}")

    for crate, most in MOST_PUBLIC.items():
        published = sum(len(PUBLIC.findall(file.read_text())) for file in production if file.is_relative_to(ROOT / f"crates/{crate}"))
        print(f"public      {published} items of {crate}")
        if published > most:
            failures.append(f"{published} items of {crate} are public, more than {most}")

    silent = [f"{relative(file)}: {line}" for file in production for line in silent_defaults(file)]
    print(f"defaults    {len(silent)} for what is absent without a reason")
    failures += [f"no '{REASON}' says why a default is right: {line}" for line in silent]

    engine = ROOT / "crates/engine/src"
    for one in SIBLINGS:
        for file in sorted((engine / one).rglob("*.rs")):
            for number, line in enumerate(file.read_text().splitlines(), 1):
                for other in SIBLINGS:
                    if other != one and re.search(rf"\bcrate::{other}\b", line) and not line.strip().startswith("//"):
                        failures.append(f"{relative(file)}:{number}: the model {one} imports the model {other}")

    for page in (ROOT / name for name in PAGES):
        failures += [f"{relative(page)} names {path}, which is not there" for path in missing_paths(page)]
    known = source_words()
    for page in (ROOT / name for name in PAGES_OF_CODE):
        failures += [f"{relative(page)} names {name}, which no source has" for name in missing_names(page, known)]
    size = (ROOT / "ARCHITECTURE.md").stat().st_size
    if size > MOST_OF_ARCHITECTURE:
        failures.append(f"ARCHITECTURE.md has {size} bytes, more than {MOST_OF_ARCHITECTURE}")

    code = {relative(file): len(code_lines(production_lines(file))) for file in production}
    laboratory = sum(count for file, count in code.items() if file.startswith(f"{LABORATORY}/"))
    print(f"code        {sum(code.values()) - laboratory} lines of Rust in the product, {laboratory} in {LABORATORY}/, {len(code)} files")
    if "--code" in listed:
        crates = collections.Counter()
        for file, count in code.items():
            crates["/".join(file.split("/")[:2])] += count
        for crate, count in sorted(crates.items()):
            print(f"  {count} {crate}")

    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
