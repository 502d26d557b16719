/** Returns rows of text under a header, with columns of equal width; `No NOUN.` if there are no rows. */
export function textTable(
  noun: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  if (rows.length === 0) return `No ${noun}.`;
  const all = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  const lineOf = (row: readonly string[]) =>
    row.map((cell, i) => cell.padEnd(widths[i] as number)).join('  ');
  return all.map((row) => lineOf(row).trimEnd()).join('\n');
}
