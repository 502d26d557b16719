/** LIKE and ILIKE. Patterns of `%` alone are `text_match`; the plan of a pattern serves all patterns with the same order of wildcards. */

import type { A_Expr, Node } from 'libpg-query';
import type { Expression, TextPart } from '#lir';
import { sqlError } from '../sql-error.ts';
import { sqlTypes } from '../types/registry.ts';
import { binary, not, shared, unknown } from './build.ts';
import { categoryOf, coerce, settled } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { type Late, lateExpression, literalOf, type ValueSource } from './late.ts';
import { builtinName } from './nodes.ts';
import { typeTextOf } from './type-text.ts';

/** A pattern: texts, `%` and `_`. */
type Part = string | { readonly wildcard: '%' | '_' };

export function likeCondition(env: Env, { kind, name, lexpr, rexpr, location }: A_Expr): Typed {
  const { compilation } = env;
  const [left, pattern, escaped] = [operand(env, lexpr as Node), ...patternOf(env, rexpr as Node)];
  const operator = builtinName(name) ?? '';
  if ([left, pattern].some((one) => isTyped(one) && categoryOf(one.type) !== 'text')) {
    const texts = `${typeTextOf(left)} ${operator} ${typeTextOf(pattern)}`;
    throw compilation.error('42883', `operator does not exist: ${texts}`, location, {
      hint: 'No operator matches the given name and argument types. You might need to add explicit type casts.',
    });
  }
  const value = coerce(compilation, settled(compilation, left), sqlTypes.text, 'implicit');
  const like = settled(compilation, pattern);
  if (value.type.format !== undefined || like.type.format !== undefined) {
    throw compilation.unsupported('LIKE of identifiers', location);
  }
  const isFolding = kind === 'AEXPR_ILIKE';
  const { source } = like;
  const expr = shared(compilation, [value], ([text]) => {
    if (source !== undefined) {
      const match: Expression = { kind: 'text_match', value: text as Expression, parts: [] };
      compilation.late.set(
        match,
        lateMatch(compilation, match.value, { source, escaping: escaped, isFolding }),
      );
      return match;
    }
    throw compilation.unsupported('LIKE of a pattern that is not constant', location);
  });
  const isNegated = operator.startsWith('!');
  const nullable = value.nullable || like.nullable;
  return { type: sqlTypes.bool, expr: isNegated ? not(expr) : expr, nullable };
}

/** Returns the operand of the pattern, and the source of the escape character. */
function patternOf(env: Env, node: Node): readonly [ReturnType<typeof operand>, ValueSource] {
  const { compilation } = env;
  const call = 'FuncCall' in node ? node.FuncCall : undefined;
  if (call === undefined || builtinName(call.funcname) !== 'like_escape') {
    return [operand(env, node), () => '\\'];
  }
  const [pattern, escaping] = call.args as [Node, Node];
  const { source } = settled(compilation, operand(env, escaping));
  if (source === undefined) {
    throw compilation.unsupported('an ESCAPE that is not constant', call.location);
  }
  return [operand(env, pattern), source];
}

interface Pattern {
  readonly source: ValueSource;
  readonly escaping: ValueSource;
  readonly isFolding: boolean;
}

function lateMatch(
  compilation: Compilation,
  tested: Expression,
  { source, escaping, isFolding }: Pattern,
): Late {
  const partsAt: (values: Parameters<ValueSource>[0]) => readonly Part[] | undefined = (values) => {
    const [pattern, escaped] = [source(values), escaping(values)];
    if (pattern === null || escaped === null) return undefined;
    return partsOf(pattern as string, escaped as string);
  };
  const textAt = (at: number) => (values: Parameters<ValueSource>[0]) =>
    (partsAt(values)?.[at] ?? null) as string | null;
  return lateExpression(
    (values) =>
      partsAt(values)
        ?.map((part) => (typeof part === 'string' ? 'L' : part.wildcard))
        .join('') ?? 'n',
    (values, places, copy) => {
      const parts = partsAt(values);
      if (parts === undefined) return unknown;
      const value = copy(tested);
      const [first = ''] = parts;
      if (parts.length === 0 || (parts.length === 1 && typeof first === 'string' && !isFolding)) {
        const literal = literalOf('text', first as string);
        places.set(literal, (later) => textAt(0)(later) ?? '');
        return binary('eq', value, { kind: 'lit', value: literal });
      }
      if (parts.some((part) => typeof part !== 'string' && part.wildcard === '_')) {
        throw compilation.unsupported('_ in a pattern of LIKE', undefined);
      }
      const made = parts.map((part, at): TextPart => {
        if (typeof part !== 'string') return { kind: 'any_many' };
        const literal = { kind: 'literal', value: part } as const;
        places.set(literal, textAt(at));
        return literal;
      });
      const comparison = isFolding ? ({ comparison: 'unicode_simple_fold' } as const) : {};
      return { kind: 'text_match', value, parts: made, ...comparison };
    },
  );
}

/** Splits a pattern at its wildcards. */
function partsOf(pattern: string, escaping: string): readonly Part[] {
  if ([...escaping].length > 1) {
    throw sqlError('22019', 'invalid escape string', {
      hint: 'Escape string must be empty or one character.',
    });
  }
  const parts: Part[] = [];
  const characters = [...pattern];
  let text = '';
  const endText = () => {
    if (text !== '') parts.push(text);
    text = '';
  };
  for (let at = 0; at < characters.length; at++) {
    const character = characters[at] as string;
    if (character === escaping) {
      const next = characters[++at];
      if (next === undefined) {
        throw sqlError('22025', 'LIKE pattern must not end with escape character');
      }
      text += next;
    } else if (character === '%' || character === '_') {
      endText();
      const last = parts.at(-1);
      const isRepeated = character === '%' && typeof last === 'object' && last.wildcard === '%';
      if (!isRepeated) parts.push({ wildcard: character });
    } else text += character;
  }
  endText();
  return parts;
}
