/** `svc schema pull`: records the schema of the database as accepted, and merges it into the schema file, whose own changes are kept. */

import { existsSync, readFileSync } from 'node:fs';
import { withoutByteOrderMark } from '#base';
import {
  type Catalog,
  type Column,
  columnById,
  isSamePolicies,
  schemaHash,
  type Table,
  tableById,
} from '#catalog';
import {
  type DesiredPolicies,
  editSchema,
  type MergedSchema,
  mergePolicies,
  mergeSchemas,
  parseSchema,
  renderSchema,
  renderSection,
  withIds,
} from '#schema';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { clientsAfterChange } from '../generate/after-change.ts';
import { type ComparedClient, clientLines, clientsMember } from '../generate/generate-clients.ts';
import { commonAncestor } from '../project/common-ancestor.ts';
import { differenceWords } from '../project/difference-words.ts';
import { idClashes, requireFreeIds } from '../project/id-clash.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { hashOfPolicies } from '../project/policy-state.ts';
import { generateOption, projectCommand } from '../project/project-options.ts';
import { type DatabaseState, databaseState } from '../project/schema-state.ts';
import { writeWhole } from '../project/write-file.ts';
import { emptySchema, starterSchema } from '../starter-schema.ts';

export function pullCommand(shell: Shell) {
  return projectCommand('pull')
    .description('Import the schema of the database into the project and its schema file.')
    .option(
      '--force',
      'replace the changes of the file by the schema of the database, after a backup of the file',
    )
    .addOption(generateOption())
    .action(async ({ force = false, generate, ...flags }) => {
      const project = openProject(shell, flags);
      // Errors in the configuration of the clients are reported before anything is changed.
      if (generate) project.config.targets();
      const state = await databaseState(project, shell);
      const pulled = pull(project, state, force);
      const { version, hash, catalog } = state;
      const backup =
        pulled.text === undefined || pulled.former === undefined
          ? undefined
          : project.state.backUp(pulled.former, shell.world.clock.unixMs());
      const accepted =
        catalog.tables.length === 0 ? undefined : project.accepted.add({ version, hash, catalog });
      if (pulled.text !== undefined) writeWhole(project.schemaPath, pulled.text);
      remember(project, state);
      const isWanted = generate && catalog.tables.length > 0;
      const clients = isWanted ? clientsAfterChange(shell, project, project.readSchema().hash) : [];
      print(shell, project, { state, pulled, backup, accepted, clients });
    });
}

/** Records the schema, which the file now contains, possibly with additions. */
function remember(
  { database, held, met, pending, policies, seen }: Project,
  { databaseId, version, hash, catalog, ...found }: DatabaseState,
): void {
  if (found.policies !== undefined) policies.add(hashOfPolicies(catalog, found.policies));
  if (catalog.tables.length > 0) held.add(hash);
  if (databaseId === undefined) return;
  met.add(databaseId, database.environment ?? database.url);
  if (catalog.tables.length > 0) seen.add(databaseId, version, hash);
  pending.settle(databaseId, { version, hash });
}

interface Pulled {
  /** The new text of the file, or `undefined` if it stays unchanged. */
  readonly text: string | undefined;
  /** The former text of the file. */
  readonly former: string | undefined;
  /** The imported changes in words. */
  readonly changes: readonly string[];
  /** Whether the file was edited in place. Otherwise it was rewritten without its comments. */
  readonly isInPlace: boolean;
}

function pull(project: Project, state: DatabaseState, force: boolean): Pulled {
  const { hash, catalog } = state;
  const former = existsSync(project.schemaPath)
    ? readFileSync(project.schemaPath, 'utf8')
    : undefined;
  const untouched = { text: undefined, former, changes: [], isInPlace: true };
  const there = state.policies ?? 'absent';
  const fresh = { ...untouched, text: renderSchema(catalog) + renderSection(catalog, there) };
  if (former === undefined || isStarter(former)) return { ...fresh, former: undefined };
  const parsed = parseSchema(former, project.schemaShown);
  if (parsed.kind === 'broken') {
    if (force) return fresh;
    throw invalid(project);
  }
  const { catalog: file, policies: before } = parsed;
  if (schemaHash(file) === hash && isSameState(before, there)) return untouched;
  const wanted = force ? forced(catalog, there) : merged(project, parsed, state);
  if (wanted.conflicts.length > 0) {
    const clashes = idClashes(catalog, file).map(
      ({ name, there, here }) =>
        `table ${name}: id ${there} in the database, id ${here} in ${project.schemaShown} (see "Resolve table ID conflicts" in \`svc docs projects\`)`,
    );
    throw conflicting(project, [...wanted.conflicts, ...clashes]);
  }
  const { catalog: after, renumbering } = wanted;
  requireFreeIds(project, state, file, renumbering);
  const keepsPolicies = isSameState(before, wanted.policies);
  if (schemaHash(after) === schemaHash(file) && keepsPolicies) return untouched;
  const policies = { before, after: wanted.policies };
  const edited = editSchema(former, { before: file, after, renumbering, policies });
  const changes = [
    ...changesOf(file, wanted),
    ...(keepsPolicies ? [] : ['row policies as in the database']),
  ];
  return { ...edited, former, changes };
}

interface Wanted extends MergedSchema {
  readonly policies: DesiredPolicies;
}

function merged(
  project: Project,
  file: { readonly catalog: Catalog; readonly policies: DesiredPolicies },
  state: DatabaseState,
): Wanted {
  const base = commonAncestor(project, file.catalog, state);
  const schema = mergeSchemas(base, file.catalog, state.catalog);
  const { policies, conflict } = mergePolicies({
    ...{ base, file, theirs: state, after: schema.catalog },
    renumbering: schema.renumbering,
    wasAccepted: (hash) => project.policies.has(hash),
  });
  const others = conflict === undefined ? [] : [conflict];
  return { ...schema, policies, conflicts: [...schema.conflicts, ...others] };
}

/** A file without policies has the same state as a database that has none. */
function isSameState(left: DesiredPolicies, right: DesiredPolicies): boolean {
  if (typeof left === 'string' || typeof right === 'string') {
    return left === right || (left === 'none' && right === 'absent');
  }
  return isSamePolicies(left, right);
}

/** Describes the changes. An object with a new id counts as the same object. */
function changesOf(file: Catalog, { catalog, renumbering }: MergedSchema): readonly string[] {
  const renumbered = [...renumbering.tables].map(([from, to]) => {
    const { name } = tableById(file, from) as Table;
    return `table ${name} now has id ${to}, because ${from} belongs to another table of the database`;
  });
  const columns = [...renumbering.columns].flatMap(([id, moved]) => {
    const table = tableById(file, id) as Table;
    return [...moved].map(([from, to]) => {
      const { name } = columnById(table, from) as Column;
      return `column ${table.name}.${name} now has id ${to}, because ${from} belongs to another column of the database`;
    });
  });
  const { changes, rejections } = differenceWords(withIds(file, renumbering), catalog);
  // A file can change in ways that no migration allows. These are reported only if there is nothing else to report.
  return [...(changes.length > 0 ? changes : rejections), ...renumbered, ...columns];
}

/** Returns the schema of the database without merging the file. */
function forced(catalog: Catalog, policies: DesiredPolicies): Wanted {
  const renumbering = { tables: new Map(), columns: new Map() };
  return { catalog, policies, renumbering, conflicts: [] };
}

/** Returns whether a file is unchanged since `init` wrote it, so that it contains no changes to keep. */
function isStarter(text: string): boolean {
  const written = withoutByteOrderMark(text);
  return written === starterSchema || written === emptySchema;
}

function invalid({ schemaShown }: Project): CommandFailure {
  return new CommandFailure({
    code: 'schema_invalid',
    message: `${schemaShown} is not valid, so nothing can be imported into it`,
    hint: `nothing was changed; \`svc validate ${schemaShown}\` shows the errors; --force uses the schema of the database and stores a backup in svc.state/backups`,
  });
}

function conflicting(project: Project, conflicts: readonly string[]): CommandFailure {
  return new CommandFailure({
    code: 'local_changes',
    message: [
      `${project.schemaShown} and the database changed the same objects:`,
      ...conflicts.map((text) => `- ${text}`),
    ].join('\n'),
    hint: `nothing was changed; resolve the conflicts in the file, or use --force to replace it by the schema of the database, with a backup in svc.state/backups`,
    exitCode: exitCodes.conflict,
    details: { conflicts },
  });
}

interface Facts {
  readonly state: DatabaseState;
  readonly pulled: Pulled;
  readonly backup: string | undefined;
  readonly accepted: string | undefined;
  readonly clients: readonly ComparedClient[];
}

function print(
  shell: Shell,
  project: Project,
  { state, pulled, backup, accepted, clients }: Facts,
): void {
  const { version: schema_version, hash: schema_hash } = state;
  const isWritten = pulled.text !== undefined;
  printResult(
    shell,
    {
      schema_version,
      schema_hash,
      desired_schema: project.schemaShown,
      is_written: isWritten,
      changes: pulled.changes,
      ...(accepted === undefined ? {} : { accepted }),
      ...(backup === undefined ? {} : { backup }),
      ...clientsMember(clients),
    },
    [
      isWritten
        ? `pulled  version ${schema_version} into ${project.schemaShown}`
        : `pulled  version ${schema_version}; ${project.schemaShown} is unchanged`,
      ...pulled.changes.map((line) => `- ${line}`),
      ...(pulled.isInPlace
        ? []
        : ['the file was rewritten without its comments, which are in the backup']),
      ...(backup === undefined ? [] : [`backup of the file: ${backup}`]),
      ...clientLines(clients),
    ].join('\n'),
  );
}
