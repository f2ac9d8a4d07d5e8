/** A service in a process of its own that makes one call many times at once; service-processes.ts starts it and says which. */
import { createService, knexAdapter, type Service } from 'svc-auth';
import { outcomeOf } from './outcomes.js';

export interface ServiceOrder {
  url: string;
  secret: string;
  encryptionKey: string;
  licenseKey: string;
  licensePublicKey: string;
  now: number;
  /** How many calls this process makes at once. */
  calls: number;
  call:
    | { method: 'totp.verify' | 'totp.verifyRecoveryCode'; userId: string; code: string }
    | { method: 'totp.finishSignIn'; token: string; code: string }
    | { method: 'phoneOtp.sendCode'; phone: string }
    | { method: 'phoneOtp.verify'; phone: string; code: string };
}

let service: Service | undefined;

async function obey({ url, secret, now, calls, call, ...options }: ServiceOrder): Promise<string[]> {
  service ??= createService({
    ...options,
    adapter: knexAdapter({ client: 'pg', connection: url }),
    session: { secret },
    clock: () => now,
    providers: { totp: true, phoneOtp: { sender: { send: async () => undefined } } },
  });
  const engine = service;
  await engine.init();
  return Promise.all(Array.from({ length: calls }, () => attempt(engine, call)));
}

/** What became of a call; `true` and `false` for those that answer so. */
async function attempt({ totp, phoneOtp }: Service, call: ServiceOrder['call']): Promise<string> {
  let answer = 'ok';
  const outcome = await outcomeOf(async () => {
    if (call.method === 'totp.verify') answer = String(await totp.verify(call.userId, call.code));
    if (call.method === 'totp.verifyRecoveryCode')
      answer = String(await totp.verifyRecoveryCode(call.userId, call.code));
    if (call.method === 'totp.finishSignIn') await totp.finishSignIn(call, { startSession: true });
    if (call.method === 'phoneOtp.sendCode') await phoneOtp.sendCode(call);
    if (call.method === 'phoneOtp.verify') answer = (await phoneOtp.verify(call)).user.id;
  });
  return outcome === 'ok' ? answer : outcome;
}

// Whoever asked may be gone by now; that is no reason to fail.
function answer(message: object): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

process.on('message', (order: ServiceOrder) => {
  obey(order).then(
    (outcomes) => answer({ outcomes }),
    (error: Error) => answer({ error: `${error.message} ${String(error.cause)}` }),
  );
});
process.on('disconnect', () => void service?.close());
process.send?.('ready');
