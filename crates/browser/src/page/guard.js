// Watches the next touch, which is meant for an element as the last look saw it. What comes in the element's place between that look
// and the touch hears nothing of it.
const TOUCHES = [
    "pointerdown", "mousedown", "touchstart", "pointerup", "mouseup", "touchend", "click", "auxclick", "dblclick", "contextmenu",
];
const WATCHED_MS = 15000;
const listen = method(EventTarget.prototype, "addEventListener");
const unlisten = method(EventTarget.prototype, "removeEventListener");
// What an event met; it tells no more of a closed shadow root than its host.
const metBy = (event) => {
    let found = event.composedPath()[0];
    const { clientX, clientY } = event.changedTouches?.[0] ?? event;
    for (let root = memory.closed.get(found); root;) {
        const inner = shadowAt(root, clientX, clientY);
        if (!inner || inner === found) break;
        found = inner;
        root = shadowRoot(inner);
    }
    return found;
};
const guard = (element) => {
    const seen = memory.looked;
    const node = seen?.nodes.get(element);
    memory.took?.();
    if (!node) return false;
    const until = performance.now() + WATCHED_MS;
    const place = boundingRect(element);
    let taken = null;
    // What the mouse met as it came, before anything changed for it.
    let came = null;
    const come = (event) => {
        if (event.isTrusted && taken === null) came = metBy(event);
    };
    // Whether the element was there and has gone from under the touch, which what it stands in got: what changes for the mouse that comes
    // over it may do so before the button is down.
    const hasGone = ({ clientX, clientY }, found) => {
        if (holds(element, found) || !holds(found, element)) return false;
        const isIn = ({ left, top, right, bottom }) => clientX >= left && clientX < right && clientY >= top && clientY < bottom;
        return (came !== null && holds(element, came)) || (isIn(place) && !isIn(boundingRect(element)));
    };
    const hear = (event) => {
        if (!event.isTrusted || (taken === null && performance.now() > until)) return;
        if (taken === null) {
            const found = metBy(event);
            // Where the look went round what takes touches in the element, so does the touch.
            const isMeant = nodeType(found) !== 1
                || (!hasGone(event, found) && isReached(node, found, seen) && !(node.free && takerIn(node, found, seen)));
            taken = isMeant ? "" : described(found, seen);
        }
        if (taken === "") return;
        event.preventDefault();
        event.stopImmediatePropagation();
    };
    const views = [];
    // Frames of other sites around this one do not hear of it.
    for (let view = element.ownerDocument.defaultView; view; view = view === window ? null : view.parent) views[views.length] = view;
    const each = (act) => {
        for (let view = 0; view < views.length; view++) {
            for (let at = 0; at < TOUCHES.length; at++) act(views[view], TOUCHES[at], hear, { capture: true, passive: false });
            act(views[view], "pointermove", come, { capture: true, passive: true });
        }
    };
    each(listen);
    // Ends the watch, and tells what took the touch instead; empty where nothing did.
    memory.took = () => {
        memory.took = null;
        each(unlisten);
        return taken ?? "";
    };
    return true;
};
