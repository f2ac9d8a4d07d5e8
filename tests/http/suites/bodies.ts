/**
 * The routes read `req.body` where the application has parsed it, else parse JSON themselves (16 KB);
 * a parsed body counts only under a JSON content type; no order of parsers hangs or crashes them.
 */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { Express, RequestHandler } from 'express';
import type { OpenSite, Suite } from '../matrix.js';
import type { Answer } from '../../support/http-client.js';
import { base, type Site } from '../../support/http-site.js';
import { expectError } from './expect.js';

const json = { 'Content-Type': 'application/json' };
const all = () => true;

/** Reads the whole stream and keeps none of it. */
const swallow: RequestHandler = (req, _res, next) => void req.resume().on('end', () => next());

/** A parser of the application's own: it reads, and leaves an object, without the mark that body-parser leaves. */
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
  'a parser of its own': [ownParser],
});

const before = (handlers: RequestHandler[]) => (app: Express) => {
  for (const handler of handlers) app.use(handler);
};

/** Bodies that are no JSON object with an address, or do not say that they are JSON: never a 200, never a 5xx. */
const bad: [string, unknown, Record<string, string>][] = [
  ['none', undefined, {}],
  ['none, called JSON', undefined, json],
  ['empty', '', json],
  ['white space', '  \n', json],
  ['malformed', '{"email": "ada@example.com"', json],
  ['cut off', '{"email"', json],
  ['an array', '[{"email":"ada@example.com"}]', json],
  ['null', 'null', json],
  ['a text', '"ada@example.com"', json],
  ['a number', '42', json],
  ['true', 'true', json],
  ['an empty object', '{}', json],
  ['a form', 'email=ada%40example.com', { 'Content-Type': 'application/x-www-form-urlencoded' }],
  ['a form called JSON', 'email=ada%40example.com', json],
  [
    'JSON called a form',
    '{"email":"ada@example.com"}',
    { 'Content-Type': 'application/x-www-form-urlencoded' },
  ],
  ['JSON called text', '{"email":"ada@example.com"}', { 'Content-Type': 'text/plain' }],
  ['JSON called bytes', '{"email":"ada@example.com"}', { 'Content-Type': 'application/octet-stream' }],
  ['JSON called nothing', '{"email":"ada@example.com"}', {}],
  [
    'JSON called a charset of no kind',
    '{"email":"ada@example.com"}',
    { 'Content-Type': 'application/jsonx' },
  ],
  [
    'multipart',
    '--x\r\nContent-Disposition: form-data; name="email"\r\n\r\nada@example.com\r\n--x--\r\n',
    { 'Content-Type': 'multipart/form-data; boundary=x' },
  ],
  ['gzip that is none', 'not gzip', { ...json, 'Content-Encoding': 'gzip' }],
  ['an unknown encoding', '{"email":"ada@example.com"}', { ...json, 'Content-Encoding': 'rot13' }],
  ['a content type that is none', '{"email":"ada@example.com"}', { 'Content-Type': ';;;' }],
];

export function bodies(open: OpenSite, express: Parameters<Suite>[1]): void {
  describe('bodies', () => {
    describe.each(Object.entries(parsersOf(express)))('with %s before the routes', (name, handlers) => {
      it('a JSON body is read, in one piece, in chunks and gzipped', async () => {
        const site = await open({ before: before(handlers) });
        const text = () => JSON.stringify({ email: site.address(), other: 'ignored' });
        const answers = [
          await site.post('/email-code/send', text(), { headers: json }),
          await site.post('/email-code/send', text(), { headers: json, chunked: true }),
          await site.post('/email-code/send', text(), {
            headers: { 'Content-Type': 'Application/JSON; charset=UTF-8' },
          }),
        ];
        if (name !== 'a parser of its own') {
          const headers = { ...json, 'Content-Encoding': 'gzip' };
          answers.push(await site.post('/email-code/send', gzipSync(text()), { headers }));
        }
        expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
        expect(site.mail.messages).toHaveLength(answers.length);
      });

      it('what is no JSON object under a JSON content type is 400 invalid_request, and mails nothing', async () => {
        const site = await open({ before: before(handlers) });
        const outcomes: [what: string, chunked: boolean, outcome: string][] = [];
        for (const [what, body, headers] of bad) {
          // A parser that does not know of encodings has read the text as it is.
          if (name === 'a parser of its own' && headers['Content-Encoding']) continue;
          for (const chunked of body === undefined ? [false] : [false, true]) {
            const answer = await site.post('/email-code/send', body, { headers, chunked, foreign: true });
            outcomes.push([what, chunked, outcomeOf(answer)]);
          }
        }
        // A parser of the application may refuse first, in its own words; without one it is all ours.
        const allowed =
          handlers.length === 0 ? /^invalid_request$/ : /^invalid_request$|^refused by Express$/;
        expect(outcomes.filter(([, , outcome]) => !allowed.test(outcome))).toEqual([]);
        expect(site.mail.messages).toEqual([]);
        await stillAnswers(site);
      });

      it('17 KB and a gzip bomb are answered, never with a 5xx', async () => {
        const site = await open({ before: before(handlers) });
        const email = site.address();
        const large = JSON.stringify({ email, padding: 'x'.repeat(17 * 1024) });
        const bomb = gzipSync(JSON.stringify({ email, padding: 'x'.repeat(5 * 1024 * 1024) }));
        for (const [body, headers] of [
          [large, json],
          [bomb, { ...json, 'Content-Encoding': 'gzip' }],
        ] as const) {
          for (const chunked of [false, true]) {
            const answer = await site.post('/email-code/send', body, { headers, chunked, foreign: true });
            expect(answer.status).toBeLessThan(500);
            // Only a parser of the application may have taken more than we do.
            if (handlers.length === 0) expectError(answer, 400, 'invalid_request');
          }
        }
        await stillAnswers(site);
      });
    });

    it('16 KB are taken, 17 KB are 400 invalid_request, whether or not their length is announced', async () => {
      const site = await open();
      for (const chunked of [false, true]) {
        const padded = (bytes: number) => {
          const text = JSON.stringify({ email: site.address(), padding: '' });
          return text.replace('""', `"${'x'.repeat(bytes - text.length)}"`);
        };
        const options = { headers: json, chunked };
        expect((await site.post('/email-code/send', padded(16 * 1024), options)).status).toBe(200);
        expectError(await site.post('/email-code/send', padded(17 * 1024), options), 400, 'invalid_request');
      }
    });

    it('a charset that JSON does not have is 400 invalid_request', async () => {
      const site = await open();
      for (const charset of ['iso-8859-1', 'shift_jis', 'x-unknown']) {
        const headers = { 'Content-Type': `application/json; charset=${charset}` };
        const answer = await site.post('/email-code/send', '{"email":"ada@example.com"}', { headers });
        expectError(answer, 400, 'invalid_request');
      }
    });

    it('a stream that somebody has read and thrown away is 400 invalid_request and does not hang', async () => {
      const site = await open({ before: before([swallow]) });
      for (const chunked of [false, true]) {
        const answer = await site.post('/email-code/send', { email: site.address() }, { chunked });
        expectError(answer, 400, 'invalid_request');
      }
      expect((await site.post('/logout')).status).toBe(200);
    });

    it('a stream that somebody has begun to read, and left, is 400 invalid_request and does not hang', async () => {
      const peek: RequestHandler = (req, _res, next) => {
        req.once('data', () => {
          req.pause();
          next();
        });
      };
      const site = await open({ before: before([peek]) });
      for (const chunked of [false, true]) {
        const answer = await site.post('/email-code/send', { email: site.address() }, { chunked });
        expectError(answer, 400, 'invalid_request');
      }
    });

    it('a parser behind the routes gets the bodies of the application’s own routes', async () => {
      const site = await open({
        after: (app) => {
          app.use(express.json());
          app.post('/app/echo', (req, res) => void res.json(req.body));
        },
      });
      expect((await site.send('POST', '/app/echo', { a: 1 })).json).toEqual({ a: 1 });
      expect((await site.post('/email-code/send', { email: site.address() })).status).toBe(200);
    });

    it('a body under a form content type is no body, even where express.urlencoded has parsed it (A-91)', async () => {
      const site = await open({ before: before([express.urlencoded({ extended: true })]) });
      const { email, password } = await site.signUp();
      const form = new URLSearchParams({ email, password }).toString();
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
      expectError(await site.post('/password/login', form, { headers }), 400, 'invalid_request');
    });

    it('an upload that breaks off harms nobody: the next request is answered, and nothing is logged as an error', async () => {
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

    it('logout takes any body and none', async () => {
      const site = await open();
      for (const [, body, headers] of bad) {
        const answer = await site.post('/logout', body, { headers });
        expect([answer.status, answer.json]).toEqual([200, { ok: true }]);
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
        `POST ${base}/email-code/send HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`,
      );
      if (body !== '') socket.write(chunk);
      setTimeout(() => socket.destroy(), 20);
    });
    socket.on('close', () => resolve());
    socket.on('error', reject);
    socket.resume();
  });
}

function outcomeOf({ status, json: body }: Answer): string {
  if (status === 400 && body?.error === 'invalid_request') return 'invalid_request';
  return status >= 400 && status < 500 && body === undefined ? 'refused by Express' : `status ${status}`;
}
