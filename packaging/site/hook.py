"""Makes pages of the repository those of the site, without a copy of them: MkDocs calls the functions on_….

Links of docs/ may lead anywhere in the repository, as they do where the repository is read. Here the README is the first page, a picture is
copied, and any other file that a link names becomes a page that shows it. Links between the languages lead to the other half of the site.
"""

import logging
import posixpath
import re
from html import escape
from pathlib import Path

import jieba
from mkdocs.structure.files import File

REPOSITORY = Path(__file__).resolve().parents[2]
LANGUAGES = ("en", "zh")
HOMES = {"en": "README.md", "zh": "README.zh-CN.md"}
FOLDERS = {"en": "docs", "zh": "docs/zh"}
# A page that is in no group fails the build, so that none is forgotten.
GROUPS = [
    (("Start", "入门"), "index tutorial installing cookbook"),
    (("Write", "编写"), "testcases targets expressions pictures screenshots ai sandbox own-tools ui-instances"),
    (("Run", "运行"), "running parallel reports evidence fix"),
    (("Devices", "设备"), "browsers android ios harmony virtual-phone drivers"),
    (("Agents", "智能体"), "agents mcp-servers code-search research"),
    (("Studio", "工作室"), "studio recording repl"),
    (("Reference", "参考"), "tools httprunner maestro appium playwright dependencies contributing"),
]
# Where a page's own title says too little among others.
NAMES = {"index": ("Overview", "概览"), "android": ("Android", "Android"), "contributing": ("Contributing", "参与贡献")}
PLAIN = """<!doctype html>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ max-width: 60rem; margin: 2rem auto; padding: 0 1rem; font: 15px/1.5 system-ui, sans-serif; }}
pre {{ padding: 1rem; overflow: auto; border: 1px solid color-mix(in srgb, currentColor 20%, transparent); border-radius: 8px; }}
</style>
<h1>{title}</h1>
<pre>{text}</pre>
"""
# Where a link leads to the other language, until its address is known.
OTHER = "https://other.invalid/"
LINK = re.compile(r"(\[(?:[^\[\]]|\[[^\]]*\])*\]\()([^)\s]+)(\))")
WIDE = r"[\u2e80-\u9fff\u3000-\u303f\uff00-\uffef“”…]"
log = logging.getLogger("mkdocs.hooks.uixt")
jieba.setLogLevel(logging.WARNING)
# Where each page that docs/ does not hold comes from.
sources = {}


def address(heading, separator="-"):
    """Returns what an address names a heading by: as the repository's hosts do."""
    kept = heading.strip().lower().replace(" ", separator)
    return "".join(sign for sign in kept if sign.isalnum() or sign in "-_")


def language(config):
    return config["extra"]["language"]


def outside_of_blocks(change, text):
    parts = re.split(r"(^```.*?^```[^\n]*$)", text, flags=re.MULTILINE | re.DOTALL)
    return "".join(part if part.startswith("```") else change(part) for part in parts)


def of_site(path, config):
    """Returns the site's name of a file of the repository; with a scheme where it is of the other language."""
    for own in LANGUAGES:
        if path == HOMES[own]:
            page = "index.md"
        elif posixpath.dirname(path) == FOLDERS[own] and path.endswith(".md"):
            page = posixpath.basename(path)
        else:
            continue
        return page if own == language(config) else OTHER + page.replace(".md", ".html")
    if path == "CONTRIBUTING.md":
        return "contributing.md"
    if path.endswith((".png", ".svg", ".jpg")):
        return "pictures/" + posixpath.basename(path)
    return "source/" + (path if path.endswith(".md") else path + ".html")


def repository_path(uri, config):
    return sources.get(uri) or posixpath.join(FOLDERS[language(config)], uri)


def target(path, link):
    """Returns the file of the repository that a link of another one leads to, and the heading; nothing for addresses."""
    if re.match(r"[a-z]+:", link) or link.startswith("#"):
        return None, ""
    name, _, heading = link.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), name)), heading


def links(path):
    found = []
    outside_of_blocks(lambda text: found.extend(link for _, link, _ in LINK.findall(text)) or text, (REPOSITORY / path).read_text("utf-8"))
    return [file for file, _ in (target(path, link) for link in found) if file]


def page_of(path, text):
    """Returns a page that shows a file, without the site's head, which takes longer to make than all else."""
    title, text = escape(path), escape(text)
    return PLAIN.format(title=title, text=text)


def on_config(config):
    own = LANGUAGES.index(language(config))
    named = {page: names[own] for page, names in NAMES.items()}
    config["nav"] = [
        {names[own]: [{named[page]: f"{page}.md"} if page in named else f"{page}.md" for page in pages.split()]}
        for names, pages in GROUPS
    ]
    return config


def on_files(files, config):
    """Adds the README, and every file that a link leads to."""
    sources.clear()
    docs = REPOSITORY / FOLDERS[language(config)]
    waiting = [HOMES[language(config)], *(f"{FOLDERS[language(config)]}/{page.name}" for page in sorted(docs.glob("*.md")))]
    seen = set(waiting)
    while waiting:
        path = waiting.pop()
        uri, file = of_site(path, config), REPOSITORY / path
        if uri.startswith(OTHER):
            continue
        if not file.is_file():
            log.warning("a link leads to '%s', which is no file", path)
            continue
        sources[uri] = path
        if uri.startswith("pictures/"):
            files.append(File.generated(config, uri, abs_src_path=str(file)))
            continue
        text = file.read_text("utf-8")
        if not files.get_file_from_path(uri):
            files.append(File.generated(config, uri, content=text if path.endswith(".md") else page_of(path, text)))
        if path.endswith(".md"):
            new = [name for name in links(path) if name not in seen]
            seen.update(new)
            waiting += new
    return files


def on_page_markdown(markdown, page, config, files):
    path, uri = repository_path(page.file.src_uri, config), page.file.src_uri
    if not path.endswith(".md"):
        return markdown

    def leads(match):
        file, heading = target(path, match[2])
        if not file:
            return match[0]
        there = of_site(file, config)
        if not there.startswith(OTHER):
            there = posixpath.relpath(there, posixpath.dirname(uri) or ".")
        return match[1] + there + ("#" + heading if heading else "") + match[3]

    lines = markdown.split("\n")
    # The line that leads to the README and the other language: the site's head has both.
    if len(lines) > 2 and lines[0].startswith("# ") and re.search(r"(简体中文|English)\]?.* · |· .*(简体中文|English)", lines[2]):
        del lines[1:3]
    markdown = outside_of_blocks(lambda text: LINK.sub(leads, text), "\n".join(lines))
    # A line's end between Chinese signs is no space.
    return outside_of_blocks(lambda text: re.sub(rf"(?<={WIDE})\n(?={WIDE})|(?<=[，。；：、])\n *(?![-*|#>\d\s])", "", text), markdown)


def on_page_context(context, page, config, nav):
    """Lets the choice of languages lead to the same page."""
    for other in config["extra"]["alternate"]:
        other["link"] = page.file.dest_uri if other["lang"] == language(config) else OTHER + page.file.dest_uri
    return context


def on_post_page(output, page, config):
    up = posixpath.relpath(".", posixpath.dirname(page.file.dest_uri) or ".")
    to = up + ("/zh/" if language(config) == "en" else "/../")
    # A stroke in code within a table is written with a backslash, which its table takes away elsewhere.
    output = re.sub(r"<code>[^<]*</code>", lambda code: code[0].replace("\\|", "|"), output)
    return output.replace(f'"{OTHER}', f'"{to}')
