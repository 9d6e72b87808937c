/** How a setting of `[tcp]` is entered (docs/files.md, `tcp`). */
export interface TcpField {
  readonly path: string;
  readonly label: string;
  readonly about: string;
  /** `text`: a value with its unit; `count`: a whole number; `switch`: true or false. */
  readonly kind: 'text' | 'count' | 'switch';
  /** What holds if nothing is said, for variants that do not say otherwise. */
  readonly usual: string;
}

/** The settings that are laid over every variant, by subject. */
export const TCP_FIELDS: readonly TcpField[] = [
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
  { path: 'initial_window', label: 'Initial window', about: 'segments', kind: 'count', usual: '3' },
  {
    path: 'burst_limit',
    label: 'Burst limit',
    about: 'segments an acknowledgement may release',
    kind: 'count',
    usual: 'none',
  },
  {
    path: 'timer.initial_rto',
    label: 'First timeout',
    about: 'before any measurement',
    kind: 'text',
    usual: '1 s',
  },
  { path: 'timer.minimum_rto', label: 'Least timeout', about: 'RFC 6298, 2.4', kind: 'text', usual: '1 s' },
  {
    path: 'timer.maximum_rto',
    label: 'Greatest timeout',
    about: 'RFC 6298, 2.5',
    kind: 'text',
    usual: '60 s',
  },
  { path: 'timer.granularity', label: 'Clock tick', about: 'RFC 6298’s G', kind: 'text', usual: '1 ms' },
  { path: 'limited_transmit', label: 'Limited transmit', about: 'RFC 3042', kind: 'switch', usual: 'on' },
  {
    path: 'sack',
    label: 'Selective acknowledgements',
    about: 'RFC 2018',
    kind: 'switch',
    usual: 'the variant’s',
  },
  { path: 'dsack', label: 'Report duplicates', about: 'RFC 2883', kind: 'switch', usual: 'off' },
  { path: 'timestamps', label: 'Timestamps', about: 'RFC 7323', kind: 'switch', usual: 'the variant’s' },
  { path: 'window_scale', label: 'Window scaling', about: 'RFC 7323', kind: 'switch', usual: 'off' },
];
