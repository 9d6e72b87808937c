/** A paper as its own head has it. */
interface Paper {
  readonly title: string;
  readonly authors: string;
  readonly where: string;
}

/** The papers whose experiments are shipped or are to come, by the names of their folders. */
const PAPERS: Readonly<Record<string, Paper>> = {
  sarolahti2003: {
    title: 'F-RTO: An Enhanced Recovery Algorithm for TCP Retransmission Timeouts',
    authors: 'Pasi Sarolahti, Markku Kojo, Kimmo Raatikainen',
    where: 'ACM Computer Communication Review, 2003',
  },
  gurtov2003: {
    title: 'Responding to Spurious Timeouts in TCP',
    authors: 'Andrei Gurtov, Reiner Ludwig',
    where: 'IEEE INFOCOM, 2003',
  },
  jacobson1988: {
    title: 'Congestion Avoidance and Control',
    authors: 'Van Jacobson, Michael J. Karels',
    where: 'ACM SIGCOMM, 1988',
  },
  wen2010: {
    title: 'On Detection Algorithms for Spurious Retransmissions in TCP',
    authors: 'Zheng Wen, Kwan L. Yeung',
    where: 'IEEE WCNC, 2010',
  },
  psaras2007: {
    title: 'On the Properties of an Adaptive TCP Minimum RTO',
    authors: 'Ioannis Psaras, Vassilis Tsaoussidis',
    where: '2007',
  },
};

/** What a paper is called; of one that is not known here the name of its folder. */
export function titleOf(name: string): string {
  return known(name)?.title ?? name;
}

/** Who wrote it, where, and when: `Van Jacobson, Michael J. Karels. ACM SIGCOMM, 1988.`; null if that is not known. */
export function citationOf(name: string): string | null {
  const paper = known(name);
  return paper === undefined ? null : `${paper.authors}. ${paper.where}.`;
}

function known(name: string): Paper | undefined {
  return Object.hasOwn(PAPERS, name) ? PAPERS[name] : undefined;
}
