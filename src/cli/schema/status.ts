/** `svc schema status`: how the schema file, what the project has accepted and the database stand to each other (docs/cli.md). */

import { Command } from '@commander-js/extra-typings';
import type { Catalog } from '#catalog';
import { isTerminal, type SchemaChange, ServerProblem, type Transition } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import type { AcceptedSchema } from '../project/accepted.ts';
import { openProject, type Project } from '../project/open-project.ts';
import {
  configOption,
  databaseOption,
  environmentOption,
  fileOption,
  tokenOption,
} from '../project/project-options.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import {
  type DatabaseState,
  databaseState,
  type Standing,
  standingOf,
} from '../project/standing.ts';
import { transitionLine } from './transitions/show-transition.ts';

export function statusCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return new Command('status')
    .description('Say whether the schema file, the accepted schemas and the database agree.')
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(environmentOption())
    .addOption(databaseOption())
    .addOption(tokenOption())
    .action(async (flags) => {
      const project = openProject(shell, flags);
      const facts = await gather(shell, project);
      const status = statusOf(facts);
      print(shell, facts, status);
      if (status !== 'synchronized') exit(exitCodes.differs);
    });
}

interface Facts {
  readonly server: DatabaseState;
  readonly standing: Standing;
  /** The accepted schema that the database has, else the newest one. */
  readonly accepted: Known<AcceptedSchema>;
  readonly newest: AcceptedSchema | undefined;
  /** That of the schema file, when it was accepted before. */
  readonly desiredBefore: AcceptedSchema | undefined;
  readonly desired: Known<DesiredSchema>;
  /** Undefined when the file says what the database has, cannot be read, or knows nothing of that schema: then ids may mean other tables. */
  readonly changes: Known<readonly SchemaChange[]> | undefined;
  readonly running: readonly Transition[];
}

/** What was read, or why it was not. */
type Known<T> = { readonly value: T } | { readonly value: undefined; readonly error: string };

async function gather(shell: Shell, project: Project): Promise<Facts> {
  const server = await databaseState(project, shell);
  const desired = tried(() => project.readSchema(), '');
  const accepted = tried(
    () => project.accepted.find(server.hash) ?? project.accepted.newest(),
    'no schema was accepted yet',
  );
  const isReadable = accepted.value !== undefined || !('error' in accepted);
  const hash = desired.value?.hash;
  const standing = isReadable ? standingOf(project, server, hash) : 'unknown';
  const isStranger = standing === 'unknown' && server.catalog.tables.length > 0;
  const differs = desired.value !== undefined && hash !== server.hash && !isStranger;
  const changes = differs ? await changesTo(project, desired.value.text) : undefined;
  return {
    server,
    standing,
    accepted,
    newest: isReadable ? project.accepted.newest() : undefined,
    desiredBefore: isReadable && hash !== undefined ? project.accepted.find(hash) : undefined,
    desired,
    changes,
    running: (await project.api.transitions()).filter((it) => !isTerminal(it)),
  };
}

/** There may be no way at all to what the file says: that is news, not a failure of this command. */
async function changesTo({ api }: Project, text: string): Promise<Known<readonly SchemaChange[]>> {
  try {
    return { value: (await api.diff(text)).changes };
  } catch (error) {
    if (error instanceof ServerProblem && error.status === 422) {
      return { value: undefined, error: error.message };
    }
    throw error;
  }
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

/** The first that applies, the most severe one first. */
function statusOf(facts: Facts): string {
  const { server, standing, accepted, newest, desired, desiredBefore } = facts;
  if (accepted.value === undefined) return 'local accepted schema state is unavailable';
  if (standing === 'unknown') {
    const isAhead = newest !== undefined && newest.version < server.version;
    return isAhead ? 'server is ahead of local accepted state' : 'schema history diverged';
  }
  if (standing === 'under_way') return 'a migration of this project is under way';
  if (desired.value === undefined) return 'svc.schema.yaml is unavailable';
  if (standing === 'desired') return 'synchronized';
  const isBehind = desiredBefore !== undefined && desiredBefore.version >= server.version;
  if (isBehind) return 'local accepted state is ahead of server';
  return 'svc.schema.yaml contains unapplied changes';
}

function print(shell: Shell, facts: Facts, status: string): void {
  const { server, accepted, desired, changes, running } = facts;
  const { version: schema_version, hash: schema_hash, databaseId: database_id } = server;
  const known = accepted.value;
  const identity = known && { schema_version: known.version, schema_hash: known.hash };
  const changesError = changes !== undefined && 'error' in changes ? changes.error : undefined;
  const acceptedError = 'error' in accepted ? accepted.error : undefined;
  printResult(
    shell.mode,
    {
      server: {
        schema_version,
        schema_hash,
        ...(database_id === undefined ? {} : { database_id }),
      },
      ...(identity === undefined ? {} : { accepted: identity }),
      ...(acceptedError === undefined ? {} : { accepted_error: acceptedError }),
      ...(changes?.value === undefined ? {} : { desired_changes: changes.value }),
      ...(changesError === undefined ? {} : { desired_error: changesError }),
      transitions: running,
      status,
    },
    [
      `database  version ${schema_version}  ${schema_hash}`,
      `accepted  ${known === undefined ? acceptedError : `version ${known.version}  ${known.hash}`}`,
      ...('error' in desired ? [`file      ${desired.error}`] : []),
      ...(changes?.value ?? []).map(({ summary }) => `- ${summary}`),
      ...(changesError === undefined ? [] : [`file      ${changesError}`]),
      ...running.map((transition) => `running   ${transitionLine(transition)}`),
      `status    ${status}`,
      ...nextSteps(status, server.catalog),
    ].join('\n'),
  );
}

function nextSteps(status: string, { tables }: Catalog): readonly string[] {
  // Nothing is in an empty database that could be taken.
  if (tables.length === 0) return ['next      `svc schema migrate`'];
  switch (status) {
    case 'schema history diverged':
    case 'server is ahead of local accepted state':
    case 'local accepted schema state is unavailable':
      return ['next      `svc schema pull` takes the schema of the database into this project'];
    case 'a migration of this project is under way':
    case 'local accepted state is ahead of server':
    case 'svc.schema.yaml contains unapplied changes':
      return ['next      `svc schema migrate`; with --dry-run it only prints the plan'];
    default:
      return [];
  }
}
