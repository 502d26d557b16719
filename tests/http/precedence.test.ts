/** A request with two faults is refused for the one that docs/errors.md puts first: every pair of them. */

import { describe, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { bodyBytesMax, openMemoryEngine, openTestHandler } from './support.ts';

interface Draft {
  method: string;
  path: string;
  query: string;
  body: string;
  readonly headers: Record<string, string>;
  access: 'read' | 'write';
  mode: 'direct' | 'schema';
}

/** One fault: how to commit it, and what it is answered with. */
interface Fault {
  readonly name: string;
  readonly commit: (draft: Draft) => void;
  readonly status: number;
  /** `reason pointer`. */
  readonly answer: string;
}

const route = (path: string): Fault => ({
  name: 'route',
  commit: (draft) => (draft.path = path),
  status: 404,
  answer: 'not_found -',
});
const method = (wrong: string): Fault => ({
  name: 'method',
  commit: (draft) => (draft.method = wrong),
  status: 405,
  answer: 'method_not_allowed -',
});
const diagnostics: Fault = {
  name: 'diagnostics header',
  commit: (draft) => (draft.headers['svc-diagnostics'] = 'loud'),
  status: 400,
  answer: 'diagnostics_rejected /header/svc-diagnostics',
};
const access: Fault = {
  name: 'write access',
  commit: (draft) => (draft.access = 'read'),
  status: 403,
  answer: 'read_only -',
};
const mode: Fault = {
  name: 'mode',
  commit: (draft) => (draft.mode = 'schema'),
  status: 422,
  answer: 'invalid -',
};
const mediaType: Fault = {
  name: 'media type',
  commit: (draft) => (draft.headers['content-type'] = 'text/plain'),
  status: 415,
  answer: 'schema_violation /body',
};
const size: Fault = {
  name: 'size',
  commit: (draft) => (draft.body = draft.body.padEnd(bodyBytesMax + 1)),
  status: 413,
  answer: 'schema_violation /body',
};
const malformed: Fault = {
  name: 'body grammar',
  commit: (draft) => (draft.body = draft.body.replace('{', '{,')),
  status: 400,
  answer: 'schema_violation /body',
};

const program =
  '{"statements":[{"kind":"query","name":"q","relation":{"nodes":{"r":{"kind":"rows","scope":"r","columns":[{"name":"a","type":"text"}],"rows":[["x"]]}},"root":{"node":"r","cardinality":"exactly_one"}}}]}';
const query =
  '{"nodes":{"r":{"kind":"rows","scope":"r","columns":[{"name":"a","type":"text"}],"rows":[["x"]]}},"root":{"node":"r","cardinality":"exactly_one"}}';

interface Target {
  readonly method: string;
  readonly path: string;
  readonly body: string;
  readonly type: string;
  readonly status: number;
  readonly faults: readonly Fault[];
}

const targets: readonly Target[] = [
  {
    method: 'POST',
    path: '/execute',
    body: program,
    type: 'application/json',
    status: 200,
    faults: [
      route('/execut'),
      method('PUT'),
      diagnostics,
      mediaType,
      size,
      {
        name: 'query parameter',
        commit: (draft) => (draft.query = '?show-plan=maybe'),
        status: 400,
        answer: 'schema_violation /query/show-plan',
      },
      malformed,
    ],
  },
  {
    method: 'QUERY',
    path: '/execute',
    body: query,
    type: 'application/vnd.svc.lir+json',
    status: 200,
    faults: [
      route('/execut'),
      method('PUT'),
      mediaType,
      size,
      {
        name: 'If-None-Match',
        commit: (draft) => (draft.headers['if-none-match'] = 'bare'),
        status: 400,
        answer: 'schema_violation /header/if-none-match',
      },
      malformed,
    ],
  },
  {
    method: 'PATCH',
    path: '/tables/t',
    body: '{"name":"u"}',
    type: 'application/json',
    status: 422,
    faults: [
      route('/table/t'),
      method('PUT'),
      access,
      mode,
      mediaType,
      size,
      {
        name: 'path parameter',
        commit: (draft) => (draft.path = draft.path.replace(/t$/, '%zz')),
        status: 400,
        answer: 'schema_violation /path/table',
      },
      {
        name: 'body shape',
        commit: (draft) => (draft.body = draft.body.replace('name', 'nome')),
        status: 422,
        answer: 'schema_violation /body',
      },
    ],
  },
];

const engines: Record<Draft['mode'], Engine> = {
  direct: await openMemoryEngine('direct'),
  schema: await openMemoryEngine('schema'),
};

async function answerOf(target: Target, faults: readonly Fault[]) {
  const draft: Draft = {
    method: target.method,
    path: target.path,
    query: '',
    body: target.body,
    headers: { 'content-type': target.type },
    access: 'write',
    mode: 'direct',
  };
  // Last first, so that the path of an unknown route is not overwritten.
  for (const fault of faults.toReversed()) fault.commit(draft);
  const { send } = openTestHandler({ access: draft.access, engine: engines[draft.mode] });
  const { body, headers } = draft;
  const { status, json } = await send(draft.method, draft.path + draft.query, { body, headers });
  const pointer = (json.location as { pointer?: string } | undefined)?.pointer ?? '-';
  return { status, answer: `${String(json.reason)} ${pointer}` };
}

for (const target of targets) {
  describe(`${target.method} ${target.path}`, () => {
    test('without a fault', async () => {
      expect((await answerOf(target, [])).status).toBe(target.status);
    });
    target.faults.forEach((first, i) => {
      test(`${first.name} alone`, async () => {
        const { status, answer } = await answerOf(target, [first]);
        expect({ status, answer }).toEqual({ status: first.status, answer: first.answer });
      });
      for (const second of target.faults.slice(i + 1)) {
        test(`${first.name} before ${second.name}`, async () => {
          const { status, answer } = await answerOf(target, [first, second]);
          expect({ status, answer }).toEqual({ status: first.status, answer: first.answer });
        });
      }
    });
  });
}
