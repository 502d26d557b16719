/** Text of metrics through `promtool check metrics`, where promtool is installed. */

import { expect, test } from 'bun:test';

const promtool = Bun.which('promtool');
if (promtool === null) {
  console.warn('SKIPPED: promtool (of Debian: package prometheus) is not in the PATH');
}

/** Exit code, standard output and standard error. */
async function lint(text: string): Promise<readonly unknown[]> {
  const child = Bun.spawn([promtool as string, 'check', 'metrics'], {
    stdin: new Blob([text]),
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const outputs = [child.stdout, child.stderr].map((one) => new Response(one).text());
  return [await child.exited, ...(await Promise.all(outputs))];
}

/** `spoiled` is a counter of the text: without its suffix it must be refused, or promtool does not look at all. */
export function promtoolCheck(name: string, read: () => Promise<string>, spoiled: string): void {
  test.skipIf(promtool === null)(name, async () => {
    const text = await read();
    expect(await lint(text)).toEqual([0, '', '']);
    expect(await lint(text.replaceAll(`${spoiled}_total`, spoiled))).toEqual([
      3,
      '',
      expect.stringContaining('counter metrics should have "_total" suffix'),
    ]);
  });
}
