/** The acceptance cases that checks alone decide: refused for the given reason, and every other program is let through. */

import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnvelope } from '#pir';
import { checkProgram } from '#wire';
import { parseJson } from '../support/parse-json.ts';
import { failureOf } from './failure-of.ts';

interface Case {
  readonly name: string;
  readonly program: unknown;
  readonly mode?: 'direct';
  readonly error?: { readonly reason: string };
}

const directory = join(import.meta.dir, '..', 'cases');
const cases = readdirSync(directory).flatMap((theme) =>
  readdirSync(join(directory, theme)).map((file): Case => {
    const json = parseJson(readFileSync(join(directory, theme, file), 'utf8'), 1_024);
    if (json.kind === 'malformed') throw new Error(`${file}: ${json.detail}`);
    return json.value as Case;
  }),
);

const checked = new Set([
  'schema_violation',
  'unknown_node',
  'node_cycle',
  'shared_node',
  'unreachable_node',
]);
/** Cases with reason `invalid` that the envelope decides; the others are matters of binding or of the catalog. */
const envelope = new Set([
  'two_relational_statements_need_result',
  'result_must_exist',
  'statement_names_are_unique',
  'catalog_statement_forbidden_in_schema_mode',
  'catalog_plus_one_query_still_needs_result',
  'result_may_not_name_catalog_statement',
]);

const isOurs = ({ name, error }: Case) =>
  error !== undefined && (checked.has(error.reason) || envelope.has(name));
const check = ({ program, mode = 'schema' as 'direct' }: Case) =>
  checkEnvelope(checkProgram(program), { mode });
const named = (list: readonly Case[]) => list.map((one) => [one.name, one] as const);

describe('refused here', () => {
  test.each(named(cases.filter(isOurs)))('%s', (_, one) => {
    expect(failureOf(() => check(one)).reason as string).toBe(one.error?.reason as string);
  });
});

test('all others pass', () => {
  const others = cases.filter((one) => !isOurs(one));
  expect(others.length).toBeGreaterThan(300);
  for (const one of others) expect(() => check(one)).not.toThrow();
});
