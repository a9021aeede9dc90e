#!/usr/bin/env python3
"""Gate on the language of texts that users read: `words.py` prints each phrase to replace, with its place, and fails if there is one.

It reads the pages, the strings of the Rust sources outside tests, the help texts of the command, the Python package, the examples, the Makefile and `deploy/`.
Not read: the bodies of decisions, and changelog entries of earlier releases.
"""

import ast
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
UNITS = "bits? bytes? KiB MiB GiB ns ms seconds? times entries edges? arcs? vertices lists? rows? columns? lines? files? passes requests? threads?"
OWNERS = "vertex edge arc entry second list row line run iteration source file thread worker batch step superstep page chunk call core direction pass window seed id"
US = {"neighbour": "neighbor", "colour": "color", "behaviour": "behavior", "favour": "favor", "centre": "center", "licence": "license", "grey": "gray", "artefact": "artifact",
      "analyse": "analyze", "catalogue": "catalog", "modelling": "modeling", "labelled": "labeled", "labelling": "labeling", "travelling": "traveling", "whilst": "while",
      "amongst": "among", "judgement": "judgment", "learnt": "learned"}
STEMS = "optim|minim|maxim|serial|normal|initial|util|recogn|organ|summar|parallel|vector|token|special|general|random|synchron|custom|final|material|priorit|canonical|visual|categor|memor|symmetr"

# (phrase, replacement). A space matches any white space, also a line break.
PHRASES = [
    (rf"\b(?:{UNITS.replace(' ', '|')}) (?-i:an?|each) (?:{OWNERS.replace(' ', '|')})\b", "per"),
    (r"\bat the (?:most|least)\b", "at most, at least"),
    (r"\bhand(?:s|ed|ing)? (?:\w+ ){0,2}on\b(?! to| the)", "propagate, pass"),
    (r"\b(?:go|goes|going|went|gone) on\b", "resume, continue"),
    (r"\b(?:go|goes|going|went) past\b", "exceed, bypass"),
    (r"\b(?:stand|stands|stood) (?:there|here|in)\b", "exist, be"),
    (r"\b(?:is|are|was|were|be|been) (?:gone|told)\b", "deleted, missing; receive"),
    (r"\btells? (?:of|little|nothing)\b", "report, show"),
    (r"\b(?:come|comes|came) (?:in again|again|beside)\b", "repeat, return"),
    (r"\b(?:thrown away|threw away|throws? away)\b", "discarded"),
    (r"\b(?:put|puts|set|laid) aside\b", "defer, save"),
    (r"\bwait(?:s|ed|ing)? for (?:its|their) turn\b", "is pending"),
    (r"\banew\b", "again, from the start"),
    (r"\bbeside\b", "next to, in addition to"),
    (r"\b(?:in vain|to no avail)\b", "wasted, unused"),
    (r"\b(?:by and by|little by little)\b", "gradually"),
    (r"\bfor good\b", "permanently"),
    (r"\b(?:all|every one) alike\b", "equally"),
    (r"\bfrom time to time\b", "periodically"),
    (r"\bside by side\b", "in parallel"),
    (r"\bby (?:itself|themselves)\b", "automatically, alone"),
    (r"\bone's own\b", "custom, user-defined"),
    (r"\bso (?:many|much|long|often)\b|(?<!least\s)\bas (?:many|much|often)\b(?! as possible)", "name the number"),
    (r"\b(?:that|which) (?:is|are) (?:there|gone|kept|held|wanted|asked for|drawn|known|read|given|left|reached|made|named|meant)\b", "adjective before the noun"),
    (r"\b(?:where|what) (?:it|they|there|that|this|those|one) (?:is|are|was|were|do|does|has|have|holds?|takes?|brings?)\b", "noun: location, content, need"),
    (r"\b(?:nobody|whoever|somebody|someone|no one|nothing of)\b", "name the subject"),
    (r"\bdr(?:aws?|ew|awn) (?:numbers|the same|from|at random)\b|\b(?:is|are) drawn\b", "sample"),
    (r"<(?:WAY|WHEN|PLACE|KIND|WHAT|SO_MANY)>", "noun of the field"),
    (r"(?:^|(?<=[.;:]\s))(?-i:Of|Beside) [^.,;:`]{3,60}, (?:at|the|in|so|it|only|each|all|a|an|there) ", "subject first"),
    (r"\bbut (?:for|that)\b", "except"),
    (r"(?:^|(?<=[.]\s))(?:Do so|Not with|Only with|Refused are|Told|Looked|Done again|Said)\b", "sentence with a subject"),
    (r"\b(?:takes?|took) no\b", "does not support, has no"),
    (r"\bis of the (?:models?|algorithms?|layouts?)\b", "needs"),
    (r"\b(?:as|like) (?:it|they) must be\b", "valid, malformed"),
    (r"\b(?:such|these|those|the ones?) (?:that|which|who) (?:is|are) not there\b|\b(?:is|are) not there\b", "does not exist, missing"),
    (r"\bfrom behind\b", "backward"),
    (rf"\b\w*(?:{'|'.join(US)})\w*", "American spelling"),
    (rf"\b\w*(?:{STEMS})is(?:e|es|ed|ing|er|ers|ation|ations)\b", "American spelling"),
]
FORMS = [(re.compile(phrase.replace(" ", r"\s+"), re.IGNORECASE | re.MULTILINE), instead) for phrase, instead in PHRASES]

# Places where a phrase is right: (file, text next to it, reason).
ALLOWED = [
    ("crates/algorithms/src/coloring/mod.rs", "colouring", "alias for British users"),
    ("docs/algorithms/coloring.md", "`colouring`", "the same alias"),
    ("crates/algorithms/src/scc/coloring.rs", "colours", "name of a place in checkpoints"),
    ("crates/report/src/record/run.rs", "utilisation", "alias of keys in records of earlier versions"),
    ("docs/papers.md", "locality-optimised", "title of a paper"),
]

# The gate tests itself: each of these has a phrase, in this order, ...
FOUND = """
It needs 8 bytes a vertex. | Use 4 threads at the most. | They hand changes on. | The run goes on from the checkpoint. | A file stands there. | The edges that are gone. | Edges wait for their turn.
Sort the lists anew. | All edges count but for loops. | The pages are drawn. | Read so many pages. | Say where it is. | Nobody reads it. | <WAY> | Do so with `--force`. | Of these lists, the longest are kept.
sssp takes no --delivery | The file is not there. | the neighbours of a vertex | Optimise the order. | a serialised state | Replace a file that\\nstands there
"""
# ... and none of these.
FINE = """
It needs 8 bytes per vertex. | Use at most 4 threads. | The run resumes from the checkpoint. | the random seed | Read the pages on demand. | the precise size, otherwise a promise | as many as possible
If there is no file, `build` creates one. | `sssp` does not support `--delivery`; use `--model messages`. | the neighbors of a vertex | 64 bytes on each side | a list and an edge | advise, exercise
"""


def hits(text):
    for form, instead in FORMS:
        for hit in form.finditer(text):
            yield hit.start(), " ".join(hit.group().split()), instead


def rust_texts(source, help_texts):
    """(line, text) of strings outside tests and, in sources of help texts, of doc comments."""
    source = re.split(r"(?m)^#\[cfg\(test\)\]\n(?:#\[.*\n)*(?:pub(?:\([^)]*\))? )?mod \w+ \{", source)[0]
    token = re.compile(r"""//[^\n]*|\br(#*)"[\s\S]*?"\1|"(?:[^"\\]|\\[\s\S])*"|'(?:\\.[^'\n]{0,8}|[^'\\\n])'""")
    for found in token.finditer(source):
        text = found.group()
        if text[0] in 'r"' or (help_texts and text.startswith("///")):
            text = re.sub(r"\{[\w.:$#?<>^]*\}", "{}", re.sub(r"\\(?=\n)", "", text).replace("\\n", " "))
            yield source.count("\n", 0, found.start()) + 1, re.sub(r'^(?:r?#*"|///)\s*|"#*$', "", text)


def python_texts(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def texts():
    """(file, line, text) of everything that is checked."""
    every = lambda *patterns: (path for pattern in patterns for path in sorted(ROOT.glob(pattern)) if path.is_file())
    for path in every("*.md", "crates/*/README.md", "bench/**/*.md", "docs/**/*.md", "examples/*", "deploy/**/*", "Makefile"):
        if path.name == "CHANGELOG.md":
            continue
        text = re.sub(r"\]\([^)]*\)", "]", path.read_text())
        yield path, 1, text.split("\n")[0] if path.parent.name == "decisions" else text
    for path in every("crates/*/src/**/*.rs"):
        if "tests" not in path.parts and path.name != "tests.rs":
            for line, text in rust_texts(path.read_text(), "cli" in path.parts):
                yield path, line, text
    for path in every("crates/python/python/**/*.py", "crates/python/python/**/*.pyi"):
        for line, text in python_texts(path.read_text()):
            yield path, line, text


def sentences(block):
    return [sentence.strip().replace("\\n", "\n") for line in block.strip().split("\n") for sentence in line.split("|")]


def main():
    failures = [f"the gate does not find a phrase in: {sentence}" for sentence in sentences(FOUND) if not any(hits(sentence))]
    failures += [f"the gate finds '{phrase}' in: {sentence}" for sentence in sentences(FINE) for _, phrase, _ in hits(sentence)]
    unused, count = list(ALLOWED), 0
    for path, first, text in texts():
        count += 1
        for start, phrase, instead in hits(text):
            file, line = path.relative_to(ROOT).as_posix(), first + text.count("\n", 0, start)
            around = " ".join(text[max(0, start - 60) : start + 60].split())
            reasons = [place for place in ALLOWED if file == place[0] and place[1] in around]
            unused = [place for place in unused if place not in reasons]
            if not reasons:
                failures.append(f"{file}:{line}: '{phrase}' -> {instead}: {around}")
    failures += [f"ALLOWED has a place without a phrase: {place[:2]}" for place in unused]
    print(f"words       {len(failures)} phrases to replace in {count} texts, {len(ALLOWED)} allowed")
    for failure in failures:
        print(f"error: {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
