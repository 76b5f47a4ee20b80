#!/usr/bin/env python3
"""Holds that the check of links finds what is broken, and only that."""

import tempfile
import unittest
from pathlib import Path

import links

TARGET = """# One page

## Words, and `code()` of it

## Twice

## Twice

<a id="own"></a>

```sh
# no heading
```
"""


class LinksTest(unittest.TestCase):
    def broken(self, *lines):
        with tempfile.TemporaryDirectory() as directory:
            root = Path(directory)
            (root / "docs").mkdir()
            (root / "docs/target.md").write_text(TARGET, encoding="utf-8")
            (root / "page.md").write_text("# Page\n\n" + "\n".join(lines) + "\n", encoding="utf-8")
            wrong, _, _ = links.broken(root, {"page.md", "docs/target.md"})
            return [target for _, _, target, _ in wrong]

    def test_finds_files_and_anchors_that_are_not_there(self):
        self.assertEqual(
            ["docs/gone.md", "../above.md", "docs/target.md#thrice", "#nowhere", "docs/target.md#no-heading"],
            self.broken(
                "[a](docs/gone.md) and [b](../above.md)",
                "[c](docs/target.md#thrice)",
                "[d](#nowhere)",
                "[e]: docs/target.md#no-heading",
            ),
        )

    def test_takes_headings_as_a_forge_names_them(self):
        self.assertEqual(
            [],
            self.broken(
                "[a](docs/target.md#words-and-code-of-it) [b](docs/target.md#twice-1) [c](docs/target.md#own)",
                "[d](docs) [e](#page) [f](https://example.org/gone#gone)",
            ),
        )

    def test_leaves_code_alone(self):
        self.assertEqual([], self.broken("`[a](gone.md)`", "```", "[b](gone.md)", "```"))
        self.assertEqual(["gone.md"], self.broken("```", "code", "```", "[`a`](gone.md)"))


if __name__ == "__main__":
    unittest.main()
