/** LIKE and ILIKE. A constant pattern of `%` alone is `text_match`; its plan serves all patterns with the same order of wildcards. */

import type { A_Expr, Node } from 'libpg-query';
import type { Expression, TextPart } from '#lir';
import type { StatementValues } from '../compiled.ts';
import { sqlError } from '../sql-error.ts';
import { sqlTypes } from '../types/registry.ts';
import { binary, canBeNull, not, shared, unknown } from './build.ts';
import { call } from './calls.ts';
import { categoryOf, coerce, settled } from './coerce.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { type Late, lateExpression, literalOf, type ValueSource } from './late.ts';
import { builtinName } from './nodes.ts';
import { typeTextOf } from './type-text.ts';

/** A pattern: texts, `%` and `_`. */
type Part = string | { readonly wildcard: '%' | '_' };

export function likeCondition(env: Env, { kind, name, lexpr, rexpr, location }: A_Expr): Typed {
  const { compilation } = env;
  const left = operand(env, lexpr as Node);
  const { pattern, escaping } = patternOf(env, rexpr as Node);
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
  const isConstant = like.source !== undefined && (escaping === undefined || escaping.source);
  const expr =
    kind === 'AEXPR_LIKE' && isConstant
      ? shared(compilation, [value], ([text]) =>
          constantMatch(compilation, text as Expression, like, escaping),
        )
      : call(kind === 'AEXPR_LIKE' ? 'like' : 'ilike', ...argumentsOf(value, like, escaping));
  const nullable = [value, like, ...(escaping ? [escaping] : [])].some((one) => one.nullable);
  const isNegated = operator.startsWith('!');
  return {
    type: sqlTypes.bool,
    expr: isNegated ? not(expr) : expr,
    nullable: canBeNull(expr, nullable),
  };
}

function argumentsOf(value: Typed, like: Typed, escaping: Typed | undefined): Expression[] {
  return [value, like, ...(escaping ? [escaping] : [])].map(({ expr }) => expr);
}

interface PatternOperands {
  readonly pattern: Operand;
  /** The escape character; `undefined` is the backslash. */
  readonly escaping: Typed | undefined;
}

function patternOf(env: Env, node: Node): PatternOperands {
  const { compilation } = env;
  const escaped = 'FuncCall' in node ? node.FuncCall : undefined;
  if (escaped === undefined || builtinName(escaped.funcname) !== 'like_escape') {
    return { pattern: operand(env, node), escaping: undefined };
  }
  const [pattern, escaping] = (escaped.args as [Node, Node]).map((arg) => operand(env, arg));
  const typed = coerce(compilation, escaping as Operand, sqlTypes.text, 'implicit');
  return { pattern: pattern as Operand, escaping: typed };
}

function constantMatch(
  compilation: Compilation,
  value: Expression,
  like: Typed,
  escaping: Typed | undefined,
): Expression {
  const match: Expression = { kind: 'text_match', value, parts: [] };
  const pattern = like.source as ValueSource;
  const late = lateMatch(match.value, pattern, escaping?.source);
  compilation.late.set(match, late);
  return match;
}

function lateMatch(tested: Expression, pattern: ValueSource, escaping?: ValueSource): Late {
  const escapedBy: ValueSource = (values) => (escaping === undefined ? '\\' : escaping(values));
  const partsAt = (values: StatementValues): readonly Part[] | undefined => {
    const [text, escaped] = [pattern(values), escapedBy(values)];
    return text === null || escaped === null ? undefined : partsOf(`${text}`, `${escaped}`);
  };
  const textAt = (at: number) => (values: StatementValues) =>
    (partsAt(values)?.[at] ?? '') as string;
  return lateExpression(
    (values) => partsAt(values)?.map(letterOf).join('') ?? 'n',
    (values, places, copy) => {
      const parts = partsAt(values);
      if (parts === undefined) return unknown;
      const value = copy(tested);
      const literal = (source: (values: StatementValues) => string): Expression => {
        const made = literalOf('text', source(values));
        places.set(made, source);
        return { kind: 'lit', value: made };
      };
      if (parts.length < 2 && typeof (parts[0] ?? '') === 'string') {
        return binary('eq', value, literal(textAt(0)));
      }
      if (parts.some((part) => letterOf(part) === '_')) {
        const sources = escaping === undefined ? [pattern] : [pattern, escaping];
        const given = sources.map((source) => literal((later) => `${source(later)}`));
        return call('like', value, ...given);
      }
      const made = parts.map((part, at): TextPart => {
        if (typeof part !== 'string') return { kind: 'any_many' };
        const text = { kind: 'literal', value: part } as const;
        places.set(text, textAt(at));
        return text;
      });
      return { kind: 'text_match', value, parts: made };
    },
  );
}

function letterOf(part: Part): string {
  return typeof part === 'string' ? 'L' : part.wildcard;
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
