/** A check of requests over keys, tokens and tables that a test changes. */

import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, type KeySet as ApiKeySet, drawKey, hashOfKey, noKeys } from '#access';
import {
  defaultScopeNames,
  type KeySet,
  type RefusedRequest,
  RequestCheck,
  type RunVerification,
  TokenVerifier,
} from '#authentication';
import { systemWorld } from '#base';
import { issuerKeys, issuerUrl, nowSeconds, rulesOf } from '../token/issuer.ts';

export const client = '192.0.2.1';

export function newKey(more: Partial<ApiKey> = {}) {
  const { id, text } = drawKey(systemWorld().random);
  const key: ApiKey = {
    id,
    name: 'test',
    hash: hashOfKey(text),
    scopes: new Set(['read']),
    grants: undefined,
    policies: 'enforce',
    claims: {},
    limits: {},
    createdAtMs: 0,
    by: 'offline',
    ...more,
  };
  return { key, text, header: `Bearer ${text}` };
}

interface Options {
  readonly run?: RunVerification;
  readonly withoutTokens?: true;
  readonly withoutKeys?: true;
}

export function checkOf({ run = (work) => work(), withoutTokens, withoutKeys }: Options = {}) {
  const state = {
    nowMs: nowSeconds * 1000,
    keys: noKeys as ApiKeySet,
    issuerKeys: issuerKeys as KeySet,
    isReady: true,
    catalog: { orders: 7 } as Readonly<Record<string, number>>,
    verifications: 0,
    addressesRead: 0,
    /** The lengths of the secrets that were compared. */
    compared: [] as number[],
  };
  const refused: RefusedRequest[] = [];
  const clock = { unixMs: () => state.nowMs, monotonicMs: () => state.nowMs };
  const verifier = new TokenVerifier({
    rules: rulesOf('rfc9068'),
    clock,
    run: (work) => {
      state.verifications++;
      return run(work);
    },
    keys: {
      get current() {
        return state.issuerKeys;
      },
      get isReady() {
        return state.isReady;
      },
      refresh: () => Promise.resolve(),
    },
  });
  const tables = { identity: () => state.catalog, idOf: (name: string) => state.catalog[name] };
  const rights = { scopeNames: defaultScopeNames, grantsClaim: 'svc_grants' };
  const check = new RequestCheck({
    clock,
    random: systemWorld().random,
    isEqual: (one, other) => {
      state.compared.push(one.length);
      return timingSafeEqual(one, other);
    },
    refused: (request) => refused.push(request),
    ...(withoutKeys ? {} : { keys: () => state.keys }),
    ...(withoutTokens ? {} : { tokens: { issuer: issuerUrl, verifier, rights, tables } }),
  });
  /** Returns the result, a promise or not. */
  const send = (header: string | null, address = client) =>
    check.check(header, () => {
      state.addressesRead++;
      return address;
    });
  const add = (...keys: readonly ApiKey[]) => {
    state.keys = state.keys.next(keys).keys;
  };
  return { state, refused, send, add };
}

/** What a client learns: the principal, or the reason of the refusal. */
export async function answerOf(result: ReturnType<RequestCheck['check']>) {
  const checked = await result;
  return checked.kind === 'refused' ? checked.error.failure.reason : checked.id;
}
