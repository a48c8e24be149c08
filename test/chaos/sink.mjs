// A destination in a process of its own, so that what it does takes no time of who measures. /hole does not
// answer before /heal was asked for.
import { createServer } from "node:http";

let unanswered = 0;
let healed = false;
const server = createServer((req, res) => {
  req.resume().on("end", () => {
    if (req.url === "/unanswered") res.end(String(unanswered));
    else if (req.url === "/heal") {
      healed = true;
      res.end();
    } else if (req.url.startsWith("/hole") && !healed) unanswered++;
    else res.end("{}");
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
