/** Comments and strings of a source file in TypeScript. */

import { lineAt, partsOf } from '../architecture/source.ts';

export interface SourceText {
  readonly kind: 'comment' | 'string';
  /** Counted from 1. */
  readonly line: number;
  readonly text: string;
  /** The code before a string, as far as it tells what the string is for. */
  readonly before: string;
}

const beforeLength = 260;
/** Stands for an expression within a template. */
const placeholder = 'X';

export function sourceTextsOf(source: string): readonly SourceText[] {
  const found: SourceText[] = [];
  /** Templates whose end was not reached yet, the innermost last. */
  const open: { readonly at: number; text: string }[] = [];
  const add = (kind: SourceText['kind'], at: number, text: string) => {
    const before = source.slice(Math.max(0, at - beforeLength), at);
    found.push({ kind, line: lineAt(source, at), text, before });
  };
  let lineComments: { readonly at: number; readonly lines: string[] } | undefined;
  const endLineComments = () => {
    if (lineComments !== undefined) add('comment', lineComments.at, lineComments.lines.join(' '));
    lineComments = undefined;
  };
  for (const { kind, at, text } of partsOf(source)) {
    if (kind === 'comment' && text.startsWith('//')) {
      // Adjacent line comments are one text.
      lineComments ??= { at, lines: [] };
      lineComments.lines.push(text.replace(/^\/+ ?/, ''));
      continue;
    }
    if (kind !== 'code' || text.trim() !== '') endLineComments();
    if (kind === 'comment') add('comment', at, blockCommentText(text));
    else if (kind === 'text') takeText(at, text);
  }
  endLineComments();
  return found;

  function takeText(at: number, text: string): void {
    if (/^['"]/.test(text)) add('string', at, unescaped(text.slice(1, -1)));
    else if (text.startsWith('`') || text.startsWith('}')) {
      if (text.startsWith('`')) open.push({ at, text: '' });
      const template = open.at(-1);
      if (template === undefined) return;
      const isEnd = text.length > 1 && text.endsWith('`');
      const body = text.slice(1).replace(/(`|\$\{)$/, '');
      template.text += unescaped(body) + (isEnd ? '' : placeholder);
      if (!isEnd) return;
      open.pop();
      add('string', template.at, template.text);
    }
  }
}

function blockCommentText(comment: string): string {
  return comment
    .slice(2, -2)
    .replace(/^\*+/, '')
    .replace(/^[ \t]*\*[ \t]?/gm, '');
}

function unescaped(text: string): string {
  return text.replace(/\\([\s\S])/g, (_, char: string) => (char === 'n' ? ' ' : char));
}
