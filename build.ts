/** `npm run build`: generates schemas/ and compiles the one executable, dist/svc. `--schemas` only generates. */

import { generateSchemas } from '#wire';

for (const [name, text] of Object.entries(generateSchemas())) {
  await Bun.write(`schemas/${name}`, text);
}

if (!process.argv.includes('--schemas')) {
  const built = Bun.spawnSync(
    [
      process.execPath,
      'build',
      '--compile',
      '--production',
      '--bytecode',
      '--format=esm',
      '--no-compile-autoload-dotenv',
      '--no-compile-autoload-bunfig',
      'src/main.ts',
      '--outfile',
      'dist/svc',
    ],
    { stdout: 'inherit', stderr: 'inherit' },
  );
  process.exit(built.exitCode);
}
