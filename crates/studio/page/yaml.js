// Testcases as the editor draws them: the parts of a line, block texts, and where the steps stand.

const PART = new RegExp(
  [
    /(?<comment>(?:^|(?<=\s))#.*$)/,
    /(?<variable>\$\{[^}]*\}|\$[\p{L}_][\p{L}\p{N}_]*)/u,
    /(?<string>"(?:[^"\\]|\\.)*"?|'(?:[^']|'')*'?)(?<colon>\s*:(?=\s|$))?/,
    /(?<dash>-(?=\s|$))/,
    /(?<key>[^\s,{}[\]:#'"$&*!|>%@`-][^,{}[\]:#\n]*?)(?=\s*:(?:\s|$))/u,
    /(?<scalar>[^\s,{}[\]#'"$:]+)/,
    /(?<mark>[{}[\],:])/,
    /(?<other>\s+|.)/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);
const NUMBER = /^[-+]?(\d[\d_]*)(\.\d+)?(e[-+]?\d+)?%?$/i;
const WORD = /^(true|false|null|yes|no|on|off|~)$/;
const BLOCK = /(^|[\s:-])[|>][+-]?\d*\s*(#.*)?$/;

/** What stands around a value that is one word. */
const BEFORE = /(^\s*|[:,{[-]\s+|[[{,])$/;
const AFTER = /^\s*($|[,}\]]|\s#)/;
/** Keys of a step that are no tools. */
const OF_STEPS = new Set(["name", "save", "if", "when", "loop", "variables", "validate", "export", "skip"]);

/** The longest part of a line that is coloured. */
const MOST = 2000;

/** Returns the parts of a line: `[[class, text], …]`; `isField` says that a key here is one of a step. */
export function parts(line, isBlock, isField) {
  if (isBlock) {
    return withVariables("string", line);
  }
  const found = [];
  const head = line.slice(0, MOST);
  let follows = false;
  let isFirst = true;
  for (const { 0: text, groups, index } of head.matchAll(PART)) {
    if (groups.string !== undefined) {
      found.push(...(groups.colon ? [["key", text]] : withVariables("string", text)));
    } else {
      const isWhole = BEFORE.test(head.slice(0, index)) && AFTER.test(head.slice(index + text.length));
      found.push([kind(groups, follows || (isField && isFirst), isWhole), text]);
    }
    isFirst &&= /^\s+$/.test(text);
    follows = groups.dash !== undefined || (follows && /^\s+$/.test(text));
  }
  if (line.length > MOST) {
    found.push(["", line.slice(MOST)]);
  }
  return found;
}

function kind(groups, isTool, isWhole) {
  if (groups.scalar !== undefined) {
    return !isWhole ? "" : NUMBER.test(groups.scalar) ? "number" : WORD.test(groups.scalar) ? "word" : "";
  }
  if (groups.key !== undefined) {
    return isTool && !OF_STEPS.has(groups.key) ? "tool" : "key";
  }
  return ["comment", "variable", "dash", "mark"].find((name) => groups[name] !== undefined) ?? "";
}

function withVariables(name, text) {
  const pieces = text.split(/(\$\{[^}]*\}|\$[\p{L}_][\p{L}\p{N}_]*)/u);
  return pieces.map((piece, at) => [at % 2 ? "variable" : name, piece]).filter(([, piece]) => piece);
}

/** Returns for each line whether it belongs to a block text (`|` or `>`). */
export function blocks(lines) {
  const inside = new Array(lines.length).fill(false);
  let deeper = -1;
  for (const [at, line] of lines.entries()) {
    const indent = line.search(/\S/);
    if (deeper >= 0 && (indent < 0 || indent > deeper)) {
      inside[at] = true;
      continue;
    }
    deeper = BLOCK.test(line) && !line.trimStart().startsWith("#") ? indent : -1;
  }
  return inside;
}

/** Returns where the steps stand: `{head, indent, steps: [{line, last}]}`, lines from 0; `head` is -1 without `teststeps`. */
export function scan(lines) {
  const head = lines.findIndex((line) => /^(teststeps|steps)\s*:/.test(line));
  const found = { head, indent: "", steps: [] };
  if (head < 0) {
    return found;
  }
  for (let at = head + 1; at < lines.length; at += 1) {
    const line = lines[at];
    const indent = line.search(/\S/);
    if (indent < 0 || line[indent] === "#") {
      continue;
    }
    const begins = /^\s*-(\s|$)/.test(line);
    if (!found.steps.length && begins) {
      found.indent = line.slice(0, indent);
    }
    if (begins && indent === found.indent.length) {
      found.steps.push({ line: at, last: at });
    } else if (indent > found.indent.length && found.steps.length) {
      found.steps.at(-1).last = at;
    } else {
      break;
    }
  }
  return found;
}

/** Returns for each line whether it begins with a field of a step, below its dash. */
export function fields(lines) {
  const { indent, steps } = scan(lines);
  const found = new Array(lines.length).fill(false);
  for (const { line, last } of steps) {
    for (let at = line + 1; at <= last; at += 1) {
      found[at] = lines[at].search(/\S/) === indent.length + 2;
    }
  }
  return found;
}
