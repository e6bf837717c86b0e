// What is drawn over a device's picture: outlines with names, numbered matches, the hand's path, a rectangle.

import { short } from "./dom.js";
import { studio } from "./studio.js";

/** Draws everything anew; `factor` is how large a pixel of the screen is on the canvas. */
export function drawMarks(context, factor, drawn) {
  const { canvas } = context;
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(name).trim();
  const unit = devicePixelRatio;
  context.clearRect(0, 0, canvas.width, canvas.height);
  context.font = `${12 * unit}px system-ui, "Noto Sans CJK SC", sans-serif`;
  context.textBaseline = "middle";
  const pen = { context, factor, unit };
  for (const [at, match] of studio.matches.entries()) {
    outline(pen, match.rect, colour("--mark-match"), String(at + 1));
  }
  const kept = studio.element(studio.pinned);
  if (kept) {
    outline(pen, kept.rect, colour("--mark-kept"), named(kept));
  }
  const hovered = studio.hovered === studio.pinned ? undefined : studio.element(studio.hovered);
  if (hovered) {
    outline(pen, hovered.rect, colour("--mark-hover"), named(hovered));
  }
  if (drawn.rect) {
    outline(pen, drawn.rect, colour("--mark-kept"), `${drawn.rect[2] - drawn.rect[0]} × ${drawn.rect[3] - drawn.rect[1]}`);
  }
  if (drawn.path) {
    trail(pen, drawn.path, colour("--mark-kept"));
  }
}

function named(element) {
  const name = element.name || element.text || element.label || element.hint || element.id || "";
  return name ? `${element.role} ${short(name, 48)}` : element.role;
}

function outline({ context, factor, unit }, rect, colour, label) {
  const [left, top, right, bottom] = rect.map((value) => Math.round(value * factor));
  context.fillStyle = colour;
  context.globalAlpha = 0.14;
  context.fillRect(left, top, right - left, bottom - top);
  context.globalAlpha = 1;
  context.strokeStyle = colour;
  context.lineWidth = 2 * unit;
  context.strokeRect(left + unit, top + unit, Math.max(right - left - 2 * unit, 1), Math.max(bottom - top - 2 * unit, 1));
  tag({ context, unit }, label, left, top, bottom, colour);
}

/** Writes a label above a rectangle, or inside it where there is no room. */
function tag({ context, unit }, label, left, top, bottom, colour) {
  const { canvas } = context;
  const height = 18 * unit;
  const width = Math.min(context.measureText(label).width + 10 * unit, canvas.width);
  const x = Math.max(0, Math.min(left, canvas.width - width));
  const y = top >= height ? top - height : Math.min(bottom, canvas.height - height);
  context.fillStyle = colour;
  context.fillRect(x, y, width, height);
  context.fillStyle = "#ffffff";
  context.fillText(label, x + 5 * unit, y + height / 2 + unit, width - 10 * unit);
}

function trail({ context, factor, unit }, path, colour) {
  context.strokeStyle = colour;
  context.lineWidth = 4 * unit;
  context.lineCap = "round";
  context.lineJoin = "round";
  context.globalAlpha = 0.7;
  context.beginPath();
  path.forEach(([x, y], at) => (at ? context.lineTo(x * factor, y * factor) : context.moveTo(x * factor, y * factor)));
  context.stroke();
  context.globalAlpha = 1;
}
