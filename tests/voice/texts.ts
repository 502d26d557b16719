/** Texts of the repository that people read, by area. */

import { blocksOf } from './page-blocks.ts';
import { sourceTextsOf } from './source-texts.ts';

export const areas = ['docs', 'help', 'comments', 'messages'] as const;
export type Area = (typeof areas)[number];

export interface AreaText {
  readonly area: Area;
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
}

/** Pages that are generated: the strings that they are generated from are help. */
const generatedPages = /^docs\/(cli|metrics|http)\.md$/;
/** Code of others, declarations, and files that are templates of projects. */
const skipped = /^src\/codegen\/typescript\/vendored\/|\.d\.ts$|^src\/cli\/templates\/files\//;
/** Files whose prose strings are help or reference: flags, exit codes, OpenAPI, metrics, JSON Schema, custom resources. */
const helpFiles =
  /^src\/(cli\/serve\/serve-flags|cli\/frame\/exit-codes|cli\/frame\/add-globals|server\/store-options|engine\/meters|executor\/trace\/trace-meter|operator\/(resource|definition)|schema\/file\/grammar|schema\/file\/json-schema|cli\/reference|cli\/project\/project-options|failure\/reasons)\.ts$|^src\/(server\/metrics|observe|wire)\/(?!check\/).*\.ts$/;
const helpCall =
  /(description|[oO]ption|[aA]rgument|addHelpText|helpGroup|\bhelp\b|Help)\s*(\(|=|:)[^;{}]*$/;

/** Files that have texts to be checked. */
export const checkedFiles = [
  'README.md',
  '*.md',
  'docs/**/*.md',
  'src/**/*.ts',
  'examples/**/*.md',
] as const;

export function areaTextsOf(path: string, content: string): readonly AreaText[] {
  if (skipped.test(path) || generatedPages.test(path)) return [];
  if (path.endsWith('.md')) return blocksOf(content).map((block) => ({ area: 'docs', ...block }));
  return sourceTextsOf(content).flatMap(({ kind, line, text, before }): AreaText[] => {
    if (kind === 'comment') return [{ area: 'comments', line, text }];
    if (!isProse(text)) return [];
    const isHelp = helpFiles.test(path) || (path.startsWith('src/cli/') && helpCall.test(before));
    return [{ area: isHelp ? 'help' : 'messages', line, text }];
  });
}

function isProse(text: string): boolean {
  if (/^[a-z-]+:|^\s*(import|export|const|def|func) /.test(text)) return false;
  return /[a-z]{2,} [a-z]{2,}/i.test(text);
}
