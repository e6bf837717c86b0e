"""The number of a screen -> a page that looks like one: lists, buttons, chips, cards, bottom tabs, badges, sides that stand upright.

Lengths are those of the page, of which a screen shows as many pixels as its scale says. What is of class `label` is text to be read.
"""

import collections
import html
import random

import words

Screen = collections.namedtuple("Screen", "width height scale noise page")

# Width and height in pixels, and how many pixels a length of 1 has: phones from 720p to 1440p, and windows on a desk.
SIZES = [
    (720, 1280, 2), (1080, 1920, 2.5), (1080, 2400, 2.75), (1440, 3040, 3.5), (720, 1600, 1.5), (1280, 720, 1), (1080, 1920, 3),
    (1920, 1080, 1.5), (1440, 2560, 4), (2560, 1440, 2),
]
# The colours of the ground and of the ink.
THEMES = [("#fff", "#222"), ("#f5f5f5", "#333"), ("#121212", "#eee"), ("#1c2733", "#cfd8dc"), ("#fffbe6", "#5d4037"), ("#fff", "#777")]
BUTTONS = [
    ("#ff5000", "#fff"), ("#07c160", "#fff"), ("#1677ff", "#fff"), ("#e53935", "#fff"), ("#ffd54f", "#333"), ("#333", "#ffd54f"),
    ("#eee", "#555"), ("#6200ee", "#fff"), ("linear-gradient(90deg,#ff8a00,#e52e71)", "#fff"),
]
# Of Debian's packages fonts-noto-cjk, fonts-wqy-microhei, fonts-wqy-zenhei, fonts-roboto, fonts-dejavu-core, fonts-liberation and
# fonts-arphic-uming; what the first lacks is taken from the next.
FONTS = [
    "Noto Sans CJK SC", "WenQuanYi Micro Hei", "Roboto, WenQuanYi Micro Hei", "WenQuanYi Zen Hei", "DejaVu Sans, Noto Sans CJK SC",
    "Liberation Sans, Noto Sans CJK SC", "Noto Serif CJK SC", "AR PL UMing CN", "DejaVu Sans Mono, Noto Sans Mono CJK SC",
    "Liberation Serif, Noto Serif CJK SC",
]
# Faces of npm's packages, by the package; each draws a few labels of a screen.
LATIN = {
    "barlow-condensed": "Barlow Condensed", "caveat": "Caveat", "comic-neue": "Comic Neue", "courier-prime": "Courier Prime",
    "jetbrains-mono": "JetBrains Mono", "orbitron": "Orbitron", "patrick-hand": "Patrick Hand",
}
HAN = {"zcool-kuaile": "ZCOOL KuaiLe", "zcool-qingke-huangyou": "ZCOOL QingKe HuangYou", "zcool-xiaowei": "ZCOOL XiaoWei"}
# Every so many screens one has no text, one went through a lossy picture, and one has a side that stands upright.
BARE, NOISY, SIDED = 10, 4, 3

STYLE = """
*{margin:0;box-sizing:border-box} html,body{width:100%;height:100%;overflow:hidden} body{position:relative;line-height:1.25}
.label{white-space:pre;display:inline-block} .row{display:flex;align-items:center;gap:12px;padding:0 16px}
.apart{justify-content:space-between} .tabs{position:absolute;left:0;right:0;bottom:0;height:56px;background:#8882;display:flex}
.tab{flex:1;display:flex;flex-direction:column;align-items:center;justify-content:center;gap:2px;position:relative}
.icon{width:20px;height:20px;border-radius:10px;background:#8889} .list{position:absolute;left:0;right:40px;top:0;bottom:60px;overflow:hidden}
.badge{position:absolute;left:50%;top:3px;min-width:18px;height:14px;border-radius:7px;background:#f44;color:#fff;text-align:center;line-height:14px}
.button{flex:1;height:40px;display:flex;align-items:center;justify-content:center} .side{position:absolute;right:8px}
"""


class Page:
    """A page that is being written: what stands on it is drawn by one chance."""

    def __init__(self, number, seed, faces):
        self.chance = random.Random(f"{seed}:{number}")
        self.number, self.faces = number, faces
        self.ground, self.ink = THEMES[number % len(THEMES)]
        self.parts = []

    def label(self, text, size, colour=None, weight=400, style=""):
        colour = colour or self.ink
        return (
            f'<span class="label" data-text="{html.escape(text)}" style="font-size:{size}px;color:{colour};font-weight:{weight};{style}">'
            f"{html.escape(text)}</span>"
        )

    def put(self, kind, inside, style=""):
        self.parts.append(f'<div class="{kind}" style="{style}">{inside}</div>')

    def title(self):
        self.put("row", self.label(words.word(self.chance), 20, weight=self.chance.choice([400, 500, 700])), "height:52px;padding-top:8px")

    def item(self):
        """A row of a list, its value at the right."""
        chance = self.chance
        left = self.label(words.text(chance), chance.choice([14, 15, 16]))
        value = words.numeral(chance) if chance.random() < 0.6 else words.chinese(chance)
        right = self.label(value, 13, chance.choice([self.ink, "#888"]))
        self.put("row apart", left + right, "height:40px;border-bottom:1px solid #8884")

    def buttons(self):
        chance, made = self.chance, ""
        count = chance.choice([1, 2, 2, 3])
        for _ in range(count):
            ground, ink = chance.choice(BUTTONS)
            text = words.word(chance)
            text = text if len(text.encode()) * 4 < 320 / count else chance.choice(["确定", "OK", "取消", "购买"])
            inside = self.label(text, chance.choice([14, 16]), ink, chance.choice([400, 700]))
            made += f'<div class="button" style="background:{ground};border-radius:{chance.choice([0, 4, 20])}px">{inside}</div>'
        self.put("row", made, "height:56px")

    def small(self):
        chance = self.chance
        inks = [self.ink, "#888"] if self.number % len(THEMES) != 5 else [self.ink]
        made = "".join(self.label(words.text(chance), chance.choice([10, 11, 12]), chance.choice(inks)) for _ in range(2))
        self.put("row apart", made, "height:28px;padding-right:40px")

    def chips(self):
        chance, made = self.chance, ""
        for _ in range(3):
            text = words.chinese(chance) if chance.random() < 0.7 else words.numeral(chance)
            ground = chance.choice(["#8882", "#ff500022", "#1677ff22"])
            inside = self.label(text, 13, chance.choice([self.ink, "#ff5000", "#1677ff"]))
            made += f'<div style="background:{ground};border-radius:14px;padding:5px 10px">{inside}</div>'
        self.put("row", made, "height:42px")

    def card(self):
        chance = self.chance
        price = self.label(words.numeral(chance), 18, "#ff5000", 700)
        buy = self.label(chance.choice(["立即抢购", "Buy now", "已售罄", "加入购物车"]), 13)
        first = f'<div>{self.label(words.mixed(chance), 15)}</div>'
        inside = f'{first}<div class="row apart" style="padding:8px 12px 0 0">{price}{buy}</div>'
        self.put("card", inside, "margin:8px 12px;padding:10px 12px;background:#8882;border-radius:8px")

    def strange(self):
        """Labels in a face that is on few screens."""
        chance = self.chance
        latin, han = chance.choice(sorted(LATIN.values())), chance.choice(sorted(HAN.values()))
        left = self.label(chance.choice(words.ENGLISH), chance.choice([16, 20]), style=f"font-family:'{latin}'")
        right = self.label(chance.choice(words.CHINESE), chance.choice([16, 20]), style=f"font-family:'{han}'")
        self.put("row apart", left + right, "height:42px;padding-right:32px")

    def tabs(self):
        chance, made = self.chance, ""
        for number, text in enumerate(chance.sample(words.TABS, chance.choice([3, 4, 5]))):
            badge = self.label(str(chance.randint(10, 99)), 10, "#fff") if number == 2 else ""
            badge = f'<div class="badge">{badge}</div>' if badge else ""
            colour = "#1677ff" if number == 0 else self.ink
            made += f'<div class="tab"><div class="icon"></div>{badge}{self.label(text, 10, colour)}</div>'
        self.put("tabs", made)

    def side(self):
        turn = self.chance.choice(["vertical-rl", "sideways-lr"])
        turned = f"writing-mode:{turn};text-orientation:sideways"
        first, second = self.chance.sample(words.SIDES, 2)
        self.put("side", self.label(first, 14, style=turned), "top:90px")
        self.put("side", self.label(second, 13, style=turned), "top:260px")

    def bare(self, height):
        """What is no text: icons, lines, gradients, grids, curves."""
        chance = self.chance
        for _ in range(40):
            colour = f"hsl({chance.randint(0, 359)} {chance.randint(10, 90)}% {chance.randint(20, 80)}%)"
            ground = chance.choice([
                colour, f"linear-gradient({chance.randint(0, 180)}deg,{colour},#8882)",
                f"repeating-linear-gradient({chance.choice([0, 45, 90])}deg,{colour} 0 {chance.randint(1, 6)}px,#0000 0 {chance.randint(8, 20)}px)",
                f"radial-gradient({colour},#0000 70%)",
            ])
            place = f"left:{chance.randint(0, 90)}%;top:{chance.randint(0, height)}px"
            size = f"width:{chance.randint(10, 160)}px;height:{chance.randint(2, 120)}px;border-radius:{chance.choice([0, 8, 60])}px"
            turn = f"transform:rotate({chance.choice([0, 0, 30, 45])}deg)"
            self.put("shape", "", f"position:absolute;background:{ground};{place};{size};{turn}")
        points = " ".join(f"{x * 20},{chance.randint(0, 80)}" for x in range(20))
        self.put("curve", f'<svg width="100%" height="100"><polyline points="{points}" fill="none" stroke="{self.ink}"/></svg>')

    def whole(self, height):
        """Fills the page from above to its tabs."""
        self.title()
        rows = [self.item] * 35 + [self.buttons] * 20 + [self.small] * 17 + [self.chips] * 13 + [self.card] * 10
        rows += [self.strange] * (8 if self.faces else 0)
        filled = 52
        while filled < height - 60:
            row = self.chance.choice(rows)
            row()
            filled += {"item": 40, "buttons": 56, "small": 28, "chips": 42, "card": 84, "strange": 42}[row.__name__]
        self.parts = [f'<div class="list">{"".join(self.parts)}</div>']
        self.tabs()
        if self.number % SIDED == 0:
            self.side()

    def written(self, font):
        links = "".join(f'<link rel="stylesheet" href="{face}">' for face in self.faces)
        look = f"body{{background:{self.ground};color:{self.ink};font-family:{font},sans-serif}}"
        return f'<!doctype html><meta charset="utf-8">{links}<style>{STYLE}{look}</style><body>{"".join(self.parts)}</body>'


def screen(number, seed, faces):
    """Returns a screen; `faces` are the addresses of style sheets of more fonts."""
    width, height, scale = SIZES[number % len(SIZES)]
    page = Page(number, seed, faces)
    if number % BARE == BARE - 1:
        page.bare(int(height / scale))
    else:
        page.whole(int(height / scale))
    # Sizes, fonts and themes come round at different times.
    font = FONTS[(number + number // len(SIZES)) % len(FONTS)]
    return Screen(width, height, scale, number % NOISY == NOISY - 1, page.written(font))
