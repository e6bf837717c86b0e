// Closed shadow roots, which no script finds → the elements that may have one, for whoever can ask the browser itself.
//
// A custom element may, and an empty one of those that take a shadow root, where there is something to see.
const HOSTS = {
    __proto__: null, article: 1, aside: 1, blockquote: 1, div: 1, footer: 1, h1: 1, h2: 1, h3: 1, h4: 1, h5: 1, h6: 1, header: 1, main: 1, nav: 1, p: 1,
    section: 1, span: 1,
};
const MOST_HOSTS = 200;
const LEAST_HOST = 8;
const mayHideRoot = (element, tag, place, hasBox) => {
    if (memory.asked.has(element)) return false;
    if (contains(tag, "-")) return hasBox;
    return HOSTS[tag] === 1 && place.right - place.left >= LEAST_HOST && place.bottom - place.top >= LEAST_HOST && firstChild(element) === null;
};
// Gives the elements to ask about, once.
const hosts = () => {
    const all = memory.hosts;
    memory.hosts = [];
    for (let at = 0; at < all.length; at++) memory.asked.add(all[at]);
    return all;
};
const MOST_OWN = 100;
// Of a kind of which the browser told of two that there is nothing to tell, no more are asked about.
const MOST_ALIKE = 2;
// Elements by their numbers, and of how many of each kind the browser tells nothing that is not known anyway.
const elementsOf = (numbers) => {
    const found = [];
    for (let at = 0; at < numbers.length; at++) {
        const element = elementOf(numbers[at]);
        // Whoever asks takes one answer for each.
        if (!element) return NONE;
        found[found.length] = element;
    }
    return found;
};
const plain = (numbers) => {
    const all = elementsOf(numbers);
    for (let at = 0; at < all.length; at++) memory.plain.set(localName(all[at]), (memory.plain.get(localName(all[at])) ?? 0) + 1);
};
const closedRoot = (host, root) => {
    memory.hasClosed = true;
    memory.closed.set(host, root);
};
