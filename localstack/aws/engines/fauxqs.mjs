// Starts fauxqs on 127.0.0.1 only: its own command line listens on every interface.
// Standard input is the lifeline: it ends when the parent stops us or dies, however it dies.
import { buildApp } from "fauxqs";

const app = buildApp({ logger: false });
await app.listen({ host: "127.0.0.1", port: Number(process.argv[2]) });
console.log(`listening ${app.server.address().port}`);

process.stdin.resume();
process.stdin.on("end", async () => {
  await app.close();
  process.exit(0);
});
