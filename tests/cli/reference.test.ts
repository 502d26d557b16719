/** `docs/cli.md` is what the commands say. */

import { expect, test } from 'bun:test';
import { join } from 'node:path';
import type { CommandUnknownOpts } from '@commander-js/extra-typings';
import { cliReference } from '#cli';
import { commandExits } from '../../src/cli/frame/exit-codes.ts';
import { commandTree } from '../../src/cli/main.ts';
import { environmentHelp } from '../../src/cli/serve/serve-flags.ts';
import { shellFor } from './within.ts';

test('docs/cli.md is generated: npx bun run build.ts --schemas', async () => {
  const path = join(import.meta.dir, '..', '..', 'docs/cli.md');
  expect(await Bun.file(path).text()).toBe(cliReference());
});

test('every command says its exit codes, and flags of a long help are grouped', () => {
  const leaves = (command: CommandUnknownOpts, above = ''): string[] => {
    const path = `${above}${command.name()}`;
    if (command.commands.length === 0) return [path];
    return command.commands.flatMap((child) => leaves(child, `${path} `));
  };
  const program = commandTree(shellFor().shell, () => {});
  expect(Object.keys(commandExits).sort()).toEqual(leaves(program).sort());
  const help = program.commands.find((it) => it.name() === 'serve')?.helpInformation() ?? '';
  const headings = help.match(/^\w.*:$/gm);
  expect(headings).toEqual([
    'Network:',
    'PostgreSQL:',
    'Authentication:',
    'Storage:',
    'Database:',
    'Readers:',
    'Logs and telemetry:',
    'Limits:',
    'Storage tuning:',
    'Global flags:',
  ]);
});

test('every variable that the help of the server names is on the page', () => {
  const names = environmentHelp.match(/SVC_[A-Z_]+[A-Z]/g) ?? [];
  expect(names).toContain('SVC_SHUTDOWN_DRAIN_MS');
  for (const name of names) expect(cliReference()).toContain(name);
});
