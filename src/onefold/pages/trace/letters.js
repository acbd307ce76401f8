// How wide texts are, as the browser sets them, and how much of one finds room.

const NORMAL = 11.5, SMALL = 10; // sizes of the picture's texts; trace.css has the same
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function widthOf(text, size = NORMAL, weight = 400) {
  const known = `${weight} ${size} ${text}`;
  if (!widths.has(known)) {
    if (widths.size > 20000) widths.clear();
    pen.font = `${weight} ${size}px ${getComputedStyle(document.documentElement).fontFamily}`;
    widths.set(known, pen.measureText(text).width);
  }
  return widths.get(known);
}

// As much of a text as finds room, with three dots where it was cut; nothing if that tells nothing.
function shortened(text, room, size = NORMAL, weight = 400) {
  if (widthOf(text, size, weight) <= room) return text;
  const letters = [...text];
  let low = 0, high = letters.length - 1;
  const cut = (many) => `${letters.slice(0, many).join("")}…`;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(cut(middle), size, weight) <= room) low = middle; else high = middle - 1;
  }
  return low < 5 ? "" : cut(low);
}

// The first text that finds room whole, or as much of the last one as does.
function fitting(texts, room, size) {
  return texts.find((text) => widthOf(text, size) <= room) ?? shortened(texts.at(-1), room, size);
}
