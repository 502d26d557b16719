/** Checks of objects: closed objects with fixed members, and maps from names to values. */

import { type Check, isObject } from './check.ts';
import type { JsonSchema } from './json-schema.ts';
import type { Report } from './report.ts';
import { illFormed } from './scalar.ts';
import { listOf, quote, suggest } from './wording.ts';

interface Member {
  readonly check: Check;
  readonly required: 0 | 1;
}

export function compileClosed(schema: JsonSchema, compile: (member: JsonSchema) => Check): Check {
  const required = schema.required ?? [];
  const names = Object.keys(schema.properties ?? {});
  // The record has no prototype, so that no member name of a sender matches an inherited property.
  const members: Record<string, Member | undefined> = Object.create(null);
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    members[name] = { check: compile(member), required: required.includes(name) ? 1 : 0 };
  }
  const alternatives = (schema.anyOf ?? []).map((set) => set.required ?? []);
  return (value, depth, report) => {
    if (!isObject(value)) {
      report.expected(depth, 'an object', value);
      return;
    }
    let present = 0;
    for (const name in value) {
      if (report.isFull) return;
      const member = members[name];
      report.path[depth] = name;
      if (member === undefined) {
        report.found(depth + 1, `unknown member ${quote(name)}${suggest(name, names)}`);
      } else {
        present += member.required;
        member.check(value[name], depth + 1, report);
      }
    }
    if (present < required.length) reportMissing(value, required, depth, report);
    if (alternatives.length > 0) requireOne(value, alternatives, depth, report);
  };
}

function reportMissing(
  value: object,
  required: readonly string[],
  depth: number,
  report: Report,
): void {
  const missing = required.filter((name) => !Object.hasOwn(value, name));
  report.found(depth, `missing member${missing.length > 1 ? 's' : ''} ${listOf(missing)}`);
}

function requireOne(
  value: object,
  sets: readonly (readonly string[])[],
  depth: number,
  report: Report,
): void {
  if (sets.some((set) => set.every((name) => Object.hasOwn(value, name)))) return;
  report.found(depth, `missing member: at least one of ${listOf(sets.flat())} is needed`);
}

/** Compiles the check of an object whose member names the sender chooses. */
export function compileMap(schema: JsonSchema, values: Check): Check {
  const least = schema.minProperties ?? 0;
  return (value, depth, report) => {
    if (!isObject(value)) {
      report.expected(depth, 'an object', value);
      return;
    }
    let count = 0;
    for (const name in value) {
      if (report.isFull) return;
      count++;
      report.path[depth] = name;
      if (name === '') report.found(depth + 1, 'the name of a member must not be empty');
      if (!name.isWellFormed()) report.found(depth, `a member name: ${illFormed}`);
      values(value[name], depth + 1, report);
    }
    if (count < least) report.found(depth, `expected an object of at least ${least} member`);
  };
}
