/** A page for a terminal: paragraphs and items of lists are broken at words; tables, code and headings stay as they are. */

/** Wider lines are hard to read, however wide the terminal is. */
const columnsMax = 100;

export function wrappedPage(text: string, terminalColumns: number): string {
  const width = Math.min(terminalColumns, columnsMax);
  const out: string[] = [];
  let paragraph: string[] = [];
  let isCode = false;
  const flush = () => {
    if (paragraph.length > 0) out.push(...wrapped(paragraph.join(' '), width));
    paragraph = [];
  };
  for (const line of text.split('\n')) {
    const isFence = /^\s*```/.test(line);
    if (isFence || isCode || /^\s*(?:$|[|#<])/.test(line)) {
      flush();
      out.push(line);
      if (isFence) isCode = !isCode;
      continue;
    }
    if (item.test(line)) flush();
    paragraph.push(paragraph.length === 0 ? line.trimEnd() : line.trim());
  }
  flush();
  return out.join('\n');
}

/** `- `, `3. `, with what stands in front of it. */
const item = /^\s*(?:[-*]|\d+\.) /;

/** What follows the first line of an item stands below its text. A word that is too long has a line of its own. */
function wrapped(text: string, width: number): readonly string[] {
  const indent = ' '.repeat(item.exec(text)?.[0].length ?? text.length - text.trimStart().length);
  const lines: string[] = [];
  let current = '';
  for (const word of text.split(/(?<=\S) +/)) {
    const longer = current === '' ? word : `${current} ${word}`;
    if (current !== '' && Bun.stringWidth(longer) > width) {
      lines.push(current);
      current = indent + word;
    } else current = longer;
  }
  return [...lines, current];
}
