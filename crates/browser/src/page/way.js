// A frame's element → how a point of the frame's page becomes one of the page around it: x′ = a x + c y + e, y′ = b x + d y + f, as far
// as transforms of the frame and of what it stands in are flat; else it is bent, and only tells where the frame begins.
const UNMOVED = { a: 1, b: 0, c: 0, d: 1, e: 0, f: 0 };
const isPlain = ({ a, b, c, d }) => a === 1 && b === 0 && c === 0 && d === 1;
const product = (m, n) => ({
    a: m.a * n.a + m.c * n.b, b: m.b * n.a + m.d * n.b, c: m.a * n.c + m.c * n.d, d: m.b * n.c + m.d * n.d,
});
const joined = (outer, inner) => ({
    ...product(outer, inner), bent: outer.bent || inner.bent,
    e: outer.a * inner.e + outer.c * inner.f + outer.e, f: outer.b * inner.e + outer.d * inner.f + outer.f,
});
const wayBack = ({ a, b, c, d, e, f }, x, y) => {
    const whole = a * d - b * c;
    return [(d * (x - e) - c * (y - f)) / whole, (a * (y - f) - b * (x - e)) / whole];
};
// What a style's own transforms do to directions, in the order of CSS Transforms 2; null where that is not flat.
const turnOf = (style) => {
    let turn = { a: 1, b: 0, c: 0, d: 1 };
    if (style.offsetPath && style.offsetPath !== "none") return null;
    if (style.rotate && style.rotate !== "none") {
        const angle = /^(-?[\d.e+-]+)deg$/.exec(style.rotate);
        if (!angle) return null;
        const [sine, cosine] = [Math.sin(angle[1] * Math.PI / 180), Math.cos(angle[1] * Math.PI / 180)];
        turn = { a: cosine, b: sine, c: -sine, d: cosine };
    }
    if (style.scale && style.scale !== "none") {
        const factors = partsOf(style.scale, " ");
        turn = product(turn, { a: +factors[0], b: 0, c: 0, d: +(factors[1] ?? factors[0]) });
    }
    if (!style.transform || style.transform === "none") return turn;
    const given = /^matrix(3d)?\((.*)\)$/.exec(style.transform);
    if (!given) return null;
    const parts = partsOf(given[2], ",");
    const at = given[1] ? [0, 1, 4, 5] : [0, 1, 2, 3];
    const depth = given[1] ? +parts[2] || +parts[3] || +parts[6] || +parts[7] || +parts[11] || +parts[15] !== 1 : false;
    return depth ? null : product(turn, { a: +parts[at[0]], b: +parts[at[1]], c: +parts[at[2]], d: +parts[at[3]] });
};
const turnedBy = (frame) => {
    const zoom = frame.currentCSSZoom ?? 1;
    let all = { a: zoom, b: 0, c: 0, d: zoom };
    const view = frame.ownerDocument.defaultView;
    let node = frame;
    for (let depth = 0; node && depth < 1000; depth++) {
        const style = view.getComputedStyle(node);
        // Boxes within a line are not transformed.
        if (node === frame || (style.display !== "inline" && style.display !== "contents")) {
            const turn = turnOf(style);
            if (!turn) return null;
            all = product(turn, all);
        }
        const parent = assignedSlot(node) ?? parentNode(node);
        node = parent && nodeType(parent) === 11 ? parent.host : parent && nodeType(parent) === 1 ? parent : null;
    }
    return all;
};
// Where the ways lead is found once for each look.
const ways = new Map();
const wayInto = (frame) => {
    let way = ways.get(frame);
    if (!way) ways.set(frame, way = foundWay(frame));
    return way;
};
const foundWay = (frame) => {
    const rect = boundingRect(frame);
    const style = frame.ownerDocument.defaultView.getComputedStyle(frame);
    const [left, top] = [clientLeft(frame) + parseFloat(style.paddingLeft), clientTop(frame) + parseFloat(style.paddingTop)];
    const turn = turnedBy(frame);
    const begins = { ...UNMOVED, e: rect.left + left, f: rect.top + top };
    if (turn && isPlain(turn) && frame.tagName === "FRAME") return begins;
    const [width, height] = [offsetWidth(frame), offsetHeight(frame)];
    const { a, b, c, d } = turn ?? UNMOVED;
    const [wide, high] = [Math.abs(a) * width + Math.abs(c) * height, Math.abs(b) * width + Math.abs(d) * height];
    const close = 1 + Math.max(Math.abs(a) + Math.abs(c), Math.abs(b) + Math.abs(d));
    const fits = Math.abs(wide - rect.width) <= close && Math.abs(high - rect.height) <= close;
    if (!turn || !fits || Math.abs(a * d - b * c) < 1e-6) return { ...begins, bent: true };
    if (isPlain(turn)) return begins;
    // What its middle is stays its middle.
    const [x, y] = [left - width / 2, top - height / 2];
    return { ...turn, e: (rect.left + rect.right) / 2 + a * x + c * y, f: (rect.top + rect.bottom) / 2 + b * x + d * y };
};
