/** What is wrong with a schema file, or questionable, and how that is shown. */

import { charactersIn, type Source, type Spot } from './source.ts';

export interface Diagnostic {
  readonly severity: 'error' | 'warning';
  readonly message: string;
  /** What to do about it, as a sentence without a capital; often a guess at what was meant. */
  readonly hint?: string;
  readonly line: number;
  readonly column: number;
  readonly spot: Spot;
}

/** `file:line:column: message; hint`, in one line. */
export function diagnosticLine(source: Source, diagnostic: Diagnostic): string {
  const { line, column, message, hint } = diagnostic;
  return `${source.name}:${line}:${column}: ${message}${hint === undefined ? '' : `; ${hint}`}`;
}

/** The line of the diagnostic, and below it the line of the file with a caret under each character that is meant. */
export function diagnosticExcerpt(source: Source, diagnostic: Diagnostic): string {
  const number = String(diagnostic.line);
  const gutter = ' '.repeat(number.length);
  const { shown, before, marked } = excerpt(source, diagnostic);
  return [
    diagnosticLine(source, diagnostic),
    `${number} | ${shown}`,
    `${gutter} | ${before}${'^'.repeat(Math.max(1, marked))}`,
  ].join('\n');
}

/** A long line is cut around the place, so that it fits a screen. */
const widthMax = 160;
const contextBefore = 60;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal must not get them
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

function excerpt(source: Source, { line, spot }: Diagnostic) {
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
    // Tabs stay, so that the caret stands where the terminal puts the character.
    before: lead.replace('…', ' ') + text.slice(cutFrom, start).replace(/[^\t]/gu, ' '),
    marked: charactersIn(marks),
  };
}
