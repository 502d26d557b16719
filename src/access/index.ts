/**
 * Authority: principals, their scopes and grants, and API keys as data.
 *
 * Start with `principal.ts`. A scope permits a kind of request, a grant permits actions on one table. Grants are bound to table ids, so they follow a table
 * when it is renamed. Everything here is pure. The check of a token belongs to the layers of the server.
 */

export { anyone, OpenPrincipal, type Principal } from './principal.ts';
