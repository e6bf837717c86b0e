// What an element is, by the words that drivers share, and what it is called: WAI-ARIA 1.2, HTML-AAM and accname 1.2 in their
// usual parts.
const ARIA = {
    __proto__: null, textbox: "textfield", searchbox: "textfield", spinbutton: "textfield", listbox: "list", grid: "table",
    treegrid: "table", tree: "list", treeitem: "listitem", gridcell: "cell", columnheader: "cell", rowheader: "cell",
    menuitemcheckbox: "menuitem", menuitemradio: "menuitem", menubar: "menu", progressbar: "progress", meter: "progress",
    scrollbar: "slider", alertdialog: "dialog", img: "image", figure: "group", presentation: "group", none: "group",
    generic: "group", region: "group", main: "group", banner: "group", contentinfo: "group", complementary: "group",
    search: "form", article: "group", radiogroup: "group", tablist: "group", tabpanel: "group", toolbar: "group",
    rowgroup: "group", paragraph: "text", button: "button", checkbox: "checkbox", switch: "switch", radio: "radio",
    combobox: "combobox", slider: "slider", heading: "heading", list: "list", listitem: "listitem", tab: "tab", link: "link",
    option: "option", row: "row", cell: "cell", table: "table", dialog: "dialog", alert: "alert", status: "status",
    menu: "menu", menuitem: "menuitem", navigation: "navigation", form: "form", tooltip: "tooltip", group: "group", text: "text",
};
const TAGS = {
    __proto__: null, button: "button", summary: "button", textarea: "textfield", option: "option", img: "image", canvas: "image",
    h1: "heading", h2: "heading", h3: "heading", h4: "heading", h5: "heading", h6: "heading", ul: "list", ol: "list",
    menu: "list", dl: "list", li: "listitem", table: "table", tr: "row", td: "cell", th: "cell", dialog: "dialog",
    progress: "progress", meter: "progress", nav: "navigation", form: "form", output: "status",
};
const INPUTS = {
    __proto__: null, button: "button", submit: "button", reset: "button", image: "button", file: "button", color: "button",
    checkbox: "checkbox", radio: "radio", range: "slider",
};
// Roles that are named by all that stands in them, and those that act when they are touched.
const NAMED_BY_CONTENT = {
    __proto__: null, button: 1, link: 1, heading: 1, tab: 1, menuitem: 1, option: 1, tooltip: 1, checkbox: 1, radio: 1, switch: 1,
};
const ACTING = {
    __proto__: null, button: 1, link: 1, tab: 1, menuitem: 1, option: 1, checkbox: 1, radio: 1, switch: 1, textfield: 1,
    combobox: 1, slider: 1,
};
const isField = (tag) => tag === "input" || tag === "select" || tag === "textarea";
const inputType = (element) => element.type || "text";

const impliedRole = (element, tag) => {
    switch (tag) {
        case "a":
        case "area":
            return attribute(element, "href") === null ? "group" : "link";
        case "input":
            return INPUTS[inputType(element)] ?? (attribute(element, "list") === null ? "textfield" : "combobox");
        case "select":
            return element.multiple || element.size > 1 ? "list" : "combobox";
        case "iframe":
        case "frame":
        case "object":
        case "embed":
            return contentOf(element) ? "group" : showsPage(element, tag) ? "webview" : tag === "embed" ? "image" : "group";
        case "svg":
            return "image";
        default:
            return TAGS[tag] ?? "group";
    }
};
const roleOf = (element, tag) => {
    const given = attribute(element, "role");
    if (given) {
        const words = partsOf(collapsed(lowered(given)), " ");
        for (let at = 0; at < words.length; at++) if (ARIA[words[at]]) return ARIA[words[at]];
    }
    const implied = impliedRole(element, tag);
    return implied === "group" && isEditingHost(element) ? "textfield" : implied;
};
const isEditingHost = (element) => {
    const given = attribute(element, "contenteditable");
    return given !== null && given !== "false" && given !== "inherit";
};
const FRAMES = { __proto__: null, iframe: 1, frame: 1, object: 1 };
// The document of a frame that may be looked into; null of what is no frame.
const contentOf = (frame) => {
    const name = localName(frame);
    if (!FRAMES[name]) return null;
    try {
        const inner = name === "iframe" ? contentDocument(frame) : name === "object" ? objectDocument(frame) : frame.contentDocument;
        return inner && rootElement(inner) ? inner : null;
    } catch {
        return null;
    }
};

// Tells whether a frame's page may be looked into and has nothing in it yet.
const isEmptyFrame = (frame) => {
    try {
        return localName(frame) === "iframe" && contentDocument(frame) !== null && contentOf(frame) === null;
    } catch {
        return false;
    }
};

// Tells whether an element shows another page, or what a plugin makes of a file, rather than what stands in it.
const showsPage = (element, tag) => {
    if (tag === "iframe" || tag === "frame") return true;
    if (tag === "object") return !!objectWindow(element);
    return tag === "embed" && !/^image\//.test(attribute(element, "type") ?? "") && !IMAGE.test(attribute(element, "src") ?? "");
};
const IMAGE = /\.(png|jpe?g|gif|svg|webp|avif|bmp|ico)([?#]|$)/i;

// What a screen reader would read out for a node, `depth` levels down at most; what is hidden counts where it is pointed at.
const spoken = (node, depth, pointedAt) => {
    if (nodeType(node) === 3) return nodeValue(node);
    if (nodeType(node) !== 1 || depth <= 0) return "";
    const tag = localName(node);
    if (tag === "script" || tag === "style" || tag === "template" || tag === "noscript") return "";
    if (!pointedAt && (attribute(node, "aria-hidden") === "true" || !isRendered(node, { visibilityProperty: true }))) return "";
    const label = attribute(node, "aria-label");
    if (label && collapsed(label)) return " " + label + " ";
    if (tag === "img" || tag === "area") return " " + (attribute(node, "alt") ?? "") + " ";
    if (tag === "svg") return " " + child(node, "title") + " ";
    if (isField(tag)) return "";
    let text = "";
    eachChild(node, (child) => {
        if (text.length <= LONGEST_TEXT) text += spoken(child, depth - 1, false);
    });
    return inlineTags[tag] ? text : " " + text + " ";
};
const inlineTags = { __proto__: null, b: 1, i: 1, em: 1, strong: 1, span: 1, a: 1, code: 1, u: 1, s: 1, sub: 1, sup: 1, small: 1, mark: 1, slot: 1,
    abbr: 1, bdi: 1, bdo: 1, cite: 1, data: 1, del: 1, dfn: 1, font: 1, ins: 1, kbd: 1, q: 1, samp: 1, time: 1, tt: 1, var: 1, wbr: 1 };
const spokenAll = (nodes) => {
    let text = "";
    for (let at = 0; at < nodes.length; at++) text += " " + spoken(nodes[at], 30, true);
    return collapsed(text);
};
const pointedAt = (element, name) => {
    const ids = attribute(element, name);
    if (!ids) return "";
    const root = rootOf(element);
    const words = partsOf(collapsed(ids), " ");
    const found = [];
    for (let at = 0; at < words.length && at < 20; at++) {
        const one = nodeType(root) === 9 ? byId(root, words[at]) : isShadow(root) ? byIdInShadow(root, words[at]) : null;
        if (one) found[found.length] = one;
    }
    return spokenAll(found);
};
const child = (element, tag) => {
    for (let node = firstChild(element); node; node = nextSibling(node)) {
        if (nodeType(node) === 1 && localName(node) === tag) return collapsed(spoken(node, 30, true));
    }
    return "";
};
// The labels of each control. An element's own list of them would be looked for in the whole page, for every element anew.
let labelled = null;
const labelsOf = (element) => {
    if (!labelled) {
        labelled = new Map();
        const roots = rootsOf();
        for (let root = 0; root < roots.length; root++) {
            const all = isShadow(roots[root]) ? allInShadow(roots[root], "label") : allIn(roots[root], "label");
            for (let at = 0; at < all.length && at < 20000; at++) {
                const control = all[at].control;
                if (!control) continue;
                if (!labelled.has(control)) labelled.set(control, []);
                const own = labelled.get(control);
                own[own.length] = all[at];
            }
        }
    }
    return labelled.get(element) ?? NONE;
};
const nativeName = (element, tag) => {
    switch (tag) {
        case "input": {
            const type = inputType(element);
            if (type === "image") return collapsed(attribute(element, "alt") ?? "");
            return spokenAll(labelsOf(element));
        }
        case "select":
        case "textarea":
        case "button":
        case "meter":
        case "progress":
        case "output":
            return spokenAll(labelsOf(element));
        case "img":
        case "area":
            return collapsed(attribute(element, "alt") ?? "");
        case "fieldset":
            return child(element, "legend");
        case "table":
            return child(element, "caption");
        default:
            return isOfDrawing(element) ? child(element, "title") : "";
    }
};
const isOfDrawing = (element) => element.namespaceURI === "http://www.w3.org/2000/svg";
// What an element is called beside what it shows; empty where nothing says it.
const labelOf = (element, tag, role, shown) => {
    const explicit = pointedAt(element, "aria-labelledby") || collapsed(attribute(element, "aria-label") ?? "");
    const named = explicit || nativeName(element, tag);
    if (named) return named;
    // What is written for screen readers alone, and pictures in a button.
    const content = !shown && NAMED_BY_CONTENT[role] && !isField(tag) ? collapsed(spoken(element, 30, true)) : "";
    return content || (shown ? "" : collapsed(attribute(element, "title") ?? ""));
};

// What a field holds, never of passwords; null for what is no field.
const valueOf = (element, tag, role) => {
    if (tag === "textarea") return element.value;
    if (tag === "select") {
        let chosen = "";
        const options = element.selectedOptions;
        for (let at = 0; at < options.length && at < 20000; at++) chosen += (at ? ", " : "") + collapsed(options[at].label);
        return role === "combobox" ? chosen : "";
    }
    if (tag === "input") {
        switch (inputType(element)) {
            case "password":
            case "checkbox":
            case "radio":
            case "image":
                return "";
            case "submit":
                return attribute(element, "value") ?? "Submit";
            case "reset":
                return attribute(element, "value") ?? "Reset";
            case "file": {
                let names = "";
                for (let at = 0; at < element.files.length && at < 20000; at++) names += (at ? ", " : "") + element.files[at].name;
                return names;
            }
            default:
                return element.value;
        }
    }
    if (tag === "progress" || tag === "meter") return attribute(element, "value") ?? "";
    if (role === "slider" || role === "progress" || (role === "textfield" && !isEditable(element))) {
        return attribute(element, "aria-valuetext") ?? attribute(element, "aria-valuenow") ?? null;
    }
    return null;
};
