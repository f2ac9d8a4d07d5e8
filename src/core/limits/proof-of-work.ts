/**
 * A challenge that costs the client computing time: an ALTCHA proof of work, version 2. The server stores nothing until it is solved.
 */
import * as z from 'zod';
import type { Keyring } from '../../crypto/keys.js';
import { loadAltcha } from '../../runtime/load.js';
import type { ChallengeOptions, ChallengeProvider, ChallengePurpose } from './challenge-options.js';
import { lazily } from '../../runtime/load.js';

const algorithm = 'PBKDF2/SHA-256';
/** Two hexadecimal digits: one of 256 keys begins with them. */
const keyPrefix = '00';

const parameters = lazily(() =>
  z.looseObject({
    algorithm: z.literal(algorithm),
    nonce: z.string(),
    salt: z.string(),
    cost: z.number(),
    keyLength: z.number(),
    keyPrefix: z.string(),
    data: z.object({ purpose: z.string(), expires: z.number() }),
  }),
);

/** As solvers of ALTCHA send it. */
const payload = lazily(() =>
  z.object({
    challenge: z.object({ parameters: parameters(), signature: z.string() }),
    solution: z.object({ counter: z.number(), derivedKey: z.string() }),
  }),
);

export function proofOfWork({ cost, ttlMs }: ChallengeOptions, keys: Keyring): ChallengeProvider {
  const secrets = () => keys.subkeys('challenge').map((key) => key.export().toString('hex'));
  return {
    async create({ purpose, now }) {
      const { createChallenge, deriveKey } = loadAltcha();
      const [hmacSignatureSecret = ''] = secrets();
      // Not `expiresAt`, which the package compares with its own clock.
      const data = { purpose, expires: now + ttlMs };
      const challenge = await createChallenge({
        algorithm,
        cost,
        keyPrefix,
        deriveKey,
        hmacSignatureSecret,
        data,
      });
      return { type: 'proof-of-work', ...challenge };
    },
    async verify(solution, { purpose, now }) {
      const parsed = payload().safeParse(decoded(solution));
      if (!parsed.success) return null;
      const { challenge } = parsed.data;
      const { nonce, data } = challenge.parameters;
      if (!isFor(data, purpose, now)) return null;
      const { deriveKey, verifySolution } = loadAltcha();
      for (const hmacSignatureSecret of secrets()) {
        // Checks the signature before it derives a key, so that a client cannot choose the work of the server.
        const { verified } = await verifySolution({ ...parsed.data, deriveKey, hmacSignatureSecret });
        // By the signed nonce: one challenge has many solutions.
        if (verified) return { id: nonce, expiresAt: new Date(data.expires) };
      }
      return null;
    },
  };
}

function isFor(data: { purpose: string; expires: number }, purpose: ChallengePurpose, now: number): boolean {
  return data.purpose === purpose && now < data.expires;
}

function decoded(solution: string): unknown {
  try {
    return JSON.parse(Buffer.from(solution, 'base64').toString());
  } catch {
    return null;
  }
}
