"""Merges the parts of a @fontsource family and keeps what the virtual phone draws: subset.py FOLDER OUTPUT."""

import sys
from pathlib import Path

from fontTools import merge, subset
from fontTools.ttLib import TTFont

PREFIX = "noto-sans-sc-"
SUFFIX = "-400-normal.woff2"
# What the apps may show beyond ranges: units, currency, marks, arrows, list bullets, keyboard signs.
SYMBOLS = "←↑→↓↔⇧✓✕×÷±•·…—–‘’“”‹›«»€£¥￥™℃№★☆♥♡●○■□◆◇▲△▼▽√∞≈≠≤≥①②③④⑤⑥⑦⑧⑨⑩⋯"
# Characters of GB2312's second level that app pages like to use.
EXTRA = "嗨咖啡玻璃橙柠檬樱莓蔬芒菠萝鲑虾馄饨饺煲瓷碟毯睿妍婷昊晟琪瑶莹煜钰鑫淼赵玮喆"


def wanted():
    """Returns the code points to keep."""
    ranges = [(0x20, 0x7E), (0xA0, 0xFF), (0x2010, 0x2027), (0x3000, 0x3017), (0xFF01, 0xFF5E)]
    keep = {code for first, last in ranges for code in range(first, last + 1)}
    keep.update(ord(sign) for sign in SYMBOLS + EXTRA)
    for high in range(0xB0, 0xD8):
        for low in range(0xA1, 0xFF):
            try:
                keep.add(ord(bytes([high, low]).decode("gb2312")))
            except UnicodeDecodeError:
                continue
    return keep


def reduce(path, codes, target):
    """Writes the glyphs of `codes` of one part, without hints and layout tables, as TrueType."""
    options = subset.Options(
        hinting=False, layout_features=[], notdef_outline=True, glyph_names=False, desubroutinize=True,
        name_IDs=[0, 1, 2, 5, 13, 14], drop_tables=["GSUB", "GPOS", "GDEF", "BASE", "STAT", "vhea", "vmtx", "gasp", "prep", "meta"],
    )
    font = subset.load_font(str(path), options)
    worker = subset.Subsetter(options)
    worker.populate(unicodes=codes)
    worker.subset(font)
    font.flavor = None
    font.save(target)


def main(folder, output):
    """Takes each character from the first part that has it: Latin first, then Chinese, then the numbered rest."""
    left, parts = wanted(), []
    names = ["latin", "latin-ext", "chinese-simplified"]
    rest = sorted(path.name for path in Path(folder).glob(f"{PREFIX}[0-9]*{SUFFIX}"))
    for name in [f"{PREFIX}{name}{SUFFIX}" for name in names] + rest:
        path = Path(folder) / name
        if not path.exists() or not left:
            continue
        have = left & set(TTFont(path).getBestCmap())
        if have:
            parts.append(f"part{len(parts)}.ttf")
            reduce(path, have, parts[-1])
            left -= have
    merge.Merger().merge(parts).save(output)
    print("without a glyph:", "".join(chr(code) for code in sorted(left)))


main(*sys.argv[1:])
