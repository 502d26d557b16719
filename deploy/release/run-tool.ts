/** Runs programs of the system, such as tar, and of npm. */

/** Returns the standard output. Throws an error with the end of standard error if the program is missing or fails. */
export function runTool(
  argv: readonly string[],
  { cwd, env = {} }: { readonly cwd?: string; readonly env?: Record<string, string> } = {},
): string {
  const [name = ''] = argv;
  if (Bun.which(name) === null) throw new Error(`${name}: not found; install it first`);
  const ran = Bun.spawnSync([...argv], {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC', ...env },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  if (ran.exitCode === 0) return ran.stdout.toString();
  const reason = ran.stderr.toString().trim().split('\n').slice(-5).join('\n');
  throw new Error(`${argv.join(' ')}: exit code ${ran.exitCode}\n${reason}`);
}
