/** The first message of a connection: a request for encryption, a cancellation or the parameters of a session. */

import { BodyReader } from './body-reader.ts';
import { ProtocolError } from './protocol-error.ts';

export type StartupMessage =
  | { readonly kind: 'encryption'; readonly by: 'tls' | 'gss' }
  | { readonly kind: 'cancel'; readonly pid: number; readonly secret: number }
  | {
      readonly kind: 'startup';
      readonly minor: number;
      readonly parameters: ReadonlyMap<string, string>;
      /** Options of the protocol (`_pq_.…`) that this server does not know. */
      readonly unknownOptions: readonly string[];
    };

const codes = { cancel: 80877102, tls: 80877103, gss: 80877104 } as const;

export function startupMessage(body: Uint8Array): StartupMessage {
  const reader = new BodyReader(body);
  const code = reader.int32();
  if (code === codes.tls) return encryption(reader, 'tls');
  if (code === codes.gss) return encryption(reader, 'gss');
  if (code === codes.cancel) {
    const [pid, secret] = [reader.int32(), reader.int32()];
    reader.done();
    return { kind: 'cancel', pid, secret };
  }
  const [major, minor] = [code >>> 16, code & 0xffff];
  if (major === 3) return { kind: 'startup', minor, ...parametersOf(reader) };
  throw new ProtocolError(
    `unsupported frontend protocol ${major}.${minor}: server supports 3.0`,
    '0A000',
  );
}

function encryption(reader: BodyReader, by: 'tls' | 'gss'): StartupMessage {
  reader.done();
  return { kind: 'encryption', by };
}

function parametersOf(reader: BodyReader) {
  const parameters = new Map<string, string>();
  const unknownOptions: string[] = [];
  for (let name = reader.text(); name !== ''; name = reader.text()) {
    const value = reader.text();
    if (name.startsWith('_pq_.')) unknownOptions.push(name);
    else parameters.set(name, value);
  }
  reader.done();
  return { parameters, unknownOptions };
}
