/** Generates the clients of a project after its accepted schema has changed. A failure does not undo the change of the schema. */

import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import type { Project } from '../project/open-project.ts';
import { type ComparedClient, compareClients, writeClients } from './generate-clients.ts';

/**
 * Writes and returns the clients. `hash` is that of the schema file. Returns an empty list if the project configures no clients. If no database has accepted
 * the changes of the file, it writes a note and returns an empty list.
 */
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
      `no clients were generated: ${schemaShown} has changes that no database has accepted; \`${suggest('schema migrate')}\` applies them`,
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
      // The code differs from that of a project whose records could not be written.
      code: 'clients_not_generated',
      message: `the schema was accepted and recorded, but its clients were not generated: ${facts.message}`,
      hint: '`svc generate` generates them when the problem is solved',
    });
  }
}
