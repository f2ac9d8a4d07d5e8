// Every route of both routers under a storm of requests over real HTTP, from callers of every kind; an honest user must find their
// account unchanged afterwards.
import express5 from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import { documentedRoutes } from '../../support/documented-responses.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { ignorePasswords } from '../../support/leak-scan.js';
import { anyDraw, movesAsTheyAre } from './draws.js';
import { itHolds, isLong, storages } from './pass.js';
import { openStorm, type Storm } from './storm.js';

ignorePasswords();

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];

/**
 * Routes of options that would change what the storm is about: with `signUp.revealExisting: false` and with required
 * `signUp.fields` it could not create its callers, with `session.bearer` responses contain tokens, and with `magicLink.confirmElsewhere` links ask for a confirmation. The HTTP suites have them.
 */
const unreachable = [
  'post /password/signup/verify',
  'post /password/signup/resend',
  'post /sign-up/complete',
  'post /session/refresh',
  'post /magic-link/verify',
  'post /magic-link/confirm',
  // With `notices`, which mail the callers at every sign-in.
  'get /not-me',
  'post /not-me',
];

/** Returns the routes that never succeeded. A storm may not change users as an administrator. */
const missedBy = (succeeded: ReadonlySet<string>) =>
  documentedRoutes
    .filter(({ method, path }) => method === 'get' || !path.startsWith('/admin/'))
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => !succeeded.has(route) && !unreachable.includes(route));

// Over all storms of a long pass, since a single one may be too short.
const succeeded = new Set<string>();
let sent = 0;

describeAdapters(
  'Storm of requests',
  ({ adapter }) => {
    it('succeeds on every route with the steps of every move in order', async () => {
      const storm = await openStorm(express5, adapter());
      for (const move of movesAsTheyAre) await storm.send(move);
      expect(missedBy(storm.succeeded)).toEqual([]);
      await storm.close();
    });

    describe.each(versions)('to $version', ({ makeApp }) => {
      let storm: Storm | undefined;
      beforeAll(async () => {
        storm = await openStorm(makeApp, adapter());
      });
      afterAll(() => storm?.close());

      itHolds(
        'returns only responses that the OpenAPI document describes',
        () =>
          fc.asyncProperty(fc.array(anyDraw, { minLength: 1, maxLength: 12 }), (draws) =>
            storm!.send(draws.flat()),
          ),
        { runs: 20, weight: 6, timeoutMs: 60_000 },
      );

      it('keeps an honest user signed in and able to sign in after the storm', async () => {
        await storm!.isOverFor();
        // A storm without successful requests proves nothing.
        const { statuses } = storm!;
        expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '302', '400', '401', '403']));
        expect(statuses[200]).toBeGreaterThan(60);
        // Nor does one that is rejected almost everywhere.
        expect(storm!.succeeded.size).toBeGreaterThanOrEqual(45);
        for (const route of storm!.succeeded) succeeded.add(route);
        sent += Object.values(statuses).reduce((sum, n) => sum + n);
      });
    });
  },
  storages,
);

if (isLong) {
  it('succeeds on every route by chance alone, given a few thousand requests', () => {
    if (sent >= 4_000) expect(missedBy(succeeded)).toEqual([]);
  });
}
