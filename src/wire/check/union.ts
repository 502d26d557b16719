/** Checks of unions. The tag selects the variant, and only that variant is checked. */

import { type Check, isObject } from './check.ts';
import type { JsonSchema } from './json-schema.ts';
import { listOf, quote, suggest } from './wording.ts';

interface Variant {
  readonly schema: JsonSchema;
  readonly check: Check;
}

const tags = ['kind', 'type'];

export function compileUnion(variants: readonly Variant[]): Check {
  const tag = tagOf(variants);
  const checks: Record<string, Check | undefined> = Object.create(null);
  for (const { schema, check } of variants) {
    for (const value of tagValues(schema, tag)) checks[value] = check;
  }
  const known = Object.keys(checks);
  return (value, depth, report) => {
    if (report.right?.has(value)) return;
    if (!isObject(value)) {
      report.expected(depth, 'an object', value);
      return;
    }
    const given = value[tag];
    const check = typeof given === 'string' ? checks[given] : undefined;
    if (check !== undefined) {
      check(value, depth, report);
    } else if (!Object.hasOwn(value, tag)) {
      report.found(depth, `missing member ${quote(tag)}, one of ${listOf(known)}`);
    } else {
      report.path[depth] = tag;
      if (typeof given !== 'string') report.expected(depth + 1, `one of ${listOf(known)}`, given);
      else report.found(depth + 1, `unknown ${tag} ${quote(given)}${suggest(given, known)}`);
    }
  };
}

function tagOf(variants: readonly Variant[]): string {
  const tag = tags.find((name) =>
    variants.every(({ schema }) => tagValues(schema, name).length > 0),
  );
  if (tag === undefined) throw new Error('the variants of a union share no tag');
  return tag;
}

function tagValues(schema: JsonSchema, tag: string): readonly string[] {
  const member = schema.properties?.[tag];
  return member?.enum ?? (typeof member?.const === 'string' ? [member.const] : []);
}
