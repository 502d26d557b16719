/** The error for a database whose schema the project has not recorded, with the objects that the project lacks. */

import type { Catalog } from '#catalog';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { AcceptedSchema } from './accepted.ts';
import { differenceWords } from './difference-words.ts';
import type { Project } from './open-project.ts';
import { type DatabaseState, takenBackFrom } from './schema-state.ts';

/** Maximum number of reported differences. */
const linesMax = 20;

export function unknownSchema(
  project: Project,
  state: DatabaseState,
  file: Catalog,
): CommandFailure {
  const before = takenBackFrom(project, state);
  const base = before && project.accepted.startingWith(before.hashStart);
  const known = base ?? project.accepted.newest();
  const found = differences(known?.catalog ?? file, state.catalog);
  const adopt = project.suggest('schema migrate --adopt');
  const pull = project.suggest('schema pull').padEnd(adopt.length);
  return new CommandFailure({
    code: 'schema_unknown',
    message: [
      before === undefined
        ? `${project.database.url} has a schema that this project has not recorded (version ${state.version}); ${since(known, project, state)}`
        : `${project.database.url} was reverted to a schema that it had before, and this project has not recorded that (version ${state.version}); its last recorded version is ${before.version}.`,
      before === undefined ? 'Differences from the project:' : 'Changes by the revert:',
      ...shortened(found).map((line) => `- ${line}`),
    ].join('\n'),
    hint: [
      'Nothing was changed. Use one of',
      `  ${pull}  to import that schema into this project and keep your own changes`,
      `  ${adopt}  to replace it by the schema file, after showing the deletions`,
      'Check first that it is the right database.',
    ].join('\n'),
    exitCode: exitCodes.conflict,
    details: {
      database_url: project.database.url,
      database_id: state.databaseId,
      schema_version: state.version,
      schema_hash: state.hash,
      accepted: identityOf(known),
      differences: found,
    },
  });
}

/** Describes the last record. The text mentions versions of this database only, because each database counts its own. */
function since(
  known: AcceptedSchema | undefined,
  { seen }: Project,
  { databaseId, version, hash }: DatabaseState,
): string {
  if (known === undefined) return 'this project has accepted no schema yet';
  if (known.hash === hash) return 'a migration of this project was reverted there';
  const last = databaseId === undefined ? undefined : seen.of(databaseId).at(-1);
  if (last === undefined) return 'it differs from all schemas that this project has accepted';
  const isOther = last.version >= version;
  const why = isOther ? ', with another schema; it may have been restored from a backup' : '';
  return `the last recorded version is ${last.version}${why}`;
}

/**
 * Returns notes about a database with a recorded schema: that it is new to the project, that its address led to another database before, or that it is behind.
 */
export function databaseNotes(
  { database, met, pending, seen }: Project,
  { databaseId, mode, version, hash, catalog }: DatabaseState,
): readonly string[] {
  const name = database.environment ?? database.url;
  const isNew =
    databaseId !== undefined &&
    !met.has(databaseId) &&
    pending.of(databaseId) === undefined &&
    catalog.tables.length > 0;
  const last = databaseId === undefined ? undefined : seen.of(databaseId).at(-1);
  const metAs = databaseId === undefined ? undefined : met.nameOf(databaseId);
  const isAnother =
    databaseId !== undefined &&
    metAs !== undefined &&
    metAs !== name &&
    met.namesBut(databaseId).includes(name);
  return [
    ...(mode === 'direct'
      ? [`${name} runs with --catalog-mode direct: programs can also change its schema`]
      : []),
    ...(isNew
      ? [`this project has no record of this database: ${name}, at version ${version}`]
      : []),
    ...(isAnother
      ? [
          `${name} led to another database before, and this one was recorded as ${metAs}; check whether the addresses were exchanged`,
        ]
      : []),
    ...(last !== undefined && last.version > version
      ? [
          `${name} is at version ${version}, and was at version ${last.version}; it may have been restored from a backup`,
        ]
      : seen.wentOnElsewhere(databaseId, hash)
        ? [
            `${name} is behind: another database of this project had the same schema and has a later one now`,
          ]
        : []),
  ];
}

/** Describes the changes from the first schema to the second. */
function differences(from: Catalog, to: Catalog): readonly string[] {
  const { changes, rejections } = differenceWords(from, to);
  return [...changes, ...rejections];
}

function identityOf(schema: AcceptedSchema | undefined) {
  return schema && { schema_version: schema.version, schema_hash: schema.hash };
}

function shortened(lines: readonly string[]): readonly string[] {
  if (lines.length <= linesMax) return lines;
  return [...lines.slice(0, linesMax), `and ${lines.length - linesMax} more`];
}
