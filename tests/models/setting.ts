/** What a run of a model is asked for: bounds, and rules that are broken on purpose. Written as words: `writers=3 net=0 noNonce`. */

export interface Setting<Bounds, Flag extends string> {
  readonly bounds: Bounds;
  readonly flags: ReadonlySet<Flag>;
}

export function parseSetting<Bounds extends Readonly<Record<string, number>>, Flag extends string>(
  words: string,
  defaults: Bounds,
  flags: Readonly<Record<Flag, string>>,
): Setting<Bounds, Flag> {
  const bounds: Record<string, number> = { ...defaults };
  const set = new Set<Flag>();
  for (const word of words.match(/\S+/g) ?? []) {
    const [name = '', value] = word.split('=');
    if (name in bounds && value !== undefined) bounds[name] = Number(value);
    else if (name in flags) set.add(name as Flag);
    else throw new Error(`unknown word in the setting of a model: ${word}`);
  }
  return { bounds: bounds as Bounds, flags: set };
}
