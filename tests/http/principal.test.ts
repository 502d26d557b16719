/** The principal of a request, from the edge to the answers that are shared. */

import { expect, test } from 'bun:test';
import { anyone, OpenPrincipal, type Principal } from '#access';
import { systemWorld } from '#base';
import type { PreparedProgram, RequestContext } from '#engine';
import { programOfQuery } from '#pir';
import type { HttpContext } from '../../src/http/context.ts';
import { Authority } from '../../src/http/edge/authority.ts';
import { requestFacts } from '../../src/http/edge/request-facts.ts';
import { CachedRequest } from '../../src/http/program/relations/cached-request.ts';
import { openTestDatabase } from '../support/database.ts';
import { readerOf } from '../support/principals.ts';

test('answers are shared within a class of visibility, and not between two', () => {
  const asked: string[] = [];
  const shared = { ask: ({ body }: { body: string }) => void asked.push(body) };
  const context = { shared, engine: () => ({}) } as unknown as HttpContext;
  const address = new OpenPrincipal(() => '127.0.0.1');
  for (const principal of [anyone, address, readerOf('1', 1), readerOf('2', 1), readerOf('3', 2)]) {
    const share = new CachedRequest(context, { principal } as RequestContext);
    share.find('{}', { plan: { claims: [] } } as unknown as PreparedProgram);
  }
  const [open, alsoOpen, one, alike, other] = asked;
  expect([open, alsoOpen]).toEqual(['{}', '{}']);
  expect(alike).toBe(one as string);
  expect(new Set([open, one, other]).size).toBe(3);
});

test('a request is of an open principal, whose address is asked for only where it matters', () => {
  let asks = 0;
  const authority = new Authority(
    { ...systemWorld(), lifecycle: { engine: undefined } },
    () => `10.0.0.${++asks}`,
  );
  const clock = { monotonicMs: () => 0 };
  const request = new Request('http://localhost/execute');
  const { principal } = requestFacts({ authority, clock } as unknown as HttpContext, request);
  expect(principal).toMatchObject({ kind: 'open', visibility: { key: '' } });
  asks = 0;
  expect(principal?.kind).toBe('open');
  expect(asks).toBe(0);
  expect(principal?.id).toBe('10.0.0.1');
});

test('a tag is of a class of visibility: what one client has says nothing to another', async () => {
  await using db = await openTestDatabase();
  const columns = [{ name: 'id', type: 'int64' }];
  await db.send('POST', '/tables', { name: 't', columns, primary_key: ['id'] });
  const rows = { kind: 'rows', scope: 'r', columns, rows: [['1']] };
  const made = { nodes: { r: rows }, root: { node: 'r', cardinality: 'many' } };
  const create = { kind: 'create', name: 'c', table: 't', relation: made };
  await db.send('POST', '/execute', { statements: [create] });
  const { engine } = db;
  const relation = {
    nodes: { s: { kind: 'scan', table: 't', scope: 's' } },
    root: { node: 's', cardinality: 'exactly_one' },
  } as const;
  const tagFor = async (principal: Principal) => {
    const requestContext = engine.requestContext({ principal });
    const condition = { text: () => 'q', wanted: () => true };
    const program = () => programOfQuery(relation);
    const request = { program, isQuery: true, condition };
    const { entityTag } = await engine.execute(request, requestContext);
    requestContext.close();
    return entityTag;
  };
  const open = await tagFor(anyone);
  expect(await tagFor(new OpenPrincipal(() => 'x'))).toBe(open);
  const one = await tagFor(readerOf('1', 1));
  expect(await tagFor(readerOf('2', 1))).toBe(one);
  expect(new Set([open, one, await tagFor(readerOf('3', 1, 2))]).size).toBe(3);
});
