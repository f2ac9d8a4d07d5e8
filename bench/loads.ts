/** The loads. Each returns how often per second a server did its work; any failure ends the run. */
import autocannon from 'autocannon';
import bcrypt from 'bcrypt';
import { Agent, request, type IncomingMessage } from 'node:http';
import { bcryptCost, emails, fill, password, type Call, type Read } from './site.js';
import type { RunningSite } from './site-process.js';

/** How long a load lasts: a time, or a number of operations. */
export type Amount = { connections: number } & ({ seconds: number } | { operations: number });

/** Sends a GET on every connection again and again, as fast as the responses come. */
export async function read(origin: string, calls: Read | Read[], amount: Amount): Promise<number> {
  const list = [calls].flat();
  let opened = 0;
  const result = await autocannon({
    url: origin,
    connections: amount.connections,
    ...('seconds' in amount ? { duration: amount.seconds } : { amount: amount.operations }),
    // How exactly autocannon observes the duration.
    sampleInt: 50,
    setupClient(client) {
      const { path, headers } = list[opened++ % list.length] as Read;
      client.setRequests([{ path, headers, method: 'GET' }]);
    },
    verifyBody: (body: unknown) => list.some(({ expected }) => String(body).includes(expected)),
  });
  const { errors, timeouts, mismatches, non2xx } = result;
  const answered = result['2xx'];
  if (errors + timeouts + mismatches + non2xx > 0 || answered === 0) {
    throw new Error(
      `${list[0]?.path}: ${JSON.stringify({ answered, errors, timeouts, mismatches, non2xx })}`,
    );
  }
  return answered / result.duration;
}

/** Compares or hashes passwords with bcrypt in this process, without a server. */
export function bcryptAlone(verb: 'compare' | 'hash', amount: Amount): Promise<number> {
  const hash = bcrypt.hashSync(password, bcryptCost);
  return repeat(amount, () =>
    verb === 'hash' ? bcrypt.hash(password, bcryptCost) : bcrypt.compare(password, hash),
  );
}

/** Signs in with passwords; each connection signs in its own user. */
export function login(to: RunningSite, amount: Amount): Promise<number> {
  return withClient(to, amount, async (send, connection) => {
    await send(to.site.login, { email: emails[connection % emails.length] ?? '' }, to.site.cookie);
  });
}

/** Signs up a new user with a password each time. */
export function signUp(to: RunningSite, amount: Amount): Promise<number> {
  return withClient(to, amount, async (send) => {
    await send(to.site.signUp, { email: newEmail() });
  });
}

/** Sends a code to a new address, reads it and signs in with it. */
export function codeRoundTrip(to: RunningSite, amount: Amount): Promise<number> {
  return withClient(to, amount, async (send) => {
    const email = newEmail();
    const received = to.nextCode(email);
    await send(to.site.code?.send, { email });
    await send(to.site.code?.verify, { email, code: await received }, to.site.cookie);
  });
}

let created = 0;
function newEmail(): string {
  created += 1;
  return `new-${process.pid}-${created}@example.com`;
}

const timeoutMs = 30_000;

type Send = (call: Call | undefined, values: Record<string, string>, cookie?: string) => Promise<void>;

async function withClient(
  { origin }: RunningSite,
  amount: Amount,
  action: (send: Send, connection: number) => Promise<void>,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: amount.connections });
  const send: Send = async (call, values, cookie) => {
    if (!call) throw new Error(`${origin} does not offer this.`);
    const { path, method, headers, body } = fill(call, values);
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(origin + path, { method, headers, agent, timeout: timeoutMs }, resolve);
      sent.on('timeout', () => sent.destroy(new Error(`${path}: no response`)));
      sent.on('error', reject).end(body);
    });
    // Read to its end, so that the connection is free again.
    let text = '';
    for await (const chunk of response.setEncoding('utf8')) text += chunk as string;
    const { statusCode = 0 } = response;
    const isSignedIn =
      !cookie || response.headers['set-cookie']?.some((each) => each.startsWith(`${cookie}=`));
    if (statusCode >= 400 || !isSignedIn) throw new Error(`${path}: ${statusCode} ${text.slice(0, 200)}`);
  };
  try {
    return await repeat(amount, (connection) => action(send, connection));
  } finally {
    agent.destroy();
  }
}

/**
 * Repeats an action in one loop per connection until the time is over, and counts the last ones too: bcrypt is so slow that a
 * load generator with a fixed end would leave too many uncounted.
 */
async function repeat(amount: Amount, action: (connection: number) => Promise<unknown>): Promise<number> {
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  let begun = 0;
  let done = 0;
  const isOver = () => ('seconds' in amount ? elapsed() >= amount.seconds : begun >= amount.operations);
  const loop = async (connection: number) => {
    while (!isOver()) {
      begun += 1;
      await action(connection);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: amount.connections }, (_, connection) => loop(connection)));
  return done / elapsed();
}
