/** API keys of the open database: their list, creation, rotation and revocation. */

import {
  type ApiKey,
  anyone,
  drawKey,
  endOf,
  grantTexts,
  hashOfKey,
  idOfKey,
  isKeyId,
  type KeyList,
  type KeyRecord,
  type KeyRights,
  type KeySet,
  type KeyWish,
  keysMax,
  limitWishes,
  type NewKeyRecord,
  type Principal,
  readKeyWish,
} from '#access';
import { fail } from '#failure';
import type { Database } from '../database.ts';
import { KeyChanges } from './change-keys.ts';
import { KeyUses } from './key-uses.ts';

const graceMsDefault = 86_400_000;

export class Keys {
  private readonly database: Database;
  private readonly changes: KeyChanges;
  private readonly uses: KeyUses;

  constructor(database: Database) {
    this.database = database;
    this.changes = new KeyChanges(database);
    this.uses = new KeyUses(database);
  }

  /** The keys that are in force now. A writer changes them when it commits a change, a reader together with its state. */
  get current(): KeySet {
    return this.database.keys;
  }

  /** Notes that a request has used the key. */
  noteUse(id: string): void {
    this.uses.note(id);
  }

  async list(): Promise<KeyList> {
    const { keys, store, newestSequence } = this.database;
    await store.durable(newestSequence);
    const uses = await this.uses.all();
    const sorted = [...keys.keys()].sort(byCreation);
    return {
      auth_version: keys.version,
      keys: sorted.map((key) => this.infoOf(key, uses.get(key.id))),
    };
  }

  /**
   * Creates a key. `by` is its creator. Throws a failure with all findings in the request, and `invalid_token` if the key of `principal` has
   * ended before the commit, as `rotate` and `revoke` do.
   */
  create(wish: KeyWish, by: string, principal: Principal): Promise<NewKeyRecord> {
    return this.changes.change(({ keys, catalog, nowMs }) => {
      const rights = readKeyWish(wish, catalog);
      const { key, text } = this.drawn(keys, rights, nowMs, { by });
      return { change: keys.next([key], roomFor(keys, nowMs)), result: this.created(key, text) };
    }, principal);
  }

  /**
   * Creates a key with the scope `admin` from a text of `svc key generate`, if no key was ever created. Resolves to whether it was created. Throws `invalid` if
   * the text is not a key.
   */
  async bootstrap(text: string): Promise<boolean> {
    const id = idOfKey(text);
    if (id === undefined) {
      throw fail('invalid', 'the text is not an API key; create one with `svc key generate`');
    }
    return this.changes.change(({ keys, catalog, nowMs }) => {
      if (keys.version > 0) return { result: false };
      const rights = readKeyWish(
        { name: 'bootstrap', scopes: ['admin'], expires_in: 'never' },
        catalog,
      );
      const key = { ...rights, id, hash: hashOfKey(text), createdAtMs: nowMs, by: 'bootstrap' };
      return { change: keys.next([key]), result: true };
    }, anyone);
  }

  /**
   * Creates a key with the same rights and length of life. The old key expires after `graceMs`, unless it expires earlier. Throws `not_found`, and `invalid` if the
   * old key was revoked or has expired.
   */
  rotate(
    id: string,
    by: string,
    principal: Principal,
    graceMs: number = graceMsDefault,
  ): Promise<NewKeyRecord> {
    return this.changes.change(({ keys, nowMs }) => {
      const old = keyOf(keys, id);
      const end = endOf(old, nowMs);
      if (end !== undefined) {
        const state = end === 'revoked' ? 'was revoked' : 'has expired';
        throw fail('invalid', `key ${id} ${state}; create another key instead`);
      }
      const { key, text } = this.drawn(keys, old, nowMs, { by, replaces: id });
      const endsMs = Math.min(nowMs + graceMs, old.expiresAtMs ?? Number.POSITIVE_INFINITY);
      const ending = { ...old, expiresAtMs: endsMs };
      const change = keys.next([ending, key], roomFor(keys, nowMs));
      return { change, result: this.created(key, text) };
    }, principal);
  }

  /**
   * Revokes a key. When the promise resolves, no program with this key commits any more. Does nothing if the key is already revoked. Throws `not_found`, and
   * `invalid` for the last live key with the scope `admin`, unless `hasOtherAdmins`.
   */
  revoke(id: string, principal: Principal, { hasOtherAdmins = false } = {}): Promise<void> {
    return this.changes.change(({ keys, nowMs }) => {
      const key = keyOf(keys, id);
      if (key.revokedAtMs !== undefined) return { result: undefined };
      const isLastAdmin = keys.hasLiveAdmin(nowMs) && !keys.hasLiveAdmin(nowMs, id);
      if (isLastAdmin && !hasOtherAdmins) {
        const detail = `key ${id} is the last live key with the scope admin; create another one before you revoke it`;
        throw fail('invalid', detail);
      }
      return { change: keys.next([{ ...key, revokedAtMs: nowMs }]), result: undefined };
    }, principal);
  }

  /** Writes the noted uses. */
  stop(): Promise<void> {
    return this.uses.flush();
  }

  private drawn(
    keys: KeySet,
    rights: KeyRights,
    nowMs: number,
    origin: Pick<ApiKey, 'by' | 'replaces'>,
  ): { readonly key: ApiKey; readonly text: string } {
    const { name, scopes, grants, policies, claims, limits, lifeMs } = rights;
    let drawn = drawKey(this.database.world.random);
    while (keys.find(drawn.id) !== undefined) drawn = drawKey(this.database.world.random);
    const key: ApiKey = {
      ...{ name, scopes, grants, policies, claims, limits },
      ...origin,
      id: drawn.id,
      hash: hashOfKey(drawn.text),
      createdAtMs: nowMs,
      ...(lifeMs !== undefined && { lifeMs, expiresAtMs: nowMs + lifeMs }),
    };
    return { key, text: drawn.text };
  }

  private created(key: ApiKey, text: string): NewKeyRecord {
    const { id, ...info } = this.infoOf(key, undefined);
    return { id, key: text, ...info };
  }

  private infoOf(key: ApiKey, usedAtMs: number | undefined): KeyRecord {
    const { id, name, scopes, grants, claims, policies, limits, by, replaces } = key;
    const { catalog } = this.database;
    return {
      ...{ id, name, scopes: [...scopes] },
      ...(grants && { grants: grantTexts(grants, catalog) }),
      ...{
        claims,
        policies,
        limits: limitWishes(limits),
        created_at: timeText(key.createdAtMs),
        by,
      },
      ...(key.expiresAtMs !== undefined && { expires_at: timeText(key.expiresAtMs) }),
      ...(key.revokedAtMs !== undefined && { revoked_at: timeText(key.revokedAtMs) }),
      ...(replaces !== undefined && { replaces }),
      ...(usedAtMs !== undefined && { last_used_at: timeText(usedAtMs) }),
    };
  }
}

function byCreation(one: ApiKey, other: ApiKey): number {
  return one.createdAtMs - other.createdAtMs || (one.id < other.id ? -1 : 1);
}

/** Throws `not_found`. A text that is not an id is not repeated, because it may be a whole key. */
function keyOf(keys: KeySet, id: string): ApiKey {
  const key = keys.find(id);
  if (key !== undefined) return key;
  const detail = isKeyId(id)
    ? `unknown key ${id}`
    : 'unknown key: the id of a key has 12 letters and digits';
  throw fail('not_found', detail, { resource: { kind: 'key', ...(isKeyId(id) && { name: id }) } });
}

/** Returns the id of the key that ended first if there is no room for one more key. Throws `invalid` if all are live. */
function roomFor(keys: KeySet, nowMs: number): readonly string[] {
  if (keys.size < keysMax) return [];
  const ended = [...keys.keys()].filter((key) => endOf(key, nowMs) !== undefined);
  const [first] = ended.sort((one, other) => endMs(one) - endMs(other));
  if (first !== undefined) return [first.id];
  throw fail('invalid', `the database has ${keysMax} live keys, the maximum; revoke some of them`);
}

function endMs({ revokedAtMs, expiresAtMs }: ApiKey): number {
  return Math.min(revokedAtMs ?? Number.POSITIVE_INFINITY, expiresAtMs ?? Number.POSITIVE_INFINITY);
}

function timeText(ms: number): string {
  return new Date(ms).toISOString();
}
