//! Published crates that depend on eventsource-stream or reqwest-eventsource, built with the packages of these names in
//! this workspace. They handle the streams on which they fail with the originals, as the tests in `originals` show.

use async_openai::{Client, config::OpenAIConfig, types::completions::CreateCompletionRequestArgs};
use async_openai_0_35::{
    Client as Client35,
    config::OpenAIConfig as Config35,
    error::{OpenAIError, StreamError},
    types::chat::{ChatCompletionRequestUserMessage, CreateChatCompletionRequestArgs},
};
use eventsource_stream::Event;
use eventwire_test::{End, Script, TestServer};
use futures_util::{StreamExt, TryStreamExt};
use reqwest_eventsource::{Error, Event as Item, EventSource, RequestBuilderExt};
use std::{future::Future, time::Duration};

/// Long enough for anything that happens on one machine.
const PATIENCE: Duration = Duration::from_secs(60);

fn run<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::time::timeout(PATIENCE, future).await.expect("an end") })
}

/// Starts a server that sends `body`, and then keeps the connection open.
fn open_server(body: impl Into<String>) -> TestServer {
    TestServer::new().answer(Script::new().send(body.into()).with_end(End::Stall))
}

async fn next_message(source: &mut EventSource) -> Event {
    loop {
        match source.next().await.expect("an event") {
            Ok(Item::Open) | Err(Error::StreamEnded) => {}
            Ok(Item::Message(message)) => return message,
            Err(error) => panic!("{error:?}"),
        }
    }
}

#[test]
fn reqwest_eventsource_drops_a_byte_order_mark() {
    let server = open_server("\u{feff}event: greeting\ndata: hello\n\n");
    let message = run(async { next_message(&mut EventSource::get(server.url())).await });
    assert_eq!(message, Event { event: "greeting".into(), data: "hello".into(), ..Event::default() });
}

#[test]
fn reqwest_eventsource_returns_an_event_at_the_carriage_return_that_completes_it() {
    let server = open_server("data: hello\r\r");
    let message = run(async { next_message(&mut EventSource::get(server.url())).await });
    assert_eq!(message.data, "hello");
}

#[test]
fn reqwest_eventsource_keeps_the_last_event_id_over_connections() {
    let streams = ["id: 41\nretry: 1\ndata: a\n\n", "data: b\n\n"].map(|body| Script::new().send(body));
    let server = TestServer::new().answers(streams).answer(Script::status(404));
    run(async {
        let mut source = reqwest::Client::new().get(server.url()).eventsource().expect("a request");
        assert_eq!(next_message(&mut source).await.id, "41");
        assert_eq!(next_message(&mut source).await.id, "41");
        assert_eq!(source.last_event_id(), "41");
        let rest: Vec<_> = source.collect().await;
        assert!(matches!(rest[..], [Err(Error::StreamEnded), Err(Error::InvalidStatusCode(..))]), "{rest:?}");
    });
    let requests = server.requests();
    let ids = requests.iter().map(|request| request.headers().get_all("last-event-id").iter().collect());
    assert_eq!(ids.collect::<Vec<Vec<_>>>(), [vec![], vec!["41"], vec!["41"]]);
}

#[test]
fn async_openai_reads_a_stream_with_a_byte_order_mark_and_carriage_returns() {
    let chunk = r#"data: {"id":"1","object":"text_completion","created":0,"model":"m","choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":null}]}"#;
    let server = open_server(format!("\u{feff}{chunk}\r\r: wait\r\rdata: [DONE]\r\r"));
    let client = Client::with_config(OpenAIConfig::new().with_api_base(server.url()).with_api_key("none"));
    let request =
        CreateCompletionRequestArgs::default().model("m").prompt("p").stream(true).build().expect("a request");
    let answer: String = run(async {
        let chunks = client.completions().create_stream(request).await.expect("a stream");
        chunks.map_ok(|chunk| chunk.choices[0].text.clone()).try_collect().await.expect("chunks")
    });
    assert_eq!(answer, "Hello");
}

/// What the last async-openai with reqwest-eventsource returns of an answer: the text and the errors, in order.
fn ask_0_35(server: &TestServer) -> Vec<Result<String, OpenAIError>> {
    let client = Client35::with_config(Config35::new().with_api_base(server.url()).with_api_key("none"));
    let question = ChatCompletionRequestUserMessage::from("p").into();
    let request =
        CreateChatCompletionRequestArgs::default().model("m").messages([question]).build().expect("a request");
    let content = |chunk: async_openai_0_35::types::chat::CreateChatCompletionStreamResponse| {
        chunk.choices.into_iter().filter_map(|choice| choice.delta.content).collect()
    };
    run(async { client.chat().create_stream(request).await.expect("a stream").map_ok(content).collect().await })
}

/// An event with a token of a chat, which ends with two of `line_end`.
fn token(text: &str, line_end: &str) -> String {
    let choices = format!(r#"[{{"index":0,"delta":{{"content":"{text}"}},"finish_reason":null}}]"#);
    let rest = r#""id":"1","object":"chat.completion.chunk","created":0,"model":"m""#;
    format!(r#"data: {{{rest},"choices":{choices}}}{line_end}{line_end}"#)
}

#[test]
fn async_openai_0_35_reads_a_chat_with_a_byte_order_mark_and_carriage_returns() {
    let server = open_server(format!("\u{feff}{}{}data: [DONE]\r\r", token("Hel", "\r"), token("lo", "\r")));
    let tokens: Vec<_> = ask_0_35(&server).into_iter().map(|token| token.expect("a token")).collect();
    assert_eq!(tokens, ["Hel", "lo"]);
    let requests = server.requests();
    assert_eq!((requests[0].method().as_str(), requests[0].uri().path()), ("POST", "/events/chat/completions"));
    assert_eq!(requests.len(), 1);
}

#[test]
fn async_openai_0_35_returns_the_error_of_the_server() {
    let error = r#"{"error":{"message":"no credit is left","type":"insufficient_quota","param":null,"code":null}}"#;
    let server = TestServer::new().answer(Script::status(429).header("retry-after", "1").send(error));
    let items = ask_0_35(&server);
    let [Err(OpenAIError::ApiError(error))] = &items[..] else { panic!("{items:?}") };
    assert_eq!((error.message.as_str(), server.requests().len()), ("no credit is left", 1));
}

/// With the original, async-openai sends the question again and appends the second answer to the first.
#[test]
fn async_openai_0_35_does_not_ask_again_when_an_answer_breaks_off() {
    let answer = Script::new().header("content-length", "9999").send(token("Hel", "\n"));
    let server = TestServer::new().answer_with(move |_| answer.clone());
    let items = ask_0_35(&server);
    let [Ok(token), Err(OpenAIError::StreamError(error))] = &items[..] else { panic!("{items:?}") };
    let StreamError::ReqwestEventSource(Error::Transport(_)) = **error else { panic!("{error:?}") };
    assert_eq!((token.as_str(), server.requests().len()), ("Hel", 1));
}

#[test]
fn async_openai_0_35_takes_the_end_of_the_body_for_the_end_of_the_answer() {
    let server = TestServer::new().answer(Script::new().send(token("Hel", "\n")));
    let items = ask_0_35(&server);
    assert!(matches!(&items[..], [Ok(token)] if token == "Hel"), "{items:?}");
    assert_eq!(server.requests().len(), 1);
}
