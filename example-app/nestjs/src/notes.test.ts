import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { INestApplication } from '@nestjs/common';
import { communityLicense, memoryAdapter, type Service } from 'svc-auth';
import { SVC_AUTH } from 'svc-auth/nestjs';
import { outbox } from 'svc-auth/testing';
import { WebSocket } from 'ws';
import { createApp } from './main';

describe('Notes', () => {
  const sender = outbox();
  let app: INestApplication;
  let base: string;
  before(async () => {
    app = await createApp({
      adapter: memoryAdapter(),
      appName: 'Notes',
      licenseKey: communityLicense,
      session: { secret: 'a secret of the tests, 32 bytes or more' },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
      providers: { emailCode: { sender }, emailPassword: { sender } },
    });
    await app.listen(0);
    base = `http://localhost:${(app.getHttpServer().address() as AddressInfo).port}`;
  });
  after(() => app.close());

  async function call(path: string, { cookie = '', body }: { cookie?: string; body?: unknown } = {}) {
    const response = await fetch(base + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'content-type': 'application/json', ...(cookie && { cookie }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie().map((each) => each.split(';')[0]);
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return {
      status: response.status,
      cookie: cookies.join('; '),
      body: (isJson ? JSON.parse(text) : text) as unknown,
    };
  }

  async function signInByCode(email: string) {
    await call('/api/auth/email-code/send', { body: { email } });
    const code = sender.lastCode(email);
    const { cookie, body } = await call('/api/auth/email-code/verify', { body: { email, code } });
    return { cookie, id: (body as { user: { id: string } }).user.id };
  }

  it('require a session', async () => {
    const { status, body } = await call('/notes');
    assert.equal(status, 401);
    assert.equal((body as { error: string }).error, 'token_invalid');
    assert.match(String((await call('/')).body), /Sign in/);
  });

  it('are those of the user who signs in by code', async () => {
    const [ada, bob] = [await signInByCode('ada@example.com'), await signInByCode('bob@example.com')];
    assert.equal((await call('/notes', { ...ada, body: { text: 'milk' } })).status, 201);
    assert.deepEqual((await call('/notes', ada)).body, [{ owner: ada.id, text: 'milk' }]);
    assert.deepEqual((await call('/notes', bob)).body, []);
  });

  it('are there after a sign-up with a password', async () => {
    const account = { email: 'cid@example.com', password: 'a long and unusual password' };
    const { status, cookie } = await call('/api/auth/password/signup', { body: account });
    assert.equal(status, 200);
    assert.equal((await call('/notes', { cookie })).status, 200);
    const again = await call('/api/auth/password/login', { body: account });
    assert.equal((await call('/notes', { cookie: again.cookie })).status, 200);
  });

  it('are counted for administrators', async () => {
    const eve = await signInByCode('eve@example.com');
    assert.equal((await call('/statistics', eve)).status, 403);
    await app.get<Service>(SVC_AUTH).users.update(eve.id, { roles: ['admin'] });
    assert.equal((await call('/statistics', eve)).status, 200);
  });

  it('are sent to the sockets of their owner', async () => {
    const { cookie, id } = await signInByCode('fay@example.com');
    const socket = new WebSocket(`${base.replace('http', 'ws')}/live`, { headers: { cookie } });
    await new Promise((resolve) => socket.once('open', resolve));
    const received = new Promise((resolve) => socket.once('message', resolve));
    socket.send(JSON.stringify({ event: 'add', data: 'bread' }));
    const expected = { event: 'note', data: { owner: id, text: 'bread' } };
    assert.deepEqual(JSON.parse(String(await received)), expected);
    socket.close();
  });

  it('are not sent to a socket without a session', async () => {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/live`);
    const code = await new Promise((resolve) => socket.once('close', resolve));
    assert.equal(code, 4401);
  });
});
