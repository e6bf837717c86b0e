// Variables that a recording needs → where they come into `config` of the testcase.

/** Returns what must be put into the lines so that a variable is read from the environment: `{line, column, text}`, or null where it is there. */
export function variable(rows, name, environment) {
  const entry = `${name}: "\${ENV(${environment})}"`;
  const head = rows.findIndex((row) => /^config\s*:/.test(row));
  if (head < 0) {
    const steps = rows.findIndex((row) => /^(teststeps|steps)\s*:/.test(row));
    return { line: Math.max(steps, 0), column: 0, text: `config:\n  variables: {${entry}}\n` };
  }
  const end = endOf(rows, head, 0);
  const isKnown = rows.slice(head, end).some((row) => new RegExp(`(^|[\\s{,])["']?${name.replace(/\W/g, "\\$&")}["']?\\s*:`).test(row));
  if (isKnown) {
    return null;
  }
  if (/\{.*\}/.test(rows[head])) {
    const inner = rows[head].match(/[{,]\s*variables\s*:\s*\{/);
    return inner ? inFlow(rows, head, closing(rows[head], inner.index + inner[0].length), entry) : inFlow(rows, head, rows[head].lastIndexOf("}"), `variables: {${entry}}`);
  }
  const at = rows.findIndex((row, line) => line > head && line < end && /^\s+variables\s*:/.test(row));
  if (at < 0) {
    const indent = rows[head + 1]?.match(/^(\s+)\S/)?.[1] ?? "  ";
    const last = rows.findLastIndex((row, line) => line < end && row.trim() && !row.trim().startsWith("#"));
    return { line: last + 1, column: 0, text: `${indent}variables: {${entry}}\n` };
  }
  if (/\{.*\}/.test(rows[at])) {
    return inFlow(rows, at, rows[at].lastIndexOf("}"), entry);
  }
  const depth = rows[at].search(/\S/);
  const indent = rows[at + 1]?.match(/^(\s+)\S/)?.[1] ?? "";
  return { line: at + 1, column: 0, text: `${indent.length > depth ? indent : " ".repeat(depth + 2)}${entry}\n` };
}

/** The line behind the block that a line begins. */
function endOf(rows, head, depth) {
  const next = rows.findIndex((row, line) => line > head && row.trim() && !row.trim().startsWith("#") && row.search(/\S/) <= depth);
  return next < 0 ? rows.length : next;
}

/** The place of the brace that closes the one before a place of a line; braces in quotes are none. */
function closing(row, from) {
  let depth = 1;
  let quote = "";
  for (let at = from; at < row.length; at += 1) {
    const sign = row[at];
    if (quote) {
      quote = sign === quote && row[at - 1] !== "\\" ? "" : quote;
    } else if (sign === '"' || sign === "'") {
      quote = sign;
    } else if (sign === "{" || sign === "}") {
      depth += sign === "{" ? 1 : -1;
      if (!depth) {
        return at;
      }
    }
  }
  return row.length;
}

function inFlow(rows, line, column, entry) {
  const isEmpty = /\{\s*$/.test(rows[line].slice(0, column));
  return { line, column, text: isEmpty ? entry : `, ${entry}` };
}
