/** Errors and warnings of a schema file, and their text form. */

import { charactersIn, type SchemaSource, type Spot } from './source.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** The remedy, as a sentence without a capital letter; often a suggestion of the intended name. */
  readonly hint?: string;
  readonly line: number;
  readonly column: number;
  readonly spot: Spot;
}

/** Returns `file:line:column: message; hint` on one line. */
export function diagnosticLine(source: SchemaSource, diagnostic: Diagnostic): string {
  const { line, column, message, hint } = diagnostic;
  return `${source.name}:${line}:${column}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
}

/** Returns the line of the diagnostic, followed by the line of the file with carets under the marked characters. */
export function diagnosticExcerpt(source: SchemaSource, diagnostic: Diagnostic): string {
  const number = String(diagnostic.line);
  const gutter = ' '.repeat(number.length);
  const { shown, before, marked } = excerpt(source, diagnostic);
  return [
    diagnosticLine(source, diagnostic),
    `${number} | ${shown}`,
    `${gutter} | ${before}${'^'.repeat(Math.max(1, marked))}`,
  ].join('\n');
}

/** Maximum width of an excerpt; a longer line is cut around the position. */
const widthMax = 160;
const contextBefore = 60;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not get them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

function excerpt(source: SchemaSource, { line, spot }: Diagnostic) {
  const text = source.lineText(line).replace(control, '\ufffd');
  const start = Math.min(spot.from - source.lineStart(line), text.length);
  const end = Math.min(Math.max(spot.to - source.lineStart(line), start + 1), text.length);
  const cutFrom = text.length > widthMax ? Math.max(0, start - contextBefore) : 0;
  const window = text.slice(cutFrom, cutFrom + widthMax);
  const lead = cutFrom > 0 ? '…' : '';
  const tail = cutFrom + widthMax < text.length ? '…' : '';
  const marks = text.slice(start, Math.min(end, cutFrom + widthMax));
  return {
    shown: lead + window + tail,
    // Tabs are preserved, so that the caret is below the character in a terminal.
    before: lead.replace('…', ' ') + text.slice(cutFrom, start).replace(/[^\t]/gu, ' '),
    marked: charactersIn(marks),
  };
}
