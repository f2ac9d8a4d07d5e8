// Every route of both routers under a storm of requests over real HTTP, from callers of every kind; afterwards an honest user finds
// everything as it was.
import express5 from 'express';
import express4 from 'express4';
import fc from 'fast-check';
import { describeAdapters } from '../../support/describe-adapters.js';
import { holds, isLong, storages } from './pass.js';
import { anyRequest } from './requests.js';
import { openStorm, type Storm } from './storm.js';
import { ignorePasswords } from '../../support/leak-scan.js';

ignorePasswords();

const versions = [
  { version: 'Express 4', makeApp: express4 },
  { version: 'Express 5', makeApp: express5 },
];

describeAdapters(
  'A storm of requests',
  ({ adapter }) => {
    describe.each(versions)('to $version', ({ makeApp }) => {
      let storm: Storm | undefined;
      beforeAll(async () => {
        storm = await openStorm(makeApp, adapter());
      });
      afterAll(() => storm?.close());

      holds(
        'gets no answer but those that the document describes',
        () =>
          fc.asyncProperty(fc.array(anyRequest, { minLength: 1, maxLength: 12 }), (requests) =>
            storm!.send(requests),
          ),
        { runs: 40, weight: 6, patienceMs: 60_000 },
      );

      it('leaves an honest user signed in, and able to sign in', async () => {
        await storm!.isOverFor();
        // A storm that gets nowhere proves nothing.
        expect(Object.keys(storm!.statuses)).toEqual(
          expect.arrayContaining(['200', '302', '400', '401', '403']),
        );
        expect(storm!.statuses[200]).toBeGreaterThan(20);
        // Nor one that is refused wherever it goes. The others take several steps in their order, which few draws make.
        expect(storm!.succeeded.size).toBeGreaterThanOrEqual(isLong ? 40 : 20);
      });
    });
  },
  storages,
);
