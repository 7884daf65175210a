"""Reads the gateway's streams with the official `openai` package from PyPI.

Started by `run`, isolated (`python -I`): otherwise `import openai` would import this file."""

import asyncio
import inspect
import itertools
import json
import os
import pathlib
import re
import traceback

import openai

GATEWAY, KEYED, SLOW, KEY = (os.environ[name] for name in ("GATEWAY", "GATEWAY_KEYED", "GATEWAY_SLOW", "GATEWAY_KEY"))
# How the gateway is reached.
VIA = os.environ["VIA"]

# Unicode's White_Space. Neither `str.split` nor `\s` uses exactly this set.
SPACE = r"[\t-\r \x85\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]"
WORD = SPACE.replace("[", "[^")

with open(pathlib.Path(__file__).with_name("texts.json"), encoding="utf-8") as file:
    TEXTS = {row["name"]: row["text"] * row.get("times", 1) for row in json.load(file)}


def tokens(text):
    """Returns the tokens: each is a word and the white space after it; the first also has the space before it."""
    return re.findall(rf"\A{SPACE}+\Z|(?:\A{SPACE}+)?{WORD}+{SPACE}*", text)


def words(text):
    return len(re.findall(rf"{WORD}+", text))


def usage(*prompts, sent):
    prompt = sum(map(words, prompts))
    return {"prompt_tokens": prompt, "completion_tokens": sent, "total_tokens": prompt + sent}


class Different(Exception):
    pass


def same(what, got, expected):
    if isinstance(got, list) and isinstance(expected, list):
        for i, (g, e) in enumerate(itertools.zip_longest(got, expected, fillvalue="nothing")):
            same(f"{what}[{i}]", g, e)
    elif got != expected:
        raise Different(f"{what}\n  got      {ascii(got)[:400]}\n  expected {ascii(expected)[:400]}")


# --- The two clients, with one interface


async def answer(made):
    """Runs either client: awaits results, and reads streams to their end."""
    if inspect.isawaitable(made):
        made = await made
    if isinstance(made, openai.Stream):
        return list(made)
    if isinstance(made, openai.AsyncStream):
        return [chunk async for chunk in made]
    return made


async def opened(made):
    return await made if inspect.isawaitable(made) else made


async def following(stream):
    return await anext(stream) if isinstance(stream, openai.AsyncStream) else next(stream)


def chat(client, text, **options):
    return client.chat.completions.create(model="echo", messages=[{"role": "user", "content": text}], **options)


def completion(client, prompt, **options):
    return client.completions.create(model="echo", prompt=prompt, **options)


OPTIONS = {"base_url": f"{GATEWAY}/v1", "api_key": KEY, "max_retries": 0, "timeout": 20}
WITH_USAGE = {"stream": True, "stream_options": {"include_usage": True}}


# --- Expected answers


def counted(what, answer, expected):
    same(f"{what}: usage", answer.usage and answer.usage.model_dump(include=set(expected)), expected)


def one_answer(what, chunks, kind):
    """Asserts that all chunks belong to one answer."""
    heads = [(chunk.id, chunk.object, chunk.created, chunk.model) for chunk in chunks]
    same(f"{what}: chunks", heads, [(heads[0][0], kind, heads[0][2], "echo")] * len(chunks))
    if not (heads[0][0] and heads[0][2] > 0):
        raise Different(f"{what}: id {heads[0][0]!r}, created {heads[0][2]!r}")


def last_is_usage(what, chunks, expected):
    """Removes the last chunk and asserts that it has the usage."""
    same(f"{what}: choices of the last chunk", chunks[-1].choices, [])
    counted(what, chunks.pop(), expected)


def chat_chunks(what, chunks, sent, reason="stop"):
    one_answer(what, chunks, "chat.completion.chunk")
    same(f"{what}: usage before the last chunk", [chunk.usage for chunk in chunks], [None] * len(chunks))
    got = [[(c.index, c.delta.role, c.delta.content, c.finish_reason) for c in chunk.choices] for chunk in chunks]
    expected = [[(0, None, token, None)] for token in sent]
    same(f"{what}: chunk", got, [[(0, "assistant", "", None)], *expected, [(0, None, None, reason)]])


def chat_whole(what, whole, text, reason="stop"):
    same(f"{what}: object, model", [whole.object, whole.model], ["chat.completion", "echo"])
    got = [(c.index, c.message.role, c.message.content, c.finish_reason) for c in whole.choices]
    same(f"{what}: choice", got, [(0, "assistant", text, reason)])


def completion_chunks(what, chunks, sent, reason="stop"):
    """`sent` contains a list of tokens for each prompt."""
    one_answer(what, chunks, "text_completion")
    same(f"{what}: usage before the last chunk", [chunk.usage for chunk in chunks], [None] * len(chunks))
    same(f"{what}: choices of each chunk", [len(chunk.choices) for chunk in chunks], [1] * len(chunks))
    choices = [chunk.choices[0] for chunk in chunks]
    same(f"{what}: indices", sorted({c.index for c in choices}), list(range(len(sent))))
    for index, each in enumerate(sent):
        got = [(c.text, c.finish_reason) for c in choices if c.index == index]
        same(f"{what}: choice {index}, chunk", got, [*((token, None) for token in each), ("", reason)])


def completion_whole(what, whole, texts, reason="stop"):
    same(f"{what}: object, model", [whole.object, whole.model], ["text_completion", "echo"])
    got = [(c.index, c.text, c.finish_reason) for c in whole.choices]
    same(f"{what}: choice", got, [(index, text, reason) for index, text in enumerate(texts)])


# --- The checks


async def models(client):
    got = [(model.id, model.object) for model in (await answer(client.models.list())).data]
    same("models", got, [("echo", "model")])
    return "models"


async def chat_of_every_text(client):
    for name, text in TEXTS.items():
        sent = tokens(text)
        expected = usage(text, sent=len(sent))
        whole = await answer(chat(client, text))
        chat_whole(name, whole, text)
        counted(name, whole, expected)
        chunks = await answer(chat(client, text, **WITH_USAGE))
        last_is_usage(name, chunks, expected)
        chat_chunks(name, chunks, sent)
        chat_chunks(name, await answer(chat(client, text, stream=True)), sent)
    return f"chat, streamed and not: {len(TEXTS)} texts"


async def completion_of_every_text(client):
    # A chunk's `finish_reason` may be null, but the package's types allow that only for chat.
    loose = type(client)(**OPTIONS)
    for name, text in TEXTS.items():
        sent = tokens(text)
        expected = usage(text, sent=len(sent))
        whole = await answer(completion(client, text))
        completion_whole(name, whole, [text])
        counted(name, whole, expected)
        chunks = await answer(completion(loose, text, **WITH_USAGE))
        last_is_usage(name, chunks, expected)
        completion_chunks(name, chunks, [sent])
        completion_chunks(name, await answer(completion(loose, text, stream=True)), [sent])
    return f"completions, streamed and not: {len(TEXTS)} texts"


async def several_prompts(client):
    loose = type(client)(**OPTIONS)
    prompts = ["one two  three\n", "", " ", "[DONE]", "日本 語"]
    sent = [tokens(prompt) for prompt in prompts]
    expected = usage(*prompts, sent=sum(map(len, sent)))
    whole = await answer(completion(client, prompts))
    completion_whole("prompts", whole, prompts)
    counted("prompts", whole, expected)
    chunks = await answer(completion(loose, prompts, **WITH_USAGE))
    last_is_usage("prompts", chunks, expected)
    completion_chunks("prompts", chunks, sent)
    return f"completions: {len(prompts)} prompts in one request"


async def several_messages(client):
    messages = [
        {"role": "system", "content": "Say it again."},
        {"role": "user", "content": "first  question"},
        {"role": "assistant", "content": "first answer"},
        {"role": "user", "content": [{"type": "text", "text": " second\n "}, {"type": "text", "text": "question "}]},
        {"role": "assistant", "content": "…"},
    ]
    text = " second\n question "
    expected = usage("Say it again.", "first  question", "first answer", text, "…", sent=2)
    whole = await answer(client.chat.completions.create(model="echo", messages=messages))
    chat_whole("messages", whole, text)
    counted("messages", whole, expected)
    chunks = await answer(client.chat.completions.create(model="echo", messages=messages, **WITH_USAGE))
    last_is_usage("messages", chunks, expected)
    chat_chunks("messages", chunks, tokens(text))
    return "chat: the last user message of several"


async def max_tokens(client):
    loose = type(client)(**OPTIONS)
    text = " one two  three\nfour "
    for most, reason in (1, "length"), (3, "length"), (4, "stop"), (5, "stop"):
        what = f"max_tokens {most}"
        sent = tokens(text)[:most]
        expected = usage(text, sent=len(sent))
        whole = await answer(chat(client, text, max_tokens=most))
        chat_whole(what, whole, "".join(sent), reason)
        counted(what, whole, expected)
        same(what, (await answer(chat(client, text, max_completion_tokens=most))).choices, whole.choices)
        chunks = await answer(chat(client, text, max_tokens=most, **WITH_USAGE))
        last_is_usage(what, chunks, expected)
        chat_chunks(what, chunks, sent, reason)
        whole = await answer(completion(client, text, max_tokens=most))
        completion_whole(what, whole, ["".join(sent)], reason)
        counted(what, whole, expected)
        chunks = await answer(completion(loose, text, max_tokens=most, **WITH_USAGE))
        last_is_usage(what, chunks, expected)
        completion_chunks(what, chunks, [sent], reason)
    return "max_tokens, max_completion_tokens: a longer answer is truncated, a shorter one is not"


async def end_of_stream(client):
    """Checks that `[DONE]` ends a stream; the package does not report it."""
    for name, api in ("chat", client.chat.completions), ("completions", client.completions):
        prompt = {"messages": [{"role": "user", "content": "a b"}]} if name == "chat" else {"prompt": "a b"}
        made = await opened(api.with_raw_response.create(model="echo", stream=True, **prompt))
        same(f"{name}: content type", made.headers["content-type"].split(";")[0], "text/event-stream")
        response = made.http_response
        body = await response.aread() if isinstance(client, openai.AsyncOpenAI) else response.read()
        lines = [line for line in re.split(rb"\r\n|\r|\n", body) if line]
        same(f"{name}: last line", lines[-1], b"data: [DONE]")
        same(f"{name}: [DONE]s", lines.count(b"data: [DONE]"), 1)
    return "streams end in [DONE]"


async def stream_helper(client):
    text = TEXTS["an event within"]
    request = {"model": "echo", "messages": [{"role": "user", "content": text}]}
    deltas = []
    manager = client.chat.completions.stream(**request, stream_options={"include_usage": True})
    if isinstance(client, openai.AsyncOpenAI):
        async with manager as stream:
            async for event in stream:
                deltas += [event.delta] if event.type == "content.delta" else []
            final = await stream.get_final_completion()
    else:
        with manager as stream:
            for event in stream:
                deltas += [event.delta] if event.type == "content.delta" else []
            final = stream.get_final_completion()
    same("deltas", [delta for delta in deltas if delta], tokens(text))
    chat_whole("final", final, text)
    counted("final", final, usage(text, sent=len(tokens(text))))
    return "a stream accumulated by the package"


async def refused(what, made, kind, **expected):
    try:
        got = await answer(made())
    except openai.APIStatusError as error:
        same(f"{what}: class", type(error).__name__, kind.__name__)
        same(f"{what}: keys", sorted(error.body), ["code", "message", "param", "type"])
        expected["type"] = "invalid_request_error"
        same(f"{what}: error", {key: getattr(error, key) for key in expected}, expected)
        if not (isinstance(error.body["message"], str) and error.body["message"]):
            raise Different(f"{what}: message {error.body['message']!r}") from error
    else:
        raise Different(f"{what}: instead of an error, {ascii(got)[:400]}")


async def errors(client):
    hello = [{"role": "user", "content": "hello"}]
    create, complete = client.chat.completions.create, client.completions.create
    for stream in False, True:
        for param, made in (
            ("messages", lambda: create(model="echo", messages="a", stream=stream)),
            ("messages[0].content", lambda: create(model="echo", messages=[{"role": "user"}], stream=stream)),
            ("prompt", lambda: complete(model="echo", prompt=7, stream=stream)),
            ("max_tokens", lambda: create(model="echo", messages=hello, max_tokens="a", stream=stream)),
        ):
            await refused(f"{param}, stream={stream}", made, openai.BadRequestError, status_code=400, param=param)
        for what, made in (
            ("chat", lambda: create(model="x", messages=hello, stream=stream)),
            ("completions", lambda: complete(model="x", prompt="a", stream=stream)),
        ):
            expected = {"status_code": 404, "param": "model", "code": "model_not_found"}
            await refused(f"{what}, model, stream={stream}", made, openai.NotFoundError, **expected)
    json_type = {"headers": {"Content-Type": "application/json"}}
    for path, param in ("/chat/completions", "messages"), ("/completions", "prompt"):
        for body in b"", b"{", b"[]", b'"\xff"', b'{"model": "echo"}':
            made = lambda: client.post(path, content=body, cast_to=object, options=json_type)
            expected = {"status_code": 400, "param": param if b"echo" in body else None}
            await refused(f"{path} {body!r}", made, openai.BadRequestError, **expected)
    chat_whole("afterwards", await answer(chat(client, "hello")), "hello")
    return "errors: unknown model, malformed requests"


async def api_key(client):
    right = client.with_options(base_url=f"{KEYED}/v1", api_key=KEY)
    wrong = client.with_options(base_url=f"{KEYED}/v1", api_key=KEY + "x")
    expected = {"status_code": 401, "param": None, "code": "invalid_api_key"}
    for what, made in (
        ("chat", lambda: chat(wrong, "hello")),
        ("chat, streamed", lambda: chat(wrong, "hello", stream=True)),
        ("completions", lambda: completion(wrong, "hello")),
        ("models", lambda: wrong.models.list()),
        ("no key", lambda: chat(right, "hello", extra_headers={"Authorization": openai.Omit()})),
    ):
        await refused(what, made, openai.AuthenticationError, **expected)
    chat_whole("right key", await answer(chat(right, "hello")), "hello")
    chat_chunks("right key", await answer(chat(right, "hello", stream=True)), ["hello"])
    return "API key: right, wrong, none"


async def refusals_in_a_row(client):
    """Sends many refused requests over one connection. If a server refuses a request before it has read the body, and
    then closes the connection without notice, the next request fails now and then."""
    wrong = client.with_options(base_url=f"{KEYED}/v1", api_key=KEY + "x")
    for i in range(300):
        await refused(f"refusal {i}", lambda: completion(wrong, "hello"), openai.AuthenticationError, status_code=401)
    return "300 refusals in a row"


async def side_by_side(client):
    """While one stream is open, reads two more in turn; then closes the first one early and reads another."""
    slow = client.with_options(base_url=f"{SLOW}/v1")
    # This stream takes far longer than the others.
    long = await opened(chat(slow, "word " * 5000, stream=True))
    begun = [await following(long), await following(long)]
    same("the beginning of the long stream", [chunk.choices[0].delta.content for chunk in begun], ["", "word "])

    texts = ["a b c d e f", "\none\n two "]
    streams = [await opened(chat(slow, text, stream=True)) for text in texts]
    taken = [[], []]
    for _ in range(5):
        for stream, chunks in zip(streams, taken):
            chunks += [await following(stream)] if len(chunks) < 4 else []
    for text, stream, chunks in zip(texts, streams, taken):
        chat_chunks("one of two", chunks + await answer(stream), tokens(text))

    await opened(long.close())
    chat_chunks("after closing", await answer(chat(slow, "still here", stream=True)), ["still ", "here"])
    return "parallel streams, and one closed early"


async def many_at_a_time(client):
    texts = [f"{i} " * (i + 1) for i in range(16)]
    ask = lambda text: answer(chat(client, text, stream=True))
    for text, chunks in zip(texts, await asyncio.gather(*map(ask, texts))):
        chat_chunks("one of many", chunks, tokens(text))
    return f"{len(texts)} parallel streams"


CHECKS = [
    models,
    chat_of_every_text,
    completion_of_every_text,
    several_prompts,
    several_messages,
    max_tokens,
    end_of_stream,
    stream_helper,
    errors,
    api_key,
    refusals_in_a_row,
    side_by_side,
]


async def main():
    for kind, name in (openai.OpenAI, "sync"), (openai.AsyncOpenAI, "async"):
        client = kind(**OPTIONS, _strict_response_validation=True)
        for check in CHECKS + ([many_at_a_time] if name == "async" else []):
            try:
                print(f"ok: python{VIA}, {name}: {await check(client)}", flush=True)
            except Exception as error:
                why = error if isinstance(error, Different) else traceback.format_exc(limit=-3)
                raise SystemExit(f"FAILED: python{VIA}, {name}: {check.__name__}: {why}") from None


asyncio.run(main())
