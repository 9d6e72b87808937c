import type { components } from './api';
import type { components as engines } from './engine';

/** A type of the API's document by its name, as `Schema<'RunView'>`. */
export type Schema<Name extends keyof components['schemas']> = components['schemas'][Name];

/** A direction of the link: to the client, or to the server. */
export type Direction = Schema<'Direction'>;

/** A type of what the engine says and writes, or of the report's model, by its name, as `Engine<'Certificate'>`. */
export type Engine<Name extends keyof engines['schemas']> = engines['schemas'][Name];
