/** The certificate that a listener presents for one server name, with the rules of its connections. */

/** PEM texts and options in the form of the runtime. The first entry of a listener has no name: it is the default. */
export interface TlsEntry {
  readonly cert: string;
  readonly key: string;
  readonly serverName?: string;
  /** The number of the oldest protocol version. If absent, that of the runtime, which is TLS 1.2. */
  readonly minVersion?: number;
  /** Authorities of client certificates. */
  readonly ca?: string;
  readonly crl?: string;
  readonly requestCert?: true;
  readonly rejectUnauthorized?: true;
}
