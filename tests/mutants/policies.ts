/** Wrong rules of stored row policies and of their migrations. */

import type { Mutant } from './mutants.ts';

const storedTests = ['tests/engine/policies/stored.test.ts'];
const migrationTests = ['tests/engine/policies/migration.test.ts'];
const shownTests = ['tests/http/policies.test.ts'];

export const policyMutants: readonly Mutant[] = [
  {
    name: 'a plan that was made under other policies is current',
    file: 'src/engine/prepared/current-plan.ts',
    from: '  if (plan.catalog.policies !== now.policies) return false;\n',
    to: '',
    tests: storedTests,
  },
  {
    name: 'an older program opens a database with policies',
    file: 'src/engine/database.ts',
    from: 'if (before.policies === undefined && after.policies !== undefined) {',
    to: 'if (false as boolean) {',
    tests: storedTests,
  },
  {
    name: 'policies that cannot be read are none',
    file: 'src/catalog/stored/catalog-record.ts',
    from: '    return { ...catalog, policies: loadPolicies(policies, catalog) };',
    to: '    try {\n      return { ...catalog, policies: loadPolicies(policies, catalog) };\n    } catch {\n      return catalog;\n    }',
    tests: ['tests/catalog/policy/stored-policies.test.ts'],
  },
  {
    name: 'the last policy takes all policies along',
    file: 'src/catalog/change/set-policies.ts',
    from: 'return tables.length === policies.tables.length ? policies : { ...policies, tables };',
    to: 'return (tables.length === 0 ? undefined : { ...policies, tables }) as Policies;',
    tests: ['tests/catalog/policy/set-policies.test.ts'],
  },
  {
    name: 'a policy does not keep the columns that it reads',
    file: 'src/catalog/change/change-column.ts',
    from: '  requireColumnUnread(catalog, table, column, what);\n',
    to: '',
    tests: ['tests/catalog/policy/set-policies.test.ts'],
  },
  {
    name: 'a file without policies removes them',
    file: 'src/schema/policy/desired-policies.ts',
    from: "return wanted === 'absent' ? policies && withoutDeleted(policies, desired) : wanted;",
    to: "void policies;\n  void desired;\n  return wanted === 'absent' ? undefined : wanted;",
    tests: migrationTests,
  },
  {
    name: 'an outdated file reverts policies',
    file: 'src/schema/refusal.ts',
    from: 'const { currentPolicyHash = policyHash(current) } = request;',
    to: 'const currentPolicyHash = request && policyHash(current);',
    tests: migrationTests,
  },
  {
    name: 'policies change with the scope schema',
    file: 'src/planner/bind/program-needs.ts',
    from: "  if (statement.kind === 'set_policies') return ['admin'];\n",
    to: '',
    tests: storedTests,
  },
  {
    name: 'a violation names a table without a policy',
    file: 'src/access/shown-failure.ts',
    from: 'mentions.every((table) => isVisible(catalog, table, visibility))',
    to: 'mentions.every((table) => isVisible({}, table, visibility))',
    tests: shownTests,
  },
  {
    name: 'readers with policies see all statistics',
    file: 'src/access/needs.ts',
    from: 'if (!(isLimited && isUnrestricted)) return;',
    to: 'if (!(principal.visibility.grants && isLimited && isUnrestricted)) return;',
    tests: shownTests,
  },
];
