/** The schema file that `svc init` writes for a new project. */

const header = `# The schema of the database. Edit it, review the change with \`svc schema diff\`, and apply it with \`svc schema migrate\`.
# Ids identify tables and columns permanently: a new name with the same id is a rename. Never reuse an id.
`;

/** Returns a schema file with the usual header. `tables` starts with the key `tables:`. */
export function schemaText(tables: string): string {
  return `${header}${tables}`;
}

export const emptySchema = schemaText('tables: []\n');

export const starterSchema = schemaText(`tables:
  - id: 1
    name: users
    columns:
      - { id: 1, name: id, type: int64, pk: true, default: increment() }
      - { id: 2, name: handle, type: text, unique: true }
      - { id: 3, name: joined_at, type: int64, default: now_ms() }
`);
