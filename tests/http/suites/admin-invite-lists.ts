/** Lists of invitations that fail in part, and are sent again. */
import type { EmailMessage } from 'svc-auth';
import { fieldsOf, isAdmin, openAdminPages } from '../../support/admin-pages.js';
import { failingAdapter, type FailingAdapter } from '../../support/failing-adapter.js';
import type { HttpResponse } from '../../support/http-client.js';
import type { OpenSite } from '../matrix.js';

const path = '/users/invite-list';

/** What has happened to each address. */
function outcomesOf({ text }: HttpResponse): Record<string, string> {
  const rows = [...text.matchAll(/<tr role="row">\s*<td[^>]*><bdi>([^<]*)<\/bdi><\/td>\s*<td[^>]*>([^<]*)/g)];
  return Object.fromEntries(rows.map(([, address, outcome]) => [address!, outcome!.trim()]));
}

export function adminInviteLists(open: OpenSite): void {
  async function openLists() {
    let store: FailingAdapter | undefined;
    const sent: string[] = [];
    const sender = {
      onSend: (_to: string): void => undefined,
      async send({ to }: EmailMessage) {
        sender.onSend(to);
        sent.push(to);
      },
    };
    const scene = await openAdminPages(open, {
      site: {
        wrapAdapter: (adapter) => (store = failingAdapter(adapter)).adapter,
        service: {
          providers: { emailPassword: { sender, resetUrl: 'https://app.test/reset' } },
          rateLimit: { maxPerWindow: 20, windowMs: 60_000 },
        },
      },
      pages: { authorize: isAdmin },
    });
    const { site } = scene;
    await site.settle();
    sent.length = 0;
    const addresses = [site.uniqueEmail(), site.uniqueEmail(), site.uniqueEmail()] as const;
    return { ...scene, addresses, list: addresses.join('\n'), sender, sent, store: store! };
  }

  describe('a list of invitations that fails in part', () => {
    it('can be sent again: an address whose mail failed gets one then, and the others get no second one', async () => {
      const { addresses, list, post, sender, sent, submit } = await openLists();
      const [first, second, third] = addresses;
      sender.onSend = (to) => {
        if (to === second) throw new Error('refused');
      };
      const result = await submit(path, { addresses: list });
      expect(outcomesOf(result)).toEqual({
        [first]: 'Invitation sent',
        [second]: 'Failed: try again',
        [third]: 'Invitation sent',
      });
      expect(sent).toEqual([first, third]);
      sender.onSend = () => undefined;
      const again = await submit(path, { addresses: list });
      expect(outcomesOf(again)[second]).toBe('Invitation sent');
      expect(sent).toEqual([first, third, second]);
      expect(outcomesOf(await submit(path, { addresses: list }))[second]).toContain('or an invitation');
      // The button below the first result.
      const rest = fieldsOf(result.text);
      expect(rest['addresses']).toBe(second);
      expect(outcomesOf(await post(path, rest))).toEqual({
        [second]: 'Has an account already, or an invitation',
      });
      expect(sent).toHaveLength(3);
    });

    it('shows what was done before an error of the database, and continues when it is sent again', async () => {
      const { addresses, list, post, sender, sent, store, submit } = await openLists();
      const [first, second, third] = addresses;
      // The account of the second address is created, and its link cannot be stored.
      sender.onSend = () => store.fail('singleUseTokens');
      const result = await submit(path, { addresses: `${list}\nno address`, roles: 'support' });
      expect(result.status).toBe(200);
      expect(outcomesOf(result)).toEqual({
        [first]: 'Invitation sent',
        [second]: 'Failed: try again',
        [third]: 'Not done',
        'no address': 'Not an email address',
      });
      store.recover();
      sender.onSend = () => undefined;
      const again = await post(path, fieldsOf(result.text));
      expect(outcomesOf(again)).toEqual({ [second]: 'Invitation sent', [third]: 'Invitation sent' });
      expect(sent).toEqual([first, second, third]);
    });

    it('mails no address twice if it is sent twice at the same time', async () => {
      const { addresses, get, list, post, sent } = await openLists();
      const fields = { ...fieldsOf((await get(path)).text), addresses: list };
      const results = await Promise.all([post(path, fields), post(path, fields)]);
      expect(results.map(({ status }) => status)).toEqual([200, 200]);
      expect([...sent].sort()).toEqual([...addresses].sort());
    });

    it('invites the users whom an administrator has created and who have not signed in', async () => {
      const { addresses, sent, site, submit } = await openLists();
      const [created, invited] = addresses;
      await site.service.users.create({ email: created });
      await site.service.users.invite({ email: invited });
      const result = await submit(path, { addresses: `${created}\n${invited}` });
      expect(outcomesOf(result)).toEqual({
        [created]: 'Invitation sent',
        [invited]: 'Has an account already, or an invitation',
      });
      expect(sent).toEqual([invited, created]);
    });
  });
}
