// Imports run one way: contract <- lib <- series, paint <- diagram <- figures <- results <- report; lib <- api <- ui <- link, toml <- pages <- app;
// results, ui <- parts <- pages.
// A page knows no other page. `testing` serves the tests and the development page alone. A room may import from itself
// and from the rooms listed for it.
import { defineConfig } from 'eslint/config';
import hooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** @type {Record<string, string[]>} */
const mayImport = {
  contract: [],
  lib: ['contract'],
  series: ['contract', 'lib'],
  paint: ['lib'],
  diagram: ['lib', 'series', 'paint'],
  figures: ['lib', 'series', 'paint', 'diagram'],
  results: ['contract', 'lib', 'series', 'figures'],
  report: ['contract', 'lib', 'series', 'paint', 'diagram', 'figures', 'results'],
  testing: ['contract', 'lib', 'series', 'report'],
  api: ['contract', 'lib'],
  ui: ['lib', 'api'],
  link: ['lib', 'paint', 'api', 'ui'],
  toml: ['lib', 'api', 'ui'],
  parts: ['lib', 'figures', 'results', 'api', 'ui'],
  pages: [
    'contract',
    'lib',
    'series',
    'paint',
    'diagram',
    'figures',
    'results',
    'api',
    'ui',
    'link',
    'toml',
    'parts',
  ],
  app: ['lib', 'series', 'results', 'api', 'ui', 'pages'],
};

const rooms = Object.keys(mayImport);

const boundaries = Object.entries(mayImport).map(([room, allowed]) => ({
  files: [`src/${room}/**/*.{ts,tsx}`],
  ignores: ['src/**/*.test.{ts,tsx}'],
  rules: {
    'no-restricted-imports': [
      'error',
      {
        patterns: [
          {
            group: rooms
              .filter((other) => other !== room && !allowed.includes(other))
              .flatMap((other) => [`**/${other}/*`, `**/${other}/**`]),
            message: `src/${room} may import from: ${[room, ...allowed].join(', ')}.`,
          },
        ],
      },
    ],
  },
}));

export default defineConfig(
  { ignores: ['dist/', 'node_modules/', 'src/contract/*.d.ts'] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        projectService: { allowDefaultProject: ['eslint.config.js'] },
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Branded numbers pass through plain arithmetic; the casts back are the point of the brand.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      eqeqeq: 'error',
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': hooks },
    rules: { 'react-hooks/rules-of-hooks': 'error', 'react-hooks/exhaustive-deps': 'error' },
  },
  {
    files: ['src/**/*.tsx'],
    ignores: ['src/**/*.test.tsx'],
    rules: { 'max-lines-per-function': ['error', { max: 100 }] },
  },
  ...boundaries,
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
);
