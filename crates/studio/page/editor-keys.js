// The keys of the editor: indenting, comments, errors, completion, undo. Those of runs and saving are the whole page's.

/** Takes a key that was pressed in an editor. */
export function editorKeys(editor, event) {
  if (event.isComposing || event.keyCode === 229) {
    return;
  }
  const isTaken = editor.completion.key(event) || (event.ctrlKey || event.metaKey ? shortcut(editor, event) : plain(editor, event));
  if (isTaken) {
    event.preventDefault();
    event.stopPropagation();
  }
  leaves = event.key === "Escape" || (leaves && event.key === "Shift");
}

/** Whether the next Tab leaves the editor, since Escape came before it. */
let leaves = false;

function shortcut(editor, { key, shiftKey, altKey }) {
  if (altKey) {
    return false;
  }
  switch (key.toLowerCase()) {
    case " ":
      editor.completion.ask();
      return true;
    case "/":
      comment(editor);
      return true;
    case "z":
      editor.undo(shiftKey);
      return true;
    case "y":
      editor.undo(true);
      return true;
    default:
      return false;
  }
}

function plain(editor, { key, shiftKey, altKey }) {
  if (altKey) {
    return false;
  }
  switch (key) {
    case "Tab":
      return tab(editor, shiftKey);
    case "Enter":
      return !shiftKey && enter(editor);
    case "F1":
      editor.explanation.atCaret();
      return true;
    case "F8":
      editor.nextError(shiftKey ? -1 : 1);
      return true;
    default:
      return false;
  }
}

/** The lines that are selected, from 0. */
function selected(editor) {
  const { selectionStart, selectionEnd } = editor.input;
  const first = editor.position(selectionStart).line;
  const last = editor.position(selectionEnd);
  return { first, last: last.column === 0 && last.line > first ? last.line - 1 : last.line };
}

/** Changes the selected lines by `change`, and keeps them selected. */
function changeLines(editor, { first, last }, change) {
  const from = editor.starts[first];
  const to = editor.starts[last] + editor.rows[last].length;
  const lines = editor.rows.slice(first, last + 1);
  const changed = lines.map(change);
  const column = editor.position(editor.input.selectionEnd).column + changed.at(-1).length - lines.at(-1).length;
  const text = changed.join("\n");
  editor.replace(from, to, text, null);
  if (first === last) {
    editor.select(from + Math.max(0, Math.min(column, text.length)));
  } else {
    editor.select(from, from + text.length);
  }
}

function tab(editor, isBack) {
  if (leaves) {
    return false;
  }
  const { selectionStart, selectionEnd } = editor.input;
  const lines = selected(editor);
  if (isBack) {
    changeLines(editor, lines, (line) => line.replace(/^ {1,2}/, ""));
  } else if (lines.first === lines.last && selectionStart === selectionEnd) {
    editor.replace(selectionStart, selectionEnd, "  ");
  } else {
    changeLines(editor, lines, (line) => (line ? `  ${line}` : line));
  }
  return true;
}

/** Begins a line as deep as the one before, or deeper after a colon. */
function enter(editor) {
  const { selectionStart, selectionEnd } = editor.input;
  const { line, column } = editor.position(selectionStart);
  const head = editor.rows[line].slice(0, column);
  const indent = head.match(/^\s*/)[0];
  const isKey = /:\s*$/.test(head) && !/^\s*#/.test(head) && !/^(teststeps|steps):/.test(head);
  const deeper = isKey ? (/^\s*-\s/.test(head) ? "    " : "  ") : "";
  editor.replace(selectionStart, selectionEnd, `\n${indent}${deeper}`);
  return true;
}

/** Makes the selected lines comments, or takes that away again. */
function comment(editor) {
  const lines = selected(editor);
  const rows = editor.rows.slice(lines.first, lines.last + 1).filter((row) => row.trim());
  if (!rows.length) {
    return;
  }
  if (rows.every((row) => /^\s*#/.test(row))) {
    changeLines(editor, lines, (row) => row.replace(/^(\s*)# ?/, "$1"));
  } else {
    const depth = Math.min(...rows.map((row) => row.search(/\S/)));
    changeLines(editor, lines, (row) => (row.trim() ? `${row.slice(0, depth)}# ${row.slice(depth)}` : row));
  }
}
