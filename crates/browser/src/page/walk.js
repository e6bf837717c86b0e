// The elements of a page as they are rendered → nodes, each with its number, in reading order.
//
// What nobody can see has none (sight.js), but for fields, which pages fade out to draw their own over them; asked for what is merely
// present, a walk tells of that, too, and why it is not seen. What lies beyond the viewport has its place there.
const MOST_VISITED = 400000;
const MOST_NODES = 6000;
const MOST_BEYOND = 3000;
const DEEPEST = 400;
const DEEPEST_NODE = 120;
const WALK_MS = 1500;
const SKIPPED = {
    __proto__: null, script: 1, style: 1, head: 1, noscript: 1, template: 1, meta: 1, link: 1, title: 1, base: 1, datalist: 1,
    source: 1, track: 1, param: 1, object: 0, defs: 1, symbol: 1, clipPath: 1, mask: 1, marker: 1, pattern: 1, desc: 1, metadata: 1,
};
const UNSHOWN = { __proto__: null, canvas: 1, video: 1, audio: 1, progress: 1, meter: 1 };
const FLAG = {
    disabled: 1, clickable: 2, focusable: 4, focused: 8, checkable: 16, checked: 32, selected: 64, password: 128, scrollable: 256,
    moving: 512, still: 1024, mixed: 2048,
};

// What the page's elements are known by, for as long as the document lives; kept where no page looks by chance.
const memory = (() => {
    const key = Symbol.for("uixt page memory");
    const fresh = () => ({
        token: (self.crypto?.getRandomValues?.(new Uint32Array(1))[0] ?? Math.floor(Math.random() * 4294967296)) >>> 0,
        last: 0, numbers: new WeakMap(), nodes: new Map(), seen: new WeakMap(), passing: new WeakMap(), sheets: new WeakMap(), frames: 0, acts: 0,
        hosts: [], asked: new WeakSet(), closed: new WeakMap(), hasClosed: false, plain: new Map(),
    });
    const known = window[key];
    if (known && known.numbers) return known;
    const made = fresh();
    try {
        Object.defineProperty(window, key, { value: made });
    } catch {
        // A window that takes nothing: numbers hold for this look alone.
    }
    return made;
})();
const numberOf = (element) => {
    let number = memory.numbers.get(element);
    if (number === undefined) {
        number = ++memory.last;
        memory.numbers.set(element, number);
        memory.nodes.set(number, new WeakRef(element));
        if (memory.nodes.size > 60000) forgetGone();
    }
    return number;
};
const forgetGone = () => {
    memory.nodes.forEach((reference, number) => {
        const element = reference.deref();
        if (!element || !isConnected(element)) memory.nodes.delete(number);
    });
};
const elementOf = (number) => {
    const element = memory.nodes.get(number)?.deref();
    return element && isConnected(element) ? element : null;
};

const crossed = (a, b) => ({
    left: Math.max(a.left, b.left), top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right), bottom: Math.min(a.bottom, b.bottom),
});
const isEmpty = (rect) => !(rect.right > rect.left && rect.bottom > rect.top);
// Where a rectangle of a frame's page is around it; of one that is turned, all that it spans.
const moved = (rect, { a, b, c, d, e, f }) => {
    const [left, right] = [rect.left * a, rect.right * a];
    const [up, down] = [rect.top * c, rect.bottom * c];
    const [near, far] = [rect.left * b, rect.right * b];
    const [top, bottom] = [rect.top * d, rect.bottom * d];
    return {
        left: Math.min(left, right) + Math.min(up, down) + e, top: Math.min(near, far) + Math.min(top, bottom) + f,
        right: Math.max(left, right) + Math.max(up, down) + e, bottom: Math.max(near, far) + Math.max(top, bottom) + f,
    };
};
const largestOf = (pieces) => {
    let largest = pieces[0];
    for (let at = 1; at < pieces.length && at < 50; at++) {
        if (pieces[at].width * pieces[at].height > largest.width * largest.height) largest = pieces[at];
    }
    return largest;
};
// Where an element is; of an inline one that is broken over lines its largest piece, in whose middle something of it is.
const placeOf = (element, display, way) => {
    const pieces = display === "inline" ? clientRects(element) : NONE;
    return moved(pieces.length > 1 ? largestOf(pieces) : boundingRect(element), way);
};
// Where a text is that stands in no box of its own, as in a slot; nothing where it is not drawn.
const placeOfText = (text, way) => {
    const range = rangeIn(document);
    putAround(range, text);
    const largest = largestOf(rangeRects(range));
    return largest ? moved(largest, way) : null;
};
const deepestActive = () => {
    let active = activeElement(document);
    for (let depth = 0; active && depth < 20; depth++) {
        const inner = shadowRoot(active)?.activeElement;
        const frame = inner ? null : contentOf(active);
        const next = inner ?? (frame ? activeElement(frame) : null);
        if (!next) return active;
        active = next;
    }
    return active;
};
// What a disabled fieldset disables says so itself: the controls in it, but for those of its legend.
const isDisabled = (element, tag) => {
    const native = tag === "button" || tag === "option" || isField(tag);
    if (native && matches(element, ":disabled")) return true;
    return attribute(element, "aria-disabled") === "true" || attribute(element, "inert") !== null;
};
const isTrue = (element, name) => attribute(element, name) === "true";
const hasHandler = (element) => {
    if (attribute(element, "onclick") !== null) return true;
    try {
        return !!onclickOf(element);
    } catch {
        return false;
    }
};
const transformed = (text, how) => {
    if (how === "uppercase") return uppered(text);
    if (how === "lowercase") return lowered(text);
    return how === "capitalize" ? replaced(text, /(^|[\s\-(])(\p{Ll})/gu, (_, before, sign) => before + uppered(sign)) : text;
};

const walk = (chosen, present, texts) => {
    labelled = null;
    allRoots = null;
    running = [];
    ways.clear();
    memory.hosts = [];
    const began = performance.now();
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const focused = deepestActive();
    const nodes = new Map();
    const holes = [];
    // Elements of the page's own kinds, whose roles and states its scripts may have told the browser alone (ElementInternals).
    const own = [];
    // What was selected and was visited.
    const met = new Set();
    let visited = 0;
    let beyond = 0;
    let cut = false;
    // What each document and shadow root draws beside texts, and the last number of each list.
    const drawing = new Map();
    const drawnBy = (root) => {
        let told = drawing.get(root);
        if (!told) drawing.set(root, told = drawnIn(root));
        return told;
    };
    const ordinals = new Map();
    // What may be painted over what it does not stand in (CSS 2.1, appendix E): what is positioned, or painted in one go. Blocks in the
    // flow of the page lie under all its texts.
    const raised = [];

    // What was selected, and what that stands in, is told however much else there is.
    const wanted = new Set();
    chosen.forEach((element) => {
        for (let one = element; one && !wanted.has(one); one = above(one)) wanted.add(one);
    });
    const isSpared = (element, around) => wanted.has(element) || (around.spared && nodes.size < 2 * MOST_NODES);

    const isOver = () => {
        if (++visited > MOST_VISITED || nodes.size >= MOST_NODES) cut = true;
        if ((visited & 127) === 0 && performance.now() - began > WALK_MS) cut = true;
        return cut;
    };

    // Visits an element and all in it; what is kept becomes a node in `siblings`. Returns what it says to what it stands in.
    const visit = (element, around, siblings) => {
        const tag = localName(element);
        if (SKIPPED[tag] || (isOver() && !isSpared(element, around)) || around.depth > DEEPEST) {
            cut ||= around.depth > DEEPEST;
            return null;
        }
        if (chosen.has(element)) met.add(element);
        const from = visited;
        const area = tag === "area" ? areaPlace(element, around.way) : null;
        const rendered = isRendered(element) || area !== null;
        // A style of what is passed over in drawing makes the browser work out those of all that stands beside it.
        if (!rendered && around.skipped && !present) return null;
        const style = around.view.getComputedStyle(element);
        const { display, position, visibility, overflowX, overflowY } = style;
        const hasBox = rendered || display === "contents";
        if (!hasBox && !present) return null;
        const isTop = element === rootElement(document);
        const own = area ?? (isTop ? screen : hasBox ? placeOf(element, display, around.way) : NOWHERE);
        const lent = tag === "input" && hasBox ? lentBy(element, own, style, around) : null;
        const place = lent ?? own;
        const clip = clipOf(element, tag, position, around);
        // Read once: each look at a style takes as long as all else that is done of an element.
        const box = { style, display, position, visibility, overflowX, overflowY, place };
        const isOff = !isEmpty(place) && isEmpty(crossed(place, screen));
        if (isOff && beyond >= MOST_BEYOND && !isSpared(element, around)) {
            cut = true;
            return null;
        }
        if (around.scope && hasBox) count(around.scope, style);
        const inner = insideOf(element, tag, box, clip, around, hasBox);
        const kids = [];
        const said = sayings(element, tag, box, inner, kids);
        const role = roleOf(element, tag);
        const isContent = NAMED_BY_CONTENT[role] === 1 || (role === "textfield" && !isField(tag));
        const value = valueOf(element, tag, role);
        const written = isContent ? said.all : said.own;
        const text = value ?? collapsed(written);
        const isNowhere = isEmpty(place) && said.places.length > 0;
        const node = {
            element, tag, role, kids, isContent, part: 0, way: around.way, hasText: text !== "" && value === null,
            at: display === "contents" || isNowhere ? united(isNowhere ? NONE : kids, said.places) : place, lost: said.lost,
            text, also: value === null && contains(written, DRAWN) ? namesOf(written) : NONE,
            joined: said.joined, whole: value !== null ? "" : said.blocks && text ? collapsed(said.all) : !said.blocks && said.joined.length === 1 ? said.joined[0] : "", inline: display === "inline" || display === "contents",
            bent: around.way.bent === true, inert: inner.inert, why: null,
            flags: inner.why && !isField(tag) ? 0 : flagsOf(element, tag, role, box, inner, around),
        };
        const isRaised = position !== "static" || around.laysOut || inner.isApart || cutAt(display, 0, 7) === "inline-";
        if (isRaised && !isEmpty(crossed(place, screen))) raised[raised.length] = { place, from, to: visited };
        node.from = from;
        node.to = visited;
        node.isBelow = inner.isBelow;
        const why = lent ? null : whyUnseen(node, visibility, inner, clip, said);
        node.why = why ?? (value === null && said.lost && !isIcon(node) ? whyLost(said) : null);
        if ((present || !why) && isKept(node, kids, isTop)) {
            keep(node, clip, isOff, siblings, isTop);
            node.unseen = unseenOf(node, style, inner);
        } else {
            for (let at = 0; at < kids.length; at++) {
                if (!node.inline) kids[at].inline = false;
                siblings[siblings.length] = kids[at];
            }
        }
        texts?.set(element, said.all);
        const isBlock = said.blocks || (!node.inline && cutAt(display, 0, 7) !== "inline-");
        return { text: isField(tag) ? "" : said.all, block: isBlock, control: ACTING[role] === 1 && role !== "link" };
    };

    // Which region an element is drawn in; what lies in the top layer is cut off by nothing.
    const clipOf = (element, tag, position, around) => {
        if (position !== "fixed") return position === "absolute" ? around.absolute : around.clip;
        const isRaised = tag === "dialog" ? matches(element, ":modal") : attribute(element, "popover") !== null;
        return isRaised ? around.raised : around.fixed;
    };
    // Why nobody sees an element's box; of what says something and shows no more, also why nobody sees that.
    const whyUnseen = (node, visibility, inner, clip, said) => {
        const { element, at, tag } = node;
        if (inner.why && !(inner.why.isOwn && isField(tag) && at.right - at.left > 1)) return inner.why;
        if (visibility !== "visible") return { how: "invisible" };
        if (isEmpty(at)) return { how: "empty", element };
        if (!shows(at, clip.reach)) return cutOff(clip.reach);
        const isBare = !said.seen && node.kids.length === 0 && ACTING[node.role] !== 1 && node.role !== "image";
        return said.lost && isBare && (present || node.text === "") ? said.lost : null;
    };
    // Why a text is not seen, or not all of it.
    const whyLost = (said) => (said.seen === "" ? said.lost : said.isCut ? { ...said.lost, text: collapsed(said.seen) } : null);
    const cutOff = (reach) => (reach.by ? { how: reach.ellipsis ? "ellipsis" : "clipped", element: reach.by } : { how: "beyond" });

    // What holds for all that stands in an element.
    const insideOf = (element, tag, box, clip, around, hasBox) => {
        const { style, display, position, overflowX, overflowY, place } = box;
        const isPage = tag === "html" || (tag === "body" && !isBodyApart(element));
        const isContained = style.contain !== "none" && /paint|strict|content/.test(style.contain);
        const clips = !isPage && (tag === "svg" || !inlineDisplay(display)) && (overflowX !== "visible" || overflowY !== "visible" || isContained);
        // What is laid out only as it comes into sight has no size before.
        const isLaidOutLate = style.contentVisibility === "auto";
        const within = isLaidOutLate ? region(screen, { ...everywhere.reach }) : clips && hasBox ? clippedBy(element, box, clip) : clip;
        const shadow = shadowRoot(element);
        if (shadow) watchRoot(shadow);
        else if (memory.hosts.length < MOST_HOSTS && mayHideRoot(element, tag, place, hasBox)) memory.hosts[memory.hosts.length] = element;
        const isLeaf = !shadow && tag !== "slot" && !FRAMES[tag] && firstElement(element) === null;
        const { filter } = style;
        const transform = !isLeaf || around.turn || style.backfaceVisibility === "hidden" ? style.transform : "none";
        const holdsFixed = !isLeaf && (transform !== "none" || filter !== "none" || style.perspective !== "none");
        const isTiny = clips && (place.right - place.left <= 1 || place.bottom - place.top <= 1);
        const own = +style.opacity;
        const opacity = around.opacity * own;
        const turn = isPage ? null : turnIn(transform, around);
        // What a box without room cuts off is not all of what stands in it: what is placed by another box gets out.
        let why = position === "absolute" ? around.absoluteWhy : around.why;
        const outer = why;
        if (!why && !hasBox) why = { how: "undisplayed", element };
        if (!why && opacity < FAINT) why = { how: "transparent", element, isOwn: around.opacity >= FAINT };
        const isCut = !why && isTiny;
        if (isCut) why = position === "absolute" ? { how: "tiny", isTiny: true } : { how: "clipped", element };
        if (!why) {
            const erased = erasedBy(style, filter, position, place);
            if (erased) why = { how: erased, element, isTiny: position === "absolute" && place.right - place.left <= SLIVER };
            else if (showsBack(turn, style)) why = { how: "away" };
        }
        return {
            view: around.view, way: around.way, depth: around.depth + 1, clip: within,
            absolute: position !== "static" || holdsFixed ? within : around.absolute,
            fixed: holdsFixed ? within : around.fixed, raised: around.raised,
            why, absoluteWhy: position !== "static" || holdsFixed || (why !== outer && !isCut) ? why : around.absoluteWhy, opacity, laysOut: LAYING_OUT.test(display),
            isApart: own < 1 || filter !== "none" || transform !== "none",
            isBelow: around.isBelow || (position !== "static" && style.zIndex < 0), turn: turn && style.transformStyle === "preserve-3d" ? turn : null,
            disabled: around.disabled || isDisabled(element, tag), inert: around.inert || attribute(element, "inert") === null ? around.inert : element,
            // What is passed over in drawing, though not by a style of its own that would say so.
            skipped: (tag === "details" && !element.open) || style.contentVisibility === "hidden" || (around.skipped && display === "contents"),
            pointer: style.cursor === "pointer", spared: around.spared || chosen.has(element),
            drawn: shadow ? drawnBy(shadow) : tag === "slot" && isShadow(rootOf(element)) ? drawnBy(rootOf(rootOf(element).host)) : around.drawn,
            scope: around.drawn.counts || around.scope ? { up: around.scope, values: null } : null,
            style, up: around.style ? around : null, ground: undefined,
        };
    };

    // Visits the children; returns all their text, and the element's own: its lines in which it has letters of its own, and, where it has
    // no box, the places of these. Of what is not seen it keeps the reason, and the text only where that is asked for.
    const sayings = (element, tag, box, inner, kids) => {
        const { style, display, visibility, place } = box;
        const said = { own: "", all: "", blocks: false, places: [], seen: "", lost: null, isCut: false, joined: NONE };
        if (showsPage(element, tag)) {
            visitFrame(element, visibility, inner, kids);
            return said;
        }
        // What stands in these is for browsers that do not know them.
        if (UNSHOWN[tag]) return said;
        if (tag === "input" || tag === "textarea" || (tag === "select" && !element.multiple && element.size <= 1)) return said;
        const { reach } = inner.clip;
        const hidden = inner.why ?? (visibility !== "visible" ? { how: "invisible" } : inner.skipped ? { how: style.contentVisibility === "hidden" ? "not drawn (content-visibility: hidden)" : "skipped" } : null);
        const isNowhere = isEmpty(place);
        let line = "";
        let isOwn = false;
        let pieces = 0;
        let ink;
        let isPlain;
        const endLine = () => {
            if (isOwn) said.own += line + " ";
            else if (pieces > 1) {
                if (said.joined === NONE) said.joined = [];
                said.joined[said.joined.length] = collapsed(line);
            }
            line = "";
            isOwn = false;
            pieces = 0;
        };
        const add = (text) => {
            line += text;
            if (said.all.length <= LONGEST_TEXT) said.all += text;
        };
        // Returns what of a text of the element's own is seen.
        const seenOf = (node, given) => {
            if (ink === undefined) ink = inkOf(element, style, inner);
            if (ink) {
                said.lost ??= { how: ink };
                return "";
            }
            if (isPlain === undefined) {
                const isTight = () => !inlineDisplay(display) && scrollWidth(element) <= clientWidth(element) + 1 && scrollHeight(element) <= clientHeight(element) + 1;
                isPlain = !isNowhere && isWithin(place, reach) && (reach.by ? isTight() : !(parseFloat(style.textIndent) < 0));
            }
            if (isPlain) return given;
            const part = seenPart(node, given, inner.way, reach);
            if (!part.isCut || hasPassed(node, given, part.spans)) return given;
            said.isCut = true;
            said.lost ??= { ...cutOff(reach), isIndented: parseFloat(style.textIndent) < 0 && collapsed(part.seen) === "" };
            return collapsed(part.seen) !== "" && reach.ellipsis ? part.seen + "…" : part.seen;
        };
        const own = (node) => {
            const given = nodeValue(node);
            const hasLetters = collapsed(given) !== "";
            if (hidden) {
                if (hasLetters) said.lost ??= hidden;
                if (!present) return;
            }
            const seen = hasLetters && !hidden ? seenOf(node, given) : given;
            if (!hidden && hasLetters && collapsed(seen) !== "") said.seen += seen + " ";
            const text = transformed(present ? given : seen, style.textTransform);
            const isSeen = hasLetters && (present || collapsed(seen) !== "");
            isOwn ||= isSeen;
            const place = isSeen && (isNowhere || display === "contents") ? placeOfText(node, inner.way) : null;
            if (place) said.places[said.places.length] = place;
            add(text);
        };
        const mask = (inner.drawn.wide ? BEFORE | AFTER | MARKER : inner.drawn.of.get(element) ?? 0) | (tag === "q" ? BEFORE | AFTER : 0);
        const draw = (text) => {
            if (text === "" || hidden || !(isNowhere || shows(place, reach))) return;
            isOwn = true;
            said.seen += text + " ";
            add(text);
        };
        if (display === "list-item") draw(markerOf(element, style, mask, inner.view, ordinals, inner.scope));
        if (mask & BEFORE) draw(drawnText(element, inner.view, "::before", inner.scope));
        eachChild(element, (node) => {
            const type = nodeType(node);
            if (type === 3) {
                own(node);
            } else if (type === 1) {
                const inside = visit(node, inner, kids);
                if (localName(node) === "br") add(" ");
                if (!inside) return;
                if (said.all.length <= LONGEST_TEXT) said.all += inside.block ? " " + inside.text + " " : inside.text;
                said.blocks ||= inside.block;
                if (inside.block) endLine();
                else {
                    line += inside.control ? " " : inside.text;
                    if (!inside.control && collapsed(inside.text) !== "") pieces++;
                }
            }
        });
        if (mask & AFTER) draw(drawnText(element, inner.view, "::after", inner.scope));
        endLine();
        return said;
    };

    const visitFrame = (frame, visibility, inner, kids) => {
        const content = contentOf(frame);
        const why = inner.why ?? (visibility !== "visible" ? { how: "invisible" } : null);
        // What nobody sees is not worth a look.
        if ((why && !present) || (content && !content.defaultView) || isEmptyFrame(frame)) return;
        const way = joined(inner.way, wayInto(frame));
        const all = { left: 0, top: 0, right: clientWidth(frame), bottom: clientHeight(frame) };
        const seen = moved(all, way);
        const hole = crossed(inner.clip, seen);
        const isReached = way.bent || shows(seen, inner.clip.reach);
        if (!content) {
            // Of another site: whoever can look into it is told where it is.
            const isShown = !why && isReached && clientWidth(frame) > 2 && clientHeight(frame) > 2;
            if (isShown && holes.length < 50) holes[holes.length] = { element: frame, way, hole };
            return;
        }
        watchRoot(content);
        const reaches = documentReach(content, content.defaultView, lowered(attribute(frame, "scrolling") ?? "") === "no");
        const within = (reach) => {
            if (!isReached) return { ...NOWHERE, by: inner.clip.reach.by ?? frame };
            if (way.bent) return everywhere.reach;
            const there = moved(reach, way);
            const whole = { ...there, by: reach.by };
            // What does not scroll shows no more than its frame does.
            if (reach.right - reach.left <= all.right + 1) [whole.left, whole.right] = [Math.max(there.left, inner.clip.reach.left), Math.min(there.right, inner.clip.reach.right)];
            if (reach.bottom - reach.top <= all.bottom + 1) [whole.top, whole.bottom] = [Math.max(there.top, inner.clip.reach.top), Math.min(there.bottom, inner.clip.reach.bottom)];
            return whole;
        };
        const [page, screen] = [region(hole, within(reaches.page)), region(hole, within(reaches.screen))];
        visit(rootElement(content), {
            ...inner, why, absoluteWhy: why, view: content.defaultView, way, clip: page, absolute: page, fixed: screen, raised: screen, pointer: false,
            drawn: drawnBy(content), scope: null, turn: null,
        }, kids);
    };

    const flagsOf = (element, tag, role, box, inner, around) => {
        const { place } = box;
        const off = inner.disabled;
        const type = tag === "input" ? inputType(element) : "";
        const area = (place.right - place.left) * (place.bottom - place.top);
        const isLarge = area > 0.6 * innerWidth * innerHeight;
        const tabs = attribute(element, "tabindex");
        const acts = ACTING[role] === 1 && (tag !== "input" || type !== "hidden");
        const looks = !isLarge && ((inner.pointer && !around.pointer) || hasHandler(element) || isTrue(element, "draggable"));
        const isNative = isField(tag) || tag === "button" || tag === "summary" || (tag === "a" && role === "link");
        const canFocus = !off && (isNative || (tabs !== null && parseInt(tabs, 10) >= 0) || isEditingHost(element));
        const canCheck = role === "checkbox" || role === "radio" || role === "switch" || attribute(element, "aria-checked") !== null
            || attribute(element, "aria-pressed") !== null;
        const isChecked = type === "checkbox" || type === "radio" ? element.checked
            : isTrue(element, "aria-checked") || isTrue(element, "aria-pressed");
        const isMixed = type === "checkbox" ? element.indeterminate
            : attribute(element, "aria-checked") === "mixed" || attribute(element, "aria-pressed") === "mixed";
        const current = attribute(element, "aria-current");
        const isSelected = tag === "option" ? element.selected : isTrue(element, "aria-selected") || (!!current && current !== "false");
        return (off ? FLAG.disabled : 0) | (acts || looks || (canFocus && !isLarge && tabs !== null) ? FLAG.clickable : 0)
            | (canFocus ? FLAG.focusable : 0) | (element === focused && tag !== "body" && tag !== "html" ? FLAG.focused : 0)
            | (canCheck ? FLAG.checkable : 0) | (canCheck && isChecked ? FLAG.checked : 0)
            | (canCheck && isMixed ? FLAG.mixed : 0) | (isSelected ? FLAG.selected : 0)
            | (type === "password" ? FLAG.password : 0) | (scrolls(element, tag, box) ? FLAG.scrollable : 0);
    };
    const scrolls = (element, tag, { overflowX, overflowY }) => {
        if (isField(tag)) return false;
        if (tag === "html") {
            const view = element === rootElement(document) ? window : null;
            const height = view ? innerHeight : clientHeight(element);
            const width = view ? innerWidth : clientWidth(element);
            const can = overflowY !== "hidden" && scrollHeight(element) > height + 1;
            return can || (overflowX !== "hidden" && scrollWidth(element) > width + 1);
        }
        const can = (overflow) => overflow === "auto" || overflow === "scroll";
        return (can(overflowY) && scrollHeight(element) > clientHeight(element) + 1)
            || (can(overflowX) && scrollWidth(element) > clientWidth(element) + 1);
    };

    const united = (kids, places) => {
        let all = { left: 0, top: 0, right: 0, bottom: 0 };
        for (let at = 0; at < kids.length + places.length; at++) {
            const one = at < kids.length ? kids[at].at : places[at - kids.length];
            all = at === 0 ? one : {
                left: Math.min(all.left, one.left), top: Math.min(all.top, one.top),
                right: Math.max(all.right, one.right), bottom: Math.max(all.bottom, one.bottom),
            };
        }
        return all;
    };
    // An element of the page's own kind of which the browser may know more than its attributes say.
    const isOwn = ({ tag, element }) => contains(tag, "-") && !((memory.plain.get(tag) ?? 0) >= MOST_ALIKE) && attribute(element, "role") === null;
    const isKept = (node, kids, isTop) => {
        if (isOwn(node)) return true;
        if (isTop || node.text || node.flags & ~FLAG.disabled || node.role !== "group" || chosen.has(node.element)) return true;
        if (kids.length > 1 && !node.inline) return true;
        const has = (name) => attribute(node.element, name) !== null;
        return has("id") || has("aria-label") || has("aria-labelledby") || has("title") || testIdOf(node.element) !== "" || node.tag === "fieldset";
    };
    const keep = (node, clip, isOff, siblings, isTop) => {
        if (isOff) beyond++;
        node.number = numberOf(node.element);
        if (own.length < MOST_OWN && isOwn(node)) own[own.length] = node.number;
        node.rect = isTop ? screen : crossed(node.at, clip);
        // A text that nobody sees is no name either, but where it is there for screen readers alone.
        const isHidden = node.lost !== null && !node.lost.isTiny && !isIcon(node) && !present;
        node.label = labelOf(node.element, node.tag, node.role, node.text || (isHidden ? " " : ""));
        if (node.label === node.text) node.label = "";
        if (node.role === "group" && node.text) node.role = "text";
        if (node.text || (node.isContent && node.label)) markParts(node.kids, node);
        nodes.set(node.element, node);
        siblings[siblings.length] = node;
    };
    // What a text is made of says nothing more.
    const markParts = (kids, owner) => {
        for (let at = 0; at < kids.length; at++) {
            const kid = kids[at];
            if (!owner.isContent && !kid.inline) continue;
            const acts = kid.flags & (FLAG.clickable | FLAG.focusable | FLAG.checkable | FLAG.scrollable);
            const words = kid.text || kid.label;
            if (!acts && !kid.part && words && contains(owner.text + " " + owner.label, words)) kid.part = owner.number;
            markParts(kid.kids, owner);
        }
    };

    const roots = [];
    const reaches = documentReach(document, window, false);
    const [page, held] = [region(everywhere, reaches.page), region(everywhere, reaches.screen)];
    const around = {
        view: window, way: UNMOVED, depth: 0, why: null, absoluteWhy: null, opacity: 1, turn: null, laysOut: false, isBelow: false, disabled: false, inert: null, skipped: false, pointer: false, spared: false,
        clip: page, absolute: page, fixed: held, raised: held, drawn: drawnBy(document), scope: null, style: null,
    };
    around.scope = around.drawn.counts ? { up: null, values: null } : null;
    if (rootElement(document)) visit(rootElement(document), around, roots);
    nodes.forEach((node) => {
        if (node.tag === "label") speakFor(node, nodes);
        else if (node.flags & FLAG.checkable) ownLabels(node, nodes);
    });
    return { roots, nodes, holes, own, screen, cut, chosen, met, raised, present };
};
const everywhere = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9, by: null };
everywhere.reach = everywhere;
// Words that are indented away name what is touched, such as a button with an icon, whose box is seen.
const isIcon = ({ lost, role }) => lost !== null && lost.isIndented === true && ACTING[role] === 1;
const LAYING_OUT = /flex|grid/;
const inlineDisplay = (display) => display === "inline" || display === "contents";
// What an element with something drawn beside its text may also be called: its text alone, and each of what is drawn.
const namesOf = (written) => {
    const names = [];
    const add = (name) => {
        if (name !== "") names[names.length] = name;
    };
    add(collapsed(replaced(written, DRAWN_TEXT, "")));
    replaced(written, DRAWN_TEXT, (_, drawn) => {
        add(collapsed(drawn));
        return "";
    });
    return names;
};
// The picture that an area of an image map lies on.
const imageOf = (area) => {
    const map = closest(area, "map");
    const name = map && (attribute(map, "name") || attribute(map, "id"));
    const images = name ? allFrom(rootOf(area), "img[usemap]") : NONE;
    for (let at = 0; at < images.length; at++) if (attribute(images[at], "usemap") === "#" + name && isRendered(images[at])) return images[at];
    return null;
};
// Where an area of an image map is; none of one without a picture.
const areaPlace = (area, way) => {
    const image = imageOf(area);
    if (!image) return null;
    const { left, top, right, bottom } = boundingRect(image);
    const given = partsOf(attribute(area, "coords") ?? "", ",");
    const at = (index) => parseFloat(given[index]) || 0;
    const shape = lowered(attribute(area, "shape") ?? "rect");
    if (shape === "default") return moved({ left, top, right, bottom }, way);
    let box = { left: at(0), top: at(1), right: at(2), bottom: at(3) };
    if (cutAt(shape, 0, 4) === "circ") box = { left: at(0) - at(2), top: at(1) - at(2), right: at(0) + at(2), bottom: at(1) + at(2) };
    if (cutAt(shape, 0, 4) === "poly") {
        box = { left: at(0), top: at(1), right: at(0), bottom: at(1) };
        for (let one = 2; one + 1 < given.length; one += 2) {
            box = { left: Math.min(box.left, at(one)), top: Math.min(box.top, at(one + 1)), right: Math.max(box.right, at(one)), bottom: Math.max(box.bottom, at(one + 1)) };
        }
    }
    return moved(crossed({ left: left + box.left, top: top + box.top, right: left + box.right, bottom: top + box.bottom }, { left, top, right, bottom }), way);
};
const testIdOf = (element) => attribute(element, "data-testid") ?? attribute(element, "data-test-id") ?? attribute(element, "data-test") ?? "";

// Styled controls: the input is faded out, of no size or far away, and its label is what people see and touch. Returns the place of
// that label for the input's own.
const lentBy = (element, own, style, around) => {
    const type = inputType(element);
    if (type !== "checkbox" && type !== "radio" && type !== "file") return null;
    const isThere = own.right - own.left > 2 && own.bottom - own.top > 2 && own.right > -500;
    if (isThere && style.visibility === "visible" && style.clip === "auto" && style.clipPath === "none") return null;
    const labels = labelsOf(element);
    for (let at = 0; at < labels.length && at < 20; at++) {
        if (!isRendered(labels[at], { opacityProperty: true, visibilityProperty: true })) continue;
        const inside = allOf(labels[at], "*");
        for (let one = -1; one < inside.length && one < 20; one++) {
            const shown = one < 0 ? labels[at] : inside[one];
            const place = shown === element ? null : placeOf(shown, "inline", around.way);
            if (place && place.right - place.left > 2 && place.bottom - place.top > 2) return place;
        }
    }
    return null;
};

// The words of a label are what its box is called, whatever they stand in: touching them is touching that.
const ownLabels = (control, nodes) => {
    const labels = labelsOf(control.element);
    for (let at = 0; at < labels.length && at < 20; at++) {
        const inside = allOf(labels[at], "*");
        for (let one = 0; one < inside.length && one < 200; one++) {
            const node = nodes.get(inside[one]);
            if (node && node !== control && !node.part && !(node.flags & (FLAG.focusable | FLAG.checkable))) node.part = control.number;
        }
    }
};

// A label belongs to its control; of one that is not shown it takes the place.
const speakFor = (label, nodes) => {
    const control = label.element.control;
    if (!control) return;
    const shown = nodes.get(control);
    if (shown) {
        label.part = shown.number;
        return;
    }
    const type = localName(control) === "input" ? inputType(control) : "";
    label.flags |= FLAG.clickable | (control.disabled ? FLAG.disabled : 0);
    if (type === "checkbox" || type === "radio") {
        label.role = type;
        label.flags |= FLAG.checkable | (control.checked ? FLAG.checked : 0) | (control.indeterminate ? FLAG.mixed : 0);
    } else if (type === "file") {
        label.role = "button";
    }
};
