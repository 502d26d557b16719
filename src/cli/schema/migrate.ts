/** `svc schema migrate`: diff, consent, migrate, wait until the server has the schema, record it. */

import { Command } from '@commander-js/extra-typings';
import type { MigrateResult, SchemaDiff } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import { confirm, type Shell } from '../frame/shell.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { configOption, fileOption, tokenOption } from '../project/project-options.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import { diffText, findingLine, lossLine } from './show-diff.ts';
import { awaitTransitions } from './transitions/await-transitions.ts';

export function migrateCommand(shell: Shell) {
  return new Command('migrate')
    .description(
      'Apply the schema file to the server, wait for online work, and record the result.',
    )
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(tokenOption())
    .option('--accept-data-loss', 'agree to the losses that the diff names')
    .action(async ({ acceptDataLoss = false, ...flags }) => {
      const project = openProject(shell, flags);
      const desired = project.readSchema();
      for (const warning of desired.warnings) shell.say(`warning: ${warning}\n`);
      const diff = await project.api.diff(desired.text);
      if (shell.mode === 'text') shell.say(diffText(diff));
      const isAccepted = await consent(shell, diff, acceptDataLoss);
      const migrated = await project.api.migrate({
        schema: desired.text,
        current_version: diff.current_version,
        current_hash: diff.current_hash,
        accept_data_loss: isAccepted,
      });
      await awaitTransitions(shell, project.api, migrated.transition_ids, { pollMs: 100 });
      report(shell, migrated, await record(shell, project, desired));
    });
}

/** Whether losses are accepted. Throws when the migration is impossible, or not agreed to. */
async function consent(shell: Shell, diff: SchemaDiff, isAccepted: boolean): Promise<boolean> {
  const { blocking, destructive } = diff;
  if (blocking.length > 0) {
    throw new CommandFailure({
      code: 'migration_blocked',
      message: `the migration cannot be applied: ${blocking.map(findingLine).join('; ')}`,
      hint: 'change the data or the schema file; docs/migrations.md says what each finding needs',
      exitCode: exitCodes.blocked,
      details: { blocking },
    });
  }
  if (destructive.length === 0 || isAccepted) return isAccepted;
  if (!shell.isInteractive) {
    throw new CommandFailure({
      code: 'confirmation_required',
      message: `data would be lost: ${destructive.map(({ summary }) => summary).join('; ')}`,
      hint: '--accept-data-loss agrees to exactly that',
      exitCode: exitCodes.consent,
      details: { destructive },
    });
  }
  if (shell.mode === 'json') for (const finding of destructive) shell.say(lossLine(finding));
  if (await confirm(shell, 'Continue?')) return true;
  throw new CommandFailure({
    code: 'migration_cancelled',
    message: 'nothing was changed',
    exitCode: exitCodes.consent,
  });
}

interface Recorded {
  readonly version: number;
  readonly lockfile: string;
  readonly snapshot: string;
}

/** The server has the schema when its hash is that of the file. */
async function record(shell: Shell, project: Project, desired: DesiredSchema): Promise<Recorded> {
  const state = await project.api.schema();
  const { schema_version: version, schema_hash: hash } = state;
  if (hash !== desired.hash) {
    throw new CommandFailure({
      code: 'schema_changed_meanwhile',
      message: `the server is at version ${version} with another schema than this migration made`,
      hint: 'somebody migrated at the same time: `svc schema status` says how things are',
      exitCode: exitCodes.conflict,
    });
  }
  const files = project.accepted.write({ version, hash, catalog: desired.catalog });
  if (shell.mode === 'text') shell.say(`recorded ${files.lockfile}`);
  return { version, ...files };
}

function report(shell: Shell, migrated: MigrateResult, recorded: Recorded): void {
  const { version, lockfile, snapshot } = recorded;
  printResult(
    shell.mode,
    {
      state: 'ready',
      schema_version: version,
      schema_hash: migrated.desired_hash,
      changes: migrated.changes,
      transition_ids: migrated.transition_ids,
      snapshot,
      lockfile,
      generated: [],
    },
    `ready  version ${version}`,
  );
}
