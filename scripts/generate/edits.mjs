/** A text with ranges replaced; the ranges must not overlap. */
export function edited(text, edits) {
  return edits
    .toSorted((a, b) => b.from - a.from)
    .reduce((done, { from, to, text: added }) => done.slice(0, from) + added + done.slice(to), text);
}
