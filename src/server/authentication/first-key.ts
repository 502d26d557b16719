/** Watches an open database for its first API key, which a server without `--auth` does not check. */

import type { Engine } from '#engine';
import type { ServeConfiguration } from '../configuration.ts';
import type { ServerLifecycle } from '../lifecycle.ts';
import type { Log } from '../log.ts';
import { credentialKinds } from './options.ts';

interface FirstKeyParts {
  readonly configuration: Pick<ServeConfiguration, 'authentication' | 'role'>;
  readonly lifecycle: Pick<ServerLifecycle, 'requireAuthentication'>;
  readonly log: Pick<Log, 'write'>;
}

const refusal =
  'this reader was started without --auth, and the database has API keys now; send the request to the writer, or restart the reader with the --auth of the writer';
const required =
  'the database has API keys now, and this reader was started without --auth: it refuses all requests except probes; restart it with the --auth of the writer, or with --auth none if every client may read all data';
const ignored =
  'the database has API keys now, but this server was started without --auth: every client may still read and change all data; restart it with --auth keys, or with --auth none';

/**
 * A reader refuses all requests from the state with the first key on. The writer has created that key for a client without
 * authentication, which may create others: it only logs a warning. `--auth none` permits both.
 */
export function watchFirstKey(
  { keys }: Pick<Engine, 'keys'>,
  { configuration, lifecycle, log }: FirstKeyParts,
): void {
  const { authentication, role } = configuration;
  if (authentication.isSet || credentialKinds(authentication).length > 0) return;
  let isFound = false;
  const look = () => {
    if (isFound || keys.current.version === 0) return;
    isFound = true;
    if (role === 'write') {
      log.write('warn', 'auth.keys_ignored', { message: ignored });
      return;
    }
    lifecycle.requireAuthentication(refusal);
    log.write('error', 'auth.required', { message: required });
  };
  keys.watch(look);
  look();
}
