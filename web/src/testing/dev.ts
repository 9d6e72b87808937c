import { sampleReport } from './sample-report';

/** Fills the development page with a sample, as the command fills the built one, and starts it. */
async function start(): Promise<void> {
  const { report, runs } = sampleReport(10);
  const holder = document.getElementById('windlull-report');
  if (holder) holder.textContent = JSON.stringify(report);
  for (const [key, series] of runs) {
    const script = document.createElement('script');
    script.type = 'text/plain';
    script.dataset['run'] = key;
    script.textContent = await gzipBase64(JSON.stringify(series));
    document.body.append(script);
  }
  await import('../report/main');
}

async function gzipBase64(text: string): Promise<string> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}

void start();
