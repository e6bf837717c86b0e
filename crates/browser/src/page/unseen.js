// Fields and names → which of the texts that an element is called by nobody sees, though the element itself is seen, and why.
//
// A field draws its value by rules of its own, which no range of a text tells: it is as a text that has the field's style.
const DRAWS_VALUE = { __proto__: null, text: 1, search: 1, url: 1, tel: 1, email: 1, number: 1, button: 1, submit: 1, reset: 1, date: 1, time: 1, month: 1, week: 1, "datetime-local": 1 };
const TYPED = { __proto__: null, text: 1, search: 1, url: 1, tel: 1, email: 1, number: 1 };
const WORD = /[\p{L}\p{N}]/u;
// What of a value that is longer than its field stands in it just now.
const partOfValue = (element, style, value) => {
    const content = element.ownerDocument;
    const box = boundingRect(element);
    const [left, right] = [parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft), parseFloat(style.borderRightWidth) + parseFloat(style.paddingRight)];
    const middle = (box.top + box.bottom) / 2;
    const at = (x) => {
        const found = content.caretPositionFromPoint?.(x, middle);
        return found && found.offsetNode === element ? found.offset : null;
    };
    const [from, to] = [at(box.left + left + 1), at(box.right - right - 1)];
    if (from !== null && to !== null && from !== to) return cutAt(value, Math.min(from, to), Math.max(from, to));
    // Something lies over it, or it is far off: by its share of the whole.
    const share = (length) => Math.round(value.length * length / scrollWidth(element));
    const start = share(Math.abs(scrollLeft(element)));
    return cutAt(value, start, start + share(clientWidth(element)));
};
// Why nobody sees a field's value; null where it is seen.
const whyValueUnseen = (node, style, inner) => {
    const { element, tag } = node;
    if (inner.why) return inner.why;
    if (tag === "input" && !DRAWS_VALUE[inputType(element)]) return null;
    const ink = inkOf(element, style, inner);
    if (ink) return { how: ink };
    if (parseFloat(style.fontSize) < 1) return { how: "drawn in no size" };
    const security = style.webkitTextSecurity;
    if (security && security !== "none") return { how: "drawn as dots" };
    if (parseFloat(style.textIndent) < -0.9 * clientWidth(element) && style.textIndent) return { how: "indented out of its field" };
    return null;
};
const unseenOf = (node, style, inner) => {
    const { element, tag, text, label } = node;
    const unseen = [];
    const add = (name, why) => { unseen[unseen.length] = [name, explained({ element, why })]; };
    if (isField(tag)) {
        if (text !== "") {
            const why = whyValueUnseen(node, style, inner);
            if (why) add(text, why);
            else if (tag === "input" && TYPED[inputType(element)] && scrollWidth(element) > clientWidth(element) + 1) {
                const part = collapsed(partOfValue(element, style, text));
                if (part !== text) {
                    add(text, { how: "clipped", element, text: part });
                    if (part !== "") node.also = [part];
                }
            }
        }
        const hint = attribute(element, "placeholder");
        if (hint && collapsed(hint) !== "") {
            const style = element.ownerDocument.defaultView.getComputedStyle(element, "::placeholder");
            const ink = element.value === "" ? inner.why?.how ?? (+style.opacity < FAINT ? "transparent" : inkOf(element, style, inner)) : null;
            if (element.value !== "" && hint !== text) add(hint, { how: "a placeholder, in whose place stands what was typed" });
            else if (ink) add(hint, { how: ink });
        }
    }
    const name = label ? collapsed(attribute(element, "aria-label") ?? "") : "";
    if (name === "" || name !== label) return unseen;
    const drawn = isField(tag) ? nativeName(element, tag) : text;
    if (WORD.test(drawn) && lowered(drawn) !== lowered(name)) add(name, { how: "a name for screen readers; what is drawn is \"" + cutAt(drawn, 0, 80) + "\"" });
    return unseen;
};
