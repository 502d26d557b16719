/** The `--s3-*` options, and the credentials, which come from a file or from environment variables (docs/cli.md). */

import { resolve } from 'node:path';
import { isLoopback } from '#base';
import { type BucketOptions, readCredentials, type S3Credentials } from '#storage';
import { refuseReadableByOthers } from './file-access.ts';
import { type Environment, type Option, oneOf, refusal } from './option.ts';
import { RefusedOption } from './refused-option.ts';

type Read = (name: string, variable?: string) => Option;

const names = [
  's3-bucket',
  's3-prefix',
  's3-region',
  's3-endpoint',
  's3-insecure',
  's3-credentials-file',
] as const;

/** Returns `undefined` unless the storage is s3. Throws a `RefusedOption`. */
export function bucketOf(
  storage: string,
  option: Read,
  env: Environment,
): BucketOptions | undefined {
  if (storage !== 's3') {
    const stray = names.map((name) => option(name)).find(({ isFlag }) => isFlag);
    if (stray !== undefined) throw refusal(stray, 'only with --storage s3');
    return undefined;
  }
  const endpoint = endpointOf(option('s3-endpoint'), env);
  refusePlain(endpoint, option('s3-endpoint'), option('s3-insecure'));
  return {
    bucket: bucketName(option('s3-bucket')),
    prefix: prefixOf(option('s3-prefix'), option('storage-path')),
    region: regionOf(option('s3-region'), endpoint, env),
    endpoint,
    ...(fileCredentialsOf(option('s3-credentials-file'), env) ?? {
      credentials: credentialsOf(env),
    }),
  };
}

function bucketName(option: Option): string {
  const { value } = option;
  if (value !== undefined && /^[A-Za-z0-9][A-Za-z0-9.-]{1,61}[A-Za-z0-9]$/.test(value)) {
    return value;
  }
  throw refusal(option, 'the name of a bucket: 3 to 63 letters, digits, dots and hyphens');
}

/** Returns the prefix without leading and trailing slashes. Without `--s3-prefix`, the prefix is `--storage-path`. */
function prefixOf(option: Option, path: Option): string {
  const given = option.value === undefined ? path : option;
  const prefix = (given.value ?? 'svc').replace(/^\/+|\/+$/g, '');
  const isClean = prefix === '' || !prefix.split('/').some((part) => /^\.{0,2}$/.test(part));
  if (isClean && prefix.length <= 512) return prefix;
  throw refusal(given, 'a prefix such as `a/b`, without empty parts, `.` and `..`');
}

function endpointOf(option: Option, env: Environment): string | undefined {
  const variables = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL', 'S3_ENDPOINT'];
  const given = option.value === undefined ? firstOf(option, variables, env) : option;
  if (given.value === undefined) return undefined;
  const url = URL.parse(given.value);
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return given.value.replace(/\/+$/, '');
  throw refusal(given, 'a URL such as https://host:port');
}

/** Throws unless the endpoint uses TLS, is on this machine, or `--s3-insecure` is set: data and signatures travel in plain text. */
function refusePlain(endpoint: string | undefined, option: Option, insecure: Option): void {
  const isInsecure = oneOf(insecure, ['true', 'false'], 'false') === 'true';
  if (endpoint === undefined || isInsecure) return;
  const { protocol, hostname } = new URL(endpoint);
  if (protocol === 'https:' || isLoopback(hostname)) return;
  const given = { ...option, value: option.value ?? endpoint };
  throw refusal(given, 'an https:// URL, or --s3-insecure for a network that you trust');
}

/** Returns the region. With an endpoint it defaults to us-east-1, because other S3 servers ignore it. */
function regionOf(option: Option, endpoint: string | undefined, env: Environment): string {
  const variables = ['AWS_REGION', 'AWS_DEFAULT_REGION', 'S3_REGION'];
  const given = option.value === undefined ? firstOf(option, variables, env) : option;
  const region = given.value ?? (endpoint === undefined ? undefined : 'us-east-1');
  if (region !== undefined && /^[a-z0-9][a-z0-9-]*$/.test(region)) return region;
  throw refusal(given, 'the region of the bucket, such as eu-central-1 (or AWS_REGION)');
}

/** Returns the option with the first variable that is set. An empty variable counts as unset. */
function firstOf(option: Option, variables: readonly string[], env: Environment): Option {
  const variable = variables.find((name) => (env[name] ?? '') !== '');
  return variable === undefined ? option : { ...option, variable, value: env[variable] };
}

/** Returns `undefined` without the option. Throws a `RefusedOption` if other users can read the file, or if it is incomplete. */
function fileCredentialsOf(option: Option, env: Environment) {
  if (option.value === undefined) return undefined;
  const path = resolve(option.value);
  const credentialsFile = { path, profile: env['AWS_PROFILE'] || 'default' };
  try {
    const credentials = readCredentials(credentialsFile);
    refuseReadableByOthers('--s3-credentials-file', path);
    return { credentials, credentialsFile };
  } catch (error) {
    if (error instanceof RefusedOption) throw error;
    throw refusal(option, `a file in the format of the AWS tools (${(error as Error).message})`);
  }
}

/** Reads all credentials from one family of variables, because a session token belongs to the keys of its family. */
function credentialsOf(env: Environment): S3Credentials {
  const family = (env['S3_ACCESS_KEY_ID'] ?? '') === '' ? 'AWS' : 'S3';
  const need = (name: string, what: string): string => {
    const value = env[`${family}_${name}`] ?? '';
    if (value !== '') return value;
    throw new RefusedOption(`${family}_${name}`, undefined, `${what}, for --storage s3`);
  };
  const keys = {
    accessKeyId: need('ACCESS_KEY_ID', 'the ID of an access key'),
    secretAccessKey: need('SECRET_ACCESS_KEY', 'the secret of that access key'),
  };
  const sessionToken = env[`${family}_SESSION_TOKEN`] ?? '';
  return sessionToken === '' ? keys : { ...keys, sessionToken };
}
