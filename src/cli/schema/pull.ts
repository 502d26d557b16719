/** `svc schema pull`: the server's schema becomes the accepted and the desired one. */

import { existsSync, readFileSync } from 'node:fs';
import { Command } from '@commander-js/extra-typings';
import { type Catalog, declareCatalog, schemaHash } from '#catalog';
import type { SchemaState } from '#client';
import { parseSchema, renderSchema } from '#schema';
import { checkTableDefinition } from '#wire';
import { CommandFailure } from '../frame/command-failure.ts';
import { exitCodes } from '../frame/exit-codes.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { openProject, type Project } from '../project/open-project.ts';
import { configOption, fileOption, tokenOption } from '../project/project-options.ts';
import { writeWhole } from '../project/write-file.ts';

export function pullCommand(shell: Shell) {
  return new Command('pull')
    .description("Take the server's schema as the accepted one and as the schema file.")
    .addOption(configOption())
    .addOption(fileOption())
    .addOption(tokenOption())
    .option('--force', 'replace a schema file with changes of its own; a backup is kept')
    .action(async ({ force = false, ...flags }) => {
      const project = openProject(shell, flags);
      const state = await project.api.schema();
      const catalog = catalogOf(state);
      const { schema_version: version, schema_hash: hash } = state;
      const local = localChanges(project, hash);
      if (local !== undefined && !force) throw wouldBeLost(project);
      const backup =
        local === undefined
          ? {}
          : { backup: project.accepted.backUp(local, shell.world.clock.unixMs()) };
      const files = project.accepted.write({ version, hash, catalog });
      writeWhole(project.schemaPath, renderSchema(catalog));
      printResult(
        shell.mode,
        {
          schema_version: version,
          schema_hash: hash,
          desired_schema: project.schemaShown,
          ...files,
          ...backup,
          generated: [],
        },
        [
          `pulled  version ${version} into ${project.schemaShown}`,
          ...(backup.backup === undefined ? [] : [`the former file is ${backup.backup}`]),
        ].join('\n'),
      );
    });
}

/** The text of a schema file that says something else than the accepted schema and the server's; undefined when nothing is lost. */
function localChanges(project: Project, serverHash: string): string | undefined {
  if (!existsSync(project.schemaPath)) return undefined;
  const text = readFileSync(project.schemaPath, 'utf8');
  const parsed = parseSchema(text, project.schemaShown);
  if (parsed.kind === 'broken') return text;
  const hash = schemaHash(parsed.catalog);
  return hash === serverHash || hash === acceptedHash(project) ? undefined : text;
}

/** What cannot be read accepts nothing: `pull` is how it is repaired. */
function acceptedHash(project: Project): string | undefined {
  try {
    return project.accepted.read()?.hash;
  } catch (error) {
    if (error instanceof CommandFailure) return undefined;
    throw error;
  }
}

/** From the document of an answer to a catalog, checked by the hash that the server names. */
export function catalogOf({ schema, schema_hash: hash }: SchemaState): Catalog {
  const catalog = declareCatalog(
    schema.tables.map((table) => ({ id: table.id, ...checkTableDefinition(table) })),
  );
  if (schemaHash(catalog) === hash) return catalog;
  throw new CommandFailure({
    code: 'schema_unreadable',
    message: 'the schema that the server shows does not have the hash that it names',
    hint: 'is the server of another version than this command?',
  });
}

function wouldBeLost(project: Project): CommandFailure {
  return new CommandFailure({
    code: 'local_changes',
    message: `${project.schemaShown} has changes that the server does not have`,
    hint: '`svc schema diff` shows them; --force replaces the file and keeps a backup in svc.state/backups',
    exitCode: exitCodes.differs,
  });
}
