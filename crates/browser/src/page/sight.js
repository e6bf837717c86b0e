// What a person can see of a page → where scrolling leads, which part of a text lies there, and what makes the rest invisible.
//
// A region is a rectangle of the viewport's coordinates: what is drawn now. Its `reach` is what a person can bring there, by scrolling
// what a wheel or a finger scrolls; `by` is what cuts it off.
const NOWHERE = { left: 0, top: 0, right: 0, bottom: 0 };
const region = (rect, reach) => ({ left: rect.left, top: rect.top, right: rect.right, bottom: rect.bottom, reach });
const cutTo = (reach, rect, by, ellipsis) => ({ ...crossed(reach, rect), by: isWithin(reach, rect) ? reach.by : by, ellipsis });
const isWithin = (rect, around) =>
    rect.left >= around.left - 1 && rect.top >= around.top - 1 && rect.right <= around.right + 1 && rect.bottom <= around.bottom + 1;
// Less than this of a box is no sight of it: the border of an accordion that is closed.
const SLIVER = 2.5;
const shows = (rect, reach) => {
    const part = crossed(rect, reach);
    return part.right - part.left >= Math.min(SLIVER, rect.right - rect.left) && part.bottom - part.top >= Math.min(SLIVER, rect.bottom - rect.top)
        && !isEmpty(part);
};
const isScrolled = (overflow) => overflow === "auto" || overflow === "scroll" || overflow === "overlay";
// Where the content of a box that scrolls begins and ends along one axis; boxes that are filled from their end scroll backwards.
const scrolled = (start, at, whole, seen, isBackwards) => {
    const from = isBackwards ? start - at - (whole - seen) : start - at;
    return [from, from + whole];
};
const runsLeft = (style) => {
    const isRow = style.flexDirection === "row-reverse" && (style.display === "flex" || style.display === "inline-flex");
    return (style.direction === "rtl") !== isRow || style.writingMode === "vertical-rl";
};
const runsUp = (style) => style.flexDirection === "column-reverse" && (style.display === "flex" || style.display === "inline-flex");
// What of an element's content can be seen, and be brought there.
const clippedBy = (element, { style, overflowX, overflowY, place }, clip) => {
    const { reach } = clip;
    const [scrollsX, scrollsY] = [isScrolled(overflowX), isScrolled(overflowY)];
    const within = crossed(clip, place);
    if (!scrollsX && !scrollsY) {
        // A line that ends in an ellipsis ends before it.
        const isCut = style.textOverflow !== "clip" && style.textOverflow !== "" && scrollWidth(element) > clientWidth(element) + 1;
        const room = isCut ? 0.7 * parseFloat(style.fontSize) : 0;
        const shown = !isCut ? place : style.direction === "rtl" ? { ...place, left: place.left + room } : { ...place, right: place.right - room };
        return region(within, cutTo(reach, shown, element, isCut));
    }
    if (!shows(place, reach)) return region(within, { ...NOWHERE, by: reach.by ?? element });
    const [wide, high] = [offsetWidth(element) || 1, offsetHeight(element) || 1];
    const [x, y] = [(place.right - place.left) / wide, (place.bottom - place.top) / high];
    const all = { ...place };
    if (Math.abs(x - y) < 0.02) {
        [all.left, all.right] = scrolled(place.left + clientLeft(element) * x, scrollLeft(element) * x, scrollWidth(element) * x,
            clientWidth(element) * x, runsLeft(style));
        [all.top, all.bottom] = scrolled(place.top + clientTop(element) * y, scrollTop(element) * y, scrollHeight(element) * y,
            clientHeight(element) * y, runsUp(style));
    } else {
        // Turned: where its content is cannot be told from its box.
        [all.left, all.top, all.right, all.bottom] = [-1e9, -1e9, 1e9, 1e9];
    }
    // What does not scroll along an axis cuts off there.
    if (!scrollsX) [all.left, all.right] = [Math.max(place.left, reach.left), Math.min(place.right, reach.right)];
    if (!scrollsY) [all.top, all.bottom] = [Math.max(place.top, reach.top), Math.min(place.bottom, reach.bottom)];
    return region(within, { ...all, by: scrollsX && scrollsY ? null : element });
};
// The regions of a document in its own coordinates: of what scrolls with it, and of what does not.
const documentReach = (content, view, isHeld) => {
    const root = rootElement(content);
    const screen = { left: 0, top: 0, right: view.innerWidth, bottom: view.innerHeight, by: null };
    const top = root && view.getComputedStyle(root);
    const body = content.body && view.getComputedStyle(content.body);
    // The body's goes for the page where the root says nothing.
    const own = top && top.overflowX === "visible" && top.overflowY === "visible" && body ? body : top;
    const all = content.scrollingElement ?? root;
    const page = { ...screen };
    if (!all || !own) return { screen, page };
    const stays = (overflow) => isHeld || overflow === "hidden" || overflow === "clip";
    if (!stays(own.overflowX)) {
        [page.left, page.right] = scrolled(0, view.scrollX, Math.max(scrollWidth(all), screen.right), clientWidth(root) || screen.right, runsLeft(top));
    }
    if (!stays(own.overflowY)) [page.top, page.bottom] = scrolled(0, view.scrollY, Math.max(scrollHeight(all), screen.bottom), screen.bottom, false);
    if (stays(own.overflowX) || stays(own.overflowY)) page.by = root;
    return { screen, page };
};

// Whether a body scrolls or clips by itself: where the root says nothing, what the body says is for the page.
const isBodyApart = (body) => {
    const root = rootElement(body.ownerDocument);
    const style = root && body.ownerDocument.defaultView?.getComputedStyle(root);
    return !!style && (style.overflowX !== "visible" || style.overflowY !== "visible");
};

// One range of each document serves all: each costs whatever changes the page.
const ranges = new WeakMap();
const rangeOf = (content) => {
    let range = ranges.get(content);
    if (!range) ranges.set(content, range = rangeIn(content));
    return range;
};
// What of a text is seen: its characters that lie within reach, by most of their height.
const MOST_HIDDEN = 0.4;
const isSeenAt = (rect, reach) => {
    const part = crossed(rect, reach);
    return part.right - part.left > 0.5 * (rect.right - rect.left) - 0.01 && part.bottom - part.top > (1 - MOST_HIDDEN) * (rect.bottom - rect.top) - 0.01;
};
const seenPart = (node, text, way, reach) => {
    const range = rangeOf(node.ownerDocument);
    const all = { seen: "", isCut: false, spans: [] };
    // Adds what of a stretch of the text is seen; stretches that lie wholly within or without are not looked at further.
    const add = (from, to) => {
        setStart(range, node, from);
        setEnd(range, node, to);
        const rects = rangeRects(range);
        let inside = 0;
        let outside = 0;
        for (let at = 0; at < rects.length; at++) {
            const rect = moved(rects[at], way);
            if (rect.right - rect.left <= 0) continue;
            if (isWithin(rect, reach) || (to - from === 1 && isSeenAt(rect, reach))) inside++;
            else if (isEmpty(crossed(rect, reach)) || to - from === 1) outside++;
            else inside = outside = 1;
        }
        if (inside + outside === 0 || outside === 0) {
            all.seen += cutAt(text, from, to);
            all.spans[all.spans.length] = [from, to];
        }
        else if (inside === 0) all.isCut = true;
        else if (to - from === 1) all.isCut = true;
        else {
            const middle = (from + to) >> 1;
            add(from, middle);
            add(middle, to);
        }
    };
    if (text.length > 0) add(0, text.length);
    return all;
};

// Whether a text that runs through a box which is too short for it has been seen whole by now, by the parts of it that were seen in turn.
const PASSES_MS = 30000;
const STANDS_MS = 3000;
// The texts that run and were not read whole by the current look: they are not absent.
let running = [];
const hasPassed = (node, text, spans) => {
    const now = performance.now();
    const last = spans.length > 0 ? spans[0][0] + "-" + spans[spans.length - 1][1] : "";
    let known = memory.passing.get(node);
    if (!known || known.text !== text || now - known.since > PASSES_MS) {
        known = { text, since: now, last, movedAt: -STANDS_MS, seen: [] };
        memory.passing.set(node, known);
    }
    if (known.last !== last) {
        known.last = last;
        known.movedAt = now;
    }
    for (let at = 0; at < spans.length; at++) for (let sign = spans[at][0]; sign < spans[at][1]; sign++) known.seen[sign] = true;
    if (now - known.movedAt >= STANDS_MS) return false;
    for (let sign = 0; sign < text.length; sign++) {
        if (known.seen[sign] !== true && collapsed(text[sign]) !== "") {
            running[running.length] = collapsed(text);
            return false;
        }
    }
    return true;
};

// Colours as computed styles write them → red, green, blue and alpha, or null where they are written another way.
const colours = new Map();
const colourOf = (written) => {
    let colour = colours.get(written);
    if (colour === undefined) {
        const parts = /^rgba?\(([^)]*)\)$/.exec(written);
        const numbers = parts ? partsOf(replaced(parts[1], /[,/\s]+/g, " "), " ") : NONE;
        const modern = parts ? null : /^color\(srgb ([\d.e-]+) ([\d.e-]+) ([\d.e-]+)(?: \/ ([\d.e-]+))?\)$/.exec(written);
        colour = numbers.length > 2 ? [+numbers[0], +numbers[1], +numbers[2], numbers.length > 3 ? +numbers[3] : 1]
            : modern ? [modern[1] * 255, modern[2] * 255, modern[3] * 255, modern[4] === undefined ? 1 : +modern[4]]
                : / \/ 0\)$/.test(written) ? [0, 0, 0, 0] : null;
        if (colours.size > 2000) colours.clear();
        colours.set(written, colour);
    }
    return colour;
};
const FAINT = 0.04;
const isAlike = (one, other) => Math.abs(one[0] - other[0]) + Math.abs(one[1] - other[1]) + Math.abs(one[2] - other[2]) <= 6;
// The one colour behind what stands in an element; null where that is a picture, half transparent or unknown.
const groundOf = (inner) => {
    if (inner.ground === undefined) {
        const { style } = inner;
        const own = colourOf(style.backgroundColor);
        if (style.backgroundImage !== "none" || !own) inner.ground = null;
        else if (own[3] > 0.99) inner.ground = own;
        else if (own[3] > FAINT) inner.ground = null;
        else inner.ground = inner.up ? groundOf(inner.up) : [255, 255, 255, 1];
    }
    return inner.ground;
};
const SHADOWS = /rgba?\([^)]*\)/;
// What else may be painted behind a text than the grounds that it stands in: pictures, layers and pseudo-elements beside them.
const PICTURES = { __proto__: null, img: 1, canvas: 1, video: 1, picture: 1, svg: 1, iframe: 1, frame: 1, object: 1, embed: 1, input: 1 };
const MOST_LAYERS = 300;
const paints = (style, ink) => {
    const own = colourOf(style.backgroundColor);
    return style.backgroundImage !== "none" || style.boxShadow !== "none" || !own || (own[3] > FAINT && !(own[3] > 0.99 && isAlike(own, ink)));
};
const paintsBeside = (element, view, ink) => {
    for (const which of ["::before", "::after"]) {
        const style = view.getComputedStyle(element, which);
        if (style.content !== "none" && style.content !== "normal" && style.display !== "none" && paints(style, ink)) return true;
    }
    return false;
};
const mayStandOnElse = (element, ink) => {
    const view = element.ownerDocument.defaultView;
    const rect = boundingRect(element);
    let left = MOST_LAYERS;
    const isPainted = (one) => {
        if (left-- <= 0) return true;
        const over = boundingRect(one);
        const isThere = !isEmpty(crossed(over, rect));
        if (isThere && (PICTURES[localName(one)] === 1 || paints(view.getComputedStyle(one), ink) || paintsBeside(one, view, ink))) return true;
        for (let child = firstElement(one); child; child = nextElement(child)) if (isPainted(child)) return true;
        return false;
    };
    for (let one = element; one && nodeType(one) === 1; one = above(one)) {
        const style = view.getComputedStyle(one);
        if (paintsBeside(one, view, ink) || contains(style.boxShadow, "inset")) return true;
        if ((colourOf(style.backgroundColor)?.[3] ?? 0) > 0.99) return false;
        const around = above(one);
        for (let beside = around && firstElement(around); beside; beside = nextElement(beside)) if (beside !== one && isPainted(beside)) return true;
    }
    return false;
};
// Why a text of a drawing is not painted; its shapes may stand behind it, so that its colour alone hides nothing.
const paintOf = (style) => {
    const isClear = (paint, opacity) => paint === "none" || +opacity < FAINT || (colourOf(paint)?.[3] ?? 1) < FAINT;
    return isClear(style.fill, style.fillOpacity) && isClear(style.stroke, style.strokeOpacity) ? "its text is transparent" : null;
};
// Why a text's colour hides it; null where it is seen. A text of the colour behind it may stand on something else that was drawn there.
const inkOf = (element, style, inner) => {
    if (element.namespaceURI === "http://www.w3.org/2000/svg") return paintOf(style);
    const ink = colourOf(style.webkitTextFillColor ?? style.color);
    if (!ink) return null;
    const isFaint = ink[3] < FAINT;
    const ground = isFaint ? null : groundOf(inner);
    if (!isFaint && !(ground && isAlike(ink, ground))) return null;
    if (style.textShadow !== "none" && (colourOf(SHADOWS.exec(style.textShadow)?.[0] ?? "")?.[3] ?? 1) > 0.1) return null;
    if (parseFloat(style.webkitTextStrokeWidth) > 0) return null;
    const clip = style.webkitBackgroundClip ?? style.backgroundClip;
    if (isFaint && (clip === "text" || contains(clip + "", "text")) && (style.backgroundImage !== "none" || (colourOf(style.backgroundColor)?.[3] ?? 1) > 0.1)) return null;
    if (isFaint) return "its text is transparent";
    return mayStandOnElse(element, ink) ? null : "its text has the colour of what is behind it";
};
// What filters, masks and shapes leave of an element; null where it is seen.
const NOTHING_LEFT = /opacity\((0(\.0[0-3]\d*)?|[0-3](\.\d+)?%)\)/;
const erasedBy = (style, filter, position, place) => {
    if (filter !== "none") {
        if (NOTHING_LEFT.test(filter)) return "filtered away";
        const blur = /blur\(([\d.]+)px\)/.exec(filter);
        if (blur && +blur[1] >= Math.max(6, 0.5 * parseFloat(style.fontSize))) return "blurred";
    }
    const shape = style.clipPath;
    if (shape !== "none" && shape && !shapeShows(shape, place)) return "clipped to nothing by its clip-path";
    if ((position === "absolute" || position === "fixed") && style.clip !== "auto" && style.clip) {
        const sides = /^rect\(([^)]*)\)$/.exec(style.clip);
        const [top, right, bottom, left] = sides ? partsOf(replaced(sides[1], /,\s*/g, " "), " ") : NONE;
        const side = (given, usual) => (given === "auto" ? usual : parseFloat(given));
        const [wide, high] = [place.right - place.left, place.bottom - place.top];
        if (sides && (side(right, wide) - side(left, 0) <= SLIVER || side(bottom, high) - side(top, 0) <= SLIVER)) return "clipped to nothing by its clip";
    }
    const mask = style.maskImage ?? style.webkitMaskImage;
    if (mask && mask !== "none" && isClearGradient(mask)) return "masked away";
    return null;
};
// Whether anything can be seen through a shape; of those that are not told by lengths alone it is assumed.
const shapeShows = (shape, place) => {
    const [wide, high] = [place.right - place.left, place.bottom - place.top];
    const length = (given, whole) => (given === undefined ? 0 : /%$/.test(given) ? parseFloat(given) * whole / 100 : /px$|^0$/.test(given) ? parseFloat(given) : NaN);
    const inset = /^inset\(([^)]*?)(?: round .*)?\)$/.exec(shape);
    if (inset) {
        const sides = partsOf(collapsed(inset[1]), " ");
        const top = length(sides[0], high);
        const right = length(sides[1] ?? sides[0], wide);
        const bottom = length(sides[2] ?? sides[0], high);
        const left = length(sides[3] ?? sides[1] ?? sides[0], wide);
        return !(left + right >= wide - SLIVER || top + bottom >= high - SLIVER);
    }
    if (/^(circle|ellipse)\(0(px|%)?( |\))/.test(shape)) return false;
    const polygon = /^polygon\((?:(?:nonzero|evenodd)\s*,)?([^)]*)\)$/.exec(shape);
    if (!polygon) return true;
    const points = partsOf(polygon[1], ",");
    let box = null;
    for (let at = 0; at < points.length; at++) {
        const [x, y] = partsOf(collapsed(points[at]), " ");
        const [left, top] = [length(x, wide), length(y, high)];
        box = box ? { left: Math.min(box.left, left), top: Math.min(box.top, top), right: Math.max(box.right, left), bottom: Math.max(box.bottom, top) }
            : { left, top, right: left, bottom: top };
    }
    if (!box) return true;
    const part = crossed(box, { left: 0, top: 0, right: wide, bottom: high });
    return !(part.right - part.left <= SLIVER || part.bottom - part.top <= SLIVER);
};
// A mask of nothing but transparent colours hides all.
const isClearGradient = (mask) => {
    if (!/gradient\(/.test(mask) || /url\(/.test(mask)) return false;
    const found = mask.match(/rgba?\([^)]*\)|transparent/g) ?? NONE;
    for (let at = 0; at < found.length; at++) if (found[at] !== "transparent" && (colourOf(found[at])?.[3] ?? 1) >= FAINT) return false;
    return found.length > 0;
};
// Whether an element is turned so that one looks at its back, which is not drawn. `turn` is what turns all around it in one space.
const turnIn = (transform, around) => {
    if (transform === "none" && !around.turn) return null;
    const own = new DOMMatrix(transform === "none" ? "" : transform);
    return around.turn ? around.turn.multiply(own) : own;
};
const showsBack = (turn, style) => {
    if (!turn || turn.is2D || style.backfaceVisibility !== "hidden") return false;
    return turn.m11 * turn.m22 - turn.m12 * turn.m21 < 0;
};

// Whether something that is painted over a point hides what is behind it; `null` where only a picture of it could tell.
const isOpaque = (element, limit) => {
    const view = element.ownerDocument.defaultView;
    let opacity = 1;
    for (let one = element; one && one !== limit && nodeType(one) === 1; one = above(one)) {
        const style = view.getComputedStyle(one);
        opacity *= style.opacity;
        if (opacity < 0.9 || style.visibility !== "visible") return false;
    }
    const style = view.getComputedStyle(element);
    if (style.mixBlendMode !== "normal") return false;
    return (colourOf(style.backgroundColor)?.[3] ?? 0) > 0.95 || isFullGradient(style) || (localName(element) === "img" && isFullPicture(element));
};
// Whether a gradient covers all of its box and lets nothing through.
const isFullGradient = (style) => {
    const image = style.backgroundImage;
    if (!/^(repeating-)?(linear|radial|conic)-gradient\(/.test(image) || contains(image, "transparent") || style.backgroundSize !== "auto") return false;
    const found = image.match(/rgba?\([^)]*\)/g) ?? NONE;
    for (let at = 0; at < found.length; at++) if ((colourOf(found[at])?.[3] ?? 0) < 0.95) return false;
    return found.length > 1;
};
// Whether nothing is seen through a picture; of those that no script may read it is not known.
const pictures = new WeakMap();
const SAMPLES = 12;
const isFullPicture = (image) => {
    if (!image.complete || image.naturalWidth === 0) return false;
    const known = pictures.get(image);
    if (known && known.source === image.currentSrc) return known.isFull;
    let isFull = true;
    try {
        const drawing = new OffscreenCanvas(SAMPLES, SAMPLES).getContext("2d");
        drawing.drawImage(image, 0, 0, SAMPLES, SAMPLES);
        const { data } = drawing.getImageData(0, 0, SAMPLES, SAMPLES);
        for (let at = 3; at < data.length; at += 4) isFull &&= data[at] > 240;
    } catch {
        isFull = false;
    }
    pictures.set(image, { source: image.currentSrc, isFull });
    return isFull;
};
// How far scrolling can move an element: along each axis, towards its beginning and its end.
const roomToScroll = (element) => {
    const room = { left: 0, right: 0, up: 0, down: 0 };
    for (let one = above(element); one; one = above(one)) {
        const view = one.ownerDocument.defaultView;
        const style = view.getComputedStyle(one);
        if (one === rootElement(one.ownerDocument)) {
            const { screen, page } = documentReach(one.ownerDocument, view, false);
            room.down += screen.top - page.top;
            room.up += page.bottom - screen.bottom;
            room.right += screen.left - page.left;
            room.left += page.right - screen.right;
        } else if (style.position === "fixed") {
            return room;
        } else if ((localName(one) !== "body" || isBodyApart(one)) && (isScrolled(style.overflowX) || isScrolled(style.overflowY))) {
            if (isScrolled(style.overflowY)) {
                room.down += Math.abs(scrollTop(one));
                room.up += scrollHeight(one) - clientHeight(one) - Math.abs(scrollTop(one));
            }
            if (isScrolled(style.overflowX)) {
                room.right += Math.abs(scrollLeft(one));
                room.left += scrollWidth(one) - clientWidth(one) - Math.abs(scrollLeft(one));
            }
        }
    }
    return room;
};
// Whether what covers an element stays where it is while the element is scrolled, so that a person gets it out of there.
const isLeftBehind = (element, cover, rect) => {
    let stays = false;
    for (let one = cover; one && !stays && !holds(one, element); one = above(one)) {
        const position = one.ownerDocument.defaultView.getComputedStyle(one).position;
        stays = position === "fixed" || position === "sticky";
    }
    const scroller = (one) => {
        for (let up = above(one); up; up = above(up)) {
            const style = up.ownerDocument.defaultView.getComputedStyle(up);
            if (isScrolled(style.overflowY) || isScrolled(style.overflowX)) return up;
        }
        return null;
    };
    if (!stays && scroller(cover) === scroller(element)) return false;
    const room = roomToScroll(element);
    const over = boundingRect(cover);
    const [width, height] = [rect.right - rect.left, rect.bottom - rect.top];
    return (over.bottom - rect.top <= room.down && over.bottom + Math.min(height, 20) <= innerHeight)
        || (rect.bottom - over.top <= room.up && over.top >= Math.min(height, 20))
        || (over.right - rect.left <= room.right && over.right + Math.min(width, 20) <= innerWidth)
        || (rect.right - over.left <= room.left && over.left >= Math.min(width, 20));
};
// The places of a text, the largest lines of it first; of what has none, of its box.
const spotsOf = (node) => {
    const { element } = node;
    const rects = [];
    if (node.hasText) {
        const range = rangeOf(element.ownerDocument);
        putAround(range, element);
        const pieces = rangeRects(range);
        for (let at = 0; at < pieces.length && at < 40; at++) {
            const rect = crossed(moved(pieces[at], node.way), node.rect);
            if (!isEmpty(rect)) rects[rects.length] = rect;
        }
    }
    if (rects.length === 0) rects[0] = node.rect;
    return rects;
};
const IN_LINE = [[0.5, 0.5], [0.08, 0.5], [0.92, 0.5], [0.3, 0.5], [0.7, 0.5]];
const IN_BOX = [[0.5, 0.5], [0.1, 0.15], [0.9, 0.15], [0.1, 0.85], [0.9, 0.85]];
// Finds what lies over all of an element and hides it; null where some of it is seen, or where that cannot be told.
const hiderOf = (node, screen) => {
    const { element } = node;
    const rects = spotsOf(node);
    // Of what can be acted on, its box is seen, too.
    if (node.hasText && node.flags & ACTS) rects[rects.length] = node.rect;
    let hider = null;
    for (let at = 0; at < rects.length && at < 9; at++) {
        const rect = crossed(rects[at], screen);
        if (isEmpty(rect)) return null;
        const points = rects[at] === node.rect ? IN_BOX : IN_LINE;
        for (let one = 0; one < points.length; one++) {
            const x = rect.left + (rect.right - rect.left) * points[one][0];
            const y = rect.top + (rect.bottom - rect.top) * points[one][1];
            const found = met(x, y);
            const over = found ? hiddenAt(element, found, x, y) : null;
            if (!over) return null;
            hider ??= over;
        }
    }
    if (!hider || !hider.element) return hider;
    return isLeftBehind(element, hider.element, rects.length > 1 ? node.rect : rects[0]) ? null : hider;
};
// What hides an element at a point at which something else, or what it stands in, is met.
const hiddenAt = (element, found, x, y) => {
    if (found === element) return null;
    if (holds(element, found)) {
        // A veil that stands in the element itself.
        const style = found.ownerDocument.defaultView.getComputedStyle(found);
        const isVeil = (style.position === "absolute" || style.position === "fixed") && collapsed(textContent(found)) === "";
        return isVeil && isOpaque(found, element) ? { how: "behind", element: found } : null;
    }
    // In the document of what was met, the frame stands for what is in it.
    let own = element;
    while (own && own.ownerDocument !== found.ownerDocument) own = own.ownerDocument.defaultView?.frameElement ?? null;
    if (!own) return null;
    const view = own.ownerDocument.defaultView;
    if (view.getComputedStyle(own).pointerEvents === "none") {
        return !holds(found, own) && isOpaque(found, null) && isAbove(found, own) ? { how: "behind", element: found } : null;
    }
    if (own.ownerDocument !== document) {
        let outer = own.ownerDocument.defaultView.frameElement;
        for (; outer; outer = outer.ownerDocument.defaultView.frameElement) [x, y] = wayBack(wayInto(outer), x, y);
    }
    const root = rootOf(own);
    const stack = isShadow(root) ? shadowAllAt(root, x, y) : documentAllAt(own.ownerDocument, x, y);
    for (let at = 0; at < stack.length; at++) {
        const one = stack[at];
        if (one === own || holds(own, one)) return null;
        // What it stands in is painted over it only where it has a z-index below zero.
        const isAround = holds(one, own);
        if (isOpaque(one, null) && (!isAround || isMetLater(stack, at, own))) return { how: "behind", element: one };
        if (isAround && !isMetLater(stack, at, own)) return null;
    }
    return null;
};
const isMetLater = (stack, from, own) => {
    for (let at = from + 1; at < stack.length; at++) if (stack[at] === own || holds(own, stack[at])) return true;
    return false;
};
// Whether one of two that do not stand in each other is painted later, as far as their positions tell.
const isAbove = (one, other) => {
    const level = (element) => {
        for (let at = element; at && nodeType(at) === 1; at = above(at)) {
            const style = at.ownerDocument.defaultView.getComputedStyle(at);
            if (style.position !== "static") return +style.zIndex || 0;
        }
        return -0.5;
    };
    const [first, second] = [level(one), level(other)];
    return first === second ? (other.compareDocumentPosition(one) & 4) !== 0 : first > second;
};
