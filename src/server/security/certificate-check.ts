/** Checks the certificates of the listeners: files, keys, chain and validity. */

import type { X509Certificate } from 'node:crypto';
import type { ServeConfiguration } from '../configuration.ts';
import type { TlsConfiguration } from '../tls/options.ts';
import { readCertificates } from '../tls/pem.ts';
import { readTlsEntries } from '../tls/read-entries.ts';

const dayMs = 86_400_000;
/** Certificates that expire earlier are a warning. */
const expiryDays = 14;

interface Finding {
  readonly status: 'pass' | 'warning' | 'fail';
  readonly message: string;
}

/** Throws a `RefusedOption` if a file is unusable. */
export function certificateCheck({ tls, relay }: ServeConfiguration, nowMs: number) {
  const listeners = [tls, relay?.tls].filter((one) => one !== undefined);
  if (listeners.length === 0)
    return { status: 'pass', message: 'no listener uses TLS', details: {} } as const;
  const findings = listeners.flatMap((listener) => findingsOf(listener, nowMs));
  const worst =
    findings.find(({ status }) => status === 'fail') ??
    findings.find(({ status }) => status === 'warning') ??
    (findings[0] as Finding);
  return { ...worst, details: { findings } };
}

function findingsOf(configuration: TlsConfiguration, nowMs: number): readonly Finding[] {
  readTlsEntries(configuration);
  return configuration.pairs.map(({ certPath }) => {
    const { certificates } = readCertificates(`--${configuration.prefix}-cert`, certPath);
    return findingOf(certPath, certificates, nowMs);
  });
}

function findingOf(path: string, chain: readonly X509Certificate[], nowMs: number): Finding {
  const broken = chain.findIndex((one, i) => {
    const next = chain[i + 1];
    return next !== undefined && !(one.checkIssued(next) && one.verify(next.publicKey));
  });
  if (broken >= 0) {
    const message = `${path}: certificate ${broken + 2} did not issue certificate ${broken + 1}; order the chain from the server to its authority`;
    return { status: 'fail', message };
  }
  if (chain.some(({ validFromDate }) => validFromDate.getTime() > nowMs))
    return { status: 'fail', message: `${path}: not valid yet; check the clock` };
  const ends = Math.min(...chain.map(({ validToDate }) => validToDate.getTime()));
  const on = new Date(ends).toISOString().slice(0, 10);
  if (ends <= nowMs) return { status: 'fail', message: `${path}: expired on ${on}; renew it` };
  if (ends - nowMs < expiryDays * dayMs)
    return { status: 'warning', message: `${path}: expires on ${on}; renew it` };
  return { status: 'pass', message: `${path}: valid until ${on}` };
}
