/** How the commands of a project are told to talk to the database of `svc dev`. */

import { originOf } from '#client';
import type { Shell } from '../frame/shell.ts';
import type { ProjectConfig } from './config.ts';
import { chooseDatabase } from './database-choice.ts';

/** The value of `--database-url`; undefined where commands without it talk to the server at `url` already. */
export function ownDatabaseUrl(
  { env }: Shell,
  config: ProjectConfig,
  url: string,
): string | undefined {
  const own = url.replace(/^http:/, 'svc:');
  try {
    return chooseDatabase(config, {}, env).origin === originOf(url) ? undefined : own;
  } catch {
    // The project names only environments: commands want to know which one.
    return own;
  }
}
