/** `svc schema status`: compares the schema file, the accepted schemas of the project and the database (docs/cli.md). */

import { isTerminal, type SchemaDiff, ServerProblem, type WireTransition } from '#client';
import { CommandFailure } from '../frame/command-failure.ts';
import { type ExitCode, exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { type AcceptedSchema, startOfHash } from '../project/accepted.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { type PolicyStanding, policyStandingOf } from '../project/policy-state.ts';
import { projectCommand } from '../project/project-options.ts';
import type { DesiredSchema } from '../project/schema-file.ts';
import {
  type DatabaseState,
  databaseState,
  type ProjectSchemaState,
  schemaStateOf,
} from '../project/schema-state.ts';
import { databaseNotes } from '../project/unknown-schema.ts';
import { cancelHint, remediesFor } from './remedies.ts';
import { findingLine } from './show-diff.ts';
import { transitionLine } from './transitions/show-transition.ts';

export function statusCommand(shell: Shell, exit: (code: ExitCode) => void) {
  return projectCommand('status')
    .description('Compare the schema file, the accepted schemas and the database.')
    .action(async (flags) => {
      const project = openProject(shell, flags);
      const facts = await gather(shell, project);
      const status = statusOf(facts);
      if (facts.standing !== 'unknown') {
        for (const line of databaseNotes(project, facts.server)) shell.note(line);
      }
      print(shell, project, facts, status);
      if (status !== 'synchronized') exit(exitCodes.differs);
    });
}

interface Facts {
  readonly server: DatabaseState;
  readonly standing: ProjectSchemaState;
  readonly policies: PolicyStanding;
  /** The accepted schema that equals that of the database, or else the newest one. */
  readonly accepted: Known<AcceptedSchema>;
  readonly newest: AcceptedSchema | undefined;
  /** The accepted schema that equals the file, if there is one. */
  readonly desiredBefore: AcceptedSchema | undefined;
  /** Whether any database had the schema of this database before the schema of the file. */
  readonly isPassed: boolean;
  readonly desired: Known<DesiredSchema>;
  /**
   * `undefined` if the file equals the schema of the database, if it cannot be read, or if the project has not recorded the schema. In the last case, equal ids
   * can mean different tables.
   */
  readonly diff: Known<SchemaDiff> | undefined;
  readonly running: readonly WireTransition[];
}

/** A value, or the reason why it could not be read. */
type Known<T> =
  | { readonly value: T }
  | { readonly value: undefined; readonly error: string; readonly hint?: string | undefined };

async function gather(shell: Shell, project: Project): Promise<Facts> {
  const server = await databaseState(project, shell);
  const desired = tried(() => project.readSchema(), '');
  const accepted = tried(
    () => project.accepted.find(server.hash) ?? project.accepted.newest(),
    'no schema has been accepted yet',
  );
  const isReadable = accepted.value !== undefined || !('error' in accepted);
  const hash = desired.value?.hash;
  const standing = isReadable ? schemaStateOf(project, server, hash) : 'unknown';
  const isStranger = standing === 'unknown' && server.catalog.tables.length > 0;
  const policies = policyStandingOf(project, server, desired.value?.policies ?? 'absent');
  const isChange = hash !== server.hash || policies === 'recorded';
  const differs = desired.value !== undefined && isChange && !isStranger;
  const diff = differs ? await diffTo(project, desired.value.text) : undefined;
  return {
    server,
    standing,
    policies,
    accepted,
    newest: isReadable ? project.accepted.newest() : undefined,
    desiredBefore: isReadable && hash !== undefined ? project.accepted.find(hash) : undefined,
    isPassed:
      hash !== undefined &&
      project.seen.wentOnElsewhere(server.databaseId, server.hash) &&
      project.seen.isEarlier(startOfHash(server.hash), startOfHash(hash)),
    desired,
    diff,
    running: (await project.api.transitions()).filter((it) => !isTerminal(it)),
  };
}

/** Returns the diff. If no migration to the file is possible, that is a result and not a failure of this command. */
async function diffTo({ api }: Project, text: string): Promise<Known<SchemaDiff>> {
  try {
    return { value: await api.diff(text) };
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
    if (error instanceof CommandFailure) {
      return { value: undefined, error: error.message, hint: error.facts.hint };
    }
    throw error;
  }
}

type Status =
  | 'local accepted schema state is unavailable'
  | 'server is ahead of local accepted state'
  | 'policies of the server are not in local accepted state'
  | 'schema history diverged'
  | 'a migration of this project is under way'
  | 'svc.schema.yaml is unavailable'
  | 'synchronized'
  | 'local accepted state is ahead of server'
  | 'svc.schema.yaml contains unapplied changes';

/** Returns the first status that applies, in order of severity. Programs rely on these words. */
function statusOf(facts: Facts): Status {
  const { server, standing, policies, accepted, newest, desired, desiredBefore } = facts;
  if (accepted.value === undefined) return 'local accepted schema state is unavailable';
  if (standing === 'unknown') {
    const isAhead = newest !== undefined && newest.version < server.version;
    return isAhead ? 'server is ahead of local accepted state' : 'schema history diverged';
  }
  if (standing === 'under_way') return 'a migration of this project is under way';
  if (desired.value === undefined) return 'svc.schema.yaml is unavailable';
  if (policies === 'unknown') return 'policies of the server are not in local accepted state';
  if (standing === 'desired' && policies === 'same') return 'synchronized';
  if (standing === 'desired') return 'svc.schema.yaml contains unapplied changes';
  const isBehind = desiredBefore !== undefined && desiredBefore.version >= server.version;
  if (isBehind || facts.isPassed) return 'local accepted state is ahead of server';
  return 'svc.schema.yaml contains unapplied changes';
}

function print(shell: Shell, project: Project, facts: Facts, status: Status): void {
  const { server, accepted, desired, diff, running } = facts;
  const { version: schema_version, hash: schema_hash, databaseId: database_id } = server;
  const { policyHash: policy_hash } = server;
  const known = accepted.value;
  const identity = known && { schema_version: known.version, schema_hash: known.hash };
  const diffError = diff !== undefined && 'error' in diff ? diff.error : undefined;
  const acceptedError = 'error' in accepted ? accepted.error : undefined;
  const { changes, blocking = [] } = diff?.value ?? {};
  printResult(
    shell,
    {
      server: {
        schema_version,
        schema_hash,
        ...(policy_hash === undefined ? {} : { policy_hash }),
        ...(database_id === undefined ? {} : { database_id }),
      },
      ...(identity === undefined ? {} : { accepted: identity }),
      ...(acceptedError === undefined ? {} : { accepted_error: acceptedError }),
      ...(changes === undefined ? {} : { desired_changes: changes }),
      ...(blocking.length === 0 ? {} : { desired_blocking: blocking }),
      ...(diffError === undefined ? {} : { desired_error: diffError }),
      transitions: running,
      status,
    },
    [
      `database  version ${schema_version}  ${shortHash(schema_hash)}`,
      `accepted  ${known === undefined ? acceptedError : acceptedWords(known, server)}`,
      ...('error' in desired ? [`file      ${desired.error}`] : []),
      ...(changes ?? []).map(({ summary }) => `- ${summary}`),
      ...blocking.map((finding) => `blocked   ${findingLine(finding)}`),
      ...(diffError === undefined ? [] : [`file      ${diffError}`]),
      ...running.map((transition) => `running   ${transitionLine(transition)}`),
      `status    ${statusWords(status, project, facts)}`,
      ...nextSteps(status, project, facts).map((step) => `next      ${step}`),
    ].join('\n'),
  );
}

/** Omits the version, because each database counts its own. */
function acceptedWords({ hash }: AcceptedSchema, server: DatabaseState): string {
  return hash === server.hash ? 'the schema of the database' : `another schema  ${shortHash(hash)}`;
}

/** Shortens a hash as in file names of svc.state, because a whole hash is wider than a terminal. JSON output contains the whole hash. */
function shortHash(hash: string): string {
  return `sha256:${startOfHash(hash)}`;
}

function statusWords(status: Status, project: Project, { server }: Facts): string {
  const { accepted, database, schemaShown } = project;
  const isEmpty = server.catalog.tables.length === 0;
  const name = database.environment ?? 'the database';
  switch (status) {
    case 'local accepted schema state is unavailable':
      return accepted.newestStart() === undefined
        ? 'this project has neither migrated nor pulled anything yet'
        : 'no accepted schema of this project can be read';
    case 'server is ahead of local accepted state':
      return `${name} is ahead: this project has not recorded its schema`;
    case 'policies of the server are not in local accepted state':
      return `${name} has row policies that this project has not recorded`;
    case 'schema history diverged':
      return `${name} has a schema that this project has not recorded`;
    case 'local accepted state is ahead of server':
      return isEmpty ? `${name} is empty` : `${name} is behind`;
    case 'svc.schema.yaml is unavailable':
      return `${schemaShown} is unavailable`;
    case 'svc.schema.yaml contains unapplied changes':
      return `${schemaShown} contains unapplied changes`;
    default:
      return status;
  }
}

function nextSteps(
  status: Status,
  { suggest }: Project,
  { server, accepted, diff, running }: Facts,
): readonly string[] {
  // No command works while the records of the project are damaged.
  if ('hint' in accepted && accepted.hint !== undefined) return [accepted.hint];
  const { blocking = [] } = diff?.value ?? {};
  if (blocking.length > 0) return remediesFor(blocking, suggest);
  if (diff !== undefined && 'error' in diff) {
    return ['change the file: no migration from the database to its schema is possible'];
  }
  // An empty database contains nothing to import.
  if (server.catalog.tables.length === 0) return [`\`${suggest('schema migrate')}\``];
  switch (status) {
    case 'schema history diverged':
    case 'server is ahead of local accepted state':
    case 'local accepted schema state is unavailable':
      return [`\`${suggest('schema pull')}\` imports the schema of the database into this project`];
    case 'policies of the server are not in local accepted state':
      return [`\`${suggest('schema pull')}\` imports the row policies into the schema file`];
    case 'a migration of this project is under way':
    case 'local accepted state is ahead of server':
    case 'svc.schema.yaml contains unapplied changes':
      return [`\`${suggest('schema migrate')}\`; with --dry-run it only prints the plan`];
    case 'synchronized':
      return running.map((transition) => cancelHint(transition, suggest));
    default:
      return [];
  }
}
