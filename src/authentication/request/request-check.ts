/**
 * Identifies the principal of a request by its header `Authorization`. A header that was accepted before is found in a cache, without a
 * promise. API keys are compared by their hashes, tokens (JWT) are verified.
 */

import { timingSafeEqual } from 'node:crypto';
import { type ApiKey, endOf, hashOfKey, idOfKey, type Principal, principalOfKey } from '#access';
import type { Clock, Random } from '#base';
import type { Reason } from '#failure';
import type { NamedTables } from '../token/grants.ts';
import type { TokenFault } from '../token/rules.ts';
import { boundToken, type TokenRights } from '../token/token-principal.ts';
import type { TokenVerifier, VerifiedToken } from '../token/verifier.ts';
import { AddressLimits } from './address-limits.ts';
import { CredentialCache, type IsEqual } from './credential-cache.ts';
import { type Credential, KeyCredential, TokenCredential, TokenLife } from './credentials.ts';
import { Bucket, type Rate } from './rate.ts';
import {
  invalidToken,
  keysUnavailable,
  missingToken,
  type Refusal,
  tooManyFailures,
  tooManyVerifications,
} from './refusal.ts';

/** The API keys of the present state of the database. */
interface KeyDirectory {
  /** Changes with every change of a key (`auth_version`). */
  readonly version: number;
  find(id: string): ApiKey | undefined;
}

/** The check of tokens (JWT). */
interface TokenCheck {
  readonly issuer: string;
  readonly verifier: Pick<TokenVerifier, 'verify' | 'keys'>;
  readonly rights: TokenRights;
  readonly tables: NamedTables;
}

/** A refused request, for the log. */
export interface RefusedRequest {
  readonly reason: Reason;
  readonly address: string;
  /** The first fault of a token, or why a key is not accepted. The response does not contain it. */
  readonly fault?: TokenFault | KeyFault;
  /** The id of a key that exists. */
  readonly keyId?: string;
}

type KeyFault = 'malformed' | 'unknown' | 'wrong_secret' | 'revoked' | 'expired';

interface RequestCheckOptions {
  readonly clock: Clock;
  readonly random: Pick<Random, 'fill'>;
  /** If it is absent, API keys are not accepted. */
  readonly keys?: () => KeyDirectory;
  /** If it is absent, tokens are not accepted. */
  readonly tokens?: TokenCheck;
  /** Compares secrets of equal length, in a time that does not depend on them (default `timingSafeEqual`). */
  readonly isEqual?: IsEqual;
  /** Called for each request that is refused for an invalid token, and after too many of them. */
  readonly refused: (request: RefusedRequest) => void;
}

type Checked = Principal | Refusal;

/** Limit of all addresses together. */
const verificationRate: Rate = { burst: 2000, perSecond: 2000 };
const bearer = /^bearer ([!-~]+)$/i;
const keyPrefix = 'svck_';
const digestBytes = 32;

export class RequestCheck {
  private readonly options: RequestCheckOptions;
  private readonly cache: CredentialCache<Credential>;
  private readonly limits = new AddressLimits();
  private readonly verifications: Bucket;
  /** Verifications that have not ended, by token, so that simultaneous requests share one. */
  private readonly verifying = new Map<string, Promise<VerifiedToken | TokenFault>>();
  /** Compared in place of the hash of a key that does not exist. */
  private readonly dummy: Uint8Array;
  private readonly isEqual: IsEqual;

  constructor(options: RequestCheckOptions) {
    const { clock, random, isEqual = timingSafeEqual } = options;
    this.options = options;
    this.isEqual = isEqual;
    this.cache = new CredentialCache(seedOf(random), isEqual);
    this.verifications = new Bucket(verificationRate, clock.monotonicMs());
    this.dummy = random.fill(new Uint8Array(digestBytes));
  }

  /**
   * Returns the principal, or why the request is refused. `header` is `null` if the request has no header `Authorization`. `address` is
   * called only if the header is not in the cache.
   */
  check(header: string | null, address: () => string): Checked | Promise<Checked> {
    if (header === null) return missingToken;
    const nowMs = this.options.clock.unixMs();
    const known = this.cache.find(header);
    if (known !== undefined) {
      const principal = known.principalAt(nowMs);
      if (principal !== undefined) return principal;
      this.cache.delete(header);
    }
    const token = bearer.exec(header)?.[1];
    if (token === undefined) return this.invalid({ fault: 'form' }, address());
    const { keys, tokens } = this.options;
    if (token.startsWith(keyPrefix)) return this.checkKey(header, token, keys, address());
    if (tokens === undefined) return this.invalid({ fault: 'form' }, address());
    return this.checkToken(header, token, tokens, address());
  }

  private checkKey(
    header: string,
    text: string,
    keys: (() => KeyDirectory) | undefined,
    address: string,
  ): Checked {
    const id = idOfKey(text);
    if (id === undefined || keys === undefined)
      return this.invalid({ fault: 'malformed' }, address);
    const nowMs = this.options.clock.unixMs();
    const key = keys().find(id);
    const isEqual = this.isEqual(hashOfKey(text), key?.hash ?? this.dummy);
    if (key === undefined) return this.invalid({ fault: 'unknown' }, address);
    if (!isEqual) return this.invalid({ fault: 'wrong_secret', keyId: id }, address);
    const fault = endOf(key, nowMs);
    if (fault !== undefined) return this.invalid({ fault, keyId: id }, address);
    const principal = principalOfKey(key);
    const endMs = key.expiresAtMs ?? Number.POSITIVE_INFINITY;
    this.cache.set(header, new KeyCredential(principal, keys, endMs));
    return principal;
  }

  private checkToken(
    header: string,
    text: string,
    tokens: TokenCheck,
    address: string,
  ): Checked | Promise<Checked> {
    const nowMs = this.options.clock.monotonicMs();
    const waitMs = this.limits.failureWaitMs(address, nowMs);
    if (waitMs > 0) return this.throttled(waitMs, address);
    const mayVerify =
      this.limits.mayVerify(address, nowMs) && this.verifications.take(verificationRate, nowMs);
    if (!mayVerify) return tooManyVerifications;
    return this.verify(header, text, tokens, address);
  }

  private async verify(
    header: string,
    text: string,
    { issuer, verifier, rights, tables }: TokenCheck,
    address: string,
  ): Promise<Checked> {
    const result = await this.sharedVerification(text, verifier);
    if (result === 'keys_unavailable') return keysUnavailable;
    if (typeof result === 'string') return this.invalid({ fault: result }, address);
    const life = new TokenLife(result.key, result.claims.refusedFromMs, verifier.keys);
    const isValidAt = (nowMs: number) => life.isValidAt(nowMs);
    const bound = boundToken({ claims: result.claims, issuer, isValidAt }, rights, tables);
    const credential = new TokenCredential(bound, life, tables);
    const principal = credential.principalAt(this.options.clock.unixMs());
    if (principal === undefined) return this.invalid({ fault: 'key_removed' }, address);
    this.cache.set(header, credential);
    return principal;
  }

  private sharedVerification(
    text: string,
    verifier: TokenCheck['verifier'],
  ): Promise<VerifiedToken | TokenFault> {
    const running = this.verifying.get(text);
    if (running !== undefined) return running;
    const result = verifier.verify(text).finally(() => this.verifying.delete(text));
    this.verifying.set(text, result);
    return result;
  }

  /** Counts an invalid token, and refuses it. */
  private invalid(found: Omit<RefusedRequest, 'reason' | 'address'>, address: string): Refusal {
    const nowMs = this.options.clock.monotonicMs();
    const waitMs = this.limits.failureWaitMs(address, nowMs);
    if (waitMs > 0) return this.throttled(waitMs, address);
    this.limits.failed(address, nowMs);
    this.options.refused({ reason: 'invalid_token', address, ...found });
    return invalidToken;
  }

  private throttled(waitMs: number, address: string): Refusal {
    this.options.refused({ reason: 'too_many_failures', address });
    return tooManyFailures(Math.ceil(waitMs / 1000));
  }
}

function seedOf(random: Pick<Random, 'fill'>): bigint {
  return new DataView(random.fill(new Uint8Array(8)).buffer).getBigUint64(0);
}
