/** Responses that the runtime writes before a handler sees the request. The runtime has no hook for them, so they contain no problem document. */

interface BareResponse {
  readonly name: 'large_head' | 'malformed' | 'version' | 'length' | 'chunk_extension' | 'method';
  /** The requests that receive this response, in the words of the page. */
  readonly requests: string;
  /** The complete bytes of the response, after which the connection is closed. */
  readonly bytes: string;
}

function closing(status: string): string {
  return `HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`;
}

export const headBytesMax = 16_384;
export const headerLinesMax = 198;

export const bareResponses: readonly BareResponse[] = [
  {
    name: 'large_head',
    requests:
      'a head (request line, header lines and the empty line) of more than 16,384 bytes, or with more than 198 header lines',
    bytes: closing('431 Request Header Fields Too Large'),
  },
  {
    name: 'malformed',
    requests:
      'HTTP/1.1 without `Host`; a malformed request line or header line (a space before the colon, a folded line, a control character); a `Content-Length` that is not a number, has two values, or occurs together with `Transfer-Encoding`; a `Transfer-Encoding` other than `chunked`; a malformed chunk; a TLS handshake',
    bytes: closing('400 Bad Request'),
  },
  {
    name: 'version',
    requests:
      'a request line that does not end in `HTTP/1.1` or `HTTP/1.0`, or that ends in a line feed alone',
    bytes: closing('505 HTTP Version Not Supported'),
  },
  {
    name: 'length',
    requests:
      '`Content-Length` above 1 TiB (above `--max-body-mib` the server answers with a problem)',
    bytes: closing('413 Request Entity Too Large'),
  },
  {
    name: 'chunk_extension',
    requests: 'a chunk with an extension of more than 16 KiB',
    bytes: closing('413 Payload Too Large'),
  },
  {
    name: 'method',
    requests:
      'a method that the runtime does not support, such as `FOO` or `get` (supported methods get 404, or 405 with `Allow`)',
    bytes: '',
  },
];

/** Returns the section of docs/http.md. */
export function bareResponsesText(): string {
  const rows = bareResponses.map(({ requests, bytes }) => {
    const shown = bytes === '' ? 'none' : `\`${JSON.stringify(bytes).slice(1, -1)}\``;
    return `| ${requests} | ${shown} |`;
  });
  return `## Responses without a problem document

The runtime answers requests that it cannot parse before the server sees them, and closes the connection. The table shows all bytes of its responses.

| request | response |
|---|---|
${rows.join('\n')}
`;
}
