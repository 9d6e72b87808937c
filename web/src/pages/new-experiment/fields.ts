/** How a setting of `[tcp]` is entered (docs/files.md, `tcp`). */
export interface TcpField {
  readonly path: string;
  readonly label: string;
  readonly about: string;
  /** `text`: a value with its unit; `count`: a whole number; `switch`: true or false; `choice`: one of `choices`. */
  readonly kind: 'text' | 'count' | 'switch' | 'choice';
  /** What holds if nothing is said, for variants that do not say otherwise. */
  readonly usual: string;
  /** Of a `choice`: the words of the file, and what they mean. */
  readonly choices?: readonly (readonly [string, string])[];
}

/** Settings of one subject. */
export interface TcpGroup {
  readonly subject: string;
  readonly fields: readonly TcpField[];
}

/** The settings that are laid over every variant, by subject; `delayed_ack` is the last of the receiver's. */
export const TCP_GROUPS: readonly TcpGroup[] = [
  {
    subject: 'Segments and windows',
    fields: [
      {
        path: 'mss',
        label: 'Maximum segment size',
        about: 'from 64 B to 65495 B',
        kind: 'text',
        usual: '1460 B',
      },
      {
        path: 'receive_window',
        label: 'Receive window',
        about: 'the receive buffer',
        kind: 'text',
        usual: '65535 B',
      },
      {
        path: 'initial_window',
        label: 'Initial window',
        about: 'segments',
        kind: 'count',
        usual: 'by their size',
      },
      {
        path: 'congestion',
        label: 'Congestion control',
        about: 'how the window grows',
        kind: 'choice',
        usual: 'reno',
        choices: [
          ['reno', 'Reno, by octets acknowledged'],
          ['reno-by-acks', 'Reno, by acknowledgements'],
          ['by-rate', 'An interval, by a constant of the rate'],
          ['by-interval', 'An interval, by a constant'],
          ['cubic', 'CUBIC'],
        ],
      },
      {
        path: 'burst_limit',
        label: 'Burst limit',
        about: 'segments per acknowledgement',
        kind: 'count',
        usual: 'none',
      },
      {
        path: 'after_idle',
        label: 'After a silence',
        about: 'what becomes of the window',
        kind: 'choice',
        usual: 'initial window',
        choices: [
          ['initial-window', 'The initial window'],
          ['one-segment', 'One segment'],
          ['keep', 'As it was'],
        ],
      },
    ],
  },
  {
    subject: 'What the ends offer',
    fields: [
      {
        path: 'ecn',
        label: 'ECN',
        about: 'RFC 3168',
        kind: 'choice',
        usual: 'the variant’s',
        choices: [
          ['off', 'Not offered'],
          ['on', 'Offered'],
          ['nonce', 'Offered, with the nonce (RFC 3540)'],
        ],
      },
      {
        path: 'sack',
        label: 'SACK',
        about: 'RFC 2018',
        kind: 'switch',
        usual: 'the variant’s',
      },
      { path: 'dsack', label: 'D-SACK', about: 'RFC 2883', kind: 'switch', usual: 'off' },
      {
        path: 'timestamps',
        label: 'Timestamps',
        about: 'RFC 7323',
        kind: 'switch',
        usual: 'the variant’s',
      },
      { path: 'window_scale', label: 'Window scaling', about: 'RFC 7323', kind: 'switch', usual: 'off' },
      {
        path: 'timestamp_echo',
        label: 'Timestamp echoed',
        about: 'when an old segment comes again',
        kind: 'choice',
        usual: 'as RFC 7323',
        choices: [
          ['rfc7323', 'As RFC 7323 has it'],
          ['rfc1323', 'As RFC 1323 has it'],
          ['update-on-duplicate', 'The old segment’s'],
        ],
      },
    ],
  },
  {
    subject: 'Losses',
    fields: [
      { path: 'limited_transmit', label: 'Limited transmit', about: 'RFC 3042', kind: 'switch', usual: 'on' },
      {
        path: 'below_recovery_point',
        label: 'Duplicates after a timeout',
        about: 'may start a fast retransmit',
        kind: 'choice',
        usual: 'if spurious',
        choices: [
          ['blocked', 'Never, below its recovery point'],
          ['after-spurious', 'After a spurious timeout'],
          ['allowed', 'Always'],
        ],
      },
      {
        path: 'repeated_timeout',
        label: 'Threshold',
        about: 'when a segment times out again',
        kind: 'choice',
        usual: 'held',
        choices: [
          ['hold', 'Held'],
          ['halve', 'Halved again'],
        ],
      },
      {
        path: 'frto_timeouts',
        label: 'F-RTO examines',
        about: 'timeouts in a recovery from another',
        kind: 'choice',
        usual: 'as RFC 5682',
        choices: [
          ['rfc5682', 'Only those of the same segment'],
          ['all', 'All'],
        ],
      },
    ],
  },
  {
    subject: 'Retransmission timer',
    fields: [
      {
        path: 'timer.estimator',
        label: 'Estimator',
        about: 'from round-trip times to timeouts',
        kind: 'choice',
        usual: 'rfc6298',
        choices: [
          ['rfc793', 'RFC 793'],
          ['jacobson88', 'Jacobson 1988'],
          ['jacobson88-2v', 'Jacobson 1988, twice the variation'],
          ['ns2', 'ns-2'],
          ['rfc6298', 'RFC 6298'],
          ['linux', 'Linux'],
        ],
      },
      {
        path: 'timer.initial_rto',
        label: 'First timeout',
        about: 'before any measurement',
        kind: 'text',
        usual: '1 s',
      },
      {
        path: 'timer.minimum_rto',
        label: 'Least timeout',
        about: 'RFC 6298, 2.4',
        kind: 'text',
        usual: '1 s',
      },
      {
        path: 'timer.minimum',
        label: 'The least is for',
        about: 'which segments',
        kind: 'choice',
        usual: 'all',
        choices: [
          ['fixed', 'All'],
          ['adaptive', 'Those acknowledged late'],
        ],
      },
      {
        path: 'timer.maximum_rto',
        label: 'Greatest timeout',
        about: 'RFC 6298, 2.5',
        kind: 'text',
        usual: '60 s',
      },
      {
        path: 'timer.granularity',
        label: 'Clock tick',
        about: 'RFC 6298’s G',
        kind: 'text',
        usual: '1 ms',
      },
      {
        path: 'timer.back_off',
        label: 'Back-off',
        about: 'doubling, and until when',
        kind: 'choice',
        usual: 'the variant’s',
        choices: [
          ['until-measured', 'Until a measurement'],
          ['ns2', 'As ns-2: until new data is acknowledged'],
          ['bsd43', 'As 4.3BSD of 1986'],
        ],
      },
      {
        path: 'timer.after_spurious',
        label: 'After a spurious timeout',
        about: 'Gurtov and Ludwig 2003, III.C',
        kind: 'choice',
        usual: 'the variant’s',
        choices: [
          ['std', 'Nothing changes (std)'],
          ['reseed', 'Begins anew (reseed)'],
          ['back-off', 'Stays backed off (back-off)'],
          ['min++', 'The least grows (min++)'],
          ['rfc4015', 'As RFC 4015 has it'],
        ],
      },
    ],
  },
];

export const TCP_FIELDS: readonly TcpField[] = TCP_GROUPS.flatMap(({ fields }) => fields);

/** A kind of delayed acknowledgements, with the durations that it needs and what they begin as. */
export interface AckKind {
  readonly value: string;
  readonly label: string;
  readonly needs: readonly { readonly key: string; readonly label: string; readonly fresh: string }[];
}

export const ACK_KINDS: readonly AckKind[] = [
  { value: 'none', label: 'At once', needs: [] },
  {
    value: 'every-second',
    label: 'Every second full-sized segment',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'every-second-segment',
    label: 'Every second segment of any size',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'every-second-within',
    label: 'Every second segment of any size, or a clock’s tick',
    needs: [
      { key: 'earliest', label: '… not before', fresh: '50 ms' },
      { key: 'latest', label: '… at the latest after', fresh: '100 ms' },
    ],
  },
  {
    value: 'window-part',
    label: 'Once 35 % of the window wait',
    needs: [{ key: 'timer', label: '… or after', fresh: '200 ms' }],
  },
  {
    value: 'at-ticks',
    label: 'At ticks of the receiver’s clock',
    needs: [{ key: 'clock', label: '… every', fresh: '10 ms' }],
  },
];

/** Keys of an experiment that have a field of the form, by the first key. */
export const FORM_KEYS = [
  'title', 'description', 'source', 'assumptions', 'link', 'links', 'access', 'variants', 'workload', 'flows',
  'repetitions', 'seed', 'time_limit', 'capture', 'netns', 'tcp', 'claim',
] as const; // prettier-ignore

/** The keys of a claim, all of which have a field. */
export const CLAIM_KEYS = [
  'id', 'text', 'metric', 'per', 'statistic', 'left', 'relation', 'right', 'value', 'factor', 'tolerance', 'link',
  'right_link', 'note',
] as const; // prettier-ignore

/** Keys for repeating a publication: the text alone has them, and the form keeps them as they are. */
export const TEXT_KEYS = ['figure', 'figures', 'published', 'stand_in'] as const;
