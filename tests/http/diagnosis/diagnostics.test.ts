/** `Svc-Diagnostics`: what an answer tells of its program, member by member, within limits, and without keys and values. */

import { expect, test } from 'bun:test';
import {
  column,
  create,
  keyed,
  type Members,
  named,
  type Operator,
  openPeople,
  type Plan,
  planted,
  read,
  scan,
  told,
} from './support.ts';

test('an answer to a request without the header is what it was', async () => {
  const { ask, close } = await openPeople();
  expect(Object.keys((await ask(undefined, [named])).json)).toEqual(['result', 'statements']);
  await close();
});

test('the summary tells status, rows, times, fingerprint and key-value work, and nothing else', async () => {
  const { ask, close } = await openPeople('summary');
  const diagnostics = told(await ask('summary', [named]));
  expect(Object.keys(diagnostics).sort()).toEqual([
    'affectedRows',
    'dryRun',
    'durationUs',
    'executionUs',
    'format',
    'kv',
    'level',
    'planningUs',
    'programFingerprint',
    'requestId',
    'resultRows',
    'statements',
    'status',
    'truncated',
  ]);
  expect(diagnostics).toMatchObject({
    format: 'svc-program-diagnostics-v1',
    level: 'summary',
    status: 'success',
    dryRun: false,
    resultRows: 1,
    affectedRows: 1,
    statements: [{ name: 'named', kind: 'query', status: 'success', affectedRows: 1 }],
    truncated: false,
  });
  expect(diagnostics['requestId']).toMatch(/^[0-9a-f]{16}$/);
  expect(diagnostics['programFingerprint']).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(diagnostics['planningUs']).toBeGreaterThan(0);
  expect(diagnostics['executionUs']).toBeGreaterThan(0);
  expect(diagnostics['durationUs']).toBeGreaterThanOrEqual(diagnostics['executionUs'] as number);
  expect(diagnostics.kv).toMatchObject({ gets: 0, scans: 1, forwardSeeks: 1, puts: 0, deletes: 0 });
  expect(diagnostics.kv['iterated']).toBe(20);
  expect(diagnostics.kv['bytesRead']).toBeGreaterThan(20 * planted.length);
  await close();
});

test('puts, deletes and reads by key are counted on the plain paths as well', async () => {
  const { ask, close } = await openPeople('summary');
  const created = told(await ask('summary', [create('one', [['100', 'x']])]));
  expect(created.kv).toMatchObject({ puts: 1, gets: 1 });
  expect(created.kv['bytesWritten']).toBeGreaterThan(0);
  expect(told(await ask('summary', [keyed])).kv).toMatchObject({ gets: 1, scans: 0 });
  // Found by its text the second time.
  expect(told(await ask('summary', [keyed])).kv).toMatchObject({ gets: 1, scans: 0 });
  const { f, s } = keyed.relation.nodes as Members;
  const k = { kind: 'project', input: 'f', fields: [{ as: 'id', expr: column('id') }] };
  const relation = { nodes: { f, s, k }, root: { node: 'k', cardinality: 'many' } };
  const gone = { ...keyed, relation, kind: 'delete', table: 'people', name: 'gone' };
  const deleted = told(await ask('summary', [gone]));
  expect(deleted.kv['deletes']).toBe(1);
  expect(deleted['affectedRows']).toBe(1);
  await close();
});

test('programs of one family have one fingerprint, known by their text or not', async () => {
  const { ask, close } = await openPeople();
  const text = JSON.stringify({ statements: [keyed] });
  const first = told(await ask('summary', text));
  const again = told(await ask('summary', text.replace('"7"', '"8"')));
  const spaced = told(await ask('detailed', ` ${text.replace('"7"', '"9"')}`));
  expect(again['programFingerprint']).toBe(first['programFingerprint'] as string);
  expect(again['planningUs']).toBe(0);
  expect(again.statements).toEqual(first.statements);
  expect(spaced['programFingerprint']).toBe(first['programFingerprint'] as string);
  expect(told(await ask('summary', [named]))['programFingerprint']).not.toBe(
    first['programFingerprint'] as string,
  );
  const exact = async (id: string) =>
    told(await ask('full', text.replace('"7"', `"${id}"`)))['exactProgramFingerprint'];
  expect(await exact('1')).toBe((await exact('1')) as string);
  expect(await exact('1')).not.toBe((await exact('2')) as string);
  await close();
});

test('detailed tells plans, operators, scans and storage, and holds no literal, key or value', async () => {
  const { ask, close } = await openPeople();
  const answer = await ask('detailed', [named]);
  const diagnostics = told(answer);
  const text = JSON.stringify(diagnostics);
  expect(text).not.toContain(planted);
  expect(text).not.toContain('7331');
  expect(text).not.toContain(Buffer.from(planted).toString('base64').slice(0, 12));
  expect(JSON.parse(diagnostics['loweredProgramFamily'] as string)).toMatchObject({
    statements: [{ kind: 'query', name: 'named' }],
  });
  const [plan] = diagnostics.plans as [Plan];
  expect(plan).toMatchObject({ statement: 'named', actualRows: 1 });
  expect(plan.text).toContain('name = ?');
  expect(plan.cost['estimatedRows']).toBeNumber();
  const { operators, dropped, unattributedMicros } = plan.operatorTrace;
  expect(dropped).toBe(0);
  expect(unattributedMicros).toBeGreaterThanOrEqual(0);
  const scanned = operators.find(({ operator }) => operator === 'scan') as Operator;
  const filtered = operators.find(({ operator }) => operator === 'filter') as Operator;
  expect(scanned).toMatchObject({
    parentOperatorId: filtered.operatorId,
    inputRows: 20,
    inputComplete: true,
    complete: true,
  });
  expect(filtered).toMatchObject({ outputRows: 1, complete: true });
  for (const operator of operators) {
    expect(operator['calls']).toBeGreaterThan(0);
    expect(operator['openMicros']).toBeGreaterThanOrEqual(0);
    expect(operator.inclusiveMicros).toBeGreaterThanOrEqual(operator.exclusiveMicros);
  }
  const [range] = plan.logicalScans.scans;
  expect(range).toMatchObject({ operatorId: scanned.operatorId, entries: 20, seeksDropped: 0 });
  expect(range?.seeks[0]).toMatchObject({
    direction: 'forward',
    from: { byteLength: expect.any(Number), sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
  expect(plan.physicalStorage).toMatchObject({
    coverage: 'cache_and_backing_reads',
    memoryCache: { hits: expect.any(Number), misses: expect.any(Number) },
    localCache: { hits: 0, misses: 0 },
    backingReads: { calls: 0, bytes: 0, micros: 0 },
  });
  await close();
});

test('an operator that is stopped from above is incomplete', async () => {
  const { ask, close } = await openPeople();
  const terms = [{ expr: column('id') }];
  const first = read(
    'first',
    {
      s: scan,
      o: { kind: 'order', input: 's', terms },
      l: { kind: 'slice', input: 'o', limit: 1 },
    },
    'l',
  );
  const [plan] = told(await ask('detailed', [first])).plans as [Plan];
  const complete = plan.operatorTrace.operators.map(({ operator, ...it }) => [
    operator,
    it['complete'],
  ]);
  expect(complete).toContainEqual(['scan', false]);
  expect(complete).toContainEqual(['slice', true]);
  await close();
});

test('full adds the program as it was sent, and as it was understood', async () => {
  const { ask, close } = await openPeople();
  const text = ` ${JSON.stringify({ statements: [named] })}`;
  const diagnostics = told(await ask('full', text));
  expect(diagnostics['submittedProgram']).toBe(text);
  expect(JSON.parse(diagnostics['loweredProgram'] as string)).toEqual(JSON.parse(text));
  expect(diagnostics['exactProgramFingerprint']).toMatch(/^sha256:[0-9a-f]{64}$/);
  await close();
});

test('a dry run has a plan, and statements that are pending', async () => {
  const { ask, close } = await openPeople();
  const diagnostics = told(await ask('detailed', [named], { query: '?dry-run=true' }));
  expect(diagnostics).toMatchObject({
    dryRun: true,
    executionUs: 0,
    statements: [{ name: 'named', status: 'pending', affectedRows: 0 }],
  });
  expect(diagnostics.plans).toHaveLength(1);
  expect(diagnostics.plans[0]).not.toHaveProperty('operatorTrace');
  await close();
});

test('a problem tells how far its program came', async () => {
  const { ask, close } = await openPeople();
  const twice = create('twice', [['3', 'x']]);
  const later = { ...keyed, name: 'later' };
  const program = JSON.stringify({ statements: [keyed, twice, later], result: 'keyed' });
  const answer = await ask('detailed', program);
  expect(answer.status).toBe(422);
  expect(told(answer)).toMatchObject({
    status: 'error',
    errorReason: answer.json['reason'],
    errorKind: answer.json['code'],
    statements: [
      { name: 'keyed', status: 'success', affectedRows: 1 },
      { name: 'twice', status: 'pending' },
      { name: 'later', status: 'pending' },
    ],
  });
  expect(told(answer).plans).toHaveLength(3);
  await close();
});

test('a body that is no program is told of as far as there is something to tell', async () => {
  const { ask, close } = await openPeople();
  const answer = await ask('full', '{"statements"');
  expect(answer.status).toBe(400);
  const diagnostics = told(answer);
  expect(diagnostics).toMatchObject({
    status: 'error',
    errorKind: 'invalid',
    submittedProgram: '{"statements"',
    statements: [],
    plans: [],
  });
  expect(diagnostics).not.toHaveProperty('programFingerprint');
  await close();
});

test('texts beyond 256 KiB are left out and their sizes told', async () => {
  const { ask, close } = await openPeople();
  const body = JSON.stringify({ statements: [create('big', [['500', 'x'.repeat(300 << 10)]])] });
  const diagnostics = told(await ask('full', body));
  expect(diagnostics.omitted).toEqual({
    submittedProgramBytes: body.length,
    loweredProgramBytes: body.length,
  });
  expect(diagnostics).not.toHaveProperty('submittedProgram');
  expect(diagnostics).not.toHaveProperty('loweredProgram');
  expect(diagnostics).toHaveProperty('loweredProgramFamily');
  expect(diagnostics['truncated']).toBe(false);
  await close();
});

test('a statement of more than 256 operators tells of so many, and counts the others', async () => {
  const { ask, close } = await openPeople();
  const nodes: Record<string, unknown> = {};
  const inputs = [...new Array(300).keys()].map((i) => {
    nodes[`s${i}`] = { kind: 'scan', table: 'people', scope: `p${i}` };
    return `s${i}`;
  });
  nodes['all'] = { kind: 'concatenate', scope: 'p', inputs };
  const answer = await ask('detailed', [read('many', nodes, 'all')]);
  expect(answer.status).toBe(200);
  const [{ operatorTrace, logicalScans }] = told(answer).plans as [Plan];
  expect(operatorTrace.operators).toHaveLength(256);
  expect(operatorTrace.dropped).toBeGreaterThanOrEqual(45);
  expect(logicalScans.scans).toHaveLength(64);
  await close();
});

for (const [level, max, status] of [
  ['loud', 'full', 400],
  ['off', 'full', 400],
  ['summary', 'off', 403],
  ['detailed', 'summary', 403],
  ['full', 'detailed', 403],
] as const) {
  test(`${level} with a maximum of ${max} is ${status}`, async () => {
    const { ask, close } = await openPeople(max);
    const answer = await ask(level, [named]);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ code: 'invalid', reason: 'diagnostics_rejected' });
    await close();
  });
}
