/** Which flags an executable knows: an older one is attacked with those that it has. */

const known = new Map<string, string>();

/** `flags` are names with a value each. */
export function knownFlags(binary: string, flags: readonly string[]): readonly string[] {
  const help = helpOf(binary);
  const kept: string[] = [];
  for (let i = 0; i < flags.length; i += 2) {
    const [name, value] = [flags[i], flags[i + 1]] as [string, string];
    if (help.includes(`${name} `)) kept.push(name, value);
  }
  return kept;
}

function helpOf(binary: string): string {
  const before = known.get(binary);
  if (before !== undefined) return before;
  const help = Bun.spawnSync([binary, 'serve', '--help']).stdout.toString();
  known.set(binary, help);
  return help;
}
