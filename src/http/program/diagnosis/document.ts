/** The diagnostics document and its size limits (docs/monitoring.md). */

/** Maximum bytes of one text of the program, and of the whole document. */
const programBytesMax = 256 * 1024;
const documentBytesMax = 1024 * 1024;

/** The members that are omitted, in this order, until the document is small enough. */
const large = ['submittedProgram', 'loweredProgram', 'loweredProgramFamily', 'plans'] as const;

/** The texts of the program that the diagnostics level allows. */
interface ProgramTexts {
  readonly submittedProgram?: string;
  readonly loweredProgram?: string;
  readonly loweredProgramFamily?: string;
}

interface DiagnosticsParts extends ProgramTexts {
  /** Members as JSON text, without the enclosing braces. */
  readonly summary: string;
  readonly plans?: unknown;
  /** Whether something was already omitted. */
  readonly isCut: boolean;
}

/** A text up to this length is within the limit, regardless of its characters. */
const surelyShortLength = Math.floor(documentBytesMax / 3);

/** Returns the document as JSON. Each member is serialized once, because the large ones are long. */
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
