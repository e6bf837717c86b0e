// What changes on a page between two looks → what comes and goes, and whether more of it is on its way.
const RECENT_MS = 2000;
const LAST_MS = 700;
const GROWING_MS = 300;
const YOUNG_MS = 500;
// What went away by itself may be back after this: half of the time of a slow blink.
const BACK_MS = 700;
const REACTION_MS = 300;
const MOST_WATCHED = 40;
const MOST_KEPT = 200;
// Watches the document from the first look at it on.
const watched = () => {
    if (memory.watch) return memory.watch;
    const told = { began: performance.now(), seen: new WeakMap(), flips: [], texts: [], gone: [], grown: [] };
    const keep = (list, item) => {
        if (list.length >= MOST_KEPT) list.splice(0, MOST_KEPT / 2);
        list[list.length] = item;
    };
    const removed = (text, at) => {
        const one = collapsed(cutAt(text ?? "", 0, LONGEST));
        if (one === "") return;
        keep(told.texts, { text: one, at });
        keep(told.gone, { text: one, at });
    };
    new MutationObserver((records) => {
        const at = performance.now();
        let hasGrown = false;
        for (let one = 0; one < records.length && one < MOST_WATCHED; one++) {
            const { type, target, addedNodes, removedNodes, oldValue } = records[one];
            if (type === "attributes") {
                const isSeen = isRendered(target, { opacityProperty: true, visibilityProperty: true });
                const before = told.seen.get(target);
                told.seen.set(target, isSeen);
                if (before !== undefined && before !== isSeen) keep(told.flips, { element: target, at });
                if (before !== false && !isSeen) keep(told.gone, { text: collapsed(cutAt(textContent(target) ?? "", 0, LONGEST)), at });
            } else if (type === "characterData") {
                removed(oldValue, at);
            } else {
                for (let node = 0; node < removedNodes.length && node < MOST_WATCHED; node++) removed(textContent(removedNodes[node]), at);
                for (let node = 0; node < addedNodes.length && !hasGrown; node++) hasGrown = nodeType(addedNodes[node]) === 1;
            }
        }
        if (hasGrown) keep(told.grown, at);
    }).observe(document, {
        subtree: true, childList: true, characterData: true, characterDataOldValue: true, attributes: true,
        attributeFilter: ["class", "style", "hidden", "open"],
    });
    memory.watch = told;
    return told;
};
// Which of what changed did so twice and more in the last two seconds, and a moment ago: by what `key` gives of each.
const repeated = (list, key) => {
    const now = performance.now();
    const counts = new Map();
    const found = new Set();
    for (let at = 0; at < list.length; at++) {
        if (now - list[at].at > RECENT_MS) continue;
        const one = key(list[at]);
        counts.set(one, (counts.get(one) ?? 0) + 1);
        if (counts.get(one) > 1 && now - list[at].at < LAST_MS) found.add(one);
    }
    return found;
};
// The texts of what went away a moment ago, and not in answer to what was done to the page.
const vanished = () => {
    const now = performance.now();
    const found = new Set();
    const { gone } = watched();
    for (let one = 0; one < gone.length; one++) {
        const { text, at } = gone[one];
        if (now - at < BACK_MS && Math.abs(at - (memory.actedAt ?? -1e9)) > REACTION_MS) found.add(text);
    }
    const texts = [];
    found.forEach((text) => { texts[texts.length] = text; });
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
// Why a page shows that it is not complete yet; empty where nothing shows it.
const loading = (seen) => {
    if (document.readyState !== "complete") return "it is still loading";
    const busy = document.querySelector("[aria-busy=true]");
    if (busy && isRendered(busy, { visibilityProperty: true })) return called(busy) + " says that it is busy (aria-busy)";
    const { grown } = watched();
    const last = grown[grown.length - 1];
    const first = grown.find((at) => last - at < 1000);
    if (last !== undefined && performance.now() - last < GROWING_MS && last - first > 30) return "it is still growing";
    let spins = "";
    seen.nodes.forEach((node) => {
        if (spins || isEmpty(node.rect) || !(node.role === "progress" || SPINNER.test(attribute(node.element, "class") ?? ""))) return;
        const isEndless = node.tag === "progress" ? attribute(node.element, "value") === null
            : node.element.getAnimations({ subtree: true }).length > 0;
        if (isEndless) spins = called(node.element) + " is shown";
    });
    return spins;
};
