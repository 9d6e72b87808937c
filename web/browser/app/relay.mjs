// relay.mjs FROM TO: hands connections on. Each is the path of a Unix socket or a port of this namespace's loopback; says
// the port once it listens. A Unix socket can be reached from other network namespaces.
import { connect, createServer } from 'node:net';

const place = (text) => (text.startsWith('/') ? { path: text } : { port: Number(text), host: '127.0.0.1' });
const [from, to] = process.argv.slice(2).map(place);

const server = createServer((near) => {
  const far = connect(to);
  near.pipe(far).pipe(near);
  near.on('error', () => far.destroy());
  far.on('error', () => near.destroy());
});
server.listen(from, () => {
  process.stdout.write(`${from.path ?? server.address().port}\n`);
});
