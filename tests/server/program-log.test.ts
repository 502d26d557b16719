/** Programs in the log: their members, when they are slow, and nothing of a user's literals whatever happens. */

import { describe, expect, test } from 'bun:test';
import { openLog } from '#server';
import { openProgramLog } from '../../src/server/program-log.ts';
import { manualWorld } from '../support/manual-world.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';

const planted = 'planted-7f3a91';
const plantedNumber = '918273645546372';

const int = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });
const column = (name: string) => ({ kind: 'col', scope: 's', column: name });
const table = {
  name: 'note',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'note', type: 'text' },
  ],
  primary_key: ['id'],
};
const rows = {
  nodes: {
    r: {
      kind: 'rows',
      scope: 'r',
      columns: table.columns,
      rows: [[plantedNumber, planted]],
    },
  },
  root: { node: 'r', cardinality: 'many' },
};
const create = { statements: [{ kind: 'create', name: 'made', table: 'note', relation: rows }] };
const overflow = { kind: 'binary', op: 'mul', left: column('id'), right: int(plantedNumber) };
function query(value: object) {
  return {
    nodes: {
      s: { kind: 'scan', table: 'note', scope: 's' },
      f: {
        kind: 'filter',
        input: 's',
        predicate: { kind: 'binary', op: 'ne', left: column('id'), right: value },
      },
      o: { kind: 'order', input: 'f', terms: [{ expr: column('id') }] },
    },
    root: { node: 'o', cardinality: 'many' },
  };
}
const read = (value: object) => ({
  statements: [{ kind: 'query', name: 'read', relation: query(value) }],
});

const headers = {
  'content-type': 'application/json',
  'x-svc-application-name': `shop\u00ff${'x'.repeat(100)}`,
};

async function traffic({ url }: ServerProcess): Promise<void> {
  const send = async (path: string, body: unknown, more: Record<string, string> = {}) => {
    const method = more['method'] ?? 'POST';
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const answer = await fetch(url + path, {
      method,
      headers: { ...headers, ...more },
      body: text,
    });
    await answer.text();
    return answer.status;
  };
  const asked = { 'svc-diagnostics': 'full' };
  expect(await send('/tables', table)).toBe(200);
  expect(await send('/execute', create)).toBe(200);
  expect(await send('/execute', create)).toBe(422);
  expect(await send('/execute', read(int(plantedNumber)))).toBe(200);
  expect(await send('/execute', read(int(plantedNumber)))).toBe(200);
  expect(await send('/execute', read(overflow))).toBe(422);
  expect(await send('/execute', read(int(plantedNumber)), asked)).toBe(200);
  expect(await send('/execute', read(overflow), asked)).toBe(422);
  expect(await send('/execute', { statements: [{ kind: planted }] })).toBe(400);
  expect(await send('/execute', `{"statements": "${planted}`)).toBe(400);
  expect(await send(`/execute?${planted}=${plantedNumber}`, create)).toBe(400);
  const asQuery = { method: 'QUERY', 'content-type': 'application/vnd.svc.lir+json' };
  expect(await send('/execute', query(int(plantedNumber)), asQuery)).toBe(200);
}

type Line = Readonly<Record<string, unknown>>;

async function logOf(...flags: string[]): Promise<string> {
  const server = await startServerProcess([
    '--storage',
    'memory',
    '--diagnostics',
    'full',
    ...flags,
  ]);
  await traffic(server);
  server.kill('SIGTERM');
  expect(await server.exited).toBe(0);
  return server.stderr();
}

describe.each(['text', 'json', 'logfmt'])(
  'as %s, with everything that is ever written',
  (format) => {
    test('no line has a literal', async () => {
      // Structured logs have the banner in the log, unless stdout is to have it.
      const log = await logOf(
        '--log-level',
        'debug',
        '--log-programs',
        '--slow-ms',
        '1',
        '--log-format',
        format,
        '--json',
      );
      expect(log).toContain('program.executed');
      expect(log).toContain('program.statement');
      expect(log).toContain('program.diagnostic');
      expect(log).not.toContain(planted);
      expect(log).not.toContain(plantedNumber);
      if (format !== 'json') return;
      const lines = log
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
      const executed = lines.filter(({ event }) => event === 'program.executed');
      const sha = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
      expect(executed).toHaveLength(10);
      expect(executed[0]).toEqual({
        time: expect.any(String),
        level: 'info',
        target: 'svc::program',
        event: 'program.executed',
        component: 'program',
        request_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        program_fingerprint: sha,
        statements: 1,
        mutation_statements: 1,
        transport: 'http',
        transaction_id: expect.stringMatching(/^[0-9a-f]{16}$/),
        client_ip: '127.0.0.1',
        application: `shop?${'x'.repeat(59)}`,
        duration_ms: expect.any(Number),
        status: 'success',
        result_rows: expect.any(Number),
        affected_rows: 1,
        dry_run: false,
        transaction_state: 'commit',
      });
      expect(executed[1]).toMatchObject({
        status: 'error',
        error_kind: 'invalid',
        error_reason: 'constraint_violation',
        transaction_state: 'rollback',
        program_fingerprint: executed[0]?.['program_fingerprint'],
      });
      expect(executed[3]).toMatchObject({
        program_fingerprint: executed[2]?.['program_fingerprint'],
        transaction_state: 'none',
      });
    });
  },
);

test('without the flag, and at level info, programs have no lines', async () => {
  const log = await logOf('--slow-ms', '0');
  expect(log).not.toContain('program.');
});

describe('slow programs', () => {
  const report = {
    requestId: 'r',
    transactionId: 't',
    traceId: undefined,
    spanId: undefined,
    clientAddress: undefined,
    principal: undefined,
    application: undefined,
    durationMs: 900,
    isDry: false,
    statements: 1,
    resultRows: 0,
    affectedRows: 0,
    errorReason: undefined,
    errorKind: undefined,
    affected: [],
  };

  function open(slowMs: number, level: 'error' | 'warn' = 'warn') {
    const lines: Line[] = [];
    const world = manualWorld();
    const sink = { write: (line: string) => void lines.push(JSON.parse(line)), noticeBy: () => {} };
    const log = openLog({ level, format: 'json', clock: world.clock, sink });
    return {
      lines,
      world,
      programs: openProgramLog({ log, clock: world.clock, hasPrograms: false, slowMs }),
    };
  }

  test('ten lines a second, the next one counts those between', () => {
    const { lines, world, programs } = open(500);
    for (let i = 0; i < 25; i++) programs?.slow(report, () => undefined);
    expect(lines.map(({ suppressed }) => suppressed)).toEqual(new Array(10).fill(undefined));
    world.advance(1000);
    programs?.slow(report, () => undefined);
    expect(lines.at(-1)).toMatchObject({
      event: 'program.slow',
      level: 'warn',
      threshold_ms: 500,
      suppressed: 15,
    });
  });

  test('a line names a principal that is not an open one', () => {
    const { lines, programs } = open(500);
    programs?.slow(report, () => undefined);
    programs?.slow({ ...report, principal: 'key-1' }, () => undefined);
    expect(lines.map((line) => line['principal'])).toEqual([undefined, 'key-1']);
    expect(lines[0]).not.toHaveProperty('principal');
  });

  test('of a program that nobody recognized what it did tells that it has written', () => {
    const { lines, programs } = open(500);
    programs?.slow({ ...report, affectedRows: 3 }, () => undefined);
    programs?.slow({ ...report, affectedRows: 0 }, () => undefined);
    expect(lines.map(({ transaction_state }) => transaction_state)).toEqual(['commit', undefined]);
  });

  test('a family is shown up to its limit, and not made where no line comes of it', () => {
    const { lines, programs } = open(500);
    const identity = { statements: [], fingerprint: 'sha256:x' };
    programs?.slow(report, () => ({ identity, text: 'f'.repeat(8192) }));
    programs?.slow(report, () => ({ identity, text: 'f'.repeat(8193) }));
    expect(lines.map((line) => [line['program_family'], line['program_family_length']])).toEqual([
      ['f'.repeat(8192), undefined],
      [undefined, 8193],
    ]);
    for (let i = 0; i < 8; i++) programs?.slow(report, () => undefined);
    programs?.slow(report, () => {
      throw new Error('nobody asks');
    });
  });

  test('there is no such log where nothing would be written', () => {
    expect(open(0).programs).toBeUndefined();
    expect(open(500, 'error').programs).toBeUndefined();
    expect(open(500).programs?.isOfAll).toBe(false);
  });
});

test('a program that takes as long as --slow-ms says is told with its family', async () => {
  const server = await startServerProcess([
    '--storage',
    'memory',
    '--slow-ms',
    '1',
    '--log-format',
    'json',
    '--json',
  ]);
  const send = (path: string, body: object) =>
    fetch(server.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  await send('/tables', table);
  // Nobody writes a thousand rows within a millisecond.
  const many = Array.from({ length: 1000 }, (_, i) => [String(i), planted]);
  const relation = { ...rows, nodes: { r: { ...rows.nodes.r, rows: many } } };
  const [statement] = create.statements;
  expect((await send('/execute', { statements: [{ ...statement, relation }] })).status).toBe(200);
  server.kill('SIGTERM');
  await server.exited;
  const log = await server.stderr();
  const slow = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)
    .filter(({ event }) => event === 'program.slow');
  expect(slow.at(-1)).toMatchObject({
    program_family: expect.stringContaining('"table":"note"'),
    program_fingerprint: expect.stringMatching(/^sha256:/),
    threshold_ms: 1,
    affected_rows: 1000,
  });
  expect(log).not.toContain(planted);
  expect(log).not.toContain(plantedNumber);
});
