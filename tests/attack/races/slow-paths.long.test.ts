// A call that started before the user's sessions were revoked and ends afterwards leaves nothing behind
// (docs/decisions/revocation.md).
import { describeAdapters } from '../../support/describe-adapters.js';
import { guestsOvertaken } from './slow/guests.js';
import { overtaken } from './slow/overtaken.js';
import { providersOvertaken } from './slow/providers.js';
import { signInsOvertaken } from './slow/sign-ins.js';
import { slow } from './slow/slow-service.js';

describeAdapters('Slow calls overtaken by a revocation', (on) => {
  for (const suite of [overtaken, signInsOvertaken, guestsOvertaken, providersOvertaken]) suite(slow(on));
});
