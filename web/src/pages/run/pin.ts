import { ns, octets } from '../../lib/brand';
import type { Selected } from '../../diagram/content';

/** What is pinned in the diagram, as the address holds it: `timeout_SECONDS` or `segment_SECONDS_OCTET`. */
export function pinToText(selected: Selected): string {
  const t = String(selected.t / 1e9);
  return selected.kind === 'timeout' ? `timeout_${t}` : `segment_${t}_${selected.seq}`;
}

/** Reads it; `null` if there is none, or if what stands there is none. */
export function pinFromText(text: string | null): Selected | null {
  const [kind, seconds = '', seq = ''] = text?.split('_') ?? [];
  const t = ns(Math.round(Number(seconds) * 1e9));
  if (seconds === '' || !Number.isFinite(t)) return null;
  if (kind === 'timeout') return { kind, t };
  return kind === 'segment' && /^\d+$/.test(seq) ? { kind, t, seq: octets(Number(seq)) } : null;
}
