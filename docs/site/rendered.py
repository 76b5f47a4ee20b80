#!/usr/bin/env python3
"""Checks every link of the rendered site: its page was rendered, its anchor is the id of an element.

    docs/site/rendered.py HTML

The generator makes anchors and lists in its own way; what holds in the Markdown need not hold in the site.
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids = set()
        self.links = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if values.get("id"):
            self.ids.add(values["id"])
        for name in ("href", "src"):
            if values.get(name):
                self.links.add(values[name])


def main():
    root = Path(sys.argv[1]).resolve()
    known = {path: Page(path.read_text(encoding="utf-8")) for path in root.rglob("*.html")}
    looked = 0
    broken = []
    for path, page in known.items():
        if path.name == "404.html":
            continue  # its links begin at the root of a web server
        for link in sorted(page.links):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            looked += 1
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if target.is_dir():
                target /= "index.html"
            anchor = unquote(parts.fragment)
            if not target.exists():
                broken.append(f"{path.relative_to(root)}: {link}: no such file")
            elif anchor and target in known and anchor not in known[target].ids and not anchor.startswith("__"):
                broken.append(f"{path.relative_to(root)}: {link}: no such anchor")
    for line in broken:
        print(line, file=sys.stderr)
    print(f"{looked} links of {len(known)} rendered pages, {len(broken)} broken")
    sys.exit(1 if broken or len(known) < 10 else 0)


if __name__ == "__main__":
    main()
