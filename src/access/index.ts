/**
 * Authority: principals, their scopes and grants, and API keys as data.
 *
 * Start with `principal.ts`. A scope permits a kind of request, a grant permits actions on one table. Grants are bound to table ids, so they follow a table
 * when it is renamed. Everything here is pure. The check of a token belongs to the layers of the server.
 */

export type { Action } from './grant.ts';
export {
  type Alternative,
  authorize,
  type Needs,
  requireOne,
  requireScopes,
  requireUnrestricted,
  type TableAction,
} from './needs.ts';
export { anyone, OpenPrincipal, type Principal } from './principal.ts';
export { permits, type Scope } from './scope.ts';
export { viewOf, visibleTable, visibleTables } from './view.ts';
