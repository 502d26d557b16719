/** Paragraphs, list items, headings and table cells of a Markdown page, without code blocks. */

export interface TextBlock {
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Stops where generated text begins: its source is checked instead. */
export function blocksOf(page: string): readonly TextBlock[] {
  const blocks: TextBlock[] = [];
  let paragraph: string[] = [];
  let from = 0;
  let fence: string | undefined;
  const endParagraph = () => {
    if (paragraph.length > 0) blocks.push({ line: from + 1, text: paragraph.join(' ') });
    paragraph = [];
  };
  const lines = page.split('\n');
  for (const [i, line] of lines.entries()) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (/^<!--.*\bgenerated from\b/.test(line)) break;
    if (fence !== undefined) {
      if (mark?.startsWith(fence) === true) fence = undefined;
      continue;
    }
    if (mark !== undefined || startsBlock(line)) endParagraph();
    if (mark !== undefined) fence = mark;
    else if (/^#/.test(line))
      blocks.push({ line: i + 1, text: line.replace(/^#+\s*[\d.]*\s*/, '') });
    else if (/^\|/.test(line)) blocks.push(...cellsOf(line, i + 1));
    else if (line.trim() !== '' && !/^<!--/.test(line)) {
      if (paragraph.length === 0) from = i;
      paragraph.push(line.replace(/^\s*([-*+]|\d+\.)\s+/, ''));
    }
  }
  endParagraph();
  return blocks;
}

function startsBlock(line: string): boolean {
  return line.trim() === '' || /^\s*([-*+]|\d+\.)\s|^#|^\||^<!--/.test(line);
}

function cellsOf(row: string, line: number): readonly TextBlock[] {
  if (/^\|[\s:|-]+\|$/.test(row)) return [];
  return row
    .replace(/\\\|/g, '/')
    .replace(/`[^`]*`/g, (span) => span.replace(/\|/g, '/'))
    .split('|')
    .map((cell) => ({ line, text: cell.trim() }))
    .filter(({ text }) => text !== '');
}
