/** Compiles the executable, for the platform of the build or for another one. */

import { mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const root = join(import.meta.dir, '../..');

/** The modules that the executable can start: the process itself, and its worker threads. */
const entryPoints = [
  'src/main.launch.ts',
  'src/main.ts',
  'src/storage/merge/merge-worker.ts',
  'src/schema/file/schema-worker.ts',
];

interface CompileOptions {
  /** Path of the executable. Its file name becomes part of its bytes. */
  readonly executable: string;
  /** A runtime of Bun such as `bun-linux-arm64-musl`, downloaded on first use. `undefined` selects the runtime that executes the build. */
  readonly target?: string | undefined;
  /** Path of a file that receives the module graph, as JSON. */
  readonly modules?: string | undefined;
}

/** Returns whether the executable was compiled. The compiler prints its errors. */
export function compileExecutable({ executable, target, modules }: CompileOptions): boolean {
  mkdirSync(dirname(resolve(root, executable)), { recursive: true });
  const built = Bun.spawnSync(
    [
      process.execPath,
      'build',
      '--compile',
      '--production',
      // Code that the entry points share is stored once.
      '--splitting',
      // Functions below the second level are compiled when they are first called. Their bytecode would cost more space than time.
      '--bytecode',
      '--bytecode-depth=2',
      '--format=esm',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      ...(target === undefined ? [] : [`--target=${target}`]),
      ...(modules === undefined ? [] : [`--metafile=${modules}`]),
      ...entryPoints,
      '--outfile',
      executable,
    ],
    { cwd: root, stdout: 'inherit', stderr: 'inherit' },
  );
  return built.exitCode === 0;
}
