/** Returns rows of text under a header, with columns of equal width. */
export function textTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}
