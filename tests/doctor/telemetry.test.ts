/** Spans and metrics with `@opentelemetry/api`, in exporters that keep them in memory. */
import { metrics, trace, SpanStatusCode } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { communityLicense, memoryAdapter, type StorageAdapter } from 'svc-auth';
import { mockIdentityProvider, outbox } from 'svc-auth/testing';
import { dashboardMetrics } from './dashboard.js';
import { runNode } from '../support/inner-process.js';
import { makeService, type Overrides } from '../support/make-service.js';

let spans: InMemorySpanExporter;
let metricExporter: InMemoryMetricExporter;
let tracerProvider: BasicTracerProvider;
let meterProvider: MeterProvider;

beforeEach(() => startSdk(AggregationTemporality.CUMULATIVE));

function startSdk(temporality: AggregationTemporality): void {
  spans = new InMemorySpanExporter();
  metricExporter = new InMemoryMetricExporter(temporality);
  tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  const reader = new PeriodicExportingMetricReader({ exporter: metricExporter, exportIntervalMillis: 1e6 });
  meterProvider = new MeterProvider({ readers: [reader] });
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
}

async function stopSdk(): Promise<void> {
  trace.disable();
  metrics.disable();
  await meterProvider.shutdown();
  await tracerProvider.shutdown();
}

afterEach(stopSdk);

interface Point {
  name: string;
  attributes: Record<string, unknown>;
  value: unknown;
}

/** Every point that was recorded, and its attributes. */
async function points(): Promise<Point[]> {
  metricExporter.reset();
  await meterProvider.forceFlush();
  return metricExporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics)
    .flatMap((scope) => scope.metrics)
    .flatMap(({ dataPoints, descriptor }) =>
      dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value })),
    );
}

const countOf = async (name: string, attributes: object) =>
  (await points()).find(
    (point) => point.name === name && expect.objectContaining(attributes).asymmetricMatch(point.attributes),
  )?.value;

const namesOfSpans = () => spans.getFinishedSpans().map(({ name }) => name);

const traced = (overrides: Overrides = {}) => makeService({ ...overrides, telemetry: true });
const email = 'ada.lovelace@example.com';
const password = 'correct horse battery';
const ip = '198.51.100.77';

it('counts sign-ins by method and outcome, and traces the methods of providers', async () => {
  const { service } = await traced();
  await service.emailPassword.signup({ email, password }, { ip });
  await service.emailPassword.login({ email, password }, { ip });
  await expect(service.emailPassword.login({ email, password: 'wrong password' }, { ip })).rejects.toThrow();
  const method = { 'svc_auth.method': 'password_login' };
  expect(await countOf('svc_auth.sign_ins', { ...method, 'svc_auth.outcome': 'success' })).toBe(1);
  expect(
    await countOf('svc_auth.sign_ins', {
      ...method,
      'svc_auth.outcome': 'failure',
      'error.type': 'invalid_credentials',
    }),
  ).toBe(1);
  const logins = spans.getFinishedSpans().filter(({ name }) => name === 'svc_auth.emailPassword.login');
  expect(logins.map(({ attributes, status }) => [attributes, status.code])).toEqual([
    [{}, SpanStatusCode.UNSET],
    [{ 'error.type': 'invalid_credentials' }, SpanStatusCode.UNSET],
  ]);
});

it('measures session checks by outcome', async () => {
  const { service } = await traced();
  const { session } = await service.emailPassword.signup({ email, password }, { startSession: true });
  await service.getSessionUser(session!.token);
  await expect(service.getSessionUser('not a token')).rejects.toThrow();
  const name = 'svc_auth.session.check.duration';
  expect(await countOf(name, { 'svc_auth.outcome': 'valid' })).toMatchObject({ count: 1 });
  expect(await countOf(name, { 'svc_auth.outcome': 'invalid' })).toMatchObject({ count: 1 });
});

it('counts and traces mails that were sent, and that were not', async () => {
  const mail = outbox();
  const { service } = await traced({ mail });
  await service.emailCode.sendCode({ email });
  const { service: failing } = await traced({
    mail: { ...mail, send: () => Promise.reject(new Error(`refused ${email}`)) },
  });
  await expect(failing.emailCode.sendCode({ email })).rejects.toThrow();
  const kind = { 'svc_auth.mail.kind': 'email_code' };
  expect(await countOf('svc_auth.mails', { ...kind, 'svc_auth.outcome': 'sent' })).toBe(1);
  expect(await countOf('svc_auth.mails', { ...kind, 'svc_auth.outcome': 'failed' })).toBe(1);
  const [sent, failed] = spans.getFinishedSpans().filter(({ name }) => name === 'svc_auth.mail.send');
  expect(sent?.status.code).toBe(SpanStatusCode.UNSET);
  expect([failed?.status, failed?.attributes['error.type']]).toEqual([
    { code: SpanStatusCode.ERROR },
    'email_send_failed',
  ]);
});

it('counts the limits that were hit, and no others', async () => {
  const { service } = await traced({ rateLimit: { maxPerWindow: 1 } });
  await service.emailCode.sendCode({ email }, { ip });
  await expect(service.emailCode.sendCode({ email }, { ip })).rejects.toThrow();
  const refused = (await points()).filter(({ name }) => name === 'svc_auth.limits.refused');
  expect(refused).toHaveLength(1);
  expect(refused[0]).toMatchObject({
    value: 1,
    attributes: { 'svc_auth.limit': expect.any(String) as string },
  });
});

it('reads the lengths of queues, and measures how long passwords wait', async () => {
  const { service } = await traced();
  await service.emailPassword.signup({ email, password });
  await service.emailPassword.requestReset({ email });
  const { length } = (await points()).filter(
    ({ name, attributes }) =>
      name === 'svc_auth.queue.length' && attributes['svc_auth.queue'] === 'passwords',
  );
  expect(length).toBe(2);
  expect(await countOf('svc_auth.password.queue.duration', {})).toMatchObject({ count: 1 });
  expect(namesOfSpans()).toContain('svc_auth.password.queue');
});

it('stops reading the queues of a service that was closed', async () => {
  // Otherwise the SDK repeats the last values.
  await stopSdk();
  startSdk(AggregationTemporality.DELTA);
  const { service } = await traced();
  expect((await points()).filter(({ name }) => name === 'svc_auth.queue.length')).not.toEqual([]);
  await service.close();
  expect((await points()).filter(({ name }) => name === 'svc_auth.queue.length')).toEqual([]);
});

it('traces requests to identity providers without their URLs', async () => {
  const redirectUri = 'http://localhost:3000/api/auth/oauth/acme/callback';
  const idp = await mockIdentityProvider({ redirectUri });
  idp.accounts.set('subject-1', { email, email_verified: true });
  try {
    const { service } = await traced({
      licenseKey: communityLicense,
      providers: { oauth: { acme: { ...idp.client, issuer: idp.issuer } } },
    });
    const { url, codeVerifier } = await service.oauth('acme').getAuthUrl();
    const code = (await idp.signIn(url, 'subject-1')).searchParams.get('code')!;
    await service.oauth('acme').handleCallback({ code, codeVerifier });
    const requests = spans.getFinishedSpans().filter(({ name }) => name === 'svc_auth.provider.request');
    expect(requests.map(({ attributes }) => attributes['svc_auth.endpoint'])).toContain('token');
    for (const { attributes } of requests)
      expect(attributes).toEqual({
        'http.request.method': expect.stringMatching(/^(GET|POST)$/) as string,
        'http.response.status_code': 200,
        'server.address': expect.any(String) as string,
        'server.port': expect.any(Number) as number,
        'svc_auth.provider': 'acme',
        'svc_auth.endpoint': expect.any(String) as string,
      });
    expect(namesOfSpans()).toContain('svc_auth.oauth.acme.handleCallback');
  } finally {
    await idp.close();
  }
});

it('records no address, id, token or client address', async () => {
  const { service, mail } = await traced();
  const { user, session } = await service.emailPassword.signup(
    { email, password },
    { ip, startSession: true },
  );
  await service.emailCode.sendCode({ email }, { ip });
  const code = mail.lastCode(email)!;
  await service.emailCode.verify({ email, code }, { ip, startSession: true });
  await service.users.get(user.id);
  await expect(service.users.get('0190f6a0-0000-7000-8000-000000000001')).rejects.toThrow();
  const recorded = JSON.stringify([
    await points(),
    spans
      .getFinishedSpans()
      .map(({ name, attributes, events, status }) => ({ name, attributes, events, status })),
  ]);
  for (const secret of [email, 'ada.lovelace', 'example.com', user.id, session!.token, ip, code, password])
    expect(recorded).not.toContain(secret);
});

it('passes results and errors of providers on, and keeps their secrets out of logs', async () => {
  const [{ service }, { service: plain }] = [await traced(), await makeService()];
  for (const each of [service, plain]) {
    await expect(each.emailPassword.login({ email } as never)).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(JSON.stringify(each.emailPassword)).toBe('{}');
  }
  expect(service.emailPassword).toBe(service.emailPassword);
  expect(service.emailPassword.constructor).toBe(plain.emailPassword.constructor);
});

it('shows every metric on the dashboard', async () => {
  const adapter: StorageAdapter = memoryAdapter();
  const { service, mail } = await traced({
    adapter,
    rateLimit: { maxPerWindow: 1 },
    licenseKey: communityLicense,
    providers: { phoneOtp: { sender: { send: async () => undefined }, allowCountry: () => true } },
  });
  const { session } = await service.emailPassword.signup({ email, password }, { startSession: true });
  await service.getSessionUser(session!.token);
  await service.emailCode.sendCode({ email });
  await expect(service.emailCode.sendCode({ email })).rejects.toThrow();
  await service.phoneOtp.sendCode({ phone: '+14155552671' });
  expect(mail.messages).not.toEqual([]);
  const recorded = new Set((await points()).map(({ name }) => name));
  expect([...recorded].sort()).toEqual(dashboardMetrics());
});

describe('without the option', () => {
  const script = (telemetry: string) => `
    const { createRequire } = await import('node:module');
    const { createService, memoryAdapter } = await import('./src/index.ts');
    const sender = { send: async () => undefined };
    const service = createService({
      adapter: memoryAdapter(), ${telemetry}
      session: { secret: 'q1xZ0m4Wv7pJ9sYk2cTfLh8RbNd3GgEa5UuVoXiPzQe6MwKy' },
      providers: { emailPassword: { sender } },
    });
    await service.init();
    const { session } = await service.emailPassword.signup(
      { email: 'a@example.com', password: 'correct horse battery' }, { startSession: true });
    await service.getSessionUser(session.token);
    const { cache } = createRequire(process.cwd() + '/');
    console.log(Object.keys(cache).some((file) => file.includes('opentelemetry')));
    process.exit();`;

  it.each([
    ['', 'false'],
    ['telemetry: false,', 'false'],
    ['telemetry: true,', 'true'],
  ])('loads the package only if it is on: %s', async (telemetry, isLoaded) => {
    const { out, err } = await runNode(['--input-type=module', '--eval', script(telemetry)]);
    expect([out.trim(), err]).toEqual([isLoaded, '']);
  });

  it('createService() names the package if it is on and the package is missing', async () => {
    const { err } = await runNode(['--input-type=module', '--eval', script('telemetry: true,')], {
      '@opentelemetry/api': null,
    });
    expect(err).toContain('npm install @opentelemetry/api');
  });

  it('creates no span and no metric, and leaves the tools as they are', async () => {
    const { service } = await makeService();
    const { session } = await service.emailPassword.signup({ email, password }, { startSession: true });
    await service.getSessionUser(session!.token);
    expect(spans.getFinishedSpans()).toEqual([]);
    expect(await points()).toEqual([]);
  });
});
