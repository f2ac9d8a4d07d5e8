/** Requests with a proof of a key (RFC 9449), which is checked at one time and used once. */
import { randomToken } from '../../crypto/random.js';

/** What all services of a process know of a request. */
export interface ProvenOnce {
  /** Random. Stored with the proof, so that another service that has the same database recognizes the request. */
  id: string;
  /** When its first proof was checked. */
  since: number;
}

/** A symbol, so that no client can set it. Registered, so that two copies of the package share it. */
const provenOnce: unique symbol = Symbol.for('svc-auth.provenOnce');

/** Several guards, also of several services, can check one request, which has one proof. Its body can take longer to arrive than a proof lasts. */
export function provenOnceOf(request: object & { [provenOnce]?: ProvenOnce }, now: number): ProvenOnce {
  const known = request[provenOnce];
  if (known) return known;
  const value: ProvenOnce = { id: randomToken(), since: now };
  Object.defineProperty(request, provenOnce, { value });
  return value;
}
