/** `svc explain` from the file to the terminal: what is asked of the server, what is refused, and what is said where the server tells less. */

import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { program as svc } from '../../support/program.ts';
import { startServerProcess } from '../../support/server-process.ts';
import { runCommand } from '../run.ts';
import { answering, newDirectory, runWithin, shellFor } from '../within.ts';
import { diagnostics, joined, joinedMeasures } from './plans.ts';

// Only ends what hangs.
setDefaultTimeout(60_000);

const planPath = 'POST /execute?show-plan=true&dry-run=true';
const runPath = 'POST /execute?show-plan=true';

const query = {
  nodes: { s: { kind: 'scan', table: 'people', scope: 'p' } },
  root: { node: 's', cardinality: 'exactly_one' },
};
const programOf = (kind: string, name = 'q') =>
  JSON.stringify({ statements: [{ kind, name, table: 'people', relation: query }] });

function fileOf(text: string): string {
  const file = join(newDirectory(), 'program.json');
  writeFileSync(file, text);
  return file;
}

const plan = { statements: [{ name: 'q', view: { bindings: [], root: joined }, text: '' }] };
const planned = { result: null, statements: [], plan };
const told = (document: object) => ({ ...planned, _svc: { diagnostics: document } });

/** Levels above the server's are refused as a server refuses them. */
function serverOf(max: 'off' | 'summary' | 'detailed', kind = 'query') {
  const levels = ['off', 'summary', 'detailed'];
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { search } = new URL(request.url);
      const level = request.headers.get('svc-diagnostics');
      asked.push(`${search.includes('dry-run') ? 'plan' : 'run'} ${level ?? ''}`.trim());
      if (level === null) return Response.json(planned);
      if (levels.indexOf(level) > levels.indexOf(max)) {
        const detail = `the server's maximum diagnostics level is ${max}, not ${level}`;
        const problem = { title: 'Invalid Request', status: 403, code: 'invalid', detail };
        return Response.json({ ...problem, reason: 'diagnostics_rejected' }, { status: 403 });
      }
      const { plans, ...summary } = diagnostics({ kind, operators: joinedMeasures });
      return Response.json(told(level === 'summary' ? summary : { ...summary, plans }));
    },
  });
  const url = `svc://127.0.0.1:${server.port}`;
  return { url, asked, [Symbol.dispose]: () => void server.stop(true) };
}

function explain(file: string, url: string, ...more: readonly string[]) {
  const heard = shellFor();
  const argv = ['explain', file, '--database-url', url, ...more];
  return runWithin(heard.shell, argv).then((ran) => ({ ...ran, said: heard.said }));
}

describe('without --analyze', () => {
  test('nothing runs, and the program goes as it was written', async () => {
    using server = answering({ [planPath]: planned });
    const text = ' {"statements":[{"kind":"query","name":"q","x":9007199254740993}]}\n';
    const { exitCode, stdout } = await explain(fileOf(text), server.url);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('scan orders');
    expect(stdout).toEndWith('\nNothing ran: these are estimates.');
    expect(server.requests).toEqual([`${planPath} ${text}`.trim()]);
  });

  test('the plan of a program that writes is shown', async () => {
    using server = answering({ [planPath]: planned });
    const { exitCode, stdout } = await explain(fileOf(programOf('delete')), server.url);
    expect(exitCode).toBe(0);
    expect(stdout).toStartWith('q: delete \u00b7 8 rows estimated\n');
  });

  test('a query is a program of one statement', async () => {
    const own = { statements: [{ ...plan.statements[0], name: 'query' }] };
    using server = answering({ [planPath]: { ...planned, plan: own } });
    const text = JSON.stringify(query);
    const { stdout } = await explain(fileOf(text), server.url);
    expect(stdout).toStartWith('query: query \u00b7 8 rows estimated\n');
    const program = `{"statements":[{"kind":"query","name":"query","relation":${text}}]}`;
    expect(server.requests).toEqual([`${planPath} ${program}`]);
  });

  test('a change of the catalog has no plan', async () => {
    using server = answering({ [planPath]: { ...planned, plan: { statements: [] } } });
    const text = '{"statements":[{"kind":"create_table","name":"t"}]}';
    const { stdout } = await explain(fileOf(text), server.url);
    expect(stdout).toContain('t: create table \u00b7 changes the catalog, and has no plan');
  });
});

describe('--analyze', () => {
  const file = () => fileOf(programOf('query'));

  test('asks what the program is, runs it, and shows what was measured', async () => {
    using server = serverOf('detailed');
    const { exitCode, stdout, said } = await explain(file(), server.url, '--analyze');
    expect([exitCode, said]).toEqual([0, []]);
    expect(server.asked).toEqual(['plan detailed', 'run detailed']);
    expect(stdout).toStartWith('q: query \u00b7 7 rows \u00b7 8 rows estimated \u00b7 9.86 ms\n');
    expect(stdout).toContain('17\u00d7 fewer');
  });

  test('shows rows and times of the whole where the server tells no more, and says which flag does', async () => {
    using server = serverOf('summary');
    const { exitCode, stdout, said } = await explain(file(), server.url, '--analyze');
    expect(exitCode).toBe(0);
    expect(server.asked).toEqual(['plan detailed', 'plan summary', 'run summary']);
    expect(stdout).toStartWith('q: query \u00b7 7 rows \u00b7 8 rows estimated\n');
    expect(stdout).toContain('planning 4.36 ms \u00b7 execution 82.6 ms');
    expect(said).toEqual([
      'warning: rows and times of operators are not shown: the server does not permit more diagnostics; start it with `svc serve --diagnostics detailed`',
    ]);
  });

  test('shows the plan alone where the server tells nothing, and runs nothing', async () => {
    using server = serverOf('off');
    const { exitCode, stdout, said } = await explain(file(), server.url, '--analyze');
    expect(exitCode).toBe(0);
    expect(server.asked).toEqual(['plan detailed', 'plan summary', 'plan']);
    expect(stdout).toEndWith('Nothing ran: these are estimates.');
    expect(said).toEqual([
      'warning: the program was not run, and this is its plan: the server does not permit more diagnostics; start it with `svc serve --diagnostics detailed`',
    ]);
  });

  test.each(['create', 'update', 'delete', 'create_table', 'start_index_build'])(
    'refuses %s before it asks the server',
    async (kind) => {
      using server = serverOf('detailed', kind);
      const { trouble } = await explain(fileOf(programOf(kind, 'w')), server.url, '--analyze');
      expect(trouble).toMatchObject({ exitCode: 1, code: 'would_write' });
      expect(trouble?.message).toBe(
        `--analyze runs the program, and its statement "w" (${kind}) would write; nothing was run`,
      );
      expect(trouble?.hint).toContain('show its plan without --analyze');
      expect(server.asked).toEqual([]);
    },
  );

  test('refuses what the server takes for a write, whatever the file looks like', async () => {
    using server = serverOf('detailed', 'create');
    const { trouble } = await explain(file(), server.url, '--analyze');
    expect(trouble).toMatchObject({ exitCode: 1, code: 'would_write' });
    expect(server.asked).toEqual(['plan detailed']);
  });

  test('shows how far a program came that failed, and then why', async () => {
    const problem = {
      ...told(diagnostics({ operators: joinedMeasures })),
      title: 'Execution Failed',
      status: 422,
      code: 'execution_failed',
      reason: 'division_by_zero',
      detail: 'statement "q": division by zero',
    };
    const { statements } = diagnostics();
    using server = answering({
      [planPath]: told({ ...diagnostics(), statements }),
      [runPath]: () => Response.json(problem, { status: 422 }),
    });
    const { trouble, stdout } = await explain(file(), server.url, '--analyze');
    expect(stdout).toContain('scan orders');
    expect(stdout).toContain('17\u00d7 fewer');
    expect(trouble).toMatchObject({ exitCode: 1, message: 'statement "q": division by zero' });
  });
});

describe('a file', () => {
  test.each([
    ['', 'is not JSON: it is empty'],
    ['{"statements": [', 'is not JSON: '],
    ['[]', 'does not contain a JSON object'],
    ['null', 'does not contain a JSON object'],
    ['{"nodes": {}}', 'is neither a program (an object with `statements`) nor a query'],
    ['{"statements": {}}', 'is neither a program'],
  ])('of %p is refused', async (text, message) => {
    const file = fileOf(text);
    const { trouble } = await explain(file, 'svc://127.0.0.1:1');
    expect(trouble).toMatchObject({ exitCode: 1, code: 'program_unreadable' });
    expect(trouble?.message).toContain(`${file} ${message}`);
  });

  test('that is not there, or is a directory, is named', async () => {
    const there = newDirectory();
    const missing = join(there, 'none.json');
    const { trouble } = await explain(missing, 'svc://127.0.0.1:1');
    expect(trouble?.message).toBe(`there is no ${missing}`);
    const directory = await explain(there, 'svc://127.0.0.1:1');
    expect(directory.trouble?.message).toBe(`${there} is a directory, not a file`);
  });
});

describe('with a server', async () => {
  const server = await startServerProcess(['--storage', 'memory', '--diagnostics', 'detailed']);
  afterAll(async () => {
    server.kill('SIGTERM');
    await server.exited;
  });
  const url = `svc://127.0.0.1:${server.port}`;
  const send = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    const answer = await fetch(server.url + path, { method: 'POST', headers, body });
    expect(answer.status).toBe(200);
    return answer.json() as Promise<{ readonly result: unknown }>;
  };
  const columns = [{ name: 'id', type: 'int64' }];
  await send('/tables', JSON.stringify({ name: 'people', columns, primary_key: ['id'] }));
  const counting = JSON.stringify({
    nodes: {
      s: { kind: 'scan', table: 'people', scope: 'p' },
      c: { kind: 'aggregate', input: 's', scope: 'c', aggs: [{ fn: 'count', as: 'n' }] },
    },
    root: { node: 'c', cardinality: 'scalar' },
  });
  const creating = JSON.stringify({
    statements: [
      {
        kind: 'create',
        name: 'made',
        table: 'people',
        relation: {
          nodes: { r: { kind: 'rows', scope: 'r', columns, rows: [['1'], ['2'], ['3']] } },
          root: { node: 'r', cardinality: 'many' },
        },
      },
    ],
  });
  const rows = async () => {
    const relation = JSON.parse(counting) as object;
    const statements = [{ kind: 'query', name: 'n', relation }];
    return (await send('/execute', JSON.stringify({ statements }))).result;
  };

  test('a program is never made to write', async () => {
    const file = fileOf(creating);
    const shown = await runCommand(['explain', file, '--database-url', url]);
    expect([shown.exitCode, shown.stderr]).toEqual([0, '']);
    expect(shown.stdout).toStartWith('made: create \u00b7 3 rows estimated\n');
    const refused = await runCommand(['explain', file, '--analyze', '--database-url', url]);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toStartWith('error: --analyze runs the program');
    // Of a member that stands twice the last one counts, for the server and for the check.
    const twice = creating.replace('"kind":"create"', '"kind":"query","kind":"create"');
    const hidden = fileOf(twice);
    expect(
      (await runCommand(['explain', hidden, '--analyze', '--database-url', url])).exitCode,
    ).toBe(1);
    expect(await rows()).toBe(0);
  });

  test('stdin is read, and a pipe gets no colours', async () => {
    await send('/execute', creating);
    const argv = ['explain', '-', '--analyze', '--database-url', url];
    const child = Bun.spawn([...svc, ...argv], {
      stdin: Buffer.from(counting),
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const stdout = await new Response(child.stdout).text();
    expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, '']);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^query: query \u00b7 1 row \u00b7 1 row estimated \u00b7 [\d.,]+ ms\n/);
    expect(stdout).toMatch(/\n\u2514\u2500 scan people +[\d,]+ +\w+ +3 .*\n/);
  });

  test('facts come with --json', async () => {
    const argv = ['explain', fileOf(counting), '--analyze', '--json', '--database-url', url];
    const { exitCode, stdout } = await runCommand(argv);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      database: url,
      analyzed: true,
      statements: [
        {
          name: 'query',
          kind: 'query',
          rows: 1,
          operators: [{ above: null }, { operator: 'scan' }],
        },
      ],
    });
  });
});
