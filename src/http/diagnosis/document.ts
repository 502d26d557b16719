/** The document of diagnostics, within its limits (docs/operations.md). */

/** Of one text of the program, and of the whole. */
const programBytesMax = 256 * 1024;
const documentBytesMax = 1024 * 1024;

/** What goes when the whole is too large, one after the other. */
const large = ['submittedProgram', 'loweredProgram', 'loweredProgramFamily', 'plans'] as const;

/** The texts of the program that the level allows. */
interface ProgramTexts {
  readonly submittedProgram?: string;
  readonly loweredProgram?: string;
  readonly loweredProgramFamily?: string;
}

interface DiagnosticsParts extends ProgramTexts {
  readonly summary: object;
  readonly plans?: unknown;
  /** Something is left out already. */
  readonly isCut: boolean;
}

/** JSON text. Each member is written once: the large ones are long. */
export function diagnosticsText({ summary, plans, isCut, ...texts }: DiagnosticsParts): string {
  const omitted: Record<string, number> = {};
  const members = new Map<string, string>();
  for (const [name, text] of Object.entries(texts)) {
    const bytes = Buffer.byteLength(text as string);
    if (bytes > programBytesMax) omitted[`${name}Bytes`] = bytes;
    else members.set(name, JSON.stringify(text));
  }
  if (plans !== undefined) members.set('plans', JSON.stringify(plans));
  const hasOmitted = Object.keys(omitted).length > 0;
  const small = { ...summary, truncated: isCut, ...(hasOmitted && { omitted }) };
  const written = [...members].map(([name, text]) => `,"${name}":${text}`);
  const whole = `${JSON.stringify(small).slice(0, -1)}${written.join('')}}`;
  let excess = Buffer.byteLength(whole) - documentBytesMax;
  if (excess <= 0) return whole;
  for (const name of large) {
    const text = members.get(name);
    if (text === undefined || excess <= 0) continue;
    excess -= Buffer.byteLength(`,"${name}":${text}`);
    members.delete(name);
  }
  const kept = [...members].map(([name, text]) => `,"${name}":${text}`);
  return `${JSON.stringify({ ...small, truncated: true }).slice(0, -1)}${kept.join('')}}`;
}
