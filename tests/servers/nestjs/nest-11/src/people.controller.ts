/** Routes with every decorator. */
import { Body, Controller, Get, HttpCode, Post, Req, type RawBodyRequest } from '@nestjs/common';
import type { Request } from 'express';
import { RateLimitError, type PublicApiKey, type Service, type ServiceUser } from 'svc-auth';
import {
  ApiKeys,
  CurrentApiKey,
  CurrentUser,
  InjectSvcAuth,
  Public,
  RequireSession,
  Roles,
} from 'svc-auth/nestjs';

@Controller()
export class PeopleController {
  constructor(@InjectSvcAuth() private readonly auth: Service) {}

  @Get('me')
  me(@CurrentUser() user: ServiceUser, @CurrentUser('id') id: string, @Req() req: Request) {
    return { email: user.email, id, isSame: user.id === id, hasToken: req.svcAuth?.claims.sub === id };
  }

  @Post('notes')
  add(@CurrentUser('email') email: string, @Body() body: unknown) {
    return { email, body };
  }

  @Public()
  @Get('hello')
  hello(@CurrentUser('email') email: string | undefined) {
    return { email: email ?? null };
  }

  @Public()
  @HttpCode(200)
  @Post('webhook')
  webhook(
    @CurrentUser() user: ServiceUser | undefined,
    @Req() req: RawBodyRequest<Request>,
    @Body() body: unknown,
  ) {
    return { email: user?.email ?? null, raw: req.rawBody?.toString() ?? null, body };
  }

  @Roles('admin')
  @Get('admin')
  admin() {
    return { ok: true };
  }

  @Roles('admin', 'support')
  @Get('staff')
  staff() {
    return { ok: true };
  }

  @RequireSession({ mfa: true })
  @Get('vault')
  vault() {
    return { ok: true };
  }

  @RequireSession({ stateless: true })
  @Get('stateless')
  stateless(@Req() req: Request) {
    return { sub: req.svcAuth?.claims.sub, user: req.user ?? null };
  }

  @RequireSession({ maxAgeMs: -1 })
  @Get('misconfigured')
  misconfigured() {
    return { ok: true };
  }

  @ApiKeys('read')
  @Get('machine')
  machine(@CurrentApiKey() key: PublicApiKey, @CurrentApiKey('name') name: string) {
    return { name, scopes: key.scopes };
  }

  @Get('unknown-user')
  async unknownUser() {
    return this.auth.users.get('0198c6a0-0000-7000-8000-000000000000');
  }

  @Get('limited')
  limited() {
    throw new RateLimitError(90_000);
  }

  @Get('boom')
  boom() {
    throw new Error('secret detail');
  }
}

@Public()
@Controller('public')
export class PublicController {
  @Get('open')
  open() {
    return { ok: true };
  }

  @Roles('admin')
  @Get('closed')
  closed() {
    return { ok: true };
  }
}

@Roles('admin')
@Controller('office')
export class OfficeController {
  @Get('admins')
  admins() {
    return { ok: true };
  }

  @RequireSession({ mfa: true })
  @Get('vault')
  vault() {
    return { ok: true };
  }

  @Public()
  @Get('address')
  address() {
    return { ok: true };
  }
}

/** Inherits its routes and the role. */
@Controller('branch')
export class BranchController extends OfficeController {}
