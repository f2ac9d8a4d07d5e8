/** What the endpoints are made of. */
import type { Service } from '../engine/service.js';
import type { ServiceErrorCode } from '../errors/service-error.js';
import { loadZod, type Zod } from '../runtime/load.js';
import { answerSchemas, type AnswerSchemas } from './answer-schemas.js';

export interface EndpointTools {
  readonly service: Service;
  readonly z: Zod;
  readonly answers: AnswerSchemas;
}

/** What a code that was mailed or texted may be refused with. */
export const codeErrors: readonly ServiceErrorCode[] = [
  'code_invalid',
  'code_expired',
  'code_not_found',
  'max_attempts_exceeded',
];

export function createEndpointTools(service: Service): EndpointTools {
  const z = loadZod();
  return { service, z, answers: answerSchemas(z) };
}

/** For who only describes the endpoints: they ask the service for something when they are called, and not before. */
export function describingTools(): EndpointTools {
  const refuse = () => {
    throw new Error('An endpoint asked for the service before it was called.');
  };
  return createEndpointTools(new Proxy({}, { get: refuse }) as Service);
}
