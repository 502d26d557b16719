/** `svc schema status`: how the schema file, the accepted schema and the server's stand to each other. */

import { Command } from '@commander-js/extra-typings';
import type { SchemaChange, SchemaState } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import type { AcceptedSchema } from '../project/accepted.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { configOption, fileOption, tokenOption } from '../project/project-options.ts';
import type { DesiredSchema } from '../project/schema-file.ts';

export function statusCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return new Command('status')
    .description('Say whether the schema file, the recorded schema and the server agree.')
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(tokenOption())
    .action(async (flags) => {
      const project = openProject(shell, flags);
      const facts = await gather(project);
      const status = statusOf(facts);
      print(shell, facts, status);
      if (status !== 'synchronized') exit(exitCodes.differs);
    });
}

interface Facts {
  readonly server: SchemaState;
  readonly accepted: Known<AcceptedSchema>;
  readonly desired: Known<DesiredSchema>;
  readonly changes: readonly SchemaChange[] | undefined;
}

/** What was read, or why it was not. */
type Known<T> = { readonly value: T } | { readonly value: undefined; readonly error: string };

async function gather(project: Project): Promise<Facts> {
  const server = await project.api.schema();
  const accepted = tried(() => project.accepted.read(), 'no schema was accepted yet');
  const desired = tried(() => project.readSchema(), '');
  const differs = desired.value !== undefined && desired.value.hash !== server.schema_hash;
  const changes = differs ? (await project.api.diff(desired.value.text)).changes : undefined;
  return { server, accepted, desired, changes };
}

function tried<T>(read: () => T | undefined, otherwise: string): Known<T> {
  try {
    const value = read();
    return value === undefined ? { value: undefined, error: otherwise } : { value };
  } catch (error) {
    if (error instanceof CommandFailure) return { value: undefined, error: error.message };
    throw error;
  }
}

/** The first that applies, the most severe one first (cli.md §2.3). */
function statusOf({ server, accepted, desired }: Facts): string {
  const known = accepted.value;
  if (known !== undefined) {
    const isSame = known.hash === server.schema_hash;
    if (known.version === server.schema_version && !isSame) return 'schema history diverged';
    if (known.version < server.schema_version) return 'server is ahead of local accepted state';
    if (known.version > server.schema_version) return 'local accepted state is ahead of server';
  } else {
    return 'local accepted schema state is unavailable';
  }
  if (desired.value === undefined) return 'svc.schema.yaml is unavailable';
  if (desired.value.hash !== known.hash) return 'svc.schema.yaml contains unapplied changes';
  return 'synchronized';
}

function print(shell: Shell, facts: Facts, status: string): void {
  const { server, accepted, desired, changes } = facts;
  const { schema_version, schema_hash } = server;
  const known = accepted.value;
  const identity = known && { schema_version: known.version, schema_hash: known.hash };
  const acceptedError = 'error' in accepted ? accepted.error : undefined;
  printResult(
    shell.mode,
    {
      server: { schema_version, schema_hash },
      ...(identity === undefined ? {} : { accepted: identity }),
      ...(acceptedError === undefined ? {} : { accepted_error: acceptedError }),
      ...(changes === undefined ? {} : { desired_changes: changes }),
      generated_clients: [],
      status,
    },
    [
      `server    version ${schema_version}  ${schema_hash}`,
      `accepted  ${known === undefined ? acceptedError : `version ${known.version}  ${known.hash}`}`,
      ...('error' in desired ? [`desired   ${desired.error}`] : []),
      ...(changes ?? []).map(({ summary }) => `- ${summary}`),
      `status    ${status}`,
    ].join('\n'),
  );
}
