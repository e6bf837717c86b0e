// A look at the page → one text in JSON: its elements, what stands still and what lies over what, and what selectors select.
const MOST_BYTES = 24000000;
const MOST_SELECTED = 6000;
const FRESH_MS = 30;

// Every document and shadow root that can be looked into.
let allRoots = null;
const rootsOf = () => allRoots ?? (allRoots = foundRoots());
const foundRoots = () => {
    const found = [document];
    for (let at = 0; at < found.length && found.length < 2000; at++) {
        const all = isShadow(found[at]) ? allInShadow(found[at], "*") : allIn(found[at], "*");
        for (let one = 0; one < all.length && one < MOST_VISITED; one++) {
            const shadow = shadowRoot(all[one]);
            if (shadow) found[found.length] = shadow;
            const content = contentOf(all[one]);
            if (content) found[found.length] = content;
        }
    }
    return found;
};
// What selects no elements, whatever the page holds, would be absent for ever.
const NO_ELEMENT = /(^|[/:])\s*(text|comment|processing-instruction)\(\s*\)\s*(\[[^\]]*\]\s*)*$|(@|attribute::)\s*[\w*:.-]+\s*(\[[^\]]*\]\s*)*$/;
const selectXPath = (root, path) => {
    const found = [];
    const result = byXPath(root, path, root, null, 0, null);
    // A number, a text or a truth value selects no element.
    if (result.resultType < 4) throw new SyntaxError("the XPath selects no elements but gives a value");
    if (NO_ELEMENT.test(path)) throw new SyntaxError("the XPath selects texts or attributes, no elements: end it with an element's step");
    for (let node = result.iterateNext(); node && found.length < MOST_SELECTED; node = result.iterateNext()) {
        if (nodeType(node) === 1) found[found.length] = node;
    }
    return found;
};
const PSEUDO_ELEMENT = /::|:(before|after|first-line|first-letter)(?![\w-])/i;
const checkCss = (css) => {
    const bare = replaced(css, /\\.|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|\[[^\]]*\]/g, "");
    const found = PSEUDO_ELEMENT.exec(bare);
    if (found) throw new SyntaxError("`" + cutAt(bare, found.index, found.index + 20) + "` is no element: select the element that it belongs to");
};
const selectAll = (selectors, present) => {
    allRoots = null;
    seenTexts = null;
    for (let at = 0; at < selectors.length && !present && !seenTexts; at++) {
        if (!contains(selectors[at].css ?? "", HAS_TEXT)) continue;
        const texts = new Map();
        areAllSeen = !walk(new Set(), false, texts).cut;
        seenTexts = texts;
    }
    const roots = selectors.length > 0 ? rootsOf() : NONE;
    const chosen = new Set();
    const answers = [];
    for (let at = 0; at < selectors.length; at++) {
        const { css, xpath } = selectors[at];
        const answer = { found: [], error: "" };
        try {
            if (css !== undefined) checkCss(css);
            for (let one = 0; one < roots.length; one++) {
                const inShadow = isShadow(roots[one]);
                if (xpath !== undefined && inShadow) continue;
                const some = xpath !== undefined ? selectXPath(roots[one], xpath) : selectCss(roots[one], css);
                for (let each = 0; each < some.length && answer.found.length < MOST_SELECTED; each++) {
                    answer.found[answer.found.length] = some[each];
                    chosen.add(some[each]);
                }
            }
        } catch (error) {
            answer.error = clipped("" + (error?.message ?? error));
        }
        answers[answers.length] = answer;
    }
    return { chosen, answers };
};

// Ends with the next frame, or where none comes, as in a tab in the background or under a clock that the page made its own.
const frame = () => new Promise((done) => {
    setTimeout(done, document.hidden ? 50 : 400);
    if (!document.hidden) requestAnimationFrame(done);
    try {
        const clock = new Animation(new KeyframeEffect(null, null, 60));
        clock.onfinish = done;
        clock.play();
    } catch {
        // No such clock here.
    }
});
// Where the middles are: what only swells and shrinks about its own is met there all the same.
const sample = (nodes) => {
    const places = [];
    for (let at = 0; at < nodes.length; at++) {
        const rect = isConnected(nodes[at].element) ? boundingRect(nodes[at].element) : null;
        places[at] = rect ? Math.round(rect.left * 2 + rect.width) + "," + Math.round(rect.top * 2 + rect.height) : "gone";
    }
    return places;
};
// Remembers since when each was seen where it is, and nowhere else since.
const remember = (nodes, places, now) => {
    for (let at = 0; at < nodes.length; at++) {
        const seen = memory.seen.get(nodes[at].element);
        if (seen?.place !== places[at]) memory.seen.set(nodes[at].element, { place: places[at], since: now });
    }
};
const hasStood = (node, place, now) => {
    const seen = memory.seen.get(node.element);
    return seen !== undefined && seen.place === place && now - seen.since >= FRESH_MS;
};
const ACTS = FLAG.clickable | FLAG.focusable | FLAG.checkable;
const acting = (nodes) => {
    const some = [];
    for (let at = 0; at < nodes.length; at++) if (nodes[at].flags & ACTS) some[some.length] = nodes[at];
    return some;
};
const inSight = (seen) => {
    const some = [];
    seen.nodes.forEach((node) => {
        if (some.length < 3000 && !isEmpty(crossed(node.rect, seen.screen))) some[some.length] = node;
    });
    return some;
};
// Is told of each input once the page has heard of it: counts the frames that have begun since then, as far as they matter.
const acted = () => {
    const act = ++memory.acts;
    memory.frames = 0;
    memory.actedAt = performance.now();
    const count = () => {
        if (act !== memory.acts) return;
        if (++memory.frames < 2) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
};
// Waits for the two frames after the last input, in which what it set going shows.
const settled = async () => {
    const act = memory.acts;
    for (let had = memory.frames; memory.acts > 0 && had < 2; had++) {
        await frame();
        if (act !== memory.acts) return;
    }
};
// Looks until it is known of all in sight that can be acted on whether it moves: two frames on, or one where all of it stood there in
// an earlier look already and the last input has had two in all, so that what it set going would show. Of what else came since then,
// nothing is said after one frame.
const steadied = async (chosen) => {
    const first = walk(chosen);
    const nodes = inSight(first);
    const watcher = new MutationObserver(() => { changed = true; });
    let changed = false;
    watcher.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
    const before = sample(nodes);
    const now = performance.now();
    const unknown = new Set();
    let isKnown = true;
    for (let at = 0; at < nodes.length; at++) {
        if (hasStood(nodes[at], before[at], now)) continue;
        unknown.add(nodes[at].element);
        if (nodes[at].flags & ACTS || nodes[at].role === "webview") isKnown = false;
    }
    remember(nodes, before, now);
    const moving = new Set();
    const compare = () => {
        const after = sample(nodes);
        for (let at = 0; at < nodes.length; at++) if (after[at] !== before[at]) moving.add(nodes[at].element);
        return after;
    };
    const had = memory.frames;
    await frame();
    let after = compare();
    if (!isKnown || had + 1 < 2) {
        await frame();
        after = compare();
        unknown.clear();
    }
    changed ||= watcher.takeRecords().length > 0;
    watcher.disconnect();
    remember(nodes, after, performance.now());
    const steady = new Set();
    for (let at = 0; at < nodes.length; at++) if (!moving.has(nodes[at].element)) steady.add(nodes[at].element);
    const last = changed || moving.size > 0 ? walk(chosen) : first;
    const known = inSight(last);
    for (let at = 0; at < known.length; at++) {
        const { element } = known[at];
        if (moving.has(element) || !unknown.has(element)) known[at].flags |= steady.has(element) ? FLAG.still : FLAG.moving;
    }
    findCovers(last, known);
    hide(last, known, false);
    return last;
};

// Takes out what something hides that lies over all of it; where all that is present is told, says so of it.
const hide = (seen, known, present) => {
    for (let at = 0; at < known.length; at++) {
        const node = known[at];
        if (node.why || node.bent || !(node.hasText || node.flags & ACTS || node.role === "image" || isField(node.tag))) continue;
        if (!node.isBelow && !isUnder(node, seen.raised)) continue;
        const hider = hiderOf(node, seen.screen);
        if (!hider || (isField(node.tag) && !isLarger(hider.element, node.rect))) continue;
        if (present) {
            node.why = hider;
        } else {
            node.isHidden = true;
            seen.nodes.delete(node.element);
        }
    }
};
const isUnder = (node, raised) => {
    for (let at = 0; at < raised.length; at++) {
        const { place, from, to } = raised[at];
        const isKin = (from <= node.from && to >= node.to) || (from >= node.from && to <= node.to);
        if (!isKin && !isEmpty(crossed(place, node.rect))) return true;
    }
    return false;
};
// Fields lie under what pages draw in their place; what is much larger hides them.
const isLarger = (cover, rect) => {
    const over = boundingRect(cover);
    return over.width * over.height > 2 * (rect.right - rect.left) * (rect.bottom - rect.top);
};
// Why a node is not seen, as it follows "is there, but".
const explained = (node) => {
    const { how, element, text } = node.why;
    const by = (word) => (element && element !== node.element ? " by " + called(element) : word);
    const of = element && element !== node.element ? " of " + called(element) : "";
    const rest = text ? ": only \"" + cutAt(text, 0, 80) + (text.length > 80 ? "…" : "") + "\" is seen" : "";
    switch (how) {
        case "undisplayed": return "not displayed (display: none" + of + ")";
        case "invisible": return "invisible (visibility: hidden)";
        case "transparent": return "transparent (opacity" + of + ")";
        case "tiny": return "for screen readers alone, in a box of one pixel";
        case "empty": return "of no size";
        case "skipped": return "in what is closed (details)";
        case "clipped": return text ? "cut off" + by("") + rest : "clipped" + by(" by its own box");
        case "ellipsis": return text ? "cut off by an ellipsis" + rest : "behind an ellipsis";
        case "beyond": return "off the page, where no scrolling leads";
        case "away": return "turned away (backface-visibility: hidden)";
        case "behind": return "behind " + called(element);
        default: return how + of;
    }
};
const called = (element) => {
    const id = attribute(element, "id");
    const classes = collapsed(attribute(element, "class") ?? "");
    return id ? "#" + cutAt(id, 0, 80) : localName(element) + (classes ? "." + cutAt(partsOf(classes, " ")[0], 0, 80) : "");
};

// What a finger meets at a point of the viewport, through shadow roots and frames.
const met = (x, y) => {
    let found = documentAt(document, x, y);
    for (let depth = 0; found && depth < 30; depth++) {
        const shadow = shadowRoot(found);
        const deeper = shadow ? shadowAt(shadow, x, y) : null;
        if (deeper && deeper !== found) {
            found = deeper;
            continue;
        }
        const content = contentOf(found);
        if (!content) return found;
        const way = wayInto(found);
        if (way.bent) return found;
        [x, y] = wayBack(way, x, y);
        const inner = documentAt(content, x, y);
        if (!inner) return found;
        found = inner;
    }
    return found;
};
const ACTIVE = "a[href],button,input,select,textarea,summary";
// Whether what is met hands the touch on to the element, or is a part of it.
const isReached = (node, found, seen) => {
    const { element, tag } = node;
    if (!found || holds(element, found)) return true;
    const label = closest(found, "label");
    if (label && label.control === element) {
        // A link in a label is no part of what the label belongs to.
        const own = closest(found, ACTIVE);
        return !own || own === element || !holds(label, own);
    }
    if (tag === "label" && element.control && holds(element.control, found)) return true;
    if (!holds(found, element) || found.ownerDocument !== element.ownerDocument) return false;
    const style = element.ownerDocument.defaultView.getComputedStyle(element);
    if (style.pointerEvents === "none") return !(node.flags & ACTS) && isPartOf(element, found, seen);
    // Its own box has holes; but for what pages draw over all that stands in them.
    return !isField(tag) && (ACTING[node.role] !== 1 || !isSolid(element, tag, style));
};
const isSolid = (element, tag, style) =>
    element instanceof element.ownerDocument.defaultView.HTMLElement && tag !== "area" && tag !== "option" && style.display !== "contents";
// Whether what is met is, or stands in, something to be touched that the element is only a part of, such as a button's picture.
const isPartOf = (element, found, seen) => {
    for (let one = element; one; one = above(one)) {
        const node = seen.nodes.get(one);
        if (node && node.flags & FLAG.clickable) return holds(one, found);
    }
    return false;
};
// What stands in an element and takes a touch there itself, such as a button on a card; but for what is all of it, as the link that
// fills a row. Fields are parts of what they stand in.
const TAKING = { __proto__: null, button: 1, link: 1, tab: 1, menuitem: 1, option: 1, checkbox: 1, radio: 1, switch: 1 };
const takerIn = ({ element, label }, found, seen) => {
    for (let one = found; one && one !== element; one = above(one)) {
        const inner = seen.nodes.get(one);
        const takes = inner && (TAKING[inner.role] === 1 || attribute(one, "role") === "treeitem" || hasHandler(one));
        if (!takes || one === element.control) continue;
        const text = collapsed(textContent(one));
        return text === collapsed(textContent(element)) && (text || inner.label === label) ? null : one;
    }
    return null;
};
const BENT = "its frame is transformed in a way that no touch can be aimed through (3D, perspective, a path)";
const findCovers = (seen, known) => {
    for (let at = 0; at < known.length; at++) {
        const node = known[at];
        if (node.bent) {
            node.missed = BENT;
            continue;
        }
        if (node.inert) {
            node.missed = node.inert === node.element ? "it is inert" : "it is inert, as all of " + called(node.inert) + " is";
            continue;
        }
        const acts = (node.flags & ACTS) !== 0;
        const holdsMore = !acts && node.kids.length > 0;
        if (!acts && !node.text && !seen.chosen.has(node.element)) continue;
        const part = crossed(node.rect, seen.screen);
        const spot = (x, y) => [part.left + (part.right - part.left) * x, part.top + (part.bottom - part.top) * y];
        const middle = spot(0.5, 0.5);
        const over = met(middle[0], middle[1]);
        const isMet = isReached(node, over, seen);
        const taker = isMet && over ? takerIn(node, over, seen) : null;
        if (isMet ? !taker : holdsMore) continue;
        const others = [spot(0.5, 0.15), spot(0.5, 0.85), spot(0.15, 0.5), spot(0.85, 0.5), spot(0.1, 0.1), spot(0.9, 0.9)];
        const isFree = (x, y) => {
            const there = met(x, y);
            return !!there && isReached(node, there, seen) && !takerIn(node, there, seen);
        };
        let free = null;
        for (let one = 0; one < others.length && !free; one++) {
            // Touches go to the middles of whole pixels, which the browser may take for either side.
            const [x, y] = [round(others[one][0]), round(others[one][1])];
            if (isFree(x, y) && isFree(x + 1, y + 1)) free = [x, y];
        }
        node.free = free;
        if (free) continue;
        if (taker) {
            // An option belongs to its list.
            const isOfList = node.tag === "select" && localName(taker) === "option";
            if (acts && !isOfList) node.missed = "touches in it go to " + cutAt(described(taker, seen), 0, 120);
            continue;
        }
        const isThrough = over && over.ownerDocument === node.element.ownerDocument && holds(over, node.element);
        if (isThrough) node.missed = "touches go through it to " + cutAt(described(over, seen), 0, 120);
        else node.cover = described(over, seen);
    }
};
const described = (element, seen) => {
    if (!element) return "nothing that can be touched";
    const shown = seen.nodes.get(element);
    const text = shown ? shown.text || shown.label : collapsed(spoken(element, 4, false));
    const id = attribute(element, "id");
    const name = id ? localName(element) + "#" + id : called(element);
    return text ? name + " \"" + cutAt(text, 0, 60) + "\"" : name;
};

// What lies over points of a frame that cannot be looked into from here; empty where nothing does.
const over = (frame, points) => {
    const found = [];
    ways.clear();
    for (let at = 0; at < points.length && at < 1000; at++) {
        const there = frame ? met(points[at][0], points[at][1]) : null;
        found[at] = !there || there === frame ? "" : described(there, { nodes: new Map() });
    }
    return found;
};

const round = Math.round;
const part = (number) => round(number * 1e6) / 1e6;
// What may be chosen of a closed list: how many there are, and the first of them.
const MOST_OPTIONS = 12;
const optionsOf = (list) => {
    const options = list.options;
    let count = 0;
    let names = "";
    for (let at = 0; at < options.length && at < 20000; at++) {
        if (matches(options[at], ":disabled") || options[at].hidden) continue;
        if (++count > MOST_OPTIONS) continue;
        names += (names ? "," : "") + quote(cutAt(collapsed(options[at].label), 0, 60));
    }
    return "[" + count + ",[" + names + "]]";
};
const listed = (numbers) => {
    let all = "";
    for (let at = 0; at < numbers.length; at++) all += (all ? "," : "") + numbers[at];
    return all;
};
const quotedAll = (texts) => {
    let all = "";
    for (let at = 0; at < texts.length; at++) all += (all ? "," : "") + quote(texts[at]);
    return all;
};
const written = (node, depth, seen) => {
    const { left, top, right, bottom } = node.rect;
    const isShown = !isEmpty(node.rect);
    const [x, y] = [round(left), round(top)];
    const [width, height] = isShown ? [Math.max(1, round(right) - x), Math.max(1, round(bottom) - y)] : [0, 0];
    let extras = "";
    const extra = (name, json) => { extras += (extras ? "," : "") + "\"" + name + "\":" + json; };
    const id = attribute(node.element, "id");
    const hint = attribute(node.element, "placeholder") ?? attribute(node.element, "aria-placeholder");
    const testId = testIdOf(node.element);
    if (node.label && node.label !== " ") extra("l", quote(node.label));
    if (hint && (isField(node.tag) || node.role === "textfield")) extra("h", quote(hint));
    if (id) extra("i", quote(clipped(id)));
    if (testId) extra("t", quote(clipped(testId)));
    if (node.tag === "textarea") {
        const [across, down] = [round(scrollLeft(node.element)), round(scrollTop(node.element))];
        if (across || down) extra("s", "[" + across + "," + down + "]");
    }
    if (node.tag === "select" && node.role === "combobox") extra("o", optionsOf(node.element));
    if (node.tag === "input" && SET_FIELDS[inputType(node.element)]) extra("y", quote(inputType(node.element)));
    if (node.whole && node.whole !== node.text) extra("w", quote(node.whole));
    if (node.joined.length > 0 && !node.text) extra("j", "[" + quotedAll(node.joined) + "]");
    if (node.also.length > 0) extra("d", "[" + quotedAll(node.also) + "]");
    if (node.why && seen.present) {
        const comes = stirs(node.element, seen.flickering.elements);
        extra("v", quote((comes ? "it comes and goes, and is now " : "") + explained(node)));
        if (comes) extra("k", 1);
    }
    if (node.text.length > LONGEST_TEXT) extra("z", node.text.length);
    if (node.part) extra("p", node.part);
    if (node.unseen.length > 0) {
        let told = "";
        for (let at = 0; at < node.unseen.length; at++) told += (at ? "," : "") + "[" + quotedAll(node.unseen[at]) + "]";
        extra("u", "[" + told + "]");
    }
    if (node.cover) extra("c", quote(node.cover));
    if (node.missed) extra("n", quote(node.missed));
    if (node.free) extra("a", "[" + node.free[0] + "," + node.free[1] + "]");
    const text = node.text || extras ? "," + quote(cutAt(node.text, 0, LONGEST_TEXT)) : "";
    return "[" + depth + "," + node.number + "," + quote(clipped(node.tag)) + ",\"" + node.role + "\"," + x + "," + y + "," + width + ","
        + height + "," + node.flags + text + (extras ? ",{" + extras + "}" : "") + "]";
};
// Whether it is certain that nobody sees an element that got no node: what has no box is seen by what stands in it, of which not all may
// have been visited.
const isUnseen = (element, seen) => {
    if (isRendered(element)) return seen.met.has(element);
    return element.ownerDocument.defaultView?.getComputedStyle(element).display !== "contents";
};
// Whether the browser's own viewer shows a file in the page, or in a frame that is looked into with it: what stands in it is not told.
const PDF = "application/pdf";
const showsFile = () => {
    if (document.contentType === PDF) return true;
    if (!navigator.pdfViewerEnabled) return false;
    const frames = allIn(document, "iframe,frame,object,embed");
    for (let at = 0; at < frames.length; at++) {
        const isFile = contentOf(frames[at])?.contentType === PDF || (attribute(frames[at], "type") === PDF && !FRAMES_ALONE[localName(frames[at])]);
        if (isFile && isRendered(frames[at])) return true;
    }
    return false;
};
const FRAMES_ALONE = { __proto__: null, iframe: 1, frame: 1 };
const answered = (seen, answers) => {
    const isYoung = performance.now() - watched().began < YOUNG_MS;
    seen.flickering = flickering();
    const { elements, texts } = seen.flickering;
    const isLoading = loading(seen);
    const away = vanished();
    for (let at = 0; at < running.length; at++) away[away.length] = [running[at], true];
    let awayTold = "";
    for (let at = 0; at < away.length; at++) awayTold += (at ? "," : "") + "[" + quote(away[at][0]) + "," + (away[at][1] ? 1 : 0) + "]";
    let cut = seen.cut || showsFile();
    let list = "";
    const add = (nodes, depth) => {
        for (let at = 0; at < nodes.length; at++) {
            if (list.length > MOST_BYTES) {
                cut = true;
                return;
            }
            if (!nodes[at].isHidden) list += (list ? "," : "") + written(nodes[at], Math.min(depth, DEEPEST_NODE), seen);
            add(nodes[at].kids, nodes[at].isHidden ? depth : depth + 1);
        }
    };
    add(seen.roots, 0);
    // What is not in the page just now has a text and no place.
    if (seen.present) {
        texts.forEach((text) => {
            list += (list ? "," : "") + "[0,0,\"#text\",\"text\",0,0,0,0,0," + quote(text) + ",{\"v\":\"it comes and goes\",\"k\":1}]";
        });
    }
    let selected = "";
    for (let at = 0; at < answers.length; at++) {
        const { found, error } = answers[at];
        let isWhole = found.length < MOST_SELECTED && list.length <= MOST_BYTES;
        cut ||= found.length >= MOST_SELECTED;
        let numbers = "";
        for (let one = 0; one < found.length; one++) {
            const node = seen.nodes.get(found[one]);
            if (node) numbers += (numbers ? "," : "") + node.number;
            else isWhole &&= isUnseen(found[one], seen);
        }
        if (!isWhole) numbers += (numbers ? "," : "") + "\"more\"";
        selected += (selected ? "," : "") + (error ? quote(error) : "[" + numbers + "]");
    }
    let holes = "";
    for (let at = 0; at < seen.holes.length; at++) {
        const { element, way, hole } = seen.holes[at];
        const node = seen.nodes.get(element);
        if (!node) continue;
        const sides = [way.e, way.f, hole.left, hole.top, Math.max(hole.left, hole.right), Math.max(hole.top, hole.bottom)];
        holes += (holes ? "," : "") + "[" + node.number;
        for (let side = 0; side < 6; side++) holes += "," + Math.max(-1e6, Math.min(1e6, round(sides[side])));
        if (way.bent) holes += "," + quote(BENT);
        else if (!isPlain(way)) holes += ",[" + part(way.a) + "," + part(way.b) + "," + part(way.c) + "," + part(way.d) + "]";
        holes += "]";
    }
    return "{\"v\":1,\"w\":" + innerWidth + ",\"h\":" + innerHeight + ",\"url\":" + quote(clipped(location.href)) + ",\"title\":"
        + quote(clipped(document.title + "")) + ",\"doc\":" + memory.token + (cut ? ",\"cut\":1" : "") + (holes ? ",\"f\":[" + holes + "]" : "")
        + (elements.size + texts.size > 0 ? ",\"b\":1" : "") + (away.length > 0 ? ",\"q\":[" + awayTold + "]" : "") + (isYoung ? ",\"y\":1" : "") + (memory.hosts.length > 0 ? ",\"c\":1" : "") + (seen.own.length > 0 ? ",\"i\":[" + listed(seen.own) + "]" : "") + (isLoading ? ",\"l\":" + quote(isLoading) : "") + ",\"e\":[" + list
        + "],\"s\":[" + selected + "]}";
};

// A look that does not wait. Where things are is remembered: a later one that matters may be shorter for it.
const glanced = (chosen, reach, present) => {
    const seen = walk(chosen, present);
    const known = inSight(seen);
    const some = acting(known);
    remember(some, sample(some), performance.now());
    if (reach) findCovers(seen, known);
    hide(seen, known, present);
    return seen;
};

const TEXT_FIELDS = { __proto__: null, text: 1, search: 1, url: 1, tel: 1, password: 1, email: 1, number: 1 };
// Fields that hold what no keys type as it is written: 2024-05-06 is typed in other ways in every country. Numbers are typed.
const SET_FIELDS = {
    __proto__: null, date: 1, time: 1, month: 1, week: 1, "datetime-local": 1, color: 1, range: 1, number: 2,
};
const isWritten = (element) => {
    try {
        return isEditable(element);
    } catch {
        // No element of HTML.
        return false;
    }
};
const placeCursor = (element, all) => {
    if (isWritten(element)) {
        const selection = element.ownerDocument.getSelection();
        selection.selectAllChildren(element);
        if (!all) selection.collapseToEnd();
        return true;
    }
    if (all) {
        selectText(element);
        return true;
    }
    const end = element.value.length;
    try {
        element.setSelectionRange(end, end);
    } catch {
        // Fields for numbers and addresses know no places within them.
        return end === 0;
    }
    return true;
};
// Gives a field the focus, and tells whether it can be typed into now; one that wants to be touched first cannot.
const focusOn = (element, all) => {
    leaveTyped(element);
    const tag = localName(element);
    if (tag === "input" && SET_FIELDS[inputType(element)] === 1) {
        focusNow(element);
        return deepestActive() === element && !element.readOnly;
    }
    const isText = tag === "textarea" || (tag === "input" && TEXT_FIELDS[inputType(element)] === 1);
    if (!isText && !isWritten(element)) return false;
    // A part of what is written in has the focus by the whole of it.
    let host = element;
    while (!isText && parentNode(host) && isWritten(parentNode(host))) host = parentNode(host);
    focusNow(host);
    if (deepestActive() !== host || (isText && element.readOnly)) return false;
    return placeCursor(element, all);
};

// How many characters a field holds.
// What stands in an editor: some draw their placeholder as an element in it.
const PLACEHOLDER = /placeholder/i;
const isPlaceholder = (element) => {
    if (PLACEHOLDER.test(attribute(element, "class") ?? "")) return true;
    const { attributes } = element;
    for (let at = 0; at < attributes.length; at++) if (PLACEHOLDER.test(attributes[at].name) && attributes[at].name !== "aria-placeholder") return true;
    return false;
};
const editedText = (element) => {
    let text = "";
    for (let node = firstChild(element); node; node = nextSibling(node)) {
        if (nodeType(node) === 3) text += nodeValue(node);
        else if (nodeType(node) === 1 && !(attribute(node, "contenteditable") === "false" && isPlaceholder(node))) text += editedText(node);
    }
    return text;
};
// A mask that nothing was filled into: `__/__/____`.
const MASK = /^[^\p{L}\p{N}]*_[^\p{L}\p{N}]*$/u;
const lengthOf = (element, filledOnly) => {
    // Editors keep their cursor in a text of no width.
    const text = isField(localName(element)) ? (filledOnly && MASK.test(element.value) ? "" : element.value) : collapsed(replaced(editedText(element), /[\u200b\ufeff]+/g, ""));
    let length = 0;
    for (const _ of text) length++;
    return length;
};
// What a field takes, as it says itself; a slider always has both ends.
const limitsOf = (element) => {
    const usual = inputType(element) === "range" ? { __proto__: null, min: "0", max: "100", step: "1" } : { __proto__: null };
    let limits = "";
    const names = ["min", "max", "step"];
    for (let at = 0; at < 3; at++) {
        const given = attribute(element, names[at]) || usual[names[at]];
        if (given) limits += (limits && ", ") + names[at] + " " + given;
    }
    return limits;
};
// Sets what a field holds that is not typed into, as a choice in it does; says "typed" of any other, and else why not.
// Notes what is met at a point and where in it that is.
const aim = ([x, y]) => {
    const element = met(x, y);
    memory.aim = null;
    if (!element || element.ownerDocument !== document || element === rootElement(document) || localName(element) === "body") return false;
    const { left, top } = boundingRect(element);
    memory.aim = { element, x: x - left, y: y - top };
    return true;
};
// Where what was aimed at has gone from under a point. What only changed its place in its list, for what is carried over it, is not followed.
const follow = ([x, y]) => {
    if (!memory.aim || !isConnected(memory.aim.element)) return null;
    const { element } = memory.aim;
    const { left, top } = boundingRect(element);
    const [nowX, nowY] = [left + memory.aim.x, top + memory.aim.y];
    const around = above(element);
    const found = met(x, y);
    const isThere = found !== null && (holds(element, found) || (localName(around) !== "body" && holds(around, found)));
    const isInView = nowX >= 0 && nowY >= 0 && nowX < innerWidth && nowY < innerHeight;
    return !isThere && isInView && Math.hypot(nowX - x, nowY - y) > 2 ? [nowX, nowY] : null;
};
// What is done to a field from here on is no change of the page's own.
const leaveTyped = (element) => { window[Symbol.for("uixt typed")]?.watched.delete(element); };
const setOn = (element, text) => {
    leaveTyped(element);
    const type = localName(element) === "input" ? inputType(element) : "";
    const isLocked = isField(localName(element)) && (matches(element, ":disabled") || element.readOnly === true);
    if (isLocked) return "locked";
    if (SET_FIELDS[type] === 2) return text.trim() !== "" && isNaN(Number(text)) ? "malformed" : "typed";
    if (SET_FIELDS[type] !== 1) return "typed";
    focusNow(element);
    const before = element.value;
    setValue(element, text);
    const now = element.value;
    const isTaken = type === "range" ? Number(now) === Number(text) && text.trim() !== ""
        : type === "color" ? lowered(now) === lowered(text) : (now === "") === (text === "");
    if (!isTaken) {
        setValue(element, before);
        const isNumber = type === "range" && text.trim() !== "" && !isNaN(Number(text));
        return isNumber ? "outside " + limitsOf(element) : "malformed";
    }
    const { rangeUnderflow, rangeOverflow, stepMismatch } = element.validity;
    if (text !== "" && (rangeUnderflow || rangeOverflow || (stepMismatch && attribute(element, "step") !== null))) {
        setValue(element, before);
        return "outside " + limitsOf(element);
    }
    if (now !== before) {
        element.dispatchEvent(new Event("input", { bubbles: true, composed: true }));
        element.dispatchEvent(new Event("change", { bubbles: true }));
    }
    return "done";
};

// Brings an element into the viewport: to its middle, and where that was not enough, to its end or its beginning, since bars lie over
// some places.
const PLACES = ["center", "end", "start"];
const show = (element) => {
    const { element: last, times } = memory.shown ?? {};
    memory.shown = { element, times: element === last ? times + 1 : 0 };
    // What no person can scroll is left where it is.
    const held = [];
    for (let one = above(element); one; one = above(one)) {
        const style = one.ownerDocument.defaultView.getComputedStyle(one);
        const [x, y] = [style.overflowX === "hidden", style.overflowY === "hidden"];
        if (x || y) held[held.length] = { one, x, y, left: scrollLeft(one), top: scrollTop(one) };
    }
    // An area has no box: its picture is shown.
    const shown = localName(element) === "area" ? imageOf(element) ?? element : element;
    shown.scrollIntoView({ block: PLACES[memory.shown.times % 3], inline: "center", behavior: "instant" });
    for (let at = 0; at < held.length; at++) {
        const { one, x, y, left, top } = held[at];
        if (x && scrollLeft(one) !== left) one.scrollLeft = left;
        if (y && scrollTop(one) !== top) one.scrollTop = top;
    }
};

// What is asked: an element by its number ({node}), the same brought into the viewport ({show}), given the focus ({focus}), set to a
// text ({set}), how many characters it holds ({length}), what lies over points of it ({over}), to watch the next touch ({guard}), or a
// look. A number is that of one document (doc); in another it means nothing.
const look = async (wanted) => {
    const known = (number) => (wanted.doc === undefined || wanted.doc === memory.token ? elementOf(number) : null);
    if (wanted?.node !== undefined) return known(wanted.node);
    if (wanted?.show !== undefined) {
        const element = known(wanted.show);
        if (element) show(element);
        return element !== null;
    }
    if (wanted?.focus !== undefined) {
        const element = known(wanted.focus);
        return element !== null && focusOn(element, wanted.all === true);
    }
    if (wanted?.length !== undefined) {
        const element = known(wanted.length);
        return element ? [lengthOf(element, false), lengthOf(element, true)] : null;
    }
    if (wanted?.set !== undefined) {
        const element = known(wanted.set);
        return element ? setOn(element, wanted.text) : "gone";
    }
    if (wanted?.guard !== undefined) {
        const element = known(wanted.guard);
        return element !== null && guard(element);
    }
    if (wanted?.aim !== undefined) return aim(wanted.aim);
    if (wanted?.follow !== undefined) return follow(wanted.follow);
    if (wanted?.over !== undefined) return over(known(wanted.over), wanted.points);
    // Said where nothing told of each input as it came.
    if (wanted?.acted !== undefined) memory.actedAt = performance.now() - wanted.acted;
    if (wanted?.settled) await settled();
    const { chosen, answers } = selectAll(wanted?.select ?? NONE, wanted?.present === true);
    const seen = wanted?.steady ? await steadied(chosen) : glanced(chosen, wanted?.reach === true, wanted?.present === true);
    if (!wanted?.present) memory.looked = seen;
    return answered(seen, answers);
};
memory.look = look;
memory.acted = acted;
memory.unasked = hosts;
memory.closedRoot = closedRoot;
memory.elementsOf = elementsOf;
memory.plainAre = plain;
return look(wanted);
