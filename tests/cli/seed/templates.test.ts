/** Each template of `svc init` is a project that works: its schema arrives, its rows as well, and they mean what they say. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { templates } from '../../../src/cli/templates/templates.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { newDirectory, runWithin, shellFor } from '../within.ts';

const servers: ServerProcess[] = [];
beforeAll(async () => {
  const start = () => startServerProcess(['--storage', 'memory', '--catalog-mode', 'schema']);
  servers.push(...(await Promise.all(templates.map(start))));
});
afterAll(async () => {
  for (const server of servers) server.kill('SIGKILL');
  await Promise.all(servers.map(({ exited }) => exited));
});

async function svc(...argv: readonly string[]) {
  const { shell, said } = shellFor();
  return { ...(await runWithin(shell, argv)), said };
}

test.each(templates.map((template, i) => [template.name, template, i] as const))(
  '%s',
  async (name, template, i) => {
    const root = newDirectory();
    const url = `svc://127.0.0.1:${servers[i]?.port}`;
    const made = await svc('init', root, '--yes', '--template', name, '--database-url', url);
    expect(made.trouble).toBeUndefined();
    expect(made.stdout).toContain(`svc serve --catalog-mode schema --addr ${url.slice(6)}    in`);
    const at = ['--config', join(root, 'svc.config.yaml')];
    const valid = await svc('validate', join(root, 'svc.schema.yaml'));
    expect(valid.stdout).toContain('5 tables');
    expect(valid.said).toEqual([]);
    const early = await svc('seed', ...at);
    expect(early.trouble).toMatchObject({ code: 'seed_without_schema', exitCode: 1 });
    expect(early.trouble?.hint).toContain('`svc schema migrate --config');
    expect((await svc('schema', 'migrate', ...at)).trouble).toBeUndefined();
    const seeded = await svc('seed', ...at);
    expect(seeded.trouble).toBeUndefined();
    const rows = Object.values(template.seed).flat().length;
    expect(seeded.stdout).toEndWith(`tables, ${rows} rows`);
    expect((await svc('seed', '--reset', ...at)).trouble).toBeUndefined();
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    expect(readme).toContain(`\`svc serve --catalog-mode schema --addr ${url.slice(6)}\``);
  },
);

test('what is there stays: a seed is refused, a README is not', async () => {
  const root = newDirectory();
  writeFileSync(join(root, 'svc.seed.json'), '{}');
  const refused = await svc('init', root, '--yes', '--template', 'notes');
  expect(refused.trouble).toMatchObject({ code: 'file_exists', exitCode: 1 });
  expect(existsSync(join(root, 'svc.config.yaml'))).toBe(false);
  const other = newDirectory();
  writeFileSync(join(other, 'README.md'), 'mine');
  const { stdout } = await svc('init', other, '--yes', '--template', 'notes');
  expect(stdout).toContain('svc.seed.json');
  expect(stdout).not.toContain('README.md');
  expect(readFileSync(join(other, 'README.md'), 'utf8')).toBe('mine');
});

test('a template and no table at all exclude each other, and there are only these', async () => {
  const root = newDirectory();
  const both = await svc('init', root, '--yes', '--template', 'notes', '--empty');
  expect(both.trouble).toMatchObject({ code: 'usage', exitCode: 2 });
  const { trouble } = await svc('init', root, '--yes', '--template', 'note');
  expect(trouble?.exitCode).toBe(2);
  expect(existsSync(join(root, 'svc.config.yaml'))).toBe(false);
});

test('with a template nothing is asked about a starter table', async () => {
  const root = newDirectory();
  const { shell, asked } = shellFor({ answers: [''] });
  const { trouble } = await runWithin(shell, ['init', root, '--template', 'web']);
  expect(trouble).toBeUndefined();
  expect(asked).toEqual(['Database URL [svc://127.0.0.1:7237]: ']);
});
