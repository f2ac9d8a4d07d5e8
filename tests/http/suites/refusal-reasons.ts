/** The log contains which check refused a request; the response does not. */
import type { OpenSite } from '../matrix.js';
import type { Site } from '../../support/http-site.js';
import { proProviders } from '../../support/make-pro-service.js';
import type { Suite } from '../matrix.js';
import { expectError } from './expect.js';

const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
const json = { 'Content-Type': 'application/json' };

const reasonsOf = ({ log }: Site) =>
  log.filter(({ fields }) => fields['event'] === 'refused').map(({ fields }) => fields['reason']);

export function refusalReasons(open: OpenSite, express: Parameters<Suite>[1]): void {
  describe('logging of refused requests', () => {
    it('a refused request is logged with the check that refused it', async () => {
      const site = await open({
        pro: true,
        service: { providers: { ...proProviders, sessions: { canImpersonate: () => true } } },
      });
      const [admin, user] = [await site.signUp(), await site.signUp()];
      const { token } = await site.service.sessionsProvider.impersonate(admin.user.id, user.user.id);
      const path = '/email-code/send';
      await site.post(path, {}, { headers: { Origin: 'https://evil.test' } });
      await site.post(path, 'email=a', { headers: form });
      await site.post(path, '{', { headers: json });
      await site.post(path, `{"x":"${'x'.repeat(17 * 1024)}"}`, { headers: json });
      await site.post(path, { email: 1 });
      await site.send('DELETE', '/account');
      await site.send('DELETE', '/account', undefined, { headers: { Authorization: `Bearer ${token}` } });
      expect(reasonsOf(site)).toEqual([
        'origin_mismatch',
        'content_type',
        'body_malformed',
        'body_too_large',
        'body_fields',
        'cookie_missing',
        'impersonation',
      ]);
    });

    it('a refused request is logged as parsed elsewhere if other middleware has consumed its body', async () => {
      const site = await open({
        before: (app) => {
          app.use((req, _res, next) => {
            req.resume();
            req.on('end', () => next());
          });
        },
      });
      expectError(await site.post('/email-code/send', { email: 'x' }), 400, 'invalid_request');
      expect(reasonsOf(site)).toEqual(['body_parsed_elsewhere']);
    });

    it('the content type that a form parser has read is logged and, outside production, part of the message', async () => {
      const site = await open({ before: (app) => void app.use(express.urlencoded({ extended: false })) });
      const environment = process.env['NODE_ENV'];
      const messages: string[] = [];
      try {
        for (const mode of ['development', 'production']) {
          process.env['NODE_ENV'] = mode;
          const response = await site.post('/email-code/send', 'email=a%40example.com', { headers: form });
          expectError(response, 400, 'invalid_request');
          messages.push(response.json.message as string);
        }
      } finally {
        process.env['NODE_ENV'] = environment;
      }
      const expectedMessage =
        'The content type must be application/json, but is application/x-www-form-urlencoded. ' +
        'A body parser of the application has read this body.';
      expect(messages).toEqual([expectedMessage, 'The request is not valid.']);
      const details = site.log.map(({ fields }) => fields['detail']).filter((detail) => detail !== undefined);
      expect(details).toEqual([expectedMessage, expectedMessage]);
    });
  });
}
