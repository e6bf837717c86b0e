// The built-ins as the script uses them: taken from the prototypes, so that a form whose field is called "children" or a page
// that put its own functions on elements does not get in the way. Arrays are filled and read by index for the same reason.
const apply = Reflect.apply;
const NONE = [];
const getter = (prototype, name) => {
    const get = Object.getOwnPropertyDescriptor(prototype, name)?.get;
    return get ? (of) => apply(get, of, NONE) : (of) => of[name];
};
const method = (prototype, name) => {
    const called = prototype[name];
    return (of, ...given) => apply(called, of, given);
};
const nodeType = getter(Node.prototype, "nodeType");
const nodeValue = getter(Node.prototype, "nodeValue");
const firstChild = getter(Node.prototype, "firstChild");
const firstElement = getter(Element.prototype, "firstElementChild");
const nextElement = getter(Element.prototype, "nextElementSibling");
const nextSibling = getter(Node.prototype, "nextSibling");
const parentNode = getter(Node.prototype, "parentNode");
const isConnected = getter(Node.prototype, "isConnected");
const rootOf = method(Node.prototype, "getRootNode");
const localName = getter(Element.prototype, "localName");
const openShadow = getter(Element.prototype, "shadowRoot");
// A closed shadow root is known where the browser's own protocol has told of it (closed.js).
const shadowRoot = (element) => openShadow(element) ?? (memory.hasClosed ? memory.closed.get(element) ?? null : null);
const attribute = method(Element.prototype, "getAttribute");
const matches = method(Element.prototype, "matches");
const closest = method(Element.prototype, "closest");
const boundingRect = method(Element.prototype, "getBoundingClientRect");
const clientRects = method(Element.prototype, "getClientRects");
const scrollWidth = getter(Element.prototype, "scrollWidth");
const scrollLeft = getter(Element.prototype, "scrollLeft");
const scrollTop = getter(Element.prototype, "scrollTop");
const scrollHeight = getter(Element.prototype, "scrollHeight");
const clientWidth = getter(Element.prototype, "clientWidth");
const clientHeight = getter(Element.prototype, "clientHeight");
const offsetWidth = getter(HTMLElement.prototype, "offsetWidth");
const offsetHeight = getter(HTMLElement.prototype, "offsetHeight");
const assignedSlot = getter(Element.prototype, "assignedSlot");
const clientLeft = getter(Element.prototype, "clientLeft");
const clientTop = getter(Element.prototype, "clientTop");
const tabIndex = getter(HTMLElement.prototype, "tabIndex");
const onclickOf = getter(HTMLElement.prototype, "onclick");
const focusNow = method(HTMLElement.prototype, "focus");
const setValue = (field, value) => apply(Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set, field, [value]);
const textContent = getter(Node.prototype, "textContent");
const selectText = (field) => apply((localName(field) === "input" ? HTMLInputElement : HTMLTextAreaElement).prototype.select, field, NONE);
const isEditable = getter(HTMLElement.prototype, "isContentEditable");
const assignedNodes = method(HTMLSlotElement.prototype, "assignedNodes");
const contentDocument = getter(HTMLIFrameElement.prototype, "contentDocument");
const objectDocument = getter(HTMLObjectElement.prototype, "contentDocument");
const objectWindow = getter(HTMLObjectElement.prototype, "contentWindow");
const rangeIn = method(Document.prototype, "createRange");
const putAround = method(Range.prototype, "selectNodeContents");
const setStart = method(Range.prototype, "setStart");
const setEnd = method(Range.prototype, "setEnd");
const rangeRects = method(Range.prototype, "getClientRects");
const rootElement = getter(Document.prototype, "documentElement");
const activeElement = getter(Document.prototype, "activeElement");
const documentAt = method(Document.prototype, "elementFromPoint");
const shadowAt = method(ShadowRoot.prototype, "elementFromPoint");
const documentAllAt = method(Document.prototype, "elementsFromPoint");
const shadowAllAt = method(ShadowRoot.prototype, "elementsFromPoint");
const allIn = method(Document.prototype, "querySelectorAll");
const allInShadow = method(DocumentFragment.prototype, "querySelectorAll");
const allOf = method(Element.prototype, "querySelectorAll");
const byXPath = method(Document.prototype, "evaluate");
const byId = method(Document.prototype, "getElementById");
const byIdInShadow = method(DocumentFragment.prototype, "getElementById");
const isRendered = Element.prototype.checkVisibility ? method(Element.prototype, "checkVisibility") : () => true;
const replaced = method(String.prototype, "replace");
const cutAt = method(String.prototype, "slice");
const lowered = method(String.prototype, "toLowerCase");
const uppered = method(String.prototype, "toUpperCase");
const partsOf = method(String.prototype, "split");
const contains = method(String.prototype, "includes");
const stringify = JSON.stringify;

const isShadow = (node) => nodeType(node) === 11;
// The longest name or address, in UTF-16 units, and the longest text, which is an error where it is longer.
const LONGEST = 2000;
const LONGEST_TEXT = 4000000;
const collapsed = (text) => {
    const one = replaced(replaced(text, /[\ue000-\uf8ff\u00ad]+/g, ""), /[\s\u00a0]+/g, " ");
    const from = one[0] === " " ? 1 : 0;
    const to = one[one.length - 1] === " " ? one.length - 1 : one.length;
    return from < to ? cutAt(one, from, to) : "";
};
const clipped = (text) => {
    if (text.length <= LONGEST) return text;
    const last = text.charCodeAt(LONGEST - 1);
    return cutAt(text, 0, last >= 0xd800 && last < 0xdc00 ? LONGEST - 1 : LONGEST) + "…";
};
const escapes = (sign) => "\\u" + cutAt("000" + sign.charCodeAt(0).toString(16), -4);
const isSound = (() => {
    try {
        return stringify("\"\n\u2028<") === "\"\\\"\\n\u2028<\"";
    } catch {
        return false;
    }
})();
// A text in JSON; by hand where the page has its own JSON.
const quote = (text) => {
    const whole = replaced("" + text, /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");
    return isSound ? stringify(whole) : "\"" + replaced(whole, /["\\\u0000-\u001f\u2028\u2029]/g, escapes) + "\"";
};

// The children as they are rendered: a shadow root's in place of its host's own, and what a slot was given in the slot's place.
const eachChild = (element, visit) => {
    const given = localName(element) === "slot" && isShadow(rootOf(element)) ? assignedNodes(element) : NONE;
    if (given.length > 0) {
        for (let at = 0; at < given.length; at++) visit(given[at]);
        return;
    }
    for (let node = firstChild(shadowRoot(element) ?? element); node; node = nextSibling(node)) visit(node);
};
// What an element stands in, out of shadow roots and frames.
const above = (node) => {
    const parent = parentNode(node);
    if (!parent) return null;
    if (nodeType(parent) === 11) return parent.host ?? null;
    if (nodeType(parent) === 9) {
        try {
            return parent.defaultView?.frameElement ?? null;
        } catch {
            return null;
        }
    }
    return parent;
};
const holds = (outer, inner) => {
    for (let node = inner; node; node = above(node)) if (node === outer) return true;
    return false;
};
