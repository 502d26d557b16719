/**
 * `npm run clients-compilers`: the types of the TypeScript client under other compilers than that of this repository, which come from npm into a temporary
 * directory. The same files: what is asserted holds, what must not compile does not. Exit code 1 when one of them differs.
 */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The least that clients are for, and the last of those written in TypeScript. */
const versions = ['5.4.5', '5.9.3'];

const files = ['results.ts', 'errors.ts'].map((name) => join(import.meta.dir, name));
const compilerOptions = {
  ...{ target: 'es2022', lib: ['es2022', 'dom'], types: [], module: 'esnext' },
  ...{ moduleResolution: 'bundler', noEmit: true, allowImportingTsExtensions: true },
  ...{ skipLibCheck: true, strict: true, noUncheckedIndexedAccess: true },
};

async function output(command: readonly string[]): Promise<{ text: string; status: number }> {
  const child = Bun.spawn([...command], { stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  return { text, status: await child.exited };
}

const folder = mkdtempSync(join(tmpdir(), 'svc-compilers-'));
let failed = 0;
try {
  const config = join(folder, 'tsconfig.json');
  writeFileSync(config, JSON.stringify({ compilerOptions, files }));
  for (const version of versions) {
    const own = join(folder, version);
    const flags = ['--silent', '--no-audit', '--no-fund', '--prefix', own];
    const installed = await output(['npm', 'install', ...flags, `typescript@${version}`]);
    if (installed.status !== 0) throw new Error(`npm cannot install typescript@${version}`);
    const tsc = join(own, 'node_modules', '.bin', 'tsc');
    const { text, status } = await output([tsc, '-p', config, '--extendedDiagnostics']);
    const instantiations = /Instantiations:\s+(\d+)/.exec(text)?.[1] ?? 'no';
    if (status !== 0) failed++;
    console.log(
      `TypeScript ${version}  ${status === 0 ? 'passed' : 'FAILED'}  ${instantiations} instantiations`,
    );
    if (status !== 0) console.log(text.match(/^.*error.*$/gm)?.join('\n') ?? text);
  }
} finally {
  rmSync(folder, { recursive: true });
}
process.exit(failed === 0 ? 0 : 1);
