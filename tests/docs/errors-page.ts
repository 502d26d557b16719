/** The generated part of docs/errors.md: the registry of reasons in tables, so that the page cannot differ from the server. */

import { join } from 'node:path';
import { type Code, type Reason, reasons, titles } from '#failure';
import { docsDirectory } from './blocks.ts';
import { meanings } from './reason-meanings.ts';

export const errorsPath = join(docsDirectory, 'errors.md');

const marker = /^<!-- From here on generated.* -->$/m;

/** `page` with its generated part made anew. */
export function renderErrors(page: string): string {
  const found = marker.exec(page);
  if (found === null) throw new Error('docs/errors.md has no line where the generated part starts');
  const sections = Object.keys(titles).map((code) => sectionOf(code as Code));
  const written = page.slice(0, found.index + found[0].length);
  return `${[written, ...sections].join('\n\n')}\n`;
}

function sectionOf(code: Code): string {
  const rows = Object.entries(reasons).filter(([, row]) => row.code === code);
  const lines = rows.map(([reason, { status, stage, retryable }]) => {
    const again = retryable ? 'yes' : 'no';
    return `| \`${reason}\` | ${status} | ${stage} | ${again} | ${meanings[reason as Reason]} |`;
  });
  return [
    `### ${code}: ${titles[code]}`,
    '',
    '| reason | status | stage | again | meaning |',
    '|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}
