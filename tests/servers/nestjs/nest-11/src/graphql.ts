/** Resolvers on Apollo, as an application has them. */
import { ApolloDriver, type ApolloDriverConfig } from '@nestjs/apollo';
import { Args, Field, GraphQLModule, Int, Mutation, ObjectType, Query, Resolver } from '@nestjs/graphql';
import { RateLimitError, type ServiceUser } from 'svc-auth';
import { CurrentUser, Public, Roles } from 'svc-auth/nestjs';
import { startGlobal, type StartOptions } from './app.js';
import { Module } from '@nestjs/common';

@ObjectType()
class Viewer {
  @Field(() => String, { nullable: true })
  email?: string | null;
}

@Resolver(() => Viewer)
class ViewerResolver {
  @Query(() => Viewer)
  viewer(@CurrentUser() user: ServiceUser): Viewer {
    return { email: user.email };
  }

  @Public()
  @Query(() => Viewer)
  maybe(@CurrentUser('email') email: string | undefined): Viewer {
    return { email: email ?? null };
  }

  @Roles('admin')
  @Query(() => Viewer)
  admin(): Viewer {
    return {};
  }

  @Query(() => Viewer)
  limited(): Viewer {
    throw new RateLimitError(90_000);
  }

  @Mutation(() => Int)
  add(@Args('count', { type: () => Int }) count: number): number {
    return count + 1;
  }
}

@Module({
  imports: [
    GraphQLModule.forRoot<ApolloDriverConfig>({
      driver: ApolloDriver,
      autoSchemaFile: true,
      context: ({ req, res }: { req: unknown; res: unknown }) => ({ req, res }),
    }),
  ],
  providers: [ViewerResolver],
})
class ViewerModule {}

export const startGraphQL = (options: StartOptions = {}) =>
  startGlobal({ ...options, imports: [{ module: ViewerModule }] });
