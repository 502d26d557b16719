/** The clients of a project after its accepted schema has changed: the schema is there whatever becomes of them. */

import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import type { Project } from '../project/open-project.ts';
import { type ComparedClient, compareClients, writeClients } from './generate-clients.ts';

/** `hash`: of the schema file. None where the project wants no clients; a note where the file has changes that no database has accepted. */
export function clientsAfterChange(
  shell: Shell,
  { config, accepted, schemaShown, suggest }: Project,
  hash: string,
): readonly ComparedClient[] {
  const targets = config.targets();
  if (targets.length === 0) return [];
  const schema = accepted.find(hash);
  if (schema === undefined) {
    shell.note(
      `no clients were generated: ${schemaShown} has changes that no database has accepted; \`${suggest('schema migrate')}\` brings them there`,
    );
    return [];
  }
  try {
    const clients = compareClients(config, targets, schema);
    writeClients(clients);
    return clients;
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    const { facts } = error;
    throw new CommandFailure({
      ...facts,
      // Another code than that of a project that could not be noted.
      code: 'clients_not_generated',
      message: `the schema is there and the project has noted it, but its clients were not generated: ${facts.message}`,
      hint: '`svc generate` makes them once that is mended',
    });
  }
}
