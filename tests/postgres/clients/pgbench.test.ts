/** pgbench 15: its scripts on tables that the scenario creates, by each of the three protocols. */

import { expect } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { database, type SqlServer, user } from '../support/serve.ts';
import { type Finished, isInstalled, runProgram } from './programs.ts';
import { type Scenario, testScenarios } from './scenario.ts';

const accounts = 200;
const tellers = 10;

/** The tables of `pgbench -i`, with fewer accounts. */
const benchTables = [
  ...['history', 'accounts', 'tellers', 'branches'].map(
    (name) => `drop table if exists pgbench_${name}`,
  ),
  'create table pgbench_branches (bid int not null primary key, bbalance int, filler char(88))',
  'create table pgbench_tellers (tid int not null primary key, bid int, tbalance int, filler char(84))',
  'create table pgbench_accounts (aid int not null primary key, bid int, abalance int, filler char(84))',
  'create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22))',
  'insert into pgbench_branches (bid, bbalance) values (1, 0)',
  `insert into pgbench_tellers (tid, bid, tbalance) values ${rowsOf(tellers)}`,
  `insert into pgbench_accounts (aid, bid, abalance) values ${rowsOf(accounts)}`,
];

function rowsOf(count: number): string {
  return Array.from({ length: count }, (_, n) => `(${n + 1}, 1, 0)`).join(', ');
}

/** The text of the script that `-S` runs. */
const select = `\\set aid random(1, ${accounts})
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
`;

/** The text of the script that pgbench runs by default. */
const tpcb = `\\set aid random(1, ${accounts})
\\set bid 1
\\set tid random(1, ${tellers})
\\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
`;

async function pgbench(
  { host, port }: SqlServer,
  args: readonly string[],
  script?: string,
): Promise<Finished> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pgbench-'));
  try {
    const file = join(folder, 'script.sql');
    if (script !== undefined) writeFileSync(file, script);
    const chosen = script === undefined ? args : [...args, '-f', file];
    const address = ['-h', host, '-p', String(port), '-U', user];
    return await runProgram(['pgbench', '-n', ...address, ...chosen, database]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The number of transactions, if none failed. */
function processed({ code, stdout, stderr }: Finished): number {
  if (code !== 0) throw new PgbenchError(stderr);
  expect(stdout).toContain('number of failed transactions: 0 (0.000%)');
  return Number(/transactions actually processed: (\d+)/.exec(stdout)?.[1]);
}

/** pgbench prints no SQLSTATE: an error of the server is one whatever it is. */
class PgbenchError extends Error {
  readonly code = /ERROR: {2}/.test(this.message) ? 'XX000' : undefined;
}

async function sums(server: SqlServer): Promise<readonly string[]> {
  const { host, port } = server;
  const query =
    'select (select sum(abalance) from pgbench_accounts), (select sum(tbalance) from pgbench_tellers), ' +
    '(select sum(bbalance) from pgbench_branches), (select sum(delta) from pgbench_history), (select count(*) from pgbench_history)';
  const address = ['-h', host, '-p', String(port), '-U', user, '-d', database];
  const { stdout, stderr } = await runProgram(['psql', '-XAt', ...address, '-c', query]);
  expect(stderr).toBe('');
  return stdout.trim().split('|');
}

/** Runs the default script, and compares the sums of all tables. */
function tpcbScenario(name: string, args: readonly string[], transactions: number): Scenario {
  return {
    name,
    run: async (server) => {
      await server.prepare(benchTables);
      expect(processed(await pgbench(server, args, tpcb))).toBe(transactions);
      const [first, ...others] = await sums(server);
      expect(others).toEqual([first, first, first, String(transactions)] as string[]);
    },
  };
}

const scenarios: readonly Scenario[] = [
  ...['simple', 'extended', 'prepared'].flatMap((protocol): readonly Scenario[] => [
    {
      name: `reads accounts, ${protocol}`,
      run: async (server) => {
        await server.prepare(benchTables);
        const args = ['-M', protocol, '-c', '4', '-j', '2', '-t', '50'];
        expect(processed(await pgbench(server, args, select))).toBe(200);
      },
    },
    tpcbScenario(`runs TPC-B, ${protocol}`, ['-M', protocol, '-c', '1', '-t', '40'], 40),
  ]),
  tpcbScenario(
    'runs TPC-B with four clients that repeat lost races',
    ['-M', 'prepared', '-c', '4', '-j', '2', '-t', '10', '--max-tries', '1000'],
    40,
  ),
  {
    name: 'reads results into variables, and pipelines statements',
    run: async (server) => {
      await server.prepare(benchTables);
      const script = [
        'select max(aid) as last from pgbench_accounts \\gset',
        '\\startpipeline',
        'update pgbench_accounts set abalance = abalance + 1 where aid = :last;',
        'select abalance from pgbench_accounts where aid = :last;',
        'update pgbench_accounts set abalance = abalance - 1 where aid = :last;',
        '\\endpipeline',
        '\\if :last = 200',
        'select 1;',
        '\\else',
        'select 1 / 0;',
        '\\endif',
        '',
      ].join('\n');
      const args = ['-M', 'extended', '-c', '1', '-t', '20'];
      expect(processed(await pgbench(server, args, script))).toBe(20);
      expect((await sums(server))[0]).toBe('0');
    },
  },
  {
    name: 'vacuums before a run',
    run: async (server) => {
      await server.prepare(benchTables);
      const { host, port } = server;
      const statements = 'vacuum pgbench_branches; vacuum analyze pgbench_accounts; analyze';
      for (const statement of statements.split('; ')) {
        const address = ['-h', host, '-p', String(port), '-U', user, '-d', database];
        const { code } = await runProgram(['psql', '-X', ...address, '-c', statement]);
        expect(code).toBe(0);
      }
    },
  },
  {
    name: 'runs the built-in script of -S',
    run: async (server) => {
      await server.prepare(benchTables);
      expect(processed(await pgbench(server, ['-S', '-c', '1', '-t', '10']))).toBe(10);
    },
  },
  {
    name: 'creates its tables by -i',
    later: 'step D, COPY',
    run: async (server) => {
      await server.prepare(benchTables.slice(0, 4));
      const { code, stderr } = await pgbench(server, ['-i', '-q']);
      if (code !== 0) throw new PgbenchError(stderr);
    },
  },
];

testScenarios('pgbench', scenarios, isInstalled('pgbench', 'postgresql-15'));
