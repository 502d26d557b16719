/** What `svc init` writes as the schema of a new project. */

const header = `# The schema of the database. Edit it, look at the change with \`svc schema diff\`, and apply it with \`svc schema migrate\`.
# Ids stand for tables and columns for ever: a new name with the same id is a rename. Never reuse one.
`;

/** `tables` begins with its own name. */
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
