import type { DocumentKind } from '../../ui/links';

/** The kinds of profiles, as addresses have them. Experiments have pages of their own. */
export type ProfileShelf = 'links' | 'variants' | 'workloads';

interface Words {
  readonly kind: DocumentKind;
  /** As a tab says it. */
  readonly title: string;
  readonly one: string;
  readonly about: string;
  /** What a new one begins with: a text that is valid, and says what is needed. */
  readonly starter: string;
}

export const PROFILES: Readonly<Record<ProfileShelf, Words>> = {
  links: {
    kind: 'link',
    title: 'Links',
    one: 'link',
    about: 'How a path behaves: rates, delays, queues, losses, and what happens to them over time.',
    starter: `title  = "A new link"
source = ""                       # where the numbers come from
# family = "wifi"                 # where it stands in the library: lte, 5g, wifi, fixed, ...

[both]                            # down and up alike; [down] and [up] override single keys
rate   = "1 Mbit/s"
delay  = "50 ms"                  # one way
queue  = { kind = "droptail", limit = "50 packets" }
`,
  },
  variants: {
    kind: 'variant',
    title: 'Variants',
    one: 'variant',
    about: 'A TCP to test, ours or the Linux kernel’s. Both ends of a connection use it.',
    starter: `title     = "A new variant"
source    = ""                    # where it is defined: papers with their section, RFCs
extends   = "sack"                # what it builds on; the keys below replace those of that one

detection = "frto-sack"           # how spurious timeouts are found: none, frto, frto-sack, eifel
response  = "frto-conservative"   # what follows once one is found: none, frto-conservative, eifel-1
`,
  },
  workloads: {
    kind: 'workload',
    title: 'Workloads',
    one: 'workload',
    about: 'What is transferred: how much, and which way.',
    starter: `title     = "A new workload"
kind      = "bulk"                # one transfer in one connection
size      = "100 KiB"
direction = "down"                # from server to client; or "up"
`,
  },
};

export const SHELVES = Object.keys(PROFILES) as readonly ProfileShelf[];

/** The shelf that an address names; null if it names none. */
export function shelfOf(text: string | undefined): ProfileShelf | null {
  return SHELVES.find((shelf) => shelf === text) ?? null;
}
