"""Sends the body of every `POST /publish` as an event to all readers of `GET /events`, with sse-starlette.

Without a port, prints the versions.
"""

import asyncio
import sys
from importlib.metadata import version

import uvicorn
from sse_starlette import EventSourceResponse
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route

queues = set()


async def events(request):
    queue = asyncio.Queue()
    queues.add(queue)

    async def stream():
        try:
            while True:
                yield {"data": await queue.get()}
        finally:
            queues.discard(queue)

    return EventSourceResponse(stream(), ping=15)


async def publish(request):
    data = (await request.body()).decode()
    for queue in queues:
        queue.put_nowait(data)
    return Response(status_code=204)


app = Starlette(routes=[Route("/events", events), Route("/publish", publish, methods=["POST"])])
if sys.argv[1:]:
    uvicorn.run(
        app,
        host="127.0.0.1",
        port=int(sys.argv[1]),
        backlog=1024,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=10,
    )
else:
    print(f"sse-starlette {version('sse-starlette')}, uvicorn {uvicorn.__version__}, Python {sys.version}")
