/** The refusal to compare a file with a schema that this project has never seen, with what the database has and the project has not. */

import type { Catalog } from '#catalog';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import type { AcceptedSchema } from './accepted.ts';
import { differenceWords } from './difference-words.ts';
import type { Project } from './open-project.ts';
import { type DatabaseState, takenBackFrom } from './standing.ts';

/** More lines than these help nobody. */
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
        ? `${project.database.url} has a schema that this project has never seen (version ${state.version}); ${since(known, project, state)}`
        : `${project.database.url} was taken back to a schema that it had before, and this project has not seen that (version ${state.version}); it knows its version ${before.version}.`,
      before === undefined ? 'It has what the project has not:' : 'What was done there:',
      ...shortened(found).map((line) => `- ${line}`),
    ].join('\n'),
    hint: [
      'Nothing was changed. Either',
      `  ${pull}  takes that schema into this project, beside your own changes, or`,
      `  ${adopt}  replaces it by the schema file, after showing what that deletes.`,
      'Is it the right database at all?',
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

/** Versions are told of this database alone: each counts its own. */
function since(
  known: AcceptedSchema | undefined,
  { seen }: Project,
  { databaseId, version, hash }: DatabaseState,
): string {
  if (known === undefined) return 'this project has accepted no schema yet';
  if (known.hash === hash) return 'a migration of this project was taken back there';
  const last = databaseId === undefined ? undefined : seen.of(databaseId).at(-1);
  if (last === undefined) return 'the schemas that this project has accepted are others';
  const isOther = last.version >= version;
  const why = isOther ? ', with another schema: was it restored from a backup?' : '';
  return `this project saw it last at version ${last.version}${why}`;
}

/** What is worth saying of a database whose schema is known: that it is a new one, another one than was there, or behind. */
export function acquaintance(
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
      ? [`${name} runs with --catalog-mode direct: programs can change its schema, too`]
      : []),
    ...(isNew ? [`a database this project has not met: ${name}, at version ${version}`] : []),
    ...(isAnother
      ? [
          `${name} led to another database before; this is the one that was met as ${metAs}: have addresses changed places?`,
        ]
      : []),
    ...(last !== undefined && last.version > version
      ? [
          `${name} is at version ${version}, and was at version ${last.version}: was it restored from a backup?`,
        ]
      : seen.wentOnElsewhere(databaseId, hash)
        ? [
            `${name} is behind: another database of this project has had its schema and gone on from there`,
          ]
        : []),
  ];
}

/** What makes the second schema of the first, in words. */
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
