import { SAMPLE_VARIANTS, sampleRun } from './sample-report';

const AT_NS = 12_000_000_000;

/** The page of two runs that part, and the series of both: what the command would have made of them. */
export function samplePartingPage() {
  const [frto, sack] = SAMPLE_VARIANTS;
  const runs = [sack, frto].map((variant) => sampleRun(variant, 1));
  const [a, b] = runs.map(({ entry }) => ({
    directory: `runs/${entry.key}`,
    provenance: { variant: entry.variant, link: entry.link, repetition: 1, seed: entry.seed },
    data_sender: 'server',
  }));
  const deed = (name: string, rule: string | null, text: string) => ({
    did: 'sent',
    packet: null,
    decision: { name, text, rule },
    decided: [],
    untold: 0,
    state: null,
  });
  const page: Record<string, unknown> = {
    version: 1,
    kind: 'difference',
    engine: { version: '0.1.0', commit: 'c0ffee', sources: 's' },
    titles: ['sack over gprs-sudden-delays, repetition 1', 'frto+sack over gprs-sudden-delays, repetition 1'],
    lead: [
      'They part at 12.000000 s: both sent then, and not the same octets.',
      'The senders part by a decision of their own: both had heard the same.',
    ],
    about: ['On the same fates: 61 packets until then.'],
    difference: {
      a,
      b,
      settings: [{ key: 'detection', a: null, b: '"frto"' }],
      tolerance_ns: 0,
      sent_alike: 40,
      parting: {
        at_ns: AT_NS,
        how: 'octets',
        origin: 'sender',
        kind: { a: 'after-timeout', b: 'detector F-RTO 2a' },
        a: deed('after-timeout', 'RFC 5681, section 3.1', 'Going back after the timeout.'),
        b: deed('detector F-RTO 2a', null, 'Its detector, on timeout 1: F-RTO 2a.'),
        window: { from_ns: AT_NS - 3e9, to_ns: AT_NS + 3e9, a: [], b: [], left_out: 0 },
      },
      fates: { compared: 61, first: null },
      heard: null,
      story: [
        { at_ns: AT_NS, of: 'both', text: 'They part, after 40 packets that both sent alike.' },
        { at_ns: AT_NS, of: 'a', text: 'It sent octets 0 to 255 again.' },
      ],
      costs: [
        { metric: 'elapsed_s', a: 94.13, b: 76.2345, difference: -17.8955 },
        { metric: 'retransmissions', a: 57, b: 12, difference: -45 },
      ],
      notes: ['A: no fates.csv.'],
    },
    labels: {
      elapsed_s: { label: 'elapsed time', unit: 's', digits: 3, better: 'lower' },
      retransmissions: { label: 'retransmissions', unit: '', digits: 0, better: 'lower' },
    },
  };
  return { page, runs: new Map(runs.map(({ series }, i) => [['a', 'b'][i], series])) };
}
