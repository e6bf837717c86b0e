// What changes on a page between two looks → what comes and goes, and whether more of it is on its way.
const HISTORY_MS = 8000;
const RECENT_MS = 2000;
const GROWING_MS = 300;
const YOUNG_MS = 500;
// What went away may be back: it must stay away for longer than it did before, within these.
const SHORTEST_HOLD_MS = 700;
const LONGEST_HOLD_MS = 3000;
const LONGEST_BLINK_MS = 2500;
const REACTION_MS = 300;
const ANSWER_MS = 3000;
const MOST_WATCHED = 40;
const MOST_KEPT = 200;
const HIDDEN_STYLE = /(display:\s*none|visibility:\s*hidden|opacity:\s*0\s*(;|$))/;
// Watches the document from the first look at it on.
const watched = () => {
    if (memory.watch) return memory.watch;
    const told = { began: performance.now(), seen: new WeakMap(), flips: [], texts: [], gone: [], come: [], grown: [], bars: new WeakMap(), roots: new WeakSet() };
    const keep = (list, item) => {
        if (list.length >= MOST_KEPT) list.splice(0, MOST_KEPT / 2);
        list[list.length] = item;
    };
    const lineOf = (text) => collapsed(cutAt(text ?? "", 0, LONGEST));
    const removed = (text, at) => {
        const one = lineOf(text);
        if (one === "") return;
        keep(told.texts, { text: one, at });
        keep(told.gone, { text: one, at });
    };
    const came = (text, at, isCertain) => {
        const one = lineOf(text);
        if (one !== "") keep(told.come, { text: one, at, isCertain, sinceAct: at - (memory.actedAt ?? -1e9) });
    };
    // Whether an element was seen before the first change of it that is heard of; undefined where that cannot be told.
    const wasSeen = (name, before) => name === "hidden" ? before === null : name === "style" && HIDDEN_STYLE.test(before ?? "") ? false : undefined;
    const observer = new MutationObserver((records) => {
        const at = performance.now();
        let hasGrown = false;
        for (let one = 0; one < records.length && one < MOST_WATCHED; one++) {
            const { type, target, addedNodes, removedNodes, oldValue, attributeName } = records[one];
            if (type === "attributes") {
                const isSeen = isRendered(target, { opacityProperty: true, visibilityProperty: true });
                const before = told.seen.get(target) ?? wasSeen(attributeName, oldValue);
                told.seen.set(target, isSeen);
                if (before !== undefined && before !== isSeen) keep(told.flips, { element: target, at });
                if (before !== false && !isSeen) keep(told.gone, { text: lineOf(textContent(target)), at });
                if (before !== true && isSeen) came(textContent(target), at, before === false);
            } else if (type === "characterData") {
                removed(oldValue, at);
                came(target.data, at, true);
            } else {
                for (let node = 0; node < removedNodes.length && node < MOST_WATCHED; node++) removed(textContent(removedNodes[node]), at);
                for (let node = 0; node < addedNodes.length && node < MOST_WATCHED; node++) {
                    hasGrown ||= nodeType(addedNodes[node]) === 1;
                    came(textContent(addedNodes[node]), at, true);
                }
            }
        }
        if (hasGrown) keep(told.grown, at);
    });
    told.listen = (root) => observer.observe(root, {
        subtree: true, childList: true, characterData: true, characterDataOldValue: true, attributes: true, attributeOldValue: true,
        attributeFilter: ["class", "style", "hidden", "open"],
    });
    memory.watch = told;
    told.listen(document);
    return told;
};
// Watches a shadow root or a frame's document, too.
const watchRoot = (root) => {
    const told = watched();
    if (told.roots.has(root)) return;
    told.roots.add(root);
    told.listen(root);
};
const held = (ms) => Math.min(Math.max(ms, SHORTEST_HOLD_MS), LONGEST_HOLD_MS);
// What changed again and again by itself, and has not rested for longer than it did between: by what `key` gives of each. What an act
// led to is no such change, unless it follows another closely.
const repeated = (list, key) => {
    const now = performance.now();
    const acted = (memory.actedAt ?? -1e9) + REACTION_MS;
    const times = new Map();
    for (let at = 0; at < list.length; at++) {
        const age = now - list[at].at;
        if (age > HISTORY_MS || (age > RECENT_MS && list[at].at < acted)) continue;
        const one = key(list[at]);
        const before = times.get(one);
        if (before) before[before.length] = list[at].at;
        else times.set(one, [list[at].at]);
    }
    const found = new Set();
    times.forEach((at, one) => {
        const last = at[at.length - 1];
        // Of what is shown and hidden in turn, from one showing to the next.
        const period = at.length > 2 ? last - at[at.length - 3] : 2 * (last - at[0]);
        if (at.length > 1 && now - last < held(1.3 * period)) found.add(one);
    });
    return found;
};
// For how long what went away once has to stay away: longer where nothing that was done made it come. What stood for long is no blink.
const awayFor = ({ text, at }, told) => {
    let came;
    for (let one = told.come.length - 1; one >= 0 && !came; one--) if (told.come[one].at < at && told.come[one].text === text) came = told.come[one];
    const shown = at - (came?.at ?? told.began);
    if (shown > LONGEST_BLINK_MS) return { ms: SHORTEST_HOLD_MS, isSudden: false };
    // It may have stood there since the page came.
    if (!came || came.at - told.began < YOUNG_MS) return { ms: held(2 * at), isSudden: false };
    const isAnswer = came.sinceAct < ANSWER_MS || !came.isCertain;
    return isAnswer ? { ms: held(1.3 * shown), isSudden: false } : { ms: LONGEST_HOLD_MS, isSudden: true };
};
// The texts of what went away, and not in answer to what was done to the page, that may be back: with whether they came by themselves.
const vanished = () => {
    const now = performance.now();
    const told = watched();
    const found = new Map();
    for (let one = told.gone.length - 1; one >= 0 && now - told.gone[one].at < LONGEST_HOLD_MS; one--) {
        if (found.has(told.gone[one].text) || Math.abs(told.gone[one].at - (memory.actedAt ?? -1e9)) <= REACTION_MS) continue;
        const { ms, isSudden } = awayFor(told.gone[one], told);
        if (now - told.gone[one].at < ms) found.set(told.gone[one].text, isSudden);
    }
    const texts = [];
    found.forEach((isSudden, text) => { texts[texts.length] = [text, isSudden]; });
    return texts;
};
const HIDING = ["opacity", "visibility", "display", "color", "transform", "clipPath", "filter"];
// What comes and goes: elements that scripts or endless animations show and hide, and texts that are taken away again and again.
const flickering = () => {
    const told = watched();
    const elements = repeated(told.flips, (flip) => flip.element);
    const texts = repeated(told.texts, (removal) => removal.text);
    const animations = document.getAnimations?.() ?? NONE;
    for (let at = 0; at < animations.length && at < MOST_KEPT; at++) {
        const { effect, playState } = animations[at];
        if (playState !== "running" || !effect?.target || effect.getTiming().iterations !== Infinity) continue;
        const frames = effect.getKeyframes();
        let hides = false;
        for (let frame = 0; frame < frames.length; frame++) for (let one = 0; one < HIDING.length; one++) hides ||= HIDING[one] in frames[frame];
        if (hides) elements.add(effect.target);
    }
    return { elements, texts };
};
const stirs = (element, elements) => {
    for (let one = element; one; one = above(one)) if (elements.has(one)) return true;
    return false;
};
const SPINNER = /(^|[\s_-])(spinner|loader|loading|skeleton)([\s_-]|$)/i;
// For how long a bar that stands still counts as one that fills.
const BAR_MS = 3000;
const isShown = (element) => isRendered(element, { visibilityProperty: true });
// Whether a progress bar is on its way: it has no value, or stands below its end, and has not stood there for long.
const fills = (element) => {
    const isNative = localName(element) === "progress";
    if (localName(element) === "meter" || attribute(element, "role") === "meter") return false;
    const of = (name, other) => attribute(element, name) ?? (isNative ? null : attribute(element, other));
    const value = of("value", "aria-valuenow");
    if (value === null) return true;
    if (parseFloat(value) >= parseFloat(of("max", "aria-valuemax") ?? (isNative ? 1 : 100))) return false;
    const { bars } = watched();
    const before = bars.get(element);
    if (before?.value === value) return performance.now() - before.since < BAR_MS;
    bars.set(element, { value, since: performance.now() });
    return true;
};
const turns = (element) => element.getAnimations({ subtree: true }).some(({ effect }) => effect?.getTiming().iterations === Infinity)
    || element.querySelector("animate, animateTransform") !== null;
// Why a page shows that it is not complete yet; empty where nothing shows it.
const loading = (seen) => {
    if (document.readyState !== "complete") return "it is still loading";
    const busy = document.querySelectorAll("[aria-busy=true]");
    for (let at = 0; at < busy.length && at < MOST_WATCHED; at++) {
        if (isShown(busy[at]) || (busy[at].firstElementChild && isShown(busy[at].firstElementChild))) return called(busy[at]) + " says that it is busy (aria-busy)";
    }
    const { grown } = watched();
    const last = grown[grown.length - 1];
    const first = grown.find((at) => last - at < 1000);
    if (last !== undefined && performance.now() - last < GROWING_MS && last - first > 30) return "it is still growing";
    let spins = "";
    seen.nodes.forEach((node) => {
        if (spins || isEmpty(node.rect)) return;
        const { element } = node;
        const isLoading = node.role === "progress" ? fills(element)
            : SPINNER.test(attribute(element, "class") ?? "") ? element.getAnimations({ subtree: true }).length > 0
                : attribute(element, "role") === "status" && turns(element);
        if (isLoading) spins = called(element) + " is shown";
    });
    return spins;
};
