/** Sessions of clients without cookies (`session.bearer`). */
import type { Examined, Family, Found } from './finding.js';

export const bearer: Family = {
  kinds: {
    dpop_origin_missing: {
      severity: 'hint',
      why: 'Any client chooses its Host header, so a proof that was made for another server is accepted here. Behind a proxy that changes the header, every proof is refused.',
    },
  },
  checks: { 'bearer sessions': checkBearer },
};

function checkBearer({ config: { session } }: Examined): Found[] {
  // Either value of `dpop` accepts proofs.
  if (session.bearer === false || session.bearer.origin !== undefined) return [];
  return [
    {
      id: 'dpop_origin_missing',
      title: `Proofs of keys (session.bearer.dpop: '${session.bearer.dpop}') are compared with the Host header of the request.`,
      fix: "session: { bearer: { origin: 'https://your-domain' } } // the origin of the routes",
    },
  ];
}
