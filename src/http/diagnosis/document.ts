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

/** JSON text. */
export function diagnosticsText({ summary, plans, isCut, ...texts }: DiagnosticsParts): string {
  const omitted: Record<string, number> = {};
  const document: Record<string, unknown> = { ...summary, truncated: isCut };
  for (const [name, text] of Object.entries(texts)) {
    const bytes = Buffer.byteLength(text as string);
    if (bytes > programBytesMax) omitted[`${name}Bytes`] = bytes;
    else document[name] = text;
  }
  if (plans !== undefined) document['plans'] = plans;
  if (Object.keys(omitted).length > 0) document['omitted'] = omitted;
  let text = JSON.stringify(document);
  for (const name of large) {
    if (Buffer.byteLength(text) <= documentBytesMax) break;
    if (!(name in document)) continue;
    delete document[name];
    document['truncated'] = true;
    text = JSON.stringify(document);
  }
  return text;
}
