/** The checks of `svc doctor security`: what a configuration exposes, and which of its files are unsafe (docs/security.md). */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isOpenToOthers } from '#storage';
import { readKeyFile } from '../authentication/key-file.ts';
import { checkKeySetFile } from '../authentication/key-set-file.ts';
import type { ServeConfiguration } from '../configuration.ts';
import { connectionLimit, descriptorLimit } from '../connections/connection-limit.ts';
import { readToken } from '../relay/token-file.ts';
import { certificateCheck } from './certificate-check.ts';
import { isReachable } from './reachable.ts';
import { directoriesOf } from './storage-directories.ts';

export interface SecurityCheck {
  readonly name: string;
  readonly status: 'pass' | 'warning' | 'fail';
  readonly message: string;
  readonly details: object;
}

type Result = Omit<SecurityCheck, 'name'>;

/** The permissions of all users. */
const othersMay = 0o007;

/** Checks the configuration of a server that need not run. */
export function securityChecks(
  configuration: ServeConfiguration,
  nowMs: number,
): readonly SecurityCheck[] {
  const named = (name: string, check: () => Result) => ({ name, ...settled(check) });
  return [
    named('exposure', () => exposureCheck(configuration)),
    named('certificate', () => certificateCheck(configuration, nowMs)),
    named('secrets', () => secretsCheck(configuration)),
    named('directory', () => directoryCheck(configuration)),
    named('limits', () => limitsCheck(configuration)),
    named('cors', () => corsCheck(configuration)),
  ];
}

/** Turns an error of a check into its failure. */
function settled(check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    return { status: 'fail', message: (error as Error).message, details: {} };
  }
}

function exposureCheck(configuration: ServeConfiguration): Result {
  const { isInsecure, isBehindTlsProxy, trustedProxies } = configuration;
  const details = { isInsecure, isBehindTlsProxy };
  if (isReachable(configuration)) {
    const message =
      '--insecure: every client that can reach the address can read and change all data';
    return { status: 'warning', message, details };
  }
  if (isBehindTlsProxy && trustedProxies.length === 0) {
    const message =
      '--behind-tls-proxy without --trusted-proxy: clients can bypass the proxy, and their addresses are unknown';
    return { status: 'warning', message, details };
  }
  return { status: 'pass', message: 'no other machine can reach the server unprotected', details };
}

/** Certificates and their keys belong to the check of certificates. */
function secretsCheck({ relay, s3, authentication }: ServeConfiguration): Result {
  const { bootstrapKeyPath, tokens } = authentication;
  if (relay !== undefined) readToken(relay.tokenPath);
  if (bootstrapKeyPath !== undefined) readKeyFile(bootstrapKeyPath);
  if (tokens?.origin.kind === 'file') checkKeySetFile(tokens.origin.path);
  // The credentials file was checked when the options were read.
  const paths = [relay?.tokenPath, bootstrapKeyPath, s3?.credentialsFile?.path];
  const files = paths.filter((one) => one !== undefined);
  const details = { files };
  if (files.length === 0)
    return { status: 'pass', message: 'no file with an API key, a token or credentials', details };
  return { status: 'pass', message: 'no other user can read the secret files', details };
}

function directoryCheck(configuration: ServeConfiguration): Result {
  const directories = directoriesOf(configuration);
  const paths = directories.map(([, path]) => path);
  const open = paths.filter(isOpenToOthers);
  if (open.length > 0) {
    const message = `other users can write to ${open.join(', ')}; run \`chmod -R o-rwx\` on it`;
    return { status: 'fail', message, details: { open } };
  }
  const readable = paths.flatMap(readableIn);
  if (readable.length > 0) {
    const message = `other users can read ${readable[0]} and possibly more; run \`chmod -R o-rwx\` on the directory`;
    return { status: 'warning', message, details: { readable } };
  }
  const message = 'no other user can read or write the directories';
  return { status: 'pass', message, details: { paths } };
}

/** Returns the directory or file that all users can read. If they cannot enter the directory, they cannot read its files. */
function readableIn(path: string): readonly string[] {
  if (!isOpen(path)) return [];
  const files = readdirSync(path, { withFileTypes: true }).map(({ name }) => join(path, name));
  return files.filter(isOpen).slice(0, 1);
}

function isOpen(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return process.platform !== 'win32' && found !== undefined && (found.mode & othersMay) !== 0;
}

function limitsCheck({ connectionsMax }: ServeConfiguration): Result {
  const descriptors = descriptorLimit();
  const connections = connectionLimit(connectionsMax, descriptors);
  const details = { connections, descriptors, core_dumps: hasCoreDumps() };
  if (details.core_dumps) {
    const message =
      'core dumps are on, and contain rows and secrets; set `ulimit -c 0` or LimitCORE=0';
    return { status: 'warning', message, details };
  }
  return { status: 'pass', message: `${connections} connections, no core dumps`, details };
}

/** Returns `false` if the limit is unknown. */
function hasCoreDumps(): boolean {
  try {
    const found = /^Max core file size +(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
    return found !== null && found[1] !== '0';
  } catch {
    return false;
  }
}

function corsCheck({ corsOrigins }: ServeConfiguration): Result {
  const details = { origins: corsOrigins };
  if (corsOrigins.length === 0)
    return { status: 'pass', message: 'no page of another origin can send requests', details };
  if (corsOrigins.includes('*')) {
    const message =
      'pages of all origins can send requests with an access token; name the origins in --cors-origin';
    return { status: 'warning', message, details };
  }
  const plain = corsOrigins.filter((origin) => origin.startsWith('http://'));
  const remote = plain.filter((origin) => !/^http:\/\/(?:localhost|127\.|\[::1\])/.test(origin));
  if (remote.length === 0)
    return { status: 'pass', message: `only pages of ${corsOrigins.join(', ')}`, details };
  const message = `anyone on the network of a user can change pages of ${remote.join(', ')}; use https origins`;
  return { status: 'warning', message, details };
}
