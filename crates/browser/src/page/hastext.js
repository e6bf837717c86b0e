// CSS with `:has-text("…")`, which no browser knows: what stands before it is selected, kept where the text stands in it, and what
// stands behind it is looked for from there. Within `:is()` and `:where()` it stays the browser's to refuse.
const HAS_TEXT = ":has-text(";
const COMBINATORS = { __proto__: null, " ": 1, ">": 1, "+": 1, "~": 1 };
const trimmed = method(String.prototype, "trim");
const followed = getter(Element.prototype, "nextElementSibling");
// Where, outside of quotation marks and brackets, a test first holds; the length where it nowhere does.
const outside = (css, holds) => {
    let mark = "";
    let depth = 0;
    for (let at = 0; at < css.length; at++) {
        const sign = css[at];
        if (sign === "\\") at++;
        else if (mark) mark = sign === mark ? "" : mark;
        else if (depth === 0 && holds(at, sign)) return at;
        else if (sign === "\"" || sign === "'") mark = sign;
        else if (sign === "(" || sign === "[") depth++;
        else if (sign === ")" || sign === "]") depth--;
    }
    return css.length;
};
// Splits CSS at its first test that is ours: what stands before it, the test, and what stands behind it; none where it has none.
const HEADS = [HAS_TEXT, ":not(", ":has("];
const atTest = (css) => {
    let head = "";
    const at = outside(css, (one) => {
        for (let each = 0; each < 3; each++) {
            head = HEADS[each];
            if (cutAt(css, one, one + head.length) !== head) continue;
            if (head === HAS_TEXT || contains(bracketed(cutAt(css, one + head.length)), HAS_TEXT)) return true;
        }
        return false;
    });
    if (at === css.length) return null;
    const inner = bracketed(cutAt(css, at + head.length));
    const behind = cutAt(css, at + head.length + inner.length + 1);
    const given = trimmed(inner);
    const test = head === HAS_TEXT ? textTest(given)
        : head === ":not(" ? (element) => !alternatives(given, (one) => fits(element, one))
            : (element) => alternatives(given, (one) => {
                const found = new Set();
                select(element, ":scope " + one, found);
                return found.size > 0;
            });
    return { before: cutAt(css, 0, at), test, behind };
};
// What stands within brackets that are open already.
const bracketed = (open) => {
    const end = outside(open, (_, sign) => sign === ")");
    if (end === open.length) throw new SyntaxError("`:has-text(` has no end");
    return cutAt(open, 0, end);
};
const textTest = (given) => {
    const isQuoted = given.length > 1 && (given[0] === "\"" || given[0] === "'") && given[given.length - 1] === given[0];
    const text = lowered(collapsed(isQuoted ? replaced(cutAt(given, 1, -1), /\\(.)/g, "$1") : given));
    return (element) => contains(lowered(collapsed(textSeen(element))), text);
};
// What is seen of all texts in elements, while selectors ask for it; of what a walk of a large page did not come to, what stands in it.
let seenTexts = null;
let areAllSeen = true;
const textSeen = (element) => {
    if (!seenTexts) return textContent(element);
    return seenTexts.get(element) ?? (areAllSeen || !isRendered(element) ? "" : textContent(element));
};
// Whether something holds of one of the alternatives that commas part.
const alternatives = (css, holds) => {
    for (let left = css; left !== "";) {
        const end = outside(left, (_, sign) => sign === ",");
        if (holds(trimmed(cutAt(left, 0, end)))) return true;
        left = cutAt(left, end + 1);
    }
    return false;
};
// A compound and what stands behind it.
const afterCompound = (css) => {
    const end = outside(css, (_, sign) => COMBINATORS[sign] === 1);
    return [cutAt(css, 0, end), trimmed(cutAt(css, end))];
};
// Whether an element is all that a compound says.
const fits = (element, compound) => {
    const split = atTest(compound);
    if (!split) return matches(element, compound);
    return matches(element, split.before || "*") && split.test(element) && (split.behind === "" || fits(element, "*" + split.behind));
};
const allFrom = (node, css) => (nodeType(node) === 1 ? allOf(node, css) : isShadow(node) ? allInShadow(node, css) : allIn(node, css));
// Adds what one alternative selects from a node on.
const select = (node, css, found) => {
    const split = atTest(css);
    const before = split ? trimmed(split.before) : css;
    const isBare = before === "" || COMBINATORS[before[before.length - 1]] === 1 || /\s$/.test(split?.before ?? "");
    const some = allFrom(node, split && isBare ? before + " *" : before);
    const [own, rest] = split ? afterCompound(split.behind) : ["", ""];
    for (let at = 0; at < some.length && found.size < MOST_SELECTED; at++) {
        const element = some[at];
        if (split && !(split.test(element) && (own === "" || fits(element, "*" + own)))) continue;
        if (rest === "") found.add(element);
        else if (rest[0] !== "+" && rest[0] !== "~") select(element, ":scope " + rest, found);
        else selectBeside(element, rest, found);
    }
};
const selectBeside = (element, css, found) => {
    const [compound, rest] = afterCompound(trimmed(cutAt(css, 1)));
    for (let one = followed(element); one; one = css[0] === "~" ? followed(one) : null) {
        if (!fits(one, compound)) continue;
        if (rest === "") found.add(one);
        else if (rest[0] === "+" || rest[0] === "~") selectBeside(one, rest, found);
        else select(one, ":scope " + rest, found);
    }
};
const selectCss = (root, css) => {
    if (!contains(css, HAS_TEXT)) return allFrom(root, css);
    const found = new Set();
    alternatives(css, (one) => {
        select(root, one, found);
        return false;
    });
    return [...found].sort((one, other) => (one.compareDocumentPosition(other) & 4 ? -1 : 1));
};
