/** What a template is: the files of a project that is more than a starter table. */

export interface Template {
  readonly name: 'web' | 'api' | 'notes';
  /** In a few words, as a list of templates shows it. */
  readonly about: string;
  /** `tables:` and what is below. */
  readonly schema: string;
  /** Rows by table, as `svc seed` takes them. */
  readonly seed: Readonly<Record<string, readonly object[]>>;
}

/** A key of a row that others refer to: `nn` are two hexadecimal digits. */
export function seedId(nn: string): string {
  return `01980000-0000-7000-8000-0000000000${nn}`;
}

/** One row a line. */
export function seedText({ seed }: Template): string {
  const tables = Object.entries(seed).map(([table, rows]) => {
    const lines = rows.map((row) => `    ${JSON.stringify(row)}`);
    return `  ${JSON.stringify(table)}: [\n${lines.join(',\n')}\n  ]`;
  });
  return `{\n${tables.join(',\n')}\n}\n`;
}
