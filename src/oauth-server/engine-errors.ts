/** What the engine does with errors: this file knows the package `oidc-provider`, as engine.ts does. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type { RefusedRequest } from '../core/internals.js';
import type { Reason } from '../errors/reasons.js';
import { refusedStatuses, setReasonHeader } from '../http/refusal.js';
import { isFailedAuthentication, limitedBody, retryAfter } from './protocol-errors.js';
import { hostOf } from './redirect-uris.js';

export interface ErrorTools {
  /** Sends the page for a request that cannot be answered to its client. */
  renderError(req: IncomingMessage, res: ServerResponse, refusal: RefusedRequest): Promise<void>;
  /** Whether a stranger has made the client, so that its address may be anyone's. */
  isSelfRegistered(clientId: string): Promise<boolean>;
  /** Counts a failed authentication. Returns how long its caller must wait, and null if there have not been too many. */
  countFailure(req: IncomingMessage): Promise<number | null>;
  /** Logs and records a refusal. */
  noteRefusal(req: IncomingMessage, refusal: ProtocolRefusal): void;
}

interface ProtocolRefusal {
  status: number;
  code: string | null;
  reason: Reason;
  clientId: string | undefined;
}

/** Sends an answer to the address of a client. */
export type Respond = (
  ctx: KoaContextWithOIDC,
  address: string,
  answer: Record<string, unknown>,
) => void | Promise<void>;

interface ErrorAnswer {
  error?: string;
  error_description?: string | undefined;
}

export async function renderError(
  tools: ErrorTools,
  ctx: KoaContextWithOIDC,
  { error: code = 'server_error', error_description: detail }: ErrorAnswer,
  address?: string,
): Promise<void> {
  ctx.respond = false;
  const status = ctx.status >= 400 ? ctx.status : 400;
  const host = address === undefined ? {} : { host: hostOf(address) };
  await tools.renderError(ctx.req, ctx.res, { code, detail, status, ...host });
}

/** Until the user has decided, an error leads no browser to an address for which only a stranger vouches (RFC 9700, 4.11.2). */
export function guarded(tools: ErrorTools, send: Respond): Respond {
  return async (ctx, address, answer) => {
    const { Client, Interaction } = ctx.oidc.entities;
    const isEarlyError = answer['error'] !== undefined && Interaction?.result === undefined;
    if (isEarlyError && Client && (await tools.isSelfRegistered(Client.clientId)))
      return renderError(tools, ctx, answer, address);
    return send(ctx, address, answer);
  };
}

/** The errors of the protocol whose answers have the status 401, 403 or 429. */
const reasonOfError: Readonly<Record<string, Reason>> = {
  invalid_client: 'client_invalid',
  invalid_token: 'access_token_invalid',
  insufficient_scope: 'scope_missing',
  temporarily_unavailable: 'limit:oauth-failure:ip',
};

/** Notes a refusal, and sets the header with its reason outside production. */
function noteReason(tools: ErrorTools, ctx: KoaContextWithOIDC): void {
  const { status } = ctx;
  // An address that is not an endpoint has none.
  const { oidc } = ctx as Partial<KoaContextWithOIDC>;
  if (!refusedStatuses.includes(status)) return;
  const { error } = (ctx.body ?? {}) as { error?: unknown };
  const code = typeof error === 'string' ? error : null;
  const lacksToken = code === 'invalid_token' && ctx.req.headers.authorization === undefined;
  const known = (code !== null && reasonOfError[code]) || 'client_invalid';
  const reason = lacksToken ? 'access_token_missing' : known;
  tools.noteRefusal(ctx.req, { status, code, reason, clientId: oidc?.entities.Client?.clientId });
  setReasonHeader(ctx.res, reason);
}

/** Answers a failed authentication with 429 after too many of one address, and says why a request is refused. */
export async function limitFailures(tools: ErrorTools, ctx: KoaContextWithOIDC): Promise<void> {
  await limitAddress(tools, ctx);
  noteReason(tools, ctx);
}

async function limitAddress(tools: ErrorTools, ctx: KoaContextWithOIDC): Promise<void> {
  const waitMs = isFailedAuthentication(ctx.body) ? await tools.countFailure(ctx.req) : null;
  if (waitMs === null) return;
  ctx.status = 429;
  ctx.set('Retry-After', retryAfter(waitMs));
  ctx.body = limitedBody;
}
