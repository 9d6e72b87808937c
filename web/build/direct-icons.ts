import type { Plugin } from 'vite';

const IMPORT = /import\s*\{([^}]*)\}\s*from\s*'@tabler\/icons-react';?/g;

/**
 * Imports each icon from its own file. The library's index names six thousand of them, and reading it takes most of
 * the build; what ends up in the bundle is the same.
 */
export function directIcons(): Plugin {
  return {
    name: 'windlull-direct-icons',
    enforce: 'pre',
    transform(code, id) {
      if (!/\.tsx?$/.test(id) || !code.includes('@tabler/icons-react')) return null;
      return { code: code.replace(IMPORT, (_, names: string) => direct(names)), map: null };
    },
  };
}

/** The imports that stand for `import { names } from '@tabler/icons-react'`, on one line. */
export function direct(names: string): string {
  return names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && !name.startsWith('type '))
    .map((name) => {
      const [icon, alias = icon] = name.split(/\s+as\s+/);
      return `import ${alias} from '@tabler/icons-react/dist/esm/icons/${icon}.mjs';`;
    })
    .join(' ');
}
