/** The generator of `docs/http.md` from the operations. */

import { bareResponsesText } from './bare-responses.ts';
import type { Example, Operation, OperationParameter } from './operation.ts';
import { operations } from './operations.ts';
import { isProbe, problemStatuses } from './problem-statuses.ts';

const preface = `# HTTP

Reference of all HTTP routes with their requests and responses. The server returns the same reference as [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1) at \`/openapi.json\`; the file \`schemas/openapi.json\` contains it too. OpenAPI 3.1 does not support the method \`QUERY\`, so the document describes it in \`x-query\`.
This page is generated from the same source. The tests run the examples in order against an empty database in direct mode. \`…\` replaces a value that differs each time.

- Bodies are JSON in UTF-8 (\`Content-Type: application/json\`); the body of a \`QUERY\` has its own media type. The server ignores parameters of the media type: even with \`charset=utf-16\` it reads the body as UTF-8, and refuses a body that is not UTF-8. It ignores a byte order mark before the document. Limits: 4 MiB for a body (\`--max-body-mib\`), 1,024 levels of nesting, 16 KiB and 198 lines of headers.
- A response with a status other than 2xx or 304 contains a problem document, \`application/problem+json\`: [errors.md](errors.md). Probes return a small document of another type. The runtime itself answers [some malformed requests](#responses-without-a-problem-document).
- If an object contains a member twice, the last one counts, as in \`JSON.parse\`. Requests of API keys with such an object are refused.
- In \`rows\` of requests, int64 values are strings (\`"1"\`), so that no digit is lost. Responses contain JSON integers.
- \`HEAD\` works on every route of \`GET\`. For an unknown path the server returns 404, for another method 405 with \`Allow\`.
- A connection carries one request at a time. Do not send the next request before you have received the response (pipelining): while a program runs, the server closes such a connection.
- Send no trailer after a chunked body. The runtime answers a trailer with a bare 400 and closes the connection, often instead of the response. The program may have been executed, so treat that 400 as an unknown outcome.
- \`Expect: 100-continue\`, in upper or lower case, requests \`100 Continue\` before the body. The server sends it just before it reads the body. If it refuses the request earlier, because of its route, method, media type or size, it sends the refusal instead. If the value is all lower case, the runtime sends \`HTTP/1.1 100 Continue\\r\\n\\r\\n\` before the server sees the request, and a refusal follows it. Outside Linux, the other spellings get no \`100 Continue\`.
- With authentication (\`--auth\`), every request except probes needs \`Authorization: Bearer TOKEN\`. Where this page names a scope, the token needs it. "Without restrictions" excludes tokens with grants and tokens to which row policies apply ([security.md](security.md#row-policies)).
- \`Svc-Deadline-Ms: 500\` gives a request less time than \`--statement-timeout-ms\`. If a client closes its connection, the server ends the program of the client, unless the program is already committed.
- Web pages of other sites cannot change anything: the server returns 403 for a foreign \`Origin\` or \`Sec-Fetch-Site\`, unless \`--cors-origin\` names it.
- On \`/execute\` and on every other route that changes something, the server refuses an unknown or repeated parameter with 400. A misspelled \`dry-run\` therefore does not run the program.

On a command line (no newline follows a response, \`-w '\\n'\` adds one):

\`\`\`sh
curl -sw '\\n' http://127.0.0.1:7237/execute -H 'content-type: application/json' -d '{"statements": [
  {"kind": "query", "name": "one", "relation": {
    "nodes": {"r": {"kind": "rows", "scope": "r", "columns": [{"name": "n", "type": "int64"}], "rows": [["1"]]}},
    "root": {"node": "r", "cardinality": "scalar"}}}]}'
\`\`\`
\`\`\`text
{"result":1,"statements":[{"name":"one","affected":1,"control":null}]}
\`\`\`

\`\`\`sh
curl -s -X QUERY http://127.0.0.1:7237/execute -H 'content-type: application/vnd.svc.lir+json' -d '{
  "nodes": {"r": {"kind": "rows", "scope": "r", "columns": [{"name": "n", "type": "int64"}], "rows": [["1"]]}},
  "root": {"node": "r", "cardinality": "scalar"}}'
\`\`\`
\`\`\`text
1
\`\`\`
`;

export function httpPage(): string {
  const tags = [...new Set(operations.map(({ tag }) => tag))];
  const sections = tags.map((tag) => {
    const parts = operations.filter((one) => one.tag === tag).map(operationText);
    return `## ${tag}\n\n${parts.join('\n')}`;
  });
  return [preface, statusText(), bareResponsesText(), ...sections].join('\n');
}

function statusText(): string {
  const rows = Object.entries(problemStatuses).map(
    ([status, { description, from }]) => `| ${status} | ${from} | ${description} |`,
  );
  return `Problems by status. For the codes and reasons of each status, see [errors.md](errors.md).

| status | routes | meaning |
|---|---|---|
${rows.join('\n')}
`;
}

function operationText(operation: Operation): string {
  const { method, path, summary, description, parameters = [], examples = [] } = operation;
  const shown = parameters.filter((one) => one.in !== 'path' && one.name !== 'Svc-Deadline-Ms');
  return [
    `\`${method} ${shownPath(path)}\` – ${lower(summary)}. ${description}${isProbe(operation) ? ' See [monitoring.md](monitoring.md).' : ''}${scopesText(operation)}\n`,
    ...(shown.length > 0 ? [parametersText(shown)] : []),
    ...examples.map((example) => exampleText(operation, example)),
  ].join('\n');
}

/** Returns the scopes of a token that permit the operation. */
function scopesText({ needs }: Operation): string {
  if (typeof needs === 'string') return '';
  const words = needs.map(
    ({ scope, isUnrestricted }) => `\`${scope}\`${isUnrestricted ? ' (without restrictions)' : ''}`,
  );
  return ` Scope: ${words.join(' or ')}.`;
}

function parametersText(parameters: readonly OperationParameter[]): string {
  const rows = parameters.map(({ name, in: place, description, schema }) => {
    const value = schema['type'] === 'boolean' ? 'true' : '';
    const shown = place === 'query' ? `\`?${name}=${value}\`` : `\`${name}\``;
    return `| ${shown} | ${description} |`;
  });
  return `| parameter or header | description |\n|---|---|\n${rows.join('\n')}\n`;
}

function exampleText({ method, path, body }: Operation, example: Example): string {
  const { status = 200, answer, varying = [] } = example;
  const type = method === 'QUERY' ? `\ncontent-type: ${body?.type}` : '';
  const sent = example.body === undefined ? '' : `\n\n${fitted(example.body)}`;
  const shown = status === 200 ? '' : ` ${status}`;
  return `\`\`\`http
${method} ${example.path ?? path}${type}${sent}
\`\`\`
\`\`\`json${shown}
${fitted(elided(answer, varying))}
\`\`\`
`;
}

function elided(value: unknown, varying: readonly string[]): unknown {
  return JSON.parse(JSON.stringify(value), (key, one: unknown) =>
    varying.includes(key) ? '…' : one,
  );
}

const widthMax = 120;

/** Returns the value as JSON on one line if it fits, otherwise with one member per line. */
function fitted(value: unknown, indent = ''): string {
  const line = oneLine(value);
  if (indent.length + line.length <= widthMax || typeof value !== 'object' || value === null) {
    return line;
  }
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => fitted(one, inner))
    : Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${fitted(one, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}\n${indent}${close}`;
}

function oneLine(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`;
  const parts = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${oneLine(one)}`,
  );
  return `{${parts.join(', ')}}`;
}

function shownPath(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1');
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
