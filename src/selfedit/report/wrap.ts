const COLUMNS = 80;

/** A text in lines of at most 80 columns, further lines indented; a longer word has a line of its own. */
export function wrapText(text: string, indent = ''): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter((part) => part !== '')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= COLUMNS)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : indent + word);
  }
  return lines;
}
