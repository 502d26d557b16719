/** The values of literals, as the lexer finds them. */

import type { Int64 } from '#value';
import { parseInt64 } from '#value';
import type { CutLiteral } from '../compile-input.ts';
import { dollarTag, tokens } from '../lex/lexer.ts';

interface ClassifiedLiteral {
  readonly literal: CutLiteral;
  /** `s`tring, `i`nteger of 32 bits, `l`ong integer, `d`ecimal. */
  readonly class: 's' | 'i' | 'l' | 'd';
}

const int4Max = 2_147_483_647;
const int8Max = 2n ** 63n - 1n;

/** Returns the literal of a token; `undefined` if the literal must stay in the text. */
export function literalOf(kind: number, text: string): ClassifiedLiteral | undefined {
  switch (kind) {
    case tokens.string:
      return string(text.slice(1, -1).replaceAll("''", "'"));
    case tokens.escapeString:
      return escapeString(text.slice(2, -1));
    case tokens.dollarString: {
      const tag = dollarTag(text, 0) as string;
      return string(text.slice(tag.length, -tag.length));
    }
    case tokens.decimal:
      return decimal(text);
    default:
      return integer(text);
  }
}

function string(text: string): ClassifiedLiteral {
  return { literal: { kind: 'string', text }, class: 's' };
}

/** A number that float64 contains only as 0 or infinity stays in the text, so that the compiler refuses it. */
function decimal(text: string): ClassifiedLiteral | undefined {
  const value = Number(text);
  const isLost = value === 0 && /[1-9]/.test(text.replace(/e.*$/i, ''));
  return Number.isFinite(value) && !isLost
    ? { literal: { kind: 'decimal', text }, class: 'd' }
    : undefined;
}

function integer(text: string): ClassifiedLiteral | undefined {
  const literal = { kind: 'integer', text } as const;
  if (text.length < 10 || Number(text) <= int4Max) return { literal, class: 'i' };
  // A minus sign makes this number one of 32 bits.
  if (Number(text) === int4Max + 1) return undefined;
  return BigInt(text) <= int8Max ? { literal, class: 'l' } : undefined;
}

const simpleEscapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Strings with numeric escapes stay in the text, because such escapes may be wrong. */
function escapeString(text: string): ClassifiedLiteral | undefined {
  if (/\\[0-7xuU]/.test(text)) return undefined;
  const value = text.replace(/\\([\s\S])|''/g, (found, escaped?: string) =>
    escaped === undefined ? found.slice(1) : (simpleEscapes[escaped] ?? escaped),
  );
  return string(value);
}

/** Returns the value of a literal for `StatementValues`. A string is converted when its type is known. */
export function literalValue({ kind, text }: CutLiteral): string | Int64 {
  if (kind === 'string') return text;
  return kind === 'decimal' ? Number(text) : (parseInt64(text) as Int64);
}
