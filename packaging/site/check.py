"""Holds the built site to what is promised of it.

Usage: check.py SITE. Every link and its heading is there, both languages have the same pages, nothing is fetched from elsewhere, and the
search knows every page.
"""

import json
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# What a browser fetches by itself, by the element and its attribute; a link that somebody follows may lead anywhere.
FETCHED = {(tag, "src") for tag in ("script", "img", "iframe", "source", "video")} | {("link", "href"), ("source", "srcset")}
# A `<link>` of one of these kinds is followed, not fetched.
FOLLOWED = {"link": ("canonical", "alternate", "next", "prev")}


class Page(HTMLParser):
    """Collects the links of a page, and what may be linked in it."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.names.update(filter(None, (attributes.get("id"), attributes.get("name"))))
        for name in ("href", "src", "srcset"):
            if attributes.get(name):
                named = (attributes.get("rel") or "").split()
                fetched = (tag, name) in FETCHED and not set(named) & set(FOLLOWED.get(tag, ()))
                self.links.append((attributes[name], fetched))


def wrong_links(site, pages):
    for file, page in pages.items():
        for link, fetched in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if fetched and parts.scheme != "data":
                    yield f"{file}: fetches {link}"
                continue
            there = (site / file.parent / unquote(parts.path)).resolve() if parts.path else site / file
            if there.is_dir():
                there /= "index.html"
            if not there.is_file():
                yield f"{file}: {link} leads nowhere"
            elif parts.fragment and there.suffix == ".html":
                target = pages.get(there.relative_to(site))
                if target and unquote(parts.fragment) not in target.names:
                    yield f"{file}: {link} names no heading"


def fetched_by_styles(site):
    for file in site.rglob("*.css"):
        for link in re.findall(r"""(?:url\(|@import )['"]?(https?:[^'")]+)""", file.read_text("utf-8")):
            yield f"{file.relative_to(site)}: fetches {link}"


def without_search(site, pages):
    for folder in (site, site / "zh"):
        index = json.loads((folder / "search/search_index.json").read_text("utf-8"))
        known = {entry["location"].split("#")[0] for entry in index["docs"]}
        for file in pages:
            own = file.relative_to("zh") if file.parts[0] == "zh" else file
            if (file.parts[0] == "zh") == (folder.name == "zh") and own.parts[0] != "source" and own.name != "404.html":
                if str(own) not in known and not (str(own) == "index.html" and "" in known):
                    yield f"{file}: the search does not know it"


def main():
    site = Path(sys.argv[1]).resolve()
    pages = {file.relative_to(site): Page(file.read_text("utf-8")) for file in sorted(site.rglob("*.html"))}
    english = {file for file in pages if file.parts[0] != "zh"}
    chinese = {file.relative_to("zh") for file in pages if file.parts[0] == "zh"}
    wrong = [f"{file}: is there in one language alone" for file in sorted(english ^ chinese)]
    # The page for what is not there names itself from the root.
    read = {file: page for file, page in pages.items() if file.name != "404.html"}
    wrong += [*wrong_links(site, read), *fetched_by_styles(site), *without_search(site, pages)]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(english)} pages in each language, {sum(len(page.links) for page in read.values())} links, {len(wrong)} wrong")
    sys.exit(1 if wrong or not english else 0)


if __name__ == "__main__":
    main()
