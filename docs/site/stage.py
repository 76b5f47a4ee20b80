#!/usr/bin/env python3
"""Copies the pages of docs/ to where the generator reads them, with links that hold in the site.

    docs/site/stage.py INTO

Markdown outside of docs/ that a page links to becomes a page too; any other file becomes a text file below files/. So
the site needs no address of a repository. An index (README.md) becomes index.md. Exit code 1 if a page of docs/ is in
no group of zensical.toml and not in the index of its directory: nobody would find it.
"""

import re
import shutil
import sys
from pathlib import Path

import pages

SITE = Path(__file__).parent
ROOT = SITE.parents[1]


def is_page(path):
    return path.endswith(".md")


def staged_name(path):
    """Where a file of the repository stands in the site."""
    if not is_page(path):
        return f"files/{path}" if Path(path).suffix in {".png", ".svg"} else f"files/{path}.txt"
    inside = path.removeprefix("docs/")
    if "/" not in path and path != "README.md":
        inside = path.lower()
    return re.sub(r"(^|/)README\.md$", r"\1index.md", inside)


class Staging:
    def __init__(self, into):
        self.into = into
        self.done = {}  # staged name: path in the repository
        self.waiting = []

    def take(self, path):
        """The staged name of a file, which is copied if it is not there yet."""
        name = staged_name(path)
        if name not in self.done:
            self.done[name] = path
            self.waiting.append(path)
        elif self.done[name] != path:
            sys.exit(f"{path} and {self.done[name]} would both be {name} in the site: rename one")
        return name

    def copy_all(self):
        while self.waiting:
            path = self.waiting.pop()
            target = self.into / staged_name(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            if is_page(path):
                text = (ROOT / path).read_text(encoding="utf-8")
                target.write_text(pages.rewrite(text, lambda link: self.changed(path, link)), encoding="utf-8")
            else:
                shutil.copyfile(ROOT / path, target)

    def changed(self, page, link):
        """The link as it has to read in the site."""
        if pages.is_outside(link) or link.startswith("#"):
            return link
        path, anchor = pages.resolve(page, link)
        path = path.rstrip("/")
        if (ROOT / path).is_dir():
            path += "/README.md"
        if not (ROOT / path).is_file():
            sys.exit(f"{page}: {link}: no such file; a directory needs a README.md to be linked to")
        up = "../" * staged_name(page).count("/")
        return up + self.take(path) + (f"#{anchor}" if anchor else "")


def lost(found):
    """Pages of docs/ that nobody finds, and names in the navigation that are no page."""
    toml = (SITE / "zensical.toml").read_text(encoding="utf-8")
    in_nav = set(re.findall(r'"([^"]+\.md)"', toml))
    for path in found:
        index = ROOT / path.parent / "README.md"
        listed = index.exists() and f"]({path.name}" in index.read_text(encoding="utf-8")
        if staged_name(str(path)) not in in_nav and not listed:
            yield f"{path} is in no group of docs/site/zensical.toml: add it to the one of its reader"


def main():
    into = Path(sys.argv[1])
    shutil.rmtree(into, ignore_errors=True)
    found = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md") if SITE not in path.parents)
    problems = list(lost(found))
    staging = Staging(into)
    for path in ["README.md", *map(str, found)]:
        staging.take(path)
    staging.copy_all()
    shutil.copyfile(SITE / "site.css", into / "site.css")
    toml = (SITE / "zensical.toml").read_text(encoding="utf-8")
    for name in re.findall(r'"([^"]+\.md)"', toml):
        if name not in staging.done:
            problems.append(f"docs/site/zensical.toml: {name} is no page that any other page links to: take it out")
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{len(staging.done)} pages and files staged")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
