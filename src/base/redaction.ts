/** Removes secrets from texts that leave the process in logs and traces: API keys, tokens, credentials, and the queries of URLs. */

const mark = '[redacted]';
/** Matches each text that one of the patterns below matches. */
const suspicious =
  /svck(?:_|%5f)|eyJ|:\/\/|A[KS]IA|authori[sz]ation|bearer|basic|secret|session_?token|security.token/i;

/** API keys, also malformed ones, and those of a URL. */
const apiKey = /svck(?:_|%5f)[\w%-]+/gi;
/** Runs of characters that can contain a JWT. */
const dotted = /[\w.-]+/g;
/** Ids of AWS keys, and values with the name of an AWS secret. */
const awsKeyId = /A[KS]IA[0-9A-Z]{16}/g;
const awsSecret =
  /((?:secret[-_]?(?:access[-_]?)?key|(?:session|security)[-_]?token)\\*["']?\s*[:=]\s*\\*["']?)[^\s"'\\&,;]+/gi;
const awsSignature = /aws4-hmac-sha256\s+credential=[^"\\\r\n]+/gi;
/** The value of the header `Authorization`, with its scheme. */
const header =
  /(authorization(?:\\*["']?\s*:\s*\\*["']?|\s*=\s*\\*["']))(?:[a-z][\w-]*\s+)?[^\s"'\\,;]+/gi;
const assignedHeader = /(authorization\s*=\s*)[^\s"'\\,;]+/gi;
/** A scheme with a long value elsewhere. */
const scheme = /(?:bearer|basic)(?:\s+|%20|\+)[\w.~+/=-]{16,}/gi;
const url = /:\/\/[^\s"'<>\\]+/g;

/** Returns the text without secrets. Quotation marks and backslashes remain, so that JSON stays valid. */
export function redact(text: string): string {
  if (!suspicious.test(text)) return text;
  return text
    .replace(awsSignature, mark)
    .replace(header, `$1${mark}`)
    .replace(assignedHeader, `$1${mark}`)
    .replace(scheme, mark)
    .replace(apiKey, mark)
    .replace(awsKeyId, mark)
    .replace(awsSecret, `$1${mark}`)
    .replace(dotted, withoutToken)
    .replace(url, withoutQuery);
}

/** The parts of a JWT are JSON objects in base64url, which begin with `eyJ`. The second one can have white space. */
function withoutToken(run: string): string {
  const at = run.indexOf('eyJ');
  if (at < 0) return run;
  const parts = run.slice(at).split('.');
  const isToken = parts.length > 2 || parts[1]?.startsWith('eyJ') === true;
  return isToken ? run.slice(0, at) + mark : run;
}

/** Removes user, password, query and fragment. */
function withoutQuery(rest: string): string {
  const end = rest.search(/[?#]/);
  const plain = end < 0 ? rest : rest.slice(0, end);
  const host = plain.indexOf('/', 3);
  const at = plain.lastIndexOf('@', host < 0 ? plain.length : host);
  return at < 0 ? plain : `://${mark}@${plain.slice(at + 1)}`;
}
