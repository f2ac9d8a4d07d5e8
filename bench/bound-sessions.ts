/**
 * `npm run bench -- bound`: session checks per second on PostgreSQL, of ordinary and of bound sessions in turns, and refreshes per second of
 * bound ones. `BOUND_SECONDS` (default 3) is the length of each round.
 */
import { exportJWK, generateKeyPair, CompactSign } from 'jose';
import { createService, knexAdapter } from 'svc-auth';
import { internals } from '../src/core/internals.js';
import { startPostgres } from '../tests/support/postgres-server.js';

const roundMs = Number(process.env['BOUND_SECONDS'] ?? 3) * 1000;
const [rounds, users, concurrency] = [3, 200, 32];

const postgres = await startPostgres();
const adapter = knexAdapter({ client: 'pg', connection: postgres.url, pool: { min: 4, max: 4 } });
const service = createService({
  adapter,
  session: { secret: 'a secret of the benchmarks, 32 bytes or more', bound: true },
  logger: { debug() {}, info() {}, warn() {}, error: console.error },
});
await service.init();
const { boundSessions, sessions, clock } = service[internals];
if (!boundSessions) throw new Error('session.bound is not set.');

interface Bound {
  id: string;
  token: string;
  prove: (challenge: string) => Promise<string>;
}

async function newToken(index: number): Promise<string> {
  const id = crypto.randomUUID();
  const email = `user-${index}-${id}@example.test`;
  const user = {
    id,
    email,
    emailVerified: true,
    passwordHash: null,
    metadata: {},
    createdAt: new Date(clock()),
  };
  await adapter.users.insert(user);
  const stored = await adapter.users.findById(id);
  return (await sessions.issueSession(stored!, {})).token;
}

async function bound(token: string): Promise<Bound> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  const prove = (jti: string, own?: object) =>
    new CompactSign(new TextEncoder().encode(JSON.stringify({ jti })))
      .setProtectedHeader({ alg: 'ES256', typ: 'dbsc+jwt', ...own })
      .sign(privateKey);
  const nonce = crypto.randomUUID();
  const challenge = boundSessions!.registrationChallenge(sessions.tokens.verifyClaims(token), nonce);
  const { bindingId, issued } = await boundSessions!.register(await prove(challenge!, { jwk }), [nonce]);
  return { id: bindingId, token: issued.token, prove: (jti) => prove(jti) };
}

/** Returns how many calls end in a second. */
async function perSecond(call: (index: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  let calls = 0;
  const work = async () => {
    while (performance.now() - start < roundMs) await call((calls += 1));
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  return Math.round(calls / ((performance.now() - start) / 1000));
}

const all = await Promise.all(Array.from({ length: 2 * users }, (_, index) => newToken(index)));
const ordinary = all.slice(users);
const boundOnes = await Promise.all(all.slice(0, users).map(bound));
const check = (tokens: readonly string[]) =>
  perSecond((index) => sessions.authenticate(tokens[index % tokens.length]));
const tokens = boundOnes.map(({ token }) => token);
await check(ordinary);
for (let round = 1; round <= rounds; round += 1)
  console.log(
    `round ${round}: ${await check(ordinary)} checks/s ordinary, ${await check(tokens)} checks/s bound`,
  );
const refreshes = await perSecond(async (index) => {
  const { id, prove } = boundOnes[index % users]!;
  await boundSessions.refresh(id, await prove(boundSessions.refreshChallenge(id)));
});
console.log(`${refreshes} refreshes/s, including the signature of the browser`);
await service.close();
await postgres.stop();
