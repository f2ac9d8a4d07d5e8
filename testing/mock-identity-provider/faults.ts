/** Faults of the mock provider's endpoints. */
import type { ServerResponse } from 'node:http';

/**
 * `hang` never responds, `oversize` sends a response that is too large, `redirect` redirects to
 * another URL, `error` responds with an error (400), `missing` responds with 404, `error-200`
 * responds with an error and status 200, as some providers do. An object is sent as the response.
 */
export type MockFault =
  | 'hang'
  | 'oversize'
  | 'redirect'
  | 'error'
  | 'error-200'
  | 'missing'
  | { status?: number; contentType?: string; body: string };

const megabyte = 1024 * 1024;

export function answerFault(fault: MockFault, response: ServerResponse, issuer: string): void {
  if (typeof fault === 'object') {
    const { status = 200, contentType = 'application/json', body } = fault;
    response.writeHead(status, { 'content-type': contentType }).end(body);
  } else if (fault === 'oversize') sendJson(response, 200, { padding: 'x'.repeat(2 * megabyte) });
  else if (fault === 'redirect') response.writeHead(307, { location: `${issuer}/elsewhere` }).end();
  else if (fault === 'missing') sendJson(response, 404, { error: 'not_found' });
  else if (fault !== 'hang') sendJson(response, fault === 'error' ? 400 : 200, { error: 'invalid_grant' });
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body ?? null));
}
