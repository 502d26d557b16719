/** The demo's tables, and the programs that fill them. */

import type { DependencyRow, PackageRow } from './lockfile.ts';

type Cell = string | null;

export const tables = [
  {
    name: 'package',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'path', type: 'text' },
      { name: 'name', type: 'text' },
      { name: 'version', type: 'text' },
      { name: 'license', type: 'text', nullable: true },
      { name: 'is_optional', type: 'bool' },
    ],
    primary_key: ['id'],
    indexes: [
      { name: 'package_path_uq', columns: ['path'], unique: true },
      { name: 'package_name_idx', columns: ['name'] },
    ],
  },
  {
    name: 'dependency',
    columns: [
      { name: 'package_id', type: 'int64' },
      { name: 'kind', type: 'text' },
      { name: 'name', type: 'text' },
      { name: 'range', type: 'text' },
      { name: 'target_id', type: 'int64', nullable: true },
    ],
    primary_key: ['package_id', 'kind', 'name'],
    indexes: [{ name: 'dependency_target_id_idx', columns: ['target_id'] }],
    foreign_keys: [
      {
        name: 'dependency_package_id_fk',
        columns: ['package_id'],
        ref_table: 'package',
        ref_columns: ['id'],
        on_delete: 'cascade',
      },
      {
        name: 'dependency_target_id_fk',
        columns: ['target_id'],
        ref_table: 'package',
        ref_columns: ['id'],
        on_delete: 'set_null',
      },
    ],
  },
] as const;

/** Both tables in one atomic program. */
export function loadPackages(lock: {
  readonly packages: readonly PackageRow[];
  readonly dependencies: readonly DependencyRow[];
}): readonly unknown[] {
  const packages = lock.packages.map((row): Cell[] => [
    `${row.id}`,
    row.path,
    row.name,
    row.version,
    row.license,
    `${row.isOptional}`,
  ]);
  const dependencies = lock.dependencies.map((row): Cell[] => [
    `${row.packageId}`,
    row.kind,
    row.name,
    row.range,
    row.targetId === null ? null : `${row.targetId}`,
  ]);
  const statements = [create(0, packages), create(1, dependencies)];
  return [{ statements, result: 'dependency' }];
}

function create(which: 0 | 1, rows: readonly Cell[][]): unknown {
  const { name, columns } = tables[which];
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: columns.map((column) => ({
      name: column.name,
      type: column.type,
      nullable: 'nullable' in column,
    })),
    rows,
  };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { kind: 'create', name, table: name, relation };
}
