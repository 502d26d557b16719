/** The flag with which other commands of a project address the database of `svc dev`. */

import { originOf } from '#client';
import type { Shell } from '../frame/shell.ts';
import type { ProjectConfig } from './config.ts';
import { chooseDatabase } from './database-choice.ts';

/** Returns the value of `--database-url`, or `undefined` if commands without the flag already address the server at `url`. */
export function ownDatabaseUrl(
  { env }: Shell,
  config: ProjectConfig,
  url: string,
): string | undefined {
  const own = url.replace(/^http:/, 'svc:');
  try {
    return chooseDatabase(config, {}, env).origin === originOf(url) ? undefined : own;
  } catch {
    // The project has only environments, so commands need an explicit address.
    return own;
  }
}
