/** A violation of the protocol, or a limit of the connection. The connection ends after its message. */

export class ProtocolError extends Error {
  readonly sqlstate: string;

  constructor(message: string, sqlstate = '08P01') {
    super(message);
    this.name = 'ProtocolError';
    this.sqlstate = sqlstate;
  }
}
