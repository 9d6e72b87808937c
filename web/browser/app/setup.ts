import type { TestProject } from 'vitest/node';

import { build } from './build';
import { seed, type Seeded } from './seed';
import { Service } from './service';

declare module 'vitest' {
  interface ProvidedContext {
    /** The service that tests share, and what is in it. Tests that change more than they make have one of their own. */
    readonly shared: Seeded;
  }
}

/** Builds the pages if they are old, and starts the service that tests share, if any do. */
export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  build();
  if (process.env['BROWSER_TESTS'] === 'own') return undefined;
  const service = await Service.start();
  try {
    project.provide('shared', await seed(service));
  } catch (error) {
    await service.end();
    throw error;
  }
  return () => service.end();
}
