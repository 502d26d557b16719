/** A page for a terminal: paragraphs and items of lists are broken at words; tables, code and headings stay as they are. */

import { wrap } from '../frame/wrap-line.ts';

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

/** What follows the first line of an item stands below its text. */
function wrapped(text: string, width: number): readonly string[] {
  const lead = item.exec(text)?.[0] ?? text.slice(0, text.length - text.trimStart().length);
  return wrap(text.slice(lead.length).replace(/ +/g, ' '), width, { lead });
}
