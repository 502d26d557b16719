/** `svc key`: API keys of a database (docs/api-keys.md). */

import { Argument, Command } from '@commander-js/extra-typings';
import { drawKey, isKeyId } from '#access';
import { KeyApi } from '#client';
import { usageFailure } from '../frame/command-failure.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { anyServer, type ServerFlags } from '../project/any-server.ts';
import { databaseCommand } from '../project/project-options.ts';
import { createKeyCommand } from './create-command.ts';
import { keyTable } from './key-table.ts';

export function keyCommand(shell: Shell) {
  return new Command('key')
    .description('Create, list, revoke and replace API keys.')
    .addCommand(createKeyCommand(shell))
    .addCommand(listCommand(shell))
    .addCommand(revokeCommand(shell))
    .addCommand(rotateCommand(shell))
    .addCommand(generateCommand(shell));
}

function listCommand(shell: Shell) {
  return databaseCommand('list')
    .description('List all API keys, without their secrets.')
    .action(async (flags) => {
      const listed = await apiOf(shell, flags).list();
      printResult(shell, listed, keyTable(listed.keys, shell.world.clock.unixMs()));
    });
}

function revokeCommand(shell: Shell) {
  return databaseCommand('revoke')
    .description('Revoke an API key immediately. A second revocation changes nothing.')
    .addArgument(idArgument())
    .action(async (id, flags) => {
      checkId(id);
      await apiOf(shell, flags).revoke(id);
      printResult(shell, { id }, `revoked key ${id}`);
    });
}

function rotateCommand(shell: Shell) {
  return databaseCommand('rotate')
    .description('Create a key with the permissions of another one, which expires after a while.')
    .addArgument(idArgument())
    .option(
      '--grace <duration>',
      'time for which the old key stays valid, such as 90s, 15m, 24h or 30d (default 24h)',
    )
    .action(async (id, { grace, ...flags }) => {
      checkId(id);
      const created = await apiOf(shell, flags).rotate(id, grace);
      if (shell.mode === 'text') {
        shell.say(`created key ${created.id}, which replaces ${id}; its text is shown only now`);
      }
      printResult(shell, created, created.key);
    });
}

function generateCommand(shell: Shell) {
  return new Command('generate')
    .description(
      'Print a new API key that no database knows yet, for --auth-bootstrap-key-file of a server.',
    )
    .action(() => {
      const { id, text: key } = drawKey(shell.world.random);
      printResult(shell, { id, key }, key);
    });
}

function apiOf(shell: Shell, flags: ServerFlags): KeyApi {
  return new KeyApi(anyServer(shell, flags).connection);
}

const idArgument = () => new Argument('<id>', 'id of the key, not its text');

/** Checks an id before it is sent. The message does not repeat a wrong one, which may be a whole key. */
function checkId(id: string): void {
  if (isKeyId(id)) return;
  throw usageFailure('the id of a key has 12 letters and digits; `svc key list` shows the ids');
}
