// Every route of both routers under a storm of requests over real HTTP, from callers of every kind; afterwards an honest user finds
// everything as it was.
import express5 from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import { describedRoutes } from '../../support/described-answers.js';
import { describeAdapters } from '../../support/describe-adapters.js';
import { ignorePasswords } from '../../support/leak-scan.js';
import { anyDraw, movesAsTheyAre } from './draws.js';
import { holds, isLong, storages } from './pass.js';
import { openStorm, type Storm } from './storm.js';

ignorePasswords();

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];

/** Routes that did not once do what they are there for. */
const missedBy = (succeeded: ReadonlySet<string>) =>
  describedRoutes.map(({ method, path }) => `${method} ${path}`).filter((route) => !succeeded.has(route));

// Of all storms of a long pass, one of which alone may be short.
const succeeded = new Set<string>();
let sent = 0;

describeAdapters(
  'A storm of requests',
  ({ adapter }) => {
    it('gets past every front door, with the steps of every move in their order', async () => {
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

      holds(
        'gets no answer but those that the document describes',
        () =>
          fc.asyncProperty(fc.array(anyDraw, { minLength: 1, maxLength: 12 }), (draws) =>
            storm!.send(draws.flat()),
          ),
        { runs: 20, weight: 6, patienceMs: 60_000 },
      );

      it('leaves an honest user signed in, and able to sign in', async () => {
        await storm!.isOverFor();
        // A storm that gets nowhere proves nothing.
        const { statuses } = storm!;
        expect(Object.keys(statuses)).toEqual(expect.arrayContaining(['200', '302', '400', '401', '403']));
        expect(statuses[200]).toBeGreaterThan(60);
        // Nor one that is refused wherever it goes.
        expect(storm!.succeeded.size).toBeGreaterThanOrEqual(45);
        for (const route of storm!.succeeded) succeeded.add(route);
        sent += Object.values(statuses).reduce((sum, n) => sum + n);
      });
    });
  },
  storages,
);

if (isLong) {
  it('gets past every front door by chance alone, given a few thousand requests', () => {
    if (sent >= 4_000) expect(missedBy(succeeded)).toEqual([]);
  });
}
