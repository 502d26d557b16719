/** Rows of JSON objects as a plain text table. */

const widthMax = 72;

export function printTable(rows: readonly Readonly<Record<string, unknown>>[]): void {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((column) => cell(row[column])));
  const widths = columns.map((column, i) =>
    Math.max(column.length, ...cells.map((line) => (line[i] as string).length)),
  );
  const print = (line: readonly string[]) =>
    console.log(
      `  ${line.map((part, i) => part.padEnd(widths[i] as number)).join('  ')}`.trimEnd(),
    );
  print(columns);
  print(widths.map((width) => '-'.repeat(width)));
  for (const line of cells) print(line);
}

function cell(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > widthMax ? `${text.slice(0, widthMax - 1)}…` : text;
}
