// Keeps what a person does with the mouse and the keys from a document, and tells it as acts of the studio are written. Input of uixt's own comes while
// the gate is open. What browsers show beside their pages (lists, choosers, calendars) works by itself, and what was chosen there is told.
(() => {
    if (globalThis.uixtHands) return;
    globalThis.uixtHands = true;
    const STILL = 6, DOUBLE_MS = 220, HELD_MS = 500, SETTLED_MS = 800, MOST_POINTS = 120;
    // What is clicked twice there are two clicks; elsewhere a double click is waited for.
    const PRESSED = "a[href], button, input, select, textarea, label, option, summary, [contenteditable], [role=button], [role=link], [role=checkbox], "
        + "[role=radio], [role=switch], [role=tab], [role=menuitem], [role=option], [role=textbox], [role=combobox], [role=slider]";
    const CHOSEN = "select:not([multiple]):not([size]), select[size='1']:not([multiple]), input:is([type=file], [type=date], [type=time], "
        + "[type=datetime-local], [type=month], [type=week], [type=color], [type=range])";
    const ALONE = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);
    // Keys of the browser: what they do to the page is told by itself, or is no step.
    const BROWSERS = /^(F5|F11|F12|(Control|Meta)\+(Shift\+)?[cvlrfpgtnwjid0+=-]|(Control|Meta)\+(Shift\+)?(Tab|F5|PageUp|PageDown)|Alt\+(Arrow(Left|Right)|[def]|F4))$/;
    const MODIFIERS = [["ctrlKey", "Control"], ["altKey", "Alt"], ["shiftKey", "Shift"], ["metaKey", "Meta"]];

    const tell = (deed) => globalThis.uixtTells(JSON.stringify({ ...deed, width: innerWidth }));
    const keep = (event) => {
        event.preventDefault();
        event.stopImmediatePropagation();
    };
    // Input of uixt's own is of one kind at a time: a person who types meanwhile is heard.
    const hear = (kind, types, act) => {
        const heard = (event) => event.isTrusted && !(kind.test(globalThis.uixtGate ?? "")) && act(event);
        types.split(" ").forEach((type) => addEventListener(type, heard, { capture: true, passive: false }));
    };
    const met = (event) => event.composedPath()[0];
    const within = (event, selector) => event.composedPath().find((one) => one instanceof Element && one.matches(selector));
    const at = ({ clientX, clientY }) => [clientX, clientY];
    const chooserOf = (event) => {
        const control = within(event, CHOSEN) ?? within(event, "label")?.control;
        return control?.matches(CHOSEN) && !control.disabled ? control : null;
    };
    const isOnScrollbar = (event) => {
        const box = met(event);
        if (!(box instanceof Element)) return false;
        if (box === document.documentElement) return event.clientX >= box.clientWidth || event.clientY >= box.clientHeight;
        if (box.scrollHeight <= box.clientHeight && box.scrollWidth <= box.clientWidth) return false;
        const { left, top } = box.getBoundingClientRect();
        const [x, y] = [event.clientX - left - box.clientLeft, event.clientY - top - box.clientTop];
        return box.clientWidth > 0 && (x >= box.clientWidth || y >= box.clientHeight);
    };

    let isBrowsers = false;
    let press = null;
    let late = null;
    let last = [0, 0];
    // Of a field for files that nobody sees, what was touched last has opened the chooser.
    const placeOf = (element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 ? [box.x + box.width / 2, box.y + box.height / 2] : last;
    };
    // What controls of the browser held before they were changed, so that the page hears of the change by us alone; and the one that a person is
    // at, whose value may change again.
    const before = new WeakMap();
    let open = null;
    const settle = () => {
        if (!open) return;
        const { control, timer } = open;
        clearTimeout(timer);
        open = null;
        const [{ value }, old] = [control, before.get(control) ?? control.defaultValue];
        before.set(control, value);
        if (value === "" || value === old) return;
        control.value = old;
        tell({ value, at: placeOf(control) });
    };
    const stay = (control) => {
        clearTimeout(open?.timer);
        open = { control, timer: setTimeout(settle, SETTLED_MS) };
    };
    const note = (control) => {
        if (open?.control === control) stay(control);
        else before.set(control, control.localName === "select" ? control.selectedIndex : control.value);
    };
    const flush = () => {
        settle();
        if (!late) return;
        clearTimeout(late.timer);
        const { tap } = late;
        late = null;
        tell({ tap });
    };
    const tap = (event) => {
        const place = at(event);
        if (late && Math.hypot(late.tap[0] - place[0], late.tap[1] - place[1]) < STILL) {
            clearTimeout(late.timer);
            late = null;
            tell({ double_tap: place });
            return;
        }
        flush();
        if (within(event, PRESSED)) tell({ tap: place });
        else late = { tap: place, timer: setTimeout(flush, DOUBLE_MS) };
    };
    hear(/mouse/, "pointerdown", (event) => {
        const chooser = chooserOf(event);
        isBrowsers = Boolean(chooser) || isOnScrollbar(event);
        if (chooser) note(chooser);
        last = at(event);
        if (isBrowsers) return flush();
        keep(event);
        if (event.button === 0) press = { began: event.timeStamp, path: [[...at(event), 0]], isStill: true };
    });
    hear(/mouse/, "pointermove", (event) => {
        if (!press) return;
        keep(event);
        press.path.push([...at(event), Math.round(event.timeStamp - press.began)]);
        press.isStill &&= Math.hypot(event.clientX - press.path[0][0], event.clientY - press.path[0][1]) < STILL;
    });
    hear(/mouse/, "pointerup", (event) => {
        if (isBrowsers) return;
        keep(event);
        if (!press || event.button !== 0) return;
        const { began, path, isStill } = press;
        press = null;
        const ms = Math.round(event.timeStamp - began);
        if (isStill && ms < HELD_MS) return tap(event);
        flush();
        if (isStill) return tell({ long_press: at(event), ms });
        const step = Math.ceil(path.length / MOST_POINTS);
        tell({ path: [...path.filter((_, index) => index % step === 0), [...at(event), ms]] });
    });
    hear(/mouse/, "mousedown mouseup click dblclick auxclick dragstart", (event) => isBrowsers || keep(event));
    hear(/mouse/, "mousemove", (event) => press && keep(event));
    hear(/mouse/, "pointercancel", () => {
        press = null;
    });
    addEventListener("contextmenu", (event) => event.preventDefault(), { capture: true });
    hear(/mouse/, "contextmenu", (event) => {
        keep(event);
        flush();
        if (event.button === 2) tell({ right_click: at(event) });
    });

    const down = new Set();
    hear(/keys/, "keydown", (event) => {
        if (event.isComposing || event.keyCode === 229 || ALONE.has(event.key)) return;
        const isCharacter = [...event.key].length === 1;
        const isShort = event.ctrlKey || event.metaKey || (event.altKey && !event.getModifierState("AltGraph"));
        const held = MODIFIERS.filter(([flag, name]) => event[flag] && !(isCharacter && !isShort && name === "Shift")).map(([, name]) => name);
        const key = [...held, isCharacter && isShort ? event.key.toLowerCase() : event.key].join("+");
        const chooser = within(event, CHOSEN);
        if (chooser && !/Tab$/.test(key)) return note(chooser);
        if (BROWSERS.test(key)) return;
        keep(event);
        down.add(event.code);
        flush();
        tell(isCharacter && !isShort ? { type: key } : { key });
    });
    hear(/keys/, "keyup", (event) => down.delete(event.code) && keep(event));
    hear(/keys/, "paste", (event) => {
        keep(event);
        const text = event.clipboardData.getData("text/plain");
        if (text) tell({ type: text });
    });
    // What comes by no key of its own: dead keys, lists of emojis.
    hear(/./, "beforeinput", (event) => {
        if (event.isComposing) return event.stopImmediatePropagation();
        if (event.inputType !== "insertText" || !event.data || !event.cancelable || within(event, CHOSEN)) return;
        keep(event);
        tell({ type: event.data });
    });
    // What an input method composes is taken back and typed.
    let isComposing = false;
    hear(/./, "compositionstart compositionupdate", (event) => {
        event.stopImmediatePropagation();
        isComposing = true;
    });
    // Chromium trusts the last of these events not always.
    addEventListener("compositionend", (event) => {
        if (!isComposing) return;
        isComposing = false;
        event.stopImmediatePropagation();
        const [field, { data }] = [met(event), event];
        if (!data) return;
        setTimeout(() => {
            if (Number.isInteger(field.selectionEnd)) {
                field.setRangeText("", field.selectionEnd - data.length, field.selectionEnd, "end");
            } else {
                for (const _ of data) getSelection().modify("extend", "backward", "character");
                getSelection().deleteFromDocument();
            }
            tell({ type: data });
        });
    }, { capture: true });
    hear(/./, "input", (event) => (event.isComposing || within(event, CHOSEN)) && event.stopImmediatePropagation());
    hear(/./, "change", (event) => {
        const control = within(event, CHOSEN);
        if (!control) return;
        event.stopImmediatePropagation();
        if (control.type === "file") {
            globalThis.uixtFiles = [...control.files];
            const files = globalThis.uixtFiles.map((file) => file.name);
            control.value = "";
            if (files.length > 0) tell({ files, at: placeOf(control) });
        } else if (control.localName === "select") {
            const option = control.selectedOptions[0]?.label ?? "";
            control.selectedIndex = before.get(control) ?? control.selectedIndex;
            before.set(control, control.selectedIndex);
            tell({ option, at: placeOf(control) });
        } else {
            if (open?.control !== control) settle();
            stay(control);
        }
    });
    hear(/./, "focusout", settle);
})();
