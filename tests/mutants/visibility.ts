/** Wrong rules of what a principal sees: scopes, grants, names, and caches of several classes. */

import type { Mutant } from './mutants.ts';

const authority = ['tests/http/authority.test.ts'];

export const visibilityMutants: readonly Mutant[] = [
  {
    name: 'classes share their plans',
    file: 'src/http/program/templates.ts',
    from: '    if (this.last?.key === key) return this.last;\n',
    to: "    if (this.last?.key === key || (this.last !== undefined && key !== '')) return this.last;\n",
    tests: authority,
  },
  {
    name: 'a name is suggested from the whole catalog',
    file: 'src/planner/bind/wording.ts',
    from: 'visibleTables(catalog, principal.visibility).map(',
    to: 'catalog.tables.filter(() => visibleTables(catalog, principal.visibility).length >= 0).map(',
    tests: ['tests/policies/notes.test.ts'],
  },
  {
    name: 'HEAD needs no scope',
    file: 'src/http/edge/authority.ts',
    from: "    if (needs === undefined || needs === 'token') return;\n",
    to: "    if (needs === undefined || needs === 'token' || request.method === 'HEAD') return;\n",
    tests: authority,
  },
  {
    name: 'a known plan needs no scope',
    file: 'src/access/needs.ts',
    from: 'export function authorize(principal: Principal, { scopes, actions }: Needs): void {\n  requireScopes(principal, scopes);\n',
    to: 'export function authorize(principal: Principal, { actions }: Needs): void {\n',
    tests: authority,
  },
  {
    name: 'an action needs no grant',
    file: 'src/access/needs.ts',
    from: '  if (missing === undefined) return;\n  const { table, action } = missing;',
    to: "  if (missing === undefined || missing.action === 'create') return;\n  const { table, action } = missing;",
    tests: authority,
  },
  {
    name: 'the scope write copies a table',
    file: 'src/planner/bind/program-needs.ts',
    from: "kind === 'create' && !hasScan(relation) ?",
    to: "kind === 'create' && (!hasScan(relation) || relation !== undefined) ?",
    tests: authority,
  },
  {
    name: 'a header with a token is logged',
    file: 'src/base/redaction.ts',
    from: '    .replace(header, ',
    to: '    .replace(/^$/, ',
    tests: ['tests/base/redaction.test.ts'],
  },
  {
    name: 'a class evicts the results of others',
    file: 'src/base/class-shares.ts',
    from: 'if (held[resource] <= most) continue;',
    to: 'if (other === of && most >= 0) continue;',
    tests: ['tests/base/class-shares.test.ts'],
  },
  {
    name: 'a failure names the index that it met',
    file: 'src/access/shown-failure.ts',
    from: "shownParts(execution, ['table', 'binding'], named)",
    to: "shownParts(execution, ['table', 'binding', 'index', 'operator'], named)",
    tests: ['tests/http/policies.test.ts'],
  },
  {
    name: 'a predicate of the document joins the policy by and',
    file: 'src/planner/bind/row-passing.ts',
    from: "  return { relation: { kind: 'filter', node: at.id, input, predicate, ...facts }, scopes, pins };\n",
    to: "  if (input.kind === 'filter') {\n    const operands = [input.predicate, predicate];\n    const both = { kind: 'logical', op: 'and', operands, type: predicate.type, nullable: true } as const;\n    return { relation: { ...input, predicate: both, ...facts }, scopes, pins };\n  }\n  return { relation: { kind: 'filter', node: at.id, input, predicate, ...facts }, scopes, pins };\n",
    tests: ['tests/policies/notes.test.ts'],
  },
];
