/** A process that serves OAuth is killed in the middle of its traffic: no code gives tokens twice, and no client is signed out. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createSharedDatabase, type SharedDatabase, type SharedStorage } from '../support/databases.js';
import type { OAuthProcessOrder, OAuthProcessReport } from '../support/oauth-process.js';
import { Browser } from '../support/oauth-site.js';
import { openStorage } from '../support/open-storage.js';
import { forkWatched } from '../support/watched-process.js';
import {
  allow,
  askForToken,
  callback,
  refresh,
  type Address,
  type Redeemable,
  type TokenAnswer,
} from './protocol.js';

const script = fileURLToPath(new URL('../support/oauth-process.ts', import.meta.url));
const emails = Array.from({ length: 8 }, (_, n) => `user-${n}@example.com`);
const codesPerUser = 5;
const expiries = 2;
const parallel = 8;

type Code = Redeemable & Record<string, string>;

const counterOf = ({ refresh_token: token }: TokenAnswer) => Number(token?.split('.')[1]);

export function describeKilledOAuthServer(name: SharedStorage): void {
  describe(`an OAuth server on ${name} that is killed`, () => {
    let database: SharedDatabase;
    let child: ReturnType<typeof forkWatched>['child'];
    let first: OAuthProcessReport;
    /** Each process has another port. The issuer is where requests go. */
    let site: Address;
    let clientId: string;
    /** A client of each user, signed in. */
    const lines: TokenAnswer[] = [];
    const codes: Code[] = [];
    let answers = 0;

    async function start(order: Omit<OAuthProcessOrder, 'url'>): Promise<OAuthProcessReport> {
      ({ child } = forkWatched(script));
      await once(child, 'message');
      const serving = once(child, 'message');
      child.send({ url: database.url, ...order } satisfies OAuthProcessOrder);
      const [report] = (await serving) as [OAuthProcessReport];
      return report;
    }

    async function kill(): Promise<void> {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }

    /** Kills the process, and starts the next one. */
    async function restart(elapsedMs: number): Promise<void> {
      await kill();
      const { origin } = await start({ emails: [], elapsedMs, first });
      site = { issuer: origin, resource: first.resource };
    }

    /** Asks until there is an answer: the process may be killed before it answers. */
    async function answer(ask: () => Promise<TokenAnswer>): Promise<TokenAnswer> {
      for (;;) {
        try {
          const result = await ask();
          answers += 1;
          return result;
        } catch {
          await sleep(20);
        }
      }
    }

    /** Restarts the process as soon as it has given some answers more, while others are asked for. */
    async function killAfter(count: number, elapsedMs: number): Promise<void> {
      const enough = answers + count;
      while (answers < enough) await sleep(1);
      await restart(elapsedMs);
    }

    async function registerClient(): Promise<void> {
      const response = await fetch(`${site.issuer}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          client_name: 'A command line',
          redirect_uris: [callback],
          token_endpoint_auth_method: 'none',
        }),
      });
      ({ client_id: clientId } = (await response.json()) as { client_id: string });
    }

    beforeAll(async () => {
      database = await createSharedDatabase(name);
      const storage = openStorage(database.url);
      await storage.init();
      await storage.close();
      first = await start({ emails, elapsedMs: 0 });
      site = first;
      await registerClient();
      for (const cookie of first.cookies) {
        const browser = new Browser(site.issuer, cookie);
        for (let n = 0; n < codesPerUser; n += 1) codes.push(await allow(site, browser, clientId));
        lines.push(await askForToken(site, await allow(site, browser, clientId)));
      }
    });

    afterAll(async () => {
      await kill();
      await database.drop();
    });

    it('gives no tokens twice for a code, and loses no grant', async () => {
      const waiting = [...codes];
      const results: TokenAnswer[] = [];
      const redeem = async () => {
        for (let code = waiting.pop(); code; code = waiting.pop()) {
          const sent = code;
          results.push(await answer(() => askForToken(site, sent)));
        }
      };
      const redeemers = Promise.all(Array.from({ length: parallel }, redeem));
      await killAfter(codes.length / 8, 0);
      await killAfter(codes.length / 8, 0);
      await redeemers;

      // A code whose answer was lost is used up: its client asks its user again.
      const lost = results.filter(({ status }) => status !== 200);
      expect(lost.map(({ error }) => error)).toEqual(lost.map(() => 'invalid_grant'));
      expect(lost.length).toBeLessThanOrEqual(2 * parallel);
      for (const result of results.filter(({ status }) => status === 200))
        expect(await refresh(site, clientId, result.refresh_token)).toMatchObject({ status: 200 });
      for (const code of codes)
        expect(await askForToken(site, code)).toMatchObject({ status: 400, error: 'invalid_grant' });
    }, 240_000);

    it('gives the same successor again when the answer of a refresh was lost', async () => {
      for (let expiry = 1; expiry <= expiries; expiry += 1) {
        const elapsedMs = expiry * 60 * 60_000;
        await restart(elapsedMs);
        // Two processes of each client, which share its token.
        const sharing = [...lines, ...lines].map(({ refresh_token: token }) =>
          answer(() => refresh(site, clientId, token)),
        );
        await killAfter(lines.length, elapsedMs);
        const results = await Promise.all(sharing);
        expect(results.map((each) => [each.status, counterOf(each)])).toEqual(
          results.map(() => [200, expiry]),
        );
        for (const [n] of lines.entries()) lines[n] = results[n]!;
      }
    }, 240_000);
  });
}
