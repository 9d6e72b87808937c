// Writes the types of all that the API, the engine and the report's page are told, made of their documents.
import { readFileSync, writeFileSync } from 'node:fs';

import openapiTS, { astToString } from 'openapi-typescript';

const from = (file) => JSON.parse(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), plain);

/** Where OpenAPI has its schemas; which one of several is told by a constant of each, so that a discriminator says nothing more. */
function plain(key, value) {
  if (key === 'discriminator') return undefined;
  return key === '$ref' ? value.replace('#/$defs/', '#/components/schemas/') : value;
}

const { title, $defs } = from('schema/engine.json');
const pages = ['report', 'papers', 'learned'].map((page) => from(`schema/${page}.json`).$defs);
const schemas = Object.assign({}, $defs, ...pages);
const documents = {
  api: from('docs/openapi.json'),
  engine: { openapi: '3.1.0', info: { title, version: '1' }, paths: {}, components: { schemas } },
};
for (const [name, document] of Object.entries(documents)) {
  const types = astToString(await openapiTS(document, { defaultNonNullable: false }));
  writeFileSync(new URL(`../src/contract/${name}.d.ts`, import.meta.url), types);
}
