import { isScenario } from '../../lib/scenario';
import { writeDuration } from '../../link/quantity';
import { isTimed, type ScriptEvent } from '../../link/script';
import { brief } from '../../link/kinds';

/** A text as a part of a name: `100 KiB` becomes `100-kib`. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
}

/** The last part of a link's name; of a scenario its name and values: `simple-p2p-15ms-10mbps-25`. */
export function linkPart(link: string): string {
  if (isScenario(link)) return slug(link.replace(/ --[^ =]*=?/g, ' '));
  return link.split('/').at(-1) ?? link;
}

/** What a link could be called that is `base` with events drawn on it: `gprs-hold-3s-at-10s`. */
export function drawnLinkName(base: string, events: readonly ScriptEvent[]): string {
  const [event] = events;
  const own = linkPart(base);
  if (events.length !== 1) return `${own}-drawn`;
  const parts = [own, event.kind];
  if (event.length !== null) parts.push(slug(writeDuration(event.length).replace(' ', '')));
  if (isTimed(event)) parts.push('at', slug(writeDuration(event.at).replace(' ', '')));
  return parts.join('-');
}

/** How many events a title names one by one. */
const MOST_NAMED = 2;

/** What happens on a drawn link, for its title: `3 s hold at 10 s`. */
export function drawnInWords(events: readonly ScriptEvent[]): string {
  const named = events.slice(0, MOST_NAMED).map(brief);
  const more = events.length - named.length;
  return [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
}
