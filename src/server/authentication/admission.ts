/** Checks the open database against the authentication of the server, before the first request. */

import { endOf } from '#access';
import type { Engine } from '#engine';
import type { Log } from '../log.ts';
import { RefusedConfiguration } from '../refused-option.ts';
import { readKeyFile } from './key-file.ts';
import type { AuthenticationConfiguration } from './options.ts';

interface Circumstances {
  readonly role: 'read' | 'write';
  readonly nowMs: number;
}

const nobody =
  'no client could log in, because the database has no live API key with the scope admin: create one with `svc key create --name admin --scope admin` and the storage options of this server, start with --auth-bootstrap-key-file, or use --auth keys,jwt';

/**
 * Creates the first key, if it is configured and the database never had a key. Throws a `RefusedConfiguration` if no client
 * could be authenticated, and if a database with keys or row policies would be open although `--auth` is not set. A reader always starts: its writer may create the first key later.
 */
export async function admitDatabase(
  engine: Engine,
  { isSet, acceptsKeys, tokens, bootstrapKeyPath }: AuthenticationConfiguration,
  { role, nowMs }: Circumstances,
): Promise<void> {
  const { keys } = engine;
  const isOpen = !acceptsKeys && tokens === undefined;
  if (isOpen) {
    const protection = protectionOf(engine);
    if (protection === undefined || isSet) return;
    const detail = `the database has ${protection}, and without --auth every client may read and change all data: add --auth keys or --auth none`;
    throw new RefusedConfiguration(detail);
  }
  if (role === 'read') return;
  if (bootstrapKeyPath !== undefined) {
    await keys.bootstrap(readKeyFile(bootstrapKeyPath));
  }
  if (tokens !== undefined || keys.current.hasLiveAdmin(nowMs)) return;
  throw new RefusedConfiguration(nobody);
}

/** Returns the protection of the data that a server without `--auth` would ignore; `undefined` if there is none. */
export function protectionOf({
  keys,
  catalog,
}: Pick<Engine, 'keys' | 'catalog'>): 'API keys' | 'row policies' | undefined {
  if (keys.current.version > 0) return 'API keys';
  return catalog.policies === undefined ? undefined : 'row policies';
}

/** Logs a warning if keys are live that a client without authentication has created. */
export function warnOfOpenKeys({ keys }: Engine, nowMs: number, log: Pick<Log, 'write'>): void {
  const open = [...keys.current.keys()].filter(
    (key) => key.by === 'open' && endOf(key, nowMs) === undefined,
  );
  if (open.length === 0) return;
  const ids = open.slice(0, shownMax).map(({ id }) => id);
  const message =
    'clients without authentication have created live API keys; revoke those that you do not know: `svc key list`';
  log.write('warn', 'auth.open_keys', { message, keys: open.length, ids: ids.join(' ') });
}

/** Maximum number of ids in a log line. */
const shownMax = 20;
