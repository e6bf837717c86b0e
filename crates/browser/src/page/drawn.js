// What CSS draws beside the text of the page: ::before, ::after, and the markers of lists → texts.
//
// They stand between two signs of their own in an element's text, so that it can also be told without them.
const [DRAWN, ENDS] = ["\uf8fe", "\uf8ff"];
const DRAWN_TEXT = /\uf8fe([^\uf8fe\uf8ff]*)\uf8ff/g;
const BEFORE = 1;
const AFTER = 2;
const MARKER = 4;
const PSEUDO = { __proto__: null, before: BEFORE, after: AFTER, marker: MARKER };
const PSEUDO_END = /::?(before|after|marker)$/;
const ICON = /^"[\ue000-\uf8fd\s]*"$/;
// Sheets with more of such rules than these are not asked one by one.
const MOST_RULES = 60;
// The rules of a sheet that draw something; null where the page may not read it.
const drawingRules = (sheet) => {
    let rules;
    try {
        rules = sheet.cssRules;
    } catch {
        return null;
    }
    const known = memory.sheets.get(sheet);
    if (known && known.count === rules.length && known.last === rules[rules.length - 1]) return known.found;
    const found = [];
    collectRules(rules, "", found, 0);
    memory.sheets.set(sheet, { count: rules.length, last: rules[rules.length - 1], found });
    return found;
};
const collectRules = (rules, parent, found, depth) => {
    for (let at = 0; at < rules.length && depth < 12; at++) {
        const rule = rules[at];
        const selector = rule.selectorText;
        const full = selector === undefined ? parent : parent ? nested(parent, selector) : selector;
        if (full && rule.style && /:(before|after|marker)\b/.test(full) && !ICON.test(rule.style.content)) found[found.length] = { rule, selector: full };
        const inner = rule.styleSheet ? readable(rule.styleSheet) : rule.cssRules;
        if (inner && inner.length > 0) collectRules(inner, full, found, depth + 1);
    }
};
const readable = (sheet) => {
    try {
        return sheet.cssRules;
    } catch {
        return null;
    }
};
const nested = (parent, selector) => {
    const all = [];
    eachPart(selector, (part) => {
        const outer = ":is(" + parent + ")";
        all[all.length] = contains(part, "&") ? replaced(part, /&/g, () => outer) : outer + " " + part;
    });
    return all.join(",");
};
const eachPart = (selector, act) => {
    for (let left = selector; left !== "";) {
        const end = outside(left, (_, sign) => sign === ",");
        act(trimmed(cutAt(left, 0, end)));
        left = cutAt(left, end + 1);
    }
};
// Which elements of a document or shadow root have something drawn beside their text; `wide` where that cannot be told without asking each.
const drawnIn = (root) => {
    const told = { of: new Map(), wide: false, counts: false };
    const rules = [];
    const take = (sheets) => {
        for (let at = 0; at < sheets.length; at++) {
            const some = drawingRules(sheets[at]);
            if (some === null) told.wide = true;
            for (let one = 0; some && one < some.length; one++) {
                const { content } = some[one].rule.style;
                if (!content || content === "none" || content === "normal" || content === "\"\"") {
                    if (!some[one].rule.style.counterIncrement) continue;
                }
                if (contains(content, "counter")) told.counts = true;
                rules[rules.length] = some[one];
            }
        }
    };
    take(root.styleSheets ?? NONE);
    take(root.adoptedStyleSheets ?? NONE);
    if (rules.length > MOST_RULES) told.wide = true;
    for (let at = 0; at < rules.length && !told.wide; at++) mark(root, rules[at].selector, told);
    return told;
};
const mark = (root, selector, told) => {
    eachPart(selector, (part) => {
        const pseudo = PSEUDO_END.exec(part);
        if (!pseudo) return;
        const bare = cutAt(part, 0, pseudo.index);
        if (/:host|::slotted|::part/.test(bare)) {
            told.wide = true;
            return;
        }
        try {
            const found = allFrom(root, bare === "" || /[\s>+~]$/.test(bare) ? bare + "*" : bare);
            for (let at = 0; at < found.length; at++) told.of.set(found[at], (told.of.get(found[at]) ?? 0) | PSEUDO[pseudo[1]]);
        } catch {
            told.wide = true;
        }
    });
};
// The counters of CSS: each level of the page has its own, and sees those around it.
const counterIn = (scope, name) => {
    for (let one = scope; one; one = one.up) if (one.values && name in one.values) return one.values;
    return null;
};
const count = (scope, style) => {
    const each = (written, act) => {
        if (!written || written === "none") return;
        const words = partsOf(written, " ");
        for (let at = 0; at + 1 < words.length; at += 2) act(words[at], parseInt(words[at + 1], 10) || 0);
    };
    const own = () => (scope.values ??= { __proto__: null });
    each(style.counterReset, (name, value) => { own()[name] = value; });
    each(style.counterSet, (name, value) => { (counterIn(scope, name) ?? own())[name] = value; });
    each(style.counterIncrement, (name, value) => {
        const values = counterIn(scope, name) ?? own();
        values[name] = (values[name] ?? 0) + value;
    });
};
const countersOf = (scope, name, between, kind) => {
    let all = "";
    for (let one = scope; one; one = one.up) {
        if (one.values && name in one.values) all = numbered(one.values[name], kind) + (all && between + all);
    }
    return all || "0";
};
const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const ROMAN = [[1000, "m"], [900, "cm"], [500, "d"], [400, "cd"], [100, "c"], [90, "xc"], [50, "l"], [40, "xl"], [10, "x"], [9, "ix"], [5, "v"], [4, "iv"], [1, "i"]];
const SIGNS = { __proto__: null, disc: "", circle: "", square: "", none: "", "disclosure-open": "", "disclosure-closed": "" };
const numbered = (value, kind) => {
    if (kind in SIGNS) return SIGNS[kind];
    if (/^(lower|upper)-(alpha|latin)$/.test(kind) && value > 0) {
        let text = "";
        for (let left = value; left > 0; left = Math.floor((left - 1) / 26)) text = LETTERS[(left - 1) % 26] + text;
        return kind[0] === "u" ? uppered(text) : text;
    }
    if (/-roman$/.test(kind) && value > 0 && value < 4000) {
        let [text, left] = ["", value];
        for (let at = 0; at < ROMAN.length; at++) for (; left >= ROMAN[at][0]; left -= ROMAN[at][0]) text += ROMAN[at][1];
        return kind[0] === "u" ? uppered(text) : text;
    }
    return kind === "decimal-leading-zero" && value >= 0 && value < 10 ? "0" + value : "" + value;
};
const STRING = /^"((?:[^"\\]|\\.)*)"|^'((?:[^'\\]|\\.)*)'/;
const unescaped = (text) => replaced(text, /\\([0-9a-fA-F]{1,6})\s?|\\(.)/g, (_, code, sign) => (code ? String.fromCodePoint(parseInt(code, 16) || 0xfffd) : sign));
// What a computed `content` writes.
const contentText = (content, element, scope) => {
    let text = "";
    let left = trimmed(content);
    while (left !== "" && left[0] !== "/") {
        const quoted = STRING.exec(left);
        const called = quoted ? null : /^([a-z-]+)\(([^)]*)\)/.exec(left);
        const word = quoted || called ? null : /^[^\s]+/.exec(left);
        if (quoted) text += unescaped(quoted[1] ?? quoted[2]);
        else if (called) text += calledText(called[1], called[2], element, scope);
        else if (word[0] === "open-quote" || word[0] === "close-quote") text += word[0] === "open-quote" ? "“" : "”";
        left = trimmed(cutAt(left, (quoted ?? called ?? word)[0].length));
    }
    return text;
};
const calledText = (name, given, element, scope) => {
    const words = partsOf(given, ",");
    const first = partsOf(collapsed(words[0]), " ")[0];
    if (name === "attr") {
        const fallback = words.length > 1 ? STRING.exec(trimmed(words[1])) : null;
        return attribute(element, first) ?? (fallback ? unescaped(fallback[1] ?? fallback[2]) : "");
    }
    if (name === "counter") return numbered(counterIn(scope, first)?.[first] ?? 0, words.length > 1 ? collapsed(words[1]) : "decimal");
    if (name === "counters") {
        const between = STRING.exec(trimmed(words[1] ?? ""));
        return countersOf(scope, first, between ? unescaped(between[1] ?? between[2]) : "", words.length > 2 ? collapsed(words[2]) : "decimal");
    }
    return "";
};
// What is drawn before or after what stands in an element; empty where nothing is that says something.
const drawnText = (element, view, which, scope) => {
    const style = view.getComputedStyle(element, which);
    const { content } = style;
    if (!content || content === "none" || content === "normal") return "";
    if (scope && which !== "::marker") count(scope, style);
    if (style.display === "none" || style.visibility !== "visible" || style.opacity < FAINT) return "";
    const ink = colourOf(style.webkitTextFillColor ?? style.color);
    if ((ink && ink[3] < FAINT) || parseFloat(style.fontSize) === 0) return "";
    const text = transformed(contentText(content, element, scope), style.textTransform);
    if (collapsed(text) === "") return "";
    const isApart = style.display !== "inline" || style.position === "absolute" || which === "::marker";
    const told = DRAWN + text + ENDS;
    return isApart ? " " + told + " " : told;
};
// The number or text before a list's item.
const markerOf = (element, style, drawn, view, ordinals, scope) => {
    if (drawn & MARKER) {
        const own = drawnText(element, view, "::marker", scope);
        if (own) return own;
    }
    const kind = style.listStyleType;
    if (!kind || kind in SIGNS || style.listStyleImage !== "none") return "";
    const text = STRING.exec(kind);
    if (text) return collapsed(text[1]) ? DRAWN + unescaped(text[1]) + ENDS : "";
    return DRAWN + numbered(ordinalOf(element, ordinals), kind) + "." + ENDS + " ";
};
const ordinalOf = (item, ordinals) => {
    const list = closest(item, "ol,ul,menu") ?? parentNode(item);
    const isBackwards = list && attribute(list, "reversed") !== null && localName(list) === "ol";
    let last = ordinals.get(list);
    if (last === undefined) {
        const start = list ? parseInt(attribute(list, "start"), 10) : NaN;
        let items = 0;
        if (isBackwards && isNaN(start)) {
            for (let one = firstChild(list); one; one = nextSibling(one)) if (nodeType(one) === 1 && localName(one) === "li" && isRendered(one)) items++;
        }
        last = isNaN(start) ? (isBackwards ? items + 1 : 0) : isBackwards ? start + 1 : start - 1;
    }
    const given = parseInt(attribute(item, "value"), 10);
    const now = isNaN(given) ? last + (isBackwards ? -1 : 1) : given;
    ordinals.set(list, now);
    return now;
};
