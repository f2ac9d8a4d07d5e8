/** What the races of one process and of several share. */
import { base } from '../../support/http-site.js';

export const redirectUri = `https://app.test${base}/oauth/acme/callback`;

/** Numbers of one country, each for one use. */
export function phoneNumbers(): () => string {
  let next = 0;
  return () => `+1415${2_000_000 + (next += 1)}`;
}
