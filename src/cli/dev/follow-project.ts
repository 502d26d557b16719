/** Brings a database to the files of its project, whenever they change. */

import { resolve } from 'node:path';
import { CommandFailure } from '../frame/command-failure.ts';
import type { Shell } from '../frame/shell.ts';
import { watchProject } from '../generate/watch-project.ts';
import { configFile } from '../project/config.ts';
import { openProject } from '../project/open-project.ts';
import { schemaPathOf } from '../project/schema-path.ts';
import { migrateProject } from '../schema/migrate/migrate-command.ts';
import { touchedKinds } from '../schema/migrate/touched.ts';
import { seedProject, seedsOf } from '../seed/seed-command.ts';

interface Followed {
  readonly config?: string | undefined;
  readonly file?: string | undefined;
  readonly databaseUrl: string;
  /** Of a store that goes: there is nothing that anybody would want to be asked about. */
  readonly databaseState: string | undefined;
  readonly isNew: boolean;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Until it is interrupted. What goes wrong is said, and the next change tries again. */
export async function followProject(
  shell: Shell,
  { isNew, signal, ...flags }: Followed,
): Promise<void> {
  const config = resolve(flags.config ?? configFile);
  const root = resolve(config, '..');
  const places = [config, schemaPathOf(root, flags.file)];
  const open = () => openProject(shell, { ...flags, isKnown: true });
  const isThrownAway = flags.databaseState !== undefined;
  const agreement = {
    acceptDataLoss: isThrownAway,
    acceptChanges: isThrownAway ? touchedKinds : [],
  };
  const how = { agreement, dryRun: false, adopts: false, generates: true };
  let isToSeed = isNew;
  await watchProject(shell, { places, command: 'svc dev', signal }, async () => {
    await migrateProject(shell, open, how).catch((error) => {
      throw shell.isInteractive ? error : withFlags(error);
    });
    if (!isToSeed || seedsOf(root).length === 0) return;
    await seedProject(shell, open(), { reset: false, append: false, yes: false });
    isToSeed = false;
  });
}

/** Flags agree where nobody is there to answer; this command has none of them. */
function withFlags(error: unknown): unknown {
  if (!(error instanceof CommandFailure)) return error;
  const { facts } = error;
  if (facts.code !== 'confirmation_required') return error;
  const hint = `${facts.hint}; give them to \`svc schema migrate\`, beside this command`;
  return new CommandFailure({ ...facts, hint });
}
