import { capital } from './format';

/** Causes that are not named after what the link did. */
const UNCAUSED: Readonly<Record<string, string>> = {
  unknown: 'Unknown cause',
  'initial-timeout': 'Initial timeout shorter than the round trip',
  'delayed-ack': 'Acknowledgement delayed by the receiver',
};

/** How an episode began. */
export function causeInWords(cause: string): string {
  const spaced = cause.replaceAll('-', ' ');
  return UNCAUSED[cause] ?? capital(spaced);
}
