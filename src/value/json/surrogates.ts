/** Surrogates that a JSON text writes as escapes. */

/** Whether some `\uD8xx` lacks its `\uDCxx` or the other way round. The text has no lone surrogate that is not escaped. */
export function hasLoneEscape(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    const half = surrogateAt(text, at);
    if (half === undefined) at += 2;
    else if (half === 'high' && surrogateAt(text, at + 6) === 'low') at += 12;
    else return true;
  }
  return false;
}

/** Which half of a pair the escape at `at` stands for. */
function surrogateAt(text: string, at: number): 'high' | 'low' | undefined {
  if (text[at] !== '\\' || text[at + 1] !== 'u' || !/[dD]/.test(text[at + 2] ?? ''))
    return undefined;
  const digit = text[at + 3] ?? '';
  if (/[89abAB]/.test(digit)) return 'high';
  return /[c-fC-F]/.test(digit) ? 'low' : undefined;
}
