/**
 * The routes use `req.body` if the application has parsed it, and otherwise parse JSON themselves
 * (16 KB). A parsed body counts only with a JSON content type. No order of parsers hangs or crashes
 * them.
 */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import type { OpenSite, Suite } from '../matrix.js';
import type { HttpResponse } from '../../support/http-client.js';
import { basePath, type Site } from '../../support/http-site.js';
import { expectError } from './expect.js';

const json = { 'Content-Type': 'application/json' };
const all = () => true;

/** Reads the whole stream and discards it. */
const swallow: RequestHandler = (req, _res, next) => void req.resume().on('end', () => next());

/**
 * A parser of an application: reads the body and sets an object, without the mark that body-parser
 * sets.
 */
const ownParser: RequestHandler = (req, _res, next) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.on('end', () => {
    try {
      req.body = JSON.parse(Buffer.concat(chunks).toString());
    } catch {
      req.body = undefined;
    }
    next();
  });
};

const parsersOf = (express: Parameters<Suite>[1]): Record<string, RequestHandler[]> => ({
  'no parser': [],
  'express.json': [express.json()],
  'express.urlencoded': [express.urlencoded({ extended: true })],
  'express.text': [express.text()],
  'express.raw': [express.raw()],
  'express.json and express.urlencoded': [express.json(), express.urlencoded({ extended: false })],
  'express.text of everything': [express.text({ type: all })],
  'express.raw of everything': [express.raw({ type: all })],
  'every parser': [express.urlencoded({ extended: true }), express.text(), express.raw(), express.json()],
  'a custom parser': [ownParser],
});

const before = (handlers: RequestHandler[]) => (app: Express) => {
  for (const handler of handlers) app.use(handler);
};

/**
 * Bodies that are not a JSON object with an address, or not declared as JSON: never a 200, never a
 * 5xx.
 */
const bad: [string, unknown, Record<string, string>][] = [
  ['no body', undefined, {}],
  ['no body declared as JSON', undefined, json],
  ['an empty body', '', json],
  ['white space', '  \n', json],
  ['malformed JSON', '{"email": "ada@example.com"', json],
  ['truncated JSON', '{"email"', json],
  ['an array', '[{"email":"ada@example.com"}]', json],
  ['null', 'null', json],
  ['a string', '"ada@example.com"', json],
  ['a number', '42', json],
  ['true', 'true', json],
  ['an empty object', '{}', json],
  ['a form', 'email=ada%40example.com', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['a form declared as JSON', 'email=ada%40example.com', json],
  [
    'JSON declared as a form',
    '{"email":"ada@example.com"}',
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  ],
  ['JSON declared as text', '{"email":"ada@example.com"}', { 'Content-Type': 'text/plain' }],
  ['JSON declared as bytes', '{"email":"ada@example.com"}', { 'Content-Type': 'application/octet-stream' }],
  ['JSON without a content type', '{"email":"ada@example.com"}', {}],
  [
    'JSON declared as an unknown type',
    '{"email":"ada@example.com"}',
    { 'Content-Type': 'application/jsonx' },
  ],
  [
    'a multipart body',
    '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\nada@example.com\r\n--x--\r\n',
    { 'Content-Type': 'multipart/form-data; boundary=x' },
  ],
  ['invalid gzip', 'not gzip', { ...json, 'Content-Encoding': 'gzip' }],
  ['an unknown encoding', '{"email":"ada@example.com"}', { ...json, 'Content-Encoding': 'rot13' }],
  ['a malformed content type', '{"email":"ada@example.com"}', { 'Content-Type': ';;;' }],
];

export function bodies(open: OpenSite, express: Parameters<Suite>[1]): void {
  describe('request bodies', () => {
    describe.each(Object.entries(parsersOf(express)))('with %s before the routes', (name, handlers) => {
      it('a JSON body is read in one piece, in chunks and gzipped', async () => {
        const site = await open({ before: before(handlers) });
        const text = () => JSON.stringify({ email: site.uniqueEmail(), other: 'ignored' });
        const responses = [
          await site.post('/email-code/send', text(), { headers: json }),
          await site.post('/email-code/send', text(), { headers: json, chunked: true }),
          await site.post('/email-code/send', text(), {
            headers: { 'Content-Type': 'Application/JSON; charset=UTF-8' },
          }),
        ];
        if (name !== 'a custom parser') {
          const headers = { ...json, 'Content-Encoding': 'gzip' };
          responses.push(await site.post('/email-code/send', gzipSync(text()), { headers }));
        }
        expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 200));
        expect(site.mail.messages).toHaveLength(responses.length);
      });

      it('a body that is not a JSON object with a JSON content type returns 400 invalid_request and sends no mail', async () => {
        const site = await open({ before: before(handlers) });
        const outcomes: [description: string, chunked: boolean, outcome: string][] = [];
        for (const [description, body, headers] of bad) {
          // The custom parser does not know encodings and reads the body as it is.
          if (name === 'a custom parser' && headers['Content-Encoding']) continue;
          for (const chunked of body === undefined ? [false] : [false, true]) {
            const response = await site.post('/email-code/send', body, {
              headers,
              chunked,
              skipChecks: true,
            });
            outcomes.push([description, chunked, outcomeOf(response)]);
          }
        }
        // A parser of the application may refuse first, with its own response; without one every
        // response is from the routes.
        const allowed =
          handlers.length === 0 ? /^invalid_request$/ : /^invalid_request$|^refused by Express$/;
        expect(outcomes.filter(([, , outcome]) => !allowed.test(outcome))).toEqual([]);
        expect(site.mail.messages).toEqual([]);
        await stillAnswers(site);
      });

      it('a body of 17 KB and a gzip bomb never return a 5xx', async () => {
        const site = await open({ before: before(handlers) });
        const email = site.uniqueEmail();
        const large = JSON.stringify({ email, padding: 'x'.repeat(17 * 1024) });
        const bomb = gzipSync(JSON.stringify({ email, padding: 'x'.repeat(5 * 1024 * 1024) }));
        for (const [body, headers] of [
          [large, json],
          [bomb, { ...json, 'Content-Encoding': 'gzip' }],
        ] as const) {
          for (const chunked of [false, true]) {
            const response = await site.post('/email-code/send', body, {
              headers,
              chunked,
              skipChecks: true,
            });
            expect(response.status).toBeLessThan(500);
            // Only a parser of the application may accept more than the routes do.
            if (handlers.length === 0) expectError(response, 400, 'invalid_request');
          }
        }
        await stillAnswers(site);
      });
    });

    it('a body of 16 KB is accepted and one of 17 KB returns 400 invalid_request, with and without a Content-Length', async () => {
      const site = await open();
      for (const chunked of [false, true]) {
        const padded = (bytes: number) => {
          const text = JSON.stringify({ email: site.uniqueEmail(), padding: '' });
          return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
        };
        const options = { headers: json, chunked };
        expect((await site.post('/email-code/send', padded(16 * 1024), options)).status).toBe(200);
        expectError(await site.post('/email-code/send', padded(17 * 1024), options), 400, 'invalid_request');
      }
    });

    it('a charset that JSON does not allow returns 400 invalid_request', async () => {
      const site = await open();
      for (const charset of ['iso-8859-1', 'shift_jis', 'x-unknown']) {
        const headers = { 'Content-Type': `application/json; charset=${charset}` };
        const response = await site.post('/email-code/send', '{"email":"ada@example.com"}', { headers });
        expectError(response, 400, 'invalid_request');
      }
    });

    it('a stream that a middleware has consumed and discarded returns 400 invalid_request and does not hang', async () => {
      const site = await open({ before: before([swallow]) });
      for (const chunked of [false, true]) {
        const response = await site.post('/email-code/send', { email: site.uniqueEmail() }, { chunked });
        expectError(response, 400, 'invalid_request');
      }
      expect((await site.post('/logout')).status).toBe(200);
    });

    it('a stream that a middleware has partly read and paused returns 400 invalid_request and does not hang', async () => {
      const peek: RequestHandler = (req, _res, next) => {
        req.once('data', () => {
          req.pause();
          next();
        });
      };
      const site = await open({ before: before([peek]) });
      for (const chunked of [false, true]) {
        const response = await site.post('/email-code/send', { email: site.uniqueEmail() }, { chunked });
        expectError(response, 400, 'invalid_request');
      }
    });

    it('a parser after the routes receives the bodies of the application’s own routes', async () => {
      const site = await open({
        after: (app) => {
          app.use(express.json());
          app.post('/app/echo', (req, res) => void res.json(req.body));
        },
      });
      expect((await site.send('POST', '/app/echo', { a: 1 })).json).toEqual({ a: 1 });
      expect((await site.post('/email-code/send', { email: site.uniqueEmail() })).status).toBe(200);
    });

    //
    it('a body with a form content type is ignored, even if express.urlencoded has parsed it', async () => {
      const site = await open({ before: before([express.urlencoded({ extended: true })]) });
      const { email, password } = await site.signUp();
      const form = new URLSearchParams({ email, password }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expectError(await site.post('/password/login', form, { headers }), 400, 'invalid_request');
    });

    it('an aborted upload does not affect the next request and is not logged as an error', async () => {
      const site = await open();
      for (const rest of ['', '{"email":"ada@', '{"email":"ada@example.com"}']) {
        for (const framing of ['Content-Length: 5000', 'Transfer-Encoding: chunked']) {
          await breakOff(site.port, framing, rest);
        }
      }
      await stillAnswers(site);
      expect(site.log.filter(({ level }) => level === 'error')).toEqual([]);
      expect(site.mail.messages).toEqual([]);
    });

    it('POST /logout accepts any body or none', async () => {
      const site = await open();
      for (const [, body, headers] of bad) {
        const response = await site.post('/logout', body, { headers });
        expect([response.status, response.json]).toEqual([200, { ok: true }]);
      }
    });
  });
}

async function stillAnswers(site: Site): Promise<void> {
  expect((await site.get('/session')).status).toBe(401);
}

/** Sends the beginning of a request and closes the connection. */
async function breakOff(port: number, framing: string, body: string): Promise<void> {
  const chunk = framing.startsWith('Transfer') ? `${body.length.toString(16)}\r\n${body}\r\n` : body;
  await new Promise<void>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST ${basePath}/email-code/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
      );
      if (body !== '') socket.write(chunk);
      setTimeout(() => socket.destroy(), 20);
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
    socket.resume();
  });
}

function outcomeOf({ status, json: body }: HttpResponse): string {
  if (status === 400 && body?.error === 'invalid_request') return 'invalid_request';
  return status >= 400 && status < 500 && body === undefined ? 'refused by Express' : `status ${status}`;
}
