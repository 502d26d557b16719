/** People, programs about them, and what answers tell of those. */

import { expect } from 'bun:test';
import type { Engine } from '#engine';
import type { HandlerOptions } from '#http';
import { type Answer, openMemoryEngine, openTestHandler, testLimits } from '../support.ts';

export type Members = Readonly<Record<string, unknown>>;
export interface Operator extends Members {
  readonly operatorId: number;
  readonly operator: string;
  readonly inclusiveMicros: number;
  readonly exclusiveMicros: number;
}
export interface Plan {
  readonly statement: string;
  readonly text: string;
  readonly cost: Members;
  readonly actualRows: number;
  readonly operatorTrace: {
    readonly operators: readonly Operator[];
    readonly dropped: number;
    readonly unattributedMicros: number;
  };
  readonly logicalScans: {
    readonly scans: readonly (Members & { readonly seeks: readonly Members[] })[];
  };
  readonly physicalStorage: Members;
}
export interface Diagnostics extends Members {
  readonly kv: Readonly<Record<string, number>>;
  readonly plans: readonly Plan[];
  readonly statements: readonly Members[];
  readonly omitted: Readonly<Record<string, number>>;
}

export const planted = 'planted-secret';
export const column = (name: string) => ({ kind: 'col', scope: 'p', column: name });
export const literal = (type: string, value: unknown) => ({ kind: 'lit', value: { type, value } });
export const scan = { kind: 'scan', table: 'people', scope: 'p' };

export const table = {
  name: 'people',
  columns: [
    { name: 'id', type: 'int64', nullable: false },
    { name: 'name', type: 'text', nullable: false },
  ],
  primary_key: ['id'],
};

type DiagnosticsLevel = NonNullable<HandlerOptions['diagnostics']>;
type Headers = Readonly<Record<string, string>>;

/** A handler over `engine`, and how programs are sent to it. */
export function overEngine(engine: Engine, options: Partial<HandlerOptions> = {}) {
  const { send } = openTestHandler(
    { engine },
    {
      limits: { ...testLimits, bodyBytesMax: 4 << 20, depthMax: 64 },
      diagnostics: 'full',
      ...options,
    },
  );
  const type = { 'content-type': 'application/json' };
  const ask = (
    level: string | undefined,
    statements: unknown,
    { query = '', headers = {} }: { readonly query?: string; readonly headers?: Headers } = {},
  ) =>
    send('POST', `/execute${query}`, {
      body: typeof statements === 'string' ? statements : JSON.stringify({ statements }),
      headers: { ...type, ...headers, ...(level !== undefined && { 'svc-diagnostics': level }) },
    });
  const makeTable = async (definition: object) => {
    const made = await send('POST', '/tables', { body: JSON.stringify(definition), headers: type });
    expect([made.status, made.text]).toEqual([200, made.text]);
  };
  return { ask, makeTable };
}

/** Twenty of them. */
export async function openPeople(
  diagnostics: DiagnosticsLevel = 'full',
  { engine: given, ...options }: Partial<HandlerOptions> & { readonly engine?: Engine } = {},
) {
  const engine = given ?? (await openMemoryEngine());
  const { ask, makeTable } = overEngine(engine, { diagnostics, ...options });
  await makeTable(table);
  const rows = [...new Array(20).keys()].map((i) => [String(i), `${planted}-${i}`]);
  expect((await ask(undefined, [create('seed', rows)])).status).toBe(200);
  return { ask, makeTable, engine, close: () => engine.close() };
}

export function create(name: string, rows: readonly (readonly string[])[]) {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
  ];
  const nodes = { r: { kind: 'rows', scope: 'r', columns, rows } };
  const relation = { nodes, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name, table: 'people', relation };
}

/** Rows in the order of their ids. */
export function read(name: string, nodes: Members, root: string) {
  const ordered = { kind: 'order', input: root, terms: [{ expr: column('id') }] };
  const relation = {
    nodes: { ...nodes, ordered },
    root: { node: 'ordered', cardinality: 'many' },
  };
  return { kind: 'query', name, relation };
}

export const named = read(
  'named',
  {
    s: scan,
    f: {
      kind: 'filter',
      input: 's',
      predicate: {
        kind: 'binary',
        op: 'eq',
        left: column('name'),
        right: literal('text', `${planted}-7`),
      },
    },
    o: { kind: 'order', input: 'f', terms: [{ expr: column('id') }] },
    l: { kind: 'slice', input: 'o', limit: 7331 },
  },
  'l',
);
export const keyed = read(
  'keyed',
  {
    s: scan,
    f: {
      kind: 'filter',
      input: 's',
      predicate: { kind: 'binary', op: 'eq', left: column('id'), right: literal('int64', '7') },
    },
  },
  'f',
);

export function told({ json }: Answer): Diagnostics {
  return (json['_svc'] as { readonly diagnostics: Diagnostics }).diagnostics;
}
