"""Finds the links and the headings of a Markdown file as a forge shows it: code is no text, and anchors are GitHub's."""

import re
from pathlib import PurePosixPath

FENCE = re.compile(r"\s*(?:>\s*)*(`{3,}|~{3,})")
# [text](target) and [text](target "title"); a target holds no blank.
INLINE = re.compile(r"(\]\()([^)\s]+)((?:\s+\"[^\"]*\")?\))")
DEFINITION = re.compile(r"^( {0,3}\[[^\]]+\]:\s+)(\S+)()")
HEADING = re.compile(r"^ {0,3}#{1,6}\s+(.*?)\s*#*$")
EXPLICIT = re.compile(r"<a (?:id|name)=\"([^\"]+)\"")
CODE = re.compile(r"(`+)(.+?)\1(?!`)")


def is_outside(target):
    """Whether a link leaves the repository."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", target) is not None


def resolve(page, target):
    """The path that a link of a page names, from the root of the repository, and its anchor ('' without one).

    None in place of the path if it lies above the root.
    """
    path, _, anchor = target.partition("#")
    if not path:
        return page, anchor
    parts = []
    for part in (PurePosixPath(page).parent / path).parts:
        if part == "..":
            if not parts:
                return None, anchor
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts), anchor


def prose(text):
    """(number, line) of each line outside of fenced code, with code spans blanked out at their full length."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            fence = match.group(1)
        elif fence is None:
            yield number, line
        elif match and match.group(1).startswith(fence) and not line.strip().strip(fence[0]):
            fence = None


def blanked(line):
    return CODE.sub(lambda code: " " * len(code.group()), line)


def links(text):
    """(number of the line, target) of each link."""
    for number, line in prose(text):
        shown = blanked(line)
        for match in [*INLINE.finditer(shown), *DEFINITION.finditer(shown)]:
            yield number, match.group(2)


def rewrite(text, change):
    """The text with each link's target changed by a function of the target."""
    lines = text.splitlines()
    for number, line in prose(text):
        shown = blanked(line)
        for match in reversed([*INLINE.finditer(shown), *DEFINITION.finditer(shown)]):
            line = line[: match.start(2)] + change(match.group(2)) + line[match.end(2) :]
        lines[number - 1] = line
    return "\n".join(lines) + "\n"


def headings(text):
    for _, line in prose(text):
        match = HEADING.match(line)
        if match:
            yield match.group(1)


def slug(heading):
    """The anchor that a forge makes of a heading."""
    shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")


def anchors(text):
    """Every anchor of a page; a heading that comes again gets a number."""
    seen = {}
    found = set()
    for heading in headings(text):
        anchor = slug(heading)
        again = seen.get(anchor, 0)
        seen[anchor] = again + 1
        found.add(f"{anchor}-{again}" if again else anchor)
    for _, line in prose(text):
        found.update(EXPLICIT.findall(line))
    return found
