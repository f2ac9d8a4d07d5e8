/** Authorization requests that are not answered to their client: a person has opened them, and gets a page. */
import type { Request, Response } from 'express';
import type { RefusedRequest, PageTargets } from '../core/internals.js';
import { RateLimitError } from '../errors/catalog.js';
import { statusOf, toServiceError } from '../http/error-handler.js';
import { setReasonHeader, shownReason } from '../http/refusal.js';
import { setResponseHeaders } from '../http/respond.js';
import type { RefusalTools } from '../http/refused-requests.js';
import { DocumentError } from './metadata-documents/document-metadata.js';

export interface PageTools extends RefusalTools {
  pageTargets: PageTargets;
}

interface Shown {
  /** For the header. Undefined in production. */
  reason?: ReturnType<typeof shownReason>;
}

/** Returns what the page says about an error of this server, which it logs. */
export function refusalOf(error: unknown, req: Request, tools: RefusalTools): RefusedRequest & Shown {
  if (error instanceof DocumentError)
    return {
      status: 400,
      code: 'invalid_client',
      detail: `the metadata document of the client: ${error.message}`,
    };
  const serviceError = toServiceError(error, req, tools);
  const status = statusOf(serviceError.code);
  const reason = shownReason(serviceError);
  if (error instanceof RateLimitError)
    return { status, reason, code: 'temporarily_unavailable', retryAfterMs: error.retryAfterMs };
  return { status, reason, code: status < 500 ? 'invalid_request' : 'server_error' };
}

/** Sends the page, in the language of its reader. Text without pages, or if the page fails. */
export async function sendRefusal(
  req: Request,
  res: Response,
  { reason, ...refusal }: RefusedRequest & Shown,
  { logger, pageTargets }: PageTools,
): Promise<void> {
  const { code, detail, retryAfterMs, status } = refusal;
  const page = await pageTargets.refusedRequest?.(req, res, refusal).catch((error: unknown) => {
    logger.error({ event: 'oauth_server', err: error }, 'the page of a refused request failed');
  });
  if (!page) setResponseHeaders(res);
  setReasonHeader(res, reason);
  if (retryAfterMs !== undefined) res.setHeader('Retry-After', String(Math.ceil(retryAfterMs / 1000)));
  res.statusCode = status;
  res.setHeader('Content-Type', page ? 'text/html; charset=utf-8' : 'text/plain; charset=utf-8');
  const sentence = `The request was refused: ${code}${detail === undefined ? '' : ` (${detail})`}.`;
  res.end(page ? page.text : sentence);
}
