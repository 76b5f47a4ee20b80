#!/usr/bin/env python3
"""Checks every link of every Markdown file of the repository: its file is in the repository, its anchor is a heading.

    docs/site/links.py [ROOT]

Links to other hosts are not followed: the check needs no network. Exit code 1 and one line for each broken link.
"""

import subprocess
import sys
from pathlib import Path

import pages


def tracked(root):
    """Files that git keeps or would keep: a file that it ignores is not there in a fresh clone."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return {name for name in listed.split("\0") if name and (root / name).exists()}


def broken(root, files):
    """(page, number of the line, target, what is wrong), and how many links were looked at."""
    directories = {str(parent) for name in files for parent in Path(name).parents}
    texts = {name: (root / name).read_text(encoding="utf-8") for name in sorted(files) if name.endswith(".md")}
    known = {}
    wrong = []
    looked = 0
    for page, text in texts.items():
        for number, target in pages.links(text):
            if pages.is_outside(target):
                continue
            looked += 1
            path, anchor = pages.resolve(page, target)
            path = path and path.rstrip("/")
            if path is None or path not in files and path not in directories:
                wrong.append((page, number, target, "no such file"))
            elif anchor and path in texts:
                if path not in known:
                    known[path] = pages.anchors(texts[path])
                if anchor not in known[path]:
                    wrong.append((page, number, target, f"{path} has no heading with the anchor {anchor}"))
    return wrong, looked, len(texts)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parents[2]).resolve()
    wrong, looked, count = broken(root, tracked(root))
    for page, number, target, why in wrong:
        print(f"{page}:{number}: {target}: {why}", file=sys.stderr)
    if not looked:
        print("no link was found, so nothing was checked", file=sys.stderr)
    print(f"{looked} links of {count} pages, {len(wrong)} broken")
    sys.exit(1 if wrong or not looked else 0)


if __name__ == "__main__":
    main()
