/** Short names for the trees of the corpus. */

import type { Tree } from '../interpret.ts';

export type Made = readonly [name: string, build: Tree];

type Part = unknown;
export const table = (name: string): Tree => ['table', name];
export const col = (name: string, side?: number, up?: number): Tree =>
  up === undefined
    ? side === undefined
      ? ['col', name]
      : ['col', name, side]
    : ['col', name, side ?? 0, up];
export const rel = (name: string, up?: number): Tree =>
  up === undefined ? ['rel', name] : ['rel', name, up];
export const where = (q: Part, test: Part): Tree => ['where', q, test];
export const orderBy = (q: Part, ...terms: Part[]): Tree => ['orderBy', q, terms];
export const limit = (q: Part, n: number): Tree => ['limit', q, n];
export const select = (q: Part, fields: Readonly<Record<string, unknown>>): Tree => [
  'select',
  q,
  Object.entries(fields),
];
export const group = (
  q: Part,
  keys: Readonly<Record<string, unknown>>,
  folds: Readonly<Record<string, unknown>> = {},
): Tree => ['group', q, Object.entries(keys), Object.entries(folds)];
export const fold = (q: Part, folds: Readonly<Record<string, unknown>>): Tree => [
  'fold',
  q,
  Object.entries(folds),
];
export const eq = (left: Part, right: Part): Tree => ['eq', left, right];
export const and = (left: Part, right: Part): Tree => ['and', left, right];
export const lit = (type: string, value: Part): Tree => ['lit', type, value];
export const all = (results: Readonly<Record<string, unknown>>): Tree => [
  'all',
  Object.entries(results),
];
export const program = (steps: readonly Tree[], result: Part): Tree => ['program', steps, result];
export const users = table('users');
export const posts = table('posts');
export const comments = table('comments');
export const values = table('values');

export const uuid = (n: number) => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
export const ulid = (n: number) => `01ARYZ6S41TSV4RRFFQ69G5F${String(n).padStart(2, '0')}`;
export const xid = (n: number) => `9m4e2mr0ui3e8a215n${(n % 10).toString()}0`;
