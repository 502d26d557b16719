/** Scopes: the kinds of requests that a principal may send. */

export const scopes = ['read', 'write', 'schema', 'metrics', 'admin'] as const;

export type Scope = (typeof scopes)[number];

export type Scopes = ReadonlySet<Scope>;

/** The scopes of a client without authentication: all. */
export const everyScope: Scopes = new Set(scopes);

/** Returns whether `held` permits what needs `scope`. `admin` permits everything. */
export function permits(held: Scopes, scope: Scope): boolean {
  return held.has(scope) || held.has('admin');
}
