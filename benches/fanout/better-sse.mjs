// Sends the body of every `POST /publish` as an event to all readers of `GET /events`, with better-sse.
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { createChannel, createSession } from "better-sse";

const channel = createChannel();
createServer(async (request, response) => {
    if (request.url === "/events") {
        // By default it would write the text as JSON, and keep-alives every 10 seconds.
        channel.register(await createSession(request, response, { serializer: String, keepAlive: 15_000 }));
    } else {
        channel.broadcast(await text(request));
        response.writeHead(204).end();
    }
}).listen({ host: "127.0.0.1", port: process.argv[2], backlog: 1024 });
