/** `svc key create`: creates a key through a server, or in a store that no server has open. */

import { InvalidArgumentError, Option } from '@commander-js/extra-typings';
import { type NewKeyRecord, scopes } from '#access';
import { KeyApi, type NewKeyRequest } from '#client';
import { usageFailure } from '../frame/command-failure.ts';
import { printResult } from '../frame/output.ts';
import type { Shell } from '../frame/shell.ts';
import { anyServer } from '../project/any-server.ts';
import { databaseCommand } from '../project/project-options.ts';
import { placeOptions } from '../serve/serve-flags.ts';
import { createInStore } from './create-in-store.ts';

const help = `
The command prints the key to stdout. This is the only time: the database contains only a hash of it.
Grants limit the scopes read and write to tables, which must exist: --grant orders:read,create. A table can be *, which means all tables.
With --storage-path, or with --storage s3, the command creates the key in the store itself, without a server. It refuses a store that a
server has open, and creates a store that does not exist. This is the way to the first key of a database, and to another one if all keys of
administrators are lost.`;

const limitNames = ['rate', 'concurrency', 'deadline_ms', 'memory_mib'];

type Pairs = Readonly<Record<string, string>>;

export function createKeyCommand(shell: Shell) {
  const command = databaseCommand('create')
    .description('Create an API key.')
    .requiredOption('--name <name>', 'name of the key, for people')
    .addOption(
      new Option(
        '--scope <scope...>',
        `permissions of the key, several separated by commas: ${scopes.join(', ')}`,
      ).makeOptionMandatory(),
    )
    .option(
      '--grant <table:actions...>',
      'tables that read and write are limited to, with the actions read, create, update, delete (default all tables)',
    )
    .option(
      '--claim <name=value>',
      'fact about the holder of the key; repeat it for further ones (default none)',
      (text, known: Pairs = {}) => withPair(text, known),
    )
    .option(
      '--policies <enforce|bypass>',
      'whether row policies apply to the key (default enforce)',
    )
    .option(
      '--expires <duration|never>',
      'length of life, such as 90s, 15m, 24h or 30d (default 90d)',
    )
    .option(
      '--limit <name=n>',
      `limit of the key: ${limitNames.join(', ')}; repeat it for further ones (default the limits of the server)`,
      (text, known: Pairs = {}) => withLimit(text, known),
    )
    .option(
      '--catalog-mode <direct|schema>',
      'with a storage location: mode of a store that does not exist yet (default direct)',
    )
    .addHelpText('after', help);
  for (const option of placeOptions) command.addOption(option);
  return command.action(async (given) => {
    const { name, scope, grant, claim, policies, expires, limit, ...flags } = given;
    const request = requestOf({ name, scope, grant, claim, policies, expires, limit });
    const { config, env, databaseUrl, accessTokenFile, caFile, ...place } = flags;
    const isOffline = Object.keys(place).some((flag) => flag !== 'catalogMode');
    if (!isOffline && flags.catalogMode !== undefined) {
      throw usageFailure('--catalog-mode needs a storage location, such as --storage-path');
    }
    if (isOffline && (databaseUrl ?? env) !== undefined) {
      throw usageFailure('a storage location cannot be used with --database-url or --env');
    }
    const created = isOffline
      ? await createInStore(shell, place, request)
      : await new KeyApi(anyServer(shell, flags).connection).create(request);
    report(shell, created);
  });
}

function report(shell: Shell, created: NewKeyRecord): void {
  const { id, key, name } = created;
  if (shell.mode === 'text') {
    shell.say(`created key ${id} (${JSON.stringify(name)}); its text is shown only now`);
  }
  printResult(shell, created, key);
}

interface RequestFlags {
  readonly name: string;
  readonly scope: readonly string[];
  readonly grant?: readonly string[] | undefined;
  readonly claim?: Pairs | undefined;
  readonly policies?: string | undefined;
  readonly expires?: string | undefined;
  readonly limit?: Pairs | undefined;
}

function requestOf(flags: RequestFlags): NewKeyRequest {
  const { name, scope, grant, claim, policies, expires, limit } = flags;
  const limits = Object.entries(limit ?? {}).map(([key, value]) => [key, Number(value)]);
  return {
    name,
    scopes: scope.flatMap((words) => words.split(',')),
    ...(grant && { grants: grant }),
    ...(claim && { claims: claim }),
    ...(policies !== undefined && { policies }),
    ...(expires !== undefined && { expires_in: expires }),
    ...(limits.length > 0 && { limits: Object.fromEntries(limits) }),
  };
}

function withPair(text: string, known: Pairs): Pairs {
  const at = text.indexOf('=');
  const name = text.slice(0, at);
  if (at <= 0) throw new InvalidArgumentError('Expected NAME=VALUE.');
  if (Object.hasOwn(known, name)) throw new InvalidArgumentError(`${name} is given twice.`);
  return { ...known, [name]: text.slice(at + 1) };
}

function withLimit(text: string, known: Pairs): Pairs {
  const [name = '', value = ''] = text.split('=');
  if (!limitNames.includes(name) || !/^[1-9]\d{0,9}$/.test(value)) {
    throw new InvalidArgumentError(`Expected one of ${limitNames.join(', ')}, = and a number.`);
  }
  return withPair(text, known);
}
