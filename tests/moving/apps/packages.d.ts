/** What the moved applications use of packages that are installed here, so that the repository compiles without them. */
declare module 'connect-pg-simple' {
  import type session from 'express-session';
  import type { Pool } from 'pg';

  export default function connect(
    library: typeof session,
  ): new (options: { pool: Pool; createTableIfMissing?: boolean }) => session.Store;
}

declare module '@nestjs/core' {
  interface Application {
    listen(port: number, host: string): Promise<unknown>;
    enableShutdownHooks(): void;
  }

  export const APP_GUARD: string;
  export const APP_FILTER: string;
  export const NestFactory: {
    create(module: unknown, options?: { logger?: readonly string[] }): Promise<Application>;
  };
}
