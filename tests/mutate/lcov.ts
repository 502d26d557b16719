/** What a coverage report in the format of lcov says: for each source file, which lines ran. */

/** By path. Of each line, from the first: `1` ran, `0` did not, `.` holds nothing that runs. */
export function linesOf(report: string): Map<string, string> {
  const files = new Map<string, string>();
  for (const record of report.split('end_of_record')) {
    const path = /^SF:(.*)$/m.exec(record)?.[1];
    if (path === undefined) continue;
    const lines: string[] = [];
    for (const [, line, count] of record.matchAll(/^DA:(\d+),(\d+)/gm)) {
      lines[Number(line) - 1] = count === '0' ? '0' : '1';
    }
    files.set(path, Array.from(lines, (mark) => mark ?? '.').join(''));
  }
  return files;
}
