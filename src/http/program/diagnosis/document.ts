/** The document of diagnostics, within its limits (docs/monitoring.md). */

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
  /** Members, as JSON text without the braces around them. */
  readonly summary: string;
  readonly plans?: unknown;
  /** Something is left out already. */
  readonly isCut: boolean;
}

/** A text of this length keeps to the limit, whatever its characters. */
const surelyShortLength = Math.floor(documentBytesMax / 3);

/** JSON text. Each member is written once: the large ones are long. */
export function diagnosticsText({ summary, plans, isCut, ...texts }: DiagnosticsParts): string {
  const omitted: Record<string, number> = {};
  const members = new Map<string, string>();
  for (const name of Object.keys(texts) as (keyof ProgramTexts)[]) {
    const text = texts[name] as string;
    const bytes = Buffer.byteLength(text);
    if (bytes > programBytesMax) omitted[`${name}Bytes`] = bytes;
    else members.set(name, `,"${name}":${JSON.stringify(text)}`);
  }
  if (plans !== undefined) members.set('plans', `,"plans":${JSON.stringify(plans)}`);
  if (Object.keys(omitted).length > 0)
    members.set('omitted', `,"omitted":${JSON.stringify(omitted)}`);
  const whole = wholeText(summary, isCut, members);
  if (whole.length <= surelyShortLength) return whole;
  let excess = Buffer.byteLength(whole) - documentBytesMax;
  if (excess <= 0) return whole;
  for (const name of large) {
    const text = members.get(name);
    if (text === undefined || excess <= 0) continue;
    excess -= Buffer.byteLength(text);
    members.delete(name);
  }
  return wholeText(summary, true, members);
}

function wholeText(
  summary: string,
  isTruncated: boolean,
  members: ReadonlyMap<string, string>,
): string {
  let text = `{${summary},"truncated":${isTruncated}`;
  for (const member of members.values()) text += member;
  return `${text}}`;
}
