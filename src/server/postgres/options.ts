/** `--frontend` and `--postgres-*`: the listener of the PostgreSQL protocol (docs/postgres.md). */

import { isLoopback } from '#base';
import { type Address, parseAddress } from '../address.ts';
import type { AuditConfiguration } from '../audit/options.ts';
import { type Option, oneOf, refusal, wholeNumber } from '../option.ts';

export interface PostgresConfiguration {
  readonly address: Address;
  /** `token`: the password of a client is an API key or an access token. */
  readonly auth: 'trust' | 'token';
  readonly connectionsMax: number;
  readonly messageBytesMax: number;
  /** Maximum time of a transaction. 0 means no limit. */
  readonly transactionTimeoutMs: number;
  /** Maximum time of a transaction between two statements. 0 means no limit. */
  readonly idleTransactionTimeoutMs: number;
  /** Time after which a client that does not read its results is disconnected. 0 means no limit. */
  readonly sendTimeoutMs: number;
}

const names = [
  'postgres-addr',
  'postgres-auth',
  'postgres-max-connections',
  'postgres-max-message-mib',
  'postgres-transaction-timeout-ms',
  'postgres-idle-transaction-timeout-ms',
  'postgres-send-timeout-ms',
] as const;

const delayRange = { min: 0, max: 2 ** 31 - 1 };

/** The settings on which those of the listener depend. */
interface Beside {
  readonly hasAuthentication: boolean;
  readonly audit: AuditConfiguration | undefined;
}

/** Returns `undefined` without `--frontend postgres`. Throws a `RefusedOption`. */
export function postgresOf(
  option: (name: string) => Option,
  { hasAuthentication, audit }: Beside,
): PostgresConfiguration | undefined {
  const frontend = oneOf(option('frontend'), ['none', 'postgres'], 'none');
  const [address, auth, connections, message, whole, idle, send] = names.map(option) as [
    Option,
    Option,
    Option,
    Option,
    Option,
    Option,
    Option,
  ];
  if (frontend === 'none') {
    const given = names.map(option).find(({ value }) => value !== undefined);
    if (given === undefined) return undefined;
    throw refusal(given, 'only with --frontend postgres');
  }
  if (audit !== undefined && audit.level !== 'auth') {
    const expected = 'auth with --frontend postgres, because the audit log contains no SQL yet';
    throw refusal(option('audit-level'), expected);
  }
  return {
    address: addressOf(address),
    auth: authOf(auth, hasAuthentication),
    connectionsMax: wholeNumber(connections, { min: 1, max: 1_000_000, otherwise: 5000 }),
    messageBytesMax: wholeNumber(message, { min: 1, max: 1023, otherwise: 64 }) << 20,
    transactionTimeoutMs: wholeNumber(whole, { ...delayRange, otherwise: 300_000 }),
    idleTransactionTimeoutMs: wholeNumber(idle, { ...delayRange, otherwise: 60_000 }),
    sendTimeoutMs: wholeNumber(send, { ...delayRange, otherwise: 60_000 }),
  };
}

function addressOf(option: Option): Address {
  const address = parseAddress(option.value ?? '127.0.0.1:5432');
  if (address !== undefined && isLoopback(address.host)) return address;
  throw refusal(
    option,
    'a loopback address such as 127.0.0.1:5432, because the PostgreSQL protocol is not encrypted yet',
  );
}

function authOf(option: Option, hasAuthentication: boolean): 'trust' | 'token' {
  if (option.value === 'scram')
    throw refusal(option, 'trust or token, because scram is not available yet');
  const auth = oneOf(option, ['trust', 'token'], hasAuthentication ? 'token' : 'trust');
  if (auth === 'trust' && hasAuthentication)
    throw refusal(option, 'token, because --auth requires credentials');
  if (auth === 'token' && !hasAuthentication)
    throw refusal(option, 'trust, or --auth keys or jwt to be set');
  return auth;
}
