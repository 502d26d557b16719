/** Wraps a page for a terminal. Paragraphs and list items are broken at words, and tables, code and headings stay unchanged. */

import { wrap } from '../frame/wrap-line.ts';

/** Maximum width. Longer lines are hard to read, whatever the width of the terminal. */
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

/** The marker of a list item (`- `, `3. `) with its indentation. */
const item = /^\s*(?:[-*]|\d+\.) /;

/** Wraps a paragraph or a list item. The other lines of an item are aligned with its text. */
function wrapped(text: string, width: number): readonly string[] {
  const lead = item.exec(text)?.[0] ?? text.slice(0, text.length - text.trimStart().length);
  return wrap(text.slice(lead.length).replace(/ +/g, ' '), width, { lead });
}
