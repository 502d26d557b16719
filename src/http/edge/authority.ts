/** Identifies the principal of each request, and refuses requests that the principal may not send. */

import { OpenPrincipal, type Principal, permits, requireOne, withoutAdministration } from '#access';
import { PrincipalRates } from '#authentication';
import type { Clock, Scheduler } from '#base';
import { DatabaseError, fail } from '#failure';
import type { OperationNeeds } from '#wire';
import type { Lifecycle } from '../lifecycle.ts';
import { needsAt } from '../routes/route-table.ts';
import { discardArrived, hasBody } from './arrived-body.ts';
import { Mark } from './mark.ts';
import { isForeign } from './origin.ts';
import { pathnameOf } from './parameters.ts';
import { RefusalPace } from './refusal-pace.ts';

/** The facts by which a request is authenticated. */
interface Credentials {
  /** The header `Authorization`, or `null` without one. */
  readonly authorization: string | null;
  /** Returns the address of the client; empty if it is unknown. */
  readonly address: () => string;
}

/** Identifies clients by their access tokens. */
export interface Authenticator {
  /** Returns the principal, synchronously if it is known. Throws `missing_token`, `invalid_token` or `too_many_failures`. */
  authenticate(credentials: Credentials): Principal | Promise<Principal>;
}

interface AuthorityOptions {
  /** If absent, every client is open. */
  readonly authenticator?: Authenticator | undefined;
  readonly rateLimit?: number | undefined;
  /** Present if clients reach this server by TLS. */
  readonly secureTransport?: object | undefined;
  readonly clock: Clock;
  readonly scheduler: Scheduler;
  readonly lifecycle: Pick<Lifecycle, 'engine'>;
}

/** Before the database is open, all requests but probes are refused. */
const noPolicies = {};

export class Authority {
  private readonly options: AuthorityOptions;
  private readonly rates = new PrincipalRates();
  private readonly authenticator: Authenticator | undefined;
  private readonly addressOf: (request: Request) => string | undefined;
  private readonly principals = new Mark<Principal>();
  private readonly pace: RefusalPace;

  constructor(options: AuthorityOptions, addressOf: (request: Request) => string | undefined) {
    this.options = options;
    this.authenticator = options.authenticator;
    this.addressOf = addressOf;
    this.pace = new RefusalPace(options.scheduler);
  }

  /**
   * Authenticates a request and checks its scopes. Without an authenticator every client is open. A refusal closes the
   * connection if the request has a body that has not arrived, or is large: the body is then not read.
   */
  admit(request: Request): Promise<void> | undefined {
    const { authenticator } = this;
    if (authenticator === undefined) return undefined;
    const needs = needsAt(request.method, pathnameOf(request.url));
    if (needs === 'nothing') return undefined;
    try {
      this.options.lifecycle.engine?.requireFreshKeys();
      const found = authenticator.authenticate({
        authorization: request.headers.get('authorization'),
        address: () => this.addressOf(request) ?? '',
      });
      if (!(found instanceof Promise)) {
        this.take(found, request, needs);
        return undefined;
      }
      return found
        .then((it) => this.take(it, request, needs))
        .catch((error) => this.refuse(error, request));
    } catch (error) {
      return this.refuse(error, request);
    }
  }

  /** Rejects with the error once the body has been discarded, and it is the turn of a client that is not known. */
  private async refuse(error: unknown, request: Request): Promise<never> {
    if (!(error instanceof DatabaseError)) throw error;
    const isOver = !hasBody(request) || (await discardArrived(request, this.options.scheduler));
    if (!this.hasAdmitted(request)) await this.pace.enter();
    throw isOver ? error : endingConnection(error);
  }

  private take(
    found: Principal,
    request: Request,
    needs: Exclude<OperationNeeds, 'nothing'> | undefined,
  ): void {
    const principal = this.reduced(found, request);
    this.principals.set(request, principal);
    this.checkRate(principal);
    if (needs === undefined || needs === 'token') return;
    requireOne(principal, needs, this.options.lifecycle.engine?.catalog ?? noPolicies);
  }

  /** Pages of other origins cannot change the schema or keys, even if CORS allows their requests. */
  private reduced(principal: Principal, { headers }: Request): Principal {
    const scheme = this.options.secureTransport === undefined ? 'http' : 'https';
    return isForeign(headers, scheme) ? withoutAdministration(principal) : principal;
  }

  private checkRate({ id, limits }: Principal): void {
    const perSecond = limits.rate ?? this.options.rateLimit;
    if (perSecond === undefined) return;
    const waitMs = this.rates.take(id, perSecond, this.options.clock.monotonicMs());
    if (waitMs === 0) return;
    const detail = `more than ${perSecond} requests per second; wait ${Math.ceil(waitMs)} ms`;
    throw fail('rate_limited', detail, { retryAfterSeconds: Math.ceil(waitMs / 1000) });
  }

  /** Returns whether the client is known, or need not be known. */
  hasAdmitted(request: Request): boolean {
    return this.authenticator === undefined || this.principals.get(request) !== undefined;
  }

  /** Returns the principal of an admitted request. */
  principalOf(request: Request): Principal {
    if (this.authenticator === undefined) {
      return new OpenPrincipal(() => this.addressOf(request) ?? '');
    }
    const principal = this.principals.get(request);
    if (principal === undefined) throw new Error('the request was not authenticated');
    return principal;
  }

  /** Returns whether the client may see the causes of internal failures, which can contain paths and addresses. */
  seesCauses(request: Request): boolean {
    if (this.authenticator === undefined) return true;
    const principal = this.principals.get(request);
    return principal !== undefined && permits(principal.scopes, 'admin');
  }
}

function endingConnection(error: DatabaseError): DatabaseError {
  return new DatabaseError({ ...error.failure, endsConnection: true }, { cause: error });
}
