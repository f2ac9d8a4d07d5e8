/** Records with `@opentelemetry/api`, in the SDK that the application has started. */
import { performance } from 'node:perf_hooks';
import type {
  CounterName,
  DurationName,
  QueueLength,
  SpanOptions,
  Annotate,
  Telemetry,
} from '../../core/support/telemetry.js';
import { isServiceError } from '../../errors/service-error.js';
import { loadOpenTelemetry } from '../../runtime/load.js';

/** The scope of every span and metric, and the prefix of their names. */
const scope = 'svc-auth';
const prefix = 'svc_auth';

const counters: Record<CounterName, { unit: string; description: string }> = {
  sign_ins: { unit: '{sign_in}', description: 'Sign-ins by method and outcome.' },
  mails: { unit: '{mail}', description: 'Mails by kind and outcome.' },
  text_messages: { unit: '{message}', description: 'Text messages by outcome.' },
  'limits.refused': { unit: '{attempt}', description: 'Attempts that a limit has refused, by limit.' },
};

const durations: Record<DurationName, string> = {
  'session.check.duration': 'Time of a session check, by outcome.',
  'password.queue.duration': 'Time that a password waits until it is hashed or compared.',
};

const boundaries = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Failures of the server. What a user did wrong is not an error of a span. */
const serverErrors: ReadonlySet<string> = new Set(['internal_error', 'email_send_failed', 'sms_send_failed']);

export function openTelemetry(): Telemetry {
  const { metrics, SpanKind, SpanStatusCode, trace } = loadOpenTelemetry();
  const meter = metrics.getMeter(scope);
  const tracer = trace.getTracer(scope);
  const counterOf = fromNames(counters, (name, options) => meter.createCounter(`${prefix}.${name}`, options));
  const histogramOf = fromNames(durations, (name, description) =>
    meter.createHistogram(`${prefix}.${name}`, {
      unit: 's',
      description,
      advice: { explicitBucketBoundaries: boundaries },
    }),
  );
  const queueLength = meter.createObservableGauge(`${prefix}.queue.length`, {
    unit: '{task}',
    description: 'Tasks that wait for their turn, or have it.',
  });
  const stops: (() => void)[] = [];

  return {
    count: (name, attributes) => counterOf[name].add(1, attributes),
    duration: (name, start, attributes) =>
      histogramOf[name].record((performance.now() - start) / 1000, attributes),
    span<T>(name: string, { attributes = {}, kind }: SpanOptions, work: (annotate: Annotate) => T): T {
      const options = { kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL, attributes };
      return tracer.startActiveSpan(`${prefix}.${name}`, options, (span) => {
        const fail = (error: unknown) => {
          const code = isServiceError(error) ? error.code : 'internal_error';
          span.setAttribute('error.type', code);
          // Without the message, which may contain an address.
          if (serverErrors.has(code)) span.setStatus({ code: SpanStatusCode.ERROR });
          span.end();
        };
        try {
          const result = work((more) => void span.setAttributes(more));
          if (!(result instanceof Promise)) {
            span.end();
            return result;
          }
          result.then(() => span.end(), fail);
          return result;
        } catch (error) {
          fail(error);
          throw error;
        }
      });
    },
    watchQueues(read: () => Iterable<QueueLength>) {
      const observe: Parameters<typeof queueLength.addCallback>[0] = (result) => {
        for (const { queue, state, length } of read())
          result.observe(length, { 'svc_auth.queue': queue, 'svc_auth.queue.state': state });
      };
      queueLength.addCallback(observe);
      stops.push(() => queueLength.removeCallback(observe));
    },
    close: () => stops.splice(0).forEach((stop) => stop()),
  };
}

function fromNames<Name extends string, Options, Value>(
  options: Record<Name, Options>,
  create: (name: Name, options: Options) => Value,
): Record<Name, Value> {
  const names = Object.keys(options) as Name[];
  return Object.fromEntries(names.map((name) => [name, create(name, options[name])])) as Record<Name, Value>;
}
