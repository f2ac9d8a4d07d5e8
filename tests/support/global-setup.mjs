// Jest loads global-setup.ts with Node's own require, which does not resolve `.js` to `.ts`; tsx does.
import { tsImport } from 'tsx/esm/api';

export default async (...args) => (await tsImport('./global-setup.ts', import.meta.url)).default(...args);
