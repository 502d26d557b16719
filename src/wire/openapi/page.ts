/** docs/http.md, made from the operations. */

import { bareResponsesText } from './bare-responses.ts';
import type { Example, Operation, Parameter } from './operation.ts';
import { operations } from './operations.ts';
import { isProbe, problemStatuses } from './problem-statuses.ts';

const preface = `# HTTP

Every route, with what is sent and what is answered; the same as [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1) is served at \`/openapi.json\` and stands in \`schemas/openapi.json\` (\`QUERY\`, which that version does not know, in \`x-query\`).
This page is made from it. The examples are run by the tests, in order, against an empty database in direct mode; \`…\` stands for what is another each time.

- Bodies are JSON in UTF-8 (\`Content-Type: application/json\`); a query by \`QUERY\` has its own type. Parameters of the type say nothing: with \`charset=utf-16\` a body is read as UTF-8 all the same, and one that is not is refused. A byte order mark before the document is ignored. At most 4 MiB (\`--max-body-mib\`), 1,024 levels deep, 16 KiB and 198 lines of headers.
- Everything that is not 2xx or 304 is a problem document, \`application/problem+json\`: [errors.md](errors.md). Probes answer their own little document. The runtime answers [some malformed requests](#responses-without-a-problem-document) by itself.
- Of a member that an object has twice the last one counts, as \`JSON.parse\` has it.
- int64 values stand in \`rows\` of requests as text (\`"1"\`), so that no digit is lost on the way; answers have JSON integers.
- \`HEAD\` works wherever \`GET\` does. An unknown path is 404, another method 405 with \`Allow\`.
- One request at a time on a connection: a client that sends the next one before it has the answer (pipelining) is cut off.
- Send no trailer behind a body in chunks. The runtime answers it with a bare 400 and ends the connection, often in place of the answer: the program may have been executed all the same, so treat that 400 as an unknown outcome.
- \`Expect: 100-continue\` in any case of letters asks for \`100 Continue\` before the body. The server sends it when it is about to read the body; a request that it refuses before that, by its route, method, media type or size, gets the refusal instead. In lower case alone the runtime sends \`HTTP/1.1 100 Continue\\r\\n\\r\\n\` itself before the server sees the request, and a refusal follows it. Outside Linux the other spellings get no \`100 Continue\`.
- \`Svc-Deadline-Ms: 500\` gives a request less time than \`--statement-timeout-ms\`. A client that closes its connection ends its program, unless that is committed already.
- Pages of other sites may change nothing: 403 for a foreign \`Origin\` or \`Sec-Fetch-Site\`, unless \`--cors-origin\` names it.
- An unknown parameter, or one that is given twice, is refused with 400: a misspelt \`dry-run\` does not run the program. The same holds for every route that changes something.

On a command line, where no newline follows an answer (\`-w '\\n'\` adds one):

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
  return `Failures by status; the codes and reasons within them: [errors.md](errors.md).

| status | from | |
|---|---|---|
${rows.join('\n')}
`;
}

function operationText(operation: Operation): string {
  const { method, path, summary, description, parameters = [], examples = [] } = operation;
  const shown = parameters.filter((one) => one.in !== 'path' && one.name !== 'Svc-Deadline-Ms');
  return [
    `\`${method} ${shownPath(path)}\` – ${lower(summary)}. ${description}${isProbe(operation) ? ' See [monitoring.md](monitoring.md).' : ''}\n`,
    ...(shown.length > 0 ? [parametersText(shown)] : []),
    ...examples.map((example) => exampleText(operation, example)),
  ].join('\n');
}

function parametersText(parameters: readonly Parameter[]): string {
  const rows = parameters.map(({ name, in: place, description, schema }) => {
    const value = schema['type'] === 'boolean' ? 'true' : '';
    const shown = place === 'query' ? `\`?${name}=${value}\`` : `\`${name}\``;
    return `| ${shown} | ${description} |`;
  });
  return `| parameter or header | |\n|---|---|\n${rows.join('\n')}\n`;
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

/** On one line where that is short enough, else a member a line. */
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
