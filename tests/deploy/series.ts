/** Names and labels in an expression of Prometheus, and in a scrape. */

/** Of each name the labels that it has, and of each label its values. */
export type Series = Map<string, Map<string, Set<string>>>;

export function addScrape(series: Series, text: string): void {
  for (const line of text.split('\n')) {
    const [, name, labels = ''] = /^([a-z_]+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const known = series.get(name) ?? new Map<string, Set<string>>();
    series.set(name, known);
    for (const [, label = '', value = ''] of labels.matchAll(/(\w+)="([^"]*)"/g)) {
      known.set(label, (known.get(label) ?? new Set()).add(value));
    }
  }
}

/** Labels that Prometheus adds to every series of a scrape. */
const ofScrapes = ['job', 'instance'];

/** What an expression names, and `series` do not have. */
export function unknownIn(expression: string, series: Series): string[] {
  const bare = expression.replaceAll(/"[^"]*"/g, '""');
  const selectors = [
    ...expression.matchAll(/\b((?:svc|http)_[a-z_]+)(?:\{((?:[^}"]|"[^"]*")*)\})?/g),
  ].filter(([, name]) => new RegExp(`\\b${name}\\b(?!\\s*=)`).test(bare));
  const names = selectors.filter(([, name = '']) => !isLabelOnly(name, bare));
  const known = new Set(ofScrapes);
  const unknown: string[] = [];
  for (const [, name = '', matchers = ''] of names) {
    const labels = series.get(name);
    if (labels === undefined) unknown.push(name);
    for (const label of labels?.keys() ?? []) known.add(label);
    for (const [, label = '', operator, value = ''] of matchers.matchAll(/(\w+)(=~|=)"([^"]*)"/g)) {
      if (ofScrapes.includes(label)) continue;
      const values = labels?.get(label);
      const isThere = operator === '=' ? values?.has(value) : values !== undefined;
      if (labels !== undefined && isThere !== true) unknown.push(`${name}{${label}="${value}"}`);
    }
  }
  for (const [, list = ''] of bare.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of list.split(', ')) if (!known.has(label)) unknown.push(`by ${label}`);
  }
  return unknown;
}

/** Some labels begin like metrics do: `svc_status` in `by (svc_status)`. */
function isLabelOnly(name: string, bare: string): boolean {
  const rest = bare.replaceAll(/\bby \([^)]*\)/g, '').replaceAll(/\{[^}]*\}/g, '');
  return !new RegExp(`\\b${name}\\b`).test(rest);
}
