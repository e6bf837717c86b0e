// The elements of a page as they are rendered → nodes, each with its number, in reading order.
//
// What nobody can see has none: not displayed, invisible, of no size, faded out (but for fields, which pages fade out to draw
// their own over them), or left in a box of one pixel for screen readers. What lies beyond the viewport has its place there.
const MOST_VISITED = 400000;
const MOST_NODES = 6000;
const MOST_BEYOND = 3000;
const DEEPEST = 400;
const DEEPEST_NODE = 120;
const WALK_MS = 1500;
const SKIPPED = {
    __proto__: null, script: 1, style: 1, head: 1, noscript: 1, template: 1, meta: 1, link: 1, title: 1, base: 1, datalist: 1,
    source: 1, track: 1, param: 1, object: 0,
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
        last: 0, numbers: new WeakMap(), nodes: new Map(), seen: new WeakMap(), frames: 0, acts: 0,
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

const walk = (chosen) => {
    labelled = null;
    allRoots = null;
    ways.clear();
    const began = performance.now();
    const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight };
    const focused = deepestActive();
    const nodes = new Map();
    const holes = [];
    // What was selected and was visited.
    const met = new Set();
    let visited = 0;
    let beyond = 0;
    let cut = false;

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
        const rendered = isRendered(element);
        const style = around.view.getComputedStyle(element);
        const display = style.display;
        if (!rendered && display !== "contents") return null;
        const isTop = element === rootElement(document);
        const own = isTop ? screen : placeOf(element, display, around.way);
        const lent = tag === "input" ? lentBy(element, own, style, around) : null;
        const place = lent ?? own;
        const position = style.position;
        const clip = position === "fixed" ? around.fixed : position === "absolute" ? around.absolute : around.clip;
        const isOff = !isEmpty(place) && isEmpty(crossed(place, screen));
        if (isOff && beyond >= MOST_BEYOND && !isSpared(element, around)) {
            cut = true;
            return null;
        }
        const inner = insideOf(element, tag, style, place, clip, around);
        const kids = [];
        const said = sayings(element, tag, style, place, inner, kids);
        const role = roleOf(element, tag);
        const isContent = NAMED_BY_CONTENT[role] === 1 || (role === "textfield" && !isField(tag));
        const value = valueOf(element, tag, role);
        const text = value ?? collapsed(isContent ? said.all : said.own);
        const node = {
            element, tag, role, kids, isContent, part: 0, at: display === "contents" ? united(kids, said.places) : place,
            text: clipped(text), whole: value === null && said.blocks && text ? clipped(collapsed(said.all)) : "", inline: display === "inline" || display === "contents",
            bent: around.way.bent === true,
            flags: inner.faded && !isField(tag) ? 0 : flagsOf(element, tag, role, style, place, inner, around),
        };
        const acts = ACTING[role] === 1;
        if ((lent || isSeen(node, style, inner)) && isKept(node, kids, isTop)) {
            keep(node, clip, isOff, siblings, isTop);
        } else {
            for (let at = 0; at < kids.length; at++) {
                if (!node.inline) kids[at].inline = false;
                siblings[siblings.length] = kids[at];
            }
        }
        const isBlock = said.blocks || (!node.inline && cutAt(display, 0, 7) !== "inline-");
        return { text: isField(tag) ? "" : said.all, block: isBlock, control: acts && role !== "link" };
    };

    // What holds for all that stands in an element.
    const insideOf = (element, tag, style, place, clip, around) => {
        const isPage = tag === "html" || tag === "body";
        const clips = !isPage && style.display !== "inline" && style.display !== "contents" && (style.overflowX !== "visible" || style.overflowY !== "visible");
        const within = clips ? crossed(clip, place) : clip;
        const holdsFixed = style.transform !== "none" || style.filter !== "none" || style.perspective !== "none";
        const isTiny = clips && (place.right - place.left <= 1 || place.bottom - place.top <= 1);
        return {
            view: around.view, way: around.way, depth: around.depth + 1, clip: within,
            absolute: style.position !== "static" || holdsFixed ? within : around.absolute,
            fixed: holdsFixed ? within : around.fixed,
            faded: around.faded || style.opacity < 0.01 || isTiny,
            disabled: around.disabled || isDisabled(element, tag),
            // What is passed over in drawing, though not by a style of its own that would say so.
            skipped: (tag === "details" && !element.open) || style.contentVisibility === "hidden" || (around.skipped && style.display === "contents"),
            pointer: style.cursor === "pointer", spared: around.spared || chosen.has(element),
        };
    };

    // Visits the children; returns all their text, and the element's own: its lines in which it has letters of its own, and, where it has
    // no box, the places of these.
    const sayings = (element, tag, style, place, inner, kids) => {
        const said = { own: "", all: "", blocks: false, places: [] };
        if (showsPage(element, tag)) {
            visitFrame(element, style, place, inner, kids);
            return said;
        }
        // What stands in these is for browsers that do not know them.
        if (UNSHOWN[tag]) return said;
        if (tag === "input" || tag === "textarea" || (tag === "select" && !element.multiple && element.size <= 1)) return said;
        const isShown = style.visibility === "visible" && !inner.faded && !inner.skipped;
        let line = "";
        let isOwn = false;
        const endLine = () => {
            if (isOwn) said.own += line + " ";
            line = "";
            isOwn = false;
        };
        eachChild(element, (node) => {
            if (said.all.length > 4 * LONGEST) line = "";
            const type = nodeType(node);
            if (type === 3 && isShown) {
                const text = transformed(nodeValue(node), style.textTransform);
                const hasLetters = collapsed(text) !== "";
                isOwn ||= hasLetters;
                const own = hasLetters && style.display === "contents" ? placeOfText(node, inner.way) : null;
                if (own) said.places[said.places.length] = own;
                line += text;
                if (said.all.length <= 4 * LONGEST) said.all += text;
            } else if (type === 1) {
                const inside = visit(node, inner, kids);
                if (localName(node) === "br") {
                    line += " ";
                    said.all += " ";
                }
                if (!inside) return;
                if (said.all.length <= 4 * LONGEST) said.all += inside.block ? " " + inside.text + " " : inside.text;
                said.blocks ||= inside.block;
                if (inside.block) endLine();
                else line += inside.control ? " " : inside.text;
            }
        });
        endLine();
        return said;
    };

    const visitFrame = (frame, style, place, inner, kids) => {
        const content = contentOf(frame);
        // What nobody sees is not worth a look.
        if (style.visibility !== "visible" || (content && !content.defaultView)) return;
        const way = joined(inner.way, wayInto(frame));
        const all = { left: 0, top: 0, right: clientWidth(frame), bottom: clientHeight(frame) };
        const hole = crossed(inner.clip, moved(all, way));
        if (!content) {
            // Of another site: whoever can look into it is told where it is.
            const isShown = !inner.faded && clientWidth(frame) > 2 && clientHeight(frame) > 2;
            if (isShown && holes.length < 50) holes[holes.length] = { element: frame, way, hole };
            return;
        }
        visit(rootElement(content), {
            ...inner, view: content.defaultView, way, clip: hole, absolute: hole, fixed: hole, pointer: false,
        }, kids);
    };

    const flagsOf = (element, tag, role, style, place, inner, around) => {
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
            | (type === "password" ? FLAG.password : 0) | (scrolls(element, tag, style) ? FLAG.scrollable : 0);
    };
    const scrolls = (element, tag, style) => {
        if (isField(tag)) return false;
        if (tag === "html") {
            const view = element === rootElement(document) ? window : null;
            const height = view ? innerHeight : clientHeight(element);
            const width = view ? innerWidth : clientWidth(element);
            const can = style.overflowY !== "hidden" && scrollHeight(element) > height + 1;
            return can || (style.overflowX !== "hidden" && scrollWidth(element) > width + 1);
        }
        const can = (overflow) => overflow === "auto" || overflow === "scroll";
        return (can(style.overflowY) && scrollHeight(element) > clientHeight(element) + 1)
            || (can(style.overflowX) && scrollWidth(element) > clientWidth(element) + 1);
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
    const isSeen = (node, style, inner) =>
        style.visibility === "visible" && !isEmpty(node.at) && (!inner.faded || (isField(node.tag) && node.at.right - node.at.left > 1));
    const isKept = (node, kids, isTop) => {
        if (isTop || node.text || node.flags & ~FLAG.disabled || node.role !== "group" || chosen.has(node.element)) return true;
        if (kids.length > 1 && !node.inline) return true;
        const has = (name) => attribute(node.element, name) !== null;
        return has("id") || has("aria-label") || has("aria-labelledby") || has("title") || testIdOf(node.element) !== "" || node.tag === "fieldset";
    };
    const keep = (node, clip, isOff, siblings, isTop) => {
        if (isOff) beyond++;
        node.number = numberOf(node.element);
        node.rect = isTop ? screen : crossed(node.at, clip);
        node.label = labelOf(node.element, node.tag, node.role, node.text);
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
    const around = {
        view: window, way: UNMOVED, depth: 0, faded: false, disabled: false, skipped: false, pointer: false, spared: false, clip: everywhere,
        absolute: everywhere, fixed: everywhere,
    };
    if (rootElement(document)) visit(rootElement(document), around, roots);
    nodes.forEach((node) => {
        if (node.tag === "label") speakFor(node, nodes);
    });
    return { roots, nodes, holes, screen, cut, chosen, met };
};
const everywhere = { left: -1e9, top: -1e9, right: 1e9, bottom: 1e9 };
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
