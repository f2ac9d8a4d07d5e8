/**
 * Solves the built-in challenge of `signUp.challenge`. Nothing else loads `altcha-lib`: a bundle without this function does not
 * contain it.
 */
import { AuthClientError, type Challenge } from './error.js';

type Altcha = typeof import('altcha-lib');
type Pbkdf2 = typeof import('altcha-lib/algorithms/web/pbkdf2');
type PosedChallenge = Parameters<Altcha['solveChallenge']>[0]['challenge'];

/** A browser that needs longer than this gets an error instead of a page that waits forever. */
const timeoutMs = 90_000;

/**
 * Computes the solution of a `proof-of-work`, which takes about a second: `createClient({ solveChallenge: solveProofOfWork })`. Needs
 * the package `altcha-lib`, and https or localhost.
 */
export async function solveProofOfWork(challenge: Challenge): Promise<string> {
  if (challenge['type'] !== 'proof-of-work') throw failed('The challenge is not a proof of work.');
  const [{ solveChallenge }, { deriveKey }] = await load();
  const { parameters, signature } = challenge as unknown as PosedChallenge;
  const posed = { parameters, ...(signature !== undefined && { signature }) };
  const solution = await solveChallenge({ challenge: posed, deriveKey, timeout: timeoutMs });
  if (!solution) throw failed('The challenge took too long to solve.');
  return btoa(JSON.stringify({ challenge: posed, solution }));
}

function load(): Promise<[Altcha, Pbkdf2]> {
  return Promise.all([import('altcha-lib'), import('altcha-lib/algorithms/web/pbkdf2')]).catch(
    (cause: unknown) => {
      throw failed('altcha-lib could not be loaded.', cause);
    },
  );
}

function failed(message: string, cause?: unknown): AuthClientError {
  return new AuthClientError('challenge_failed', 0, message, undefined, { cause });
}
