// CSS with `:has-text("…")`, which no browser knows: what stands before it is selected, kept where the text stands in it, and what
// stands behind it is looked for from there. Within `:not()`, `:is()` and `:has()` it stays the browser's to refuse.
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
// Splits CSS at its first `:has-text()`: what stands before it, its text, and what stands behind it; none where it has none.
const atText = (css) => {
    const at = outside(css, (one) => cutAt(css, one, one + HAS_TEXT.length) === HAS_TEXT);
    if (at === css.length) return null;
    const open = cutAt(css, at + HAS_TEXT.length);
    const end = outside(open, (_, sign) => sign === ")");
    if (end === open.length) throw new SyntaxError("`:has-text(` has no end");
    const given = trimmed(cutAt(open, 0, end));
    const isQuoted = given.length > 1 && (given[0] === "\"" || given[0] === "'") && given[given.length - 1] === given[0];
    const text = isQuoted ? replaced(cutAt(given, 1, -1), /\\(.)/g, "$1") : given;
    return { before: cutAt(css, 0, at), text: lowered(collapsed(text)), behind: cutAt(open, end + 1) };
};
// A compound and what stands behind it.
const afterCompound = (css) => {
    const end = outside(css, (_, sign) => COMBINATORS[sign] === 1);
    return [cutAt(css, 0, end), trimmed(cutAt(css, end))];
};
const hasText = (element, text) => contains(lowered(collapsed(textContent(element))), text);
// Whether an element is all that the rest of a compound says.
const isAll = (element, compound) => {
    const split = atText(compound);
    if (!split) return compound === "" || matches(element, "*" + compound);
    return hasText(element, split.text) && isAll(element, split.before) && isAll(element, split.behind);
};
const allFrom = (node, css) => (nodeType(node) === 1 ? allOf(node, css) : isShadow(node) ? allInShadow(node, css) : allIn(node, css));
// Adds what one alternative selects from a node on.
const select = (node, css, found) => {
    const split = atText(css);
    const before = split ? trimmed(split.before) : css;
    const isBare = before === "" || COMBINATORS[before[before.length - 1]] === 1 || /\s$/.test(split?.before ?? "");
    const some = allFrom(node, split && isBare ? before + " *" : before);
    const [own, rest] = split ? afterCompound(split.behind) : ["", ""];
    for (let at = 0; at < some.length && found.size < MOST_SELECTED; at++) {
        const element = some[at];
        if (split && !(hasText(element, split.text) && isAll(element, own))) continue;
        if (rest === "") found.add(element);
        else if (rest[0] !== "+" && rest[0] !== "~") select(element, ":scope " + rest, found);
        else selectBeside(element, rest, found);
    }
};
const selectBeside = (element, css, found) => {
    const [compound, rest] = afterCompound(trimmed(cutAt(css, 1)));
    for (let one = followed(element); one; one = css[0] === "~" ? followed(one) : null) {
        const split = atText(compound);
        if (!matches(one, split ? split.before || "*" : compound)) continue;
        if (split && !(hasText(one, split.text) && isAll(one, split.behind))) continue;
        if (rest === "") found.add(one);
        else if (rest[0] === "+" || rest[0] === "~") selectBeside(one, rest, found);
        else select(one, ":scope " + rest, found);
    }
};
const selectCss = (root, css) => {
    if (!contains(css, HAS_TEXT)) return allFrom(root, css);
    const found = new Set();
    for (let left = css; left !== "";) {
        const end = outside(left, (_, sign) => sign === ",");
        select(root, trimmed(cutAt(left, 0, end)), found);
        left = cutAt(left, end + 1);
    }
    return [...found].sort((one, other) => (one.compareDocumentPosition(other) & 4 ? -1 : 1));
};
