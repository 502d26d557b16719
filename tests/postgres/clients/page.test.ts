/** The examples of docs/sql-clients.md, run in order on PostgreSQL 15 and on svc. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasPostgres } from '../../sql/differential/postgres-server.ts';
import { type SqlServer, serveReference, serveSvc } from '../support/serve.ts';
import { runProgram } from './programs.ts';

const root = join(import.meta.dir, '..', '..', '..');
const page = readFileSync(join(root, 'docs/sql-clients.md'), 'utf8');
const python = process.env['SVC_TEST_PYTHON'] ?? 'python3';

interface Example {
  readonly heading: string;
  readonly language: string;
  readonly code: string;
  readonly output: string;
}

const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map((match) => ({
  heading: headingBefore(match.index),
  language: match[1] ?? '',
  text: match[2] ?? '',
}));

/** A block of code, and the text block after it. */
const examples: readonly Example[] = blocks.flatMap(({ heading, language, text }, n) => {
  const next = blocks[n + 1];
  if (language === 'text' || next?.language !== 'text') return [];
  return [{ heading, language, code: text, output: next.text }];
});

function headingBefore(index: number): string {
  const start = page.lastIndexOf('\n## ', index) + '\n## '.length;
  return page.slice(start, page.indexOf('\n', start));
}

test('every block but the command that starts the server is an example', () => {
  const code = blocks.filter(({ language }) => language !== 'text');
  expect(examples.length).toBe(code.length - 1);
});

for (const [kind, serve] of [
  ['PostgreSQL 15', serveReference],
  ['svc', serveSvc],
] as const) {
  const isHere = kind === 'svc' || hasPostgres('the examples of docs/sql-clients.md on PostgreSQL');
  describe.skipIf(!isHere)(kind, () => {
    let server: SqlServer;
    // Packages are found from a folder inside of the repository.
    mkdirSync(join(root, 'node_modules/.cache'), { recursive: true });
    const folder = mkdtempSync(join(root, 'node_modules/.cache/sql-clients-'));
    beforeAll(async () => {
      server = await serve();
      if (kind !== 'svc')
        await server.prepare(['create role app superuser login', 'create database app']);
    });
    afterAll(async () => {
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true });
    });
    for (const example of examples) {
      test.skipIf(!canRun(example))(example.heading, async () => {
        const { code, stdout, stderr } = await run(example, server, folder);
        expect([code, stderr]).toEqual([0, '']);
        expect(stdout).toBe(example.output);
      });
    }
  });
}

function canRun({ heading, language }: Example): boolean {
  if (language === 'ts') return true;
  if (language === 'sh') return Bun.which(heading) !== null;
  return Bun.spawnSync([python, '-c', `import ${heading.toLowerCase()}`]).exitCode === 0;
}

async function run({ language, code }: Example, { port }: SqlServer, folder: string) {
  const script = code.replaceAll('5432', String(port));
  const env = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'app', PGDATABASE: 'app' };
  const file = join(folder, `example.${language}`);
  writeFileSync(file, language === 'sh' ? `set -e\ncd ${folder}\n${script}` : script);
  const interpreters: Readonly<Record<string, readonly string[]>> = {
    sh: ['bash'],
    ts: [process.execPath],
    python: [python, '-B'],
  };
  return await runProgram([...(interpreters[language] ?? []), file], '', env);
}
